"""The prefilter passes on whatever an anchor matches, and what an anchor declares of itself holds."""

from __future__ import annotations

import re
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from ingest import line_shapes
from ingest.detect import prefilter
from ingest.detect.detect import _prefilter
from ingest.detect.prefilter import Prefilter
from ingest.plugin_api import Anchor
from ingest.tests.thinning import examples
from ingest.text.decode import read_text
from ingest.text.lines import Text

EVERYBODY, PREFILTER = _prefilter()
SAMPLES = sorted(path for path in (Path(__file__).parent / "samples").rglob("*.*") if path.suffix != ".jsonl")
DECLARED = [
    pytest.param(pattern, literals, id=f"{one.name}-{at}")
    for one in EVERYBODY
    if one.anchor
    for at, (pattern, literals) in enumerate(one.anchor.alternatives)
]


def _text(body: str) -> Text:
    return Text("", body.split("\n"), body)


def _by_anchors(body: str) -> list[int]:
    return [at for at, one in enumerate(EVERYBODY) if one.anchor is None or one.anchor.search(body)]


def _faults(pattern: re.Pattern[str], literals: tuple[str, ...], body: str) -> list[str]:
    """What is wrong with the declaration of a pattern, told by its matches in a text."""
    found = []
    for match in pattern.finditer(body):
        end = body.find("\n", match.end())
        lines = body[body.rfind("\n", 0, match.start()) + 1 : end if end >= 0 else len(body)]
        low = prefilter.fold_case(line_shapes.fold_digits(lines))
        if literals and not any(literal in low for literal in literals):
            found.append(f"no literal in {match[0]!r}")
        if not any(pattern.search(f"\n{line_shapes.fold_digits(line)}\n") for line in body.split("\n")):
            found.append(f"tells digits apart or goes over lines: {match[0]!r}")
    return found


def _proven(pattern: re.Pattern[str], literals: tuple[str, ...], examples: int) -> None:
    """Raises AssertionError where a text made from the pattern shows that its declaration is wrong."""

    @settings(max_examples=examples, deadline=None, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(body=st.from_regex(re.compile(pattern.pattern, pattern.flags)))
    def holds(body: str) -> None:
        assert not _faults(pattern, literals, body)

    holds()


@pytest.mark.hypothesis
@pytest.mark.parametrize(("pattern", "literals"), DECLARED)
def it_finds_a_literal_in_whatever_the_pattern_matches(pattern, literals):
    _proven(pattern, literals, examples(60))


def it_finds_a_literal_in_every_match_in_the_samples():
    for path in SAMPLES:
        text, _ = read_text(path.name, path.read_bytes())
        for case in DECLARED if text is not None else ():
            assert not _faults(*case.values, text.body), (path.name, case.id)


@pytest.mark.parametrize(
    ("pattern", "flags", "literals"),
    [
        ("speed: |rate", 0, ("speed",)),  # the second alternative has none
        ("colou?r", 0, ("color",)),  # the letter may be there
        ("Speed", 0, ("Speed",)),  # literals are in small letters
        (r"v\d", 0, ("v1",)),  # and digits are written 0
        ("version [3-9]", 0, ("version",)),  # tells digits apart
        ("ext4", 0, ()),
        (r"head\nrow", 0, ("head",)),  # goes over lines
        (r"^head", 0, ("head",)),  # begins the text, rather than a line
    ],
)
def it_is_proven_wrong_of_a_wrong_declaration(pattern, flags, literals):
    with pytest.raises(AssertionError):
        _proven(re.compile(pattern, flags), literals, 200)


def it_agrees_with_the_anchors_on_every_sample():
    for path in SAMPLES:
        text, _ = read_text(path.name, path.read_bytes())
        for _ in range(2 if text is not None else 0):  # the second time it knows these kinds of lines
            assert list(PREFILTER.matching(text)) == _by_anchors(text.body), path.name


@pytest.mark.parametrize(
    ("pattern", "flags", "literals", "texts"),
    [
        ("abc|[dD]ef", 0, ("abc", "def"), ["xabcx", "def", "Def", "ABC", ""]),
        ("(?i:speed): x", 0, ("speed:",), ["SPEED: x", "\u017fpeed: x", "speed:"]),
        ("kind", re.I, ("kind",), ["KIND", "\u212aIND", "k\u0130nd", "k\u0131nd", "kin"]),
        (r"^\d+ [a-z]", re.M, ("0 ",), ["1 a", "x\n27 b", "a"]),
        (r"^\d+ [a-z]", re.M, (), ["1 a", "x\n27 b", "a"]),
    ],
)
def it_agrees_with_any_pattern(pattern, flags, literals, texts):
    compiled = re.compile(pattern, flags)
    found = Prefilter([Anchor(compiled, "|".join(literals)), None])
    for body in texts:
        assert list(found.matching(_text(body))) == ([0, 1] if compiled.search(body) else [1]), body


def it_tells_the_same_of_kinds_of_lines_that_were_met_before():
    anchors = [
        Anchor(re.compile(r"^speed: \d", re.M), "speed"),
        Anchor(re.compile("rate"), "rate") | Anchor(re.compile(r"^no \d\d", re.M)),
    ]
    remembering = Prefilter(anchors)
    for body in ["speed: 1\nx", "speed: 3\nx", "x\nno 12", "no 1\nx\nspeed: 3", "x", "hall\nrate", "no rate"] * 2:
        expected = [at for at, anchor in enumerate(anchors) if anchor.search(body)]
        assert list(remembering.matching(_text(body))) == list(Prefilter(anchors).matching(_text(body))) == expected


def it_copies_no_long_text():
    body = "".join(f"{word:x} words\n".translate(str.maketrans("0123456789", "ghijklmnop")) for word in range(700_000))
    text = Text("", ["x"], body + "speed: 7\n")
    text._distinct_lines = None  # as of a text whose lines are too many
    found = Prefilter([Anchor(re.compile(r"^speed: \d", re.M), "speed"), Anchor(re.compile("^rate", re.M), "rate")])
    tracemalloc.start()
    assert list(found.matching(text)) == [0]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < len(body)
