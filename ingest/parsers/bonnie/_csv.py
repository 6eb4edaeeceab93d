"""CSV lines of bonnie++: 27 fields up to 1.03, 45 of format 2 and 46 of 1.92, 48 from 1.93, 50 since format 1.98.

Fields and their order: bon_csv2txt.1 and BonTimer::PrintHeader (bon_time.cpp) of those versions. Format 2 knows neither
concurrency, seed nor the chunk size of small files, 1.92 neither concurrency nor chunk size; 1.98 added seeks and seekers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import repeat
from typing import NamedTuple

from ingest.lazy_regex import lazy
from ingest.parsers.bonnie._columns import (
    FILE_COLUMNS,
    IO_COLUMNS,
    METRICS,
    RATE_UNIT,
    TOOL,
    BonnieRun,
    parse_count,
    parse_size,
    strip_comment_mark,
)
from ingest.records import NO_PARAMS, Doubt, Value

_NEW = lazy(r"(?<![\w.])(?:1\.9\d\w{0,3},(?:1\.9|2\.)\d{1,2}|2,1\.9\d)\w{0,3},")
_STUB = lazy(r"[\s>|]*1\.9\d\w{0,3},(?:1\.9|2\.)\d{1,2}\w{0,3}(?:,|\s*\Z)")  # its beginning
_GLUED = lazy(r"(?<=[^\s,>|:]):(?=\d{1,9}[MGT],(?:[^,]{0,32},){24}[^,]*\Z)")  # `host:4G,...`: a colon for the first comma
_SIZE = lazy(r"(?:\d{1,12}[kKMGT]?(?::\w{1,12}){0,3})?\Z")
_FIELD = lazy(r"(?:\d{1,15}(?:\.\d{1,6})?|\+{3,}|)\Z")
_SCIENTIFIC = lazy(r"\d\.\d+e[+-]\d")
_FILES = lazy(r"(?:\d{1,9}(?::\d{1,15}[kKmM]?){0,3}(?:/\d{1,9})?)?\Z")
_LATENCY = lazy(r"(?:\d{1,12}[mu]?s|\++|)\Z")
_TAG = lazy(r"<[^<>]{1,60}>")
_ECHO = lazy(r"^(?:.{0,200}[\s;&|(])?echo\s+(?:-\w\s+)?[\"']?(?=[^,]{0,60},)")  # a line given to bon_csv2html, -txt
_GREPPED = lazy(r"[\w./+-]{1,120}\.(?:txt|log|out|err|csv|dat|res):(?:\d{1,7}:)?(?=[^\s,:]{0,60},)")  # the name of its file
_RAISED = lazy(  # a row of 1.03 with the head of 1.9x, added by hand for scripts that read only those
    r"[\s>|]*1\.0\d\w?,(1\.0\d\w?),([^,]{0,60}),\d{0,6},\d{0,12},(\d{1,12}[kKMGT]),,(?=\d)"
)
_CODE = lazy(r"`([^`]{1,80}(?:,[^`,]{0,32}){9,60})(?:`|$)")  # a line of it inside a sentence in Markdown
_CODE_END = lazy(r"(?:\\n)?[\"'][\s,);]*\Z|\\\Z")  # of a string over several lines, and of each of these
_PIPE = lazy(r"[\"']?\s*[|>].{0,300}$")
_EARLY = lazy(r"1\.9[0-2]")
_QUOTED = lazy(r"[>|\s]{1,40}")  # the marks of mail before a line
OLD_FIELDS, FIELDS_2, FIELDS_192, FIELDS, FIELDS_198 = 27, 45, 46, 48, 50
_PLUS = lazy(r"\++")
_DELIMITERS = ";\t"  # what spreadsheets put between fields where the comma is the decimal mark
_COMMA = "\0"  # in place of a decimal comma while fields are split at commas; no decoded text has it
_VERSIONS = lazy(  # side by side at the head of a row
    r"((?<![^\s;\t\">|])1[.,][09]\d(?:[a-z]\w{0,2})?|^\"?2)(\"?[;\t]\"?)([12][.,]\d\d(?:[a-z]\w{0,2})?)(?=\"?[;\t])"
)
_QUOTES = lazy(r'(?<![^\s,>|])"|"(?=\s*(?:,|$))')  # about a cell; one within it leaves what is no number
_FEWEST_DELIMITERS = 26  # semicolons or tabs that only such a row has
LOST = "\ufffd"  # damaged bytes
_FEWEST = 8  # commas of a line that may be a row
_BROKEN = "\u2026"  # in place of a number broken by a line end: it stands on no line, so it is not read
_WRAPPED = 9  # lines over which a mailer may have spread one row, blank ones with them

Field = tuple[str, int]


@dataclass(slots=True)
class CsvRow:
    """A row as text, a twentieth of the memory of its values, which are read by `run`.

    `width`: fields of its format, 0 for 1.03 and before; `doubts`: those that are not about a single value; `shared`: its run,
    where a report shows it too. The others as in `BonnieRun`.
    """

    line: int
    name: str
    width: int
    texts: str  # of the fields, each on a line
    lines: Sequence[int] | None  # of the fields, None if all are on `line`
    version: str | None = None
    last: int = 0
    depends: tuple[int, ...] = ()
    has_host: bool = True
    doubts: list[Doubt] = field(default_factory=list)
    shared: BonnieRun | None = None
    command: str = ""
    command_line: int = 0

    def run(self) -> BonnieRun:
        """The run of the row, which may end early."""
        if self.shared:
            return self.shared
        fields = list(zip(self.texts.split("\n"), self.lines or repeat(self.line), strict=False))
        if self.width:
            run = _new(_filled_up(fields, self.width), self.line, self.width == FIELDS_198)
        else:
            run = _old(fields, self.line)
        run.version = self.version or run.version
        run.last, run.depends, run.has_host = self.last, self.depends, self.has_host
        run.command, run.command_line = self.command, self.command_line
        run.doubts += self.doubts
        return run


def read_rows(lines: Sequence[str]) -> Iterator[CsvRow | Doubt]:
    """Every CSV line of the text as a run, or a warning where a line began as one."""
    end = 0
    for index, line in enumerate(lines):
        if index < end:
            continue
        delimiter = next((sign for sign in _DELIMITERS if line.count(sign) >= _FEWEST_DELIMITERS), None)
        if delimiter:
            line = _VERSIONS.sub(_with_points, line).replace(",", _COMMA).replace(delimiter, ",")
        elif line.count(",") < _FEWEST:
            if end and _STUB.match(line):
                yield Doubt(index + 1, "cut", "the CSV row ends before its first value")
            continue
        for row in _rows_of(_without_surroundings(line)):
            items, end = _read_row(lines, index, row.text, row.is_new)
            for item in items:
                if row.version and isinstance(item, CsvRow):
                    item.version = row.version
            yield from items


class _Row(NamedTuple):
    """The text of a row; whether its format is newer than 1.03; a version that stands outside of it."""

    text: str
    is_new: bool
    version: str | None = None


def _without_surroundings(line: str) -> str:
    """A row without quotation marks, file name of grep, or the `echo` that passes it to bon_csv2html."""
    if '","' in line:
        line = _QUOTES.sub("", line)  # as a spreadsheet saves it
    if ":" in line and (prefix := _GREPPED.match(line)):
        line = line[prefix.end() :]
    if "echo" in line and (echo := _ECHO.match(line)):
        line = _PIPE.sub("", line[echo.end() :]).strip("\"'")
    return _GLUED.sub(",", line, count=1) if line.count(",") == OLD_FIELDS - 2 else line


def _rows_of(line: str) -> Iterator[_Row]:
    """The rows on a line: of 1.9x and later where their versions stand, else one of 1.03."""
    starts = [match.start() for match in _NEW.finditer(line)]
    raised = None if starts else _RAISED.match(line)
    if raised and _looks_old(text := f"{raised[2]},{raised[3]},{line[raised.end() :]}"):
        yield _Row(text, False, raised[1])
    elif starts:
        for start, end in zip(starts, [*starts[1:], None], strict=False):
            yield _Row(line[start:end], True)
    elif _looks_old(line):
        yield _Row(line, False)


def _with_points(versions: re.Match[str]) -> str:
    """The two versions at the head of a row, with the points for which the spreadsheet put commas."""
    return versions[1].replace(",", ".") + versions[2] + versions[3].replace(",", ".")


def _looks_old(line: str) -> bool:
    fields = [f.strip() for f in _clean(line).split(",")]
    odd = len(fields) == OLD_FIELDS  # figures that a row of full width may have damaged
    if len(fields) < 9 or not _SIZE.match(fields[1]) or sum(not _FIELD.match(f) and LOST not in f for f in fields[2:8]) > odd:
        return False
    filled = [field for field in fields[2:13] if field]
    if any(map(_SCIENTIFIC.match, filled)):
        return False  # rows of mdtest's ranks
    return (
        bool(filled or fields[13:14] != [""])
        and (bool(re.search("[KMGT]", fields[1])) or not fields[1])
        and (len(fields) >= 14 or bool(re.search(r"\d", fields[3])))
    )


def _read_row(lines: Sequence[str], at: int, text: str, new: bool) -> tuple[list[CsvRow | Doubt], int]:
    """The run of one row and the index of the first line after it."""
    fields = _with_all_blanks(_split(text, at + 1)) if new else _split(text, at + 1)
    wanted = _width(fields) if new else OLD_FIELDS
    end = at + 1
    if len(fields) != wanted and (lost := next((n for n, (cell, _) in enumerate(fields) if LOST in cell), 0)) > 1:
        return [_torn(fields[:lost], at + 1, wanted if new else 0)], end
    if len(fields) < wanted:
        joined, end = _join(lines, at, text, wanted)
        fields = joined or fields
    if len(fields) > wanted:
        return [
            Doubt(
                at + 1,
                "long-row",
                f"{len(fields)} fields where bonnie++ {fields[1][0] if new else '1.03'} has {wanted}; "
                "it is unclear which one is extra, so nothing was recorded",
            )
        ], end
    short = len(fields) < wanted
    if short and lines[at + 1 : at + 2] and lines[at + 1].startswith(LOST):
        return [_torn(fields[:-1], at + 1, wanted if new else 0)], end
    if short and any(lines[below].strip() for below in range(at + 1, len(lines))):
        return [Doubt(at + 1, "short-row", f"{len(fields)} fields where {wanted} are expected; nothing was recorded")], end
    if short:
        fields = fields[:-1]
    row = _row(fields, at + 1, wanted if new else 0, end)
    if short:
        row.depends = (end + 1,)  # the text ends there, which shows that the row was cut
        row.doubts.append(
            Doubt(at + 1, "cut", f"the row ends after {len(fields) + 1} of {wanted} fields; the complete ones were recorded")
        )
    return [row], end


def _row(fields: list[Field], line: int, width: int, last: int) -> CsvRow:
    """The row of these fields, which may be too few."""
    texts, lines = zip(*fields, strict=True)
    if width:
        name = texts[2] if len(texts) > 2 else ""
    else:
        name = strip_comment_mark(texts[0])
    return CsvRow(line, name, width, "\n".join(texts), lines if lines[-1] != line else None, last=last)


def _torn(fields: list[Field], line: int, width: int) -> CsvRow:
    """A row with damage inside: how many fields that took is unknown, so only those before it are read."""
    row = _row(fields, line, width, line)
    row.doubts.append(Doubt(line, "bad-number", f"damaged bytes after {len(fields)} fields; those before the damage were recorded"))
    return row


def _with_all_blanks(fields: list[Field]) -> list[Field]:
    """A row of 1.9x without its first part (-s 0): bonnie++ prints a comma too few there (bon_time.cpp, DoReport)."""
    seed, count_at = 5, 18
    if len(fields) == FIELDS - 1 and fields[count_at][0] and not any(text for text, _ in fields[seed:count_at]):
        return [*fields[:count_at], ("", fields[count_at][1]), *fields[count_at:]]
    return fields


def _filled_up(fields: list[Field], width: int) -> list[Field]:
    """A row before 1.93 with empty fields for those added later: concurrency, seed, chunk sizes."""
    empty = ("", fields[0][1])
    if width == FIELDS_192:
        return [*fields[:3], empty, *fields[3:5], empty, *fields[5:]]
    if width != FIELDS_2:
        return fields
    row = [*fields[:3], empty, empty, *fields[3:]]
    return [*row[:23], empty, *row[23:]] if len(row) > 23 else row


def _width(fields: list[Field]) -> int:
    """The number of fields of a row of 1.9x or 2.00: that of its format, unless only the other one fits its latencies.

    Some scripts write such rows themselves with the newer format but without its two fields.
    """
    if len(fields[0][0]) == 1:
        return FIELDS_2
    if _EARLY.match(fields[0][0]) and len(fields) > 4 and len(fields[3][0]) > 5 and re.match(r"\d+[kKMGT]|\Z", fields[4][0]):
        return FIELDS_192  # the seed, a time, stands where later formats have the concurrency
    expected, other = (FIELDS_198, FIELDS) if fields[0][0] >= "1.98" else (FIELDS, FIELDS_198)
    return other if len(fields) == other and _fits([text for text, _ in fields]) else expected


def _fits(texts: list[str]) -> bool:
    """Whether the last twelve fields are latencies, one for each rate that stands where this width has it."""
    latencies, rates = texts[-12:], texts[-41:-29:2] + texts[-24:-12:2]
    return any(latencies) and all(
        bool(rate) == bool(latency) and bool(_LATENCY.match(latency)) for rate, latency in zip(rates, latencies, strict=True)
    )


def _join(lines: Sequence[str], at: int, text: str, wanted: int) -> tuple[list[Field] | None, int]:
    """The fields of a row that a mailer spread over several lines, or None."""
    fields, tail = _split(text, at + 1), _CODE_END.sub("", text)
    for more in range(1, _WRAPPED):
        if at + more >= len(lines):
            break
        piece = _CODE_END.sub("", lines[at + more].strip("> |\t"))
        if not piece and more == 1 and tail.rstrip().endswith((",", "+")):
            continue
        if not piece or not re.fullmatch(r"[\d+.,a-z=]{1,120}", piece.rstrip("=").strip() or " "):
            break
        first, *rest = _split(piece, at + more + 1)
        broken = tail.rstrip().endswith(("=", "+")) or piece.startswith(("+", ",")) or tail.rstrip().endswith(",")
        head = fields[-1][0].rstrip("=")
        torn = head and first[0] and not _PLUS.fullmatch(head + first[0])
        glued = _BROKEN if torn else head + first[0]
        fields = [*fields[:-1], (glued, at + more + 1 if first[0] == glued else fields[-1][1]), *rest]
        tail = piece
        if len(fields) == wanted and (broken or all(_FIELD.match(f) or f[-1:] in "s" + _BROKEN for f, _ in fields[-3:])):
            return fields, at + more + 1
    return None, at + 1


def _split(text: str, line: int) -> list[Field]:
    clean = _clean(text)
    parts = [part.strip() for part in clean.split(",")]
    return [(part.replace(_COMMA, ",") if clean in text or part in text else _BROKEN, line) for part in parts]


def _clean(text: str) -> str:
    plain = _TAG.sub("", text).strip().removesuffix("\\").strip('"`')
    if plain[:1] in (">", "|") and (quoted := _QUOTED.match(plain)):
        plain = plain[quoted.end() :]
    if "`" in plain and (quoted := _CODE.search(plain)):
        plain = quoted[1]
    return plain


def _new(fields: list[Field], line: int, with_seeks: bool) -> BonnieRun:
    """A row of 1.9x or 2.00; `fields` may end early. `with_seeks`: it has the two fields that 1.98 added."""
    texts = [f for f, _ in fields]
    machine = texts[2] if len(texts) > 2 else ""
    run = BonnieRun(line, machine, texts[1] if len(texts) > 1 else "", True)
    run.set("machine", machine or None)
    run.set("threads", parse_count(texts[3]) if len(texts) > 3 else None)
    run.set("seed", texts[4] or None if len(texts) > 4 else None)
    run.sizes(texts[5] if len(texts) > 5 else "")
    run.set("chunk_size", parse_size(texts[6]) if len(texts) > 6 else None)
    at = 7
    if with_seeks:
        run.set("seeks", parse_count(texts[7]) if len(texts) > 7 else None)
        run.set("seekers", parse_count(texts[8]) if len(texts) > 8 else None)
        at = 9
    if not re.match(r"1\.9[2-8]|2\Z", texts[0]):
        run.doubts.append(Doubt(line, "unknown-version", f"unknown CSV format {texts[0]}; read as the closest known one"))
    _pairs(run, fields[at : at + 12], IO_COLUMNS, 1024)
    at += 12
    if len(texts) > at:
        run.file_counts(texts[at])
    for key, text in zip(("file_size_max", "file_size_min", "dirs", "file_chunk_size"), texts[at + 1 : at + 5], strict=False):
        run.file_shape(key, text)
    _pairs(run, fields[at + 5 : at + 17], FILE_COLUMNS, 1)
    for column, (raw, place) in zip(IO_COLUMNS + FILE_COLUMNS, fields[at + 17 :], strict=False):
        run.latency(place, column, raw)
    return run


def _old(fields: list[Field], line: int) -> BonnieRun:
    """A row of 1.03 and before: no version in it."""
    texts = [f for f, _ in fields]
    machine = strip_comment_mark(texts[0])
    run = BonnieRun(line, machine, None, True)
    run.set("machine", machine or None)
    run.sizes(texts[1])
    _pairs(run, fields[2:14], IO_COLUMNS, 1024)
    if len(texts) > 14 and _FILES.match(texts[14]):
        run.file_counts(texts[14])
    _pairs(run, fields[15:27], FILE_COLUMNS, 1)
    return run


def _pairs(run: BonnieRun, fields: list[Field], columns: tuple[tuple[str, str, str, bool], ...], per_second: int) -> None:
    """Add rates, each with the %CP after it. Integers, the usual case, skip the checks of other texts."""
    take, params, begun = run.cells.append, run.params, run.line
    for column, at, (rate, base, unit, factor, cpu) in zip(
        columns, range(0, len(fields), 2), _units(columns, per_second), strict=False
    ):
        raw, line = fields[at]
        if raw.isdecimal() and raw.isascii() and len(raw) < 16:
            take(
                Value(
                    line,
                    TOOL,
                    rate,
                    column[1],
                    float(raw) * factor,
                    base,
                    raw=raw,
                    raw_unit=unit,
                    run=begun,
                    params=params,
                    printed_config=NO_PARAMS,
                )
            )
        else:
            run.rate(line, column, raw, per_second)
        if at + 1 >= len(fields):
            continue
        raw, line = fields[at + 1]
        if raw.isdecimal() and raw.isascii() and len(raw) < 8:
            take(
                Value(
                    line,
                    TOOL,
                    cpu,
                    column[1] + "_cpu",
                    float(raw),
                    "%",
                    raw=raw,
                    raw_unit="%",
                    run=begun,
                    params=params,
                    printed_config=NO_PARAMS,
                )
            )
        else:
            run.cpu(line, column, raw)


@lru_cache(10)
def _units(columns: tuple[tuple[str, str, str, bool], ...], per_second: int) -> list[tuple[str, str, str, int, str]]:
    """For each column metric, base unit, raw unit and factor of its rate, and the metric of its %CP."""
    return [
        (METRICS[column[0]][0], "B/s", RATE_UNIT.get(per_second, "/sec"), per_second, METRICS[column[0]][2])
        if column[3]
        else (METRICS[column[0]][1], "1/s", "/sec", 1, METRICS[column[0]][2])
        for column in columns
    ]
