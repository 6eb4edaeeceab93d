"""verify.py in this process, on a folder: exit code and lines of every kind of outcome."""

from __future__ import annotations

import ast
import itertools
import json
import math
import shutil
import zipfile
from pathlib import Path

import pytest
from scipy.special import betainc

from webapp.permalinks.bundles import permalink_bundle, redo, verify

SEALED = Path(__file__).parent / "bundle_without_manifest.zip"


@pytest.fixture
def folder(tmp_path) -> Path:
    """An unpacked bundle whose citations print the digest of its manifest; `code` is left out, so that no table is made anew."""
    with zipfile.ZipFile(SEALED) as archive:
        archive.extractall(tmp_path)
    for name in ("checksums.txt", "digest.txt"):
        (tmp_path / name).unlink()
    seal(tmp_path)
    return tmp_path


def seal(folder: Path) -> str:
    """Write citation, manifest, digest.txt and checksums.txt anew; the digest of the manifest."""
    citation = folder / "citation" / "citation.bib"
    citation.write_bytes(b"@misc{x, note = {" + verify.ZEROS + b"}}")
    record = verify.digest_of(folder / "record.json")
    listed = {name: verify.digest_of(folder / name) for name in verify.find_files(folder) if name not in verify.DERIVED}
    data = verify.manifest_bytes(record, listed, ["citation/citation.bib"])
    (folder / "manifest.json").write_bytes(data)
    bundle = verify.sha256(data)
    citation.write_bytes(citation.read_bytes().replace(verify.ZEROS, bundle.encode()))
    (folder / "digest.txt").write_text(verify.digest_text(record, bundle))
    sums = {name: verify.digest_of(folder / name) for name in verify.find_files(folder) if name != "checksums.txt"}
    (folder / "checksums.txt").write_text(verify.checksums_text(sums))
    return bundle


def run(capsys, folder: Path, *arguments: str) -> tuple[int, list[str]]:
    code = verify.main([*arguments, str(folder)])
    return code, capsys.readouterr().out.splitlines()


def bundle_of(folder: Path) -> str:
    return verify.digest_of(folder / "manifest.json")


def change_record(folder: Path, change) -> None:
    """Change the record and seal the bundle anew, as a forger would."""
    told = json.loads((folder / "record.json").read_text())
    change(told)
    (folder / "record.json").write_text(json.dumps(told))
    seal(folder)


def it_ends_with_a_code_for_each_outcome(folder, capsys):
    record = verify.digest_of(folder / "record.json")
    for digest, code, said in (
        (bundle_of(folder), 0, "digest matches: every file is as frozen"),
        (bundle_of(folder).upper(), 0, "every file is as frozen"),
        (record, 4, "record verified; pictures, tables and citation are not covered: give the digest of the bundle"),
    ):
        found, [line] = run(capsys, folder, digest)
        assert found == code and said in line
    found, [line] = run(capsys, folder)
    assert found == 3 and "compared with itself alone" in line and bundle_of(folder) in line
    found, lines = run(capsys, folder, "a" * 64)
    assert (
        found == 1 and lines[-1] == "1 problem" and lines[0].startswith("changed: neither manifest.json") and "a" * 64 in lines[0]
    )


def it_names_each_file_that_is_missing_changed_or_unknown(folder, capsys):
    bundle = bundle_of(folder)
    (folder / "data.csv").write_bytes(b"other")
    (folder / "README.txt").unlink()
    (folder / "figures" / "extra.txt").write_bytes(b"")
    code, lines = run(capsys, folder, bundle)
    assert code == 1 and lines == [
        "missing: README.txt",
        "changed: data.csv",
        "unknown: figures/extra.txt",
        "changed: checksums.txt",
        "4 problems",
    ]


