"""A long text is read part by part, with the very records that it gives read whole."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.tests.samples import FOLDER, answer_of, outputs, records_of
from ingest.tests.thinning import some
from ingest.text import decode, prefixes
from ingest.text import lines as text
from ingest.text.lines import LazyLines, Text
from ingest.text.prefixes import clean_body, clean_lines

LINES = st.lists(
    st.sampled_from(
        (
            "",
            "  ",
            "> quoted",
            "> > twice",
            ">",
            "[12:00:01] clocked",
            "2024-01-02 03:04:05 stamped",
            "node-1: on a host",
            "node-2: on another",
            "3: of rank 3",
            "    indented",
            "\tby a tab",
            "plain",
            "Jan  2 03:04:05 host dd[7]: logged",
            "a &gt; b",
            "&gt; quoted",
            "x=20y=3D",
            "1048576 bytes copied, 1 s, 1 MB/s",
        )
    ),
    max_size=40,
)


def without_series():
    """Samples without numbers over time: files of this length are read for those part by part before (`NoiseDetector`)."""
    return [sample for sample in outputs() if '{"type": "series"' not in answer_of(sample).read_text()]


@pytest.mark.parametrize("sample", some(without_series()), ids=lambda path: str(path.relative_to(FOLDER)))
def it_gives_the_records_of_every_sample(sample, monkeypatch):
    for room, name, value in ((decode, "LONG", 0), (prefixes, "_PART", 40), (text, "_PART_SIZE", 40)):
        monkeypatch.setattr(room, name, value)
    assert records_of(sample) == answer_of(sample).read_text().splitlines()


@given(LINES)
def it_takes_the_same_noise_away(lines):
    before = prefixes._PART
    prefixes._PART = 60
    try:
        assert clean_body("\n".join(lines)) == "\n".join(clean_lines(Text("", lines, "\n".join(lines))))
    finally:
        prefixes._PART = before


@given(LINES)
def it_cuts_out_the_same_lines(lines):
    body = "\n".join(lines)
    whole, cut = body.split("\n"), LazyLines(body)
    assert list(cut) == whole and len(cut) == len(whole)
    assert [cut[at] for at in range(-len(whole), len(whole))] == whole + whole
    assert cut[1:4] == whole[1:4] and cut[::-1] == whole[::-1] and cut[-2:] == whole[-2:]
