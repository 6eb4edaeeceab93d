"""The sieve before the anchors passes everything on that they match."""
from __future__ import annotations

import re
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingest import needs
from ingest.decoding import read_text
from ingest.needs import Sieve
from ingest.recognise import _sieve
from ingest.text import Text

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
            assert list(SIEVE.matching(text.body, text.alike)) == _by_anchors(text.body), path.name
            for _ in range(2):  # the second time it knows what these kinds hold and lack
                assert list(SIEVE.matching(text.body, text.alike, text.each)) == _by_anchors(text.body), path.name


@pytest.mark.parametrize("one", [one for one in EVERYBODY if one.anchor], ids=lambda one: one.name)
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def it_passes_on_whatever_an_anchor_matches(one, data):
    body = data.draw(st.from_regex(re.compile(one.anchor.pattern, one.anchor.flags)))
    assert list(SIEVE.matching(body)) == _by_anchors(body)
    assert list(SIEVE.matching(body, Text("", body.split("\n"), body).alike)) == _by_anchors(body)


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
        (r"a[12]b|x5|^7 y$", re.M, ["a1b", "a3b", "a0b", "x5", "x6", "z\n7 y\n", "8 y", "7 yy"]),
        (r"[^\n5]q|[^\W\d]9|(?<!3)k|(?>1?)1w", 0, ["5q", "4q", "_9", "_8", "39", "3k", "4k", "k", "1w", "11w"]),
        (r"(\d)\1x|p\s7|\A0u|t(?!3)", 0, ["22x", "23x", "p\n7", "p 8", "0u", "1u", "a\n0u", "t3", "t4"]),
        ("(?s:a.8)|b\n5|\u0663e", 0, ["a\n8", "a\n7", "b\n5", "b\n6", "\u0663e", "\u0664e"]),
    ],
)
def it_agrees_with_any_pattern(pattern, flags, texts):
    compiled = re.compile(pattern, flags)
    sieve = Sieve([compiled, None])
    for text in texts:
        expected = [0, 1] if compiled.search(text) else [1]
        assert list(sieve.matching(text)) == expected, text
        assert list(sieve.matching(text, Text("", text.split("\n"), text).alike)) == expected, text


def it_tells_the_same_of_kinds_that_were_met_before():
    patterns = [re.compile(one, re.M) for one in (r"^speed: \d", r"speed: [12]$", r"rate|^no \d\d", r"a\nb", r"(\w)\1")]
    remembering = Sieve(patterns)
    bodies = ["speed: 1\nx", "speed: 3\nx", "x\nno 12", "no 1\nx\nspeed: 3", "a\nb", "x\na", "hall\nrate", "x", "speed: 12"] * 2
    for body in bodies:
        text = Text("log.txt", body.split("\n"), body)
        fresh = list(Sieve(patterns).matching(body))
        assert list(remembering.matching(body, text.alike, text.each)) == fresh == [
            at for at, pattern in enumerate(patterns) if pattern.search(body)]


def it_finds_lines_of_a_long_text_that_is_not_copied(monkeypatch):
    monkeypatch.setattr(needs, "_LONG", 12)
    patterns = [re.compile(one, re.M) for one in (r"^speed: \d", r"^no$", r"^last\b")]
    bodies = "speed: 1\nx\nlong enough", "x\nlong enough\nspeed: 1", "no", "no\nlong enough it is\nlast", " no\nno last\nnot last"
    for body in bodies:
        assert list(Sieve(patterns).matching(body)) == [at for at, pattern in enumerate(patterns) if pattern.search(body)]


def it_copies_no_long_text(monkeypatch):
    monkeypatch.setattr(needs, "_LONG", 1 << 16)
    monkeypatch.setattr(needs, "_AT_ONCE", 1 << 14)
    body, sieve = "some words\n" * 200_000, Sieve([re.compile(r"^(?:speed|rate): \d", re.M)])
    assert list(sieve.matching("speed: 1")) == [0]
    tracemalloc.start()
    assert list(sieve.matching(body)) == []
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < len(body)
