"""What search engines, link previews and feed readers find: everything public once, and nothing else."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from html import unescape
from xml.etree import ElementTree

import pytest

from webapp.accounts import audit
from webapp.archives import lifecycle
from webapp.bulk import editions
from webapp.claims.judge import CLAIMS
from webapp.claims.observations import DOUBTS, DRIFT, NO_DIFFERENCE
from webapp.jobs.tasks import make_public_data
from webapp.models import Archive, FrozenSource, Permalink, Rereading, System
from webapp.storage import load, withdrawals
from webapp.tests import frozen, making
from webapp.views.site import crawlers

pytestmark = pytest.mark.django_db
ATOM = {"a": "http://www.w3.org/2005/Atom"}
FILES = ["/robots.txt", "/llms.txt", "/sitemap.xml", "/archives.atom", *(f"/sitemap-{name}.xml" for name in crawlers.SITEMAPS)]
SECRET = "Zz-secret"


def archive(name: str, *, public: bool = True, study: str = "", **facts) -> Archive:
    records = making.file_records(f"{name}.csv", name, [1e8, 2e8], config={"cpu.model": f"{name} 1234", "pool.compression": "lz4"})
    row = making.archive(public=public, records=records)
    Archive.objects.filter(pk=row.pk).update(title=name, study=study, **facts)
    row.refresh_from_db()
    return row


@pytest.fixture
def world(db):
    """A public archive, and everything that nobody else may learn of: each with the word `SECRET`."""
    shown = archive(
        "Open",
        study="open-study",
        authors="Ann Rae",
        description="Two writes.",
        year=2020,
        published_in="A Journal",
        licence="CC BY 4.0",
    )
    hidden = archive(f"{SECRET}-private", public=False, study=f"{SECRET.lower()}-study")
    taken_back = archive(f"{SECRET}-unpublished")
    load.unpublish(taken_back.pk)
    withdrawn = archive(f"{SECRET}-withdrawn")
    load.withdraw(withdrawn.pk, "why", withdrawn.owner)
    unread = making.archive(name=f"{SECRET}.tar")
    permalink = frozen.freeze(f"metric=write.throughput&archive={shown.pk}", title="Frozen of all")
    own = frozen.freeze(f"metric=write.throughput&archive={hidden.pk}", title=f"{SECRET}-frozen")
    return {"shown": shown, "hidden": [hidden, taken_back, withdrawn, unread], "permalink": permalink, "own": own}


def text_of(client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200, address
    return answer.content.decode()


def locations(client, section: str) -> list[str]:
    return re.findall(r"<loc>http://testserver([^<]*)</loc>", text_of(client, f"/sitemap-{section}.xml"))


@pytest.mark.parametrize("signed", [False, True], ids=["stranger", "owner"])
def test_nothing_private_is_found(client, world, signed):
    if signed:
        client.force_login(making.user("ann"))
    hidden = [*(f"/archives/{row.pk}" for row in world["hidden"]), f"/p/{world['own'].pk}"]
    hidden += [f"/systems/{pk}" for pk in System.objects.filter(cpu_model__startswith=SECRET).values_list("pk", flat=True)]
    assert len(hidden) >= 7
    for address in FILES:
        text = text_of(client, address)
        assert SECRET not in text and SECRET.lower() not in text
        assert not [path for path in hidden if re.search(rf"{path}\b", text)]


def test_everything_public_is_in_the_sitemap(client, world):
    index = re.findall(r"<loc>http://testserver(/[^<]*)</loc>", text_of(client, "/sitemap.xml"))
    assert sorted(index) == sorted(f"/sitemap-{name}.xml" for name in crawlers.SITEMAPS)
    shown = world["shown"]
    assert locations(client, "archives") == [f"/archives/{shown.pk}"]
    assert locations(client, "studies") == ["/studies/open-study"]
    assert locations(client, "permalinks") == [f"/p/{world['permalink'].pk}"]
    assert locations(client, "systems") == [f"/systems/{shown.run_set.first().configuration.system_id}"]
    assert {"/", "/archives", "/compare"} <= {*locations(client, "pages")}
    for path in [*locations(client, "pages"), *locations(client, "archives"), *locations(client, "systems")]:
        assert client.get(path).status_code in (200, 302), path


def test_the_sitemap_comes_in_pages(client, monkeypatch):
    monkeypatch.setattr(crawlers._Archives, "limit", 2)
    wanted = {f"/archives/{archive(f'n{number}').pk}" for number in range(5)}
    pages = re.findall(r"<loc>http://testserver(/sitemap-archives[^<]*)</loc>", text_of(client, "/sitemap.xml"))
    assert len(pages) == 3
    met = [path for page in pages for path in re.findall(r"<loc>http://testserver([^<]*)</loc>", text_of(client, page))]
    assert sorted(met) == sorted(wanted)


@pytest.mark.parametrize("address", FILES)
def test_they_ask_little(client, world, django_assert_max_num_queries, address):
    with django_assert_max_num_queries(10):
        client.get(address)


def test_robots_names_the_sitemap_and_lets_previews_through(client):
    text = text_of(client, "/robots.txt")
    assert client.get("/robots.txt")["Content-Type"].startswith("text/plain")
    assert "Sitemap: http://testserver/sitemap.xml" in text
    blocked = re.findall(r"Disallow: (\S+)", text)
    assert not [path for path in blocked if "/compare?x=os".startswith(path) or "/compare.png?x=os".startswith(path)]


def test_every_address_for_programs_answers(client, world):
    """`ARCHIVE` and the like are put in; all others stand as they are."""
    other = archive("Other")
    assert make_public_data(editions.ask(print).date.isoformat()) == "made"
    names = {"ARCHIVE": world["shown"].pk, "OTHER": other.pk, "RUN": other.run_set.first().pk}
    names |= {"PERMALINK": world["permalink"].pk, "STUDY": world["shown"].study}
    text = text_of(client, "/llms.txt")
    assert all(re.search(rf"\b{name}\b", text) for name in names)
    addresses = re.findall(r"\]\((http://[^)]*)\)", text)
    assert len(addresses) > 30 and text.count("](") == len(addresses) == text.count("://")
    for address in addresses:
        put = re.sub(rf"\b({'|'.join(names)})\b", lambda match: str(names[match[1]]), address)
        answer = client.get(put, follow=True, headers={"host": "testserver"})
        assert answer.status_code == 200, put


def test_programs_learn_every_word_of_a_claim(client):
    text = text_of(client, "/llms.txt")
    claims = [words.format("worse" if scope == "before" else "faster", "N") for scope, words in CLAIMS.items()]
    words = [*claims, *"faster slower higher lower better worse".split(), NO_DIFFERENCE, DRIFT, *DOUBTS.values()]
    assert not [word for word in words if f"*{word}*" not in text]
    assert text.startswith("# Poolmark\n\n> ")
    assert "http://testserver/llms.txt" in text_of(client, "/robots.txt")


def test_the_text_for_programs_is_sent_once(client):
    answer = client.get("/llms.txt")
    assert answer["Content-Type"] == "text/plain; charset=utf-8" and "public" in answer["Cache-Control"]
    assert client.get("/llms.txt", headers={"if-none-match": answer["ETag"]}).status_code == 304


def test_a_permalink_is_listed_while_all_its_sources_are_public(client, world):
    name = world["permalink"].pk
    assert list(FrozenSource.objects.filter(permalink=name).values_list("archive_id", flat=True)) == [world["shown"].pk]
    assert 'content="noindex"' not in text_of(client, f"/p/{name}")
    assert 'content="noindex"' in text_of(client, f"/p/{world['own'].pk}")
    load.unpublish(world["shown"].pk)
    assert locations(client, "permalinks") == []
    load.publish(world["shown"].pk)
    assert locations(client, "permalinks") == [f"/p/{name}"]
    Archive.objects.filter(pk=world["shown"].pk).update(withdrawn_at=datetime.now(UTC))
    assert not Permalink.objects.listed().exists()


class TestTheFeed:
    def entries(self, client) -> list[ElementTree.Element]:
        return ElementTree.fromstring(client.get("/archives.atom").content).findall("a:entry", ATOM)

    def test_the_newest_published_come_first(self, client):
        day = datetime(2026, 1, 1, tzinfo=UTC)
        for number in (1, 3, 2):
            archive(f"n{number}", published_at=day + timedelta(days=number))
        answer = client.get("/archives.atom")
        assert answer["Content-Type"].startswith("application/atom+xml")
        assert [entry.find("a:title", ATOM).text for entry in self.entries(client)] == ["n3", "n2", "n1"]

    def test_an_entry_says_what_and_by_whom(self, client, world):
        [entry] = self.entries(client)
        read = {name: entry.find(f"a:{name}", ATOM) for name in ("title", "summary", "rights", "published")}
        assert read["title"].text == "Open" and read["summary"].text == "Two writes. 2 measurements in 1 files."
        assert read["rights"].text == "CC BY 4.0" and entry.find("a:author/a:name", ATOM).text == "Ann Rae"
        assert entry.find("a:link", ATOM).get("href") == f"http://testserver/archives/{world['shown'].pk}"

    def test_any_title_is_well_formed(self, client):
        archive("odd", authors="\x01<b>&\u202e", caveat="\x0b]]>", licence="\x02")
        Archive.objects.update(title="a\x00\x08<script>&amp;".replace("\x00", ""))
        [entry] = self.entries(client)
        assert "<script>" in entry.find("a:title", ATOM).text

    def test_it_is_new_when_something_is_published_and_304_until_then(self, client):
        tag = client.get("/archives.atom")["ETag"]
        assert client.get("/archives.atom", headers={"If-None-Match": tag}).status_code == 304
        archive("later")
        assert client.get("/archives.atom", headers={"If-None-Match": tag}).status_code == 200

    def test_every_page_names_it(self, client, world):
        for address in ("/", "/archives", "/compare", "/no-such-page"):
            assert 'type="application/atom+xml"' in client.get(address).content.decode()


def read_feed(client, address: str) -> ElementTree.Element:
    """The feed, after a check of what Atom requires of it and its entries."""
    answer = client.get(address)
    assert answer.status_code == 200 and answer["Content-Type"].startswith("application/atom+xml"), address
    feed = ElementTree.fromstring(answer.content)
    entries = feed.findall("a:entry", ATOM)
    for one in (feed, *entries):
        for name in ("id", "title", "updated"):
            assert one.find(f"a:{name}", ATOM).text, (address, name)
        assert datetime.fromisoformat(one.find("a:updated", ATOM).text).tzinfo
    assert feed.find("a:author/a:name", ATOM).text
    assert feed.find("a:link[@rel='self']", ATOM).get("href") == f"http://testserver{address}"
    ids = [one.find("a:id", ATOM).text for one in (feed, *entries)]
    assert len({*ids}) == len(ids)
    newest = max([entry.find("a:updated", ATOM).text for entry in entries], default="1970-01-01T00:00:00+00:00")
    assert feed.find("a:updated", ATOM).text == newest
    return feed


def titles(client, address: str) -> list[str]:
    return [entry.find("a:title", ATOM).text for entry in read_feed(client, address).findall("a:entry", ATOM)]


class TestFeedsOfPages:
    @pytest.mark.parametrize(
        ("query", "found"),
        [("q=rome", ["Rome"]), ("cpu=Milan+1234", ["Milan"]), ("q=bonnie", ["Milan", "Rome"]), ("q=nothing-of-this", [])],
    )
    def test_of_a_search(self, client, query, found):
        archive("Rome", published_at=datetime(2026, 1, 1, tzinfo=UTC))
        archive("Milan", published_at=datetime(2026, 1, 2, tzinfo=UTC))
        address = f"/archives.atom?{query}"
        assert titles(client, address) == found
        page = client.get(f"/archives?{query}").content.decode()
        assert f'<link rel="alternate" type="application/atom+xml" href="{address}"' in page

    def test_of_a_study_and_of_a_system(self, client, world):
        shown = world["shown"]
        for page in ("/studies/open-study", f"/systems/{shown.run_set.first().configuration.system_id}"):
            assert titles(client, f"{page}.atom") == ["Open"]
            assert f'type="application/atom+xml" href="{page}.atom"' in client.get(page).content.decode()

    def test_what_became_of_an_archive(self, client, world):
        shown, staff = world["shown"], making.staff()
        address, actor = f"/archives/{shown.pk}.atom", audit.actor_of(staff)
        assert titles(client, address) == ["Published"]
        assert f'href="{address}"' in text_of(client, f"/archives/{shown.pk}")
        tag = client.get(address)["ETag"]
        assert client.get(address, headers={"If-None-Match": tag}).status_code == 304
        Rereading.objects.create(archive=shown, seconds=1, values=2, changed=1, vanished=2)
        Rereading.objects.create(archive=shown, seconds=1, values=2)  # changed nothing
        assert client.get(address, headers={"If-None-Match": tag}).status_code == 200
        tag = client.get(address)["ETag"]
        withdrawals.withdraw_file(shown.pk, "Open.csv", "wrong disk", staff)
        audit.record("withdraw", actor, shown, about="Open.csv", reason="wrong \x01 disk")
        assert client.get(address, headers={"If-None-Match": tag}).status_code == 200
        assert titles(client, address) == ["Withdrawn: Open.csv", "Read again", "Published"]
        feed = read_feed(client, address)
        texts = [entry.find("a:summary", ATOM).text for entry in feed.findall("a:entry", ATOM)]
        assert texts[0].startswith("wrong ") and texts[1] == "1 values changed, 2 values vanished."
        ids = [entry.find("a:id", ATOM).text for entry in feed.findall("a:entry", ATOM)]
        lifecycle.perform_action(shown.pk, "withdraw", actor, "all of it")
        assert titles(client, address) == ["Withdrawn: the whole archive", "Withdrawn: Open.csv"]
        lifecycle.perform_action(shown.pk, "delete", actor, "on request")
        assert titles(client, address)[:2] == ["Deleted: the whole archive", "Withdrawn: the whole archive"]
        assert ids[0] in [entry.find("a:id", ATOM).text for entry in read_feed(client, address).findall("a:entry", ATOM)]

    @pytest.mark.parametrize("signed", [False, True], ids=["stranger", "owner"])
    def test_what_is_not_public_has_none(self, client, world, signed):
        if signed:
            client.force_login(making.user("ann"))
        hidden, taken_back, _, unread = world["hidden"]
        for row in (hidden, taken_back, unread):
            assert client.get(f"/archives/{row.pk}.atom").status_code == 404
            page = client.get(f"/archives/{row.pk}").content.decode()
            assert f"/archives/{row.pk}.atom" not in page
        system = hidden.run_set.first().configuration.system_id
        assert client.get(f"/systems/{system}.atom").status_code == 404
        assert client.get(f"/studies/{hidden.study}.atom").status_code == 404
        assert titles(client, f"/archives.atom?q={SECRET}") == []


def head(client, address: str) -> dict[str, str]:
    """Canonical link, title and the properties of Open Graph and Twitter."""
    text = client.get(address).content.decode()
    tags = dict(re.findall(r'<meta (?:property|name)="([\w:]+)" content="([^"]*)">', text))
    canonical = re.findall(r'<link rel="canonical" href="([^"]*)">', text)
    assert len(canonical) < 2 and len(re.findall("<title>", text.partition("</head>")[0])) == 1
    named = {"canonical": canonical[0] if canonical else "", "title": re.search(r"<title>(.*?)</title>", text, re.S)[1]}
    return {name: unescape(value) for name, value in (tags | named).items()}


def test_equal_queries_have_one_canonical_address_and_picture(client):
    for compression in ("lz4", "off"):
        config = {"cpu.model": "EPYC 7742", "host": "h", "pool.compression": compression}
        making.archive(public=True, records=making.file_records(f"{compression}.csv", compression, [1e8, 2e8, 3e8], config=config))
    one = head(client, "/compare?x=compression&metric=write.throughput&control=off&scale=linear")
    other = head(client, "/compare?control=off&metric=write.throughput&x=compression")
    assert one["canonical"] == other["canonical"] == one["og:url"]
    assert one["canonical"] == "http://testserver/compare?metric=write.throughput&x=compression&control=off"
    assert one["og:image"] == one["canonical"].replace("/compare?", "/compare.png?") == one["twitter:image"]
    assert one["twitter:card"] == "summary_large_image" and one["og:title"] in one["title"]
    picture = client.get(one["og:image"].removeprefix("http://testserver"))
    assert picture.status_code == 200 and picture["Content-Type"] == "image/png"
    assert head(client, "/compare")["canonical"] in ("", "http://testserver/compare")
    assert head(client, "/compare?host=nowhere")["robots"] == "noindex"


def test_what_a_preview_of_each_page_shows(client, world):
    shown = world["shown"]
    run = shown.run_set.first()
    pages = {
        "/": "storage benchmark results",
        "/systems": "Systems",
        "/studies": "Studies",
        "/studies/open-study": "Open",
        f"/archives/{shown.pk}": "Open",
        f"/systems/{run.configuration.system_id}": "Open 1234",
        f"/configurations/{run.configuration_id}": "lz4",
        f"/runs/{run.pk}": "bonnie++",
        f"/p/{world['permalink'].pk}": "Frozen of all",
    }
    titles = set()
    for address, words in pages.items():
        tags = head(client, address)
        assert words in tags["og:title"] and words in tags["title"], address
        assert tags["canonical"] == tags["og:url"] == f"http://testserver{address}"
        assert tags["twitter:card"] in ("summary", "summary_large_image")
        titles.add(tags["title"])
    assert len(titles) == len(pages)
    assert head(client, f"/archives/{shown.pk}")["og:description"] == "Two writes."
    assert head(client, "/studies/open-study?after=x")["canonical"] == "http://testserver/studies/open-study"
    for address in (f"/archives/{shown.pk}", "/studies/open-study", f"/p/{world['permalink'].pk}"):
        assert re.fullmatch(r"http://testserver/(compare|p/\w+)\.png.*", head(client, address)["og:image"])


def test_an_owner_sees_no_preview_of_what_is_private(ann, world):
    hidden = world["hidden"][0]
    for address in (f"/archives/{hidden.pk}", f"/runs/{hidden.run_set.first().pk}"):
        tags = head(ann, address)
        assert tags["robots"] == "noindex" and "og:title" not in tags and not tags["canonical"]


def test_the_json_ld_of_a_study(client, world):
    text = text_of(client, "/studies/open-study")
    data = json.loads(re.search(r'<script type="application/ld\+json">(.*?)</script>', text, re.S)[1])
    assert data["@type"] == "Dataset" and data["@id"] == "http://testserver/studies/open-study" and data["name"] == "Open"
    assert data["license"] == "https://creativecommons.org/licenses/by/4.0/" and data["datePublished"] == "2020"
    assert data["citation"]["@type"] == "ScholarlyArticle" and data["citation"]["isPartOf"]["name"] == "A Journal"
    assert [part["contentUrl"] for part in data["distribution"]] == [f"http://testserver/archives/{world['shown'].pk}/download"]
    assert data["measurementTechnique"] == ["bonnie++"]


def test_a_title_cannot_leave_its_script(client):
    archive("x", study="odd")
    Archive.objects.update(title="</script><script>alert(1)</script>")
    assert "<script>alert(1)" not in text_of(client, "/studies/odd")
