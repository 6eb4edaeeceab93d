"""A site of several machines on one host: each has a folder that no other can read (accounts of their own, where the tests run as
root); they share one PostgreSQL, one Redis and one bucket."""

from __future__ import annotations

import contextlib
import http.client
import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.parse
from collections.abc import Iterator
from pathlib import Path

import boto3
import psutil
import psycopg
from botocore.config import Config

from webapp.files.tests.buckets import LOGIN, versitygw
from webapp.tests.servers import postgres
from webapp.tests.serving import PATIENCE, ROOT, Server, left_of, manage, redis_server

BUCKET = "poolmark-site"
WORKS = re.compile("Poolmark is ready: worker")
_accounts = itertools.count(20_001)


@contextlib.contextmanager
def shared_site() -> Iterator[Site]:
    """The servers that machines share, without a machine."""
    place = Path(tempfile.mkdtemp(prefix="pm-many-"))
    place.chmod(0o755)
    try:
        with contextlib.ExitStack() as stack:
            yield Site(place, stack)
    finally:
        shutil.rmtree(place, ignore_errors=True)


class Site:
    """The shared servers, and the machines that use them."""

    def __init__(self, place: Path, stack: contextlib.ExitStack) -> None:
        self.place, self.stack = place, stack
        self.cluster, self.url = stack.enter_context(postgres(place / "first"))
        self.address = stack.enter_context(versitygw(place / "bucket"))
        self.named = {
            "DATABASE_URL": self.url,
            "REDIS_URL": stack.enter_context(redis_server()),
            "SECRET_KEY": "the same on every machine of this test",
            "POOLMARK_STORE": f"s3://{BUCKET}/site",
            "POOLMARK_READERS": "1",
            "AWS_ENDPOINT_URL": self.address,
            "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_EC2_METADATA_DISABLED": "true",
            **LOGIN,
        }
        self.s3 = boto3.client(
            "s3",
            endpoint_url=self.address,
            region_name="us-east-1",
            aws_access_key_id=LOGIN["AWS_ACCESS_KEY_ID"],
            aws_secret_access_key=LOGIN["AWS_SECRET_ACCESS_KEY"],
            config=Config(s3={"addressing_style": "path"}),
        )
        self.s3.create_bucket(Bucket=BUCKET)
        self.cookies: dict[str, str] = {}

    def folder(self, name: str) -> tuple[Path, int]:
        """A POOLMARK_DATA that its account alone can enter."""
        data, account = self.place / name, next(_accounts) if may_use_accounts() else 0
        data.mkdir(mode=0o700)
        if account:
            os.chown(data, account, account)
        return data, account

    def machine(self, name: str, roles: str, **more: str) -> Server:
        """Its sessions in PostgreSQL bear its name."""
        data, account = self.folder(name)
        own = {"POOLMARK_ROLES": roles, "HOME": str(data), "PGAPPNAME": name}
        one = Server(data, "--empty", account=account, **{**self.named, **own, **more})
        self.stack.callback(one.close)
        return one.wait_ready() if "web" in roles else one.wait_ready(WORKS)

    def query(self, statement: str) -> list[tuple]:
        with psycopg.connect(self.url, autocommit=True) as connection:
            return connection.execute(statement).fetchall()

    def wait_for_rows(self, statement: str) -> list[tuple]:
        end = time.monotonic() + PATIENCE
        while not (rows := self.query(statement)):
            assert time.monotonic() < end, statement
            time.sleep(0.2)
        return rows

    def wait_until_read(self, count: int) -> None:
        end = time.monotonic() + PATIENCE
        while (states := dict(self.query("SELECT state, count(*) FROM webapp_archive GROUP BY 1"))) != {"read": count}:
            assert time.monotonic() < end and "failed" not in states, states
            time.sleep(0.2)

    def ask(self, machine: Server, method: str, path: str, form: dict | None = None, **sent) -> tuple[int, bytes]:
        """As the person who is signed in; cookies are of the site, not of a machine."""
        headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items()), **sent.get("headers", {})}
        body = sent.get("body")
        if form is not None:
            body, headers["Content-Type"] = urllib.parse.urlencode(form), "application/x-www-form-urlencoded"
        connection = http.client.HTTPConnection("127.0.0.1", machine.port, timeout=PATIENCE)
        with contextlib.closing(connection):
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            for cookie in answer.headers.get_all("Set-Cookie") or []:
                name, _, rest = cookie.partition("=")
                self.cookies[name] = rest.partition(";")[0]
            return answer.status, answer.read()

    def upload(self, machine: Server, data: bytes) -> int:
        """The id of the archive, which is private."""
        mark, token = "b0undary", token_of(self.ask(machine, "GET", "/upload")[1])
        fields = (
            f'--{mark}\r\nContent-Disposition: form-data; name="csrfmiddlewaretoken"\r\n\r\n{token}\r\n'
            f'--{mark}\r\nContent-Disposition: form-data; name="files"; filename="a.tar"\r\nContent-Type: application/x-tar\r\n\r\n'
        )
        headers = {"Content-Type": f"multipart/form-data; boundary={mark}", "Accept": "application/json"}
        status, text = self.ask(
            machine, "POST", "/upload", headers=headers, body=fields.encode() + data + f"\r\n--{mark}--\r\n".encode()
        )
        assert status == 201, text
        return json.loads(text)["archives"][0]["id"]

    def command(self, *args: str) -> str:
        data = self.place / "desk"
        done = manage(data, *args, **self.named)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


def may_use_accounts() -> bool:
    """Whether the tests are root's, and other accounts can read the checkout and its Python."""
    paths = [ROOT, *ROOT.parents]
    return os.geteuid() == 0 and all(path.stat().st_mode & 0o005 == 0o005 for path in paths)


def token_of(page: bytes) -> str:
    found = re.search(rb'name="csrfmiddlewaretoken" value="([^"]+)"', page)
    assert found, page[:500]
    return found[1].decode()


def kill(process: subprocess.Popen) -> None:
    """As a host that loses power: a supervisor or a PostgreSQL with all that it has started."""
    family = psutil.Process(process.pid).children(recursive=True)
    process.send_signal(signal.SIGKILL)
    process.wait(PATIENCE)
    assert left_of(family, PATIENCE) == []
