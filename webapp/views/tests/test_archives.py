"""The list and the page of archives: who sees what, and what is on it."""

from __future__ import annotations

import pytest
from django.urls import reverse
from django.utils import timezone

from webapp.models import Archive
from webapp.storage import load
from webapp.tests import making, samples

pytestmark = pytest.mark.django_db


def get(client, archive, **headers):
    return client.get(reverse("archive", args=[archive.pk]), headers=headers)


def test_an_empty_list_teaches(client):
    assert "Upload results" in client.get("/archives").text


def test_the_list_is_paged_by_key(client):
    when = timezone.now()
    for n in range(55):
        archive = making.archive(public=True, records=[], name=f"archive {n:02}.tar")
        Archive.objects.filter(pk=archive.pk).update(uploaded_at=when)  # equal dates: the id decides
    first = client.get("/archives")
    assert first.text.count("archive ") >= 50 and "archive 04.tar" not in first.text
    second = client.get(f"/archives?{first.context['next_query']}")
    assert [archive.name for archive in second.context["archives"]] == [f"archive {n:02}.tar" for n in range(4, -1, -1)]
    assert not second.context["page"].after


@pytest.mark.parametrize("mark", ["x", "W10", "WyJhIiwiYiJd", "é"])
def test_a_mark_that_makes_no_sense_is_the_start(client, mark):
    making.archive(public=True, records=[])
    assert len(client.get("/archives", {"after": mark}).context["archives"]) == 1


def test_a_private_archive_is_not_there_for_others(client):
    archive = samples.received(samples.dd(2.5), "dd.txt", public=False)
    assert get(client, archive).status_code == 404
    assert archive.name not in client.get("/archives").text
    client.force_login(making.user("bob"))
    assert get(client, archive).status_code == 404
    client.force_login(making.user("ann"))
    assert get(client, archive).status_code == 200


def test_it_lists_files_measurements_and_warnings_with_their_lines(client):
    archive = samples.received(samples.tar({"lz4/dd 1.txt": samples.dd(2.5, 2, damage=True), "notes.md": b"hello\n"}))
    page = get(client, archive).text
    assert archive.measurements == 4 and archive.files_total == 2
    raw = reverse("archive-raw", args=[archive.pk, "lz4/dd 1.txt"])
    assert f'href="{raw}"' in page and "unrecognised" in page
    note = archive.notes.get(code="failed-run")
    assert f'href="{raw}#L{note.line}"' in page and "The tool reported an error." in page
    assert f"/compare?archive={archive.pk}" in page


def test_duplicates_link_to_where_they_count_and_are_compared_with_it(client):
    one = samples.received(samples.dd(2.5), "a.txt")
    two = samples.received(samples.tar({"a.txt": samples.dd(2.5), "b.txt": samples.dd(3)}), owner="bob")
    page = get(client, two).text
    assert "counted elsewhere" in page
    assert f"/compare?archive={two.pk}&amp;archive={one.pk}" in page


def test_copies_are_shown_and_the_page_counts_what_the_comparison_counts(client):
    files = {f"rep{n}/dd.txt": samples.dd(2.5, 3) for n in (1, 2, 3)} | {"rep4/dd.txt": samples.dd(4)}
    archive = samples.received(samples.tar(files))
    page = get(client, archive)
    drawn = 0
    for metric in ("write.throughput", "write.elapsed"):
        found = client.get("/compare.json", {"archive": archive.pk, "metric": metric}).json()
        drawn += sum(group["runs"] for panel in found["panels"] for group in panel["groups"])
    assert drawn == page.context["archive"].counted == sum(row.counted for _, row in page.context["configurations"]) == 6
    assert archive.measurements == 14 and page.context["uncounted"] == 8
    assert "6 measurements, 8 duplicates in 4 files" in page.text
    assert sum(row.runs for _, row in page.context["configurations"]) == 3
    assert page.text.count(">copy of ") == 2
    copy = client.get(reverse("archive-raw", args=[archive.pk, "rep3/dd.txt"])).text
    first = reverse("archive-raw", args=[archive.pk, "rep1/dd.txt"])
    assert f'A copy of <a href="{first}">' in copy
    assert "A copy of" not in client.get(first).text


def test_an_archive_without_a_measurement_says_so(client):
    assert "No measurement was found" in get(client, samples.received(b"hello\n", "hello.txt")).text


class TestWhileItIsRead:
    @pytest.fixture
    def archive(self):
        row = making.archive()
        Archive.objects.filter(pk=row.pk).update(state="reading", files_total=10, files_done=4, measurements=321)
        return row

    def test_the_page_asks_again_every_second(self, ann, archive):
        page = get(ann, archive).text
        assert 'hx-trigger="every 1s"' in page and 'value="4"' in page

    def test_htmx_gets_the_changing_part_only(self, ann, archive):
        part = get(ann, archive, HX_Request="true").text
        assert "<html" not in part and "321" in part

    @pytest.mark.parametrize(
        ("done", "total", "words", "bar"),
        [
            (0, 0, "Unpacking and recognising the files.", "<progress aria"),
            (2400, 0, "2\u202f400 files read, 321 measurements found so far.", "<progress aria"),
            (
                0,
                10,
                "All 10 files are read, 321 measurements found. Working out what each was measured on: 0 of 10 files.",
                '<progress max="10" value="0"',
            ),
            (10, 10, "All 10 files are read, 321 measurements found. They are being stored.", "<progress aria"),
        ],
    )
    def test_it_tells_files_and_measurements_at_every_step(self, ann, archive, done, total, words, bar):
        Archive.objects.filter(pk=archive.pk).update(files_total=total, files_done=done)
        part = get(ann, archive, HX_Request="true").text
        assert words in part and bar in part

    def test_it_stops_when_the_reading_is_done(self, ann, archive):
        Archive.objects.filter(pk=archive.pk).update(state="read")
        response = get(ann, archive, HX_Request="true")
        assert response["HX-Refresh"] == "true"
        assert "every 1s" not in get(ann, archive).text


