"""The first page, the studies, and what is said where something is wrong."""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace

import pytest
from django.template.loader import render_to_string

from webapp.models import Archive
from webapp.storage import load
from webapp.studies import registry
from webapp.tests import making

pytestmark = pytest.mark.django_db


def published(**facts) -> Archive:
    archive = making.archive(public=True, records=making.file_records("a.csv", "bytes", [1e8, 2e8]))
    Archive.objects.filter(pk=archive.pk).update(**facts)
    archive.refresh_from_db()
    return archive


def it_lists_the_newest_public_archives(client):
    shown, hidden = published(title="Seen by all"), making.archive(name="secret.tar", records=[])
    page = client.get("/").content.decode()
    assert f'href="/archives/{shown.pk}"' in page and "Seen by all" in page
    assert f"/archives/{hidden.pk}" not in page


def it_says_what_this_is_and_how_much_is_here(client):
    making.archive(records=making.file_records("b.csv", "b", [1.0] * 5, config={"cpu.model": "Secret 9999"}))
    for compression in ("lz4", "off"):
        config = {"cpu.model": "EPYC 7742", "pool.compression": compression}
        making.archive(public=True, records=making.file_records("a.csv", compression, [1e8, 2e8], config=config))
    page = client.get("/")
    assert page.context["totals"] == (1, 2, 4, 4, False)
    text = re.sub(r"<[^>]+>", "", page.content.decode())
    assert "Poolmark is a database of storage benchmark results" in text
    assert all(
        words in text for words in ("1 system\n", "2 configurations", "4 measurements, of which 4 are drawn", "Upload results")
    )
    assert "Secret" not in text


class TestTheFigure:
    """The featured figure is drawn from accepted archives alone, whatever others publish under the name of a study."""

    def featured(self, client):
        return client.get("/").context["featured"]

    def shipped(self, compression: str, owner: str = "ann") -> Archive:
        config = {"pool.compression": compression, "pool.dedup": "off", "pool.atime": "off"}
        records = making.file_records(f"{owner}.csv", owner, [1e8, 2e8], config=config)
        archive = making.archive(public=True, records=records, owner=owner)
        Archive.objects.filter(pk=archive.pk).update(study="sweep")
        return archive

    @pytest.fixture(autouse=True)
    def shipped_study(self, monkeypatch):
        link = registry.StudyLink(
            "Write, per compression", "metric=write.throughput&x=compression&study=sweep", featured=True, finding="lz4 wrote more."
        )
        monkeypatch.setattr(registry, "shipped_studies", lambda: {"sweep": registry.Study("sweep", "About it.", (link,))})

    def test_there_is_none_where_nothing_is_accepted(self, client):
        self.shipped("lz4")
        assert self.featured(client) is None

    def test_it_names_the_accepted_archives_of_the_study(self, client):
        archive = self.shipped("lz4")
        load.accept(archive.pk, "read")
        before = self.featured(client)
        assert before.title == "Write, per compression" and f"archive={archive.pk}" in before.query and "study=" not in before.query
        self.shipped("gzip", owner="bob")
        assert self.featured(client) == before
        load.revoke_acceptance(archive.pk)
        assert self.featured(client) is None

    def test_it_has_a_finding_with_the_way_to_its_figure(self, client):
        archive = self.shipped("lz4")
        assert client.get("/").context["findings"] == []
        load.accept(archive.pk, "read")
        page = client.get("/")
        assert [finding.sentence for finding in page.context["findings"]] == ["lz4 wrote more."]
        assert f"archive={archive.pk}" in page.context["findings"][0].query and "lz4 wrote more." in page.content.decode()

    def test_a_study_that_no_front_page_draws_is_on_none(self, client, monkeypatch):
        archive = self.shipped("lz4")
        load.accept(archive.pk, "read")
        study = replace(registry.shipped_studies()["sweep"], front_page=False)
        monkeypatch.setattr(registry, "shipped_studies", lambda: {"sweep": study})
        page = client.get("/").context
        assert (page["featured"], page["findings"]) == (None, [])

    def test_without_a_shipped_study_it_is_of_the_accepted_archives(self, client):
        making.archive(public=True, records=making.file_records("a.csv", "a", [1e8, 2e8]), owner="bob")
        archive = making.archive(public=True, accepted=True, records=making.file_records("b.csv", "b", [3e8, 4e8]))
        featured = self.featured(client)
        assert f"archive={archive.pk}" in featured.query and featured.design
        assert len(re.findall(r'<a href="/archives/\d+"', client.get("/").content.decode())) == 2


def it_says_what_to_do_where_nothing_is_public(client):
    assert "No archive is public yet" in client.get("/").content.decode()


def it_answers_304_until_something_changes(client):
    tag = client.get("/")["ETag"]
    assert client.get("/", headers={"If-None-Match": tag}).status_code == 304
    published()
    assert client.get("/", headers={"If-None-Match": tag}).status_code == 200


def it_lists_studies_and_shows_one_with_its_caveat(client):
    published(study="zfs-compression", title="A pool", authors="A. Author", year=2026, caveat="A small machine.")
    assert 'href="/studies/zfs-compression"' in client.get("/studies").content.decode()
    page = client.get("/studies/zfs-compression").content.decode()
    assert "A small machine." in page and "A. Author, 2026" in page
    assert "/compare?metric=write.throughput&amp;metric=rewrite.throughput&amp;x=compression" in page


def it_hides_studies_that_are_not_public(client):
    archive = making.archive(records=making.file_records("a.csv", "bytes", [1e8]))
    Archive.objects.filter(pk=archive.pk).update(study="secret")
    assert client.get("/studies/secret").status_code == 404
    assert "secret" not in client.get("/studies").content.decode()


def it_offers_the_comparison_of_a_study_that_is_not_shipped(client):
    published(study="elsewhere")
    assert "/compare?study=elsewhere" in client.get("/studies/elsewhere").content.decode()


def it_ships_a_folder_for_every_study_that_is_told(settings):
    for name, study in registry.shipped_studies().items():
        manifest = settings.BASE_DIR / "fixtures" / name / "poolmark.toml"
        assert tomllib.loads(manifest.read_text())["study"] == name
        assert study.abstract and study.comparisons


def it_tells_where_to_go_when_there_is_nothing(client):
    response = client.get("/no-such-page")
    assert response.status_code == 404
    assert 'href="/archives"' in response.content.decode()


def it_passes_on_the_sentence_of_a_view(client):
    assert "There is no published study of this name." in client.get("/studies/none").content.decode()


def it_explains_a_form_without_its_token():
    from django.test import Client

    response = Client(enforce_csrf_checks=True).post("/sign-out")
    assert response.status_code == 403
    assert "open for too long" in response.content.decode()


def it_shows_a_fault_without_anything_that_could_fail():
    page = render_to_string("errors/500.html")
    assert "bug in Poolmark" in page and "{%" not in page


@pytest.mark.parametrize("address", ["/", "/studies", "/archives", "/systems", "/sign-in", "/no-such-page"])
def it_holds_no_inline_style_or_script(client, address):
    page = client.get(address).content.decode()
    assert not re.search(r"<[^>]+\sstyle=|<style|\son\w+=", page)
    assert all("src=" in tag or "application/json" in tag for tag in re.findall(r"<script[^>]*>", page))
