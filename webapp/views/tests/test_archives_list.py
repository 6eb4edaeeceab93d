"""The list of archives: search, facets, order, pages, and who sees what in it."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from webapp.models import Archive
from webapp.storage import load
from webapp.tests import making
from webapp.views.archives import archive_list

pytestmark = pytest.mark.django_db
WORLD = {
    "Pool": {"config": {"os.name": "Debian", "fs.type": "zfs", "cpu.model": "Xeon E5-2620 v3", "host": "tank1"}},
    "Extents": {"config": {"os.name": "Debian", "fs.type": "ext4"}, "tool": "fio"},
    "Berkeley": {"config": {"os.name": "FreeBSD", "fs.type": "zfs", "host": "beastie"}, "values": 5},
}


def uploaded(title: str, *, public: bool = True, owner: str = "ann", config=None, values: int = 2, tool: str = "bonnie++"):
    records = making.file_records(f"{title}.csv", title, [1e8 + n for n in range(values)], config=config, tool=tool)
    row = making.archive(public=public, records=records, owner=owner)
    Archive.objects.filter(pk=row.pk).update(title=title, authors=f"{owner} Rae", description=f"About {title.lower()}s")
    return row


@pytest.fixture
def archives(db):
    return {title: uploaded(title, **facts) for title, facts in WORLD.items()}


def titles(client, **query) -> list[str]:
    return [archive.title for archive in client.get("/archives", query).context["archives"]]


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ({}, ["Berkeley", "Extents", "Pool"]),
        ({"q": "e5-2620v3"}, ["Pool"]),
        ({"q": "beastie zfs"}, ["Berkeley"]),
        ({"q": "EXT"}, ["Extents"]),
        ({"q": '"about pools"'}, ["Pool"]),
        ({"q": "pool beastie"}, []),
        ({"tool": "fio"}, ["Extents"]),
        ({"os": "Debian", "fs": "zfs"}, ["Pool"]),
        ({"cpu": "~"}, ["Berkeley", "Extents"]),
        ({"sort": "title"}, ["Berkeley", "Extents", "Pool"]),
        ({"sort": "-title"}, ["Pool", "Extents", "Berkeley"]),
        ({"sort": "-measurements"}, ["Berkeley", "Extents", "Pool"]),
        ({"sort": "uploaded"}, ["Pool", "Extents", "Berkeley"]),
        ({"sort": "x", "q": "\0", "after": "\0", "fs": ""}, ["Berkeley", "Extents", "Pool"]),
    ],
)
def test_search_facets_and_order(client, archives, query, wanted):
    assert titles(client, **query) == wanted


def test_facets_count_what_they_would_give(client, archives):
    counts = {one.name: {choice.value: choice.n for choice in one.choices} for one in client.get("/archives").context["facets"]}
    assert counts["tool"] == {"bonnie++": 2, "fio": 1} and counts["fs"] == {"zfs": 2, "ext4": 1}
    for name, choices in counts.items():
        for value, n in choices.items():
            assert len(titles(client, **{name: value})) == n


def test_pages_by_links_alone(client, archives, monkeypatch):
    monkeypatch.setattr(archive_list, "LIST", replace(archive_list.LIST, size=1))
    address, met = "/archives?fs=zfs&sort=title", []
    while address:
        page = client.get(address).content.decode()
        met += re.findall(r'<th scope="row"><a href="/archives/\d+">(\w+)', page)
        link = re.search(r'href="(\?[^"]*)" rel="next"', page)
        address = link and f"/archives{link[1].replace('&amp;', '&')}"
    assert met == ["Berkeley", "Pool"]


def test_private_ones_are_their_owners_alone(client, archives):
    uploaded("Hidden", public=False, owner="bob", config={"host": "secrethost", "cpu.model": "Secret 1234"})
    everybodys = client.get("/archives")
    assert "Secret" not in everybodys.content.decode() and titles(client, q="secrethost") == []
    client.force_login(making.user("ann"))
    assert "Secret" not in client.get("/archives").content.decode()
    client.force_login(making.user("bob"))
    assert titles(client)[0] == "Hidden" and titles(client, q="secrethost") == ["Hidden"]
    assert titles(client, mine="1") == ["Hidden"] and titles(client, mine="1", fs="zfs") == []
    assert "private" in client.get("/archives").content.decode()


def test_an_unread_upload_is_listed_at_once_for_its_owner(ann, archives):
    assert len(titles(ann)) == 3
    row = making.archive(name="just-now.tar")
    assert next(archive.pk for archive in ann.get("/archives").context["archives"]) == row.pk


def test_of_a_withdrawn_archive_only_the_title_is_found(client, archives):
    load.withdraw(archives["Pool"].pk, "wrong", archives["Pool"].owner)
    assert titles(client, q="pool") == ["Pool"]
    assert titles(client, q="tank1") == [] and titles(client, cpu="Xeon E5-2620 v3") == []


def test_what_becomes_public_and_what_is_taken_back_is_seen_at_once(client, archives):
    row = uploaded("Later", public=False)
    assert "Later" not in titles(client)
    load.publish(row.pk)
    assert "Later" in titles(client)
    load.unpublish(row.pk)
    assert "Later" not in titles(client)


def test_nothing_found_says_what_to_do(client, archives):
    page = client.get("/archives", {"q": "nowhere <b>"}).content.decode()
    assert "No archive matches" in page and "nowhere &lt;b&gt;" in page and "/compare?q=nowhere" in page
