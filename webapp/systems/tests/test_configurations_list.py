"""The list of configurations and its search; the numbers of two configurations side by side."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.urls import reverse

from webapp.models import Run
from webapp.tests import making
from webapp.views.systems import configurations as views

pytestmark = pytest.mark.django_db
CONFIGS = {
    "zfs": {"cpu.model": "Xeon E3110", "fs.type": "zfs", "pool.compression": "lz4", "zfs.primarycache": "all", "zfs.used": 5},
    "cold": {"cpu.model": "Xeon E3110", "fs.type": "zfs", "pool.compression": "lz4", "zfs.primarycache": "metadata"},
    "ext4": {"cpu.model": "AMD EPYC", "fs.type": "ext4", "block.scheduler": "mq-deadline"},
}


def _measured(name, public=True, values=(1.0, 2.0, 3.0), **more):
    making.archive(public=public, records=making.file_records(f"{name}.txt", name, list(values), config=CONFIGS[name], **more))
    return Run.objects.order_by("-id")[0].configuration_id


@pytest.fixture
def _pks(db):
    return {name: _measured(name) for name in CONFIGS}


def _found(client, q=""):
    return [row.configuration.pk for row in client.get(reverse("configurations"), {"q": q}).context["configurations"]]


@pytest.mark.parametrize(
    ("q", "names"),
    [
        ("", ["ext4", "cold", "zfs"]),
        ("ZFS lz4", ["cold", "zfs"]),
        ("epyc", ["ext4"]),
        ("primarycache", ["cold", "zfs"]),
        ("zfs.primarycache=metadata", ["cold"]),
        ("zfs.used=5", ["zfs"]),
        ("mq-deadline", ["ext4"]),
        ("mq_deadline", []),
        ("100%", []),
        ("xeon epyc", []),
    ],
)
def test_search(client, _pks, q, names):
    assert _found(client, q) == [_pks[name] for name in names]


def test_private_ones_are_their_owners_alone(client):
    pk = _measured("zfs", public=False)
    assert _found(client) == []
    client.force_login(making.user("ann"))
    assert _found(client) == [pk]


def test_an_empty_list_and_an_empty_search_say_what_to_do(client, _pks):
    assert "No configuration matches" in client.get(reverse("configurations"), {"q": "nothing"}).content.decode()


def test_pages(client, _pks, monkeypatch):
    monkeypatch.setattr(views, "_LIST", replace(views._LIST, size=2))
    first = client.get(reverse("configurations")).context
    second = client.get(f"{reverse('configurations')}?{first['next_query']}").context
    met = [row.configuration.pk for row in (*first["configurations"], *second["configurations"])]
    assert met == sorted(_pks.values(), reverse=True)
    assert not second["page"].after and second["page"].before == ""


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ({"fs": "zfs"}, ["cold", "zfs"]),
        ({"fs": "zfs", "q": "metadata"}, ["cold"]),
        ({"compression": "~"}, ["ext4"]),
        ({"cpu": "AMD EPYC", "fs": "zfs"}, []),
        ({"cpu": "none such"}, []),
        ({"sort": "added"}, ["zfs", "cold", "ext4"]),
        ({"sort": "cpu", "fs": "ext4"}, ["ext4"]),
        ({"sort": "cpu"}, ["ext4", "cold", "zfs"]),
        ({"sort": "machine"}, ["zfs", "cold", "ext4"]),
    ],
)
def test_facets_and_order(client, _pks, query, names):
    rows = client.get(reverse("configurations"), query).context["configurations"]
    assert [row.configuration.pk for row in rows] == [_pks[name] for name in names]


def test_facets_count_what_they_would_give(client, _pks):
    page = client.get(reverse("configurations")).context
    counts = {one.name: {choice.value: choice.n for choice in one.choices} for one in page["facets"]}
    assert counts["fs"] == {"zfs": 2, "ext4": 1} and counts["compression"] == {"lz4": 2, "~": 1}
    for name, choices in counts.items():
        for value, n in choices.items():
            assert client.get(reverse("configurations"), {name: value}).context["page"].total == n


def test_rows_of_one_heading_are_told_apart(client, _pks):
    rows = {row.configuration.pk: row for row in client.get(reverse("configurations")).context["configurations"]}
    assert rows[_pks["zfs"]].heading == rows[_pks["cold"]].heading
    assert rows[_pks["zfs"]].apart == "zfs.primarycache all" and rows[_pks["cold"]].apart == "zfs.primarycache metadata"
    assert rows[_pks["ext4"]].apart == ""
