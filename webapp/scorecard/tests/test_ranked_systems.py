"""Rankings: systems as they stand by one metric and one workload."""

from __future__ import annotations

import csv
import io

import pytest

from webapp.formatting import numbers
from webapp.storage import load
from webapp.tests import making

pytestmark = pytest.mark.django_db


def system(number, values, *, accepted=True, metric="write.throughput", origin="measured", owner="carl", **more):
    config = {"host": f"stor{number:02}", "cpu.model": f"Xeon {number}", "memory": 2**33, "arch": "x86_64"} | more
    records = making.file_records(
        "w.txt", f"{number} {values} {origin}", values, metric=metric, params={"file_size": 2**30}, config=config, origin=origin
    )
    return making.archive(public=accepted, accepted=accepted, records=records, owner=owner)


def systems(values_of, **more):
    return [system(number, values, **more) for number, values in enumerate(values_of, 1)]


def ranked(client, metric="write.throughput", **asked):
    return [
        (one["name"].split(" ")[0], one["rank"], one["rank_first"], one["rank_last"])
        for one in client.get(f"/rankings/{metric}.json", asked).json()["systems"]
    ]


def apart(*values):
    return [[value] for value in values]


@pytest.mark.parametrize(
    ("metric", "values", "expected"),
    [
        ("write.throughput", apart(1, 2, 3, 4, 5, 6, 7, 8), [(8, 1), (7, 2), (6, 3)]),
        ("write.elapsed", apart(1, 2, 3, 4, 5, 6, 7, 8), [(1, 1), (2, 2), (3, 3)]),
        ("write.throughput", apart(9, 9, 3, 4, 5, 6, 7, 8), [(1, 1), (2, 1), (8, 3)]),
        ("write.elapsed", apart(1, 1, 1, 4, 5, 6, 7, 8), [(1, 1), (2, 1), (3, 1), (4, 4)]),
    ],
)
def test_the_best_is_first_and_equal_values_share_a_rank(client, metric, values, expected):
    systems(values, metric=metric)
    found = ranked(client, metric)
    assert [(int(name[4:]), rank) for name, rank, *_ in found[: len(expected)]] == expected
    assert all(rank == first == last for _, rank, first, last in found)  # one run each: nothing is said of overlaps


@pytest.mark.parametrize("metric", ["write.throughput", "write.elapsed"])
def test_overlaps_are_of_systems_with_repetitions(client, metric):
    values = [[10.0, 12.0], [11.0, 13.0], [12.5, 14.0], [20.0, 21.0], [1.0], [2.0], [3.0], [30.0]]
    systems(values, metric=metric)
    found = {name: (first, last) for name, _, first, last in ranked(client, metric)}
    at_best = {"stor01": (4, 5), "stor02": (3, 5), "stor03": (3, 4), "stor04": (2, 2), "stor08": (1, 1)}
    if metric == "write.elapsed":
        at_best = {name: (9 - last, 9 - first) for name, (first, last) in at_best.items()}
    assert {name: found[name] for name in at_best} == at_best
    assert "4th to 5th: intervals overlap" in client.get(f"/rankings/{metric}").text


def test_seven_systems_have_no_ranking(client):
    systems(apart(*range(1, 8)))
    assert client.get("/rankings/write.throughput").status_code == 404
    assert "No ranking yet" in client.get("/rankings").text


@pytest.mark.parametrize("metric", ["no.such", "%00", "write.throughput"])
def test_what_has_no_ranking_is_not_found(client, metric):
    for ending in ("", ".json", ".csv"):
        assert client.get(f"/rankings/{metric}{ending}").status_code == 404


def test_reported_and_measured_stand_beside_each_other_and_are_told_apart(client):
    systems(apart(1, 2, 3, 4))
    for number in range(5, 9):
        system(number, [float(number)], origin="reported")
    system(8, [2.5])  # the hardware that was measured is not the host of which numbers were reported
    rows = client.get("/rankings/write.throughput.json").json()["systems"]
    assert [row["origin"] for row in rows] == ["reported"] * 4 + ["measured"] * 5
    page = client.get("/rankings/write.throughput").text
    assert page.count("<td>reported</td>") == 4 and page.count("<td>measured</td>") == 5


def test_only_accepted_archives_and_the_readers_own_are_ranked(client, ann):
    systems(apart(*range(1, 9)))
    mine, theirs = system(20, [5.5], accepted=False, owner="ann"), system(21, [6.5], accepted=False, owner="bob")
    public = making.archive(
        public=True,
        owner="bob",
        records=making.file_records(
            "x", "x", [9.0], params={"file_size": 2**30}, config={"host": "stor30", "cpu.model": "Xeon 30"}
        ),
    )
    names = [name for name, *_ in ranked(ann)]
    assert "stor20" in names and not {"stor21", "stor30"} & {*names}
    assert theirs.pk and public.pk
    page = ann.get("/rankings/write.throughput").text
    assert "4th of 9" in page and "yours" in page
    client.logout()
    assert [name for name, *_ in ranked(client)] == [f"stor{number:02}" for number in range(8, 0, -1)]
    assert f"/archives/{mine.pk}" not in client.get("/rankings/write.throughput").text


