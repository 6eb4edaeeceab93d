"""The list of systems: one row for one machine however its CPU is spelt, told apart, searched, filtered, sorted, in pages."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.models import System
from webapp.pages import listing
from webapp.systems import system_index
from webapp.systems.system_index import merge_systems
from webapp.systems.system_queries import CountedSystem
from webapp.tests import making
from webapp.views.systems import system_pages

pytestmark = pytest.mark.django_db
GIB = 2**30
MACHINES = {
    "spelt": {"cpu.model": "Intel Xeon E5-2620v3", "arch": "x86_64", "cpu.cores": 6, "memory": 64 * GIB},
    "xeon": {"cpu.model": "Xeon E5-2620 v3", "arch": "x86_64", "cpu.cores": 6, "memory": 64 * GIB},
    "more": {"cpu.model": "Xeon E5-2620 v3", "arch": "x86_64", "cpu.cores": 6, "memory": 128 * GIB},
    "disks": {"cpu.model": "EPYC 7742", "arch": "x86_64", "disk.model": "WD40EFRX", "disk.count": 12},
    "bare": {"os.family": "Linux"},
}


def measured(name: str, values: int = 2):
    records = making.file_records(f"{name}.csv", name, [1e8 + n for n in range(values)], config=MACHINES[name])
    return making.archive(records=records, public=True)


@pytest.fixture
def machines(db):
    return {name: measured(name, values) for values, name in enumerate(MACHINES, 2)}


def shown(client, **query) -> list[str]:
    """Name and what tells apart of each row."""
    return [f"{row.name}|{row.apart}" for row in client.get("/systems", query).context["systems"]]


def test_two_spellings_are_one_row_with_both_shown(client, machines):
    [row] = [row for row in client.get("/systems").context["systems"] if len(row.system.ids) > 1]
    assert row.system.spellings[0][0] == "Xeon E5-2620 v3" and [name for name, _ in row.others] == ["Intel Xeon E5-2620v3"]
    assert row.system.measurements == 2 + 3
    page = client.get("/systems?").content.decode()
    assert "also spelt" in page and "&amp;".join(f"system={pk}" for pk in row.system.ids) in page
    for pk in row.system.ids:
        own = client.get(f"/systems/{pk}").content.decode()
        assert "The same hardware is also spelt" in own
        assert all(f"system={other}" in own for other in row.system.ids)


def test_a_cpu_has_one_name_on_all_systems_and_one_choice(client):
    """Also where the systems differ in another part, so that no row has both spellings."""
    measured("spelt", 2)
    measured("more", 3)
    page = client.get("/systems").context
    assert [(row.name, row.apart, [name for name, _ in row.others]) for row in page["systems"]] == [
        ("Xeon E5-2620 v3", "128\u00a0GiB", []),
        ("Xeon E5-2620 v3", "64\u00a0GiB", ["Intel Xeon E5-2620v3"]),
    ]
    [cpus] = [facet for facet in page["facets"] if facet.name == "cpu"]
    assert [(choice.value, choice.n) for choice in cpus.choices] == [("Xeon E5-2620 v3", 2)]


def test_rows_of_one_cpu_are_told_apart(client, machines):
    rows = shown(client)
    assert "Xeon E5-2620 v3|64\u00a0GiB" in rows and "Xeon E5-2620 v3|128\u00a0GiB" in rows
    assert "EPYC 7742|" in rows and "Hardware not recorded|" in rows


def test_the_columns_that_differ_come_first_and_what_is_alike_once(client):
    for name in ("more", "spelt"):
        measured(name)
    page = client.get("/systems")
    assert [head.name for head in page.context["heads"]] == ["cpu", "memory", "configurations", "measurements"]
    assert page.context["alike"] == ["6 cores", "architecture x86_64"]


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ({"q": "e5-2620v3 64gib"}, ["Xeon E5-2620 v3"]),
        ({"q": "E52620 V3"}, ["Xeon E5-2620 v3"] * 2),
        ({"q": "wd40"}, ["EPYC 7742"]),
        ({"q": "wd40 xeon"}, []),
        ({"q": "12"}, ["EPYC 7742", "Xeon E5-2620 v3"]),
        ({"cores": "6"}, ["Xeon E5-2620 v3"] * 2),
        ({"cores": "~", "arch": "x86_64"}, ["EPYC 7742"]),
        ({"memory": str(128 * GIB)}, ["Xeon E5-2620 v3"]),
        ({"memory": "nonsense"}, []),
        ({"cpu": "~"}, ["Hardware not recorded"]),
        ({"sort": "cpu"}, ["EPYC 7742", "Xeon E5-2620 v3", "Xeon E5-2620 v3", "Hardware not recorded"]),
        ({"sort": "-memory", "q": "xeon"}, ["Xeon E5-2620 v3"] * 2),
        ({"sort": "nonsense"}, ["Hardware not recorded", "Xeon E5-2620 v3", "EPYC 7742", "Xeon E5-2620 v3"]),
    ],
)
def test_search_facets_and_order(client, machines, query, names):
    rows = client.get("/systems", query).context["systems"]
    found = [row.name for row in rows]
    assert found == names if "sort" in query else sorted(found) == sorted(names)


def test_facets_count_what_they_would_give(client, machines):
    facets = {one.name: {choice.value: choice.n for choice in one.choices} for one in client.get("/systems").context["facets"]}
    assert facets["cores"] == {"6": 2, "~": 2}
    filtered = client.get("/systems", {"cores": "6", "sort": "cpu"}).context["facets"]
    assert {choice.value: choice.n for one in filtered if one.name == "cores" for choice in one.choices} == facets["cores"]
    for name, choices in facets.items():
        for value, n in choices.items():
            assert client.get("/systems", {name: value}).context["page"].total == n


def test_what_is_set_can_be_taken_back_one_by_one(client, machines):
    page = client.get("/systems", {"q": "xeon", "cores": "6", "memory": "~", "sort": "cpu"})
    assert [(label, value) for label, value, _ in page.context["chosen"]] == [
        ("Search", "xeon"),
        ("Cores", "6"),
        ("Memory", "unknown"),
    ]
    for _, _, query in page.context["chosen"]:
        fewer = client.get(f"/systems?{query}").context
        assert len(fewer["chosen"]) == 2 and fewer["list"].sort == "cpu"


def test_pages_by_links_alone(client, machines, monkeypatch):
    monkeypatch.setattr(system_pages, "_LIST", replace(system_pages._LIST, size=1))
    address, met, back = "/systems?sort=cpu", [], []
    while address:
        page = client.get(address).content.decode()
        met += re.findall(r'<th scope="row"><a href="/systems/(\d+)"', page)
        link = re.search(r'href="(\?[^"]*)" rel="next"', page)
        last, address = address, link and f"/systems{link[1].replace('&amp;', '&')}"
    assert len(met) == len(set(met)) == 4
    while last:
        page = client.get(last).content.decode()
        back += re.findall(r'<th scope="row"><a href="/systems/(\d+)"', page)
        link = re.search(r'href="(\?[^"]*)" rel="prev"', page)
        last = link and f"/systems{link[1].replace('&amp;', '&')}"
    assert back == met[::-1]


def test_private_systems_are_their_owners_alone(client, machines):
    records = making.file_records("y.csv", "y", [1.0] * 7, config=MACHINES["disks"])
    making.archive(owner="bob", records=records)
    making.archive(owner="bob", records=making.file_records("z.csv", "z", [1.0], config={"cpu.model": "Secret 9999"}))
    before = shown(client)
    assert not any("Secret" in row for row in before)
    client.force_login(making.user("bob"))
    assert {*shown(client)} - {*before} == {"Secret 9999|"}
    [epyc] = [row.system for row in client.get("/systems?q=epyc").context["systems"] if row.name == "EPYC 7742"]
    assert (epyc.measurements, epyc.configurations) == (5 + 7, 2)  # a machine of his own


def test_the_page_of_a_system_that_is_seen_by_nobody_else(client, machines):
    making.archive(owner="bob", records=making.file_records("z.csv", "z", [1.0], config={"cpu.model": "xeon e5-2620 V3"}))
    pk = System.objects.get(cpu_model="xeon e5-2620 V3").pk
    assert client.get(f"/systems/{pk}").status_code == 404
    assert "xeon e5-2620 V3" not in client.get("/systems").content.decode()


PARTS = st.builds(
    CountedSystem,
    st.integers(1, 30),
    st.sampled_from([None, "x86_64", "amd64"]),
    st.sampled_from([None, "Xeon E5-2620 v3", "Intel Xeon E5-2620v3", "EPYC 7742"]),
    st.sampled_from([None, 4]),
    st.sampled_from([None, 8 * GIB]),
    st.none(),
    st.sampled_from([None, 2]),
    st.integers(1, 9),
    st.integers(1, 3),
)


@given(st.lists(PARTS, unique_by=lambda row: row.pk))
def test_merging_keeps_every_system_once(rows):
    merged = merge_systems(rows)
    assert sorted(pk for row in merged for pk in row.ids) == sorted(row.pk for row in rows)
    assert sum(row.measurements for row in merged) == sum(row.measurements for row in rows)
    assert [row.measurements for row in merged] == sorted((row.measurements for row in merged), reverse=True)
    for row in system_index.describe_systems(merged, merged, system_index.PARTS):
        assert row.name and len(row.cells) == len(system_index.PARTS)


@given(st.lists(st.integers(1, 50), unique=True), st.integers(1, 7))
def test_a_list_in_memory_is_met_once(numbers, size):
    rows = [type("Row", (), {"pk": number}) for number in numbers]
    met, after, before = [], "", None
    while True:
        page = listing.page_of(rows, after, size)
        assert page.total == len(rows) and (page.before is None) == (not met)
        met += [row.pk for row in page.rows]
        if before is not None:
            assert page.before == before
        if not page.after:
            break
        before, after = after, page.after
    assert met == numbers
