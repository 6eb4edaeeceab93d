"""The sieve before the anchors passes everything on that they match."""
from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingest.decoding import read_text
from ingest.needs import Sieve
from ingest.recognise import _sieve

EVERYBODY, SIEVE = _sieve()
ANCHORS = [one.anchor for one in EVERYBODY]
SAMPLES = sorted(path for path in (Path(__file__).parent / "samples").rglob("*.*") if path.suffix != ".jsonl")


def _by_anchors(body: str) -> list[int]:
    return [at for at, anchor in enumerate(ANCHORS) if anchor is None or anchor.search(body)]


def it_agrees_with_the_anchors_on_every_sample():
    for path in SAMPLES:
        text, _ = read_text(path.name, path.read_bytes())
        if text is not None:
            assert list(SIEVE.matching(text.body)) == _by_anchors(text.body), path.name


@pytest.mark.parametrize("one", [one for one in EVERYBODY if one.anchor], ids=lambda one: one.name)
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def it_passes_on_whatever_an_anchor_matches(one, data):
    body = data.draw(st.from_regex(one.anchor))
    assert list(SIEVE.matching(body)) == _by_anchors(body)


@pytest.mark.parametrize(
    ("pattern", "flags", "texts"),
    [
        ("abc|[dD]ef", 0, ["xabcx", "def", "Def", "ABC", ""]),
        ("(?i:speed): x|rate", 0, ["SPEED: x", "\u017fpeed: x", "speed:", "rate", "RATE"]),
        ("k{2,}x", re.I, ["kkx", "KKX", "\u212a\u212ax", "kx"]),
        ("(?:ab)?c d|(e)f", 0, ["c d", "abc d", "ef", "e"]),
        (r"(a)b\1|cd", 0, ["aba", "cd", "ab"]),
        ("(?=.*value)metric|(?!no)yes", 0, ["metric value", "metric", "yes"]),
        ("\u00e9t\u00e9 ok", 0, ["\u00e9t\u00e9 ok", "ete ok"]),
        ("[0-9]+ [a-z]", 0, ["1 a", "a"]),
        ("a(?-i:B)c", re.I, ["ABC", "aBc", "abc"]),
        ("", 0, ["", "x"]),
    ],
)
def it_agrees_with_any_pattern(pattern, flags, texts):
    compiled = re.compile(pattern, flags)
    sieve = Sieve([compiled, None])
    for text in texts:
        assert list(sieve.matching(text)) == ([0, 1] if compiled.search(text) else [1]), text
