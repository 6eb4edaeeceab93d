"""What people do meanwhile: upload, tear uploads, send the same from many connections, freeze."""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import itertools
import json
import random
import socket
import threading
import time
import urllib.parse
from collections.abc import Callable
from dataclasses import dataclass, field

from chaotic.site import Site

from webapp.tests import dd_text

UPLOADERS = 4
SAME = 20
VALUES = 2
"""Measurements for each result of the transcripts."""


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

    def __init__(self, site: Site, seed: int) -> None:
        self.site, self.seed = site, seed
        self.uploads: list[Upload] = []
        self.sent = self.torn = 0
        self.permalinks: dict[str, str] = {}
        """Name -> digest of its record when it was first read."""
        self.changed: set[str] = set()
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._cookies = self._sign_in()

    def works(self) -> list[Callable[[threading.Event], None]]:
        return [*[self._upload_on] * UPLOADERS, self._same_on, self._tear_on, self._freeze_on]

    def _sign_in(self) -> dict[str, str]:
        path = urllib.parse.urlsplit(self.site.sign_in_link()).path
        cookies: dict[str, str] = {}
        _, page = self._ask("GET", path, cookies=cookies)
        self._ask("POST", path, {"csrfmiddlewaretoken": _token(page)}, cookies=cookies)
        assert "sessionid" in cookies, (path, cookies)
        _, page = self._ask("GET", "/upload", cookies=cookies)
        self._form_token = _token(page)
        return cookies

    def _ask(
        self, method: str, path: str, form: dict[str, str] | None = None, *, cookies: dict[str, str] | None = None, **sent: object
    ) -> tuple[http.client.HTTPResponse, bytes]:
        """An answer and its body. Raises OSError or HTTPException."""
        cookies = self._cookies if cookies is None else cookies
        connection = http.client.HTTPConnection("127.0.0.1", self.site.port, timeout=30)
        headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in cookies.items())}
        body = sent.get("body")
        if form is not None:
            body, headers["Content-Type"] = urllib.parse.urlencode(form), "application/x-www-form-urlencoded"
        headers |= sent.get("headers") or {}  # type: ignore[operator]
        with contextlib.closing(connection):
            connection.request(method, path, body, headers)  # type: ignore[arg-type]
            answer = connection.getresponse()
            for cookie in answer.headers.get_all("Set-Cookie") or []:
                name, _, rest = cookie.partition("=")
                cookies[name] = rest.partition(";")[0]
            return answer, answer.read()

    def _new(self, random_: random.Random) -> Upload:
        number, results = next(self._numbers), random_.choice((1, 2, 3, 300))
        return Upload(dd_text.dd(*[round(1 + number / 1e4 + at / 1e2, 5) for at in range(results)]), results)

    def _multipart(self, data: bytes) -> tuple[dict[str, str], bytes]:
        mark = "chaos0b0undary"
        parts = (
            f'--{mark}\r\nContent-Disposition: form-data; name="csrfmiddlewaretoken"\r\n\r\n{self._form_token}\r\n'
            f'--{mark}\r\nContent-Disposition: form-data; name="files"; filename="dd.txt"\r\n'
            "Content-Type: text/plain\r\n\r\n"
        )
        body = parts.encode() + data + f"\r\n--{mark}--\r\n".encode()
        return {"Content-Type": f"multipart/form-data; boundary={mark}", "Accept": "application/json"}, body

    def _send(self, upload: Upload) -> bool:
        """Whether the upload was taken."""
        headers, body = self._multipart(upload.data)
        with self._lock:
            self.sent += 1
        with contextlib.suppress(OSError, http.client.HTTPException, ValueError):
            answer, text = self._ask("POST", "/upload", headers=headers, body=body)
            if answer.status == 201:
                with self._lock:
                    upload.ids += [one["id"] for one in json.loads(text)["archives"]]
                return True
        return False

    def _upload_on(self, stop: threading.Event) -> None:
        random_ = random.Random(self.seed + next(self._numbers))
        while not stop.is_set():
            upload = self._new(random_)
            self.uploads.append(upload)
            while not self._send(upload) and not stop.wait(0.5):
                pass
            stop.wait(random_.uniform(0, 0.3))

    def _same_on(self, stop: threading.Event) -> None:
        random_ = random.Random(self.seed + 1)
        while not stop.wait(random_.uniform(5, 15)):
            upload = self._new(random_)
            self.uploads.append(upload)
            threads = [threading.Thread(target=self._send, args=(upload,), daemon=True) for _ in range(SAME)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

    def _tear_on(self, stop: threading.Event) -> None:
        random_ = random.Random(self.seed + 2)
        while not stop.wait(random_.uniform(0.5, 3)):
            headers, body = self._multipart(self._new(random_).data * 20)
            cookie = "; ".join(f"{name}={value}" for name, value in self._cookies.items())
            head = f"POST /upload HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {cookie}\r\nContent-Length: {len(body)}\r\n"
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
                    form = {"csrfmiddlewaretoken": self._form_token, "publish_points": "yes", "title": "chaos"}
                    answer, _ = self._ask("POST", f"/archives/{random_.choice(known)}/freeze", form)
                    place = answer.headers.get("Location") or ""
                    if answer.status == 302 and place.startswith("/p/"):
                        self.permalinks.setdefault(place[3:], "")
            for name in random_.sample(sorted(self.permalinks), min(3, len(self.permalinks))):
                with contextlib.suppress(OSError, http.client.HTTPException):
                    self.compare(name)

    def compare(self, name: str) -> bool:
        """Read the permalink's record, and note whether it is another one than before. Whether it answered."""
        answer, body = self._ask("GET", f"/p/{name}.json")
        if answer.status == 404:
            self.changed.add(name)
        if answer.status != 200:
            return False
        digest = hashlib.sha256(body).hexdigest()
        if (self.permalinks[name] or digest) != digest:
            self.changed.add(name)
        self.permalinks[name] = digest
        return True

    def compare_all(self) -> None:
        for name in list(self.permalinks):
            end = time.monotonic() + 60
            done = False
            while not done and time.monotonic() < end:
                with contextlib.suppress(OSError, http.client.HTTPException):
                    done = self.compare(name)
            if not done:
                self.changed.add(name)


def _token(page: bytes) -> str:
    found = page.partition(b'name="csrfmiddlewaretoken" value="')[2].partition(b'"')[0]
    return found.decode()