class TestWhatTheOwnerDoes:
    def post(self, client, archive, action, **data):
        return client.post(reverse(f"archive-{action}", args=[archive.pk]), data)

    def test_publishing_takes_a_licence_and_one_click(self, ann):
        archive = samples.received(samples.dd(2.5), "dd.txt", public=False)
        self.post(ann, archive, "publish", licence="CC-BY-4.0")
        assert Archive.objects.get().is_public
        ann.logout()
        assert get(ann, archive).status_code == 200

    @pytest.mark.parametrize("action", ["unpublish", "delete", "withdraw"])
    def test_what_is_hard_to_undo_is_asked_first(self, ann, action):
        archive = samples.received(samples.dd(2.5), "dd.txt")
        assert self.post(ann, archive, action).status_code == 200
        assert ann.get(reverse(f"archive-{action}", args=[archive.pk])).status_code == 200
        assert Archive.objects.get().is_public

    def test_unpublishing(self, ann):
        archive = samples.received(samples.dd(2.5), "dd.txt")
        self.post(ann, archive, "unpublish", sure=1)
        assert not Archive.objects.get().is_public

    def test_withdrawing_needs_a_reason_and_leaves_a_tombstone(self, ann):
        archive = samples.received(samples.dd(2.5), "dd.txt")
        assert "Give a reason" in self.post(ann, archive, "withdraw", sure=1, reason=" ").text
        self.post(ann, archive, "withdraw", sure=1, reason="The disk was failing.")
        ann.logout()
        page = get(ann, archive)
        assert page.status_code == 410 and "The disk was failing." in page.text
        assert ann.get(reverse("archive-raw", args=[archive.pk, "dd.txt"])).status_code == 404
        assert ann.get(reverse("archive-download", args=[archive.pk])).status_code == 404

    def test_deleting_takes_rows_and_bytes(self, ann, data_folder):
        archive = samples.received(samples.dd(2.5), "dd.txt")
        assert self.post(ann, archive, "delete", sure=1).url == "/archives"
        assert not Archive.objects.exists()
        assert [p for p in (data_folder / "blobs").rglob("*") if p.is_file()] == []

    def test_bytes_that_another_uploaded_stay(self, ann):
        samples.received(samples.dd(2.5), "dd.txt", public=False, owner="bob")
        archive = samples.received(samples.dd(2.5), "dd.txt", public=False)
        self.post(ann, archive, "delete", sure=1)
        other = Archive.objects.get()
        assert ann.get(reverse("archive-download", args=[other.pk])).status_code == 404
        ann.force_login(other.owner)
        assert b"".join(ann.get(reverse("archive-download", args=[other.pk]))) == samples.dd(2.5)

    @pytest.mark.parametrize("action", ["publish", "unpublish", "withdraw", "delete", "reread"])
    def test_nobody_else_may(self, client, action):
        archive = samples.received(samples.dd(2.5), "dd.txt")
        assert "/sign-in" in self.post(client, archive, action, sure=1).url
        client.force_login(making.user("bob"))
        assert self.post(client, archive, action, sure=1, reason="x").status_code == 404
        assert Archive.objects.get().is_public

    def test_reading_again_waits_for_a_reader(self, ann):
        archive = samples.received(samples.dd(2.5), "dd.txt")
        self.post(ann, archive, "reread")
        archive.refresh_from_db()
        assert archive.state in ("received", "read")


def test_every_warning_of_a_kind_is_listed_page_by_page(client):
    records = [making.Warning("a", n, "short-row", f"row {n}") for n in range(1, 251)]
    archive = making.archive(public=True, records=[*records, *making.file_records("a", "a", [1.0])])
    address = reverse("archive-notes", args=[archive.pk, "short-row"])
    assert f'href="{address}"' in get(client, archive).text
    first = client.get(address)
    assert "row 200" in first.text and "row 201" not in first.text
    assert "row 250" in client.get(address, {"after": first.context["further"]}).text
    assert client.get(reverse("archive-notes", args=[archive.pk, "made-up"])).status_code == 404


def test_the_download_is_what_was_uploaded_under_its_name(client):
    data = samples.tar({"a": samples.dd(2.5)})
    archive = samples.received(data, 'my "ä" results.tar')
    response = client.get(reverse("archive-download", args=[archive.pk]))
    assert b"".join(response) == data
    assert response["Content-Disposition"].startswith("attachment")
    assert "%C3%A4" in response["Content-Disposition"]


def test_a_scope_of_its_own_is_read_by_its_owner_until_it_is_public():
    archive = samples.received(samples.dd(2.5), "dd.txt", public=False)
    assert Archive.objects.scopes_of(archive.owner) == [0, archive.pk]
    load.publish(archive.pk)
    assert Archive.objects.scopes_of(archive.owner) == [0]


def test_its_configurations_stand_in_the_order_of_an_axis(client):
    def records():
        for compression, runs in (("gzip-10", 3), ("lz4", 1), ("off", 1), ("gzip-2", 2), (None, 1)):
            config = {"fs.type": "zfs"} | ({"pool.compression": compression} if compression else {})
            yield from making.file_records(f"{compression}.txt", str(compression), [1.0] * runs, config=config)

    page = get(client, making.archive(public=True, records=records()))
    names = [on.name for on, _ in page.context["configurations"]]
    assert names == ["zfs compression off", "zfs lz4", "zfs gzip-2", "zfs gzip-10", "zfs"]
