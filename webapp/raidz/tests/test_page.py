"""/models/raidz, and the model laid over /compare."""

from __future__ import annotations

import json

import pytest

from webapp.tests import making

pytestmark = pytest.mark.django_db
LAYOUTS = {"2 x raidz1(6)": 900.0, "6 x mirror(2)": 2000.0, "raidz2": 400.0}


@pytest.fixture
def pools():
    """Random reads of one host with a pool in three layouts, one of which names no number of disks."""
    for layout, value in LAYOUTS.items():
        config = {"host": "tank", "pool.layout": layout, "fs.type": "zfs", "pool.recordsize": 131072}
        records = making.file_records(
            f"{layout[:3]}.txt", layout[:3], [value] * 3, config=config, metric="random_read.rate", unit="1/s"
        )
        making.archive(public=True, records=records)


def test_without_measurements_it_says_what_to_upload(client):
    page = client.get("/models/raidz").text
    assert "zpool status" in page
    assert page.count('<svg class="drawn"') == 5


def test_measured_values_stand_beside_the_model_of_their_own_layout(client, pools):
    context = client.get("/models/raidz?iops=100").context
    shown = {point.row.layout: (point.measured, point.model) for point, _ in context["points"]}
    assert shown == {"2 x raidz1(6)": (900.0, pytest.approx(200)), "6 x mirror(2)": (2000.0, pytest.approx(1200))}


def test_each_measured_row_leads_to_its_layout(client, pools):
    context = client.get("/models/raidz?iops=100&disks=4&width=2").context
    queries = {point.row.layout: query for point, query in context["points"]}
    assert queries["2 x raidz1(6)"] == "iops=100"  # 12 disks in groups of 6 are the usual
    assert client.get(f"/models/raidz?{queries['6 x mirror(2)']}").context["parameters"]["width"] == 2


def test_private_values_are_not_shown(client):
    config = {"host": "tank", "pool.layout": "mirror(2)"}
    making.archive(records=making.file_records("a.txt", "a", [1.0], config=config, metric="random_read.rate", unit="1/s"))
    assert not client.get("/models/raidz").context["points"]


def test_a_problem_is_named_on_the_page(client):
    assert "“none” is no whole number" in client.get("/models/raidz?disks=none").text


def test_the_most_that_the_address_allows_is_answered(client):
    page = client.get("/models/raidz?disks=10000&width=1000&parity=3&spares=100")
    assert page.status_code == 200
    assert len(page.content) < 400_000


ADDRESS = "metric=random_read.rate&x=layout&control=off&model=raidz:iops%3D100"


def test_the_model_is_laid_over_a_comparison(client, pools):
    groups = json.loads(client.get(f"/compare.json?{ADDRESS}").text)["panels"][0]["groups"]
    assert {group["x"]: group["model"] for group in groups} == {
        "2 x raidz1(6)": pytest.approx(200),
        "6 x mirror(2)": pytest.approx(1200),
        "raidz2": None,
    }
    page = client.get(f"/compare?{ADDRESS}").text
    assert "Calculated, not measured: a dashed line across is what the RAID-Z model gives for disks of 100 IOPS" in page
    assert "(2 of 3 groups have a layout that it knows)" in page
    assert client.get(f"/compare.svg?{ADDRESS}").text.count("stroke-dasharray") == 2


def test_without_it_groups_have_no_model(client, pools):
    groups = json.loads(client.get("/compare.json?metric=random_read.rate&x=layout&control=off").text)["panels"][0]["groups"]
    assert not any("model" in group for group in groups)


def test_a_model_that_says_nothing_says_so(client, pools):
    page = client.get("/compare?metric=random_read.rate&x=host&control=off&model=raidz:").text
    assert "The RAID-Z model says nothing about these groups" in page


def test_an_unknown_model_is_named(client, pools):
    assert "model=zfs:1" in client.get("/compare?metric=random_read.rate&x=layout&model=zfs:1").text
