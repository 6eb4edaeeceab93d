"""How the client takes what servers and networks do, against a server that answers as it is told."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from client.tests.programs import Program

Answers = list[tuple[int, dict[str, str], Any]]
PROBLEM = {"Content-Type": "application/problem+json"}


class Told(ThreadingHTTPServer):
    """Gives the answers in turn, the last one again and again; keeps what it was asked. 0 as a status: the connection is cut."""

    def __init__(self) -> None:
        self.answers: Answers = []
        self.asked: list[tuple[str, str, dict[str, str], bytes]] = []
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    server: Told

    def answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.asked.append((self.command, self.path, dict(self.headers), body))
        answers = self.server.answers
        status, headers, told = answers.pop(0) if len(answers) > 1 else answers[0]
        if not status:
            self.connection.close()
            return
        data = told if isinstance(told, bytes) else json.dumps(told).encode()
        self.send_response(status)
        for name, value in {"Content-Length": str(len(data)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = do_PUT = do_DELETE = answer

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def told() -> Iterator[Told]:
    server = Told()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


SCRIPT = """
import json
from poolmark.errors import PoolmarkError
from poolmark.http import Site
slept = []
site = Site({url!r}, "secret", sleep=slept.append)
try:
    said = {call}
except PoolmarkError as error:
    said = str(error)
print(json.dumps([said, len(slept), slept[:1]]))
"""


def ask(told: Told, tmp_path, call: str) -> tuple[Any, int, list[float]]:
    said, count, first = Program(tmp_path).evaluate(SCRIPT.format(url=told.url, call=call))
    return said, count, first


FINE = (200, {}, {"fine": True})


@pytest.mark.parametrize(
    ("answers", "call", "said", "sleeps"),
    [
        ([(503, {"Retry-After": "7"}, b""), FINE], "site.get('/x')", {"fine": True}, [7.0]),
        ([(429, {"Retry-After": "1"}, {}), FINE], "site.post('/x', {})", {"fine": True}, [1.0]),
        ([(0, {}, b""), FINE], "site.get('/x')", {"fine": True}, None),
        ([(0, {}, b""), FINE], "site.send('PUT', '/x', body=lambda: [b'a', b'b'])", {"fine": True}, None),
        ([(204, {}, b"")], "site.send('DELETE', '/x')", None, []),
        ([(429, {"Retry-After": "600", **PROBLEM}, {"title": "T", "detail": "Later"})], "site.get('/x')", "Later.", []),
        (
            [(422, PROBLEM, {"title": "T", "detail": "No", "errors": [{"place": "query.x", "detail": "wrong"}]})],
            "site.get('/x')",
            "No. query.x: wrong.",
            [],
        ),
        (
            [(401, PROBLEM, {"title": "Unauthorized", "detail": "The token is unknown"})],
            "site.get('/x')",
            "The token is unknown. `poolmark login` keeps a token, POOLMARK_TOKEN gives one.",
            [],
        ),
        ([(500, {}, b"<html>")], "site.get('/x')", "URL answered 500 Internal Server Error to GET /api/v1/x.", []),
        ([(200, {}, b"<html>")], "site.get('/x')", "URL does not answer as Poolmark does: check the address of the server.", []),
        (
            [(308, {"Location": "https://other.example/"}, b"")],
            "site.post('/x')",
            "URL sends requests on to https://other.example/: give that address as the server.",
            [],
        ),
        ([(404, {}, b"")], "site.version()", "URL has no Poolmark API: check the address of the server.", []),
        ([(200, {}, {"info": {"version": "1.7"}, "new": {}})], "site.version()", "1.7", []),
        (
            [(200, {}, {"info": {"version": "9"}})],
            "site.version()",
            "URL has version 9 of the API, this client knows 1: install that server's client.",
            [],
        ),
    ],
)
def test_answers(told: Told, tmp_path, answers, call, said, sleeps):
    told.answers = answers
    found, count, first = ask(told, tmp_path, call)
    assert found == (said.replace("URL", told.url) if isinstance(said, str) else said)
    assert (first == sleeps and count == len(sleeps)) if sleeps is not None else count == 1


def test_a_post_is_tried_again_under_the_same_key_and_the_token_is_sent(told: Told, tmp_path):
    told.answers = [(503, {}, b""), (0, {}, b""), FINE]
    assert ask(told, tmp_path, "site.post('/x', {'a': 1})")[0] == {"fine": True}
    keys = {headers["Idempotency-Key"] for _, _, headers, _ in told.asked}
    assert len(told.asked) == 3 and len(keys) == 1
    assert {body for *_, body in told.asked} == {b'{"a": 1}'}
    assert {headers["Authorization"] for _, _, headers, _ in told.asked} == {"Bearer secret"}
    assert told.asked[0][2]["User-Agent"].startswith("poolmark/")


def test_a_server_that_is_gone_is_given_up_after_some_attempts(told: Told, tmp_path):
    told.answers = [(0, {}, b"")]
    said, count, _ = ask(told, tmp_path, "site.get('/x')")
    assert count == 5 and said.startswith(f"{told.url} cannot be reached") and said.endswith("then try again.")


def test_lists_go_on_by_the_address_in_next_on_the_same_server(told: Told, tmp_path):
    """Whatever name of itself the server believes in: the token goes nowhere else."""
    told.answers = [
        (200, {}, {"items": [1, 2], "next": "https://inside.example/api/v1/x?cursor=c%2B1"}),
        (200, {}, {"items": [3], "next": None, "unknown": 1}),
    ]
    assert ask(told, tmp_path, "list(site.items('/x', {'limit': 2, 'none': None, 'metric': ['a', 'b']}))")[0] == [1, 2, 3]
    assert [path for _, path, *_ in told.asked] == ["/api/v1/x?limit=2&metric=a&metric=b", "/api/v1/x?cursor=c%2B1"]


def test_the_proxy_of_the_environment_is_used(told: Told, tmp_path):
    told.answers = [FINE]
    program = Program(tmp_path, more={"HTTP_PROXY": told.url})
    assert program.evaluate(SCRIPT.format(url="http://poolmark.invalid", call="site.get('/x')"))[0] == {"fine": True}
    assert told.asked[0][1] == "http://poolmark.invalid/api/v1/x"


def test_the_token_of_the_environment_goes_to_its_server_alone(told: Told, tmp_path):
    told.answers = [(404, {}, b"")]
    program = Program(tmp_path, "https://own.example", "poolmark_secret")
    program.python_run("-c", f"import poolmark; poolmark.frame('{told.url}/archives/1')")
    assert [path for _, path, *_ in told.asked] == ["/api/v1/archives/1"]
    assert "Authorization" not in told.asked[0][2]


@pytest.mark.parametrize(
    ("proxied", "host", "warns"), [(True, "poolmark.invalid", True), (True, "127.evil.example", True), (False, "", False)]
)
def test_login_warns_of_a_token_that_anybody_can_read(told: Told, tmp_path, proxied, host, warns):
    told.answers = [(200, {}, {"info": {"version": "1"}}), (200, {}, {"items": [], "next": None})]
    program = Program(tmp_path, more={"HTTP_PROXY": told.url} if proxied else {})
    done = program.run("login", f"http://{host}" if proxied else told.url, "--token-stdin", stdin="secret\n")
    assert done.returncode == 0, done.stderr
    assert ("not encrypted: whoever is on the way reads the token" in done.stderr) == warns
    assert "secret" not in done.stderr + done.stdout and len(told.asked) == 2


CLEAN = """
import json
from poolmark.errors import UsageError
from poolmark.http import clean_url
try:
    print(json.dumps(clean_url({!r})))
