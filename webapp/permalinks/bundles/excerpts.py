"""Excerpts of source files: each cited line with three lines before and after."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import BinaryIO

from webapp.files import raw_lines
from webapp.files.stores import DamagedBytes, MissingBytes
from webapp.models import Archive

CONTEXT_LINES = 3
MAX_LINE_LENGTH = 2000
"""Characters; a longer line (JSON without line breaks) is reduced to its beginning and the surroundings of the raw texts."""
_MARGIN = 60
_GAP = " [...] "


Cited = Mapping[str, Sequence[str]]
"""Line -> cited raw texts of the line."""


def read_excerpts(
    archive: Archive, cited: Mapping[str, Cited], look: Callable[[str, BinaryIO], object]
) -> dict[str, dict[str, str]]:
    """Path -> line number -> text, of the cited lines and those around. Of cells: the raw texts. `look` as in `raw_lines`.

    Where the archive's bytes are lost there are no lines; who checks the record then says so.
    """
    wanted = {path: _around(lines) for path, lines in cited.items()}
    found: dict[str, dict[int, str]] = {}
    if any(wanted.values()):
        with suppress(MissingBytes, DamagedBytes):
            found = raw_lines.read_selected_lines(archive, {path: some for path, some in wanted.items() if some}, look)
    return {path: _excerpt(lines, found.get(path, {})) for path, lines in cited.items()}


def _around(cited: Iterable[str]) -> set[int]:
    numbers = [int(line) for line in cited if line.isdecimal()]
    return {near for line in numbers for near in range(max(1, line - CONTEXT_LINES), line + CONTEXT_LINES + 1)}


def _excerpt(cited: Cited, lines: Mapping[int, str]) -> dict[str, str]:
    cells = {line: _GAP.join(raws) for line, raws in cited.items() if not line.isdecimal()}
    return cells | {str(at): clip_line(text, cited.get(str(at), ())) for at, text in sorted(lines.items())}


def clip_line(text: str, raws: Iterable[str]) -> str:
    """The line; a line over MAX_LINE_LENGTH is reduced to its beginning and the surroundings of the raw texts."""
    if len(text) <= MAX_LINE_LENGTH:
        return text
    spans = [(0, 2 * _MARGIN)]
    for at, raw in ((text.find(raw), raw) for raw in dict.fromkeys(raws)):
        if at >= 0:
            spans.append((max(0, at - _MARGIN), at + len(raw) + _MARGIN))
    pieces: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if pieces and start <= pieces[-1][1]:
            pieces[-1] = (pieces[-1][0], max(end, pieces[-1][1]))
        else:
            pieces.append((start, end))
    return _GAP.join(text[start:end] for start, end in pieces) + _GAP.rstrip()


def nearest_lines(lines: Mapping[str, str], line: str) -> list[str]:
    """The cited line and those around it, nearest first, the preceding one before the following one."""
    if not line.isdecimal():
        return [lines[line]] if line in lines else []
    steps = [0, *(step for way in range(1, CONTEXT_LINES + 1) for step in (-way, way))]
    return [lines[at] for step in steps if (at := str(int(line) + step)) in lines]
