"""Damage to the samples of bonnie++, dd, time, rsync, fdtree, hdparm and du: no bytes raise, nothing is invented.

A value of a damaged text is one of the intact text, or stands on or depends on a touched line, or its line did before.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.parsers import bonnie, dd, du, fdtree, hdparm, rsync, timing
from ingest.records import Value
from ingest.roles import Parser
from ingest.tests.reading import read

FOLDERS = {"bonnie++": bonnie, "dd": dd, "du": du, "fdtree": fdtree, "hdparm": hdparm, "rsync": rsync, "time": timing}
CASES = [
    (module.PARSER, path)
    for name, module in FOLDERS.items()
    for path in sorted((Path(__file__).parent / "samples" / name).glob("*.txt"))
]
IDS = [f"{path.parent.name}-{path.stem}" for _, path in CASES]


@cache
def content(path: Path) -> str:
    """A sample as a person sees it: without carriage returns and terminal escapes."""
    from ingest.decoding import read_text

    text, _ = read_text(path.name, path.read_bytes())
    assert text is not None
    return "\n".join(text.lines)


def identity(value: Value) -> tuple[object, ...]:
    return value.tool, value.metric, value.value, value.raw


def invented(parser: Parser, path: Path, damaged: str, touched: int, shift: int) -> list[Value]:
    """Values that neither the intact text nor the touched line explains; lines behind it moved by `shift`."""
    intact = read(parser, content(path))[0]
    known = {identity(value) for value in intact}
    involved = {value.line for value in intact if touched in (value.line, *value.depends)}

    def before(line: int) -> int:
        return line if line < touched or not shift else line - shift

    return [
        value
        for value in read(parser, damaged)[0]
        if identity(value) not in known
        and before(int(value.line)) not in involved
        and touched
        not in {before(line) for line in (int(value.line), *value.depends)} | {int(value.line), *value.depends}
    ]


@pytest.mark.parametrize(("parser", "path"), CASES, ids=IDS)
def test_samples_give_something_and_always_the_same(parser: Parser, path: Path) -> None:
    first, again = read(parser, content(path)), read(parser, content(path))
    assert first == again
    assert first[0] or first[1]
    lines = content(path).split("\n")
    assert all(value.raw in lines[int(value.line) - 1] for value in first[0])


@settings(max_examples=12, deadline=None)
@given(data=st.data())
@pytest.mark.parametrize(("parser", "path"), CASES, ids=IDS)
def test_damage(parser: Parser, path: Path, data: st.DataObject) -> None:
    text = content(path)
    lines = text.split("\n")
    at = data.draw(st.integers(0, len(text)), label="cut")
    assert not invented(parser, path, text[:at], text[:at].count("\n") + 1, 0)
    line = data.draw(st.integers(0, len(lines) - 1), label="line")
    assert not invented(parser, path, "\n".join(lines[:line] + lines[line + 1 :]), line + 1, -1)
    assert not invented(parser, path, "\n".join(lines[: line + 1] + lines[line:]), line + 1, 1)


@settings(max_examples=25, deadline=None)
@given(data=st.data())
@pytest.mark.parametrize(("parser", "path"), CASES[::3], ids=IDS[::3])
def test_no_bytes_raise(parser: Parser, path: Path, data: st.DataObject) -> None:
    text = content(path)
    at = data.draw(st.integers(0, len(text)))
    wild = data.draw(
        st.text(st.one_of(st.characters(codec="utf-8"), st.sampled_from("0123456789+,.:() \nkMGs/=")), max_size=40)
    )
    values, _ = read(parser, text[:at] + wild + text[at + len(wild) // 2 :])
    assert all(value.value == value.value for value in values)
