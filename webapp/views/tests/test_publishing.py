"""Publishing: a licence is chosen, what becomes public is shown, and the second tab says what happened."""

from __future__ import annotations

import re

import pytest
from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone

from webapp.files import blobs
from webapp.models import Archive
from webapp.storage import load
from webapp.tests import making, samples
from webapp.views.archives import owner_actions

pytestmark = pytest.mark.django_db
TEXT = samples.dd(2.5) + b"ann@web01:~$ ip a\n    inet 192.168.1.5/24\nSerial Number: WD-WCC4N1234567\n"


@pytest.fixture
def private():
    return samples.received(samples.tar({"runs/dd.txt": TEXT}), public=False)


def address(archive) -> str:
    return reverse("archive-publish", args=[archive.pk])


def buttons(page: str) -> dict[str, bool]:
    """Text of each button and button-like link of the page's main part -> whether it is a main one."""
    found = re.findall(r"<(?:a|button)([^>]*)>([^<]+)</(?:a|button)>", page.partition("<main")[2])
    return {text.strip(): "button-primary" in attributes for attributes, text in found}


class TestPage:
    def test_what_becomes_public_is_shown_with_its_places(self, ann, private):
        page = ann.get(address(private)).text
        line = TEXT.decode().count("\n")
        assert "192.168.1.5" in page
        assert f'href="/archives/{private.pk}/raw/runs/dd.txt#L{line - 1}"' in page
        for words in ("IP addresses", "Serial numbers", "WD-WCC4N1234567", "User names", "Names of files", "results.tar", "ann"):
            assert words in page

    def test_the_offered_licences_are_there_and_none_is_chosen(self, ann, private):
        page = ann.get(address(private)).text
        assert re.findall(r'name="licence" value="([^"]+)"', page) == ["CC-BY-4.0", "CC0-1.0", "ODbL-1.0", "other"]
        assert " checked" not in page

    def test_the_licence_of_a_manifest_is_chosen(self, ann):
        manifest = b'licence = "CC0-1.0"\n'
        archive = samples.received(samples.tar({"dd.txt": TEXT, "poolmark.toml": manifest}), public=False)
        assert 'value="CC0-1.0" required checked' in ann.get(address(archive)).text
        ann.post(address(archive), {"licence": "CC0-1.0"})
        assert Archive.objects.get().licence == "CC0-1.0" and Archive.objects.get().is_public

    def test_it_is_the_owner_s_alone(self, client, private):
        client.force_login(making.user("bob"))
        assert client.get(address(private)).status_code == 404
        assert client.post(address(private), {"licence": "CC0-1.0"}).status_code == 404

    def test_an_archive_without_a_measurement_has_another_main_button(self, ann):
        archive = samples.received(b"\x89PNG\r\n\x1a\n" + bytes(40), "chart.png", public=False)
        for page in (ann.get(reverse("archive", args=[archive.pk])).text, ann.get(address(archive)).text):
            assert buttons(page)["Publish"] is False and any(buttons(page).values())
        assert "This is a picture (PNG): numbers in pictures are not read." in ann.get(reverse("archive", args=[archive.pk])).text

    def test_missing_bytes_are_said(self, ann, private):
        blobs.path(private.sha256).unlink()
        answer = ann.get(address(private))
        assert answer.status_code == 200 and "The files could not be searched" in answer.text

    def test_a_large_archive_is_searched_by_the_worker(self, ann, private, monkeypatch):
        asked = []
        monkeypatch.setattr(owner_actions.exposure, "SEARCHED_AT_ONCE", 10)
        monkeypatch.setattr(owner_actions.search_exposure, "delay", asked.append)
        page = ann.get(address(private)).text
        assert "are being searched" in page and asked == [private.pk]
        owner_actions.search_exposure(private.pk)
        part = ann.get(address(private), {"exposure": 1}, headers={"HX-Request": "true"}).text
        assert "192.168.1.5" in part and "<html" not in part and "hx-get" not in part


