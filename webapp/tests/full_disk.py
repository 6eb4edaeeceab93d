"""Run by test_full_disk.py in namespaces of its own: a file system in memory with a whole site, filled to the last byte.

Prints what it saw as JSON; ends with an error where a page failed or something was lost.
"""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import psycopg

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "script"))

from person import SignedIn  # noqa: E402

from webapp.infrastructure.embedded_postgres import Cluster  # noqa: E402
from webapp.tests.dd_text import dd  # noqa: E402
from webapp.tests.serving import Server, manage, wait_for  # noqa: E402

MIB = 1 << 20
DISK, OTHERS, RESERVE = 520 * MIB, 184 * MIB, 24 * MIB
"""`OTHERS`: bytes of somebody else's file, which is taken away in the end."""
PAGES = {"/": 200, "/compare": 200, "/archives": 200, "/archives/1": 404, "/permalinks": 302, "/log": 200, "/healthz": 200}
PAGES |= {"/readyz": 200, "/nowhere": 404}
REFUSED = (503, 507)
_LINK = re.compile(r"http\S+/sign-in/\S+")
_MOUNT = shutil.which("mount") or "mount"


class Reader(threading.Thread):
    """Asks for pages all the time. `failed`: those that did not answer, or with another status than usual, 503 or 507."""

    def __init__(self, server: Server) -> None:
        super().__init__(daemon=True)
        self.port, self.stop = server.port, threading.Event()
        self.seen, self.failed = Counter[int](), list[str]()

    def run(self) -> None:
        while not self.stop.is_set():
            for page in PAGES:
                connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
                try:
                    connection.request("GET", page)
                    answer = connection.getresponse()
                    text = answer.read()
                except (OSError, http.client.HTTPException) as error:
                    self.failed.append(f"{page}: {error!r}")
                    continue
                finally:
                    connection.close()
                self.seen[answer.status] += 1
                if answer.status not in (PAGES[page], *REFUSED) or b"bug in Poolmark" in text:
                    self.failed.append(f"{page}: {answer.status}")


