"""The tables of a permalink: tidy, with the unit of the figure, and what a bundle says to its reviewer."""

from __future__ import annotations

import csv
import html
import io
import json
import os
import re
import shlex
import statistics
import subprocess
import sys
import textwrap
import zipfile
from functools import cache
from pathlib import Path

import pytest
from django.db import transaction
from django.template.loader import render_to_string
from django.test import override_settings
from pylatexenc.latexwalker import LatexWalker

from webapp.formats import tidy, workbook_cells
from webapp.permalinks.bundles import permalink_bundle, verify
from webapp.permalinks.tests.test_author_words import QUERY, TIMES
from webapp.tests import frozen, samples

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def maker(tmp_path_factory):
    """Unpacks the bundle of four groups, made once for the module; its rows are gone again."""

    @cache
    def make() -> Path:
        folder = tmp_path_factory.mktemp("tables")
        with override_settings(POOLMARK_DATA=folder / "data"), transaction.atomic():
            samples.received(samples.tar({"run/dd.txt": samples.dd_by_compression(**TIMES)}))
            link = frozen.with_plain_pictures(frozen.freeze(QUERY))
            data = bytes(permalink_bundle.get_bundle(link).data)
            transaction.set_rollback(True)
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            archive.extractall(folder / "bundle")
        return folder / "bundle"

    return make


@pytest.fixture
def bundle(db, maker) -> Path:
    """An unpacked bundle that no test changes."""
    return maker()


