"""Bytes to numbered lines: encodings, carriage returns, terminal escapes, NULs."""

from __future__ import annotations

import codecs
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import BinaryIO, TypeVar

from ingest.lazy_regex import lazy
from ingest.records import LOST, Doubt, MissingValue, Value
from ingest.text.commands import find_commands
from ingest.text.lines import LazyLines, LinesWithGaps, Text, split_parts
from ingest.text.log_prefixes import hosts_by_line, unwrap_container_logs
from ingest.text.mail import expand_quoted_strings
from ingest.text.markup import strip_margin
from ingest.text.prefixes import clean_body, clean_lines

# NUL bytes in a text, and endless digits: the content is lost, and a number next to them is incomplete.

_NULS = lazy("\0+")
_DAMAGE_WIDE = lazy(r"\0?(?:[^\0]\0)+[^\0]?|\0*")  # two bytes a character, as a Windows shell appends them; or only NULs
_MAX_BLOCK = 256  # replacement characters per block of NULs; the text after a shorter block keeps its column
_ENDLESS = lazy(r"\d{150,}")  # no number: its square, or its product with a unit, overflows a float, and `int` refuses 4,300
# One digit for each task, 1 on the node of the first one: mdtest and md-workbench (QueryNodeMapping in utilities.c of IOR).
_NODE_MAP = lazy(r"(Nodemap: ?[01]{1,149})[01]*")
_WORD = r"[0-9A-Za-z.]*"
_Item = TypeVar("_Item", Value, MissingValue)


def mark_nul_bytes(text: str) -> str:
    """The text with `LOST` for each NUL, so that the text on both sides is not joined to one number.

    NULs that replace no character are removed: in lines of two bytes a character, alone on their line, and at the
    beginning of the file (a log that was truncated while its writer kept it open).
    """
    return "\n".join([_line(line) if "\0" in line else line for line in text.lstrip("\0").split("\n")])


def mark_endless_digits(text: str, doubts: list[Doubt]) -> str:
    """The text with `LOST` for sequences of 150 digits or more, which no tool prints; a doubt is added for the first of them.

    IOR's map of tasks to nodes, a setting that nothing reads, is cut to 149 digits instead.
    """
    match = _ENDLESS.search(text)
    if match and "Nodemap:" in text:
        text = _NODE_MAP.sub(r"\1", text)
        match = _ENDLESS.search(text)
    if not match:
        return text
    line = text.count("\n", 0, match.start()) + 1
    doubts.append(Doubt(line, "bad-number", f"{len(match[0])} digits in a row are not a number; nothing next to them was recorded"))
    return _ENDLESS.sub(LOST, text)


def _line(line: str) -> str:
    """The line with `LOST` for each NUL that replaces a character."""
    if _DAMAGE_WIDE.fullmatch(line):
        return line.replace("\0", "")
    return _NULS.sub(lambda match: LOST * min(len(match[0]), _MAX_BLOCK), line)


def drop_damaged_values(values: Iterable[_Item], lines: Sequence[str]) -> tuple[list[_Item], list[Doubt]]:
    """(the values whose number does not touch damaged bytes, a doubt for each of the others)."""
    kept: list[_Item] = []
    doubts: list[Doubt] = []
    for value in values:
        line = lines[value.line - 1] if isinstance(value.line, int) else ""
        if LOST in line and not _is_intact(value.raw, line):
            doubts.append(Doubt(value.line, "bad-number", f"damaged bytes in or beside {value.raw[:40]!r}; not recorded"))
        else:
            kept.append(value)
    return kept, doubts


def _is_intact(raw: str, line: str) -> bool:
    """Whether the number occurs somewhere on the line with both its ends."""
    return any(LOST not in match[0] for match in re.finditer(rf"{LOST}?{_WORD}{re.escape(raw)}{_WORD}{LOST}?", line))


# Characters that pages and typesetters substitute for those of a terminal, converted back.

