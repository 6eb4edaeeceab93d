"""A table of one's own: measurements written by hand as CSV, columns named like the fields of a record.

The form is defined in docs/results-table.md. A line of titles that holds `metric` and `value`, and nothing but known
fields, opens a table; each line after it is one measurement. What follows an empty line and is none ends it; so do lines
in a row that have nothing of it.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from sys import intern
from typing import Any

from ingest import numbers, units
from ingest.catalogue import METRICS
from ingest.keys import COUNT, KEYS, PARAMS, SIZE, WORD
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Parser, Shape
from ingest.records import Doubt, Value
from ingest.text.lines import Text

ANCHOR = lazy(r"^(?=[^\n]{0,2000}\b(?i:metric)\b)[^\n]{0,2000}\b(?i:value)\b", re.M)
_CELLS = lazy(r"^[^,;\t|\n]*[,;\t|]", re.M)  # the titles may stand far above a row
SEPARATORS = (",", ";", "\t", "|")
_RULE = lazy(r"[\s|:-]*-{3}[\s|:-]*\Z")  # below the titles of a table in Markdown
_GOES_ON = 20  # lines over which a cell in quotes may go, and lines of one cell after which a table has ended
FIELDS = {
    "tool",
    "tool_version",
    "metric",
    "native",
    "value",
    "unit",
    "stat",
    "origin",
    "source_note",
    "started_at",
    "doubt",
    "derive",
}
PASSED_OVER = {"type", "file", "line", "raw", "raw_unit", "repetition", "duplicate_of", "note"}
ORIGINS = ("measured", "reported", "derived", "model")
_STAT = lazy(r"(?:sample|mean|median|min|max|stddev|p\d{1,2}(?:\.\d+)?)\Z")
_SIZE = lazy(r"(\d+(?:\.\d+)?)\s*([kKMGTPE]?i?B?)\Z")
_PARAMETER = lazy(r"[a-z][a-z0-9_]{0,40}\Z")

# Units that a table may use, by the base unit of the metric (IEC: powers of 1024, SI: powers of 1000).
UNITS: dict[str, dict[str, float]] = {
    "B/s": {f"{unit}/s": float(factor) for unit, factor in {**units.SI, **units.IEC}.items()},
    "1/s": {"1/s": 1, "ops/s": 1, "IOPS": 1, "files/s": 1, "kIOPS": 1000, "1/min": 1 / 60},
    "s": {"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "min": 60, "h": 3600},
    "B": {unit: float(factor) for unit, factor in {**units.SI, **units.IEC}.items()},
    "1": {"1": 1, "x": 1, "ratio": 1, "%": 0.01},
    "%": {"%": 1},
}


class _Wrong(Exception):
    """A cell that cannot be read: its column and what is wrong with it."""

    def __init__(self, column: str, message: str, code: str = "bad-manifest") -> None:
        super().__init__(message)
        self.column, self.message, self.code = column, message, code


def parse(text: Text) -> Iterator[Value | Doubt]:
    """Every measurement of every table, in line order; a line with an error gives a warning that names the column."""
    columns: list[str] | None = None
    separator, title, after, strange = ",", 0, 0, 0
    for number, line in enumerate(text.lines, 1):
        if number <= after or not line.strip() or line.lstrip().startswith("#"):
            continue
        found = _titles(line) if columns is None or "metric" in line.lower() else None
        if found:
            (separator, columns), title, strange = found, number, 0
            yield from (Doubt(number, "bad-manifest", f"column {c!r} is given twice") for c in _twice(columns))
        elif columns is None:
            if (wrong := _nearly(line)) is not None:
                yield Doubt(number, "bad-manifest", f"column {wrong!r} is not known, so this is not read as a results table")
        elif number > title + 1 and not text.lines[number - 2].strip() and not _is_row(_split(line, separator), columns):
            columns = None  # an empty line, and then something else
        else:
            cells, after = _whole(text, number, separator, len(columns))
            yield from _row(columns, cells, separator, (number, title))
            strange = strange + 1 if separator not in line else 0
            if strange == _GOES_ON:
                yield Doubt(number, "cut", f"{strange} lines without a second cell: the table of line {title} ends here")
                columns = None


def _is_row(cells: list[str], columns: list[str]) -> bool:
    """Whether the cells are a line of that table, for one that follows an empty line."""
    return len(cells) == len(columns) and cells[columns.index("metric")].lower() in METRICS


def _whole(text: Text, number: int, separator: str, count: int) -> tuple[list[str], int]:
    """The cells of a line and its last line: a cell in quotes may hold line feeds, where all cells come out in the end."""
    line = text.lines[number - 1]
    if line.count('"') % 2 and separator != "|":
        for last in range(number + 1, min(number + _GOES_ON, len(text.lines) + 1)):
            line += "\n" + text.lines[last - 1]
            if line.count('"') % 2 == 0:
                cells = _split(line, separator)
                if len(cells) == count:
                    return [" ".join(cell.split()) for cell in cells], last
                break
    return _split(text.lines[number - 1], separator), number


def _split(line: str, separator: str) -> list[str]:
    if separator == "|":
        return [] if _RULE.match(line) else [cell.strip() for cell in line.strip().removeprefix("|").removesuffix("|").split("|")]
    try:
        return [cell.strip() for cell in next(csv.reader(line.splitlines(True), delimiter=separator, strict=True), [])]
    except csv.Error:
        return []


def known(column: str) -> bool:
    """Whether a column of that name may stand in a table."""
    kind, _, name = column.partition(".")
    if kind == "config":
        return name in KEYS
    return bool(_PARAMETER.match(name)) if kind == "params" else column in FIELDS | PASSED_OVER


def _spelled(titles: list[str]) -> list[str]:
    """The titles of fields as they are spelled here: `Metric` and `Tool_Version` are theirs."""
    return [title.lower() if title.lower() in FIELDS | PASSED_OVER else title for title in titles]


def _titles(line: str) -> tuple[str, list[str]] | None:
    for separator in SEPARATORS:
        cells = _split(line, separator)
        cells = _spelled(cells)
        if {"metric", "value"} <= set(cells) and all(known(cell) for cell in cells if cell):
            return separator, cells
    return None


def _nearly(line: str) -> str | None:
    """The first unknown column of what else would be a line of titles."""
    for separator in SEPARATORS:
        cells = _split(line, separator)
        cells = _spelled(cells)
        if {"metric", "value"} <= set(cells) and sum(known(cell) for cell in cells) >= 3:
            return next(cell for cell in cells if cell and not known(cell))[:60]
    return None


def _twice(columns: list[str]) -> list[str]:
    return sorted({column for column in columns if column and columns.count(column) > 1})


def _row(columns: list[str], cells: list[str], separator: str, place: tuple[int, int]) -> Iterator[Value | Doubt]:
    if (separator == "|" and not cells) or (cells and not any(cells)):
        return  # the rule below the titles; what a spreadsheet leaves of an empty line
    if len(cells) != len(columns):
        code = "short-row" if len(cells) < len(columns) else "long-row"
        yield Doubt(place[0], code, f"{len(cells)} cells for {len(columns)} columns; the line was not taken")
        return
    row = {column: intern(cell) for column, cell in zip(columns, cells, strict=True) if cell}  # most cells are those of other rows
    try:
        if "" in row:
            raise _Wrong("", f"{row[''][:40]!r} stands in a column without a title")
        value = _measurement(row, separator, *place)
        derived = _per_disk(row, value) if "derive" in row else None
        yield value
        if derived:
            yield derived
        if "doubt" in row:
            yield Doubt(place[0], "stated-doubt", row["doubt"][:300])
    except _Wrong as wrong:
        yield Doubt(place[0], wrong.code, f"column {wrong.column!r}: {wrong.message}; the line was not taken")


def _measurement(row: dict[str, str], separator: str, number: int, title: int) -> Value:
    metric = METRICS.get(row.get("metric", "").lower())
    if metric is None:
        raise _Wrong("metric", f"{row.get('metric', '')[:60]!r} is not in the catalogue")
    printed = row.get("unit", metric.unit)
    printed = printed[:-2] if printed.endswith("/sec") and printed[:-2] in UNITS[metric.unit] else printed
    if printed not in UNITS[metric.unit]:
        raise _Wrong("unit", f"{printed[:20]!r} is no unit of {metric.name} ({', '.join(UNITS[metric.unit])})", "unknown-unit")
    value = _number(row.get("value", ""), separator)
    factor = UNITS[metric.unit][printed]
    stat, origin = row.get("stat", "sample").lower(), row.get("origin", "reported").lower()
    if not _STAT.match(stat):
        raise _Wrong("stat", f"{stat[:40]!r} is no stat (sample, mean, median, min, max, stddev, p99)")
    if origin not in ORIGINS:
        raise _Wrong("origin", f"{origin[:40]!r} is none of {', '.join(ORIGINS)}")
    return Value(
        line=number,
        tool=row.get("tool", "table"),
        tool_version=row.get("tool_version"),
        metric=metric.name,
        native=row.get("native", metric.name),
        value=value * factor if factor >= 1 else value / round(1 / factor),
        unit=metric.unit,
        raw=row["value"],
        raw_unit=printed,
        run=number,
        stat=stat,
        params=_parameters(row),
        told={
            key: (_typed(f"config.{key}", row[f"config.{key}"], KEYS[key].type), number) for key in KEYS if f"config.{key}" in row
        },
        origin=origin,
        source_note=row.get("source_note"),
        started_at=_moment(row.get("started_at")),
        depends=_once(title),
    )


@lru_cache(100)
def _once(title: int) -> tuple[int, ...]:
    return (title,)


def _per_disk(row: dict[str, str], whole: Value) -> Value:
    """The value divided by the disks of its line, as origin `derived`: computed here, never typed."""
    disks = whole.told.get("disk.count", (0, 0))[0]
    if row["derive"] != "per disk" or not disks:
        raise _Wrong("derive", f"{row['derive'][:40]!r} is not 'per disk', or config.disk.count is not told")
    return replace(
        whole,
        value=whole.value / disks,
        raw_unit=f"{whole.raw_unit} of {disks} disks",
        params={**whole.params, "part": "per disk"},
        origin="derived",
        source_note=f"computed: {whole.raw} {whole.raw_unit} / {disks} disks",
    )


def _number(cell: str, separator: str) -> float:
    """A cell's number: a decimal point, or a decimal comma where commas do not separate the cells."""
    if not cell:
        raise _Wrong("value", "is empty")
    read = numbers.parse_number(cell, "." if separator == "," else None)
    if read is None or not math.isfinite(read.value):
        raise _Wrong("value", f"{cell[:40]!r} is not a number", "bad-number")
    if read.value < 0:
        raise _Wrong("value", f"{cell[:40]!r} is less than nothing", "bad-number")
    if read.ambiguous:
        raise _Wrong("value", f"{cell[:40]!r} could be a decimal or a thousands separator", "ambiguous")
    return read.value


