"""Pushes to a real server: by curl, in chunks, by many at once, and over connections that break."""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import io
import json
import random
import socket
import tarfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from ingest.tests.samples import FOLDER
from webapp.tests.serving import Server, data_folder, manage

PATH = "/api/v1/archives"


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    started = Server(data_folder(), POOLMARK_QUOTA_ARCHIVES="100000")
    try:
        yield started.wait_ready()
    finally:
        started.close()


@pytest.fixture(scope="module")
def token(server) -> str:
    manage(server.data, "sign_in_link", "--user", "ann")
    made = manage(server.data, "person", "token", "ann")
    assert made.returncode == 0, made.stderr
    return made.stdout.strip()


def ask(server: Server, token: str, method: str, path: str, body=None, **headers: str) -> tuple[int, str]:
    """Status and text; an iterable body is sent in chunks."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    with contextlib.closing(connection):
        connection.request(method, path, body, {"Authorization": f"Bearer {token}", **named})
        answer = connection.getresponse()
        return answer.status, answer.read().decode()


def bytes_of(number: int) -> bytes:
    """Of one dd, as no other number has them."""
    return f"# {number}\n268435456 bytes (268 MB, 256 MiB) copied, 2.5 s, 107 MB/s\n".encode()


def packed(size: int) -> bytes:
    """A tar of about so many bytes that cannot be compressed."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        info = tarfile.TarInfo("noise.bin")
        info.size = size
        tar.addfile(info, io.BytesIO(random.Random(size).randbytes(size)))
    return out.getvalue()


def it_takes_five_megabytes_with_or_without_a_length(server, token):
    data = packed(5_000_000)
    octets, text = "application/octet-stream", {"Accept": "text/plain"}
    status, link = ask(server, token, "POST", f"{PATH}?name=noise.tar", data, Content_Type=octets, **text)
    assert status == 201 and link.startswith(f"http://127.0.0.1:{server.port}/archives/") and link.endswith("\n")
    blocks = iter([data[at : at + 100_000] for at in range(0, len(data), 100_000)])
    assert ask(server, token, "POST", f"{PATH}?name=noise.tar", blocks, Content_Type=octets, **text) == (200, link)
    number = int(link.rsplit("/", 1)[-1])
    shown = json.loads(ask(server, token, "GET", f"{PATH}/{number}")[1])
    assert (shown["sha256"], shown["size"]) == (hashlib.sha256(data).hexdigest(), len(data))


def it_reads_what_reframe_sends(server, token):
    record = (FOLDER / "reframe" / "httpjson.json").read_bytes().splitlines()[0]
    status, text = ask(server, token, "POST", PATH, record, Content_Type="application/json")
    assert status == 201 and json.loads(text)["name"] == "reframe.json", text
    pk = json.loads(text)["id"]
    _wait_for(lambda: json.loads(ask(server, token, "GET", f"{PATH}/{pk}")[1])["state"] == "read")
    items = json.loads(ask(server, token, "GET", f"/api/v1/measurements?archive={pk}")[1])["items"]
    assert {(one["metric"], one["value"]) for one in items} == {
        ("write.throughput", 1823.4 * 2**20),
        ("read.throughput", 2410.75 * 2**20),
    }


def push_all(server: Server, token: str, numbers: list[int]) -> dict[int, int]:
    """The archive of each number, by 16 at once."""

    def push(number: int) -> int:
        status, text = ask(server, token, "POST", f"{PATH}?name=dd.txt", bytes_of(number), Content_Type="text/plain")
        assert status in (200, 201), text
        return json.loads(text)["id"]

    with ThreadPoolExecutor(16) as pool:
        return dict(zip(numbers, pool.map(push, numbers), strict=True))


@pytest.mark.parametrize("n", [48, pytest.param(1000, marks=pytest.mark.slow)])
def it_loses_and_doubles_none_of_many_pushes_at_once(server, token, n):
    first = 10_000 * n
    numbers = [*range(first, first + n), *range(first, first + n // 8)]  # some come twice, maybe at once
    random.Random(n).shuffle(numbers)
    made = push_all(server, token, numbers)
    assert len(made) == n == len(set(made.values()))
    for number, pk in [*made.items()][:20]:
        assert json.loads(ask(server, token, "GET", f"{PATH}/{pk}")[1])["sha256"] == hashlib.sha256(bytes_of(number)).hexdigest()
    listed, address = set(), f"{PATH}?mine=true&limit=500"
    while address:
        page = json.loads(ask(server, token, "GET", address)[1])
        listed |= {(one["id"], one["sha256"]) for one in page["items"]}
        address = page["next"] and page["next"].removeprefix(f"http://127.0.0.1:{server.port}")
    assert {(pk, hashlib.sha256(bytes_of(number)).hexdigest()) for number, pk in made.items()} <= listed
    assert len({digest for _, digest in listed}) == len(listed)


def _break_off(server: Server, token: str, address: str, data: bytes, first: int, cut: int) -> None:
    """Begin to send the bytes from `first` on and break the connection after `cut` of them."""
    head = (
        f"PUT {address} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nAuthorization: Bearer {token}\r\n"
        f"Content-Type: application/octet-stream\r\nContent-Length: {len(data) - first}\r\n"
        f"Content-Range: bytes {first}-{len(data) - 1}/{len(data)}\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", server.port)) as connection:
        connection.sendall(head.encode() + data[first : first + cut])


def _wait_for(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def it_goes_on_where_a_connection_broke(server, token):
    dice, data = random.Random(7), packed(3_000_000)
    asked = {"name": "noise.tar", "size": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    status, text = ask(server, token, "POST", "/api/v1/uploads", json.dumps(asked), Content_Type="application/json")
    assert status == 201, text
    address = f"/api/v1/uploads/{json.loads(text)['id']}"

    def received() -> int:
        return json.loads(ask(server, token, "GET", address)[1])["received"]

    there = 0
    for _ in range(8):
        cut = dice.randrange(1, (len(data) - there) // 2)
        _break_off(server, token, address, data, there, cut)
        _wait_for(lambda most=there + cut: received() == most)
        there += cut
    ranged = f"bytes {there}-{len(data) - 1}/{len(data)}"
    octets = "application/octet-stream"
    status, text = ask(server, token, "PUT", address, data[there:], Content_Range=ranged, Content_Type=octets)
    assert status == 200 and json.loads(text)["received"] == len(data), text
    status, text = ask(server, token, "POST", f"{address}/finish")
    assert status == 201 and json.loads(text)["sha256"] == asked["sha256"], text
