"""The table of series on the pages of a run, an archive and a file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ingest.series_catalogue import SERIES_METRICS
from webapp.files.addresses import line_address
from webapp.models import TimeSeries

SHOWN = 500


class SeriesLine(NamedTuple):
    """A row of the table. `span`: of time, '' where the output has none."""

    row: TimeSeries
    label: str
    span: str
    address: str


def list_series(rows: Iterable[TimeSeries]) -> Sequence[SeriesLine]:
    """The first rows of the table."""
    shown = []
    for row in rows:
        metric = SERIES_METRICS.get(row.metric)
        address = line_address(row.archive_id, row.file.path, row.first_line)
        shown.append(SeriesLine(row, metric.label if metric else row.metric, format_span(row.span), address))
        if len(shown) >= SHOWN:
            break
    return shown


def format_span(seconds: float | None) -> str:
    """`2 h 5 min`, `59 s`; '' if it is not known."""
    if seconds is None:
        return ""
    whole = round(seconds)
    if whole < 120:
        return f"{seconds:.3g} s"
    hours, minutes = divmod(whole // 60, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {whole % 60} s"
