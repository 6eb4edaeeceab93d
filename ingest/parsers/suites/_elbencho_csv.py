"""elbencho's --csvfile: a line of labels, then one row a phase; commas in the command are printed as blanks.

Columns: docs/csv-docs.md of elbencho and printPhaseResultsToStringVec(). Reads of a mixed phase stand in columns of
their own (`rwmix read ...`), and the columns without that are its writes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from ingest.lazy_regex import lazy
from ingest.parsers._printed_number import PrintedNumber
from ingest.parsers.suites._elbencho_command import (
    FIRST_DONE,
    PHASE_NAME,
    STAT_NAMES,
    ElbenchoPhase,
    RunGrouping,
    parse_date,
    read_workload,
)
from ingest.parsers.suites._elbencho_table import Cell, read_rate
from ingest.records import Doubt, Found
from ingest.text.lines import Text

_LABEL_LINE = lazy(r"(?:^|[,;\t\"])operation\"?[,;\t].*MiB/s \[last\]")
_LIVE_LABELS = lazy(r"^ISO Date,Label,Phase,RuntimeMS,")
_UNLABELLED_ROW = lazy(
    rf"^\d{{4}}-\d\d-\d\dT[^,]{{8,24}},[^,]{{0,80}},(?:dir|file|blockdev|bdev|bucket),(?:[^,]{{0,30}},){{13}}{PHASE_NAME},"
)
_INTEGER = lazy(r"\d{1,18}\Z")
_RATE_COLUMN = lazy(r"(rwmix read )?(time ms|entries/s|IOPS|MiB/s|CPU%) \[(first|last)\]\Z")
_LATENCY_COLUMN = lazy(r"(rwmix read )?(Ent|IO) lat us \[?(min|avg|max)\]?\Z")
_COUNT_COLUMNS = {"threads": "threads", "hosts": "nodes", "dirs": "dirs", "files": "files_per_dir", "file size": "file_size",
           "block size": "block_size", "IO depth": "iodepth"}  # fmt: skip


@dataclass(slots=True)
class _Labels:
    """The line of labels: its line number, the names of the columns, the separator."""

    line: int
    names: list[str]
    separator: str


def parse(text: Text) -> Iterator[Found]:
    """The values of every CSV in the text."""
    labels: _Labels | None = None
    runs = RunGrouping()
    for number, line in enumerate(text.lines, 1):
        if "MiB/s" in line and _LABEL_LINE.search(line):
            labels = _labels(number, line)
        elif "RuntimeMS" in line and _LIVE_LABELS.match(line):
            yield Doubt(number, "progress", "--livecsv prints the progress of a running phase, not results")
        elif labels and labels.separator in line and (cells := _cells(line, labels)):
            row = dict(zip(labels.names, cells, strict=False))
            name = row.get("operation", "")
            if re.fullmatch(PHASE_NAME, name):
                run = runs.add(name, row.get("command", ""), number)
                yield from _row(row, number, run, labels)
                yield from _width_warning(len(cells), len(labels.names), number)
        elif not labels and line[:2] == "20" and _UNLABELLED_ROW.match(line):
            yield Doubt(number, "no-header", "the header line of this elbencho CSV row is missing; nothing in it was recorded")


def _width_warning(width: int, expected: int, number: int) -> Iterator[Doubt]:
    if width < expected:
        yield Doubt(number, "short-row", f"{width} fields of {expected}; the last may be cut off and was not recorded")
    elif width > expected + 1:
        yield Doubt(number, "long-row", f"{width} fields, {expected} labels")


def _labels(number: int, line: str) -> _Labels | None:
    """The labels; None if the line is damaged and lacks that of the operation, without which no row can be read."""
    separator = next(separator for separator in ",;\t" if f"operation{separator}" in line.replace('"', ""))
    names = [cell.strip(' \t"\ufeff') for cell in line.split(separator)]
    return _Labels(number, names, separator) if "operation" in names else None


def _cells(line: str, labels: _Labels) -> list[str]:
    """The fields of a row, without the last of one that is cut; none if the row ends before its operation."""
    fields = (cell.strip() for cell in line.split(labels.separator))
    cells = [cell if name == "command" else cell.strip('"') for name, cell in zip_longest(labels.names, fields, fillvalue="")]
    cells = cells[: line.count(labels.separator) + 1]
    if len(cells) < len(labels.names):
        cells = [*cells[:-1], ""] if cells[-1] else cells
    return cells if len(cells) > labels.names.index("operation") + 1 else []


def _row(row: dict[str, str], number: int, run: int, labels: _Labels) -> Iterator[Found]:
    version, started = row.get("version") or None, parse_date(row.get("ISO date", ""))
    phase = ElbenchoPhase(row["operation"], number, run, version, started, _params(row), (labels.line,))
    is_mixed = any(label.startswith("rwmix read") and cell for label, cell in row.items())
    for label, raw in row.items():
        column = _RATE_COLUMN.match(label) or _LATENCY_COLUMN.match(label)
        if not column or not raw:
            continue
        if not _INTEGER.match(raw):
            yield Doubt(number, "bad-number", f"{phase.name} {label}: {raw[:40]!r} is not a whole number")
            continue
        direction = "read" if column[1] else "write" if is_mixed else ""
        if column.re == _LATENCY_COLUMN:
            metric = f"{phase.operation(column[2] == 'Ent', direction)}.latency"
            microseconds = PrintedNumber(int(raw) / 1e6, "s", raw, "us")
            yield phase.value(number, metric, label, microseconds, stat=STAT_NAMES[column[3]])
        else:
            cell = Cell(number, label, raw, FIRST_DONE if column[3] == "first" else "")
            yield from _result(phase, cell, column[2], direction)


def _result(phase: ElbenchoPhase, cell: Cell, quantity: str, direction: str) -> Iterator[Found]:
    """A time, a share of the processor or a rate; the label names the column, so that the part is not added to it."""
    line, label, raw, part = cell
    if quantity == "time ms":
        yield from phase.elapsed(line, label, PrintedNumber(int(raw) / 1000, "s", raw, "ms"), part)
    elif quantity == "CPU%":
        yield phase.value(line, f"{phase.operation(False)}.cpu", label, PrintedNumber(float(raw), "%", raw, "%"), part=part)
    else:
        for item in read_rate(phase, cell, quantity, direction):
            if not isinstance(item, Doubt):
                item.native = f"{phase.name} {label}"
            yield item


def _params(row: dict[str, str]) -> dict[str, Any]:
    """The workload by the columns, else by the command."""
    params = read_workload(
        row.get("command"),
        {name: row.get(column) for column, name in _COUNT_COLUMNS.items()},
        is_random={"0": False, "1": True}.get(row.get("random", "")),
        is_direct=row.get("direct IO") == "1",
        words={"label": row.get("label"), "path_type": row.get("path type")},
    )
    for column, name, factor in (("entries [last]", "entries", 1), ("MiB [last]", "moved", 2**20)):
        if _INTEGER.match(row.get(column, "")):
            params[name] = int(row[column]) * factor
    return params