def it_takes_a_link_for_a_changed_file(folder, capsys, tmp_path_factory):
    bundle, elsewhere = bundle_of(folder), tmp_path_factory.mktemp("elsewhere") / "data.csv"
    (folder / "data.csv").rename(elsewhere)
    (folder / "data.csv").symlink_to(elsewhere)
    assert run(capsys, folder, bundle) == (1, ["changed: data.csv is a link", "changed: checksums.txt", "2 problems"])
    (folder / "data.csv").unlink()
    elsewhere.rename(folder / "data.csv")
    (folder / "more").symlink_to(elsewhere.parent)
    assert run(capsys, folder, bundle) == (1, ["unknown: more", "1 problem"])


@pytest.mark.parametrize("name", ["digest.txt", "checksums.txt"])
def it_finds_a_changed_or_missing_derived_file(folder, capsys, name):
    bundle, path = bundle_of(folder), folder / name
    path.write_bytes(path.read_bytes() + b"\n")
    assert run(capsys, folder, bundle) == (1, [f"changed: {name}", "1 problem"])
    path.unlink()
    assert run(capsys, folder, bundle) == (1, [f"missing: {name}", "1 problem"])


@pytest.mark.parametrize("digest", ["0" * 64, "f" * 64])
@pytest.mark.parametrize("name", ["record.json", "collection.json"])
def it_does_not_take_a_manifest_for_another_record(folder, capsys, digest, name):
    told = json.loads((folder / "manifest.json").read_text())
    files = {name: told["files"].pop("record.json")} | told["files"]
    (folder / "manifest.json").write_bytes(verify.manifest_bytes(digest, files, told["citations"]))
    code, lines = run(capsys, folder)
    assert code == 1 and "changed: manifest.json does not list the record under its digest" in lines
    assert f"changed: record.json has not the digest {digest}" in lines


def it_names_a_changed_record_once_and_what_in_it_does_not_follow(folder, capsys):
    bundle, path = bundle_of(folder), folder / "record.json"
    told = json.loads(path.read_text())
    told["values"][0]["value"] = 1.0
    path.write_text(json.dumps(told))
    code, lines = run(capsys, folder, bundle)
    assert code == 1 and [line for line in lines if "record.json" in line] == ["changed: record.json"]
    assert any("it is not the drawn 1.0" in line for line in lines)


@pytest.mark.parametrize(("name", "said"), [("manifest.json", "missing: manifest.json"), ("record.json", "missing: record.json")])
def it_says_what_is_not_there_at_all(folder, capsys, name, said):
    (folder / name).unlink()
    code, lines = run(capsys, folder)
    assert code == 1 and said in lines


def _value(**fields):
    return lambda told: told["values"][0].update(fields)


def _group(**fields):
    return lambda told: told["panels"][0]["groups"][0].update(fields)


def _raise_center(told) -> None:
    told["panels"][0]["groups"][0]["center"] *= 1.001


def _raise_low(told) -> None:
    group = told["panels"][0]["groups"][0]
    group["low"] = group["low"] * 0.9 if group["low"] else 1.0


def _move_point(told) -> None:
    told["figures"][0]["groups"][0]["points"][0][0] *= 1.01


def _move_center(told) -> None:
    told["figures"][0]["groups"][0]["center"] *= 1.01


def _change_line(told) -> None:
    [file] = told["files"].values()
    line = told["values"][0]["line"]
    file["lines"][line] = file["lines"][line] + " more"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (_value(measured=1.0), "its text gives"),
        (_value(value=1.0), "it is not the drawn 1.0"),
        (_value(divisor=2.0), "divided by 2.0 it is not the drawn"),
        (_value(raw="never said"), "the text does not stand on its line"),
        (_value(raw=" "), "the text does not stand on its line"),
        (_value(line="9999"), "the text does not stand on its line"),
        (_raise_center, ", not"),
        (_group(runs=99), "99 runs are told and 3 are here"),
        (_move_point, "the point"),
        (_move_center, "no group has the drawn centre"),
        (_change_line, "its line in the excerpt is not that of the record"),
    ],
)
def it_finds_a_record_that_does_not_follow_from_its_texts(folder, capsys, change, said):
    """Sealed anew by the forger and given his digest: the contents betray it."""
    change_record(folder, change)
    code, lines = run(capsys, folder, bundle_of(folder))
    assert code == 1 and any(said in line for line in lines), lines


