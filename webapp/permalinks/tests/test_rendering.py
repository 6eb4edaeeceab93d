"""The files of a permalink: made once, kept for ever, the same for everybody."""

from __future__ import annotations

import hashlib
from datetime import timedelta

import pytest
from django.db import IntegrityError, connection, transaction

from webapp import figures
from webapp.jobs import reconciler, tasks
from webapp.models import Archive, Permalink, Rendering
from webapp.permalinks import figure_form, rendering, stored_files
from webapp.storage import load
from webapp.tests import making

pytestmark = pytest.mark.django_db


@pytest.fixture
def frozen(ann) -> Permalink:
    """A permalink of two groups, without its files."""

    def records():
        for name, values in {"lz4": [100e6, 120e6, 110e6], "off": [80e6, 90e6]}.items():
            config = {"os.family": "Linux", "pool.compression": name}
            yield from making.file_records(f"{name}.txt", name, values, config=config)

    making.archive(public=True, records=records())
    ann.post("/compare/freeze", {"query": "metric=write.throughput&x=compression", "title": "Figure 1", "authors": "Ann"})
    return Permalink.objects.get()


def get(client, frozen, ending):
    return client.get(f"/p/{frozen.pk}.{ending}")


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("ending", "media_type", "start"),
    [
        ("svg", "image/svg+xml", b"<?xml"),
        ("svg?width=85", "image/svg+xml", b"<?xml"),
        ("pdf", "application/pdf", b"%PDF"),
        ("png?width=85&dpi=600", "image/png", b"\x89PNG"),
        ("tex", "application/x-tex; charset=utf-8", b"% Figure 1\n"),
        ("tex?form=table-plain", "application/x-tex; charset=utf-8", b"% Figure 1\n"),
    ],
)
def it_gives_every_form(client, frozen, ending, media_type, start):
    answer = get(client, frozen, ending)
    assert answer["Content-Type"] == media_type and answer.content.startswith(start)
    assert "immutable" in answer["Cache-Control"] and answer["Access-Control-Allow-Origin"] == "*"
    assert "default-src 'none'" in (policy := answer["Content-Security-Policy"]) and "style-src 'unsafe-inline'" in policy
    assert not answer.cookies and answer["ETag"].strip('W/"') == hashlib.sha256(answer.content).hexdigest()
    again = client.get(f"/p/{frozen.pk}.{ending}", headers={"If-None-Match": answer["ETag"]})
    assert again.status_code == 304 and "immutable" in again["Cache-Control"]


@pytest.mark.parametrize("ending", ["svg?width=20", "png?dpi=72", "tex?form=pie", "pdf?width=x"])
def it_says_which_sizes_there_are(client, frozen, ending):
    answer = get(client, frozen, ending)
    assert (
        answer.status_code == 400
        and (b"there are" in answer.content or b"it may be 40 to 300 mm" in answer.content)
        and Rendering.objects.count() == 0
    )


def test_a_machine_without_a_package_for_pdf_draws_the_rest(client, frozen, monkeypatch):
    monkeypatch.setattr(rendering, "has_pdf", lambda: False)
    monkeypatch.setattr(figure_form, "has_pdf", lambda: False)
    monkeypatch.setattr(rendering, "RENDERED_FILES", rendering._rendered_files())
    assert {name.rsplit(".", 1)[1] for name in tasks.render_permalink(frozen.pk)} == {"svg", "png", "tex"}
    for address, status in (("pdf", 501), ("pdf?form=page", 400), ("pdf?width=100", 400), ("svg", 200)):
        answer = get(client, frozen, address)
        assert answer.status_code == status and (status == 200 or b"The SVG is the same drawing" in answer.content)
    stored_files.store_file(frozen.pk, "figure-180mm.pdf", rendering.PDF, b"%PDF-1.7 of another machine")
    assert get(client, frozen, "pdf").content.startswith(b"%PDF")


def it_tells_a_mistyped_name(client, frozen):
    assert b"mistyped" in client.get("/p/aaaaaaaaab.svg").content


@pytest.mark.thorough
def test_the_worker_makes_all_of_them_once(frozen):
    assert tasks.render_permalink(frozen.pk) == list(rendering.RENDERED_FILES)
    assert tasks.render_permalink(frozen.pk) == []
    assert tasks.render_permalink("nosuch") == []
    for made in Rendering.objects.all():
        assert hashlib.sha256(made.data).hexdigest() == made.sha256
    for name in ("table.tex", "table-plain.tex"):
        text = bytes(Rendering.objects.get(name=name).data).decode()
        assert f"testserver/p/{frozen.pk}" in text and frozen.digest in text and "$n = 5$" in text


def test_a_lost_task_is_sent_again_until_every_file_is_there(frozen):
    sent = []
    reminder = reconciler.TaskResender(sent.append, reconciler.find_unrendered_permalinks, first=10)
    assert reconciler.find_unrendered_permalinks(timedelta(minutes=1)) == []
    assert reminder.round(0) == [frozen.pk] and reminder.round(1) == []
    *others, last = rendering.RENDERED_FILES.items()
    for name, form in others:
        stored_files.store_file(frozen.pk, name, form.media_type, b"drawn")
    assert reconciler.find_unrendered_permalinks(timedelta(0)) == [frozen.pk] and last[0] not in stored_files.list_names(frozen.pk)
    tasks.render_permalink(frozen.pk)
    assert reminder.round(20) == [] and sent == [frozen.pk]
    assert {"data.csv", "manifest.json", "bundle.zip"} < set(stored_files.list_names(frozen.pk))


def they_stay(client, frozen):
    return {name: client.get(f"/p/{frozen.pk}.{name}").content for name in ("svg", "pdf", "png", "tex", "tex?form=table-plain")}


@pytest.mark.thorough
def test_they_outlive_the_archive_and_another_version_of_the_code(client, frozen, monkeypatch):
    before = they_stay(client, frozen)
    load.delete(Archive.objects.get().pk)
    monkeypatch.setattr(figures, "make_figures", lambda comparison: [])
    monkeypatch.setattr(rendering, "describe_figures", lambda figures: "another version")
    assert they_stay(client, frozen) == before


def test_the_first_one_written_stays(frozen):
    assert bytes(stored_files.store_file(frozen.pk, "x.svg", "image/svg+xml", b"first").data) == b"first"
    assert bytes(stored_files.store_file(frozen.pk, "x.svg", "image/svg+xml", b"second").data) == b"first"


@pytest.mark.parametrize("change", ["UPDATE webapp_rendering SET data = ''", "DELETE FROM webapp_rendering"])
def test_the_database_refuses_to_change_them(frozen, change):
    stored_files.store_file(frozen.pk, "x.svg", "image/svg+xml", b"first")
    with pytest.raises(IntegrityError, match="frozen for ever"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(change)


def it_is_asked_for_when_something_is_frozen(ann, monkeypatch, django_capture_on_commit_callbacks, frozen):
    sent = []
    monkeypatch.setattr("webapp.views.permalinks.freeze_form.render_permalink.delay", lambda *told: sent.append(told))
    with django_capture_on_commit_callbacks(execute=True):
        ann.post("/compare/freeze", {"query": "metric=write.throughput&x=compression", "title": "Another"})
    name = Permalink.objects.exclude(pk=frozen.pk).get().pk
    assert sent == [(name,)]


def test_a_file_costs_few_queries(client, frozen, django_assert_max_num_queries):
    get(client, frozen, "svg")
    with django_assert_max_num_queries(2):
        get(client, frozen, "svg")
