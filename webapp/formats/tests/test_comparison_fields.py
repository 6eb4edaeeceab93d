"""/compare.json: every field of the contract always stands, also where nothing is drawn."""

from __future__ import annotations

import csv
import io
import re

import pytest

from webapp.comparison.tests import misleading_archives
from webapp.tests import making, samples

pytestmark = pytest.mark.django_db
FIELDS = {
    "workload": dict | None,
    "tool_versions": list,
    "map": list,
    "design": str | None,
    "sought": str,
    "fixed": dict,
    "unrecorded": list,
}
FIELDS |= {"left_out": dict, "panels": list}
GROUP = {"n": int, "unmeasured": list, "sessions": int, "machines": int, "empty": list | None, "claim": str | None}
GROUP |= {"doubts": list, "withheld": str | None}
Q = "metric=write.throughput&x=compression"


@pytest.mark.parametrize(
    ("query", "design", "drawn"),
    [
        (Q, "controlled", 2),
        (f"{Q}&control=off", "open", 2),
        ("metric=write.throughput&x=host", "as_they_stand", 1),
        (f"{Q}&os=Plan9", "controlled", 0),
        (f"{Q}&os=Plan9&control=off", "open", 0),
        ("metric=write.throughput&x=host&os=Plan9", "as_they_stand", 0),
        ("", "controlled", 0),
    ],
)
def it_has_every_field(client, query, design, drawn):
    records = [
        record
        for name, values in (("lz4", [5.0, 6.0, 7.0]), ("off", [1.0, 1.1, 1.2]))
        for record in making.file_records(
            f"{name}.txt", name, values, config={"os.family": "Linux", "host": "tank1", "pool.compression": name}
        )
    ]
    making.archive(public=True, records=records)
    answer = client.get(f"/compare.json?{query}").json()
    for name, kind in FIELDS.items():
        assert isinstance(answer[name], kind), name
    assert set(answer["left_out"]) == {"impossible", "partial", "targets"}
    groups = [group for panel in answer["panels"] for group in panel["groups"]]
    assert len(groups) == drawn
    assert (answer["sought"], answer["design"]) == (design, design if drawn > 1 else None)
    assert (answer["workload"] is None) == (not groups) == (answer["panels"] == [])
    assert "tool_version" not in (answer["workload"] or {})
    for group in groups:
        for name, kind in GROUP.items():
            assert isinstance(group[name], kind), name


def it_lists_the_map_only_where_nothing_was_chosen(client):
    making.archive(public=True, accepted=True, records=making.file_records("a.txt", "a", [5.0]))
    assert client.get(f"/compare.json?{Q}").json()["map"] == []


def uploaded(case: str) -> str:
    """The query of a case, on its archives."""
    [found] = [one for one in (*misleading_archives.MISLEADING, *misleading_archives.PLAIN) if one.name == case]
    rows = [samples.received(samples.tar({path: text.encode() for path, text in files.items()})) for files in found.archives]
    return "&".join([found.address, *(f"archive={row.pk}" for row in rows)])


def rows_of(client, query: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(client.get(f"/compare.csv?{query}").content.decode())))


def it_has_a_centre_of_each_of_unlike_sessions_and_none_of_all(client):
    query = uploaded("six runs at 20 and six at 900, hours apart")
    [group] = client.get(f"/compare.json?{query}").json()["panels"][0]["groups"]
    assert (group["center"], group["low"], group["high"], group["whiskers"]) == (None, None, None, "none")
    assert [round(part / 2**20) for part in group["parts"]] == [904, 20]
    rows = rows_of(client, query)
    assert len(rows) == 12 and {row["group_center"] + row["group_low"] + row["group_high"] for row in rows} == {""}
    assert {row["group_parts"] for row in rows} == {" ".join(map(repr, group["parts"]))}
    [title] = set(re.findall(r"<title>([^<]*n = 12)</title>", client.get(f"/compare.svg?{query}").content.decode()))
    assert "904; 20" in title.replace("\N{THIN SPACE}", "")


def it_has_a_row_of_a_group_without_a_value(client):
    rows = rows_of(client, uploaded("one side beyond what can be measured"))
    assert [row["x"] for row in rows] == ["off"] * 4 + ["lz4"]
    assert (rows[-1]["value"], rows[-1]["group_n"], rows[-1]["group_bound"]) == ("", "4", "above")
    assert float(rows[-1]["group_center"]) == 2**34 and rows[-1]["claim"] == "faster in this session"