_WIDE = [*range(0x2002, 0x2007), 0x2008, 0x200A, 0x205F, 0x3000]
_GROUPING = "\u2007\u2009\u202f"  # blanks that group digits, and are blanks elsewhere
_NO_WIDTH = [0xAD, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2065), *range(0x2066, 0x206A), 0xFEFF]
_SIGNS: dict[int, str | None] = {
    **dict.fromkeys((0x2010, 0x2011, 0x2012, 0x2212, 0xFE63), "-"),
    **dict.fromkeys(_WIDE, " "),
    **dict.fromkeys(_NO_WIDTH, None),
    **dict(zip(range(0xFB00, 0xFB07), ("ff", "fi", "fl", "ffi", "ffl", "st", "st"), strict=True)),
}
_ANY = lazy(f"[{''.join(map(chr, _SIGNS))}{_GROUPING}]")
_APART = lazy(rf"(?<!\d)[{_GROUPING}]|[{_GROUPING}](?!\d)")
_ENDS = lazy("\r\n?|[\u2028\u2029\u0085]")
_ONE_LINE = lazy(r"\n*+[^\n]*+\n*+\Z")
_FIGURE = lazy(r"[\d.,]+")
_ROW = lazy(r"(?:[^,\n]*,(?! )){6}|(?:[^;\n]*;){6}|(?:[^\t\n]*\t){6}|\s*(?:[\d.]+[ \t]+){6,}[\d.]+\s*\Z")
_OPTION = lazy(r"(?<!\S)\u2013(?=([a-z]{3})?[A-Za-z])")
_DOUBLE = "\u201c\u201d\u201e\u201f"
_SINGLE = lazy("(?<!\\d)[\u2018\u2019]|[\u2018\u2019](?!\\d)")  # between digits it groups thousands
_MIN_LINE_ENDS = 3  # of another kind


def plain_characters(text: str) -> str:
    """The text in characters that programs print; the same object if it has no others."""
    if _ONE_LINE.match(text) and _has_other_line_ends(text):
        text = _ENDS.sub("\n", text)
    if text.isascii():
        return text
    text = _straight_quotes(text)
    if not _ANY.search(text):
        return text
    return _APART.sub(" ", text.translate(_SIGNS))


def _straight_quotes(text: str) -> str:
    """The text with straight quotes if it has curly ones only, and with the hyphens of options that became a dash."""
    if '"' not in text and any(quote in text for quote in _DOUBLE):
        text = text.translate(dict.fromkeys(map(ord, _DOUBLE), '"'))
    if "'" not in text and ("\u2018" in text or "\u2019" in text):
        text = _SINGLE.sub("'", text)
    if "\u2013" in text:
        text = _OPTION.sub(lambda match: "--" if match[1] else "-", text)
    return text


def _has_other_line_ends(text: str) -> bool:
    """Whether its lines end in another character. A program that overwrites its progress line uses them too, but its lines are
    alike, and it does not overwrite rows of many fields.
    """
    nonblank = [line for line in _ENDS.split(text) if line.strip()]
    if len(nonblank) > 1 and sum(map(bool, map(_ROW.match, nonblank))) * 2 > len(nonblank):
        return True
    lines = [_FIGURE.sub("0", line) for line in nonblank]
    return len(lines) > _MIN_LINE_ENDS and max(Counter(lines).values()) * 2 <= len(lines)


# ECMA-48 control sequences, operating system commands (window titles), and two-character escapes.
_ESCAPE = lazy(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[PX^_][^\x1b\n]*(?:\x1b\\)?|[ -/]+[0-~]|[0-~])")
_BACKSPACE = lazy(r"[^\x08\n]\x08")
_NO_BREAK = lazy(r"(?<!\d)\u00a0|\u00a0(?!\d)|(?<=\u00a0)\u00a0")
_CONTROL = bytes([*range(8), 0x0B, *range(0x0E, 0x1B), *range(0x1C, 0x20), 0x7F])
_BINARY_SHARE = 0.05
_PROBE, _BLOCK, _FIRST_BLOCKS = 1 << 16, 1 << 20, 40
_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
LONG = 4 << 20  # characters beyond which a text is not split into a list of lines


