"""The parts of verify.py, each on a record as small as it can be: what is named, and what is passed over."""

from __future__ import annotations

import importlib.util
import json
import math
import sys
from pathlib import Path

import pytest

from webapp.permalinks.bundles import verify

LOW, HIGH = "0" * 64, "f" * 64


def value_of(**fields) -> dict:
    return {
        "run": 7,
        "line": "12",
        "raw": "2048 KB",
        "metric": "write.throughput",
        "measured": 2048.0,
        "divisor": 1024.0,
        "value": 2.0,
        "unit": "B/s",
        "workload": 1,
        "rule": {"how": "number", "number": "2048", "factor": 1.0},
    } | fields


LINES = {"10": "host a", "12": "write 2048  KB", "15": "end"}


def told_values(*values: dict, **excerpt: str) -> list[str]:
    """Problems of values of one file; `excerpt`: lines that are otherwise there than in the record, as L10="..."."""
    told = {
        "values": list(values),
        "runs": {"7": {"file": 3, "configuration": 1, "session": 1}},
        "files": {"3": {"path": "out.txt", "lines": LINES}},
    }
    return verify.value_problems(told, {"3": LINES | {name[1:]: text for name, text in excerpt.items()}})[0]


NAMED = "value 0 (write.throughput 2048.0, `2048 KB` at out.txt:12)"


@pytest.mark.parametrize(
    ("fields", "excerpt", "problems"),
    [
        ({}, {}, []),
        ({}, {"L10": "host b"}, [f"{NAMED}: near it, line 10 of the excerpt is not that of the record"]),
        ({}, {"L10": "HOST A"}, [f"{NAMED}: near it, line 10 of the excerpt is not that of the record"]),
        ({}, {"L15": "END", "L10": "x"}, [f"{NAMED}: near it, line 10 of the excerpt is not that of the record"]),
        ({}, {"L12": "write 2048 KB"}, [f"{NAMED}: its line in the excerpt is not that of the record"]),
        ({}, {"L12": "write 2048  KB!", "L10": "x"}, [f"{NAMED}: its line in the excerpt is not that of the record"]),
        ({"value": 2.1}, {}, [f"{NAMED}: divided by 1024.0 it is not the drawn 2.1"]),
        ({"measured": 2048.1}, {}, [f"{NAMED.replace('2048.0', '2048.1')}: its text gives 2048.0"]),
        (
            {"rule": {"how": "number", "number": "9", "factor": 1.0}},
            {},
            [f"{NAMED}: the number 9 does not stand in `2048 KB`"],
        ),
        (
            {"rule": {"how": "quotient", "over": "2048", "under": "1", "factor": 1.0}},
            {},
            [f"{NAMED}: 1 does not stand on the lines around"],
        ),
    ],
)
def it_names_a_value_that_does_not_follow(fields, excerpt, problems):
    assert told_values(value_of(**fields), **excerpt) == problems


def it_counts_the_values_that_are_taken_as_recorded():
    told = {"values": [value_of(), value_of(rule={"how": "recorded"}, raw="gone"), value_of(value=3.0)], "runs": {"7": {"file": 3}}}
    told["files"] = {"3": {"path": "out.txt", "lines": LINES}}
    problems, recorded = verify.value_problems(told, {"3": LINES})
    assert recorded == [1] and len(problems) == 1 and problems[0].startswith("value 2 ")


def group_of(**fields) -> dict:
    """A group of the values 1, 2 and 6 by their median."""
    return {
        "metric": "read.rate",
        "x": "lz4",
        "series": "",
        "facet": "sda",
        "values": [0, 1, 2],
        "runs": 3,
        "center": 2.0,
        "interval": "range",
        "low": 1.0,
        "high": 6.0,
    } | fields


def told_groups(*groups: dict) -> list[str]:
    values = [{"value": value, "unit": "s", "run": 1, "workload": 1} for value in (1.0, 2.0, 6.0)]
    return verify.group_problems(
        {
            "method": {"stat": "median", "level": 0.95},
            "runs": {"1": {"configuration": 1}},
            "values": values,
            "panels": [{"groups": [group]} for group in groups[:1]] + [{"groups": list(groups[1:])}],
        }
    )


WRONG = "read.rate lz4 sda: the median is 2.0, not 5.0"
BOUND = [{"bound": 9.0, "side": "above", "count": 1}]


