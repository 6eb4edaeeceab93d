"""A pattern that is compiled late does what a compiled one does, and few are compiled at the start."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from ingest.detect import detect
from ingest.lazy_regex import compile_all, lazy

ROOT = Path(__file__).resolve().parent.parent.parent
_AT_THE_START = """
import ingest.__main__
from ingest import lazy_regex as patterns
from ingest.detect import detect as recognise
recognise._prefilter(), recognise._wide_lines()
compiled = type(patterns._patterns[0]).flags
def is_compiled(one):
    try:
        return bool(compiled.__get__(one))
    except AttributeError:
        return False
print(len(patterns._patterns), sum(map(is_compiled, patterns._patterns)))
"""


@pytest.mark.parametrize(
    ("call", "given"),
    [
        ("match", ("Ab 12",)),
        ("search", ("x ab 12", 1)),
        ("fullmatch", ("aB 7",)),
        ("findall", ("ab 1 ab 22",)),
        ("split", ("ab 1, c",)),
        ("sub", (r"<\g<n>>", "ab 1 ab 22")),
        ("subn", ("", "ab 1 ab 22")),
        ("finditer", ("ab 1 ab 22",)),
    ],
)
def test_it_does_what_a_compiled_one_does(call: str, given: tuple) -> None:
    def told(found: object) -> object:
        if found is not None and call in ("match", "search", "fullmatch"):
            return found.span(), found["n"]  # type: ignore[attr-defined, index]
        return [one.span() for one in found] if call == "finditer" else found  # type: ignore[attr-defined]

    ours, plain = lazy(r"ab (?P<n>\d+)", re.I), re.compile(r"ab (?P<n>\d+)", re.I)
    wanted = told(getattr(plain, call)(*given))
    assert wanted and told(getattr(ours, call)(*given)) == told(getattr(ours, call)(*given)) == wanted


def test_it_tells_what_a_compiled_one_tells() -> None:
    ours, plain = lazy(rb"(a)(?P<b>b)", re.M), re.compile(rb"(a)(?P<b>b)", re.M)
    for fact in ("pattern", "flags", "groups", "groupindex"):
        assert getattr(ours, fact) == getattr(plain, fact)
    with pytest.raises(AttributeError, match="nothing"):
        ours.nothing  # type: ignore[attr-defined] # noqa: B018


def test_a_match_tells_which_one_it_is_of() -> None:
    ours, other = lazy("a+"), lazy("b+")
    found = ours.match("aa")
    assert found is not None and found.re == ours and found.re != other
    assert other.match("b") and found.re != other and {ours: 1}[ours] == 1


def test_a_fault_shows_when_it_is_used() -> None:
    pattern = lazy("(")
    with pytest.raises(re.error):
        pattern.match("")
    from ingest import lazy_regex

    lazy_regex._patterns.remove(pattern)  # type: ignore[arg-type]


def test_every_pattern_of_ours_can_be_compiled() -> None:
    detect.parsers(), detect.readers()
    assert compile_all() > 500


def test_of_all_patterns_few_are_compiled_at_the_start() -> None:
    """Some thousand took more than half of the start."""
    done = subprocess.run([sys.executable, "-c", _AT_THE_START], cwd=ROOT, capture_output=True, text=True, check=True)
    there, compiled = map(int, done.stdout.split())
    assert 0 < compiled < there / 8