class Site:
    """The site on its small disk, what it took, and who uses it."""

    def __init__(self, data: Path) -> None:
        self.data, self.numbers = data, iter(range(1, 10**6))
        self.settings = {"POOLMARK_RESERVE": str(RESERVE), "POOLMARK_QUOTA_ARCHIVES": "100000", "POOLMARK_WEB_PROCESSES": "1"}
        self.server = Server(data, **self.settings).wait_ready()
        link = _LINK.search(self.server.said)
        assert link, self.server.said
        self.person = SignedIn(self.server.port, link[0])
        self.taken = dict[int, str]()
        """Archive -> SHA-256 of what was sent."""
        self.frozen = list[str]()

    @property
    def free(self) -> int:
        return shutil.disk_usage(self.data).free

    def upload(self, data: bytes, name: str) -> int:
        """The status."""
        headers, body = self.person.form_of(data, name)
        answer, text = self.person.ask("POST", "/upload", headers=headers, body=body, seconds=90)
        if answer.status == 201:
            self.taken[json.loads(text)["archives"][0]["id"]] = hashlib.sha256(data).hexdigest()
        else:
            assert answer.status in REFUSED and "disk" in json.loads(text)["detail"], (answer.status, text)
        return answer.status

    def freeze(self, archive: int) -> int:
        form = {"csrfmiddlewaretoken": self.person.form_token, "publish_points": "yes", "title": f"frozen {next(self.numbers)}"}
        answer, text = self.person.ask("POST", f"/archives/{archive}/freeze", form, seconds=90)
        if answer.status == 302:
            self.frozen.append(answer.headers["Location"])
        else:
            assert answer.status in REFUSED and (b"disk of this site is full" in text or answer.status == 503), text
        return answer.status

    def wait_until_read(self) -> None:
        with psycopg.connect(Cluster(self.data).url, autocommit=True) as database:
            query = "SELECT count(*) = 0 FROM webapp_archive WHERE state IN ('received', 'reading')"
            wait_for(lambda: database.execute(query).fetchone() == (True,))
            assert database.execute("SELECT max(attempts) FROM webapp_archive WHERE state = 'failed'").fetchone() == (None,)

    def log(self) -> None:
        """Fill what is left, as the processes do: the logs to which they append, the last bytes by lines of requests."""
        with contextlib.suppress(OSError):
            while self.free > MIB:
                with open(self.data / "log" / "reconciler.log", "ab", buffering=0) as log:
                    log.write(b"a line of a log\n" * (MIB // 32))
        for _ in range(2 * MIB // 4000):
            if not self.free:
                break
            self.person.ask("GET", f"/{'long' * 900}")
        for size in (65536, 4096, 1):  # what the file system holds back for small writes
            with contextlib.suppress(OSError), open(self.data / "ballast", "ab", buffering=0) as ballast:
                while ballast.write(b"b" * size):
                    pass


@contextlib.contextmanager
def read_all_the_time(site: Site) -> Iterator[Reader]:
    reader = Reader(site.server)
    reader.start()
    try:
        yield reader
    finally:
        reader.stop.set()
        reader.join()


def fill(site: Site) -> list[str]:
    """By uploads, freezes and logs, each until no more is taken."""
    filled, size = [], 16 * MIB
    while size > MIB // 4:
        if site.upload(os.urandom(size), "noise.bin") != 201:
            size //= 2
    assert site.free >= RESERVE - 8 * MIB, site.free
    filled.append("uploads")
    wait_for(lambda: site.freeze(1) in REFUSED)
    filled.append("freezes")
    site.log()
    assert site.free == 0, site.free
    filled.append("logs")
    return filled


def be_full(site: Site) -> None:
    """What goes on on a full disk: people go on, and the database and a worker end."""
    assert {site.upload(dd(1.0, 1.5), "a.txt"), site.freeze(1)} <= set(REFUSED)
    for word in ("postgres", "--queues=drawing"):
        site.server.child(word).kill()
    wait_for(lambda: "No room on the disk of" in site.server.said)
    since = time.monotonic()
    while time.monotonic() < since + 20:  # as long as five quick ends take
        site.person.ask("GET", f"/{'long' * 900}")
        time.sleep(0.2)
    assert site.server.process.poll() is None, site.server.said


def check(site: Site) -> None:
    """Whole again: all that was taken is there as it was sent, read and drawn."""
    wait_for(lambda: site.person.ask("GET", "/readyz")[0].status == 200)
    assert site.server.process.poll() is None and "going on" in site.server.said, site.server.said
    for archive, digest in site.taken.items():
        answer, data = site.person.ask("GET", f"/archives/{archive}/download", seconds=90)
        assert (answer.status, hashlib.sha256(data).hexdigest()) == (200, digest), archive
    for place in site.frozen:
        wait_for(lambda place=place: site.person.ask("GET", f"{place}/bundle.zip", seconds=90)[0].status == 200)
    assert site.upload(dd(1.0, 1.25), "after.txt") == 201 and site.freeze(1) == 302
    site.wait_until_read()
    site.person.ask("GET", f"{site.frozen[-1]}/bundle.zip", seconds=90)
    found = manage(site.data, "check_data", **site.settings)
    assert found.returncode == 0, found.stdout + found.stderr


def main() -> None:
    data = Path(sys.argv[1])
    subprocess.run([_MOUNT, "-t", "tmpfs", "-o", f"size={DISK},mode=0700", "none", str(data)], check=True)
    others = data / "others"
    others.write_bytes(bytes(OTHERS))
    site = Site(data)
    try:
        assert site.upload(dd(*(1 + at / 100 for at in range(20))), "dd.txt") == 201
        site.wait_until_read()
        with read_all_the_time(site) as reader:
            filled = fill(site)
            be_full(site)
            (data / "ballast").unlink()
            others.unlink()
            check(site)
        assert not reader.failed, reader.failed[:20]
        print(json.dumps({"filled by": filled, "answers": reader.seen, "frozen": len(site.frozen), "kept": len(site.taken)}))
    except BaseException:
        print(site.server.said, site.server.logs(), file=sys.stderr)
        raise
    finally:
        site.server.close()


if __name__ == "__main__":
    main()
