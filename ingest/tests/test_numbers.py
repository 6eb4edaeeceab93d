"""Printed numbers in every notation; what can be read in two ways says so."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.containers.paths import ArchiveEntry
from ingest.detect.findings import FindingsCache
from ingest.numbers import parse_duration, parse_integer, parse_number, parse_plain_number, parse_scaled_number
from ingest.pipeline.read import analyse_entry


@pytest.mark.parametrize(
    ("text", "decimal", "value", "ambiguous"),
    [
        ("7", None, 7.0, False),
        ("0.123", None, 0.123, False),
        ("12.34", None, 12.34, False),
        ("12,34", None, 12.34, False),
        ("1,234", None, 1.234, True),
        ("1.234", None, 1.234, True),
        ("1234.567", None, 1234.567, False),
        ("1,234.56", None, 1234.56, False),
        ("1.234,56", None, 1234.56, False),
        ("12,345,678", None, 12345678.0, False),
        ("1 234 567", None, 1234567.0, False),
        ("1\u202f234,5", None, 1234.5, False),
        ("1'234'567", None, 1234567.0, False),
        ("12,34,567", None, 1234567.0, False),
        ("3.2398e-05", None, 3.2398e-05, False),
        ("1,5e+03", None, 1500.0, False),
        ("1,234", "", 1234.0, False),
        ("1,234", ",", 1.234, False),
        ("1.234", ",", 1234.0, False),
        ("-5", None, -5.0, False),
    ],
)
def test_reads(text: str, decimal: str | None, value: float, ambiguous: bool) -> None:
    read = parse_number(text, decimal)
    assert read is not None
    assert (read.value, read.ambiguous) == (value, ambiguous)


@pytest.mark.parametrize(
    "text", ["", "+++++", "1.23.4", "12,3456,789", "1,23,4", "abc", "0x10", "1e", "--1", "9" * 400, "1e999", "."]
)
def test_refuses(text: str) -> None:
    assert parse_number(text) is None


@pytest.mark.parametrize(
    ("text", "value"),
    [("72,825,910", 72825910), ("72.825.910", 72825910), ("3 386", 3386), ("12,34", None), ("1e5", None)],
)
def test_integers_only_group(text: str, value: int | None) -> None:
    assert parse_integer(text) == value


@pytest.mark.parametrize(
    ("text", "value"), [("0,300747", 0.300747), ("3.5e-05", 3.5e-05), ("1,234", 1.234), ("1.234,5", None), ("", None)]
)
def test_plain_never_groups(text: str, value: float | None) -> None:
    assert parse_plain_number(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12.34", 12.34),
        ("4:14.75", 254.75),
        ("1:02:03", 3723.0),
        ("1-02:03:04", 93784.0),
        ("0m1,027s", 1.027),
        ("1m 52.31s", 112.31),
        ("19m53.475s", 1193.475),
        ("1h2m3s", 3723.0),
        ("m", None),
        ("", None),
        ("12 apples", None),
        ("1:2:3:4", None),
    ],
)
def test_clock(text: str, value: float | None) -> None:
    assert parse_duration(text) == value


@pytest.mark.parametrize(("text", "value"), [("2.98G", 2.98e9), ("1501 k", 1501000.0), ("120", 120.0), ("5Q", None)])
def test_scaled(text: str, value: float | None) -> None:
    assert parse_scaled_number(text, {"": 1, "k": 1e3, "G": 1e9}) == (pytest.approx(value) if value is not None else None)


@given(st.integers(0, 10**15), st.sampled_from([",", ".", " ", "\u202f", "'"]))
def test_grouped_integers_come_back(value: int, mark: str) -> None:
    assert parse_integer(f"{value:,}".replace(",", mark)) == value


@given(st.text(max_size=120))
def test_any_text_is_a_number_or_none(text: str) -> None:
    for read in (parse_number, parse_integer, parse_plain_number, parse_duration):
        read(text)


def it_takes_no_figure_that_no_machine_can_reach():
    """Summaries square what they hold: a single 1e200 would end the storing of all the others."""
    table = b"metric,value,unit\nwrite.throughput,1e200,B/s\nwrite.throughput,-0.0,B/s\nwrite.throughput,5,B/s\n"
    found = analyse_entry(ArchiveEntry("table.csv", table), FindingsCache())
    assert [value.value for value in found.values] == [0, 5]
    assert [(doubt.line, doubt.code) for doubt in found.doubts] == [(2, "bad-number")]
