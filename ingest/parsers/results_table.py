"""Results tables: measurements written by hand as CSV, with columns named like the fields of a record.

The format is defined in docs/manifest.md. A title line with `metric`, `value` and only known fields opens a table;
each line after it is one measurement. The table ends at an empty line that no measurement follows, or after `_MAX_LINES`
consecutive lines of one cell.

Shapes of results-table (name | versions | units | traps):
    CSV with the fields of a record as headings | 1 | any of docs/manifest.md; the base unit where none is given | decimal point
        where commas separate the cells

Source: docs/manifest.md
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
from typing import Any, NamedTuple

from ingest import numbers, units
from ingest.catalogue import METRICS
from ingest.keys import COUNT, KEYS, PARAMS, SIZE, WORD, is_key
from ingest.lazy_regex import lazy
from ingest.open_keys import spell_open_value
from ingest.plugin_api import Anchor, Parser
from ingest.records import Doubt, Found, Value
from ingest.text.lines import Text

ANCHOR = lazy(r"^(?=[^\n]{0,2000}\b(?i:metric)\b)[^\n]{0,2000}\b(?i:value)\b", re.M)
_FIRST_CELL = lazy(r"^[^,;\t|\n]*[,;\t|]", re.M)  # a row may be far below its titles
SEPARATORS = (",", ";", "\t", "|")
_RULE = lazy(r"[\s|:-]*-{3}[\s|:-]*\Z")  # the delimiter row of a Markdown table
_MAX_LINES = 20  # of a quoted cell with line feeds; of one cell in a row, after which a table has ended
FIELDS = set("tool tool_version metric native value unit stat origin source_note started_at doubt derive".split())
IGNORED_FIELDS = {"type", "file", "line", "raw", "raw_unit", "repetition", "duplicate_of", "note"}
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


class _InvalidCell(Exception):
    """A cell that cannot be read: its column, the message and the code of the warning."""

    def __init__(self, column: str, message: str, code: str = "bad-manifest") -> None:
        super().__init__(message)
        self.column, self.message, self.code = column, message, code


class ResultsTable(NamedTuple):
    """The table that is being read: the 1-based line of its titles, its separator and its columns."""

    line: int
    separator: str
    columns: list[str]


def parse(text: Text) -> Iterator[Found]:
    """Every measurement of every table, in line order; an invalid line gives a warning that names the column."""
    table: ResultsTable | None = None
    last, single_cells = 0, 0
    for number, line in enumerate(text.lines, 1):
        if number <= last or not line.strip() or line.lstrip().startswith("#"):
            continue
        titles = _read_titles(line, number) if table is None or "metric" in line.lower() else None
        if titles:
            table, single_cells = titles, 0
            yield from (Doubt(number, "bad-manifest", f"column {c!r} is given twice") for c in _duplicates(titles.columns))
        elif table is None:
            if (unknown := _find_unknown_column(line)) is not None:
                yield Doubt(number, "bad-manifest", f"column {unknown!r} is unknown, so this was not read as a results table")
        elif _ends_table(text, number, table):
            table = None
        else:
            cells, last = _read_cells(text, number, table)
            yield from read_row(table, cells, number)
            single_cells = single_cells + 1 if table.separator not in line else 0
            if single_cells == _MAX_LINES:
                yield Doubt(
                    number,
                    "cut",
                    f"{single_cells} lines without a second cell: the table that begins on line {table.line} ends here",
                )
                table = None


def _ends_table(text: Text, number: int, table: ResultsTable) -> bool:
    """Whether the line follows an empty line below the titles and is no measurement."""
    if number <= table.line + 1 or text.lines[number - 2].strip():
        return False
    cells = split_line(text.lines[number - 1], table.separator)
    return len(cells) != len(table.columns) or cells[table.columns.index("metric")].lower() not in METRICS


def _read_cells(text: Text, number: int, table: ResultsTable) -> tuple[list[str], int]:
    """The cells of a row and its last line; a quoted cell may contain line feeds where the row then has every cell."""
    line = text.lines[number - 1]
    if line.count('"') % 2 and table.separator != "|":
        for last in range(number + 1, min(number + _MAX_LINES, len(text.lines) + 1)):
            line += "\n" + text.lines[last - 1]
            if line.count('"') % 2 == 0:
                cells = split_line(line, table.separator)
                if len(cells) == len(table.columns):
                    return [" ".join(cell.split()) for cell in cells], last
                break
    return split_line(text.lines[number - 1], table.separator), number


def split_line(line: str, separator: str) -> list[str]:
    """The stripped cells of a line; empty for a delimiter row of Markdown and for invalid quoting."""
    if separator == "|":
        return [] if _RULE.match(line) else [cell.strip() for cell in line.strip().removeprefix("|").removesuffix("|").split("|")]
    try:
        return [cell.strip() for cell in next(csv.reader(line.splitlines(True), delimiter=separator, strict=True), [])]
    except csv.Error:
        return []


def is_known_column(column: str) -> bool:
    """Whether a table may have a column of that name."""
    kind, _, name = column.partition(".")
    if kind == "config":
        return is_key(name)
    return bool(_PARAMETER.match(name)) if kind == "params" else column in FIELDS | IGNORED_FIELDS


def _split_titles(line: str) -> Iterator[tuple[str, list[str]]]:
    """Each separator that gives cells named `metric` and `value`, and the cells; names of fields in small letters."""
    for separator in SEPARATORS:
        cells = [cell.lower() if cell.lower() in FIELDS | IGNORED_FIELDS else cell for cell in split_line(line, separator)]
        if {"metric", "value"} <= set(cells):
            yield separator, cells


def _read_titles(line: str, number: int) -> ResultsTable | None:
    """The table that a title line opens; None where it has an unknown column or is no title line."""
    for separator, cells in _split_titles(line):
        if all(is_known_column(cell) for cell in cells if cell):
            return ResultsTable(number, separator, cells)
    return None


def _find_unknown_column(line: str) -> str | None:
    """The first unknown column of a line that would otherwise be a title line; None of other lines."""
    for _, cells in _split_titles(line):
        if sum(is_known_column(cell) for cell in cells) >= 3:
            return next(cell for cell in cells if cell and not is_known_column(cell))[:60]
    return None


def _duplicates(columns: list[str]) -> list[str]:
    return sorted({column for column in columns if column and columns.count(column) > 1})


def read_row(table: ResultsTable, cells: list[str], number: int) -> Iterator[Found]:
    """The measurement of a row and what is derived of it, or a warning."""
    columns = table.columns
    if (table.separator == "|" and not cells) or (cells and not any(cells)):
        return  # a delimiter row of Markdown; an empty row of a spreadsheet
    if len(cells) != len(columns):
        code = "short-row" if len(cells) < len(columns) else "long-row"
        yield Doubt(number, code, f"{len(cells)} cells for {len(columns)} columns; the line was not recorded")
        return
    row = {column: intern(cell) for column, cell in zip(columns, cells, strict=True) if cell}  # rows repeat most cells
    try:
        if "" in row:
            raise _InvalidCell("", f"{row[''][:40]!r} is in a column without a heading")
        value = _read_measurement(row, table, number)
        derived = _divide_by_disks(row, value) if "derive" in row else None
        yield value
        if derived:
            yield derived
        if "doubt" in row:
            yield Doubt(number, "stated-doubt", row["doubt"][:300])
    except _InvalidCell as error:
        yield Doubt(number, error.code, f"column {error.column!r}: {error.message}; the line was not recorded")


def _read_measurement(row: dict[str, str], table: ResultsTable, number: int) -> Value:
    """The value of a row in the base unit of its metric. Raises _InvalidCell."""
    metric = METRICS.get(row.get("metric", "").lower())
    if metric is None:
        raise _InvalidCell("metric", f"{row.get('metric', '')[:60]!r} is not in the catalogue")
    unit = row.get("unit", metric.unit)
    unit = unit[:-2] if unit.endswith("/sec") and unit[:-2] in UNITS[metric.unit] else unit
    if unit not in UNITS[metric.unit]:
        raise _InvalidCell(
            "unit", f"{unit[:20]!r} is not a unit of {metric.name} ({', '.join(UNITS[metric.unit])})", "unknown-unit"
        )
    value = _parse_value(row.get("value", ""), table.separator)
    factor = UNITS[metric.unit][unit]
    stat, origin = row.get("stat", "sample").lower(), row.get("origin", "reported").lower()
    if not _STAT.match(stat):
        raise _InvalidCell("stat", f"{stat[:40]!r} is not a stat (sample, mean, median, min, max, stddev, p99)")
    if origin not in ORIGINS:
        raise _InvalidCell("origin", f"{origin[:40]!r} is not one of {', '.join(ORIGINS)}")
    return Value(
        line=number,
        tool=row.get("tool", "table"),
        tool_version=row.get("tool_version"),
        metric=metric.name,
        native=row.get("native", metric.name),
        value=value * factor if factor >= 1 else value / round(1 / factor),
        unit=metric.unit,
        raw=row["value"],
        raw_unit=unit,
        run=number,
        stat=stat,
        params=_parse_parameters(tuple([(column[7:], cell) for column, cell in row.items() if column.startswith("params.")])),
        printed_config={
            key: (_parse_cell(f"config.{key}", row[f"config.{key}"], KEYS[key].type), number)
            for key in KEYS
            if f"config.{key}" in row
        }
        | _open_keys(row, number),
        origin=origin,
        source_note=row.get("source_note"),
        started_at=_parse_time(row.get("started_at")),
        depends=_shared_tuple(table.line),
    )


def _open_keys(row: dict[str, str], number: int) -> dict[str, tuple[Any, int]]:
    """The open keys of a row (`config.zfs.primarycache`) with their values and its line."""
    keys = {column[7:]: cell for column, cell in row.items() if column.startswith("config.") and column[7:] not in KEYS}
    return {key: (spell_open_value(key, cell), number) for key, cell in keys.items()}


@lru_cache(100)
def _shared_tuple(line: int) -> tuple[int, ...]:
    """The same tuple for all rows of a table, which saves memory."""
    return (line,)


def _divide_by_disks(row: dict[str, str], value: Value) -> Value:
    """The value divided by the disk count of its row, with origin `derived`. Raises _InvalidCell without a disk count."""
    disks = value.printed_config.get("disk.count", (0, 0))[0]
    if row["derive"] != "per disk" or not disks:
        raise _InvalidCell("derive", f"{row['derive'][:40]!r} is not 'per disk', or config.disk.count is missing")
    return replace(
        value,
        value=value.value / disks,
        raw_unit=f"{value.raw_unit} of {disks} disks",
        params={**value.params, "part": "per disk"},
        origin="derived",
        source_note=f"computed: {value.raw} {value.raw_unit} / {disks} disks",
    )


def _parse_value(cell: str, separator: str) -> float:
    """The number in a cell, with a decimal point, or a decimal comma where commas do not separate cells. Raises _InvalidCell."""
    if not cell:
        raise _InvalidCell("value", "is empty")
    parsed = numbers.parse_number(cell, "." if separator == "," else None)
    if parsed is None or not math.isfinite(parsed.value):
        raise _InvalidCell("value", f"{cell[:40]!r} is not a number", "bad-number")
    if parsed.value < 0:
        raise _InvalidCell("value", f"{cell[:40]!r} is negative", "bad-number")
    if parsed.ambiguous:
        raise _InvalidCell("value", f"{cell[:40]!r} could be a decimal or a thousands separator", "ambiguous")
    return parsed.value


@lru_cache(1000)
def _parse_parameters(cells: tuple[tuple[str, str], ...]) -> dict[str, Any]:
    """The typed parameters of a row; rows with equal cells share one mapping, which is never modified."""
    return {name: _parse_cell(f"params.{name}", cell, PARAMS[name].type if name in PARAMS else "") for name, cell in cells}


def _parse_cell(column: str, cell: str, kind: str) -> Any:
    """The value of a cell by its type in `ingest.keys`: a count, bytes, a word in small letters or text. Raises _InvalidCell."""
    if kind == COUNT:
        if not re.fullmatch(r"\d{1,15}", cell):
            raise _InvalidCell(column, f"{cell[:40]!r} is not a whole number")
        return int(cell)
    if kind == SIZE:
        match = _SIZE.match(cell)
        unit = match[2] if match else ""
        factor = {**units.IEC, **units.SI, "": 1, "k": units.K, "K": units.K, "M": units.M, "G": units.G, "T": units.T}.get(unit)
        if not match or factor is None or float(match[1]) * factor % 1:
            raise _InvalidCell(column, f"{cell[:40]!r} is not a size such as 131072 or 128KiB")
        return int(float(match[1]) * factor)
    return cell.lower() if kind == WORD else cell


def _parse_time(cell: str | None) -> str | None:
    """A time in ISO 8601, None for an empty cell. Raises _InvalidCell."""
    if cell is None:
        return None
    try:
        return datetime.fromisoformat(cell).isoformat()
    except ValueError:
        raise _InvalidCell("started_at", f"{cell[:40]!r} is not in ISO 8601") from None


PARSER = Parser(name="results-table", version=4, anchor=Anchor(ANCHOR, "metric"), parse=parse, brief=True, follows=_FIRST_CELL)
