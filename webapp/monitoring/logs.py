"""Logs as lines of text or JSON, each with the request and archive that it belongs to, none with a token.

`POOLMARK_LOG=json` has a program read them; the default is for people.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from pythonjsonlogger.json import JsonFormatter

REQUEST: ContextVar[str] = ContextVar("request", default="")
ARCHIVE: ContextVar[int | None] = ContextVar("archive", default=None)
PLAIN = "%(asctime)s %(levelname)s %(name)s: %(message)s"
# Sign-in links, and what signs a request in or leads back into a form.
_SECRETS = re.compile(
    r"(/sign-in/)[^\s/?\"']+|((?:[?&;]|\b)(?:token|csrfmiddlewaretoken|sessionid|password|key)=)[^\s&;\"']+", re.IGNORECASE
)


def mask_secrets(text: str) -> str:
    """The text without tokens: `/sign-in/***`, `token=***`."""
    return _SECRETS.sub(lambda match: f"{match[1] or match[2]}***", text)


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
