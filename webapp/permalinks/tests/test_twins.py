"""Every page whose data has an address says so: in its head for programs, with a link for people."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.urls import URLPattern, get_resolver

from webapp.models import Collection, Permalink
from webapp.permalinks.tests.test_frozen_curves import depths, runs
from webapp.tests import making

__all__ = ["depths", "runs"]
pytestmark = pytest.mark.django_db
NAMES = {pattern.name for pattern in get_resolver().url_patterns if isinstance(pattern, URLPattern)}
TWINS = {f"{name}-{ending}": (name, ending) for name in NAMES for ending in ("json", "csv") if f"{name}-{ending}" in NAMES}
QUERY = "metric=write.throughput&x=compression&control=off"
PAGES = {
    "collection": "/c/{collection}",
    "compare": f"/compare?{QUERY}",
    "distribution": "/series/distribution?run={run}",
    "hardware": "/hardware",
    "hardware-component": "/hardware/cpu/epyc-7763",
    "log": "/log",
    "normal": "/normal?a=archive:{archive}",
    "permalink": "/p/{permalink}",
    "permalink-history": "/p/{permalink}/history",
    "ranking": "/rankings/write.throughput",
    "run-series": "/runs/{run}/series",
    "series": "/series?run={run}",
    "system": "/systems/{system}",
    "systems": "/systems",
    "versus": "/versus?a=compression=lz4&b=compression=off",
}
"""An address of each page that has a twin: a new one needs a line here."""
MEDIA = {"json": "application/json", "csv": "text/csv"}


@pytest.mark.parametrize("twin", sorted(TWINS))
def test_a_page_names_its_twin(ann, runs, twin):
    name, ending = TWINS[twin]
    making.archive(public=True, accepted=True, records=making.file_records("a.csv", "a", [1e8], config={"cpu.model": "EPYC 7763"}))
    for number in range(8 if name == "ranking" else 0):
        records = making.file_records("b.csv", f"b{number}", [1e8], config={"cpu.model": f"EPYC {number}"})
        making.archive(public=True, accepted=True, records=records)
    ann.post("/compare/freeze", {"query": QUERY})
    link = Permalink.objects.get()
    ann.post("/collections/new", {"add": [link.pk]})
    ann.post("/collections/new", {"do": "freeze", "title": "All"})
    facts = {"run": runs[0].pk, "archive": runs[0].file.archive_id, "permalink": link.pk, "collection": Collection.objects.get().pk}
    facts["system"] = runs[0].configuration.system_id
    answer = ann.get(PAGES[name].format(**facts), follow=True)
    assert answer.status_code == 200
    [address] = re.findall(rf'<link rel="alternate" type="{MEDIA[ending]}" href="([^"]+)">', answer.text)
    path = address.partition("?")[0]
    assert re.search(rf'<a [^>]*href="{re.escape(path)}[?"]', answer.text)
    twin_answer = ann.get(unescape(address))
    assert twin_answer.status_code == 200
    assert twin_answer["Content-Type"].startswith(MEDIA[ending])


def test_what_is_not_there_names_none(client):
    answer = client.get("/p/23456789ab")
    assert answer.status_code == 404
    assert 'type="application/json" href' not in answer.text