def rows(bundle: Path, name: str) -> list[dict[str, str]]:
    with (bundle / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def it_has_a_row_for_every_value_and_every_group(bundle):
    record = json.loads((bundle / "record.json").read_text())
    [panel] = record["panels"]
    unit, factor = panel["shown"]["unit"], panel["shown"]["factor"]
    values, groups = rows(bundle, "data.csv"), rows(bundle, "groups.csv")
    assert [(float(row["value"]), row["unit"], float(row["measured"])) for row in values] == [
        (record["values"][at]["value"] / factor, unit, record["values"][at]["measured"])
        for group in panel["groups"]
        for at in group["values"]
    ]
    assert {row["path"] for row in values} == {"run/dd.txt"} and {row["unit"] for row in groups} == {unit}
    for row, group in zip(groups, panel["groups"], strict=True):
        verdict = group["verdict"] or {"word": "", "ratio": None, "low": None, "high": None}
        assert (row["x"], float(row["center"]), row["claim"]) == (group["x"], group["center"] / factor, verdict["word"])
        assert [float(row[name]) if row[name] else None for name in ("ratio", "ratio_low", "ratio_high")] == [
            verdict[name] for name in ("ratio", "low", "high")
        ]
        assert [int(value["value_number"]) for value in values if value["group"] == row["group"]] == group["values"]
    codes = {row["flag"] for row in rows(bundle, "flags.csv")}
    assert {code for row in groups for code in row["flags"].split()} <= codes
    [file] = rows(bundle, "files.csv")
    assert file["sha256"] == record["files"][file["file"]]["sha256"] and len(file["archive_sha256"]) == 64
    assert (bundle / "excerpts" / f"file-{file['file']}.txt").exists()


def it_repeats_no_long_text(bundle):
    """The longest cell of a row of values is a path, an address or a printed text."""
    assert max(len(cell) for row in rows(bundle, "data.csv") for cell in row.values()) < 60


def it_is_a_workbook_with_numbers_and_units_in_heads(bundle):
    record = json.loads((bundle / "record.json").read_text())
    data = (bundle / "data.xlsx").read_bytes()
    cells = workbook_cells.read_cells(data)
    assert list(cells) == ["groups", "values", "codes", "files", "about"]
    assert "center (MiB/s)" in cells["groups"][0] and "unit" not in cells["groups"][0] and "value (MiB/s)" in cells["values"][0]
    at = cells["groups"][0].index("ratio")
    assert [type(row[at]) for row in cells["groups"][1:]].count(float) == 3
    about = dict(cells["about"][at][:2] for at in range(len(cells["about"])) if len(cells["about"][at]) == 2)
    digest = verify.digest_of(bundle / "record.json")
    assert about["address"] == record["address"] and about["record_sha256"] == digest and about["licence"] == "not stated"
    assert about["citation"].startswith("Ann Rae; Bo Li. Writes of a tank. Poolmark, 20")
    assert workbook_cells.holds(data, tidy.to_sheets(record, digest))


def it_gives_the_workbook_under_its_address(client):
    link = frozen.frozen()
    answer = client.get(f"/p/{link.pk}.xlsx")
    assert answer["Content-Type"] == "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
    assert answer.content == client.get(f"/p/{link.pk}.xlsx").content and "immutable" in answer["Cache-Control"]
    assert answer.content == permalink_bundle._make_workbook(link)
    assert "XLSX" in client.get(f"/p/{link.pk}").content.decode()


def commands(text: str) -> list[str]:
    return re.findall(r"^  (python3 -I \S+(?: DIGEST)?)", text, re.M)


def it_leads_a_reviewer_by_commands_that_run(bundle):
    text = (bundle / "README.txt").read_text()
    assert text.index("SEE (") < text.index("CHECK (") < text.index("REDO (")
    named = re.findall(r"^  ([\w./-]+\.(?:csv|xlsx|json|md|py|pdf))", text, re.M)
    assert named and all((bundle / name).exists() for name in named)
    found = commands(text)
    assert found == ["python3 -I verify.py DIGEST", "python3 -I redo.py"]
    for command in found:
        arguments = shlex.split(command.replace("DIGEST", verify.digest_of(bundle / "manifest.json")))[2:]
        done = subprocess.run(
            [sys.executable, "-I", "-S", str(bundle / arguments[0]), *arguments[1:]], capture_output=True, text=True
        )
        assert done.returncode == 0 and not done.stderr, done.stdout
    assert done.stdout.splitlines()[-1] == "4 groups: 4 agree, 0 differ, 0 cannot be checked" and done.stdout.count(", same") == 4


def recipes() -> list[str]:
    """The lines for pandas and for pgfplots that pages give."""
    text = render_to_string("permalink/_recipes.html", {"frozen": {"pk": "ID"}})
    return [html.unescape(code) for code in re.findall(r"<pre><code>(.*?)</code></pre>", text, re.S)]


@pytest.mark.thorough
def it_gives_lines_for_pandas_that_draw_the_data(bundle, tmp_path):
    """Also of names that pandas takes for missing ones, with commas and quotes, and beside runs without a number."""
    if not os.environ.get("CI"):
        pytest.importorskip("pandas")
    told = rows(bundle, "data.csv")
    names = dict(zip(sorted({row["x"] for row in told}), ["NA", 'a, "b"', "None", ""], strict=True))
    told = [row | {"x": names[row["x"]]} for row in told]
    told += [told[0] | {"measured": "", "bound": "above"}, told[-1] | {"measured": "", "value": ""}]
    with (tmp_path / "poolmark-ID.csv").open("w", encoding="utf-8", newline="") as file:
        out = csv.DictWriter(file, list(told[0]))
        out.writeheader()
        out.writerows(told)
    lines = recipes()[0] + "\nprint(medians[''].to_json())\n"
    done = subprocess.run([sys.executable, "-c", lines], cwd=tmp_path, capture_output=True, text=True, check=True)
    by_name = {x: [float(row["value"]) for row in told if row["x"] == x and row["measured"]] for x in names.values()}
    assert json.loads(done.stdout) == pytest.approx({x: statistics.median(values) for x, values in by_name.items()})
    assert (tmp_path / "figure-1.pdf").read_bytes().startswith(b"%PDF") and len(list(tmp_path.glob("*.pdf"))) == 1


def it_gives_lines_for_pgfplots_that_name_columns_of_the_data(bundle):
    _, lines = recipes()
    columns = re.findall(r"\b[xy]=(\w+)", lines)
    values = [[float(row[column]) for column in columns] for row in rows(bundle, "data.csv")]
    assert columns == ["group", "value"] and len(values) == 12
    LatexWalker(lines, tolerant_parsing=False).get_latex_nodes()
    assert lines.count(r"\begin{") == lines.count(r"\end{") == 3


def it_has_the_same_lines_in_the_document():
    document = Path(__file__).parents[3].joinpath("docs", "permalinks.md").read_text(encoding="utf-8")
    for lines in recipes():
        assert textwrap.indent(lines, "    ").strip("\n") in document


@pytest.mark.parametrize("column", ["center"])
def it_finds_a_centre_that_was_changed(bundle, tmp_path, column):
    for name in ("data.csv", "groups.csv"):
        (tmp_path / name).write_bytes((bundle / name).read_bytes())
    first = rows(bundle, "groups.csv")[0][column]
    (tmp_path / "groups.csv").write_text((bundle / "groups.csv").read_text().replace(first, f"9{first}", 1))
    done = subprocess.run([sys.executable, "-I", "-S", str(bundle / "redo.py"), str(tmp_path)], capture_output=True, text=True)
    assert done.returncode == 1 and "3 agree, 1 differ" in done.stdout


def it_fills_in_the_checklist(bundle):
    text = (bundle / "ARTIFACT.md").read_text()
    assert text.count("\n| ") == 12 and "each of 12 values with its line" in text
    assert "| Available | licence stated | no: 1 of 1 archive without a licence |" in text
    assert "| Reproduced | the values from the system under test | no: you, by running the benchmark" in text
    assert "What it does not prove: that the uploaded outputs are genuine" in text
    for name in set(re.findall(r"`([\w/.-]+\.(?:csv|xlsx|json|txt|xml))`", text)):
        assert (bundle / name).exists(), name


def it_says_on_the_server_which_stored_table_does_not_follow():
    link = frozen.with_plain_pictures(frozen.frozen())
    from webapp.permalinks import stored_files

    stored_files.store_file(link.pk, "data.csv", "text/csv; charset=utf-8", b"value\r\n1\r\n")
    assert permalink_bundle.check_permalink(link)[0] == ["data.csv does not follow from the record"]


def it_is_a_workbook_of_a_live_comparison_too(client):
    samples.received(samples.tar({"run/dd.txt": samples.dd_by_compression(**TIMES)}))
    query = f"{QUERY}&hide=compression%3Alzjb&reason=older"
    answer = client.get(f"/compare.xlsx?{query}")
    cells = workbook_cells.read_cells(answer.content)
    shown = cells["groups"][0].index("shown")
    assert {(row[2], row[shown]) for row in cells["groups"][1:]} == {
        ("off", "yes"),
        ("lz4", "yes"),
        ("gzip-9", "yes"),
        ("lzjb", "no"),
    }
    assert len(cells["values"]) == 13 and cells["about"][0][1].endswith("&reason=older")
    assert client.get(f"/compare.xlsx?{query}").content == answer.content
