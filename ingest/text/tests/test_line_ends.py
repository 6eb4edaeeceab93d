"""Patterns searched in a whole text stay within a line, but where they name the line end.

`\\s` and `\\W` match a line feed, and so do classes of what is not meant: with them the figure of one line can be taken for
that of the next, and `^\\s*` begins on the blank line before. Whoever means to go on into the next line writes `\\n`, or
lets the dot match it (tags of pages).
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from re import (
    _constants as op,  # type: ignore[attr-defined]
)
from re import (
    _parser,  # type: ignore[attr-defined]
)
from types import ModuleType

import pytest

import ingest
from ingest.detect.detect import parsers as all_parsers
from ingest.detect.detect import readers
from ingest.lazy_regex import lazy
from ingest.text.commands import find_commands
from ingest.text.lines import Text

_FEED = ord("\n")
_REPEATS = (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT)
_SPACES = (op.CATEGORY_SPACE, op.CATEGORY_NOT_DIGIT, op.CATEGORY_NOT_WORD)
_SEARCHED = re.compile(r"\b(\w+)\.(?:search|finditer|findall)\((?:text\.)?body\b")


def unmeant(tree) -> Iterator[str]:
    """The parts of a pattern that match a line feed without naming it, but for what only blank ends of the text follow."""
    items = list(tree)
    while items and items[-1] == (op.AT, op.AT_END_STRING):
        items.pop()
        if items and items[-1][0] in _REPEATS:
            items.pop()
    for kind, value in items:
        for part in _parts_inside(kind, value):
            yield from unmeant(part)
        if _takes(kind, value):
            yield f"{kind} {value}"


def _parts_inside(kind, value) -> list:
    """The patterns inside one item of a parsed pattern."""
    if kind in _REPEATS:
        return [value[2]]
    if kind is op.SUBPATTERN:
        return [value[3]]
    if kind is op.ATOMIC_GROUP:
        return [value]
    if kind in (op.ASSERT, op.ASSERT_NOT):  # what only looks at the next character takes nothing
        return [value[1]] if value[1].getwidth()[1] > 1 else []
    if kind is op.BRANCH:
        return list(value[1])
    return [branch or () for branch in value[1:]] if kind is op.GROUPREF_EXISTS else []


def _takes(kind, value) -> bool:
    if kind is op.IN:
        held = any(_holds(*one) for one in value)
        return held != ((op.NEGATE, None) in value) and (op.LITERAL, _FEED) not in value
    return kind is op.NOT_LITERAL and value != _FEED


def _holds(kind, value) -> bool:
    """Whether a part of a class holds the line feed."""
    if kind is op.CATEGORY:
        return value in _SPACES
    return (kind is op.LITERAL and value == _FEED) or (kind is op.RANGE and value[0] <= _FEED <= value[1])


def parts(pattern: re.Pattern[str]) -> list[str]:
    if pattern.flags & re.S:
        return []
    tree = _parser.parse(pattern.pattern, pattern.flags)
    # Alternatives alone, so that each has an end of its own.
    trees = tree[0][1][1] if len(tree) == 1 and tree[0][0] is op.BRANCH else [tree]
    return [one for branch in trees for one in unmeant(branch)]


def modules() -> Iterator[ModuleType]:
    for info in pkgutil.walk_packages(ingest.__path__, "ingest."):
        if not info.ispkg and info.name != "ingest.__main__" and ".tests" not in info.name:
            yield importlib.import_module(info.name)


def is_pattern(one: object) -> bool:
    return isinstance(one, re.Pattern | type(lazy("")))


def searched() -> dict[str, re.Pattern[str]]:
    """Every pattern that is for whole texts: anchors, those of lines among others, those that a module searches a body for."""
    found = {
        f"{one.name} {name}": pattern
        for one in (*all_parsers(), *readers())
        for name in ("anchor", "follows")
        if is_pattern(pattern := getattr(one, name, None))
    }
    for module in modules():
        of_bodies = set(_SEARCHED.findall(inspect.getsource(module)))
        for name, pattern in vars(module).items():
            if is_pattern(pattern) and isinstance(pattern.pattern, str) and (pattern.flags & re.M or name in of_bodies):
                found[f"{module.__name__} {name}"] = pattern
    return found


def test_no_pattern_goes_over_a_line_end_that_it_does_not_name() -> None:
    patterns = searched()
    assert len(patterns) > 100
    assert {name: found for name, pattern in patterns.items() if (found := parts(pattern))} == {}


@pytest.mark.parametrize(
    ("pattern", "flags", "told"),
    [
        (r"a\s+b", 0, 1),
        (r"a[ \t]+b", 0, 0),
        (r"a[^\S\n]+b", 0, 0),
        (r"a[\s>|]b", 0, 1),
        (r"a[\n\s]b", 0, 0),
        (r"a\W{0,8}b", 0, 1),
        (r"a[^x]b", 0, 1),
        (r"a[^x\n]b", 0, 0),
        (r"a.b", 0, 0),
        (r"a.\s+b", re.S, 0),
        (r"a\s*\Z", 0, 0),
        (r"a(?=\s)", 0, 0),
        (r"a(?=\s+b)", 0, 1),
        (r"x|a\s*\Z|b\s*c", 0, 1),
        (r"(?:a\n\S*)*", 0, 0),
        (r"a[^\W\d]b", 0, 0),
        ("a[^:]", 0, 1),
    ],
)
def test_what_is_told(pattern: str, flags: int, told: int) -> None:
    assert len(parts(re.compile(pattern, flags))) == told


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("\n\n $ dd if=/dev/zero of=f\n", [(3, "dd if=/dev/zero of=f", None)]),  # not on the blank line before
        ("12:00:01\nroot@box:~# sync\n", [(2, "sync", "box")]),
        ("me@box MINGW64 /d/work\n$ dd if=/dev/zero of=f\n", [(1, "dd if=/dev/zero of=f", "box")]),  # a prompt in two lines
        ("me@example.org\n> dd gave 120 MB/s\n", [(2, "dd gave 120 MB/s", None)]),  # a quoted letter, whose host measured nothing
    ],
)
def test_where_a_prompt_stands(body: str, told: list[tuple[int, str, str | None]]) -> None:
    assert [(one.line, one.text, one.host) for one in find_commands(Text("t", body.split("\n"), body))] == told
