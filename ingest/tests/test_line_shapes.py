"""What is told of one line of a kind holds for all lines of that kind."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.detect.detect import readers
from ingest.line_shapes import distinct_shapes, fold_digits
from ingest.tests.samples import FOLDER, outputs
from ingest.tests.thinning import examples
from ingest.text import commands
from ingest.text.decode import read_text
from ingest.text.lines import LinesWithGaps, Text

_PIECES = [
    "$ dd if=a",
    "root@vm:~# zfs list",
    "root@vm:",
    "[12:34]",
    "12:34:56 ",
    "(env) ",
    "[root@vm ~]# ",
    "# ls /tank",
    "+ cp a b",
    "bash-5.2# ",
    "> ",
    "~ $ sha1sum x",
    "tank% md5sum 7",
    "   root@vm:",
    "  12:34",
    " (env)",
    "\u279c x",
    "└─$ y",
    "",
    " ",
    "\t",
    "12 bytes",
    "a@b c",
    "PS C:\\x> y",
]


def _text(body: str) -> Text:
    return Text("file.txt", body.split("\n"), body)


def it_writes_every_digit_of_ascii_as_nought_and_nothing_else():
    assert fold_digits("a1b\u066322\udc80é9") == "a0b\u066300\udc80é0"


def it_keeps_one_line_of_each_kind():
    assert distinct_shapes([["a0", "b", "a0"], ["b", "c"]]) == "\na0\nb\nc"
    assert distinct_shapes([["x" * 5_000_000]]) is None


_BODY = "1 a\n2 b\n3 a\n\n4 a"


def it_asks_once_of_each_kind_of_short_lines_whatever_text_it_stands_in():
    asked = []

    def may(kind: str) -> bool:
        asked.append(kind)
        return "a" in kind

    long = "a" * 1000
    assert list(_text(f"1 a\n2 b\n{long}\n3 a").find_lines(may)) == [0, 2, 3]
    assert list(_text(f"7 b\n5 a\n{long}\nc").find_lines(may)) == [1, 2]
    assert sorted(asked) == ["0 a", "0 b", long, long, "c"]


@pytest.mark.parametrize("text", [_text(_BODY), Text("", LinesWithGaps(_BODY, []), _BODY)])
def it_finds_the_lines_of_the_kinds_that_pass(text):
    assert list(text.find_lines(lambda kind: kind == "0 a")) == [0, 2, 4]
    assert list(text.find_lines(lambda kind: "x" in kind)) == []


@pytest.mark.parametrize(("pattern", "lines"), [(r"^(\d) a$", [(1, "1"), (2, "2")]), (r"(\d) [^a]", [(3, "3")]), (r"\d x", [])])
def it_finds_the_lines_that_a_pattern_matches(pattern, lines):
    found = _text("1 a\n2 a\n3 b\nx").matches(re.compile(pattern, re.M))
    assert [(line, match[1]) for line, match in found] == lines


@pytest.mark.thorough
def it_finds_what_a_search_of_every_line_finds_by_each_pattern_that_is_asked_so(monkeypatch):
    asked, by_kinds = {}, Text.matches

    def matches(text, pattern):
        asked[pattern.pattern] = pattern
        return by_kinds(text, pattern)

    monkeypatch.setattr(Text, "matches", matches)
    texts = [text for path in outputs() for text, _ in [read_text(path.name, path.read_bytes())] if text is not None]
    for text in texts:
        for reader in readers():
            list(reader.read(text) if reader.read is not None else ())
    assert len(asked) > 10
    for pattern in asked.values():
        for text in texts:
            alone = [(at, match[0]) for at, line in enumerate(text.lines, 1) if (match := pattern.match(line))]
            assert [(at, match[0]) for at, match in by_kinds(text, pattern)] == alone


def _prompts(text: Text) -> list[tuple[int, str]]:
    return [(line, match[0]) for line, match in commands._prompts(text)]


def _searched(text: Text) -> list[tuple[int, str]]:
    return [(text.line_at(match.start()), match[0]) for match in commands._PROMPT.finditer(text.body)]


def it_finds_the_prompts_that_a_search_of_the_whole_text_finds():
    for path in outputs():
        text, _ = read_text(path.name, path.read_bytes())
        if text is not None:
            assert _prompts(text) == _searched(text), path.relative_to(FOLDER)


@settings(deadline=None, max_examples=examples(300))
@given(st.lists(st.tuples(st.sampled_from(_PIECES), st.sampled_from(["\n", "\n", "\n\n", " ", ""])), max_size=12))
def it_finds_prompts_that_go_over_lines(pieces):
    text = _text("".join(piece + end for piece, end in pieces))
    assert _prompts(text) == _searched(text)
