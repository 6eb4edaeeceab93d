"""Curves, distributions and series as CSV and JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from webapp.curves.counting import QUANTILES
from webapp.curves.distributions import DistributionRow, DrawnDistributions
from webapp.curves.percentiles import DEPTH, RATE, PercentileValue
from webapp.figures.notes import print_notes
from webapp.figures.plain import CurvePoints, Figure
from webapp.formats.sheets import to_csv
from webapp.models import TimeSeries
from webapp.storage import series

# Series as CSV, a row a point, and as JSON, each as in the record format. Both are streamed: only some points are in memory.

SERIES_COLUMNS = ("tool", "metric", "subject", "unit", "started_at", "t", "v", "file", "line")


def series_csv(rows: Iterable[TimeSeries]) -> Iterator[str]:
    """The header and a row for each point; `t` is empty where the output has no time."""
    yield ",".join(SERIES_COLUMNS) + "\r\n"
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


def series_json(run: int, rows: Iterable[TimeSeries]) -> Iterator[str]:
    """One object: the run, and its series with the fields of the record format."""
    yield f'{{"run": {run}, "series": ['
    separator = "\n"
    for row in rows:
        yield separator + "{"
        yield from series_members(row)
        separator = ",\n"
    yield "\n]}\n"


def series_records(rows: Iterable[TimeSeries], archive: int) -> Iterator[str]:
    """A line of JSON for each series of an archive: its number, and what `python -m ingest` prints."""
    for row in rows:
        yield f'{{"archive": {archive}, '
        yield from series_members(row)
        yield "\n"


def series_members(row: TimeSeries) -> Iterator[str]:
    """The members of an object, with its end."""
    record = {
        "type": "series", "file": row.file.path, "line": row.first_line, "tool": row.tool, "metric": row.metric,
        "subject": row.subject, "unit": row.unit, "started_at": row.started_at, "config": row.configuration.config,
        "config_from": row.configuration.config_from,
    }  # fmt: skip
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


# A figure of a distribution as CSV, a row for each corner of its curves, and as JSON with its table.

PERCENTILE_COLUMNS = ("run", "operation", "part", "percentile", "seconds", "queue_depth", "operations_per_second", "address")
DISTRIBUTION_COLUMNS = ("figure", "kind", "series", "x", "x_unit", "share_percent", "points")


def distributions_csv(drawn: DrawnDistributions) -> str:
    """The corners of all curves as they are drawn, or every percentile with its load."""
    if drawn.values:
        return to_csv([PERCENTILE_COLUMNS, *(_percentile(value).values() for value in drawn.values)])
    rows: list[Sequence[object]] = [DISTRIBUTION_COLUMNS]
    for figure in drawn.figures:
        for curve in figure.get("curves", ()):
            head = [figure["title"], figure["kind"], figure["series"][curve["series"]]["name"]]
            rows += [
                [*head, x, figure["x"]["label"], share, curve["total"]] for x, share in zip(curve["t"], curve["v"], strict=True)
            ]
    return to_csv(rows)


def distributions_json(query: str, drawn: DrawnDistributions) -> str:
    """The query, the figures, the rows of each one's table, and everything that is noted beneath them."""
    said = print_notes(drawn.figures, drawn.notes)
    tables = [list(map(_row, rows)) for rows in drawn.tables]
    made = {"query": query, "figures": drawn.figures, "tables": tables, "notes": said}
    if drawn.values:
        made |= {"percentiles": list(map(_percentile, drawn.values))}
    return json.dumps(made, ensure_ascii=False, indent=1)


def _percentile(value: PercentileValue) -> dict[str, object]:
    loads = value.loads.get(DEPTH), value.loads.get(RATE)
    cells = (value.run.pk, value.operation, value.part, value.stat, value.value, *loads, value.address)
    return dict(zip(PERCENTILE_COLUMNS, cells, strict=True))


def _row(row: DistributionRow) -> dict[str, object]:
    return {
        "run": row.run,
        "tool": row.row.tool,
        "metric": row.row.metric,
        "subject": row.row.subject,
        "n": row.n,
        "lowest": row.lowest,
        "quantiles": dict(zip(map(str, QUANTILES), row.quantiles, strict=True)),
        "highest": row.highest,
        "steady_state": row.steady,
        "address": row.address,
    }


def summarise_distribution(figure, rows: Sequence[DistributionRow]) -> str:
    """What a screen reader reads in place of the figure."""
    if figure["groups"]:
        ends = [format(end(mark["center"] for mark in figure["groups"]), ".4g") for end in (min, max)]
        return f"{figure['title']} in {figure['unit']}: {ends[0]} to {ends[1]}, {len(figure['x']['values'])} loads."
    unit = figure["x"]["label"]
    parts = [f"{row.name or 'the run'} from {row.lowest:.4g} to {row.highest:.4g} {unit}, {row.n} points" for row in rows[:12]]
    return f"{figure['title']}, {figure['unit']}: {'; '.join(parts)}."


CURVE_COLUMNS = ("figure", "series", "seconds", "value", "low", "high", "n", "unit", "address", "line", "begins_after_gap")


def curves_csv(figures: Sequence[Figure]) -> str:
    """The points of all curves as they are drawn; `low`, `high` and `n` of bands, `address` of the file and `line` of points."""
    rows: list[Sequence[object]] = [CURVE_COLUMNS]
    for figure in figures:
        for curve in figure["curves"]:
            head, breaks = [figure["title"], figure["series"][curve["series"]]["name"]], set(curve["breaks"])
            for at, (time, value) in enumerate(zip(curve["t"], curve["v"], strict=True)):
                rows.append([*head, time, value, *_band(curve, at), figure["unit"], *_place(curve, at), int(at in breaks)])
    return to_csv(rows)


def _band(curve: CurvePoints, at: int) -> list[Any]:
    return [curve["low"][at], curve["high"][at], curve["n"][at]] if "low" in curve else ["", "", ""]


def _place(curve: CurvePoints, at: int) -> list[Any]:
    return [curve["raw"], curve["lines"][at]] if "lines" in curve else ["", ""]


def curves_json(query: str, figures: Sequence[Figure], notes: Sequence[str]) -> str:
    """The query, the figures as the page draws them, and everything that is noted beneath them."""
    said = print_notes(figures, notes)
    return json.dumps({"query": query, "figures": figures, "notes": said}, ensure_ascii=False, indent=1)
