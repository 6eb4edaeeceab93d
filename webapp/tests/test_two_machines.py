"""Several machines on one: each with a folder that no other can read (accounts of their own, where the tests run as root), one
PostgreSQL with a standby, one Redis, one bucket. What comes in by A is read by B and shown by C, also while one of each is
killed, and the export is byte for byte that of one machine."""

from __future__ import annotations

import contextlib
import re
import time
import urllib.parse
from pathlib import Path

import pytest

from webapp.tests import samples
from webapp.tests.machines import BUCKET, Site, kill, shared_site, token_of
from webapp.tests.servers import standby
from webapp.tests.serving import PATIENCE, Server, manage

LINK = re.compile(r"http\S+/sign-in/\S+")


def uploaded(number: int, values: int = 3) -> bytes:
    return samples.tar(
        {
            "zfs.txt": b"# zfs get compression tank\nNAME  PROPERTY     VALUE  SOURCE\ntank  compression  lz4    local\n",
            "a.txt": samples.dd(*[round(1 + number / 10 + at / 1000, 4) for at in range(values)]),
        }
    )


def shown(machine: Server, path: str, wanted: bytes) -> None:
    """Wait until anybody sees it there: a standby may be late, and is never wrong."""
    end, page = time.monotonic() + PATIENCE, b""
    while wanted not in page:
        assert time.monotonic() < end, (path, page[-2000:])
        with contextlib.suppress(OSError):
            page = machine.get(path)[1]
        time.sleep(0.1)


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
def test_what_one_machine_takes_another_reads_and_a_third_shows_also_while_one_of_each_is_killed():
    with shared_site() as site:
        a = site.machine("a", "web,scheduler")
        assert not (a.data / "postgres").exists()
        second, replica = site.stack.enter_context(standby(site.cluster, site.place / "second"))
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
        assert [name for name in ("a", "b", "c") if list((site.place / name / "blobs").glob("??/*"))] == []
        for page in PAGES:
            assert a.get(page)[1].replace(b"%d" % a.port, b"%d" % c.port) == c.get(page)[1], page
        # One of each is killed: a reader, a web server with the scheduler that acts, the standby.
        other = site.machine("d", "worker")
        kill(b.process)
        publish(site, c, site.upload(a, uploaded(1)), count=2)
        second.stop()
        shown(c, "/archives/2", b"a.tar")
        kill(a.process)
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
        assert exports == exports_of_one_machine(site.place)


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
