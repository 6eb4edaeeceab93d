"""/compare.json: every field of the contract always stands, also where nothing is drawn."""

from __future__ import annotations

import pytest

from webapp.tests import making

pytestmark = pytest.mark.django_db
FIELDS = {"workload": dict | None, "tool_versions": list, "map": list, "design": str, "fixed": dict, "unrecorded": list}
FIELDS |= {"left_out": dict, "panels": list}
GROUP = {"n": int, "unmeasured": list, "sessions": int, "machines": int, "empty": list | None, "claim": str | None}
GROUP |= {"doubts": list, "withheld": str | None}
Q = "metric=write.throughput&x=compression"


@pytest.mark.parametrize(
    ("query", "design", "drawn"),
    [
        (Q, "controlled", 2),
        (f"{Q}&control=off", "open", 2),
        ("metric=write.throughput&x=host", "as_they_stand", None),
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
    assert set(answer["left_out"]) == {"impossible", "partial"}
    assert answer["design"] == design
    groups = [group for panel in answer["panels"] for group in panel["groups"]]
    assert drawn is None or len(groups) == drawn
    assert (answer["workload"] is None) == (not groups) == (answer["panels"] == [])
    assert "tool_version" not in (answer["workload"] or {})
    for group in groups:
        for name, kind in GROUP.items():
            assert isinstance(group[name], kind), name


def it_lists_the_map_only_where_nothing_was_chosen(client):
    making.archive(public=True, accepted=True, records=making.file_records("a.txt", "a", [5.0]))
    assert client.get(f"/compare.json?{Q}").json()["map"] == []
