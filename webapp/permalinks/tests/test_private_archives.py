"""A permalink of a private archive shows what its owner agreed to, and nothing beyond, under every address of it."""

from __future__ import annotations

import io
import json
import re
import zipfile

import pytest
from django.test import Client

from webapp.models import Archive, File, Permalink
from webapp.permalinks.bundles import permalink_bundle
from webapp.tests import frozen, making, samples

pytestmark = pytest.mark.django_db
SECRETS = {
    "other/never-frozen.txt": b"SECRET-FILE 10.9.8.7\n",
    "uname.txt": b"Linux host-a 6.1.0 #1 SMP x86_64 GNU/Linux\n" + b"filler\n" * 20 + b"SECRET-FAR 11.9.8.7\n",
}
ENDINGS = [
    *("", "/live", ".json", ".csv", ".bib", ".bib?form=biblatex", ".ris", ".csl", ".svg", ".svg?width=85", ".pdf", ".png"),
    *(".tex", ".tex?form=figure", ".zip", "/embed", "/datacite.xml", "/zenodo.json", "/history", "/history.json", "/files"),
    "?differences=1",
    *("/caption.tex", "/caption.md", "/caption.html", ".xlsx"),
    *(f"/cite/{name}" for name in permalink_bundle.CITATIONS),
]


@pytest.fixture
def anonymous() -> Client:
    """A reader who is not signed in."""
    return Client()


@pytest.fixture
def link(ann) -> Permalink:
    """A permalink of one value of a private archive with other files, a description and notes."""
    text = samples.dd(2.5) + b"between\n" * 30 + b"SECRET-LINE 12.9.8.7\n" + b"between\n" * 30
    archive = samples.received(samples.tar({"run/dd.txt": text, **SECRETS}), "SECRET-NAME.tar", public=False)
    Archive.objects.update(title="Runs of a tank", description="SECRET-DESCRIPTION", caveat="", authors="Ann Rae")
    form = {"query": frozen.QUERY + f"&archive={archive.pk}", "title": "One run"}
    asked = ann.post("/compare/freeze", form)
    assert asked.status_code == 200 and "Runs of a tank" in asked.content.decode() and not Permalink.objects.exists()
    name = ann.post("/compare/freeze", form | {"publish_points": "yes"})["Location"].removeprefix("/p/")
    return frozen.with_plain_pictures(Permalink.objects.get(pk=name))


def texts(answer) -> str:
    """The text of an answer; of a zip file, that of all its files and their names."""
    data = b"".join(answer.streaming_content) if answer.streaming else answer.content
    if not data.startswith(b"PK"):
        return data.decode("utf-8", "replace")
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return "\n".join(name + "\n" + archive.read(name).decode("utf-8", "replace") for name in archive.namelist())


def it_shows_no_more_than_was_agreed_to_under_any_address(anonymous, link):
    for ending in ENDINGS:
        answer = anonymous.get(f"/p/{link.pk}{ending}")
        assert answer.status_code in (200, 302), ending
        found = re.findall(r"SECRET-\w+|1[0-2]\.9\.8\.7|never-frozen", texts(answer))
        assert found == [], (ending, found)
    for form in ("json", "xml"):
        assert "SECRET" not in texts(anonymous.get(f"/oembed?url=http://testserver/p/{link.pk}&format={form}"))
    assert "SECRET" not in texts(anonymous.get("/log")) + texts(anonymous.get("/log.json"))


def it_leads_nobody_into_the_archive(anonymous, link):
    """Every address that its pages and files name: none opens the archive or a line of it, and none is linked to."""
    archive = Archive.objects.get()
    pages = [texts(anonymous.get(f"/p/{link.pk}{ending}")) for ending in ("", "/embed", "/history", "/live")]
    assert [text for text in re.findall(r'href="(/[^"]*)"', "".join(pages)) if f"/archives/{archive.pk}" in text] == []
    for address in (
        f"/archives/{archive.pk}",
        f"/archives/{archive.pk}/download",
        *(f"/archives/{archive.pk}/raw/{path}" for path in File.objects.values_list("path", flat=True)),
    ):
        assert anonymous.get(address).status_code in (403, 404), address
    live = anonymous.get(f"/p/{link.pk}/live", follow=True)
    assert "SECRET" not in texts(live)


def it_has_lines_near_the_values_alone(link):
    record = json.loads(bytes(link.record))
    [told] = record["files"].values()
    lines = {int(line) for line in told["lines"]}
    cited = {int(value["line"]) for value in record["values"]}
    assert told["path"] == "run/dd.txt" and all(any(abs(line - at) <= 3 for at in cited) for line in lines)


def it_is_in_no_list_for_others(anonymous, link):
    making.user("bo")
    for address in (
        "/compare?" + frozen.QUERY,
        "/compare.json?" + frozen.QUERY,
        "/archives",
        "/sitemap.xml",
        "/compare.csv?" + frozen.QUERY,
    ):
        answer = anonymous.get(address)
        assert "SECRET" not in texts(answer) and link.pk not in texts(answer), address