except UsageError:
    print("null")
"""


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("https://example.org/", "https://example.org"),
        ("example.org/below/", "https://example.org/below"),
        ("localhost:8000", "http://localhost:8000"),
        ("127.0.0.1:8000", "http://127.0.0.1:8000"),
        ("ftp://example.org", None),
        ("https://ann:word@example.org", None),
        ("https://", None),
    ],
)
def test_addresses_of_servers(tmp_path, text, url):
    assert Program(tmp_path).evaluate(CLEAN.format(text)) == url


def test_a_damaged_settings_file_is_named(tmp_path):
    place = tmp_path / ".config" / "poolmark" / "config.toml"
    place.parent.mkdir(parents=True)
    place.write_text("server = [")
    done = Program(tmp_path).run("status")
    assert done.returncode == 2 and f"{place} cannot be read" in done.stderr and "repair or delete it" in done.stderr


COMPARED: dict[str, Any] = {
    "query": "metric=copy.elapsed&x=dedup&q=lz4",
    "workload": {"tool": "rsync"},
    "fixed": {"pool.compression": "lz4", "pool.recordsize": 131072},
    "panels": [{"unit": "s", "baseline": "off", "groups": [{"metric": "copy.elapsed", "x": "off", "n": 1, "center": 3.0}]}],
}
WORDS = {"words": [{"text": "top", "count": 8}, {"text": "money", "count": 0}]}


def test_a_table_has_every_group_and_what_its_name_is_of(told, tmp_path):
    apart = {"metric": "copy.elapsed", "x": "on", "n": 9, "center": None, "parts": [2.0, 4.0], "sessions": 2}
    apart |= {"series": "~", "facet": "8589934592"}
    bare = {"metric": "copy.elapsed", "x": "verify", "n": 0, "center": None}
    groups = [*COMPARED["panels"][0]["groups"], apart, bare]
    query = "x=dedup&series=zfs.encryption&facet=memory"
    told.answers = [(200, {}, COMPARED | {"query": query, "panels": [{"unit": "s", "groups": groups}]})]
    rows, _, _ = ask(told, tmp_path, "[*(m := __import__('poolmark.comparisons').comparisons).rows(m.read(site, 'q=x')[0])]")
    second = ["memory 8 GiB", "dedup on, zfs.encryption not recorded", "2 s and 4 s"]
    assert [row[1:4] for row in rows] == [["", "dedup off", "3 s"], second]


@pytest.mark.parametrize(
    ("found", "about", "doubts"),
    [
        (COMPARED, ["copy.elapsed, dedup off"], []),
        (
            COMPARED | {"query": "x=dedup&dedup=off&dedup=on&study=a&metric=a&metric=b"},
            ["copy.elapsed, dedup off"],
            ["dedup on is not drawn: its runs have another workload, other settings or another machine"],
        ),
        (
            COMPARED | {"query": "x=dedup&fs=zfs&fs=ext4"},
            ["copy.elapsed, dedup off"],
            ["fs zfs and ext4 are not compared here, one may be in `same`: x=fs compares them"],
        ),
        (
            COMPARED | {"panels": [], "search": WORDS},
            [],
            ["no run has all of these words: top (8 values), money (not found); `others` has what some of them find"],
        ),
    ],
)
def test_agents_hear_what_is_compared_and_what_is_missing(told, tmp_path, found, about, doubts):
    told.answers = [(200, {}, found)]
    answer, _, _ = ask(told, tmp_path, "__import__('poolmark.mcp').mcp.Tools(site).compare('q=x')")
    assert [finding["about"] for finding in answer["findings"]] == about and answer["doubts"] == doubts
    assert answer["same"] == ["pool.compression lz4", "pool.recordsize 128 KiB"]
