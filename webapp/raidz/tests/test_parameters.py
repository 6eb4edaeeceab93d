"""The address of the model's page."""

from __future__ import annotations

from urllib.parse import parse_qsl

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.raidz.parameters import FIELDS, parse


def test_usual_values_are_no_part_of_the_address():
    parameters = parse([])
    assert parameters.query == ""
    assert (parameters["disks"], parameters["width"], parameters["recordsize"]) == (12, 6, 131072)
    assert parameters.disk.rate == 200e6


@pytest.mark.parametrize(
    ("name", "text", "number"),
    [
        ("recordsize", "1MiB", 1 << 20),
        ("size", "18TB", 18e12),
        ("rate", "250MB/s", 250e6),
        ("iops", "75.5", 75.5),
        ("disks", " 90 ", 90),
    ],
)
def test_sizes_and_numbers(name, text, number):
    parameters = parse([(name, text)])
    assert parameters.numbers[name] == number
    assert parameters.problems == ()
    assert parse(parse_qsl(parameters.query)).numbers == parameters.numbers


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("disks", "many", "Disks: “many” is no whole number from 1 to 10\u202f000; 12 is used. Enter it like 12."),
        ("parity", "4", "Parity: “4” is no whole number from 1 to 3; 2 is used."),
        ("ashift", "12.5", "ashift: “12.5” is no whole number"),
        ("width", "20", "A group of 20 disks needs more than the 12 of the pool."),
        ("colour", "red", "“colour” is no parameter of this model."),
        ("space", "half", "“space=half” is no parameter of this model."),
    ],
)
def test_what_is_not_understood_is_said(name, text, words):
    assert any(problem.startswith(words) for problem in parse([(name, text)]).problems)


@given(st.lists(st.tuples(st.sampled_from([*(field.name for field in FIELDS), "space", "x"]), st.text(max_size=50)), max_size=12))
def test_any_address_gives_numbers_within_bounds(pairs):
    parameters = parse(pairs)
    for field in FIELDS:
        assert field.low <= parameters.numbers[field.name] <= field.high
    again = parse(parse_qsl(parameters.query, keep_blank_values=True))
    assert (again.numbers, again.space) == (parameters.numbers, parameters.space)