def _parameters(row: dict[str, str]) -> dict[str, Any]:
    return _parameters_of(tuple([(column[7:], cell) for column, cell in row.items() if column.startswith("params.")]))


@lru_cache(1000)
def _parameters_of(cells: tuple[tuple[str, str], ...]) -> dict[str, Any]:
    """Those that rows have alike are the same mapping, which nobody changes."""
    return {name: _typed(f"params.{name}", cell, PARAMS[name].type if name in PARAMS else "") for name, cell in cells}


def _typed(column: str, cell: str, kind: str) -> Any:
    if kind == COUNT:
        if not re.fullmatch(r"\d{1,15}", cell):
            raise _Wrong(column, f"{cell[:40]!r} is not a whole number")
        return int(cell)
    if kind == SIZE:
        found = _SIZE.match(cell)
        unit = found[2] if found else ""
        factor = {**units.IEC, **units.SI, "": 1, "k": units.K, "K": units.K, "M": units.M, "G": units.G, "T": units.T}.get(unit)
        if not found or factor is None or float(found[1]) * factor % 1:
            raise _Wrong(column, f"{cell[:40]!r} is not a size such as 131072 or 128KiB")
        return int(float(found[1]) * factor)
    return cell.lower() if kind == WORD else cell


def _moment(cell: str | None) -> str | None:
    if cell is None:
        return None
    try:
        return datetime.fromisoformat(cell).isoformat()
    except ValueError:
        raise _Wrong("started_at", f"{cell[:40]!r} is not in ISO 8601") from None


PARSER = Parser(
    name="results-table",
    version=3,
    anchor=Anchor(ANCHOR, "metric"),
    parse=parse,
    shapes=(
        Shape(
            "CSV with the fields of a record as titles",
            "1",
            "any of docs/results-table.md; the base unit where none is given",
            "decimal point where commas separate the cells",
        ),
    ),
    brief=True,
    follows=_CELLS,
    source="docs/results-table.md",
)
