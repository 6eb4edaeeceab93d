"""Base64 parts of mails in list archives (RFC 2045, 6.8), decoded, with the line of the file for each line."""

from __future__ import annotations

import binascii
import re
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from ingest.lazy_regex import lazy
from ingest.records import Evidence, Measurement, Record, Unmeasured, Warning
from ingest.text import mail
from ingest.text.line_wrap import JoinedLines

# Outputs stored as one JSON, YAML or Python string, their line feeds written `\n`: expanded to lines after the line that
# contains the string.
#
# Ansible's results (`"stdout": "..."`, `| (stdout) ...` of its one-line form), logs of runners, `repr` of a shell: RFC 8259,
# section 7; Python's lexical analysis, string literals. Also pages whose lines end in `<br>` alone, or in whose lines a block
# of output begins or ends; and base64 parts of mails. The expanded lines have no line of the file to themselves: `Origins` has
# the line of the file for each, which every record then refers to.

Origins = Sequence[int]  # index of a line -> the line of the file, 1-based

_KEY = (
    r"(?:stdout|stderr|std_?out\w{0,8}|console|output|out|msg|message|log|logs|results?|text|body|data|content|raw|report"
    r"|response|res)"
)
_DOUBLE, _SINGLE = r'"(?:[^"\\\n]|\\.)*"', r"'(?:[^'\\\n]|\\.)*'"
_STRING_MEMBER = lazy(
    rf"""(?:(?P<quote>["']?)\b{_KEY}(?P=quote)\s*(?::|=>)\s*[bu]?|^\s*(?:Out\[\d+\]:\s*)?[bu]?)(?P<string>{_DOUBLE}|{_SINGLE})(?!\s*(?::|=>))"""
    rf"""|["']\w{{0,20}}_lines["']:\s*\[(?P<list>\s*{_DOUBLE}(?:\s*,\s*{_DOUBLE})+)\s*\]"""
    r"""|\|\s+rc=\d+\s+\|\s+\((?:stdout|stderr)\)\s(?P<rest>.*\\n.*)$""",
    re.IGNORECASE,
)
_QUOTED = lazy(_DOUBLE)
_ESCAPE = lazy(r"\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.)")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "", "f": "", "0": ""}
_PRETTY = lazy(r"_lines[\"']?:? *(?:=> *)?\[[ \t]*$", re.M)  # the same lines follow, one string per line
_STRING_LINE = lazy(r'^[ \t]*"((?:[^"\\\n]|\\.)*)",?[ \t]*$', re.M)
_QUOTED_BREAK = lazy(r"<br ?/?>|</(?:p|div|li)>", re.IGNORECASE)
_LEADING_TAGS = lazy(r"\A\s*(?:<(?:html|body|p|div|[ou]l|li)(?:\s[^<>]{0,200})?>\s*)+", re.IGNORECASE)  # none else may tell a page
_SEVERAL_BREAKS = lazy(r"(?:<br ?/?>[^\n]+){3}", re.IGNORECASE)  # several breaks on one line
_CELL = lazy(r"\s*\||.*<t[dh]\b", re.IGNORECASE)  # in which breaks part nothing
# Where a block of output begins after other text of its line, and where it ends before other text.
_BLOCK_EDGE = lazy(r"(?i)(?=<pre[ >]|<!\[CDATA\[)|(?<=</pre>)|(?<=\]\]>)")
_TAG = lazy(r"<[^<>]*>")
_MIN_LINE_FEEDS = 2  # that distinguish an output from a message


