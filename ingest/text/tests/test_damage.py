"""NUL bytes, as a crash leaves them in a log, and digits without end: nothing is joined over them, what stands about them stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingest import read
from ingest.records import LOST, Doubt, Measurement, Value, Warning
from ingest.text.decode import drop_damaged_values, mark_endless_digits, mark_nul_bytes


@pytest.mark.parametrize(
    ("text", "becomes"),
    [
        ("1\x004 ms", f"1{LOST}4 ms"),
        ("a \0\0\0 b", f"a {LOST * 3} b"),  # what follows stays in its column
        ("\0\0\0real 1", "real 1"),  # a log that was emptied while its writer held it open
        ("x\n\0\0\0\ny", "x\n\ny"),
        ("r\0e\0a\0l\0\n\0u\0s\0", "real\nus"),  # two bytes a character behind one byte a character
        ("x\n" + "\0" * 5000 + "y", "x\n" + LOST * 256 + "y"),
    ],
)
def test_nuls_are_marked_where_they_stand_for_characters(text: str, becomes: str) -> None:
    assert mark_nul_bytes(text) == becomes


@pytest.mark.parametrize(
    ("line", "raw", "whole"),
    [
        (f"12{LOST}4 5", "12", False),
        (f"12{LOST}4 5", "4", False),
        (f"12{LOST}4 5", "5", True),
        (f"1{LOST}4ms 144ms", "144ms", True),
        (f"{LOST}.52 bytes/sec", ".52", False),
    ],
)
def test_a_figure_beside_what_is_lost_is_not_taken(line: str, raw: str, whole: bool) -> None:
    value = Value(1, "t", "read.latency", "n", 1.0, "s", raw, "s", 1)
    kept, doubts = drop_damaged_values([value], [line])
    assert (bool(kept), [doubt.code for doubt in doubts]) == (whole, [] if whole else ["bad-number"])


def test_a_nul_in_a_figure_costs_that_figure_only(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(b"$ time tar xf a.tar\nreal\t0m1\x00.035s\nuser\t0m0.100s\nsys\t0m0.200s\n")
    records = list(read([log]))
    assert [(r.metric, r.raw) for r in records if isinstance(r, Measurement)] == [
        ("extract.user", "0m0.100s"),
        ("extract.sys", "0m0.200s"),
    ]
    assert 2 in {r.line for r in records if isinstance(r, Warning)}


@pytest.mark.parametrize(("digits", "seconds"), [(20, "0m1.035s"), (149, "0m1.035s"), (150, None), (5000, None)])
def test_digits_without_end_cost_the_figure_that_they_touch_only(tmp_path: Path, digits: int, seconds: str | None) -> None:
    log = tmp_path / "log"
    before = "" if seconds else "7" * digits
    log.write_text(f"{'7' * digits}\n$ time tar xf a.tar\nreal\t0m{before}1.035s\nuser\t0m0.100s\nsys\t0m0.200s\n")
    records = list(read([log]))
    taken = {r.metric: r.raw for r in records if isinstance(r, Measurement)}
    assert taken == {**({"extract.elapsed": seconds} if seconds else {}), "extract.user": "0m0.100s", "extract.sys": "0m0.200s"}
    first = [r.message for r in records if isinstance(r, Warning) and r.code == "bad-number" and r.line == 1]
    assert first == ([] if seconds else [f"{digits} digits in a row are not a number; nothing next to them was recorded"])


@pytest.mark.parametrize("tasks", [16, 149, 150, 2816])
def test_a_map_of_nodes_is_no_number(tmp_path: Path, tasks: int) -> None:
    log = tmp_path / "log"
    nodes = "1" * 8 + "0" * (tasks - 8)
    row = "   File creation            1000.250       1000.250       1000.250          0.000\n"
    log.write_text(
        f"-- started at 01/02/2023 10:00:00 --\n\nmdtest-4.0.0 was launched with {tasks} total task(s) on {tasks // 8} node(s)\n"
        f"Nodemap: {nodes}\n{tasks} tasks, 160 files\n\nSUMMARY rate: (of 1 iterations)\n"
        f"   Operation                     Max            Min           Mean        Std Dev\n{row}"
        "-- finished at 01/02/2023 10:01:00 --\n"
    )
    records = list(read([log]))
    assert [r.value for r in records if isinstance(r, Measurement) and r.stat == "mean"] == [1000.25]
    assert [r.code for r in records if isinstance(r, Warning)] == []


def test_other_endless_digits_beside_a_map_of_nodes_are_reported() -> None:
    doubts: list[Doubt] = []
    text = mark_endless_digits(f"Nodemap: {'1' * 200}\nx {'7' * 200}\n", doubts)
    assert [(doubt.line, doubt.code) for doubt in doubts] == [(2, "bad-number")]
    assert text == f"Nodemap: {'1' * 149}\nx {LOST}\n"
