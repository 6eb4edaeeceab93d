"""Where the start of a run lies in its series, by what the outputs print of their clocks."""

from __future__ import annotations

from datetime import datetime

import pytest

from webapp.curves.points import NUMBER, OUTPUT, REPORT, RUN, align, seconds_from
from webapp.models import TimeSeries

NOON, LATER = "2026-11-24T12:00:00", "2026-11-24T12:00:07"


def series(*told) -> list[TimeSeries]:
    """Rows of (tool, start, span, offset)."""
    return [
        TimeSeries(pk=at, tool=tool, started_at=started, span=span, offset=offset)
        for at, (tool, started, span, offset) in enumerate(told)
    ]


CASES = {
    "both clocks": (NOON, [("iostat", LATER, 60, 0)], RUN, [7.0], False),
    "before the run": (LATER, [("iostat", NOON, 60, 0)], RUN, [-7.0], False),
    "zones of both": (f"{NOON}+01:00", [("sar", "2026-11-24T11:00:02+00:00", 60, 0)], RUN, [2.0], False),
    "one zone": (NOON, [("iostat", f"{LATER}+02:00", 60, 0)], RUN, [7.0], True),
    "one zone, hours apart": (NOON, [("iostat", "2026-11-24T10:00:07+00:00", 60, 0)], REPORT, [0.0], False),
    "the run without a start": (None, [("iostat", NOON, 60, 0), ("sar", LATER, 60, 1)], REPORT, [0.0, 7.0], False),
    "no date": (NOON, [("iostat", None, 60, 0.0), ("iostat", None, 60, 2.0)], OUTPUT, [0.0, 2.0], False),
    "one of two without a date": (NOON, [("sar", NOON, 60, 0.0), ("iostat", None, 60, 2.0)], OUTPUT, [0.0, 2.0], False),
    "logs of fio count from the run": (None, [("fio", None, 60, 0.5)], RUN, [0.5], False),
    "logs of fio beside a clock": (NOON, [("fio", None, 60, 0.5), ("sar", LATER, 60, 0)], RUN, [0.5, 7.0], False),
    "logs of fio without the run's clock": (None, [("fio", None, 60, 0.5), ("sar", LATER, 60, 0)], OUTPUT, [0.5, 0.0], False),
    "one without times": (NOON, [("iostat", LATER, 60, 0), ("vmstat", None, None, None)], RUN, [7.0, 0.0], False),
    "no times": (NOON, [("vmstat", None, None, None)], NUMBER, [0.0], False),
}


@pytest.mark.parametrize("case", CASES)
def test_runs_are_aligned_as_far_as_clocks_are_known(case):
    started, rows, zero, shifts, assumed = CASES[case]
    found = align(started, series(*rows))
    assert (found.zero, found.is_zone_assumed) == (zero, assumed)
    assert [found.shifts[at] for at in range(len(rows))] == shifts


def test_a_moment_of_another_kind_of_clock_has_no_place():
    naive, aware = datetime.fromisoformat(NOON), datetime.fromisoformat(f"{LATER}+00:00")
    assert seconds_from(naive, datetime.fromisoformat(LATER)) == 7
    assert (seconds_from(naive, aware), seconds_from(None, naive)) == (None, None)
