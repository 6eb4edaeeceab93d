"""Parts of mails as archives of lists keep them: base64 (RFC 2045, 6.8) with the line of the file that holds each line."""

from __future__ import annotations

import binascii
import re

from ingest.lazy_regex import lazy

_TOLD = lazy(r"^Content-Transfer-Encoding:[ \t]*base64[ \t]*\r?$", re.M | re.I)
_LINE = lazy(r"[A-Za-z0-9+/]{2,76}={0,2}\r?\Z")
_HEADERS = 40  # lines of a part's headers behind the one that tells the encoding
_CONTROLS = bytes({*range(32)} - {*b"\t\n\r"})
_ODD = 0.05  # share of control characters beyond which a part is a picture or an archive

Lines = list[tuple[str, int]]  # a line of the text, and that of the file (1-based)


def find_base64_parts(body: str) -> dict[int, tuple[int, Lines]]:
    """Index of the first line of each part in base64 that is text -> index of the line after it, and its lines."""
    found: dict[int, tuple[int, Lines]] = {}
    headers = list(_TOLD.finditer(body))
    lines, told, before = body.split("\n") if headers else [], 0, 0
    for header in headers:
        told, before = told + body.count("\n", before, header.start()), header.start()
        start = next((at + 1 for at in range(told, min(told + _HEADERS, len(lines))) if not lines[at].strip()), len(lines))
        end = start
        while end < len(lines) and _LINE.match(lines[end]):
            end += 1
        if end > start and (text := _text(lines[start:end], start + 1)):
            found[start] = end, text
    return found


def _text(lines: list[str], first: int) -> Lines:
    """What the lines hold, nothing where it is no text; `first`: the number of the first of them."""
    try:
        data = binascii.a2b_base64("".join(lines))
    except binascii.Error:
        return []
    if len(data) - len(data.translate(None, _CONTROLS)) > len(data) * _ODD:
        return []
    try:
        data.decode()
        signs = "utf-8"
    except UnicodeDecodeError:
        signs = "latin-1"
    width, at, out = len(lines[0].rstrip()) * 3 // 4, 0, Lines()
    for line in data.split(b"\n"):
        out.append((line.decode(signs), first + min(at // width, len(lines) - 1)))
        at += len(line) + 1
    return out
