"""What people do meanwhile: upload, tear uploads, send the same from many connections, freeze."""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import itertools
import random
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from chaotic.site import LiveSite
from person import SignedIn

from webapp.tests import dd_text

UPLOADERS = 4
SAME = 20
_BETWEEN = (0, 3)
"""Seconds from an answer to the next upload of the same client."""
VALUES = 2
"""Measurements for each result of the transcripts."""
WORKLOADS = 4_500
"""Of one archive: so many that their columns are kept in files (MIN_FILED of summary/reader and summary/dimension_tables)."""
COMPARED = (
    "/compare.json?metric=write.throughput&x=archive",
    "/compare.json?metric=write.elapsed&x=host",
    "/systems.json",
    "/normal.json?metric=write.throughput",
)
"""Pages that read the columns of the summary."""


@dataclass
class Upload:
    """Bytes that a client sent. `ids`: of the answers that said that they are here."""

    data: bytes
    results: int
    ids: list[int] = field(default_factory=list)

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.data).hexdigest()


class Clients:
    """All of them, signed in as the owner."""

    def __init__(self, site: LiveSite, seed: int) -> None:
        self.site, self.seed = site, seed
        self.uploads: list[Upload] = []
        self.sent = self.torn = self.same = 0
        self.permalinks: dict[str, str] = {}
        """Name -> digest of its record when it was first read."""
        self.changed: set[str] = set()
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self.person = SignedIn(site.port, site.sign_in_link())
        self._publish_many()

    def _publish_many(self) -> None:
        """One public archive of so many workloads that their columns are kept in files."""
        sizes = "".join(
            f"root@tank:~# dd if=/dev/zero of=/tank/f bs=1M count={n}\n{n}+0 records in\n{n}+0 records out\n"
            f"{n << 20} bytes copied, {n / 100} s, {(1 << 20) / 1e4:.1f} MB/s\n"
            for n in range(1, WORKLOADS + 1)
        )
        upload = Upload(sizes.encode(), WORKLOADS)
        self.uploads.append(upload)
        while not self._send(upload):
            time.sleep(0.5)
        self.site.settle()
        self._publish(upload.ids[0])

    def _publish(self, pk: int) -> None:
        self.person.ask("POST", f"/archives/{pk}/publish", {"csrfmiddlewaretoken": self.person.form_token, "licence": "CC0-1.0"})

    def works(self) -> list[Callable[[threading.Event], None]]:
        return [*[self._upload_on] * UPLOADERS, self._same_on, self._tear_on, self._freeze_on]

    def _new(self, random_: random.Random) -> Upload:
        number, results = next(self._numbers), random_.choice((1, 2, 3, 300))
        return Upload(dd_text.dd(*[round(1 + number / 1e4 + at / 1e2, 5) for at in range(results)]), results)

    def _send(self, upload: Upload) -> bool:
        """Whether the upload was taken."""
        with self._lock:
            self.sent += 1
        with contextlib.suppress(OSError, http.client.HTTPException, ValueError):
            if ids := self.person.upload(upload.data):
                with self._lock:
                    upload.ids += ids
                return True
        return False

    def _upload_on(self, stop: threading.Event) -> None:
        random_ = random.Random(self.seed + next(self._numbers))
        while not stop.is_set():
            upload = self._new(random_)
            self.uploads.append(upload)
            while not self._send(upload) and not stop.wait(0.5):
                pass
            stop.wait(random_.uniform(*_BETWEEN))

    def _same_on(self, stop: threading.Event) -> None:
        random_ = random.Random(self.seed + 1)
        while not stop.wait(random_.uniform(10, 30)):
            upload = self._new(random_)
            self.uploads.append(upload)
            threads = [threading.Thread(target=self._send, args=(upload,), daemon=True) for _ in range(SAME)]
            for thread in threads:
                thread.start()
            self.same += 1
            for thread in threads:
                thread.join()

    def _tear_on(self, stop: threading.Event) -> None:
        random_ = random.Random(self.seed + 2)
        while not stop.wait(random_.uniform(0.5, 3)):
            headers, body = self.person.form_of(self._new(random_).data * 20)
            head = f"POST /upload HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {self.person.cookie}\r\nContent-Length: {len(body)}\r\n"
            head += "".join(f"{name}: {value}\r\n" for name, value in headers.items())
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.site.port), 10) as torn:
                torn.sendall(head.encode() + b"\r\n" + body[: random_.randrange(len(body))])
                self.torn += 1

    def _freeze_on(self, stop: threading.Event) -> None:
        random_ = random.Random(self.seed + 3)
        while not stop.wait(random_.uniform(0.5, 2)):
            known = [upload.ids[0] for upload in self.uploads if upload.ids]
            with contextlib.suppress(OSError, http.client.HTTPException, ValueError):
                if known:
                    form = {"csrfmiddlewaretoken": self.person.form_token, "publish_points": "yes", "title": "chaos"}
                    answer, _ = self.person.ask("POST", f"/archives/{random_.choice(known)}/freeze", form)
                    place = answer.headers.get("Location") or ""
                    if answer.status == 302 and place.startswith("/p/"):
                        self.permalinks.setdefault(place[3:], "")
                    if random_.random() < 0.3:
                        self._publish(random_.choice(known))
                self.person.ask("GET", random_.choice(COMPARED))  # maps columns, or makes them
            for name in random_.sample(sorted(self.permalinks), min(3, len(self.permalinks))):
                with contextlib.suppress(OSError, http.client.HTTPException):
                    self.compare(name)

    def compare(self, name: str) -> bool:
        """Read the permalink's record, and note whether it is another one than before. Whether it answered."""
        answer, body = self.person.ask("GET", f"/p/{name}.json")
        if answer.status == 404:
            self.changed.add(name)
        if answer.status != 200:
            return False
        digest = hashlib.sha256(body).hexdigest()
        if (self.permalinks[name] or digest) != digest:
            self.changed.add(name)
        self.permalinks[name] = digest
        return True

    def read_compared(self) -> list[bytes]:
        """The pages that read columns, as they are now. Raises OSError or HTTPException."""
        return [self.person.ask("GET", path)[1] for path in COMPARED]

    def compare_all(self) -> None:
        for name in list(self.permalinks):
            end = time.monotonic() + 60
            done = False
            while not done and time.monotonic() < end:
                with contextlib.suppress(OSError, http.client.HTTPException):
                    done = self.compare(name)
            if not done:
                self.changed.add(name)
