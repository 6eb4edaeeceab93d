"""The list of runs: search, facets, order, pages, and only what the reader may see."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.urls import reverse

from webapp.models import Configuration, Run
from webapp.tests import making
from webapp.views import runs

pytestmark = pytest.mark.django_db
MADE = {
    "zfs": {
        "tool": "bonnie++",
        "started_at": "2024-03-01T10:00",
        "config": {"fs.type": "zfs", "pool.compression": "lz4", "host": "tank"},
    },
    "ext4": {"tool": "iozone", "tool_version": "3.471", "config": {"fs.type": "ext4", "os.name": "Debian"}},
    "xfs": {"tool": "dd", "tool_version": None, "config": {"fs.type": "xfs"}},
}


def _make(name, public=True, values=2):
    records = making.file_records(f"logs/{name}.txt", name, [float(one) for one in range(values)], **MADE[name])
    return making.archive(public=public, records=records)


@pytest.fixture
def archives(db):
    return {name: _make(name) for name in MADE}


def _found(client, **get):
    page = client.get(reverse("runs"), get)
    return [(row.path.removeprefix("logs/").removesuffix(".txt"), row.line) for row, _, _ in page.context["runs"]]


@pytest.mark.parametrize(
    ("get", "names"),
    [
        ({}, ["xfs", "ext4", "zfs"]),
        ({"q": "BONNIE"}, ["zfs"]),
        ({"q": "iozone 3.471"}, ["ext4"]),
        ({"q": "lz4 tank"}, ["zfs"]),
        ({"q": "lz4 iozone"}, []),
        ({"q": "logs/xfs"}, ["xfs"]),
        ({"tool": "dd"}, ["xfs"]),
        ({"compression": "~"}, ["xfs", "ext4"]),
        ({"os": "Debian", "fs": "ext4"}, ["ext4"]),
        ({"os": "Debian", "fs": "zfs"}, []),
        ({"sort": "tool"}, ["zfs", "xfs", "ext4"]),
        ({"sort": "-started"}, ["zfs", "xfs", "ext4"]),
        ({"sort": "no-such-column"}, ["xfs", "ext4", "zfs"]),
    ],
)
def test_search_facets_and_order(client, archives, get, names):
    assert list(dict.fromkeys(name for name, _ in _found(client, **get))) == names


def test_each_choice_says_how_many_runs_it_gives(client, archives):
    facets = {facet.name: facet for facet in client.get(reverse("runs"), {"fs": "zfs"}).context["facets"]}
    assert [(one.value, one.n, one.chosen) for one in facets["fs"].choices] == [
        ("ext4", 2, False),
        ("xfs", 2, False),
        ("zfs", 2, True),
    ]
    assert [(one.value, one.n) for one in facets["tool"].choices] == [("bonnie++ 2.00", 2)]


def test_those_of_an_archive_and_on_a_configuration(client, archives):
    archive, on = archives["zfs"].pk, Run.objects.get(archive=archives["ext4"].pk, first_line="2").configuration_id
    assert {name for name, _ in _found(client, archive=archive)} == {"zfs"}
    assert {name for name, _ in _found(client, configuration=on)} == {"ext4"}
    assert client.get(reverse("runs"), {"archive": archive, "configuration": on}).status_code == 404
    page = client.get(reverse("runs"), {"configuration": on, "q": "iozone", "sort": "tool"}).text
    assert f'name="configuration" value="{on}"' in page and f"configuration={on}&amp;q=iozone" in page


@pytest.mark.parametrize("get", [{"archive": "99"}, {"archive": "x"}, {"configuration": "99"}, {"archive": "9" * 30}])
def test_what_is_not_there_is_said(client, archives, get):
    assert client.get(reverse("runs"), get).status_code == 404


def test_private_runs_are_their_owners_alone(client):
    archive = _make("zfs", public=False)
    on = Configuration.objects.get().pk
    assert _found(client) == []
    assert [client.get(reverse("runs"), get).status_code for get in ({"archive": archive.pk}, {"configuration": on})] == [404, 404]
    client.force_login(making.user("ann"))
    assert len(_found(client)) == len(_found(client, archive=archive.pk)) == len(_found(client, configuration=on)) == 2


def test_pages_go_on_and_back(client, monkeypatch):
    monkeypatch.setattr(runs, "_LIST", replace(runs._LIST, size=3))
    _make("zfs", values=7)
    first = client.get(reverse("runs"), {"sort": "run"})
    second = client.get(f"{reverse('runs')}?{first.context['next_query']}")
    last = client.get(f"{reverse('runs')}?{second.context['next_query']}")
    assert [[row.line for row, _, _ in page.context["runs"]] for page in (first, second, last)] == [
        ["2", "3", "4"],
        ["5", "6", "7"],
        ["8"],
    ]
    assert "4 to 6 of 7 runs" in second.text
    assert f"?{last.context['previous_query']}".replace("&", "&amp;") in last.text


def test_it_is_reached_from_archives_and_configurations(client, archives):
    archive, on = archives["zfs"].pk, Run.objects.filter(archive=archives["zfs"].pk)[0].configuration_id
    assert f'href="/runs?archive={archive}&amp;configuration={on}"' in client.get(reverse("archive", args=[archive])).text
    assert f'href="/runs?configuration={on}"' in client.get(reverse("configuration", args=[on])).text
    assert 'href="/runs"' in client.get(reverse("configurations")).text


def test_an_empty_list_and_an_empty_search_say_what_to_do(client):
    assert "No run yet" in client.get(reverse("runs")).text
    _make("xfs")
    assert "No run matches" in client.get(reverse("runs"), {"q": "nothing"}).text
