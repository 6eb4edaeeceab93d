"""DataFrames of a real server's permalink, archive, comparison and scorecard; the notebook of docs/."""

from __future__ import annotations

import hashlib
import json

import pytest

from client.tests.programs import ROOT, Program, Site, running_site, sessions

_FREEZE = """
from django.contrib.auth import get_user_model
from webapp.comparison.selection import parse
from webapp.permalinks import freeze
from webapp.permalinks.frozen_addresses import Origin
user = get_user_model().objects.get(username="ann")
draft = freeze.draft_comparison(parse([("metric", "write.throughput"), ("x", "fs"), ("archive", "{}")]), user, "Writes", "Ann Rae")
print("frozen", freeze.freeze_draft(draft, user, Origin("{}", False)).pk)
"""


@pytest.fixture(scope="module")
def site():
    with running_site() as site:
        yield site


@pytest.fixture(scope="module")
def program(site: Site, tmp_path_factory) -> Program:
    """Of ann, with two archives of hers: 1 and 2."""
    folder = tmp_path_factory.mktemp("frames")
    program = site.program(folder / "home")
    for one in sessions(folder, {5: 400.0, 6: 300.0}):
        program.data("push", str(one), "--wait", "--visibility", "public", "--licence", "CC0-1.0")
    return program


@pytest.fixture(scope="module")
def frozen(site: Site, program: Program) -> str:
    """The address of a permalink on archive 1."""
    said = site.manage("shell", "-c", _FREEZE.format(1, site.url))
    return f"{site.url}/p/{said.split('frozen ')[1].strip()}"


def facts(call: str) -> str:
    """A script that prints what a test looks at in a frame."""
    return f"""
import json, poolmark
table = {call}
asked = ["metric", "unit", "value", "session", "block", "file", "line", "params.file_size", "config.host", "config.fs.type"]
print(json.dumps([table[asked].astype(object).where(table[asked].notna(), None).values.tolist(), table.attrs["units"],
                  table.attrs.get("sha256"), list(table.columns)]))
"""


def test_tables_of_values(program: Program, site: Site, frozen: str):
    found = {}
    for name, call in {
        "permalink": f"poolmark.frame({frozen!r})",
        "archive": "poolmark.frame(1)",
        "address": f"poolmark.frame('{site.url}/archives/1')",
        "comparison": f"poolmark.frame('{site.url}/compare?metric=write.throughput&x=fs&archive=1')",
    }.items():
        rows, units, sha256, columns = program.evaluate(facts(call))
        assert units["write.throughput"] == "B/s" and {"archive", "run", "raw", "stat", "tool"} <= set(columns), name
        found[name] = sorted([*row[:3], row[5], int(row[6]), *row[7:]] for row in rows if row[0] == "write.throughput")
        assert all(isinstance(row[3], int) for row in rows) and len({row[3] for row in rows}) == 1, name
        assert (sha256 == hashlib.sha256(site.server.get(frozen.removeprefix(site.url) + ".json")[1]).hexdigest()) == (
            name == "permalink"
        )
    assert len(found["archive"]) == 4 and found["archive"] == found["address"] == found["permalink"] == found["comparison"]
    metric, unit, value, file, _, size, host, fs = found["archive"][0]
    assert (metric, unit, size, host, fs) == ("write.throughput", "B/s", 2**34, "stor01", "ext4")
    assert file == "day-5/run.txt"
    assert value == pytest.approx(400e6, rel=0.02)


def test_a_digest_that_differs_is_refused(program: Program, frozen: str):
    done = program.python_run("-c", f"import poolmark; poolmark.frame({frozen!r}, digest='{'0' * 64}')")
    assert done.returncode == 1 and "do not use it" in done.stderr


def test_two_sides(program: Program, site: Site):
    script = """
import json, poolmark
card = poolmark.versus(2, "{}/archives/1")
row = card[card["tested"]].iloc[0]
facts = [row[name] for name in ("metric", "unit", "ratio", "a_n", "params.file_size")]
print(json.dumps([*facts, card.attrs["url"]], default=float))
"""
    metric, unit, ratio, n, size, url = program.evaluate(script.format(site.url))
    assert (metric, unit, n, size) == ("write.throughput", "B/s", 4, 2**34) and ratio == pytest.approx(0.75, rel=0.01)
    assert url == f"{site.url}/versus?a=archive:2&b=archive:1"


def test_the_notebook_runs(program: Program, site: Site, frozen: str):
    program.more = {
        "POOLMARK_PERMALINK": frozen,
        "POOLMARK_COMPARISON": f"{site.url}/compare?metric=write.throughput&x=fs&archive=1&archive=2",
        "POOLMARK_SIDES": "2 1",
    }
    script = f"""
import json, nbclient, nbformat
notebook = nbformat.read({str(ROOT / "docs" / "notebook.ipynb")!r}, as_version=4)
nbclient.NotebookClient(notebook, timeout=100, kernel_name="python3").execute()
print(json.dumps([one["data"]["text/plain"] for cell in notebook.cells for one in cell.get("outputs", ()) if "data" in one]))
"""
    try:
        shown = program.evaluate(script)
    finally:
        program.more = {}
    assert len(shown) == 6 and all(text.strip() for text in shown)
    assert "write.throughput" in shown[-1] and "0.7" in shown[-1]
    assert json.loads((ROOT / "docs" / "notebook.ipynb").read_text())["nbformat"] == 4