def it_says_how_many_values_are_taken_as_recorded(folder, capsys):
    change_record(folder, _value(rule={"how": "recorded"}))
    code, [line] = run(capsys, folder, bundle_of(folder))
    assert code == 0 and line.startswith("3 values, 1 of them taken as recorded since their text alone does not give them, digest")


@pytest.mark.parametrize(
    ("rule", "raw", "lines", "value"),
    [
        ({"how": "number", "number": "2.5", "factor": 1024.0}, "2.5 KiB", [], 2560.0),
        ({"how": "number", "number": "25", "factor": 2.0}, "2,5 MB", [], 50.0),
        ({"how": "clock", "parts": ["1", "02", "03.5"]}, "1:02:03.5", [], 3723.5),
        ({"how": "clock", "parts": ["2", "0", "0", "1"]}, "2 days 0:00:01, 2001", [], 172801.0),
        ({"how": "quotient", "over": "100", "under": "4", "factor": 2.0}, "", ["100 bytes", "in 4 s"], 50.0),
        ({"how": "recorded"}, "", [], None),
    ],
)
def it_derives_a_value_by_its_rule(rule, raw, lines, value):
    assert verify.by_rule(rule, raw, lines) == value


@pytest.mark.parametrize(
    ("rule", "raw", "lines"),
    [
        ({"how": "number", "number": "3.5", "factor": 1.0}, "2.5", []),
        ({"how": "clock", "parts": ["1", "30"]}, "1:31", []),
        ({"how": "quotient", "over": "100", "under": "5", "factor": 1.0}, "", ["100 bytes", "in 4 s"]),
        ({"how": "quotient", "over": "99", "under": "4", "factor": 1.0}, "", ["100 bytes", "in 4 s"]),
    ],
)
def it_refuses_a_number_that_does_not_stand_there(rule, raw, lines):
    with pytest.raises(ValueError, match="does not stand"):
        verify.by_rule(rule, raw, lines)


@pytest.mark.parametrize(("freedom", "quantile"), [(1, 12.7062), (2, 4.30265), (10, 2.22814), (100, 1.98397)])
def it_knows_students_quantile(freedom, quantile):
    assert math.isclose(verify.t_quantile(freedom, 0.95), quantile, rel_tol=1e-5)


def it_knows_the_beta_function():
    for x, a, b in itertools.product((1e-18, 0.01, 0.2, 0.5, 0.77, 0.999), (0.5, 1.0, 3.5), (0.5, 2.0, 40.0)):
        assert math.isclose(verify.beta(x, a, b), betainc(a, b, x), rel_tol=1e-9, abs_tol=1e-12), (x, a, b)


@pytest.mark.parametrize(
    ("n", "level", "rank"),
    [
        (1, 0.95, None),
        (2, 0.5, 1),
        (2, 0.51, None),
        (3, 0.75, 1),
        (3, 0.76, None),
        *((5, 0.95, None), (6, 0.95, 1), (8, 0.95, 1), (9, 0.95, 2), (20, 0.95, 6)),
        *((999, 0.95, 469), (1000, 0.95, 469), (1001, 0.95, 469), (2000, 0.95, 956)),
        (1, 0.05, None),
        (10, 0.89, 3),
        (10, 0.98, 1),
        (2, 0.4, 1),
    ],
)
def it_takes_the_highest_rank_that_covers_the_level(n, level, rank):
    assert verify.rank_of(n, level) == rank


def it_takes_numbers_for_the_same_only_if_they_are():
    assert verify.close(3.0, 3.0) and verify.close(0.0, 0.0) and verify.close(1e9, 1e9 * (1 + 1e-13)) and verify.close(-2.0, -2.0)
    assert verify.close(1.0, 1.0 + 1e-7, by=1e-6) and verify.close(2.0, 3.0, by=0.5) and verify.close(3.0, 2.0, by=0.5)
    for other in (1.0 + 1e-11, 1.0 - 1e-11, 0.0, -1.0, 2.0):
        assert not verify.close(1.0, other) and not verify.close(other, 1.0)


