"""Times as far as outputs print them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.formatting.printed_times import parse_printed_time


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