def expand_quoted_strings(body: str) -> tuple[str, Origins | None]:
    """(the text with the lines of such strings after the line that contains them, the origins of its lines); (the text, None) if
    there are none.
    """
    has_breaks = "<" in body and _SEVERAL_BREAKS.search(body) is not None
    has_strings = "\\n" in body or "_lines" in body
    has_edges = "</pre>" in body or "<![CDATA[" in body
    mail_parts = mail.find_base64_parts(body) if "ase64" in body or "ASE64" in body else {}
    if not has_breaks and not has_strings and not has_edges and not mail_parts:
        return body, None
    listed = _listed_strings(body) if has_strings and _PRETTY.search(body) else frozenset()
    expanded: list[str] = []
    origins = array("q")
    skip_to = 0
    for number, line in enumerate(body.split("\n"), 1):
        if number <= skip_to:
            continue
        if number - 1 in mail_parts:
            skip_to, part_lines = mail_parts[number - 1]
            expanded += [row for row, _ in part_lines]
            origins.extend([origin for _, origin in part_lines])
            continue
        pieces = _expand_line(line, listed) if has_strings and ("\\n" in line or "_lines" in line) else []
        pieces = pieces or (
            _QUOTED_BREAK.split(_LEADING_TAGS.sub("", line))
            if has_breaks and _SEVERAL_BREAKS.search(line) and not _CELL.match(line)
            else [line]
        )
        if has_edges and ("pre" in line or "]" in line) and _has_block_edge(line):
            pieces = [
                part_lines for piece in pieces for part_lines in _BLOCK_EDGE.split(piece) if part_lines or part_lines == piece
            ]
        expanded += pieces
        origins.extend([number] * len(pieces))
    return ("\n".join(expanded), origins) if mail_parts or len(expanded) > origins[-1] else (body, None)


def _has_block_edge(line: str) -> bool:
    """Whether a block of output begins after other words of the line, or ends before some."""
    if line.find("<![CDATA[") > 0 or ("]]>" in line and not line.endswith("]]>")):
        return True
    begins, ends = line.find("<pre"), line.rfind("</pre>")
    outside = (line[:begins] if begins > 0 else "") + (line[ends:] if ends >= 0 else "")
    return bool(_TAG.sub("", outside).strip())


def _listed_strings(body: str) -> frozenset[str]:
    """The strings that are alone on a line: an array of the same lines, next to the string."""
    return frozenset(_unescape(match[1]).strip() for match in _STRING_LINE.finditer(body))


def _expand_line(line: str, listed: frozenset[str]) -> list[str]:
    """The line without its strings, followed by the lines of these but for those that are listed; empty if there are no strings."""
    lines: list[str] = []
    remainder, position = "", 0
    for match in _STRING_MEMBER.finditer(line):
        if match["list"]:
            string_lines = [_unescape(text[0][1:-1]) for text in _QUOTED.finditer(match["list"])]
        else:
            string = match["string"][1:-1] if match["string"] else match["rest"]
            string_lines = _unescape(string).split("\n") if string.count("\\n") >= _MIN_LINE_FEEDS else []
        if len(string_lines) > _MIN_LINE_FEEDS:
            remainder, position = remainder + line[position : match.start()], match.end()
            is_listed = listed and all(text.strip() in listed for text in string_lines if text.strip())
            lines += (
                ["", *string_lines, ""] if not is_listed and not set(string_lines) <= set(lines) else [""]
            )  # the same output twice is one
    return [remainder + line[position:], *lines] if lines else []


def _unescape(string: str) -> str:
    return _ESCAPE.sub(_unescape_match, string) if "\\" in string else string


def _unescape_match(match: re.Match[str]) -> str:
    escape = match[1]
    return chr(int(escape[1:], 16)) if len(escape) > 1 else _ESCAPES.get(escape, escape)


def restore_origins(
    records: Iterable[Record], origins: Mapping[str, Origins], joined_lines: Mapping[str, JoinedLines]
) -> Iterator[Record]:
    """The records with line numbers of the file instead of those of its expanded or joined text."""
    for record in records:
        line_origins = origins.get(record.file)
        if isinstance(record, Measurement | Unmeasured):
            record.config_from = {key: _restore_place(reference, origins) for key, reference in record.config_from.items()}
            record.duplicate_of = record.duplicate_of and _restore_place(record.duplicate_of, origins)
        if isinstance(record, Measurement):
            record.cache = record.cache and (record.cache[0], _restore_place(record.cache[1], origins))
        if line_origins and isinstance(record, Measurement | Unmeasured | Evidence | Warning) and isinstance(record.line, int):
            joined = joined_lines.get(record.file)
            first_line = joined.place(record.line, record.raw) if joined and isinstance(record, Measurement | Unmeasured) else None
            record = replace(record, line=first_line or line_origins[min(record.line, len(line_origins)) - 1])
        yield record


def _restore_place(reference: str, origins: Mapping[str, Origins]) -> str:
    path, _, line = reference.rpartition(":")
    line_origins = origins.get(path)
    return (
        f"{path}:{line_origins[min(int(line), len(line_origins)) - 1]}"
        if line_origins and line.isdecimal() and int(line)
        else reference
    )


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
