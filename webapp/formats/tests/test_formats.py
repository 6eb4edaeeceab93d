"""Canonical JSON and short names."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from webapp.formats.canonical import canonical_json, canonical_number
from webapp.permalinks import frozen_addresses

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=4)
    ),
    max_leaves=12,
)


@settings(suppress_health_check=[HealthCheck.too_slow])  # a busy machine says nothing about the values
@given(JSON)
def it_reads_back_as_the_same_value(value):
    # A float that is whole is written without a point: read as ECMAScript would, every number is a double.
    assert json.loads(canonical_json(value), parse_int=float) == value


@given(st.dictionaries(st.text(max_size=3), st.integers(0, 9), min_size=2), st.randoms())
def it_is_the_same_for_every_order_of_keys(value, random):
    items = list(value.items())
    random.shuffle(items)
    try:
        expected = canonical_json(value)
    except UnicodeEncodeError:  # a lone surrogate is no text
        return
    assert canonical_json(dict(items)) == expected


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (5e-324, "5e-324"),
        (-5e-324, "-5e-324"),
        (1.7976931348623157e308, "1.7976931348623157e+308"),
        (9007199254740992.0, "9007199254740992"),
        (295147905179352830000.0, "295147905179352830000"),
        (9.999999999999997e22, "9.999999999999997e+22"),
        (1e23, "1e+23"),
        (1.0000000000000001e23, "1.0000000000000001e+23"),
        (999999999999999700000.0, "999999999999999700000"),
        (1e21, "1e+21"),
        (9.999999999999997e-7, "9.999999999999997e-7"),
        (0.000001, "0.000001"),
        (333333333.33333329, "333333333.3333333"),
        (424242424242.5, "424242424242.5"),
        (81, "81"),
        (-0.0000033333333333333333, "-0.0000033333333333333333"),
        (1424953923781206.2, "1424953923781206.2"),
        (100.0, "100"),
        (1.5, "1.5"),
        (-12.25, "-12.25"),
        (123456789012345680.0, "123456789012345680"),
    ],
)
def it_writes_numbers_as_the_standard_lists_them(value, text):
    """RFC 8785, appendix B, and ECMA-262, Number::toString."""
    assert canonical_number(value) == text


def it_sorts_keys_by_utf_16():
    """RFC 8785, section 3.2.3: the emoji's surrogates come before the Hebrew presentation form."""
    keys = ["\u20ac", "\r", "\ufb33", "1", "\U0001f600", "\u0080", "\u00f6"]
    ordered = list(json.loads(canonical_json(dict.fromkeys(keys, 0))))
    assert ordered == ["\r", "1", "\u0080", "\u00f6", "\u20ac", "\U0001f600", "\ufb33"]


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def it_has_no_number_that_json_has_not(value):
    with pytest.raises(ValueError, match="canonical"):
        canonical_json({"a": [value]})


def it_gives_good_names_of_clear_letters():
    for name in (frozen_addresses.new_name() for _ in range(200)):
        assert frozen_addresses.is_valid_name(name) and len(name) == frozen_addresses.LENGTH and not set(name) & set("01iloILO")


def it_detects_every_wrong_character_and_every_swap_of_neighbours():
    name = frozen_addresses.new_name()
    for at, right in enumerate(name):
        for wrong in frozen_addresses.ALPHABET:
            assert frozen_addresses.is_valid_name(name[:at] + wrong + name[at + 1 :]) == (wrong == right)
    for at in range(len(name) - 1):
        swapped = name[:at] + name[at + 1] + name[at] + name[at + 2 :]
        assert frozen_addresses.is_valid_name(swapped) == (swapped == name)


@pytest.mark.parametrize("name", ["", "abc", "a" * 11, "oooooooooo", "../../etc/", "\u00b2" * 10])
def it_refuses_what_is_no_name(name):
    assert not frozen_addresses.is_valid_name(name)
