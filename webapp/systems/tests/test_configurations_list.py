"""The list of configurations and its search; the numbers of two configurations side by side."""

from __future__ import annotations

import pytest
from django.urls import reverse

from webapp.models import Run
from webapp.tests import making

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
    return [row.pk for row in client.get(reverse("configurations"), {"q": q}).context["configurations"]]


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
    monkeypatch.setattr("webapp.views.systems.configurations._LISTED", 2)
    first = client.get(reverse("configurations")).context
    second = client.get(reverse("configurations"), {"after": first["further"]}).context
    assert [row.pk for row in (*first["configurations"], *second["configurations"])] == sorted(_pks.values(), reverse=True)
    assert second["further"] is None


def test_the_difference_shows_the_numbers_of_both(client, _pks):
    page = client.get(reverse("difference"), {"a": _pks["zfs"], "b": _pks["cold"]})
    difference, [numbers] = page.context["difference"], page.context["numbers"]
    assert [row.key.name for row in difference.differ] == ["zfs.primarycache"] and difference.differ[0].shown == ("all", "metadata")
    assert [row.key.name for row in difference.others] == ["zfs.used"]
    assert (numbers.metric, numbers.n_a, numbers.median_a, numbers.n_b, numbers.median_b) == ("write.throughput", 3, 2.0, 3, 2.0)
    assert client.get(numbers.address).status_code == 200


def test_medians_beyond_thirty_values(client):
    a, b = _measured("zfs", values=[float(n) for n in range(1, 62)]), _measured("cold")
    [numbers] = client.get(reverse("difference"), {"a": a, "b": b}).context["numbers"]
    assert numbers.n_a == 61 and numbers.median_a == pytest.approx(31, rel=0.01)
