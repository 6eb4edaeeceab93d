"""A figure of a distribution as CSV, a row for each corner of its curves, and as JSON with its table."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence

from webapp.curves.counting import QUANTILES
from webapp.curves.distributions import DistributionRow, DrawnDistributions
from webapp.curves.percentiles import DEPTH, RATE, PercentileValue
from webapp.figures.notes import print_notes
from webapp.formats.sheets import escape_row

PERCENTILE_COLUMNS = ("run", "operation", "part", "percentile", "seconds", "queue_depth", "operations_per_second", "address")
COLUMNS = ("figure", "kind", "series", "x", "x_unit", "share_percent", "points")


def to_csv(drawn: DrawnDistributions) -> str:
    """The corners of all curves as they are drawn, or every percentile with its load."""
    out = io.StringIO()
    write = csv.writer(out, lineterminator="\r\n")
    if drawn.values:
        write.writerow(PERCENTILE_COLUMNS)
        write.writerows(escape_row(list(_percentile(value).values())) for value in drawn.values)
        return out.getvalue()
    write.writerow(COLUMNS)
    for figure in drawn.figures:
        for curve in figure.get("curves", ()):
            head = escape_row([figure["title"], figure["kind"], figure["series"][curve["series"]]["name"]])
            for x, share in zip(curve["t"], curve["v"], strict=True):
                write.writerow([*head, x, figure["x"]["label"], share, curve["total"]])
    return out.getvalue()


def to_json(query: str, drawn: DrawnDistributions) -> str:
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


def summarise(figure, rows: Sequence[DistributionRow]) -> str:
    """What a screen reader reads in place of the figure."""
    if figure["groups"]:
        ends = [format(end(mark["center"] for mark in figure["groups"]), ".4g") for end in (min, max)]
        return f"{figure['title']} in {figure['unit']}: {ends[0]} to {ends[1]}, {len(figure['x']['values'])} loads."
    unit = figure["x"]["label"]
    parts = [f"{row.name or 'the run'} from {row.lowest:.4g} to {row.highest:.4g} {unit}, {row.n} points" for row in rows[:12]]
    return f"{figure['title']}, {figure['unit']}: {'; '.join(parts)}."
