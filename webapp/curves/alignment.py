"""Where the start of a run lies in each of its series: by the clocks of both, else by the begin of the tool's output."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from webapp.models import TimeSeries
from webapp.storage.series import parse_moment

RUN, REPORT, OUTPUT, NUMBER = "run", "report", "output", "number"
"""What lies at 0: the start of the run, the first report of any tool, the begin of each tool's output; or points are numbered."""
_OWN_CLOCK = ("fio",)
"""Tools whose logs count from the begin of the run itself."""
_NEAR = 600.0
"""Seconds between a run and a series up to which two clocks, one without a zone, are taken to be in the same zone: zones differ by
more."""


@dataclass(frozen=True, slots=True)
class Alignment:
    """Seconds to be added to the times of each series, by its id; what lies at 0 then, and the moment of that where it is known.

    `is_zone_assumed`: one of the two clocks prints no zone, and was taken to be in the zone of the other, where both overlap then.
    """

    shifts: dict[int, float]
    zero: str
    origin: datetime | None = None
    is_zone_assumed: bool = False


def align(started: str | None, rows: Iterable[TimeSeries]) -> Alignment:
    """The alignment of a run that started then."""
    rows = list(rows)
    timed = [row for row in rows if row.span is not None]
    if rows and not timed:
        return Alignment({row.pk: 0.0 for row in rows}, NUMBER)
    if len(timed) < len(rows):  # those without times say nothing about the others
        found = align(started, timed)
        return replace(found, shifts={row.pk: 0.0 for row in rows} | found.shifts)
    start = parse_moment(started)
    moments = {row.pk: parse_moment(row.started_at) for row in rows}
    logs = [row for row in rows if row.tool in _OWN_CLOCK and moments[row.pk] is None]
    others = [row for row in rows if row not in logs]
    own = {row.pk: row.offset or 0.0 for row in logs}
    if not others:
        return Alignment(own, RUN, start)
    since = {row.pk: _since(start, moments[row.pk], row.span or 0.0) for row in others}
    known = {pk: found for pk, found in since.items() if found is not None}
    if len(known) == len(others):
        return Alignment(own | {pk: seconds for pk, (seconds, _) in known.items()}, RUN, start, any(a for _, a in known.values()))
    dated = {row.pk: moment for row in others if (moment := moments[row.pk]) is not None}
    if len(dated) == len(rows) and len({moment.tzinfo is None for moment in dated.values()}) == 1:
        first = min(dated.values())
        return Alignment({pk: (moment - first).total_seconds() for pk, moment in dated.items()}, REPORT, first)
    return Alignment({row.pk: row.offset or 0.0 for row in rows}, OUTPUT)


def _since(start: datetime | None, moment: datetime | None, span: float) -> tuple[float, bool] | None:
    """Seconds from the start of the run to the first point of a series, and whether a zone was assumed; None if it is unknown."""
    if start is None or moment is None:
        return None
    if (start.tzinfo is None) == (moment.tzinfo is None):
        return (moment - start).total_seconds(), False
    seconds = (moment.replace(tzinfo=None) - start.replace(tzinfo=None)).total_seconds()
    return (seconds, True) if -span - _NEAR <= seconds <= _NEAR else None


def seconds_from(origin: datetime | None, moment: datetime | None) -> float | None:
    """Seconds from what lies at 0 to another moment of the same kind of clock; None if that is unknown."""
    if origin is None or moment is None or (origin.tzinfo is None) != (moment.tzinfo is None):
        return None
    return (moment - origin).total_seconds()
