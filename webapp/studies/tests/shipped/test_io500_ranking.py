"""The rankings of the shipped IO500 study are the order of its lists."""

from __future__ import annotations

import csv
from collections.abc import Callable

import pytest

from webapp.tests.serving import ROOT

pytestmark = pytest.mark.usefixtures("first_start")
SUBMISSIONS = [row for file in sorted((ROOT / "fixtures" / "io500").glob("*.csv")) for row in csv.DictReader(file.open())]
YEARS = sorted({row["config.x.year"] for row in SUBMISSIONS})
FILE_SYSTEMS = sorted({row["config.fs.type"] for row in SUBMISSIONS} - {""})
PHASES = sorted({(row["metric"], row["params.phase"]) for row in SUBMISSIONS if row["params.phase"]})


def order_of(metric: str, phase: str, keep: Callable[[dict], bool]) -> list[tuple[str, int]]:
    """(host, rank) as the table has them, equal values with one rank."""
    rows = [row for row in SUBMISSIONS if (row["metric"], row["params.phase"]) == (metric, phase) and keep(row)]
    values = [float(row["value"]) for row in rows]
    return sorted((row["config.host"], 1 + sum(other > value for other in values)) for row, value in zip(rows, values, strict=True))


def ranked(client, metric: str, **asked: str) -> list[tuple[str, int]]:
    rows = client.get(f"/rankings/{metric}.json", {name.replace("__", "."): text for name, text in asked.items()}).json()["systems"]
    assert [row["rank"] for row in rows] == sorted(row["rank"] for row in rows)
    return sorted((row["host"], row["rank"]) for row in rows)


def test_the_score_of_all_submissions(client, db):
    found = ranked(client, "io500.score")
    assert len(found) == 322 and found == order_of("io500.score", "", lambda row: True)


@pytest.mark.parametrize("year", YEARS)
@pytest.mark.parametrize("nodes", ["", "10"])
def test_the_lists_of_a_year(client, db, year, nodes):
    expected = order_of("io500.score", "", lambda row: row["config.x.year"] == year and nodes in ("", row["params.nodes"]))
    assert ranked(client, "io500.score", x__year=year, **({"nodes": nodes} if nodes else {})) == expected


@pytest.mark.parametrize("fs", FILE_SYSTEMS)
def test_the_lists_of_a_file_system(client, db, fs):
    assert ranked(client, "io500.score", fs=fs) == order_of("io500.score", "", lambda row: row["config.fs.type"] == fs)


@pytest.mark.parametrize(("metric", "phase"), PHASES)
def test_the_phases(client, db, metric, phase):
    assert ranked(client, metric, workload=f"io500-{phase}") == order_of(metric, phase, lambda row: True)
