"""Errors that end a run, in a few words."""

from __future__ import annotations

from ingest.lazy_regex import lazy

# Linux, errno-base.h and errno.h
_NUMBERS = {
    2: "no such file", 5: "I/O error", 12: "out of memory", 13: "permission denied", 22: "invalid argument",
    27: "file too large", 28: "no space left", 30: "read-only file system", 84: "data differ", 95: "not supported",
    110: "timed out", 122: "quota exceeded",
}  # fmt: skip
# strerror(3) and Windows' FormatMessage, as tools print them
_MESSAGES = {
    "no space left on device": "no space left", "not enough space on the disk": "no space left",
    "input/output error": "I/O error", "disk quota exceeded": "quota exceeded",
    "read-only file system": "read-only file system", "file too large": "file too large",
    "stale file handle": "stale file handle", "transport endpoint is not connected": "not connected",
    "cannot allocate memory": "out of memory",
}  # fmt: skip
_NUMBER = lazy(r"-?(\d{1,9})\Z")


def describe_error(printed: str) -> str:
    """The error of `28`, `err=28` or a message that ends a run; the number where it is not known."""
    if number := _NUMBER.search(printed):
        return _NUMBERS.get(int(number[1]), f"error {number[1]}")
    return find_error(printed) or "an error"


def find_error(line: str) -> str:
    """The error that a line reports of a file or device; empty if it reports none."""
    lower = line.lower()
    return next((words for message, words in _MESSAGES.items() if message in lower), "")
