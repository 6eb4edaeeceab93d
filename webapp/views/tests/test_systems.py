"""Systems, configurations and runs: what is told, with the line that tells it, and only what the reader may see."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import parse_qs, urlsplit

import pytest
from django.urls import reverse

from webapp.models import Configuration, Run, System
from webapp.tests import making

pytestmark = pytest.mark.django_db
CONFIG = {
    "cpu.model": "Xeon E5-2650",
    "cpu.cores": 8,
    "memory": 16_267_444 * 1024,
    "host": "tank",
    "os.name": "Debian",
    "os.version": "12",
    "fs.type": "zfs",
    "pool.compression": "lz4",
    "made.up": "yes",
}


def measured(owner="ann", public=True, **other):
    return making.archive(
        owner=owner, public=public, records=making.file_records("logs/a.txt", "a", [1.0, 2.0], config=CONFIG, **other)
    )


def test_empty_lists_teach(client):
    assert "No system yet" in client.get("/systems").text


def test_the_same_parts_are_one_system_whatever_the_host(client):
    measured()
    making.archive(public=True, records=making.file_records("b", "b", [1.0], config=CONFIG | {"host": "pond"}))
    page = client.get("/systems")
    assert [(one.system.measurements, one.system.configurations) for one in page.context["systems"]] == [(3, 2)]
    one = client.get(reverse("system", args=[System.objects.get().pk]))
    assert one.context["hosts"] == ["pond", "tank"]


@pytest.mark.parametrize(
    ("change", "systems"),
    [
        ({"memory": 16_300_000 * 1024}, 1),  # another kernel shows a little more of the same modules
        ({"memory": 33_554_432 * 1024}, 2),  # upgraded
        ({"cpu.model": "Xeon E5-2690"}, 2),
        ({"cpu.cores": 16}, 2),
        ({"arch": "aarch64"}, 2),
        ({"disk.count": 4}, 2),
        ({"os.name": "FreeBSD", "os.version": "14.0", "pool.compression": "off"}, 1),
    ],
)
def test_other_parts_are_another_system_and_another_boot_is_not(change, systems):
    measured()
    making.archive(public=True, records=making.file_records("b", "b", [1.0], config=CONFIG | change))
    assert System.objects.count() == systems


def test_a_configuration_links_each_value_to_its_line(client):
    archive = measured()
    page = client.get(reverse("configuration", args=[Configuration.objects.get().pk])).text
    assert "Xeon E5-2650" in page and f'href="/archives/{archive.pk}/raw/logs/a.txt#L1"' in page
    assert "made.up" in page and "tank · Xeon E5-2650 · zfs lz4 · Debian 12" in page


def test_a_run_shows_its_values_as_printed_and_its_command(client):
    archive = measured(raw="434,512", duplicate_of="logs/b.txt:7")
    page = client.get(reverse("run", args=[Run.objects.order_by("id")[0].pk])).text
    assert "434,512" in page and "bonnie++ -d /tank" in page and "repeated from logs/b.txt:7" in page
    assert f'href="/archives/{archive.pk}/raw/logs/a.txt#L2"' in page


@pytest.mark.parametrize("name", ["system", "configuration", "run"])
def test_what_is_private_is_not_there_for_others(client, name):
    measured(public=False)
    pk = {"system": System, "configuration": Configuration, "run": Run}[name].objects.order_by("id")[0].pk
    assert client.get(reverse(name, args=[pk])).status_code == 404
    assert client.get("/systems").context["systems"] == []
    client.force_login(making.user("ann"))
    assert client.get(reverse(name, args=[pk])).status_code == 200
    assert len(client.get("/systems").context["systems"]) == 1


def test_configurations_of_a_system_are_told_apart_by_what_differs(client):
    def records():
        for number, change in enumerate(({}, {"pool.compression": "off"}, {"zfs.primarycache": "metadata"})):
            yield from making.file_records(f"{number}.txt", str(number), [1.0], config=CONFIG | change)

    making.archive(public=True, records=records())
    listed = client.get(reverse("system", args=[System.objects.get().pk])).context["listed"]
    assert ("Host", "tank") in listed.alike and listed.columns == []
    rows = sorted((row.name, row.apart) for row in listed.rows)
    assert [name for name, _ in rows] == ["zfs compression off", "zfs lz4", "zfs lz4"]
    assert [bool(apart) for _, apart in rows] == [False, True, True] and rows[1][1] != rows[2][1]


def test_open_keys_of_a_configuration_are_sorted_by_name(client):
    config = CONFIG | {"zfs.xattr": "sa", "zfs.checksum": "on", "zfs.logbias": "latency"}
    making.archive(public=True, records=making.file_records("a.txt", "a", [1.0], config=config))
    parts = dict(client.get(reverse("configuration", args=[Configuration.objects.get().pk])).context["parts"])
    names = [item.name for item in parts["Settings"]]
    assert names == sorted(names) and "zfs.checksum" in names


@pytest.mark.parametrize("kind", ["system", "configuration"])
def test_its_owner_compares_it_with_an_earlier_upload(ann, client, kind):
    config = {"host": "stor01", "cpu.model": "Xeon 7", "memory": 2**33, "os.family": "Linux"}
    uploads = []
    for number, owner in enumerate(("ann", "bob", "ann", "ann")):
        records = making.file_records("a.csv", f"{number}", [1e8 + number] * 3, config=config)
        uploads.append(making.archive(owner=owner, public=True, accepted=True, records=records))
    one = Configuration.objects.filter(system__cpu_model="Xeon 7", archiveconfiguration__archive=uploads[3]).get()
    pk = one.pk if kind == "configuration" else one.system_id
    page = ann.get(reverse(kind, args=[pk])).text
    [link] = [unescape(link) for link in re.findall(r'href="([^"]+)"[^>]*>Compare with my earlier upload<', page)]
    assert parse_qs(urlsplit(link).query) == {side: [f"archive={uploads[at].pk},{kind}={pk}"] for side, at in (("a", 3), ("b", 2))}
    card = ann.get(link)
    assert card.status_code == 200 and "Sequential write" in card.text
    for who in ("bob", None):
        client.force_login(making.user(who)) if who else client.logout()
        assert "my earlier upload" not in client.get(reverse(kind, args=[pk])).text
