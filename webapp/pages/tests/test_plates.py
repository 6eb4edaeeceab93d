"""/compare.svg and /compare.png: the figure of the page, for whom it is, from the cache where it was drawn before."""

from __future__ import annotations

import io
import re
import xml.etree.ElementTree as ET

import pytest
from django.utils import timezone
from pikepdf import Pdf

from webapp.http.data_version import data_version
from webapp.tests import making

pytestmark = pytest.mark.django_db
Q = "metric=write.throughput&x=compression&control=off"
SVG = "{http://www.w3.org/2000/svg}"


def published(values: dict[str, list[float]], **other) -> None:
    def records():
        for name, some in values.items():
            config = {"os.family": "Linux", "pool.compression": name}
            yield from making.file_records(f"{name}.txt", f"{name} {some}", some, config=config)

    making.archive(records=records(), **{"public": True} | other)


def root(client, query: str = Q) -> ET.Element:
    answer = client.get(f"/compare.svg?{query}")
    assert (answer.status_code, answer["Content-Type"]) == (200, "image/svg+xml")
    return ET.fromstring(answer.content)


def texts(element: ET.Element) -> list[str]:
    return [part.text or "" for part in element.iter(f"{SVG}text")]


def it_draws_the_figure_of_the_page(client):
    published({"lz4": [100.0 * 2**20, 120.0 * 2**20], "off": [80.0 * 2**20]})
    page = client.get(f"/compare?{Q}").content.decode()
    drawn = root(client)
    heading = re.search(r"<h1[^>]*>(.*?)</h1>", page)[1]
    assert drawn.find(f"{SVG}title").text == heading
    titles = " ".join(title.text or "" for title in drawn.iter(f"{SVG}title"))
    for row in ("off: 80.0", "lz4: 110"):
        assert row in titles.replace("\u00a0", " ") or row.replace(".0", "") in titles


def it_stands_on_the_page_for_readers_without_scripts(client):
    published({"lz4": [100.0, 120.0], "off": [80.0]})
    page = client.get(f"/compare?{Q}").content.decode()
    [(address, words)] = re.findall(r'<noscript><img class="figure-picture" src="([^"]+)" alt="([^"]+)"', page)
    assert "lz4" in words and "off" in words
    address = address.replace("&amp;", "&")
    assert address.startswith("/compare.svg?") and address.endswith("&panel=1")
    assert client.get(address).status_code == 200


def it_draws_one_panel_of_several(client):
    published({"lz4": [100.0, 120.0], "off": [80.0]})
    both = f"{Q}&facet=compression"
    assert len(list(root(client, both).iter(f"{SVG}g"))) == 2
    assert len(list(root(client, f"{both}&panel=2").iter(f"{SVG}g"))) == 1
    for wrong in ("3", "0", "x", "-1", "9" * 30):
        assert client.get(f"/compare.svg?{both}&panel={wrong}").status_code == 404


def it_has_the_theme_that_is_asked_for(client):
    published({"lz4": [100.0]})
    sheets = [
        next(root(client, f"{Q}{theme}").iter(f"{SVG}style")).text for theme in ("", "&theme=light", "&theme=dark", "&theme=no")
    ]
    assert "prefers-color-scheme" in sheets[0] and sheets[3] == sheets[0]
    assert sheets[1] != sheets[2] and not any("prefers-color-scheme" in sheet for sheet in sheets[1:3])


def it_shows_private_values_to_their_owner_only(client):
    published({"lz4": [100.0, 120.0]}, owner="bob", public=False)
    assert "Nothing to compare" in texts(root(client))
    client.force_login(making.user("bob"))
    assert "Nothing to compare" not in texts(root(client))


def it_makes_a_picture_for_link_previews(client):
    published({"lz4": [100.0], "off": [80.0]})
    answer = client.get(f"/compare.png?{Q}")
    assert (answer.status_code, answer["Content-Type"]) == (200, "image/png")
    head = answer.content[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n"
    assert (int.from_bytes(head[16:20]), int.from_bytes(head[20:24])) == (1200, 630)


@pytest.mark.parametrize("ending", ["svg", "png"])
def it_answers_from_the_page_cache(client, settings, monkeypatch, ending):
    settings.PAGE_CACHE = True
    published({"lz4": [100.0], "off": [80.0]})
    first = client.get(f"/compare.{ending}?{Q}")
    monkeypatch.setattr("webapp.pages.comparison_page.make_plate", None)
    again = client.get(f"/compare.{ending}?{Q}")
    assert again.content == first.content
    assert again["Content-Security-Policy"] == first["Content-Security-Policy"]
    assert client.get(f"/compare.{ending}?{Q}", headers={"If-None-Match": first["ETag"]}).status_code == 304


def it_says_in_every_file_that_it_is_not_frozen(client):
    """With the date, the data version and the address; readers need no account."""
    published({"lz4": [100.0, 120.0], "off": [80.0]})
    files = {ending: client.get(f"/compare.{ending}?{Q}") for ending in ("svg", "png", "pdf")}
    assert {answer.status_code for answer in files.values()} == {200}
    now, address = timezone.now(), f"http://testserver/compare?{Q}"
    mark = f"Not frozen: drawn on {now.day} {now:%B %Y} from data version {data_version()}"
    drawn = " ".join(texts(ET.fromstring(files["svg"].content)))
    assert mark in drawn and address in drawn.replace(" ", "")
    assert mark.encode() in files["png"].content and address.encode() in files["png"].content
    with Pdf.open(io.BytesIO(files["pdf"].content)) as document:
        assert mark in str(document.docinfo["/Subject"]) and address in str(document.docinfo["/Subject"])


def it_draws_no_pdf_of_nothing(client):
    assert client.get("/compare.pdf?metric=write.throughput&os=none").status_code == 404


def it_may_carry_its_colours_but_no_script(client):
    published({"lz4": [100.0]})
    policy = client.get(f"/compare.svg?{Q}")["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "style-src 'unsafe-inline'" in policy and "script-src" not in policy


@pytest.mark.parametrize("ending", ["svg", "png"])
def it_asks_at_most_ten_queries(client, ending, django_assert_max_num_queries):
    published({"lz4": [100.0] * 7, "off": [80.0, 70.0]})
    with django_assert_max_num_queries(10):
        assert client.get(f"/compare.{ending}?{Q}").status_code == 200


@pytest.mark.parametrize(
    ("kind", "says", "says_not"),
    [
        ("bars", "every run shown as a dot", "each cell"),
        ("heat&series=os", "Each cell is the median", "dot"),
        ("ratio&baseline=off", "Geometric mean", "dot"),
    ],
)
def it_describes_what_a_figure_of_that_kind_shows(client, kind, says, says_not):
    published({"lz4": [100.0, 120.0], "off": [80.0, 85.0]})
    page = client.get(f"/compare?{Q}&kind={kind}").content.decode()
    captions = " ".join(re.findall(r'<p id="method">(.*?)</p>', page, re.DOTALL))
    assert says in captions and says_not not in captions
