"""An account at a running server: signs in, requests pages, uploads. Used by script/chaos and script/bench."""

from __future__ import annotations

import contextlib
import http.client
import json
import urllib.parse

_MARK = "person0b0undary"


class SignedIn:
    """`cookies`: of the session. `form_token`: what forms must send."""

    def __init__(self, port: int, link: str) -> None:
        """Sign in by the link that `manage.py sign_in_link` printed. Raises OSError or HTTPException."""
        self.port, self.cookies, self.form_token = port, dict[str, str](), ""
        path = urllib.parse.urlsplit(link).path
        _, page = self.ask("GET", path)
        self.ask("POST", path, {"csrfmiddlewaretoken": _token(page)})
        assert "sessionid" in self.cookies, (path, self.cookies)
        _, page = self.ask("GET", "/upload")
        self.form_token = _token(page)

    @property
    def cookie(self) -> str:
        return "; ".join(f"{name}={value}" for name, value in self.cookies.items())

    def ask(
        self,
        method: str,
        path: str,
        form: dict[str, str] | None = None,
        *,
        body: bytes | None = None,
        headers: dict[str, str] | None = None,
        seconds: float = 30,
    ) -> tuple[http.client.HTTPResponse, bytes]:
        """An answer and its body, for each part of which it waits so long. Raises OSError or HTTPException."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=seconds)
        sent = {"Cookie": self.cookie, **(headers or {})}
        if form is not None:
            body, sent["Content-Type"] = urllib.parse.urlencode(form).encode(), "application/x-www-form-urlencoded"
        with contextlib.closing(connection):
            connection.request(method, path, body, sent)
            answer = connection.getresponse()
            for cookie in answer.headers.get_all("Set-Cookie") or []:
                name, _, rest = cookie.partition("=")
                self.cookies[name] = rest.partition(";")[0]
            return answer, answer.read()

    def upload(self, data: bytes, name: str = "dd.txt", seconds: float = 30) -> list[int]:
        """Upload a file; the ids of what was taken, [] where it was refused. Raises OSError, HTTPException or ValueError."""
        headers, body = self.form_of(data, name)
        answer, text = self.ask("POST", "/upload", headers=headers, body=body, seconds=seconds)
        return [one["id"] for one in json.loads(text)["archives"]] if answer.status == 201 else []

    def form_of(self, data: bytes, name: str = "dd.txt") -> tuple[dict[str, str], bytes]:
        """Headers and body of an upload."""
        head = (
            f'--{_MARK}\r\nContent-Disposition: form-data; name="csrfmiddlewaretoken"\r\n\r\n{self.form_token}\r\n'
            f'--{_MARK}\r\nContent-Disposition: form-data; name="files"; filename="{name}"\r\n'
            "Content-Type: application/octet-stream\r\n\r\n"
        )
        body = b"".join([head.encode(), data, f"\r\n--{_MARK}--\r\n".encode()])
        return {"Content-Type": f"multipart/form-data; boundary={_MARK}", "Accept": "application/json"}, body


def _token(page: bytes) -> str:
    return page.partition(b'name="csrfmiddlewaretoken" value="')[2].partition(b'"')[0].decode()