@pytest.mark.parametrize(
    ("first", "problems"),
    [
        ({}, []),
        ({"runs": 4}, ["read.rate lz4 sda: 4 runs are told and 3 are here"]),
        ({"runs": 2}, ["read.rate lz4 sda: 2 runs are told and 3 are here"]),
        ({"center": 99.0, "bound": "above"}, []),
        ({"center": 99.0, "sessions": 2, "unmeasured": BOUND}, []),
        ({"center": 99.0, "sessions": 2, "unmeasured": [{"side": ""}]}, ["read.rate lz4 sda: the median is 2.0, not 99.0"]),
        ({"center": 99.0, "sessions": 2}, ["read.rate lz4 sda: the median is 2.0, not 99.0"]),
        ({"center": 4.0, "sessions": 1, "unmeasured": BOUND}, []),
        ({"center": 4.0, "unmeasured": BOUND}, []),
        ({"center": 2.0, "unmeasured": BOUND}, ["read.rate lz4 sda: the median is 4.0, not 2.0"]),
        ({"low": 9.0, "interval": "bootstrap"}, []),
        ({"low": 9.0, "interval": "none"}, []),
        ({"low": 1.1}, ["read.rate lz4 sda: the interval is (1.0, 6.0), not [1.1, 6.0]"]),
        ({"high": 6.1}, ["read.rate lz4 sda: the interval is (1.0, 6.0), not [1.0, 6.1]"]),
        ({"high": 6.0 * (1 + 5e-7), "low": 1 + 5e-7}, []),
        ({"high": 6.0 * (1 + 2e-6)}, [f"read.rate lz4 sda: the interval is (1.0, 6.0), not [1.0, {6.0 * (1 + 2e-6)!r}]"]),
        ({"interval": "median"}, ["read.rate lz4 sda: the interval is None, not [1.0, 6.0]"]),
    ],
)
def it_passes_over_a_group_without_missing_the_next(first, problems):
    """In its own panel and in the next one."""
    assert told_groups(group_of(), group_of(**first), group_of(center=5.0)) == [*problems, WRONG]
    assert told_groups(group_of(**first), group_of(center=5.0)) == [*problems, WRONG]


@pytest.mark.parametrize(
    ("values", "bounds", "center"),
    [
        ([5.0], [("above", 9.0, 1)], None),
        ([5.0, 6.0], [("above", 9.0, 1)], 6.0),
        ([0.1, 0.2], [("below", 0.05, 1)], 0.1),
        ([0.1, 0.2, 0.3], [("below", 0.05, 1), ("above", 0.4, 1)], 0.2),
        ([5.0, 6.0], [("above", 9.0, 2)], None),
        ([5.0], [("below", 1.0, 1), ("above", 9.0, 1)], 5.0),
        ([0.5], [("below", 0.2, 2)], None),
        ([1.0, 2.0, 3.0, 4.0, 5.0], [("above", 9.0, 2)], 4.0),
    ],
)
def it_knows_whether_bounds_leave_a_median(values, bounds, center):
    found = verify.bounded_center(values, [{"side": side, "bound": bound, "count": count} for side, bound, count in bounds])
    assert math.isnan(found) if center is None else found == center


def figure_of(**fields) -> dict:
    """A figure of the values 1000 and 3000, drawn in thousands."""
    return {
        "title": "Rates",
        "kind": "bars",
        "groups": [{"points": [[1.0, "#v0"], [3.0, "#v1"], [9.0, "/archives/1"]], "center": 2.0}, {"points": [], "center": None}],
    } | fields


def told_figures(*figures: dict, panels: int | None = None) -> list[str]:
    panel = {"shown": {"factor": 1000.0}, "groups": [{"center": 2000.0}, {"center": None}]}
    told = {
        "figures": list(figures),
        "panels": [panel] * (len(figures) if panels is None else panels),
        "runs": {"7": {"file": 3}},
        "files": {"3": {"path": "out.txt"}},
        "values": [value_of(value=1000.0), value_of(value=3000.0)],
    }
    return verify.figure_problems(told)


def _marks(value: float, center: float | None) -> dict:
    return {"groups": [{"points": [[value, "#v0"]], "center": center}]}


STRAY = "Rates: no group has the drawn centre 2.5"
MOVED = f"Rates: the point 1.5 is not {NAMED}"