def _as_displayed(text: str) -> str:
    """The text as a terminal shows it: without escape sequences, overwritten characters and no-break spaces."""
    if "\x1b" in text:
        text = _ESCAPE.sub("", text)
    if "\r" in text:
        text = _without_overwritten(text)
    if "\u00a0" in text:
        text = _without_no_break_spaces(text)
    while "\x08" in text:
        shorter = _BACKSPACE.sub("", text)
        text = shorter if shorter != text else text.replace("\x08", "")
    return text


def read_text(
    path: str, data: bytes | BinaryIO, gaps: Sequence[tuple[int, int]] = (), cut: bool = False
) -> tuple[Text | None, list[Doubt]]:
    """(the file as text, its doubts); (None, []) if it is binary. Lines are counted by line feeds.

    `data`: the bytes, or a seekable stream of them. `gaps`: (line of the data, lines of the file that it stands for), as from
    `ingest.containers.skip_noise`. `cut`: the last line may be incomplete.
    """
    doubts: list[Doubt] = []
    decoded = _decode(data, doubts) if isinstance(data, bytes) else _decode_stream(data, doubts)
    if decoded is None:
        return None, []
    if cut and not decoded.endswith("\n"):
        decoded += LOST
    if "\0" in decoded:
        line = decoded.count("\n", 0, decoded.index("\0")) + 1
        doubts.append(Doubt(line, "encoding", "There are NUL bytes here; the text that they replaced is lost."))
        decoded = mark_nul_bytes(decoded)
    decoded = unwrap_container_logs(plain_characters(mark_endless_digits(decoded, doubts)))
    origins = None
    if not gaps and len(decoded) <= LONG:
        decoded, origins = expand_quoted_strings(decoded)
        if origins is not None:  # the doubts so far have line numbers of the file
            doubts = _renumbered(doubts, lambda line: bisect_left(origins, line) + 1)
    decoded = strip_margin(_as_displayed(decoded))
    if gaps or len(decoded) > LONG:
        decoded = clean_body(decoded)
        if gaps:
            gapped = LinesWithGaps(decoded, gaps)
            text, doubts = Text(path, gapped, decoded), _renumbered(doubts, gapped.file_line)
        else:
            text = Text(path, LazyLines(decoded), decoded)
    else:
        text = Text(path, decoded.split("\n"), decoded)
        lines = clean_lines(text)
        if lines is not text.lines:
            raw_lines = text.lines
            text = Text(path, lines, "\n".join(lines))
            text.hosts = hosts_by_line(raw_lines, lines)
            text.unstripped = raw_lines
    text.origins = origins
    text.commands = find_commands(text)
    return text, doubts


def _renumbered(doubts: Iterable[Doubt], new_line: Callable[[int], int]) -> list[Doubt]:
    """The doubts with the line that `place` gives for theirs."""
    return [
        Doubt(new_line(doubt.line) if isinstance(doubt.line, int) else doubt.line, doubt.code, doubt.message) for doubt in doubts
    ]


def _without_no_break_spaces(text: str) -> str:
    """The text without the no-break spaces that web pages put between words; a single one between digits groups them and stays,
    unless the text has more no-break spaces than blanks.
    """
    if text.count("\u00a0") > text.count(" "):
        return text.replace("\u00a0", " ")
    return _NO_BREAK.sub(" ", text)


def _decode(data: bytes, doubts: list[Doubt]) -> str | None:
    """By byte order mark, else UTF-16 if every other byte is NUL, else UTF-8, else line by line Windows-1252."""
    for mark, coding in _MARKS:
        if data.startswith(mark):
            return _decode_as(data[len(mark) :], coding, doubts)
    wide = _utf16_without_mark(data)
    if wide:
        return _decode_as(data, wide, doubts)
    if _is_binary(data):
        return None
    return _decode_as(data, "utf-8", doubts)


