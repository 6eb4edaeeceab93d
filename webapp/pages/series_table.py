"""The table of series on the pages of a run, an archive and a file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple
from urllib.parse import urlencode

from ingest.series_catalogue import SERIES_METRICS
from webapp.files.addresses import line_address
from webapp.models import TimeSeries

SHOWN = 500


class SeriesLine(NamedTuple):
    """A row of the table. `span`: of time, '' where the output has none. `draw`: the address of its curve."""

    row: TimeSeries
    label: str
    span: str
    address: str
    draw: str


def list_series(rows: Iterable[TimeSeries], run: int | None = None) -> Sequence[SeriesLine]:
    """The first rows of the table; of a run, or of an archive or a file, where a curve leads to the nearest run that has it."""
    shown = []
    for row in rows:
        metric = SERIES_METRICS.get(row.metric)
        address = line_address(row.archive_id, row.file.path, row.first_line)
        label = metric.label if metric else row.metric
        shown.append(SeriesLine(row, label, format_span(row.span), address, _draw_address(row, run)))
        if len(shown) >= SHOWN:
            break
    return shown


def _draw_address(row: TimeSeries, run: int | None) -> str:
    chosen = {"metric": row.metric, "subject": row.subject, "tool": row.tool}
    query = {name: text for name, text in chosen.items() if text}
    if run is not None:
        return f"/series?{urlencode({'run': run, **query})}"
    return f"/archives/{row.archive_id}/series?{urlencode({'file': row.file.path, **query}, errors='replace')}"


def format_span(seconds: float | None) -> str:
    """`2 h 5 min`, `59 s`; '' if it is not known."""
    if seconds is None:
        return ""
    whole = round(seconds)
    if whole < 120:
        return f"{seconds:.3g} s"
    hours, minutes = divmod(whole // 60, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {whole % 60} s"
