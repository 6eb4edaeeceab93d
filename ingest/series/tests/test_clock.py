"""Dates and times of day as the tools print them."""

from __future__ import annotations

import datetime

import pytest

from ingest.series._clock import DAY, DayClock, parse_date, parse_stamp, seconds_of
from ingest.series._outputs import interval_of


@pytest.mark.parametrize(
    ("text", "is_12_hour", "date"),
    [
        ("2026-11-24", False, (2026, 11, 24)),
        ("11/24/26", False, (2026, 11, 24)),
        ("24/11/26", False, (2026, 11, 24)),
        ("24.11.2026", False, (2026, 11, 24)),
        ("24-11-26", False, (2026, 11, 24)),
        ("2026\u5e7411\u670824\u65e5", False, (2026, 11, 24)),
        ("05/06/26", False, None),  # the C locale and British English
        ("05/05/26", False, (2026, 5, 5)),
        ("05/06/2026", True, (2026, 5, 6)),  # American
        ("05/06/2026", False, (2026, 6, 5)),  # French, Italian ...
        ("13/13/26", False, None),
        ("02/30/2026", True, None),
        ("x", False, None),
    ],
)
def test_a_date_is_read_only_where_it_is_certain(text, is_12_hour, date):
    assert parse_date(text, is_12_hour=is_12_hour) == (datetime.date(*date) if date else None)


@pytest.mark.parametrize(
    ("time", "meridiem", "seconds"),
    [
        ("00:00:00", "", 0),
        ("12:00:00", "AM", 0),
        ("12:00:00", "PM", 43_200),
        ("01:02:03", "p.m.", 46_923),
        ("13:00:00", "PM", None),
        ("24:00:00", "", None),
        ("1:2:3", "", None),
    ],
)
def test_times_of_day(time, meridiem, seconds):
    assert seconds_of(time, meridiem) == seconds


def test_midnight_is_passed_and_a_clock_set_back_begins_another_series():
    clock = DayClock()
    assert [clock.at(seconds) for seconds in (DAY - 1, 0, 5)] == [DAY - 1, DAY, DAY + 5]
    assert clock.turns == 0
    clock = DayClock()
    assert [clock.at(seconds) for seconds in (50_000, 46_400)] == [50_000, 46_400]
    assert clock.turns == 1


@pytest.mark.parametrize(
    ("text", "stamp"),
    [
        ("2026-11-24T13:07:01+0000", ((2026, 11, 24), 47_221, "+00:00")),
        ("2026-11-24 13:07:01", ((2026, 11, 24), 47_221, "")),
        ("2026-11-24 13:07:01 UTC", ((2026, 11, 24), 47_221, "+00:00")),
        ("11/24/26 13:07:01", ((2026, 11, 24), 47_221, "")),
        ("11/24/2026 01:07:01 PM", ((2026, 11, 24), 47_221, "")),
        ("Time: 01:07:01 PM", (None, 47_221, "")),
        ("Tue Nov 24 13:07:01 UTC 2026", ((2026, 11, 24), 47_221, "+00:00")),
        ("Tue Nov 24 01:07:01 PM CET 2026", ((2026, 11, 24), 47_221, "")),
        ("Tue 24 Nov 2026 01:07:01 PM UTC", ((2026, 11, 24), 47_221, "+00:00")),
        ("Tue Nov 24 13:07:01 2026", ((2026, 11, 24), 47_221, "")),
        ("1795525621", ((2026, 11, 24), 47_221, "+00:00")),
        ("05/06/26 13:07:01", (None, 47_221, "")),
        ("sda 1.00 2.00", None),
        ("25:00:00", None),
    ],
)
def test_the_line_of_a_reports_time(text, stamp):
    found = parse_stamp(text)
    assert (found and (found.date and (found.date.year, found.date.month, found.date.day), *found[1:3])) == stamp


@pytest.mark.parametrize(
    ("command", "tool", "counted", "ticks"),
    [
        ("iostat -x sda 5 100", "iostat", (), 5000),
        ("sudo iostat -xt 1", "iostat", (), 1000),
        ("iostat -x", "iostat", (), None),
        ("iostat -w 2 -c 3", "iostat", ("-c",), 2000),
        ("iostat -c 3 -w 2", "iostat", ("-c",), 2000),
        ("zpool iostat -v tank 0.5 | tee log", "zpool iostat", (), 500),
        ("vmstat 10 > vmstat-1.txt", "vmstat", (), 10_000),
        ("", "vmstat", (), None),
    ],
)
def test_the_interval_of_a_command(command, tool, counted, ticks):
    assert interval_of(command, tool, counted) == ticks
