"""Several machines on one: each with a folder that no other can read (accounts of their own, where the tests run as root), one
PostgreSQL with a standby, one Redis, one bucket. What comes in by A is read by B and shown by C, also while one of each is
killed, and the export is byte for byte that of one machine."""

from __future__ import annotations

import contextlib
import http.client
import itertools
import json
import os
import re
import shutil
import signal
import tempfile
import time
import urllib.parse
from pathlib import Path

import boto3
import psycopg
import pytest
from botocore.config import Config

from webapp.files.tests.buckets import LOGIN, versitygw
from webapp.tests import samples
from webapp.tests.servers import postgres, standby
from webapp.tests.serving import PATIENCE, ROOT, Server, left_of, manage, redis_server

BUCKET = "poolmark-site"
WORKS = re.compile("Poolmark is ready: worker")
LINK = re.compile(r"http\S+/sign-in/\S+")
_accounts = itertools.count(20_001)


def uploaded(number: int, values: int = 3) -> bytes:
    return samples.tar(
        {
            "zfs.txt": b"# zfs get compression tank\nNAME  PROPERTY     VALUE  SOURCE\ntank  compression  lz4    local\n",
            "a.txt": samples.dd(*[round(1 + number / 10 + at / 1000, 4) for at in range(values)]),
        }
    )


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
        data, account = self.folder(name)
        one = Server(data, "--empty", account=account, POOLMARK_ROLES=roles, HOME=str(data), **{**self.named, **more})
        self.stack.callback(one.close)
        return one.wait_ready() if "web" in roles else one.wait_ready(WORKS)

    def query(self, statement: str) -> list[tuple]:
        with psycopg.connect(self.url, autocommit=True) as connection:
            return connection.execute(statement).fetchall()

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


def kill(machine: Server) -> None:
    """As a host that loses power."""
    family = machine.family()
    machine.process.send_signal(signal.SIGKILL)
    machine.process.wait(PATIENCE)
    assert left_of(family, PATIENCE) == []


def shown(machine: Server, path: str, wanted: bytes) -> None:
    """Wait until anybody sees it there: a standby may be late, and is never wrong."""
    end, page = time.monotonic() + PATIENCE, b""
    while wanted not in page:
        assert time.monotonic() < end, (path, page[-2000:])
        with contextlib.suppress(OSError):
            page = machine.get(path)[1]
        time.sleep(0.1)


@pytest.fixture
def place():
    folder = Path(tempfile.mkdtemp(prefix="pm-many-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


PAGES = (
    "/",
    "/archives",
    "/archives/1",
    "/compare?metric=write.elapsed&control=off",
    "/systems",
    "/studies",
    "/honesty",
    "/data",
    "/log",
)


@pytest.mark.slow
@pytest.mark.timeout(1500)
def test_what_one_machine_takes_another_reads_and_a_third_shows_also_while_one_of_each_is_killed(place):
    with contextlib.ExitStack() as stack:
        site = Site(place, stack)
        a = site.machine("a", "web,scheduler")
        assert not (a.data / "postgres").exists()
        second, replica = stack.enter_context(standby(site.cluster, place / "second"))
        b = site.machine("b", "worker,scheduler")
        c = site.machine("c", "web,scheduler", DATABASE_REPLICA_URL=replica)
        path = urllib.parse.urlsplit(LINK.search(a.said)[0]).path
        site.ask(c, "POST", path, {"csrfmiddlewaretoken": token_of(site.ask(a, "GET", path)[1])})
        assert "sessionid" in site.cookies
        # By A, read by B, shown by C: at once to who uploaded it, by the standby to everybody once it is published.
        first = site.upload(a, uploaded(0))
        assert site.ask(c, "GET", f"/archives/{first}")[0] == 200
        site.wait_until_read(1)
        publish(site, c, first)
        shown(c, f"/archives/{first}/raw/a.txt", b"copied")
        shown(c, "/compare.csv?metric=write.elapsed&x=compression&control=off", b"lz4")
        assert c.get(f"/archives/{first}/download")[1] == uploaded(0)
        assert [name for name in ("a", "b", "c") if list((place / name / "blobs").glob("??/*"))] == []
        for page in PAGES:
            assert a.get(page)[1].replace(b"%d" % a.port, b"%d" % c.port) == c.get(page)[1], page
        # One of each is killed: a reader, a web server with the scheduler that acts, the standby.
        other = site.machine("d", "worker")
        kill(b)
        publish(site, c, site.upload(a, uploaded(1)), count=2)
        second.stop()
        shown(c, "/archives/2", b"a.tar")
        kill(a)
        publish(site, c, site.upload(c, uploaded(2)), count=3)
        for page in PAGES:
            assert c.get(page)[0] == 200, page
        # The back-catalogue, from another place in the bucket, by two readers.
        site.machine("e", "worker")
        for number in range(3, 11):
            site.s3.put_object(Bucket=BUCKET, Key=f"catalogue/{number:02}/a.tar", Body=uploaded(number, 40))
        told = site.command("ingest", "--distribute", f"s3://{BUCKET}/catalogue")
        assert told.startswith("8 archives are handed over to the workers\n") and told.count(" 80 measurements") == 8, told
        site.wait_until_read(11)
        site.command("ingest", "--distribute", f"s3://{BUCKET}/catalogue", "--no-wait")
        assert site.query("SELECT count(*) FROM webapp_archive") == [(11,)]
        site.command("check_data")
        exports = [site.command("export", "--format", form) for form in ("jsonl", "csv")]
        assert other.process.poll() is None
        assert exports == exports_of_one_machine(place)


def publish(site: Site, machine: Server, archive: int, count: int = 1) -> None:
    """Once it is read."""
    site.wait_until_read(count)
    code = f"from webapp.archives import lifecycle; from webapp.accounts import audit; lifecycle.perform_action({archive}, 'publish', audit.command_line_actor())"  # noqa: E501
    site.command("shell", "--no-imports", "-c", code)


def exports_of_one_machine(place: Path) -> list[str]:
    files = []
    for number in range(11):
        folder = place / "files" / f"{number:02}"
        folder.mkdir(parents=True)
        (folder / "a.tar").write_bytes(uploaded(number, 3 if number < 3 else 40))
        files.append(str(folder / "a.tar"))
    alone = place / "alone"
    done = manage(alone, "ingest", "--jobs", "1", *files)
    assert done.returncode == 0, done.stderr
    exports = [manage(alone, "export", "--format", form).stdout for form in ("jsonl", "csv")]
    assert exports[0].count('"type": "measurement"') == 2 * (3 * 3 + 8 * 40)
    return exports
