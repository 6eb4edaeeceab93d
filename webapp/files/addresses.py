"""Addresses of files inside of archives, for any path; nothing raises.

`archives/ID/raw/PATH` names a file by its path, unless the path would not arrive unchanged: with a line feed (Django's
`path` converter takes none), with `.` or `..` as a segment (browsers and proxies resolve those, percent-encoded or not), or longer
than a request line may be (gunicorn: 4094 bytes). Such a file is named by the digest of its path:
`archives/ID/raw?name=<first 32 hexadecimal digits of SHA-256>`.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from urllib.parse import quote

LINES_PER_PAGE = 1000
"""Lines of a file on one page of the raw view."""
_MAX_LENGTH = 3500
"""Characters of an address with a path, which leaves the rest of the request line to the query and the method."""
_DOTS = {".", ".."}
_PLAIN = "/~:@!$&'()*+,;="  # RFC 3986: pchar and the slash, as django.urls leaves them
RAW, WITHDRAW = "raw", "withdraw/file"


def path_digest(path: str) -> str:
    """The name in an address of a file whose path cannot be in one."""
    return hashlib.sha256(path.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _arrives_unchanged(path: str) -> bool:
    return bool(path) and "\n" not in path and ("." not in path or not _DOTS.intersection(path.split("/")))


@lru_cache(5_000)
def file_address(archive_id: int, path: str, what: str = RAW) -> str:
    """The address of a file in the raw view, or of the form that withdraws it. Cached: a page links to hundreds of lines."""
    base = f"/archives/{archive_id}/{what}"
    if _arrives_unchanged(path):
        address = f"{base}/{quote(path, safe=_PLAIN, errors='replace')}"
        if len(address) <= _MAX_LENGTH:
            return address
    return f"{base}?name={path_digest(path)}"


def line_address(archive_id: int, path: str, line: int | str | None) -> str:
    """The address of a line in the raw view, on its page; that of the file where there is no line."""
    address = file_address(archive_id, path)
    if line in (None, ""):
        return address
    text = str(line)
    if not text.isdecimal() or len(text) > 15:
        return f"{address}#{quote(text, safe=_PLAIN, errors='replace')}"
    start = (int(text) - 1) // LINES_PER_PAGE * LINES_PER_PAGE + 1
    return f"{add_query(address, f'from={start}') if start > 1 else address}#L{line}"


def place_address(archive_id: int, place: str) -> str:
    """The address of a `FILE:LINE`, '' where it is none (`stated`)."""
    path, colon, line = place.rpartition(":")
    return line_address(archive_id, path, line) if colon and path else ""


def add_query(address: str, query: str) -> str:
    """The address with one more pair in its query."""
    return f"{address}{'&' if '?' in address else '?'}{query}"