class TestSecrets:
    @pytest.fixture
    def archive(self):
        text = samples.dd(2.5) + b"PGPASSWORD=hunter2 psql\nghp_16C7e42F292c6912E7710c838347Ae178B4a\n"
        return samples.received(samples.tar({"runs/dd.txt": text}), public=False)

    def test_each_blocks_until_it_is_confirmed(self, ann, archive):
        page = ann.get(address(archive)).text
        findings = re.findall(r'name="anyway" value="([0-9a-f]+)" form="publish">', page)
        assert len(findings) == 2 and "hunter2" not in page and "ghp_16C7" not in page and "runs/dd.txt:" in page
        for anyway in ([], findings[:1], ["x", *findings[1:]]):
            answer = ann.post(address(archive), {"licence": "CC0-1.0", "anyway": anyway})
            assert answer.status_code == 422 and "published anyway" in answer.text and not Archive.objects.get().is_public
            assert answer.text.count(' form="publish" checked>') == len(set(anyway) & set(findings))
        ann.post(address(archive), {"licence": "CC0-1.0", "anyway": findings})
        assert Archive.objects.get().is_public

    def test_the_secret_is_not_kept(self, ann, archive):
        ann.get(address(archive))
        assert "hunter2" not in str(archive.exposure.found) and "16C7e42F" not in str(archive.exposure.found)

    def test_what_is_not_searched_yet_is_not_published(self, ann, archive, monkeypatch):
        monkeypatch.setattr(owner_actions.exposure, "SEARCHED_AT_ONCE", 10)
        monkeypatch.setattr(owner_actions.search_exposure, "delay", lambda pk: None)
        answer = ann.post(address(archive), {"licence": "CC0-1.0"})
        assert answer.status_code == 422 and "still being searched" in answer.text and not Archive.objects.get().is_public

    def test_the_command_keeps_it_private_and_names_each(self, tmp_path, capsys):
        file = tmp_path / "dd.txt"
        file.write_bytes(samples.dd(2.5) + b"PGPASSWORD=hunter2 psql\n")
        call_command("ingest", str(file), jobs=1)
        said = capsys.readouterr().out
        assert not Archive.objects.get().is_public and "stays private" in said and "hunter2" not in said
        [finding] = re.findall(r"^  ([0-9a-f]{12})  ", said, re.MULTILINE)
        call_command("ingest", str(file), jobs=1, publish_anyway=[finding])
        assert Archive.objects.get().is_public


class TestLicence:
    @pytest.mark.parametrize(
        ("posted", "stored"),
        [
            ({"licence": "CC-BY-4.0"}, "CC BY 4.0"),
            ({"licence": "CC0-1.0"}, "CC0 1.0"),
            ({"licence": "ODbL-1.0"}, "ODbL 1.0"),
            ({"licence": "other", "licence_name": " cc by-sa  4.0 "}, "CC BY-SA 4.0"),
            ({"licence": "other", "licence_name": "House licence 7"}, "House licence 7"),
        ],
    )
    def test_it_is_stored_and_shown(self, ann, private, posted, stored):
        page = ann.post(address(private), posted, follow=True).text
        assert Archive.objects.get().licence == stored and f"is public under {stored}." in page
        ann.logout()
        assert stored in ann.get(reverse("archive", args=[private.pk])).text

    @pytest.mark.parametrize("posted", [{}, {"licence": ""}, {"licence": "other", "licence_name": " "}, {"licence": "mine"}])
    def test_without_one_nothing_is_published(self, ann, private, posted):
        answer = ann.post(address(private), posted)
        assert answer.status_code == 422 and 'role="alert"' in answer.text and not Archive.objects.get().is_public

    def test_reading_again_keeps_it(self, ann, private):
        ann.post(address(private), {"licence": "CC-BY-4.0"})
        load.store(private.pk, [])
        assert Archive.objects.get().licence == "CC BY 4.0"


class TestSecondTab:
    def test_publishing_twice(self, ann, private):
        ann.post(address(private), {"licence": "CC-BY-4.0"})
        second = ann.post(address(private), {"licence": "CC0-1.0"}, follow=True).text
        assert "Nothing was changed: it is public since " in second
        assert Archive.objects.get().licence == "CC BY 4.0"
        assert "It is public since" in ann.get(address(private)).text

    def test_the_page_shows_the_new_state_at_once(self, ann, private):
        page = reverse("archive", args=[private.pk])
        assert "Publish" in buttons(ann.get(page).text)
        after = ann.post(address(private), {"licence": "CC-BY-4.0"}, follow=True).text
        assert "Unpublish" in buttons(after) and "Publish" not in buttons(after) and ">public<" in after
        after = ann.post(reverse("archive-unpublish", args=[private.pk]), {"sure": 1}, follow=True).text
        assert "Publish" in buttons(after) and "Unpublish" not in buttons(after) and ">private<" in after
        second = ann.post(reverse("archive-unpublish", args=[private.pk]), {"sure": 1}, follow=True).text
        assert "Nothing was changed: it is not public." in second

    @pytest.mark.parametrize("act", ["publish", "delete", "unpublish", "review", ""])
    def test_what_was_deleted_says_when(self, ann, private, act):
        ann.post(reverse("archive-delete", args=[private.pk]), {"sure": 1})
        there = f"/archives/{private.pk}/{act}".rstrip("/")
        answers = [ann.get(there)] + ([ann.post(there, {"sure": 1})] if act not in ("review", "") else [])
        for answer in answers:
            assert answer.status_code == 404 and "“results.tar” was deleted on" in answer.text
        ann.force_login(making.user("bob"))
        assert "was deleted on" not in ann.get(there).text


