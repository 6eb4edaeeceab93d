"""A server that speaks S3, and a bucket of it for a test."""

from __future__ import annotations

import contextlib
import itertools
import logging
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from webapp.tests.serving import PATIENCE, ROOT, free_port

_numbers = itertools.count(1)


LOGIN = {"AWS_ACCESS_KEY_ID": "anybody", "AWS_SECRET_ACCESS_KEY": "anything"}


@pytest.fixture(scope="session", params=["moto", pytest.param("versitygw", marks=pytest.mark.slow)])
def s3_server(request, tmp_path_factory):
    """The address of a server: one in this process, and, in the slow run, versitygw over a folder."""
    if request.param == "moto":
        yield from _moto()
    else:
        with versitygw(tmp_path_factory.mktemp("s3")) as address:
            yield address


def _moto():
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@contextlib.contextmanager
def versitygw(folder: Path) -> Iterator[str]:
    """The address of a versitygw with its objects in the folder. Skips the test where there is no Go, unless CI is set."""
    if not shutil.which("go") and not os.environ.get("CI"):
        pytest.skip("versitygw is built with Go")
    built = subprocess.run([ROOT / "script" / "versitygw"], capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    listen = f"127.0.0.1:{free_port()}"
    options = ["--port", listen, "--access", LOGIN["AWS_ACCESS_KEY_ID"], "--secret", LOGIN["AWS_SECRET_ACCESS_KEY"], "--quiet"]
    backend = ["posix", "--sidecar", _made(folder / "about"), _made(folder / "objects")]
    server = subprocess.Popen([built.stdout.strip(), *options, *backend], stdout=subprocess.DEVNULL)
    end = time.monotonic() + PATIENCE
    try:
        while not _listens(listen):
            assert server.poll() is None and time.monotonic() < end, "versitygw does not answer"
            time.sleep(0.05)
        yield f"http://{listen}"
    finally:
        server.terminate()
        server.wait(PATIENCE)


def _made(folder: Path) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    return str(folder)


def _listens(address: str) -> bool:
    host, _, port = address.rpartition(":")
    with contextlib.suppress(OSError), socket.create_connection((host, int(port)), timeout=1):
        return True
    return False


class Bucket:
    """A bucket as somebody else sees it, who may change what is in it."""

    def __init__(self, client, name: str) -> None:
        self.client, self.name = client, name
        self.address = f"s3://{name}/site"

    def keys(self) -> list[str]:
        return [entry["Key"] for entry in self.client.list_objects_v2(Bucket=self.name).get("Contents", ())]

    def read(self, key: str) -> bytes:
        return self.client.get_object(Bucket=self.name, Key=f"site/{key}")["Body"].read()

    def write(self, key: str, data: bytes) -> None:
        self.client.put_object(Bucket=self.name, Key=f"site/{key}", Body=data)

    def remove(self, key: str) -> None:
        self.client.delete_object(Bucket=self.name, Key=f"site/{key}")


@pytest.fixture
def bucket(s3_server, monkeypatch, settings):
    """An empty bucket, which POOLMARK_STORE names."""
    import boto3

    for name, value in {
        "AWS_ENDPOINT_URL": s3_server,
        **LOGIN,
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
    }.items():
        monkeypatch.setenv(name, value)
    client = boto3.client("s3")
    made = Bucket(client, f"poolmark-{next(_numbers)}")
    client.create_bucket(Bucket=made.name)
    settings.POOLMARK_STORE = made.address
    return made
