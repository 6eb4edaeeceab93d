"""A table of one's own: measurements written by hand as CSV, columns named like the fields of a record.

The form is defined in docs/results-table.md. A line of titles that holds `metric` and `value`, and nothing but known
fields, opens a table; each line after it is one measurement, up to the first empty line.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any

from ingest import numbers, units
from ingest.catalogue import METRICS
from ingest.keys import COUNT, KEYS, PARAMS, SIZE, WORD
from ingest.records import Doubt, Value
from ingest.roles import Parser, Shape
from ingest.text import Text

ANCHOR = re.compile(r"^(?=[^\n]{0,2000}\bmetric\b)[^\n]{0,2000}\bvalue\b", re.M)
SEPARATORS = (",", ";", "\t")
FIELDS = {"tool", "tool_version", "metric", "native", "value", "unit", "stat", "origin", "source_note", "started_at",
          "doubt", "derive"}
PASSED_OVER = {"type", "file", "line", "raw", "raw_unit", "repetition", "duplicate_of", "note"}
ORIGINS = ("measured", "reported", "derived", "model")
_STAT = re.compile(r"(?:sample|mean|median|min|max|stddev|p\d{1,2}(?:\.\d+)?)\Z")
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGTPE]?i?B?)\Z")
_PARAMETER = re.compile(r"[a-z][a-z0-9_]{0,40}\Z")

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
    separator, title = ",", 0
    for number, line in enumerate(text.lines, 1):
        if not line.strip():
            columns = None
        elif columns is None or "metric" in line:
            found = _titles(line)
            if found:
                separator, columns = found
                title = number
                yield from (Doubt(number, "bad-manifest", f"column {c!r} is given twice") for c in _twice(columns))
            elif columns is not None:
                yield from _row(columns, separator, line, (number, title))
            elif (wrong := _nearly(line)) is not None:
                yield Doubt(
                    number, "bad-manifest", f"column {wrong!r} is not known, so this is not read as a results table"
                )
        elif not line.lstrip().startswith("#"):
            yield from _row(columns, separator, line, (number, title))


def _split(line: str, separator: str) -> list[str]:
    try:
        return [cell.strip() for cell in next(csv.reader([line], delimiter=separator, strict=True), [])]
    except csv.Error:
        return []


def known(column: str) -> bool:
    """Whether a column of that name may stand in a table."""
    kind, _, name = column.partition(".")
    if kind == "config":
        return name in KEYS
    return bool(_PARAMETER.match(name)) if kind == "params" else column in FIELDS | PASSED_OVER


def _titles(line: str) -> tuple[str, list[str]] | None:
    for separator in SEPARATORS:
        cells = _split(line, separator)
        if {"metric", "value"} <= set(cells) and all(known(cell) for cell in cells):
            return separator, cells
    return None


def _nearly(line: str) -> str | None:
    """The first unknown column of what else would be a line of titles."""
    for separator in SEPARATORS:
        cells = _split(line, separator)
        if {"metric", "value"} <= set(cells) and sum(known(cell) for cell in cells) >= 3:
            return next(cell for cell in cells if not known(cell))[:60]
    return None


def _twice(columns: list[str]) -> list[str]:
    return sorted({column for column in columns if columns.count(column) > 1})


def _row(columns: list[str], separator: str, line: str, place: tuple[int, int]) -> Iterator[Value | Doubt]:
    cells = _split(line, separator)
    if len(cells) != len(columns):
        code = "short-row" if len(cells) < len(columns) else "long-row"
        yield Doubt(place[0], code, f"{len(cells)} cells for {len(columns)} columns; the line was not taken")
        return
    row = {column: cell for column, cell in zip(columns, cells, strict=True) if cell}
    try:
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
    metric = METRICS.get(row.get("metric", ""))
    if metric is None:
        raise _Wrong("metric", f"{row.get('metric', '')[:60]!r} is not in the catalogue")
    printed = row.get("unit", metric.unit)
    if printed not in UNITS[metric.unit]:
        raise _Wrong(
            "unit", f"{printed[:20]!r} is no unit of {metric.name} ({', '.join(UNITS[metric.unit])})", "unknown-unit"
        )
    value = _number(row.get("value", ""), separator)
    factor = UNITS[metric.unit][printed]
    stat, origin = row.get("stat", "sample"), row.get("origin", "reported")
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
            key: (_typed(f"config.{key}", row[f"config.{key}"], KEYS[key].type), number)
            for key in KEYS
            if f"config.{key}" in row
        },
        origin=origin,
        source_note=row.get("source_note"),
        started_at=_moment(row.get("started_at")),
        depends=(title,),
    )


def _per_disk(row: dict[str, str], whole: Value) -> Value:
    """The value divided by the disks of its line, as origin `derived`: computed here, never typed."""
    disks = whole.told.get("disk.count", (0, 0))[0]
    if row["derive"] != "per disk" or not disks:
        raise _Wrong("derive", f"{row['derive'][:40]!r} is not 'per disk', or config.disk.count is not told")
    return replace(
        whole,
        value=whole.value / disks,
        raw_unit=f"{whole.raw_unit} of {disks} disks",
        params=whole.params | {"part": "per disk"},
        origin="derived",
        source_note=f"computed: {whole.raw} {whole.raw_unit} / {disks} disks",
    )


def _number(cell: str, separator: str) -> float:
    """A cell's number: a decimal point, or a decimal comma where commas do not separate the cells."""
    if not cell:
        raise _Wrong("value", "is empty")
    read = numbers.number(cell, "." if separator == "," else None)
    if read is None or not math.isfinite(read.value):
        raise _Wrong("value", f"{cell[:40]!r} is not a number", "bad-number")
    if read.ambiguous:
        raise _Wrong("value", f"{cell[:40]!r} could be a decimal or a thousands separator", "ambiguous")
    return read.value


def _parameters(row: dict[str, str]) -> dict[str, Any]:
    names = [column[7:] for column in row if column.startswith("params.")]
    return {
        name: _typed(f"params.{name}", row[f"params.{name}"], PARAMS[name].type if name in PARAMS else "")
        for name in names
    }


def _typed(column: str, cell: str, kind: str) -> Any:
    if kind == COUNT:
        if not re.fullmatch(r"\d{1,15}", cell):
            raise _Wrong(column, f"{cell[:40]!r} is not a whole number")
        return int(cell)
    if kind == SIZE:
        found = _SIZE.match(cell)
        unit = found[2] if found else ""
        factor = {**units.IEC, **units.SI, "": 1, "K": units.K, "M": units.M, "G": units.G, "T": units.T}.get(unit)
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
    version=1,
    anchor=ANCHOR,
    parse=parse,
    shapes=(
        Shape(
            "CSV with the fields of a record as titles",
            "1",
            "any of docs/results-table.md; the base unit where none is given",
            "decimal point where commas separate the cells",
        ),
    ),
    source="docs/results-table.md",
)