@pytest.mark.parametrize(
    ("first", "problems"),
    [
        ({}, []),
        (_marks(1.0, 2.5), [STRAY]),
        (_marks(1.5, 2.0), [MOVED]),
        (_marks(1.5, 2.5), [MOVED, STRAY]),
        (_marks(1.5, 2.5) | {"kind": "ratio"}, []),
        (_marks(1.5, 2.5) | {"kind": "scatter"}, []),
        (_marks(1.5, 2.5) | {"curves": []}, []),
        (_marks(1.5, 2.5) | {"beside": True}, []),
        (_marks(1.5, 2.5) | {"legend": "Percentile"}, [MOVED, STRAY]),
    ],
)
def it_passes_over_a_figure_without_missing_the_next(first, problems):
    assert told_figures(figure_of(**first), figure_of(**_marks(1.5, 2.5))) == [*problems, MOVED, STRAY]


def it_finds_no_panel_of_a_figure_where_there_are_not_as_many():
    wrong = figure_of(**_marks(1.5, 2.5))
    assert told_figures(wrong, panels=2) == [] and told_figures(wrong, wrong, panels=1) == []


@pytest.fixture
def script(tmp_path, monkeypatch) -> Path:
    """The folder in which verify.py is said to be, with code beside it."""
    here = bundle_with(tmp_path / "tool")
    monkeypatch.setattr(verify, "__file__", str(here / "verify.py"))
    return here


def bundle_with(folder: Path, **texts: str) -> Path:
    """A folder with code/webapp/a.py and code/webapp/deep/b.py, and other sources by their path there."""
    (folder / "code" / "webapp" / "deep").mkdir(parents=True)
    for name, text in {"a.py": "A = 1", "deep/b.py": "B = 2", **texts}.items():
        (folder / "code" / "webapp" / name).write_text(text)
    return folder


SOURCES = {"code/webapp/a.py": b"A = 1", "code/webapp/deep/b.py": b"B = 2"}


def it_makes_files_anew_by_the_code_beside_it_where_the_bundle_has_the_same(script, tmp_path):
    assert verify.code_for(bundle_with(tmp_path / "same"), False) == SOURCES


def it_runs_code_of_its_own_folder_only_where_the_digest_covers_it(script):
    assert verify.code_for(script, True) == SOURCES and verify.code_for(script, False) == {}


@pytest.mark.parametrize("other", [{name: text} for name in ("a.py", "deep/b.py", "c.py", "a.pyc", "a.so") for text in "abc"])
def it_makes_nothing_anew_with_other_code(script, tmp_path, other):
    assert verify.code_for(bundle_with(tmp_path / "other", **other), True) == {}


def it_makes_nothing_anew_without_code(script, tmp_path):
    bundle = bundle_with(tmp_path / "bundle")
    (bundle / "code" / "webapp" / "a.py").unlink()
    assert verify.code_for(bundle, True) == {}
    for path in [*script.rglob("*.py")]:
        path.unlink()
    assert verify.code_for(bundle, True) == {}


def it_imports_what_was_checked_and_nothing_else():
    finder = verify.CheckedCode(SOURCES)
    assert finder.find_spec("webapp.deep").submodule_search_locations == []
    assert finder.find_spec("webapp.deep.b").submodule_search_locations is None
    assert [finder.find_spec(name) for name in ("webapp.other", "csv", "a", "web", "code.webapp")] == [None] * 5
    module = importlib.util.module_from_spec(finder.find_spec("webapp.deep.b"))
    finder.exec_module(module)
    assert module.B == 2


def it_names_the_files_that_do_not_follow_from_the_record(script, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path])
    bundle = bundle_with(tmp_path / "bundle")
    (bundle / "figures").mkdir()
    made = {"data.csv": b"one", "figures/table.tex": b"two", "gone.csv": b"three"}
    monkeypatch.setattr(verify, "made_anew", lambda record, digest: made)
    monkeypatch.setattr(verify, "is_workbook", lambda data, record, digest: (data, record, digest) == (b"cells", {"a": 1}, LOW))

    def problems() -> list[str]:
        return verify.anew_problems(bundle, {"a": 1}, LOW, {})

    for text in ("one", "other", "0", "a", "b"):
        (bundle / "data.csv").write_text(text)
        (bundle / "figures" / "table.tex").write_text("two" if text == "one" else text)
        names = () if text == "one" else ("data.csv", "figures/table.tex")
        assert problems() == [f"changed: {name} does not follow from the record" for name in names]
    for data, said in ((b"cells", []), (b"other", ["changed: data.xlsx has cells that do not follow from the record"])):
        (bundle / "data.xlsx").write_bytes(data)
        (bundle / "data.csv").write_text("one")
        (bundle / "figures" / "table.tex").write_text("two")
        assert problems() == said


