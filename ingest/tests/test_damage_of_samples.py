"""Damage to a log changes only what stands on, or depends on, a damaged line; and no bytes raise."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.detect.detect import parsers
from ingest.records import Doubt, MissingValue, Value
from ingest.tests.thinning import examples, some
from ingest.text.decode import read_text
from ingest.text.lines import Text

PARSERS = [parser for parser in parsers() if parser.parse]
SAMPLES = [
    path
    for path in sorted((Path(__file__).parent / "samples").glob("*/*"))
    if path.suffix not in (".jsonl", ".xls") and path.parent.name != "context"
]
LINES = {path: text.lines for path in SAMPLES if (text := read_text(path.name, path.read_bytes())[0]) is not None}


def items(lines: Iterable[str]) -> list[Value | Doubt]:
    body = "\n".join(lines)
    text = Text("t", body.split("\n"), body)
    return [item for parser in PARSERS if parser.anchor.search(body) for item in parser.parse(text)]  # type: ignore[union-attr,misc]


def identity(value: Value) -> tuple[object, ...]:
    told = sorted((key, str(what)) for key, (what, _) in value.printed_config.items())
    # Whether a job of fio is a part, and what ran beside it, follows from all jobs and lines of the group.
    of_group = ("part", "fio.beside") if value.tool == "fio" else ()
    params = sorted((key, str(what)) for key, what in value.params.items() if key not in of_group)
    return (
        value.tool,
        value.metric,
        value.native,
        value.value,
        value.raw,
        value.stat,
        value.tool_version,
        value.tool != "fio" and value.started_at,  # which follows from the run times of all later jobs, too
        value.same_as is not None,
        tuple(params),
        tuple(told),
    )


class Intact:
    """What the undamaged text gives."""

    def __init__(self, lines: list[str]) -> None:
        values = [item for item in items(lines) if isinstance(item, Value)]
        self.known = {identity(value) for value in values}
        self.depends: dict[tuple[object, str], set[int]] = defaultdict(set)
        for value in values:
            self.depends[value.line, value.raw] |= {*value.depends}

    def invented(self, lines: Iterable[str], touched: int, shift: int = 0, cut: bool = False) -> list[Value]:
        """Values that neither the intact text has nor the touched line explains. `shift`: lines lost (1) or added (-1).

        `cut`: every line after the touched one is gone, too.
        """

        def hit(line: int) -> bool:
            return line == touched or (cut and line > touched)

        def back(line: int) -> int:
            return line if line < touched or (shift <= 0 and line == touched) else line + shift

        return [
            value
            for value in items(lines)
            if isinstance(value, Value)
            and not (value.tool == "fio" and value.params.get("part") == "group")
            and identity(value) not in self.known
            and back(int(value.line)) != touched
            and touched not in map(back, value.depends)
            and not any(map(hit, self.depends[back(int(value.line)), value.raw]))
        ]


@pytest.mark.hypothesis
@pytest.mark.parametrize("path", some(SAMPLES), ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_damage_stays_where_it_is(path: Path) -> None:
    lines, intact = LINES[path], Intact(LINES[path])

    @settings(max_examples=examples(10), deadline=None)
    @given(st.integers(0, len(lines) - 1), st.integers(0, 200))
    def check(at: int, column: int) -> None:
        half = lines[at][:column]
        assert intact.invented(lines[:at] + lines[at + 1 :], at + 1, 1) == []
        assert intact.invented([*lines[: at + 1], *lines[at:]], at + 1, -1) == []
        assert intact.invented([*lines[:at], half], at + 1, cut=True) == []
        assert intact.invented([*lines[:at], half, *lines[at + 1 :]], at + 1) == []

    check()


@pytest.mark.parametrize(
    ("name", "line", "column", "rest"),
    [
        ("bonnie++/bon-csv2html-103.txt", 1, None, True),
        ("bonnie++/bon-csv2html-200.txt", 6, 52, True),
        ("bonnie++/bon-csv2html-200.txt", 8, 52, True),
        ("bonnie++/bon-csv2txt-200.txt", 6, None, True),
        ("bonnie++/csv-103-and-report.txt", 8, 0, False),
        ("bonnie++/dashes-of-a-typesetter.md", 5, None, True),
        ("bonnie++/titles-without-their-first-line.txt", 11, None, True),
        ("dd/commands-first-outputs-below.md", 9, None, True),
        ("dd/labels-and-headings.md", 9, 1, True),
        ("dd/last-lines-quoted.txt", 9, 2, False),
        ("du/du-and-ratio-after-rsync.txt", 4, None, True),
        ("du/ratios-asked-in-several-ways.txt", 8, None, True),
        ("fdtree/failed-and-cut.txt", 17, None, True),
        ("fio/wrapped-by-mail.txt", 25, 15, True),
        ("hdparm/cached-buffered-direct.txt", 1, None, True),
        ("hdparm/command-alone-names-the-device.md", 9, None, True),
        ("io500/result-txt-stonewall.txt", 11, 22, True),
        ("ior/2.10.3-summary-only.txt", 46, 165, True),
        ("ior/2.10.3-summary-wrapped.txt", 50, 60, True),
        ("iozone/throughput-wrapped-by-a-mailer.txt", 11, 55, True),
        ("rsync/blanks-lost-and-breaks-of-a-page.md", 5, None, True),
        ("rsync/log-error-and-cut.txt", 4, None, True),
        ("rsync/wrapped-by-mail.txt", 9, None, True),
        ("rsync/wrapped-by-mail.txt", 16, None, True),
        ("time/gnu-time.txt", 5, None, True),
        ("time/gnu-time-filtered.txt", 7, None, True),
        ("time/side-by-side.txt", 7, 3, True),
        ("time/tcsh-set-time.txt", 2, None, True),
        ("time/zsh-timefmt.txt", 13, 2, True),
        ("zpool-iostat/latencies-of-two-pools.txt", 19, 42, True),
    ],
)
def test_damage_that_a_walk_through_every_byte_found(name: str, line: int, column: int | None, rest: bool) -> None:
    """`column`: where the line was cut, None where it is gone; `rest`: whether the lines below it are there."""
    lines = LINES[Path(__file__).parent / "samples" / name]
    half = [] if column is None else [lines[line - 1][:column]]
    damaged = [*lines[: line - 1], *half, *(lines[line:] if rest else [])]
    assert Intact(lines).invented(damaged, line, shift=int(column is None), cut=not rest) == []


@given(st.sampled_from(SAMPLES), st.data())
@settings(max_examples=examples(150), deadline=None)
def test_no_text_raises(path: Path, data: st.DataObject) -> None:
    lines = list(LINES[path])
    for _ in range(4):
        at = data.draw(st.integers(0, len(lines) - 1))
        lines[at] = data.draw(
            st.one_of(
                st.text(max_size=40),
                st.sampled_from(lines),
                st.just(lines[at] * 3),
                st.just(lines[at].replace(" ", "")),
                st.just(lines[at][::-1]),
                st.just(lines[at].replace("1", "nan")),
            )
        )
    for item in items(lines):
        assert isinstance(item, Value | MissingValue | Doubt)
        if isinstance(item, Value):
            assert item.raw in "\n".join(lines).split("\n")[int(item.line) - 1]


@given(st.sampled_from(SAMPLES), st.data())
@settings(max_examples=examples(250), deadline=None)
def test_no_bytes_raise(path: Path, data: st.DataObject) -> None:
    body = "\n".join(LINES[path])
    at = data.draw(st.integers(0, len(body)))
    odd = st.one_of(st.characters(codec="utf-8"), st.sampled_from("0123456789+,.:() \nkMGs/="))
    wild = data.draw(st.text(odd, max_size=40))
    found = items((body[:at] + wild + body[at + len(wild) // 2 :]).split("\n"))
    assert all(item.value == item.value for item in found if isinstance(item, Value))


@pytest.mark.parametrize("path", some(SAMPLES), ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_raw_stands_on_its_line_and_reading_is_pure(path: Path) -> None:
    once, again = items(LINES[path]), items(LINES[path])
    assert [repr(item) for item in once] == [repr(item) for item in again]
    for item in once:
        assert not isinstance(item, Value) or item.raw in LINES[path][int(item.line) - 1]
