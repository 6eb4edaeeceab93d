"""Duplicates of one archive: what is one, and what only looks like one."""

from __future__ import annotations

from typing import Any

from ingest.analysis.comparable_runs import printed_resolution, significant_digits
from ingest.analysis.duplicates import mark_duplicates
from ingest.records import Value

FULL = {
    "write.throughput": "174668",
    "read.throughput": "2611827",
    "rewrite.throughput": "319106",
    "seek.rate": "9028.4",
    "write.latency": "73797",
}


def _run(raws: dict[str, str], line: int, scale: dict[str, float] | None = None, **extra: Any) -> list[Value]:
    return [
        Value(
            line,
            "tool",
            metric,
            metric,
            float(raw.rstrip("m")) * (scale or {}).get(metric, 1),
            "B/s",
            raw,
            "B/s",
            line,
            **extra,
        )
        for metric, raw in raws.items()
    ]


def test_the_parser_said_so() -> None:
    value = Value(3, "t", "write.throughput", "w", 1.0, "B/s", "1", "B/s", 3, same_as=9)
    assert mark_duplicates([("a.txt", [value])]) == {id(value): "a.txt:9"}


def test_a_line_collected_into_a_second_file() -> None:
    first, second, other = _run(FULL, 2), _run(FULL, 7), _run({**FULL, "seek.rate": "9028.5"}, 9)
    marked = mark_duplicates([("all.csv", first), ("one/b.csv", second + other)])
    assert marked == {id(v): "all.csv:2" for v in second}


def test_a_report_beside_the_csv_of_the_same_run() -> None:
    report = {
        "write.throughput": "171m",
        "read.throughput": "2551m",
        "rewrite.throughput": "312m",
        "write.latency": "73797",
    }
    scale = {m: 1024.0 for m in report if m.endswith("throughput")}
    text, csv = _run(report, 4, scale), _run(FULL, 1)
    marked = mark_duplicates([("a.txt", text), ("z.csv", csv)])
    assert marked == {id(v): "z.csv:1" for v in text}


def test_one_value_that_does_not_agree_makes_it_another_run() -> None:
    text = _run({**FULL, "rewrite.throughput": "318106"}, 4)
    assert mark_duplicates([("a.txt", text), ("z.csv", _run(FULL, 1))]) == {}


def test_repetitions_with_equal_small_figures_are_kept() -> None:
    small = {
        "dir_create.elapsed": "2",
        "dir_create.rate": "292",
        "file_create.elapsed": "34",
        "file_create.rate": "206",
        "file_create.throughput": "8258",
        "file_remove.elapsed": "18",
        "file_remove.rate": "390",
    }
    assert mark_duplicates([("a.txt", _run(small, 1)), ("b.txt", _run(small, 1))]) == {}


def test_files_of_the_same_bytes_are_one_however_few_digits_they_have() -> None:
    small = {"write.throughput": "206", "write.elapsed": "2"}
    files = [(path, _run(small, 1)) for path in ("rep1/dd.txt", "rep2/dd.txt", "rep3/dd.txt", "rep4/dd.txt")]
    marked = mark_duplicates(files, {path: "other" if "rep4" in path else "same" for path, _ in files})
    assert marked == {id(value): "rep1/dd.txt:1" for _, values in files[1:3] for value in values}


def test_a_copy_names_the_line_that_gave_the_value_first() -> None:
    files = []
    for path in ("one", "two"):
        values = [_run({"write.throughput": "206"}, line)[0] for line in (3, 9)]
        values[1].same_as = 3
        files.append((path, values))
    marked = mark_duplicates(files, dict.fromkeys(("one", "two"), "same"))
    assert [marked.get(id(value)) for _, values in files for value in values] == [None, "one:3", "one:3", "one:3"]


def test_of_the_same_bytes_read_in_two_ways_only_values_of_both_are_copies() -> None:
    short, long = _run({"write.throughput": "206"}, 1), _run({"write.throughput": "206", "read.throughput": "31"}, 1)
    marked = mark_duplicates([("a.csv", short), ("b.txt", long)], dict.fromkeys(("a.csv", "b.txt"), "same"))
    assert marked == {id(long[0]): "a.csv:1"}


def test_the_same_dated_run_pasted_twice() -> None:
    small = {
        "dir_create.elapsed": "2",
        "file_create.elapsed": "34",
        "file_remove.elapsed": "18",
        "dir_remove.elapsed": "1",
    }
    extra = {"started_at": "2026-11-21T04:29:26+00:00", "params": {"path": "LEVEL0.vm.4604"}}
    first, again = _run(small, 1, **extra), _run(small, 28, **extra)
    assert mark_duplicates([("a.txt", first + again)]) == {id(v): "a.txt:1" for v in again}


def test_a_file_copied_whole() -> None:
    times = {"copy.elapsed": "254.75", "copy.user": "0.007", "copy.sys": "4.455"}
    log = [v for line in (2, 9) for v in _run({m: raw.replace("4", str(line)) for m, raw in times.items()}, line)]
    copy = [v for line in (2, 9) for v in _run({m: raw.replace("4", str(line)) for m, raw in times.items()}, line)]
    marked = mark_duplicates([("log.txt", log), ("log.bak", copy)])
    assert marked == {id(v): f"log.txt:{v.line}" for v in copy}


def test_precision() -> None:
    assert [significant_digits(raw) for raw in ("0.00", "171m", "1,234.5", "0.0070", "+++++")] == [0, 3, 5, 2, 0]
    assert printed_resolution(Value(1, "t", "m", "n", 171 * 1024.0, "B/s", "171m", "", 1)) == 1024.0


def test_a_copy_of_a_copy_names_the_record_that_gave_the_value_first() -> None:
    full = _run({**FULL, "stat.rate": "4567.8"}, 3)
    report, again = _run({**FULL}, 5), _run({**FULL}, 8)
    marked = mark_duplicates([("a.html", report), ("b.html", again), ("run.csv", full)])
    assert {marked.get(id(value)) for value in [*report, *again]} == {"run.csv:3"}
    assert not any(id(value) in marked for value in full)


def test_of_two_files_alike_the_second_names_lines_of_the_first() -> None:
    files = []
    for path in ("one/log", "two/log"):
        values = _run({**FULL}, 3)
        values.append(_run({"write.throughput": FULL["write.throughput"]}, 9)[0])
        values[-1].same_as = 3
        files.append((path, values))
    marked = mark_duplicates(files)
    assert [marked[id(value)] for value in files[1][1]] == ["one/log:3"] * 6
    assert [marked.get(id(value)) for value in files[0][1]] == [None] * 5 + ["one/log:3"]
