"""A search from the home page: it works on its own example, and says which metrics have it and where else to look."""

from __future__ import annotations

import re

import pytest

from webapp.tests import making

pytestmark = pytest.mark.django_db


@pytest.fixture
def world(db):
    for metric in ("write.throughput", "rewrite.throughput", "seek.rate"):
        for compression in ("lz4", "off"):
            config = {"os.name": "Debian", "fs.type": "zfs", "cpu.model": "Xeon E5-2620 v3", "pool.compression": compression}
            records = making.file_records(f"{metric}.csv", f"{metric} {compression}", [1e8, 2e8, 3e8], metric=metric, config=config)
            making.archive(public=True, records=records)


def test_the_example_of_the_home_page_finds_something(client, world):
    home = client.get("/")
    example = home.context["example"]
    assert example and f"/compare?q={example.replace(' ', '%20')}" in home.content.decode()
    page = client.get("/compare", {"q": example})
    assert page.content.decode().count("<canvas") >= 1


def test_it_says_which_metrics_have_the_words_and_where_else_to_look(client, world):
    text = client.get("/compare", {"q": "debian lz4"}).content.decode()
    found = re.search(r'<div class="found-in.*?</div>', text, re.S)[0]
    assert "debian lz4</q> is in 3 metrics" in found
    drawn, *others = re.findall(
        r"<(?:strong|a href=\"/compare\?[^\"]*)\"?>([^<]+)</(?:strong|a)> <span class=\"number\">(\d+)", found
    )
    assert drawn == ("Sequential write, throughput", "3") and [n for _, n in others] == ["3", "3"]
    for address in re.findall(r'href="(/compare\?[^"]*)"', found):
        assert client.get(address.replace("&amp;", "&")).content.decode().count("<canvas") >= 1
    for where in ("archives", "systems", "configurations"):
        assert f'href="/{where}?q=debian%20lz4"' in found


def test_what_no_run_has_leads_on_too(client, world):
    text = client.get("/compare", {"q": "nowhere<b>"}).content.decode()
    assert 'href="/archives?q=nowhere%3Cb%3E"' in text and "nowhere<b>" not in text


def test_a_named_metric_or_no_search_has_no_list(client, world):
    for query in ({}, {"metric": "write.throughput", "x": "compression"}):
        assert "found-in" not in client.get("/compare", query).content.decode()