class TestDetails:
    """Title and description, which are asked for while the archive is read."""

    @pytest.fixture
    def reading(self, private):
        Archive.objects.update(state="reading", read_at=None, files_total=33, files_done=12, hosts=3, systems=2, configurations=14)
        return private

    def test_they_are_asked_for_beside_what_was_found_so_far(self, ann, reading):
        Archive.objects.update(measurements=212)
        page = ann.get(reverse("archive", args=[reading.pk])).text
        assert 'name="title"' in page and 'name="description"' in page
        assert "Found so far: 3 hosts, 2 OS, 14 configurations, 212 measurements." in page
        part = ann.get(reverse("archive", args=[reading.pk]), headers={"HX-Request": "true"}).text
        assert '<dd id="state" hx-swap-oob="true">' in part and "being read" in part

    def test_they_are_saved_while_it_is_read_and_stay(self, ann, reading):
        posted = {"title": "  lz4\n beside off ", "description": "One server, " + "x" * 400}
        answer = ann.post(reverse("archive-details", args=[reading.pk]), posted)
        assert answer.url == reverse("archive", args=[reading.pk])
        Archive.objects.update(read_at=timezone.now())
        load.store(reading.pk, [])
        archive = Archive.objects.get()
        assert archive.title == "lz4 beside off" and len(archive.description) == 300
        assert "One server, x" in ann.get(answer.url).text

    def test_the_review_is_the_next_step(self, ann, private):
        answer = ann.post(reverse("archive-details", args=[private.pk]), {"title": "lz4", "description": ""})
        assert answer.url == reverse("archive-review", args=[private.pk])
        assert 'value="lz4"' in ann.get(answer.url).text

    def test_what_is_typed_is_not_lost_when_it_is_read(self, ann, private):
        page = reverse("archive", args=[private.pk])
        part = ann.get(page, {"typed": "1"}, headers={"HX-Request": "true"})
        assert "HX-Refresh" not in part and "Save and review" in part.text and "<html" not in part.text
        assert ann.get(page, headers={"HX-Request": "true"})["HX-Refresh"] == "true"

    def test_a_public_page_shows_a_new_title_at_once(self, ann, client):
        archive = samples.received(samples.dd(2.5), "dd.txt")
        there = reverse("archive", args=[archive.pk])
        assert "<h1>dd.txt</h1>" in type(client)().get(there).text
        ann.post(reverse("archive-details", args=[archive.pk]), {"title": "A tank", "description": "Five runs"})
        page = type(client)().get(there).text
        assert "<h1>A tank</h1>" in page and "Five runs" in page

    def test_only_the_owner_may(self, client, private):
        client.force_login(making.user("bob"))
        assert client.post(reverse("archive-details", args=[private.pk]), {"title": "mine"}).status_code == 404


def test_reading_counts_hosts_systems_and_configurations():
    records = [
        record
        for n, (host, system) in enumerate(
            [("a", "Debian"), ("a", "Ubuntu"), ("a.example.org", "Debian"), ("localhost", "FreeBSD")]
        )
        for record in making.file_records(f"{n}.txt", str(n), [1.0], config={"host": host, "os.name": system})
    ]
    archive = making.archive(records=records)
    archive.refresh_from_db()
    # Reading has spelled one host in one way where nothing contradicts; a name that every machine has is none.
    assert (archive.hosts, archive.systems, archive.configurations) == (2, 3, 4)


class TestContact:
    @pytest.mark.parametrize(
        ("contact", "shown"),
        [
            ("ops@example.org", '<a href="mailto:ops@example.org">ops@example.org</a>'),
            ("https://example.org/takedown", '<a href="https://example.org/takedown">https://example.org/takedown</a>'),
            ("Room <7>", "Room &lt;7&gt;"),
        ],
    )
    def test_it_is_at_the_foot_and_on_public_archives(self, client, settings, contact, shown):
        settings.POOLMARK_CONTACT = contact
        archive = samples.received(samples.dd(2.5), "dd.txt")
        page = client.get(reverse("archive", args=[archive.pk])).text
        assert page.count(shown) == 2 and f"Contact: {shown}" in page
        assert f"Contact: {shown}" in client.get("/upload", follow=True).text

    def test_where_none_is_set_this_is_said(self, client, root):
        archive = samples.received(samples.dd(2.5), "dd.txt")
        assert "This instance names no contact" in client.get(reverse("archive", args=[archive.pk])).text
        assert "POOLMARK_CONTACT" in root.get("/upload").text
