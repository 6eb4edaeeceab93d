"""Logs as lines of text or JSON, each with the request and archive that it belongs to, none with a token; requests are counted.

`POOLMARK_LOG=json` has a program read them; the default is for people.
"""

from __future__ import annotations

import logging
import re
import secrets
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from pythonjsonlogger.json import JsonFormatter

from webapp.monitoring import metrics

REQUEST: ContextVar[str] = ContextVar("request", default="")
ARCHIVE: ContextVar[int | None] = ContextVar("archive", default=None)
PLAIN = "%(asctime)s %(levelname)s %(name)s: %(message)s"
# Tokens of the API, sign-in links, and what signs a request in or leads back into a form.
_SECRETS = re.compile(
    r"(\bpoolmark_)[\w-]{43,}|(/sign-in/)[^\s/?\"']+"
    r"|((?:[?&;]|\b)(?:token|csrfmiddlewaretoken|sessionid|password|key)=)[^\s&;\"']+",
    re.IGNORECASE,
)


def mask_secrets(text: str) -> str:
    """The text without tokens: `poolmark_***`, `/sign-in/***`, `token=***`."""
    return _SECRETS.sub(lambda match: f"{match[match.lastindex or 0]}***", text)


@contextmanager
def about_archive(pk: int) -> Iterator[None]:
    """Lines that are logged within belong to that archive."""
    token = ARCHIVE.set(pk)
    try:
        yield
    finally:
        ARCHIVE.reset(token)


class Context(logging.Filter):
    """Adds `request` and `archive` to a line that belongs to one, and masks what must not be in a log."""

    def filter(self, record: logging.LogRecord) -> bool:
        if REQUEST.get():
            record.request = REQUEST.get()
        if ARCHIVE.get() is not None:
            record.archive = ARCHIVE.get()
        message = record.getMessage()
        masked = mask_secrets(message)
        if masked != message:
            record.msg, record.args = masked, ()
        return True


class PlainFormatter(logging.Formatter):
    """Lines for people: what the line belongs to stands behind the message."""

    def __init__(self) -> None:
        super().__init__(PLAIN)

    def format(self, record: logging.LogRecord) -> str:
        about = [f"{name} {getattr(record, name)}" for name in ("request", "archive") if hasattr(record, name)]
        text = super().format(record)
        return mask_secrets(f"{text} ({', '.join(about)})" if about else text)


class LineFormatter(JsonFormatter):
    """One JSON object a line: time, level, logger, message, what it belongs to and what the caller added."""

    def __init__(self) -> None:
        super().__init__(
            "%(asctime)s %(levelname)s %(name)s %(message)s",
            rename_fields={"asctime": "time", "levelname": "level", "name": "logger"},
            datefmt="%Y-%m-%dT%H:%M:%S%z",
        )

    def format(self, record: logging.LogRecord) -> str:
        return mask_secrets(super().format(record))


# A WSGI application around the site's own: it names each request, counts it, and logs it once it is answered.

log = logging.getLogger("poolmark.request")
Environ = dict[str, Any]
Application = Callable[[Environ, Callable], Iterable[bytes]]
PARTS = frozenset(
    ("api", "archives", "c", "collections", "compare", "configurations", "data", "healthz", "honesty", "log", "metrics", "models")
    + (
        "oembed",
        "p",
        "permalinks",
        "normal",
        "hardware",
        "rankings",
        "readyz",
        "runs",
        "series",
        "settings",
        "sign-in",
        "sign-out",
        "staff",
        "static",
        "status",
        "studies",
        "systems",
    )
    + ("poolmark-capture", "upload", "verify", "versus")
)
"""First parts of addresses that are counted apart; all others together."""
_NAME = re.compile(r"[A-Za-z0-9._-]{8,64}")
_METHODS = frozenset(("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"))
_QUIET = frozenset(("healthz", "readyz", "metrics", "static"))
"""Parts that are asked for all the time: logged at DEBUG where they succeed."""


def part_of(path: str) -> str:
    """The label of an address: `compare` for `/compare.json`, `home` for `/`, `other` for what the site has not."""
    first = path.lstrip("/").split("/", 1)[0].split(".", 1)[0]
    return first if first in PARTS else "other" if first else "home"


def with_request_log(application: Application) -> Application:
    """The application whose answers carry `X-Request-ID`: that of the proxy in front, or a new one."""

    def answer(environ: Environ, start_response: Callable) -> Iterable[bytes]:
        given = environ.get("HTTP_X_REQUEST_ID", "")
        name = given if _NAME.fullmatch(given) else secrets.token_hex(8)
        return _Answer(application, environ, start_response, name)

    return answer


class _Answer:
    """The body of one answer, whose end is the end of the request."""

    def __init__(self, application: Application, environ: Environ, start_response: Callable, name: str) -> None:
        self.environ, self.name, self.status, self.size, self.started = environ, name, "500", 0, time.monotonic()
        token = REQUEST.set(name)
        try:
            self.body = application(environ, self._with_name(start_response))
        except BaseException:
            self._end()
            raise
        finally:
            REQUEST.reset(token)

    def _with_name(self, start_response: Callable) -> Callable:
        def start(status: str, headers: list[tuple[str, str]], *more: Any) -> Any:
            self.status = status[:3]
            return start_response(status, [*headers, ("X-Request-ID", self.name)], *more)

        return start

    def __iter__(self) -> Iterator[bytes]:
        for part in self.body:
            self.size += len(part)
            yield part

    def close(self) -> None:
        try:
            if hasattr(self.body, "close"):
                self.body.close()
        finally:
            self._end()

    def _end(self) -> None:
        seconds, path = time.monotonic() - self.started, self.environ.get("PATH_INFO", "")
        part, method = part_of(path), self.environ.get("REQUEST_METHOD", "")
        method = method if method in _METHODS else "other"
        metrics.REQUESTS.labels(part, method, self.status).inc()
        metrics.SECONDS.labels(part).observe(seconds)
        level = logging.DEBUG if part in _QUIET and self.status < "400" else logging.INFO
        if log.isEnabledFor(level):
            query = self.environ.get("QUERY_STRING", "")
            address = f"{path}?{query}" if query else path
            token = REQUEST.set(self.name)
            log.log(
                level, "%s %s %s", self.status, method, address[:2000], extra={"ms": round(1000 * seconds, 1), "bytes": self.size}
            )
            REQUEST.reset(token)