def _decode_stream(stream: BinaryIO, doubts: list[Doubt]) -> str | None:
    """As `_decode`, for a long file: a UTF-8 file is decoded block by block, without its bytes and text in memory at once."""
    head = stream.read(_PROBE)
    if not (head.startswith(tuple(mark for mark, _ in _MARKS)) or _utf16_without_mark(head) or _is_binary(head)):
        try:
            return _decode_blocks(head, stream)
        except UnicodeDecodeError:
            pass
    stream.seek(0)
    return _decode(stream.read(), doubts)


def _decode_blocks(head: bytes, stream: BinaryIO) -> str:
    decoder = codecs.getincrementaldecoder("utf-8")()
    # Start with more than 32 MiB: glibc grows such a block by moving pages, a smaller one by copying it.
    text = "".join([decoder.decode(head), *(decoder.decode(stream.read(_BLOCK)) for _ in range(_FIRST_BLOCKS))])
    # `for`, not `while`: CPython 3.11 appends to a str in place only in loops that its specialiser considers warm.
    for block in iter(partial(stream.read, _BLOCK), b""):
        text += decoder.decode(block)
    return text + decoder.decode(b"", True)


def _decode_as(data: bytes, coding: str, doubts: list[Doubt]) -> str:
    try:
        return data.decode(coding)
    except UnicodeDecodeError:
        if coding != "utf-8":
            doubts.append(Doubt(1, "encoding", f"Some bytes are not valid {coding.upper()}."))
            return data.decode(coding, "replace")
    return "\n".join(_decode_lines(data.split(b"\n"), doubts))


def _decode_lines(lines: list[bytes], doubts: list[Doubt]) -> list[str]:
    """Each line as UTF-8 if valid, else as Windows-1252, else as Latin-1, in which every byte is a character."""
    decoded, warned = [], False
    for number, line in enumerate(lines, 1):
        try:
            decoded.append(line.decode())
            continue
        except UnicodeDecodeError:
            pass
        if not warned:
            doubts.append(Doubt(number, "encoding", "This line is not UTF-8; it was read as Windows-1252."))
            warned = True
        try:
            decoded.append(line.decode("cp1252"))
        except UnicodeDecodeError:
            decoded.append(line.decode("latin-1"))
    return decoded


def _utf16_without_mark(data: bytes) -> str | None:
    even, odd = data[0:400:2], data[1:400:2]
    if len(odd) < 4:
        return None
    if odd.count(0) * 3 > len(odd) * 2 and even.count(0) * 10 < len(even):
        return "utf-16-le"
    if even.count(0) * 3 > len(even) * 2 and odd.count(0) * 10 < len(odd):
        return "utf-16-be"
    return None


def _is_binary(data: bytes) -> bool:
    """Whether there are many control characters besides NULs (a crash leaves blocks of NULs in a log), or almost only NULs."""
    probe = data[:_PROBE].replace(b"\0", b"")
    if not probe:
        return bool(data)
    odd = len(probe) - len(probe.translate(None, _CONTROL))
    return odd > len(probe) * _BINARY_SHARE


def _without_overwritten(text: str) -> str:
    """The text as a terminal shows it: of a line overwritten after carriage returns, the last part that is not empty."""
    text = text.replace("\r\n", "\n")
    if "\r" not in text:
        return text
    return "\n".join(_visible_lines(part) if "\r" in part else part for part in split_parts(text))


def _visible_lines(text: str) -> str:
    return "\n".join([_visible(line) if "\r" in line else line for line in text.split("\n")])


def _visible(line: str) -> str:
    parts = [part for part in line.split("\r") if part.strip()]
    return parts[-1] if parts else ""