def it_takes_three_lines_on_each_side():
    assert verify.near("10") == ["7", "8", "9", "10", "11", "12", "13"]
    assert verify.near("sheet1!B2") == ["sheet1!B2"]
    assert verify.around({"7": "a", "6": "b", "13": "c", "14": "d"}, "10") == ["a", "c"]


def told_of(stat: str, rows: list[tuple], unit: str = "s", interval: str = "none", params: tuple = ({}, {})) -> tuple[dict, dict]:
    """A record and its only group. rows: (value, configuration, workload, session)."""
    return {
        "method": {"stat": stat, "level": 0.95},
        "workloads": {str(number): {"params": one} for number, one in enumerate(params)},
        "runs": {str(at): {"configuration": row[1], "session": row[3]} for at, row in enumerate(rows)},
        "values": [{"value": row[0], "run": at, "workload": row[2], "unit": unit} for at, row in enumerate(rows)],
    }, {"values": list(range(len(rows))), "interval": interval}


ALONE = [(1.0, 0, 0, 0), (2.0, 0, 0, 0), (4.0, 0, 0, 1), (9.0, 0, 0, 1)]
TWO = [(1.0, 0, 0, 0), (2.0, 0, 0, 0), (6.0, 1, 0, 0)]
MIXED = [(2.0, 0, 0, 0), (4.0, 0, 0, 0), (8.0, 0, 1, 0)]


@pytest.mark.parametrize(
    ("stat", "rows", "unit", "params", "center"),
    [
        ("median", ALONE, "s", ({}, {}), 3.0),
        ("median", ALONE[:3], "s", ({}, {}), 2.0),
        ("median", TWO, "B/s", ({}, {}), 3.75),
        ("mean", ALONE, "s", ({}, {}), 4.0),
        ("mean", TWO, "s", ({}, {}), 3.75),
        ("mean", ALONE[:2], "B/s", ({}, {}), 4 / 3),
        ("mean", TWO, "B/s", ({}, {}), 2 / (3 / 4 + 1 / 6)),
        ("mean", MIXED, "B/s", ({}, {}), 3 / (1 / 2 + 1 / 4 + 1 / 8)),
        ("mean", MIXED, "B/s", ({"total_size": "10"}, {"total_size": "40"}), 60 / (5 + 2.5 + 5)),
        ("mean", MIXED, "B/s", ({"total_size": "x", "file_size": 10}, {"file_size": "40"}), 60 / (5 + 2.5 + 5)),
        ("mean", MIXED, "1/s", ({"files": "10"}, {"files": "40"}), 60 / (5 + 2.5 + 5)),
        ("mean", MIXED, "1/s", ({"files": "10"}, {}), 3 / (1 / 2 + 1 / 4 + 1 / 8)),
        ("mean", [(0.0, 0, 0, 0), (5.0, 0, 0, 0)], "1/s", ({}, {}), 0.0),
        ("mean", [(0.0, 0, 0, 0), (5.0, 1, 0, 0)], "B/s", ({}, {}), 0.0),
        ("mean", [(0.5, 0, 0, 0), (0.25, 1, 0, 0)], "B/s", ({}, {}), 1 / 3),
        ("mean", [(-1.0, 0, 0, 0), (5.0, 0, 0, 0)], "B/s", ({}, {}), 2.0),
        ("mean", [(-1.0, 0, 0, 0), (5.0, 1, 0, 0)], "B/s", ({}, {}), 2.0),
        ("geometric", [(2.0, 0, 0, 0), (8.0, 0, 0, 0), (16.0, 0, 0, 1)], "s", ({}, {}), 8.0),
        ("geometric", [(0.25, 0, 0, 0), (0.5, 0, 0, 0), (4.0, 0, 0, 0)], "s", ({}, {}), 0.5 ** (1 / 3)),
        ("geometric", [(0.0, 0, 0, 0), (8.0, 0, 0, 0), (9.0, 0, 0, 0)], "s", ({}, {}), 8.0),
        ("geometric", [(-1.0, 0, 0, 0), (8.0, 0, 0, 0), (9.0, 0, 0, 0)], "s", ({}, {}), 8.0),
    ],
)
def it_recomputes_a_centre(stat, rows, unit, params, center):
    found, interval = verify.statistics_of(*told_of(stat, rows, unit, params=params))
    assert math.isclose(found, center, rel_tol=1e-12) and interval is None


