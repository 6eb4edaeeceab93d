"""The pattern of dd's English summary matches as the general pattern does."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.parsers.copies import _dd_output

figure = st.floats(0, 1e9).map(lambda value: f"{value:.6g}") | st.integers(0, 10**9).map(str) | st.just("1,5")
human = st.sampled_from(["1.1 GB, 1.0 GiB", "1.0 GB", "512 B", "2,1 GB, 2,0 GiB", "1073741824 B, 1.0 GiB"])


@given(st.integers(0, 10**15), human, figure, figure, st.sampled_from(["B", "kB", "MB", "GB", "GiB", "bytes"]))
def it_finds_the_same_groups_in_an_english_summary(octets, size, seconds, rate, per):
    text = f"{octets} bytes ({size}) copied, {seconds} s, {rate} {per}/s"
    english = _dd_output._ENGLISH.match(text)
    copied = _dd_output._match_copied(text)
    if english:
        assert copied is not None
        assert english.group(*_dd_output._GROUPS, 0) == copied.group(*_dd_output._GROUPS, 0)


@pytest.mark.parametrize("text", ["x 5 bytes (5 B) copied, 1 s, 5 B/s", "5 bytes (5 B) copied, 1 s, 5 B/s and more"])
def it_leaves_other_lines_to_the_general_pattern(text: str):
    assert _dd_output._ENGLISH.match(text) is None
    assert isinstance(_dd_output._match_copied(text), re.Match)
