"""Bytes -> clean numbered lines: encodings, carriage returns, terminal escapes, NULs."""

from __future__ import annotations

import codecs
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import BinaryIO

from ingest.lazy_regex import lazy
from ingest.records import LOST, Doubt
from ingest.text import damage
from ingest.text.commands import find_commands
from ingest.text.container_logs import unwrap_container_logs
from ingest.text.host_prefixes import hosts_by_line
from ingest.text.lines import LazyLines, LinesWithGaps, Text, split_parts
from ingest.text.margins import strip_margin
from ingest.text.prefixes import clean_body, clean_lines
from ingest.text.quoted_strings import expand_quoted_strings
from ingest.text.typography import plain_characters

# ECMA-48 control sequences, operating system commands (window titles), and two-character escapes.
_ESCAPE = lazy(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[PX^_][^\x1b\n]*(?:\x1b\\)?|[ -/]+[0-~]|[0-~])")
_BACKSPACE = lazy(r"[^\x08\n]\x08")
_NO_BREAK = lazy(r"(?<!\d)\u00a0|\u00a0(?!\d)|(?<=\u00a0)\u00a0")
_CONTROL = bytes([*range(8), 0x0B, *range(0x0E, 0x1B), *range(0x1C, 0x20), 0x7F])
_BINARY_SHARE = 0.05
_PROBE, _BLOCK, _FIRST = 1 << 16, 1 << 20, 40
_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
LONG = 4 << 20  # characters beyond which the lines of a text are not all held at once


def _as_displayed(text: str) -> str:
    """The text as a terminal shows it: without escape sequences, overwritten characters and no-break spaces."""
    if "\x1b" in text:
        text = _ESCAPE.sub("", text)
    if "\r" in text:
        text = _overwritten(text)
    if "\u00a0" in text:
        text = _blanks(text)
    while "\x08" in text:
        shorter = _BACKSPACE.sub("", text)
        text = shorter if shorter != text else text.replace("\x08", "")
    return text


def read_text(
    path: str, data: bytes | BinaryIO, gaps: Sequence[tuple[int, int]] = (), cut: bool = False
) -> tuple[Text | None, list[Doubt]]:
    """The file as text with its doubts; None where it is no text. Lines are counted by line feeds.

    `data`: the bytes, or a stream of them that can be read again. `gaps`: which lines of the data stand for several of the
    file, as `ingest.containers.skip_noise` gives them. `cut`: the last line may be the beginning of a line.
    """
    doubts: list[Doubt] = []
    decoded = _decode(data, doubts) if isinstance(data, bytes) else _decode_stream(data, doubts)
    if decoded is None:
        return None, []
    if cut and not decoded.endswith("\n"):
        decoded += LOST
    if "\0" in decoded:
        line = decoded.count("\n", 0, decoded.index("\0")) + 1
        doubts.append(Doubt(line, "encoding", "NUL bytes stand here; what they took the place of is lost."))
        decoded = damage.mark_nul_bytes(decoded)
    decoded = unwrap_container_logs(plain_characters(damage.mark_endless_digits(decoded, doubts)))
    origins = None
    if not gaps and len(decoded) <= LONG:
        decoded, origins = expand_quoted_strings(decoded)
        if origins is not None:  # the doubts so far tell lines of the file
            doubts = _moved(doubts, lambda line: bisect_left(origins, line) + 1)
    decoded = strip_margin(_as_displayed(decoded))
    if gaps or len(decoded) > LONG:
        decoded = clean_body(decoded)
        if gaps:
            gapped = LinesWithGaps(decoded, gaps)
            text, doubts = Text(path, gapped, decoded), _moved(doubts, gapped.of_file)
        else:
            text = Text(path, LazyLines(decoded), decoded)
    else:
        text = Text(path, decoded.split("\n"), decoded)
        lines = clean_lines(text)
        if lines is not text.lines:
            before = text.lines
            text = Text(path, lines, "\n".join(lines))
            text.hosts = hosts_by_line(before, lines)
    text.origins = origins
    text.commands = find_commands(text)
    return text, doubts


