"""Times as far as outputs print them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.formatting.printed_times import parse_named_time, parse_printed_time


@pytest.mark.parametrize(
    ("text", "earliest", "latest"),
    [
        ("2024", "2024-01-01T00:00:00", "2025-01-01T00:00:00"),
        ("2024-02", "2024-02-01T00:00:00", "2024-03-01T00:00:00"),
        ("2024-12", "2024-12-01T00:00:00", "2025-01-01T00:00:00"),
        ("2024-02-29", "2024-02-29T00:00:00", "2024-03-01T00:00:00"),
        ("2024-02-29T10:00", "2024-02-29T10:00:00", "2024-02-29T10:00:00"),
        ("2024-02-29T10:00:30.5+02:00", "2024-02-29T08:00:30.500000+00:00", "2024-02-29T08:00:30.500000+00:00"),
    ],
)
def test_a_time_is_an_interval(text, earliest, latest):
    time = parse_printed_time(text)
    assert (time.earliest.isoformat(), time.latest.isoformat(), time.has_offset) == (earliest, latest, "+" in text)


@pytest.mark.parametrize("text", [None, "", "soon", "2023-02-29", "2024-13", "1970-01-01T00:00:41", "9999-12-31", "0000", "10:00"])
def test_what_is_no_time_is_unknown(text):
    assert parse_printed_time(text) is None


@given(st.text("0123456789-T:+Z. ", max_size=25))
def test_it_never_fails(text):
    time = parse_printed_time(text)
    assert time is None or time.earliest <= time.latest


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("2026-11-23/fio-1.json", "2026-11-23T00:00:00"),
        ("a/20261123-0300-fio.json", "2026-11-23T03:00:00"),
        ("run_2026-11-23T03-00.log", "2026-11-23T03:00:00"),
        ("run_2026-11-23T03:00:12Z.log", "2026-11-23T03:00:12"),
        ("2026-11-23/20261124_000512/a.txt", "2026-11-24T00:05:12"),
        ("2026_11_23.txt", "2026-11-23T00:00:00"),
        ("fio-20261123-1024k.json", "2026-11-23T00:00:00"),
        ("2026-11-23-12345.json", "2026-11-23T00:00:00"),
        ("2026-1123/a", None),
        ("120261123/a", None),
        ("fio-3.36-git20261123/a", None),
        ("2026-02-30/a", None),
    ],
)
def test_a_name_may_hold_a_time(path, expected):
    time = parse_named_time(path)
    assert (time and time.earliest.isoformat()) == expected
