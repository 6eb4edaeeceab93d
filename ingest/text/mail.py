"""Base64 parts of mails in list archives (RFC 2045, 6.8), decoded, with the line of the file for each line."""

from __future__ import annotations

import binascii
import re
from collections.abc import Sequence

from ingest.lazy_regex import lazy

# Quoted-printable (RFC 2045, 6.7) of mails in list archives, decoded with line numbers unchanged.

# No mailer encodes letters or digits (RFC 2045, 6.7, and 2.4 on gateways): =11 is literal.
_CODE = lazy(r"=(?:09|2[0-9A-F]|3[A-F]|40|5[B-F]|60|7[B-E]|[89A-F][0-9A-F])")
_SIGNS = ("=\n", "=3D", "=20", "=09", "=C3=", "=E2=80=")  # one of them occurs in any match of _SURE, or = at the end
# A soft line break; after a blank only if the line is as long as mailers make it. Rules of equals signs end in two.
_BREAK = r"[^=\s]=$|^.{58,74}[^=\n]=$"
_BREAKS = lazy(_BREAK, re.M)
_SURE = lazy(rf"=(?:3D|20$|09|C3=|E2=80=)|{_BREAK}", re.M)
HEADER = lazy(r"^Content-Transfer-Encoding:[ \t]*quoted-printable[ \t]*$", re.M | re.I)
# A separator of mails or of parts, a header; no sentence that begins with From, and no rule of hyphens.
_PART_ENDS = lazy(r"From \S.{0,80} \d\d:\d\d:\d\d\b|--(?=-*[^-\s])\S{8,70}\s*\Z|(?i:Content-Transfer-Encoding:)")
# Literal equals signs: an operand (count=20), a parameter of Lustre (`osc.fs-OST0000-osc-ffff9552e4e09000.checksums=0`).
_NOT_ENCODED = lazy(r"\b(?:if|of|bs|count)=(?!3D|$)|^[ \t]*(?:osc|mdc|llite|ldlm|obdfilter|osd-\w+)\.[\w.-]+=(?!3D|$)", re.M)


def is_quoted_printable(body: str) -> bool:
    """Whether the whole text is quoted-printable."""
    if "=" not in body or not (body.endswith("=") or any(sign in body for sign in _SIGNS)) or not _SURE.search(body):
        return False
    if _NOT_ENCODED.search(body):
        return False
    return len(_CODE.findall(body)) + len(_BREAKS.findall(body)) > 2 or bool(HEADER.search(body))


def decode_quoted_printable(lines: Sequence[str]) -> list[str]:
    """Decoded lines; a line that continues a soft break is joined to the first one and leaves an empty line."""
    joined: list[str] = [""] * len(lines)
    first_index = 0
    for index, line in enumerate(lines):
        if index == 0 or not _has_soft_break(lines[index - 1]):
            first_index = index
        part = line[:-1] if _has_soft_break(line) else line
        joined[first_index] += part
    return [_decode_codes(line) if "=" in line else line for line in joined]


def decode_mail_parts(lines: Sequence[str]) -> list[str]:
    """Decode only the parts of mails whose headers give that encoding."""
    decoded, start = list(lines), None
    for index in range(len(lines) + 1):
        if start is not None and (index == len(lines) or _PART_ENDS.match(lines[index])):
            decoded[start:index], start = decode_quoted_printable(lines[start:index]), None
        if index < len(lines) and HEADER.match(lines[index]):
            start = index + 1
    return decoded


def _has_soft_break(line: str) -> bool:
    """Whether the line ends in a soft break; an equals sign before that would be written =3D."""
    return line.endswith("=") and not line.endswith("==")


def _decode_codes(line: str) -> str:
    text = _CODE.sub(lambda code: chr(int(code[0][1:], 16)), line)
    try:
        return text.encode("latin-1").decode()
    except UnicodeError:
        return text


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