def _moved(doubts: Iterable[Doubt], place: Callable[[int], int]) -> list[Doubt]:
    """The doubts with the line that `place` gives for theirs."""
    return [Doubt(place(one.line) if isinstance(one.line, int) else one.line, one.code, one.message) for one in doubts]


def _blanks(text: str) -> str:
    """Without the no-break blanks that pages put between words; one that stands alone between digits groups them, unless
    the text has hardly any other blank."""
    if text.count("\u00a0") > text.count(" "):
        return text.replace("\u00a0", " ")
    return _NO_BREAK.sub(" ", text)


def _decode(data: bytes, doubts: list[Doubt]) -> str | None:
    """By byte order mark, else UTF-16 where every other byte is NUL, else UTF-8, else line by line Windows-1252."""
    for mark, coding in _MARKS:
        if data.startswith(mark):
            return _with(data[len(mark) :], coding, doubts)
    wide = _utf16_without_mark(data)
    if wide:
        return _with(data, wide, doubts)
    if _is_binary(data):
        return None
    return _with(data, "utf-8", doubts)


def _decode_stream(stream: BinaryIO, doubts: list[Doubt]) -> str | None:
    """The same of a long file, whose bytes and text are not held at the same time where it is UTF-8."""
    head = stream.read(_PROBE)
    if not (head.startswith(tuple(mark for mark, _ in _MARKS)) or _utf16_without_mark(head) or _is_binary(head)):
        try:
            return _grown(head, stream)
        except UnicodeDecodeError:
            pass
    stream.seek(0)
    return _decode(stream.read(), doubts)


def _grown(head: bytes, stream: BinaryIO) -> str:
    decoder = codecs.getincrementaldecoder("utf-8")()
    # Of a text that is made with more than 32 MiB glibc moves pages where it grows; a shorter one it would copy at some time.
    text = "".join([decoder.decode(head), *(decoder.decode(stream.read(_BLOCK)) for _ in range(_FIRST))])
    # By `for`, since CPython lets a text grow where it stands in loops that it found to be warm, which `while` never is (3.11).
    for block in iter(partial(stream.read, _BLOCK), b""):
        text += decoder.decode(block)
    return text + decoder.decode(b"", True)


def _with(data: bytes, coding: str, doubts: list[Doubt]) -> str:
    try:
        return data.decode(coding)
    except UnicodeDecodeError:
        if coding != "utf-8":
            doubts.append(Doubt(1, "encoding", f"Some bytes are not valid {coding.upper()}."))
            return data.decode(coding, "replace")
    return "\n".join(_eight_bit(data.split(b"\n"), doubts))


def _eight_bit(lines: list[bytes], doubts: list[Doubt]) -> list[str]:
    """Each line as UTF-8 where it is, else as Windows-1252, else as Latin-1, in which every byte is a character."""
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
    """Many control characters, NULs aside (a crash leaves blocks of them in a log), or hardly anything but NULs."""
    probe = data[:_PROBE].replace(b"\0", b"")
    if not probe:
        return bool(data)
    odd = len(probe) - len(probe.translate(None, _CONTROL))
    return odd > len(probe) * _BINARY_SHARE


def _overwritten(text: str) -> str:
    """What a terminal shows in the end: of a line written over, the last part that is not empty."""
    text = text.replace("\r\n", "\n")
    if "\r" not in text:
        return text
    return "\n".join(_shown(part) if "\r" in part else part for part in split_parts(text))


def _shown(text: str) -> str:
    return "\n".join([_visible(line) if "\r" in line else line for line in text.split("\n")])


def _visible(line: str) -> str:
    parts = [part for part in line.split("\r") if part.strip()]
    return parts[-1] if parts else ""