@pytest.mark.parametrize("digest", [LOW, HIGH])
def it_names_a_record_without_its_digest(tmp_path, digest):
    told = {"values": [value_of(rule={"how": "recorded"})], "runs": {"7": {"file": 3}}, "files": {"3": {"path": "a", "lines": {}}}}
    (tmp_path / "record.json").write_text(json.dumps(told | {"panels": [], "figures": []}))
    held = verify.digest_of(tmp_path / "record.json")
    assert verify.check_folder(tmp_path, held) == ([], 1, 1)
    assert verify.check_folder(tmp_path, digest) == ([f"changed: record.json has not the digest {digest}"], 1, 1)


def it_counts_nothing_of_a_record_that_cannot_be_read(tmp_path):
    (tmp_path / "manifest.json").write_bytes(verify.manifest_bytes(LOW, {}, []))
    problems, *rest = verify.check_bundle(tmp_path, LOW)
    assert rest == [verify.DIFFERS, ""] and any(
        one.startswith("changed: record.json cannot be read: FileNotFound") for one in problems
    )


def it_takes_the_first_digest_and_the_first_folder(tmp_path):
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    one, two = str(tmp_path / "one"), str(tmp_path / "two")
    assert verify.arguments_of(["ABC", "def", one, two, "ghi"]) == ("abc", one)
    assert verify.arguments_of([two, f" {HIGH.upper()} ", one]) == (HIGH, two)


@pytest.mark.parametrize(
    ("problems", "code", "lines"),
    [
        ([], verify.COVERED, ["all 2, digest matches: every file is as frozen"]),
        (["one\x1b"], verify.DIFFERS, ["one\\x1b", "1 problem"]),
        (["one", "two"], verify.DIFFERS, ["one", "two", "2 problems"]),
    ],
)
def it_prints_what_was_found(capsys, problems, code, lines):
    assert verify.report(problems, code, "all 2", LOW) == code
    assert capsys.readouterr().out.splitlines() == lines


@pytest.mark.parametrize("digest", [LOW, HIGH])
def it_takes_no_file_or_citation_with_another_digest(digest):
    listed = {"files": {"a.txt": digest, "x.bib": digest}, "citations": ["x.bib"]}
    assert not verify.is_as_listed(b"text", listed, "a.txt", "b" * 64)
    assert not verify.is_as_listed(b"b" * 64, listed, "x.bib", "b" * 64)


def it_writes_a_manifest_by_its_bytes_alone():
    assert (
        verify.manifest_bytes("a", {"b/\u00e9": "2", "a": "1"}, ["z", "y"])
        == (
            '{\n "citations": [\n  "y",\n  "z"\n ],\n "files": {\n  "a": "1",\n  "b/\u00e9": "2"\n },\n'
            ' "format": "poolmark-manifest",\n "record": "a",\n "version": 1\n}\n'
        ).encode()
    )


def it_takes_a_citation_only_with_the_digest_and_no_zeros():
    bundle, form = "b" * 64, b"note {%s}"
    listed = {"files": {"x.bib": verify.sha256(form % verify.ZEROS)}, "citations": ["x.bib"]}
    for data, fits in (
        (form % bundle.encode(), True),
        (form % verify.ZEROS, False),
        (form % (b"c" * 64), False),
        (form % bundle.encode() + verify.ZEROS, False),
        (b"other " + bundle.encode(), False),
    ):
        assert verify.is_as_listed(data, listed, "x.bib", bundle) is fits
    assert len(verify.ZEROS) == 64


def it_reads_excerpts_with_tabulators_and_without(tmp_path):
    (tmp_path / "excerpts").mkdir()
    (tmp_path / "excerpts" / "file-3.txt").write_text("1\ta\tb\nno number\n2\t\n")
    assert verify.read_excerpts(tmp_path, {"files": {"3": {}, "4": {}}}) == {"3": {"1": "a\tb", "2": ""}, "4": {}}
