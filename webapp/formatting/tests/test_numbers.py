"""Numbers as people read them."""

from __future__ import annotations

import math

import pytest
from django.template import Context, Template
from hypothesis import example, given
from hypothesis import strategies as st

from webapp.formatting import numbers

T, N = numbers.THIN_SPACE, numbers.NO_BREAK_SPACE


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (81.234, "81.2"),
        (1234.5, f"1{T}230"),
        (99.96, "100"),
        (999.6, f"1{T}000"),
        (0.004149, "0.00415"),
        (-3, "−3"),
        (15, "15"),
        (0, "0"),
        (0.0, "0"),
        (1e-9, "0.00000000100"),
        (123456789, f"123{T}000{T}000"),
        (None, "–"),
        (math.inf, "–"),
        (math.nan, "–"),
    ],
)
def it_shows_three_significant_digits(value, text):
    assert numbers.number(value) == text


@given(st.floats(1, 1000) | st.integers(1, 100_000).map(lambda n: n / 1000) | st.integers(1, 2000).map(float))
@example(99.95)
@example(9.995)
@example(999.5)
@example(10.0)
def it_shows_common_numbers_as_all_others(value):
    """What is between 1 and 1,000 goes a shorter way than its opposite."""
    assert numbers.number(value) == numbers.number(-value).removeprefix(numbers.MINUS)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, f"0{N}B"),
        (1, f"1{N}B"),
        (1023, f"1{T}023{N}B"),
        (2**28, f"256{N}MiB"),
        (9_541_000, f"9.10{N}MiB"),
        (1023 * 1024, f"1{T}023{N}KiB"),
        (2**50, f"1{T}024{N}TiB"),
        (None, "–"),
    ],
)
def it_shows_sizes_in_binary_units(value, text):
    assert numbers.size(value) == text


@pytest.mark.parametrize(
    ("value", "metric", "unit", "text"),
    [
        (85_196_800, "write.throughput", "", f"81.2{N}MiB/s"),
        (85_196_800, "write.throughput", "MB/s", f"85.2{N}MB/s"),
        (85_196_800, "B/s", "", f"81.2{N}MiB/s"),
        (7587, "create_seq.rate", "", f"7{T}590{N}/s"),
        (242.966, "extract.elapsed", "", f"243{N}s"),
        (0.0125, "read.latency", "", f"12.5{N}ms"),
        (0, "run.user", "", f"0{N}s"),
        (15, "write.cpu", "", f"15{N}%"),
        (2**20, "copy.size", "", f"1{N}MiB"),
        (1.5231, "copy.compressratio", "", "1.52×"),
        (None, "write.throughput", "", "–"),
    ],
)
def it_names_the_unit_of_a_measurement(value, metric, unit, text):
    assert numbers.quantity(value, metric, unit) == text


@pytest.mark.parametrize(("value", "text"), [(8.2, f"8.20{N}s"), (243, f"4{N}min 3{N}s"), (7500, f"2{N}h 5{N}min")])
def it_tells_spans_in_words(value, text):
    assert numbers.duration(value) == text


@given(st.floats(min_value=1e-12, max_value=1e15) | st.floats(min_value=-1e15, max_value=-1e-12))
def it_stays_within_half_a_unit_of_the_third_digit(value):
    text = numbers.number(value).replace(T, "").replace(numbers.MINUS, "-")
    assert "e" not in text
    assert abs(float(text) - value) <= abs(value) * 0.005 * (1 + 1e-9)


@given(st.floats(allow_nan=False, allow_infinity=False))
def it_keeps_the_exact_value_for_the_title(value):
    assert float(numbers.exact(value)) == value


def it_refuses_units_that_are_none_of_bytes():
    with pytest.raises(KeyError):
        numbers.in_unit(1, "Mbit/s")


def it_is_there_in_templates():
    page = Template("{% load units %}{{ n|count }} {{ b|size }} {{ v|quantity:'write.throughput' }}")
    assert page.render(Context({"n": 1985, "b": 1024, "v": 2**20})) == f"1{T}985 1{N}KiB 1{N}MiB/s"
