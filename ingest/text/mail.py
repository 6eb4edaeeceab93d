"""Base64 parts of mails in list archives (RFC 2045, 6.8), decoded, with the line of the file for each line."""

from __future__ import annotations

import binascii
import re

from ingest.lazy_regex import lazy

_ENCODING_HEADER = lazy(r"^Content-Transfer-Encoding:[ \t]*base64[ \t]*\r?$", re.M | re.I)
_LINE = lazy(r"[A-Za-z0-9+/]{2,76}={0,2}\r?\Z")
_MAX_HEADERS = 40  # lines of a part's headers after that of the encoding
_CONTROLS = bytes({*range(32)} - {*b"\t\n\r"})
_BINARY_SHARE = 0.05  # of control characters, beyond which a part is a picture or an archive

Lines = list[tuple[str, int]]  # (line of the text, 1-based line number in the file)


def find_base64_parts(body: str) -> dict[int, tuple[int, Lines]]:
    """Index of the first line of each base64 part that is text -> (index after its last line, its decoded lines)."""
    parts: dict[int, tuple[int, Lines]] = {}
    headers = list(_ENCODING_HEADER.finditer(body))
    lines, header_line, previous_start = body.split("\n") if headers else [], 0, 0
    for header in headers:
        header_line, previous_start = header_line + body.count("\n", previous_start, header.start()), header.start()
        start = next(
            (index + 1 for index in range(header_line, min(header_line + _MAX_HEADERS, len(lines))) if not lines[index].strip()),
            len(lines),
        )
        end = start
        while end < len(lines) and _LINE.match(lines[end]):
            end += 1
        if end > start and (text := _decode_lines(lines[start:end], start + 1)):
            parts[start] = end, text
    return parts


def _decode_lines(lines: list[str], first: int) -> Lines:
    """The decoded lines, none if the content is binary; `first`: the number of the first encoded line."""
    try:
        data = binascii.a2b_base64("".join(lines))
    except binascii.Error:
        return []
    if len(data) - len(data.translate(None, _CONTROLS)) > len(data) * _BINARY_SHARE:
        return []
    try:
        data.decode()
        encoding = "utf-8"
    except UnicodeDecodeError:
        encoding = "latin-1"
    bytes_per_line, offset, decoded = len(lines[0].rstrip()) * 3 // 4, 0, Lines()
    for line in data.split(b"\n"):
        decoded.append((line.decode(encoding), first + min(offset // bytes_per_line, len(lines) - 1)))
        offset += len(line) + 1
    return decoded
