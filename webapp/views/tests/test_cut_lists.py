"""Lists that hold no more than so many rows say so; those that hold all of them do not."""

from __future__ import annotations

import pytest
from django.core.cache import cache

from webapp.archives import list_queries
from webapp.systems import configuration_queries, run_list, system_index
from webapp.tests import caches, making

pytestmark = pytest.mark.django_db
GIB = 2**30
LISTS = {
    "/archives": (list_queries, "MAX_ARCHIVES", "newest"),
    "/systems": (system_index, "MAX_SYSTEMS", "most measured"),
    "/configurations": (configuration_queries, "MAX_LISTED", "newest"),
    "/runs": (run_list, "MAX_LISTED", "newest"),
}


@pytest.fixture
def three(db):
    """Three archives of one run each on three systems, of which two are spellings of one."""
    for number, cpu in enumerate(("Xeon E5-2620 v3", "Intel Xeon E5-2620v3", "EPYC 7742"), 1):
        config = {"cpu.model": cpu, "arch": "x86_64", "memory": 64 * GIB}
        making.archive(records=making.file_records(f"{number}.csv", f"h{number}", [1e8] * number, config=config), public=True)


def clear():
    cache.clear()
    caches.clear()


@pytest.mark.parametrize("address", LISTS)
def test_a_cut_list_says_so_and_a_whole_one_does_not(client, three, monkeypatch, address):
    module, name, which = LISTS[address]
    clear()
    assert b"list-cut" not in client.get(address).content
    monkeypatch.setattr(module, name, 2)
    clear()
    for query in ("", "?q=nothing-of-the-kind") if address != "/configurations" else ("",):
        page = client.get(address + query).content.decode()
        assert f"Only the {which} 2 are listed and searched." in page, query
    clear()


def test_the_home_page_does_not_take_listed_systems_for_all(client, three, monkeypatch):
    clear()
    assert "<b>2</b> systems" in client.get("/").content.decode()
    monkeypatch.setattr(system_index, "MAX_SYSTEMS", 1)
    clear()
    assert "<b>1+</b> system" in client.get("/").content.decode()
    clear()