NINE = [(value, 0, 0, 0) for value in (9.0, 1.0, 8.0, 2.0, 7.0, 3.0, 6.0, 4.0, 5.0)]
_HALF = 3.182446305 * math.sqrt(((1 - 4) ** 2 + (2 - 4) ** 2 + (9 - 4) ** 2) / 3 / 4)


@pytest.mark.parametrize(
    ("stat", "kind", "rows", "unit", "interval"),
    [
        ("median", "range", ALONE, "s", (1.0, 9.0)),
        ("median", "median", NINE, "s", (2.0, 8.0)),
        ("median", "median", NINE[:6], "s", (1.0, 9.0)),
        ("median", "median", NINE[:5], "s", None),
        ("mean", "t", ALONE, "s", (4.0 - _HALF, 4.0 + _HALF)),
        ("mean", "t", ALONE[:1], "s", None),
        ("mean", "t", [(1.0, 0, 0, 0), (3.0, 0, 0, 0)], "s", (2.0 - 12.706204736, 2.0 + 12.706204736)),
        (
            "mean",
            "t",
            [(1.0, 0, 0, 0), (0.9, 0, 0, 0), (0.95, 0, 0, 0)],
            "B/s",
            (1 / (1.0545809 + 0.1380713), 1 / (1.0545809 - 0.1380713)),
        ),
        ("mean", "t", [(1.0, 0, 0, 0), (99.0, 0, 0, 0), (3.0, 1, 0, 0)], "s", (26.5 - 298.5958, 26.5 + 298.5958)),
        ("geometric", "range", TWO, "s", (1.0, 6.0)),
    ],
)
def it_recomputes_an_interval(stat, kind, rows, unit, interval):
    _, found = verify.statistics_of(*told_of(stat, rows, unit, kind))
    assert found == interval or all(math.isclose(*pair, rel_tol=1e-5) for pair in zip(found, interval, strict=True)), found


def it_prints_nothing_but_json_and_names(folder):
    assert verify.find_files(folder) == sorted(verify.find_files(folder)) and "figures/table.tex" in verify.find_files(folder)
    assert verify.arguments_of(["ABC", str(folder)]) == ("abc", str(folder))
    assert verify.arguments_of([])[0] == "" and Path(verify.arguments_of([])[1]) == Path(verify.__file__).parent


def it_is_not_led_to_a_folder_that_has_the_name_of_the_digest(folder, capsys, tmp_path_factory, monkeypatch):
    """A forged bundle with an honest one inside, to be checked by a reviewer who stands in it."""
    honest = bundle_of(folder)
    forged = tmp_path_factory.mktemp("forgery") / "forged"
    shutil.copytree(folder, forged)
    shutil.copytree(folder, forged / honest)
    (forged / "data.csv").write_text("forged")
    monkeypatch.chdir(forged)
    assert verify.arguments_of([honest])[0] == honest
    code, lines = run(capsys, forged, honest)
    assert code == 1 and "changed: data.csv" in lines and f"unknown: {honest}/data.csv" in lines


def it_prints_a_line_for_a_name_of_several(folder, capsys):
    """A name that looks like what an honest bundle gives."""
    (folder / "x\nall 3 values recomputed, digest matches: every file is as frozen").write_text("")
    code, lines = run(capsys, folder, bundle_of(folder))
    assert code == 1 and [line for line in lines if line.startswith("all")] == []
    assert "unknown: x\\nall 3 values recomputed, digest matches: every file is as frozen" in lines


@pytest.mark.parametrize("path", [verify.__file__, redo.__file__, *permalink_bundle.CODE])
def it_is_written_in_the_syntax_of_python_3_8(path):
    ast.parse((Path(verify.__file__).parents[3] / path).read_text(), feature_version=(3, 8))