def test_a_withdrawn_archive_is_in_no_ranking(client):
    *_, last = systems(apart(*range(1, 10)))
    assert ranked(client)[0][0] == "stor09"
    load.withdraw(last.pk, "wrong disk")
    assert ranked(client)[0][0] == "stor08"


def test_ranks_are_of_the_class_and_go_on_over_pages_and_searches(client):
    for number in range(1, 61):
        system(number, [float(number)], **{"fs.type": "xfs" if number % 2 else "zfs"})
    page = client.get("/rankings/write.throughput")
    assert [one[0].rank for one in page.context["rows"]] == [*range(1, 26)]
    second = client.get(f"/rankings/write.throughput?{page.context['next_query']}")
    assert [one[0].rank for one in second.context["rows"]] == [*range(26, 51)]
    assert len(ranked(client)) == 60
    assert [(name, rank) for name, rank, *_ in ranked(client, fs="xfs")][:2] == [("stor59", 1), ("stor57", 2)]
    assert [(name, rank) for name, rank, *_ in ranked(client, q="stor30")] == [("stor30", 31)]
    [facet] = [one for one in page.context["facets"] if one.name == "fs"]
    assert [(choice.value, choice.n) for choice in facet.choices] == [("xfs", 30), ("zfs", 30)]


def test_each_row_leads_to_its_system_its_line_and_its_figure(client):
    first = systems(apart(*range(1, 9)))[-1]
    page = client.get("/rankings/write.throughput").text
    assert f"/archives/{first.pk}/raw/w.txt#L2" in page
    [run] = first.run_set.all()
    assert f"/systems/{run.configuration.system_id}" in page and f"/runs/{run.pk}/figure?metric=write.throughput" in page


def test_the_csv_says_what_the_page_says(client):
    systems([[1.0], [2.0], [3.0], [4.0], [5.0], [6.0], [7.0], [8.0, 9.0, 10.0]])
    rows = [*csv.DictReader(io.StringIO(client.get("/rankings/write.throughput.csv").text))]
    assert (rows[0]["rank"], rows[0]["value"], rows[0]["low"], rows[0]["high"], rows[0]["n"]) == ("1", "9.0", "8.0", "10.0", "3")
    assert {"unit", "origin", "line", "archive"} <= rows[0].keys()


def test_the_list_names_the_leader(client):
    systems(apart(*range(1, 9)))
    page = client.get("/rankings")
    [(_, [(workload, _, leader, name, value)])] = page.context["parts"]
    assert (workload.systems, leader.value, name.split(" ")[0]) == (8, 8.0, "stor08") and value


CUT = [
    ({"reason": "too_fast", "bound": 2.0**32, "side": "above"}, "> " + numbers.quantity(2.0**32, "write.throughput")),
    ({"reason": "failed"}, "failed"),
    ({"reason": "not_finished"}, "not finished"),
]


def test_systems_without_a_number_stand_below_in_one_line(client):
    systems(apart(*range(1, 9)))
    more = {"metric": "write.throughput", "params": {"file_size": 2**30}}
    for number, (how, _) in enumerate(CUT, 20):
        config = {"host": f"stor{number}", "cpu.model": f"Xeon {number}", "memory": 2**33, "arch": "x86_64"}
        records = [
            *making.file_records("r.txt", f"r{number}", [1.0], metric="read.throughput", config=config, params=more["params"])
        ]
        making.archive(
            public=True,
            accepted=True,
            records=[*records[:1], making.unmeasured_record("r.txt", config=config, **more, **how), *records[1:]],
        )
    config = {"host": "stor01", "cpu.model": "Xeon 1", "memory": 2**33, "arch": "x86_64"}
    records = [*making.file_records("s.txt", "s", [1.0], metric="read.throughput", config=config, params=more["params"])]
    making.archive(
        public=True, accepted=True, records=[*records[:1], making.unmeasured_record("s.txt", config=config, **more), *records[1:]]
    )
    page = client.get("/rankings/write.throughput").text
    assert "3 systems have only runs that were cut off or gave no number" in page
    said = client.get("/rankings/write.throughput.json").json()["without_number"]
    assert [text.rpartition(" (")[2].rstrip(")") for text in said] == [words for _, words in CUT]
    assert all(f"Xeon {number}" in text for number, text in enumerate(said, 20))
    assert 'id="missing"' not in client.get("/rankings/write.throughput?q=Xeon").text
    assert client.get("/rankings/write.throughput?workload=none").status_code == 200
