"""The frame of a permalink and oEmbed: every site may show it, nothing is set, and it tells what became of its sources."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser
from urllib.parse import quote

import pytest

from webapp.models import Archive, Permalink
from webapp.storage import load
from webapp.tests import frozen as freezing

pytestmark = pytest.mark.django_db


class Elements(HTMLParser):
    """Every element with its attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict]] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def of(self, tag: str) -> list[dict]:
        return [attrs for name, attrs in self.found if name == tag]


@pytest.fixture
def permalink() -> Permalink:
    return freezing.frozen()


def oembed(client, permalink, **more):
    query = "&".join(
        f"{key}={quote(str(value), safe='')}" for key, value in {"url": f"http://testserver/p/{permalink.pk}", **more}.items()
    )
    return client.get(f"/oembed?{query}")


class TestEmbed:
    def it_may_be_framed_by_everybody(self, client, permalink):
        answer = client.get(f"/p/{permalink.pk}/embed")
        policy = dict(part.strip().split(" ", 1) for part in answer["Content-Security-Policy"].split(";"))
        assert policy["frame-ancestors"] == "*" and policy["script-src"] == "'self'"
        assert "X-Frame-Options" not in answer and not answer.cookies
        assert "frame-ancestors 'none'" in client.get(f"/p/{permalink.pk}")["Content-Security-Policy"]

    def it_needs_no_script_and_draws_the_frozen_figure(self, client, permalink):
        page = Elements(client.get(f"/p/{permalink.pk}/embed").content.decode())
        assert page.of("script") == []
        assert page.of("img")[0]["src"] == f"/p/{permalink.pk}.svg?width=180"
        assert page.of("img")[0]["alt"].startswith("Sequential write")
        assert client.get(page.of("img")[0]["src"])["Content-Type"] == "image/svg+xml"

    def it_tells_that_an_archive_is_gone(self, client, permalink):
        before = client.get(f"/p/{permalink.pk}/embed")
        assert b"changed since" not in before.content
        load.delete(Archive.objects.get().pk)
        after = client.get(f"/p/{permalink.pk}/embed", headers={"If-None-Match": before["ETag"]})
        assert after.status_code == 200 and b"1 of its sources has changed since" in after.content

    def it_is_not_sent_again_while_it_is_true(self, client, permalink):
        before = client.get(f"/p/{permalink.pk}/embed")
        assert "no-cache" in before["Cache-Control"]
        again = client.get(f"/p/{permalink.pk}/embed", headers={"If-None-Match": before["ETag"]})
        assert again.status_code == 304 and "X-Frame-Options" not in again

    def it_tells_a_mistyped_name(self, client):
        assert client.get("/p/aaaaaaaaab/embed").status_code == 404

    def it_costs_few_queries(self, client, permalink, django_assert_max_num_queries):
        client.get(f"/p/{permalink.pk}/embed")
        with django_assert_max_num_queries(7):
            client.get(f"/p/{permalink.pk}/embed?again")


class TestOembed:
    def it_is_found_by_the_links_of_the_page(self, client, permalink):
        links = Elements(client.get(f"/p/{permalink.pk}").content.decode()).of("link")
        found = {link["type"]: link["href"] for link in links if link.get("type", "").endswith("oembed")}
        assert client.get(found["application/json+oembed"].removeprefix("http://testserver")).json()["version"] == "1.0"
        told = client.get(found["text/xml+oembed"].removeprefix("http://testserver"))
        assert ElementTree.fromstring(told.content).find("type").text == "rich"

    def it_gives_a_frame(self, client, permalink):
        told = oembed(client, permalink).json()
        (frame,) = Elements(told["html"]).of("iframe")
        assert frame["src"] == f"http://testserver/p/{permalink.pk}/embed"
        assert (int(frame["width"]), int(frame["height"])) == (told["width"], told["height"])
        assert told["title"] == frame["title"] == "Writes of a tank" and told["author_name"] == "Ann Rae; Bo Li"

    def it_keeps_to_the_size_asked_for(self, client, permalink):
        told = oembed(client, permalink, maxwidth=300, maxheight=200).json()
        assert (told["width"], told["height"]) == (300, 200)

    @pytest.mark.parametrize(
        ("more", "status"),
        [
            ({"url": "https://elsewhere.example/p/abc"}, 404),
            ({"url": "http://testserver/compare"}, 404),
            ({"url": ""}, 404),
            ({"url": "http://testserver/p/zzzzzzzzzz"}, 404),
            ({"format": "yaml"}, 501),
            ({"maxwidth": "wide"}, 400),
            ({"url": "http://[x"}, 404),
        ],
    )
    def it_refuses_what_it_cannot_give(self, client, permalink, more, status):
        assert oembed(client, permalink, **more).status_code == status


def test_every_link_of_the_dialog_leads_to_a_file(client, permalink):
    freezing.with_plain_pictures(permalink)
    links = Elements(client.get(f"/p/{permalink.pk}").content.decode()).of("a")
    files = {link["href"] for link in links if "download" in link}
    assert len(files) == 26
    for href in files:
        answer = client.get(href)
        assert answer.status_code == 200, href
        assert permalink.pk in answer.get("Content-Disposition", permalink.pk), href


def test_the_line_for_latex_names_the_file_as_it_is_downloaded(client, permalink):
    page = Elements(client.get(f"/p/{permalink.pk}").content.decode())
    (line,) = (button["data-copy"] for button in page.of("button") if button.get("data-copy", "").startswith(r"\includegraphics"))
    told = client.get(f"/p/{permalink.pk}.pdf?width=85")["Content-Disposition"]
    assert told == f'inline; filename="{line.split("{")[1].rstrip("}")}"'
