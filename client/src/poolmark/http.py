"""The one way to a server: `Site` sends requests to its API, tries again where that is safe, turns errors into sentences."""

from __future__ import annotations

import email.utils
import ipaddress
import json
import random
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Callable, Optional, Union
from urllib.parse import urlsplit

import httpx

from poolmark import __version__
from poolmark.errors import Problem, SiteError, UsageError

API = "/api/v1"
VERSIONS = ("1",)
"""Versions of the API that this client knows, by the number before the point of `info.version`; the newest first, at most two."""
ATTEMPTS = 6
LONGEST_WAIT = 60.0
"""Seconds between two attempts; a server that asks for more is not asked again."""
_AGAIN = frozenset({408, 425, 429, 502, 503, 504})
_WHOLE = httpx.Timeout(60.0, connect=15.0)
Json = Any
Body = Union[bytes, Callable[[], Iterable[bytes]]]
"""Bytes, or what makes them anew for each attempt."""


class Site:
    """A server, and the token that its requests carry. `url`: its first page; `token`: empty to read what is public.

    A request is tried again after a broken connection or an answer that says *later* (408, 425, 429, 502, 503, 504), at most
    `attempts` times, after the seconds of Retry-After or twice as long each time. POSTs carry an Idempotency-Key, so that trying
    again makes nothing twice. Raises Problem for an answer of 400 and more, SiteError where no server answers. Proxies are those of
    the environment (HTTPS_PROXY, ALL_PROXY, NO_PROXY). May be shared by threads.
    """

    def __init__(
        self,
        url: str,
        token: str = "",
        *,
        attempts: int = ATTEMPTS,
        transport: Optional[httpx.BaseTransport] = None,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        self.url = clean_url(url)
        self.has_token, self.attempts, self._sleep = bool(token), attempts, sleep
        headers = {"User-Agent": f"poolmark/{__version__}", "Accept": "application/json"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        try:
            self._client = httpx.Client(headers=headers, timeout=_WHOLE, transport=transport)
        except (ValueError, httpx.InvalidURL) as error:  # a proxy of the environment that is no address, a token that is no text
            raise UsageError(
                f"Requests cannot be made with these settings ({error}): check HTTP_PROXY, HTTPS_PROXY, ALL_PROXY."
            ) from error

    def __enter__(self) -> Site:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._client.close()

    def get(self, path: str, params: Optional[Mapping[str, Any]] = None) -> Json:
        """The JSON at an address of the API: `get("/archives/12")`. A list in `params` repeats its name; None is left out."""
        return self.send("GET", path, params=params)

    def post(self, path: str, data: Json = None, params: Optional[Mapping[str, Any]] = None) -> Json:
        """The answer to JSON that is posted to an address of the API."""
        return self.send("POST", path, params=params, data=data)

    def items(self, path: str, params: Optional[Mapping[str, Any]] = None) -> Iterator[Json]:
        """The items of a list, page after page."""
        page = self.get(path, params)
        while True:
            yield from page.get("items", ())
            if not page.get("next"):
                return
            page = self.get(page["next"])

    def read(self, path: str, params: Optional[Mapping[str, Any]] = None) -> bytes:
        """The bytes at an address of the server, outside the API too: `read("/p/ID.json")`."""
        return self.request("GET", path, params=params).content

    def send(
        self,
        method: str,
        path: str,
        *,
        params: Optional[Mapping[str, Any]] = None,
        data: Json = None,
        body: Optional[Body] = None,
        headers: Optional[Mapping[str, str]] = None,
    ) -> Json:
        """The JSON of an answer, None of an empty one. `data` is sent as JSON, `body` as it is. `path` as for `get`, or an address
        of this server as its answers have them."""
        given = dict(headers or {})
        if data is not None:
            body, given["Content-Type"] = json.dumps(data).encode(), "application/json"
        answer = self.request(method, self._place(path), params=params, body=body, headers=given)
        if not answer.content:
            return None
        try:
            return answer.json()
        except ValueError:
            raise SiteError(f"{self.url} does not answer as Poolmark does: check the address of the server.") from None

    def request(
        self,
        method: str,
        path: str,
        *,
        params: Optional[Mapping[str, Any]] = None,
        body: Optional[Body] = None,
        headers: Optional[Mapping[str, str]] = None,
    ) -> httpx.Response:
        """The answer at a path of the server, with what the class says of errors and further attempts."""
        given = {**({"Idempotency-Key": str(uuid.uuid4())} if method == "POST" else {}), **(headers or {})}
        query = httpx.QueryParams({name: value for name, value in (params or {}).items() if value is not None})
        address, failure = httpx.URL(self.url + path), ""
        if query:
            address = address.copy_with(params=address.params.merge(query))
        for attempt in range(1, self.attempts + 1):
            wait: Optional[float] = 0.0
            try:
                content = body if body is None or isinstance(body, bytes) else body()
                answer = self._client.request(method, address, content=content, headers=given, follow_redirects=method == "GET")
                if answer.status_code < 300:
                    return answer
                wait = retry_after(answer) if answer.status_code in _AGAIN else None
                if wait is None or wait > LONGEST_WAIT or attempt == self.attempts:
                    raise self._problem(answer)
            except httpx.TransportError as error:
                failure = str(error) or type(error).__name__
                if attempt == self.attempts or isinstance(error, (httpx.UnsupportedProtocol, httpx.ProxyError)):
                    break
            self._sleep(wait or min(LONGEST_WAIT, 0.25 * 2**attempt) * random.uniform(0.5, 1.0))  # noqa: S311 spreads attempts
        raise SiteError(f"{self.url} cannot be reached ({failure}): check the address, the network and the proxy, then try again.")

    def version(self) -> str:
        """The version of the server's API (`info.version` of its OpenAPI document). Raises SiteError for one that is not known."""
        try:
            said = str(self.get("/openapi.json")["info"]["version"])
        except (Problem, KeyError, TypeError) as error:
            if isinstance(error, Problem) and error.status != 404:
                raise
            raise SiteError(f"{self.url} has no Poolmark API: check the address of the server.") from None
        if said.split(".")[0] not in VERSIONS:
            known = " and ".join(VERSIONS)
            raise SiteError(f"{self.url} has version {said} of the API, this client knows {known}: install that server's client.")
        return said

    def _place(self, path: str) -> str:
        """The path on this server of a path of the API, or of an address that this server answered with (whatever name and scheme
        it believes to have): requests, and the token, go to this server alone."""
        parts = urlsplit(path)
        if not parts.scheme:
            return path if path.startswith(API) else API + path
        inside, before = parts.path, urlsplit(self.url).path
        inside = inside[len(before) :] if before and inside.startswith(before) else inside
        return f"{inside}?{parts.query}" if parts.query else inside

    def _problem(self, answer: httpx.Response) -> SiteError:
        if answer.is_redirect:
            return SiteError(
                f"{self.url} sends requests on to {answer.headers.get('Location', 'elsewhere')}: give that address as the server."
            )
        try:
            said = answer.json()
        except ValueError:
            said = None
        if not isinstance(said, dict) or "title" not in said:
            asked = f"{answer.request.method} {answer.request.url.path}"
            return Problem(answer.status_code, f"{self.url} answered {answer.status_code} {answer.reason_phrase} to {asked}")
        found = said.get("errors")
        pairs = (
            [(str(one.get("place", "")), str(one.get("detail", ""))) for one in found if isinstance(one, dict)]
            if isinstance(found, list)
            else []
        )
        return Problem(answer.status_code, str(said["title"]), str(said.get("detail") or ""), pairs)


def clean_url(url: str) -> str:
    """The address of a server without the slash at its end; `https://` where it names no scheme. Raises UsageError."""
    url = url.strip()
    if "://" not in url:
        local = url.split(":")[0] in ("localhost", "127.0.0.1", "[")
        url = f"{'http' if local else 'https'}://{url}"
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment or parts.username:
        raise UsageError(f"{url!r} is no address of a server: write it as https://poolmark.example.org.")
    return url.rstrip("/")


def is_loopback(url: str) -> bool:
    """Whether an address is one of this machine itself, by its host alone."""
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def retry_after(answer: httpx.Response) -> float:
    """Seconds of Retry-After, a number or a date; 0 where there is none."""
    said = answer.headers.get("Retry-After", "").strip()
    if said.isdigit():
        return float(said)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(said).timestamp() - time.time())
    except (TypeError, ValueError):
        return 0.0
