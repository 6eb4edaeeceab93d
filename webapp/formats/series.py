"""Series as CSV, a row a point, and as JSON, each as in the record format. Both are streamed: only some points are in memory."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator

from webapp.models import TimeSeries
from webapp.storage import series

COLUMNS = ("tool", "metric", "subject", "unit", "started_at", "t", "v", "file", "line")


def as_csv(rows: Iterable[TimeSeries]) -> Iterator[str]:
    """The header and a row for each point; `t` is empty where the output has no time."""
    yield ",".join(COLUMNS) + "\r\n"
    for row in rows:
        head = [row.tool, row.metric, row.subject, row.unit, row.started_at or ""]
        for block in series.iter_blocks(row):
            text = io.StringIO()
            writer = csv.writer(text)
            times = block.t if block.t is not None else [""] * len(block.v)
            writer.writerows(
                [*head, time, value, row.file.path, line] for time, value, line in zip(times, block.v, block.lines, strict=True)
            )
            yield text.getvalue()


def as_json(run: int, rows: Iterable[TimeSeries]) -> Iterator[str]:
    """One object: the run, and its series with the fields of the record format."""
    yield f'{{"run": {run}, "series": ['
    separator = "\n"
    for row in rows:
        yield separator + "{"
        yield from _members(row)
        separator = ",\n"
    yield "\n]}\n"


def as_records(rows: Iterable[TimeSeries], archive: int) -> Iterator[str]:
    """A line of JSON for each series of an archive: its number, and what `python -m ingest` prints."""
    for row in rows:
        yield f'{{"archive": {archive}, '
        yield from _members(row)
        yield "\n"


def _members(row: TimeSeries) -> Iterator[str]:
    """The members of an object, with its end."""
    record = {
        "type": "series",
        "file": row.file.path,
        "line": row.first_line,
        "tool": row.tool,
        "metric": row.metric,
        "subject": row.subject,
        "unit": row.unit,
        "started_at": row.started_at,
        "config": row.configuration.config,
        "config_from": row.configuration.config_from,
    }
    yield json.dumps(record, ensure_ascii=False)[1:-1]
    for name in ("t", "v", "lines"):
        yield from _column(row, name)
    yield "}"


def _column(row: TimeSeries, name: str) -> Iterator[str]:
    """The member of one column; each is unpacked by itself, so that none has to be kept."""
    separator = f', "{name}": ['
    for block in series.iter_blocks(row):
        numbers = getattr(block, name)
        if numbers is None:
            yield f', "{name}": null'
            return
        yield separator + json.dumps(numbers)[1:-1]
        separator = ", "
    yield "]"
