"""Lines that differ in their digits only are of one kind: what a pattern finds in one of them it finds in all.

Logs repeat a few kinds of lines thousands of times. A pattern is searched in one line of each kind, every digit of
which is written 0, and the pattern too; only where it may match is it searched in the text itself.
"""
from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import compress
from re import (
    DOTALL,
    LOCALE,
    MULTILINE,
    _compiler,  # type: ignore[attr-defined]
    _parser,  # type: ignore[attr-defined]
)
from re import _constants as op  # type: ignore[attr-defined]

_ZEROS = bytes(48 if 48 <= c <= 57 else c for c in range(256))
_MOST = 4 << 20  # characters of distinct lines; a text of more is searched itself
_KEPT, _SHORT = 2000, 160  # kinds of lines whose answers to a question are kept; characters of the longest of them
_DIGITS = range(ord("0"), ord("9") + 1)
_BREAK = ord("\n")
_SPACES = (op.CATEGORY_SPACE, op.CATEGORY_NOT_DIGIT, op.CATEGORY_NOT_WORD)  # that hold the line feed


def folded(text: str) -> str:
    """The text with every digit of ASCII written 0."""
    return text.encode("utf-8", "surrogatepass").translate(_ZEROS).decode("utf-8", "surrogatepass")


def distinct(parts: Iterable[Iterable[str]]) -> str | None:
    """One line of each kind, a line feed before each; None where they are too long to be of use."""
    seen: dict[str, None] = {}
    size = 0
    for part in parts:
        before = len(seen)
        seen.update(dict.fromkeys(part))
        size += sum(map(len, list(seen)[before:])) if len(seen) > before else 0
        if size > _MOST:
            return None
    return "\n" + "\n".join(seen)


def places(kinds: Sequence[str], each: frozenset[str], may: Callable[[str], object]) -> Iterator[int]:
    """Which of the lines are of a kind that passes; `each` holds every kind once."""
    passes = _asked(may).passing(each) if len(each) <= _KEPT else dict.fromkeys(filter(may, each), True)
    return compress(range(len(kinds)), map(passes.__contains__, kinds)) if passes else iter(())


class _Asked:
    """What one question was answered for kinds of short lines: files of one tool are made of the same kinds."""

    def __init__(self, may: Callable[[str], object]) -> None:
        self._may = may
        self._known: set[str] = set()
        self._pass: set[str] = set()

    def passing(self, each: frozenset[str]) -> Collection[str]:
        """Those of the kinds that pass."""
        if len(self._known) + len(each) > 2 * _KEPT:
            self._known.clear()
            self._pass.clear()
        long = []
        for kind in each.difference(self._known):
            passes = self._may(kind)
            if len(kind) > _SHORT:
                long += [kind] if passes else []
                continue
            self._known.add(kind)
            if passes:
                self._pass.add(kind)
        found = each.intersection(self._pass)
        return found.union(long) if long else found


@lru_cache(200)
def _asked(may: Callable[[str], object]) -> _Asked:
    return _Asked(may)


class Unsure(Exception):
    """A pattern of which lines with other digits, or lines alone, do not tell enough."""


def of_kinds(tree: _parser.SubPattern, flags: int) -> tuple[_parser.SubPattern, bool]:
    """A pattern that matches a kind of lines wherever the given one matches a line of it; whether also only there.

    Raises Unsure where a match may go over the end of a line, or where there is no telling.
    """
    if flags & (DOTALL | LOCALE):
        raise Unsure
    exact = [True]
    found = _sequence(tree, bool(flags & MULTILINE), exact)
    return found, exact[0]


@lru_cache(1000)
def matcher(pattern: re.Pattern[str]) -> Callable[[str], object]:
    """What matches a kind of lines wherever the pattern matches a line of it."""
    try:
        tree, exact = of_kinds(_parser.parse(pattern.pattern, pattern.flags), pattern.flags)
    except Unsure:
        return _anything
    return pattern.match if exact else _compiler.compile(tree, pattern.flags).match


def _anything(_: str) -> bool:
    """Passes every line: of such a pattern nothing is told by kinds."""
    return True


def _sequence(tree: _parser.SubPattern, multiline: bool, exact: list[bool]) -> _parser.SubPattern:
    return _parser.SubPattern(tree.state, [_part(kind, value, multiline, exact) for kind, value in tree])


def _part(kind, value, multiline: bool, exact: list[bool]):
    """One part of a pattern. `exact` is cleared where it became wider."""
    if kind is op.LITERAL:
        return kind, _letter(value, exact)
    if kind is op.IN:
        return kind, _negated(value, exact) if value[0][0] is op.NEGATE else _set(value, exact)
    if kind is op.AT:
        if value not in (op.AT_BOUNDARY, op.AT_NON_BOUNDARY) and not (multiline and value in (op.AT_BEGINNING, op.AT_END)):
            raise Unsure
        return kind, value
    if kind is op.ANY or (kind is op.NOT_LITERAL and value == _BREAK):
        return kind, value
    if kind is op.BRANCH:
        return kind, (value[0], [_sequence(one, multiline, exact) for one in value[1]])
    if kind is op.SUBPATTERN and not value[1] & DOTALL:
        return kind, (*value[:3], _sequence(value[3], multiline, exact))
    if kind in (op.MAX_REPEAT, op.MIN_REPEAT):
        return kind, (*value[:2], _sequence(value[2], multiline, exact))
    return kind, _unchanged(kind, value, multiline)


def _unchanged(kind, value, multiline: bool):
    """Parts that a wider content could make narrower stay as they are, or there is no telling."""
    content = {op.POSSESSIVE_REPEAT: 2, op.ASSERT: 1, op.ASSERT_NOT: 1}.get(kind)
    if content is None and kind is not op.ATOMIC_GROUP:
        raise Unsure
    exact = [True]
    _sequence(value if content is None else value[content], multiline, exact)
    if not exact[0]:
        raise Unsure
    return value


def _letter(code: int, exact: list[bool]) -> int:
    if code == _BREAK:
        raise Unsure
    if code in _DIGITS:
        exact[0] = False
        return _DIGITS[0]
    return code


def _set(members: list, exact: list[bool]) -> list:
    if any(_holds(member, _BREAK) for member in members):
        raise Unsure
    some = [digit for digit in _DIGITS if any(_holds(member, digit) for member in members)]
    if some and len(some) < len(_DIGITS):
        exact[0] = False
        return [*members, (op.LITERAL, _DIGITS[0])]
    return members


def _negated(members: list, exact: list[bool]) -> list:
    inner = members[1:]
    if not any(_holds(member, _BREAK) for member in inner):
        raise Unsure
    some = [digit for digit in _DIGITS if any(_holds(member, digit) for member in inner)]
    if some and len(some) < len(_DIGITS):
        raise Unsure
    return members


def _holds(member: tuple, code: int) -> bool:
    """Whether a member of a set is, or holds, the character: a digit or the line feed."""
    kind, value = member
    if kind is op.LITERAL:
        return value == code
    if kind is op.RANGE:
        return value[0] <= code <= value[1]
    if code == _BREAK:
        return value in _SPACES
    return value in (op.CATEGORY_DIGIT, op.CATEGORY_WORD, op.CATEGORY_NOT_SPACE)
