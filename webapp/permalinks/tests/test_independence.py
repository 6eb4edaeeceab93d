"""What is frozen stays as it was, whatever becomes of its sources and of this code; what has changed is told."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import pytest
from django.core.cache import cache
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from ingest.parsers.copies import dd
from webapp.archives import statements
from webapp.claims import statistics
from webapp.figures import naming
from webapp.jobs.tasks import ingest_archive, render_permalink
from webapp.models import Archive, Configuration, Measurement, Rendering, Run
from webapp.permalinks import changes, record_figures
from webapp.permalinks.bundles import permalink_bundle
from webapp.storage import load, withdrawals
from webapp.tests import frozen, making
from webapp.tests.reading import rows_read

pytestmark = pytest.mark.django_db
ADDRESSES = (
    ".json",
    ".csv",
    ".bib",
    ".bib?form=biblatex",
    ".zip",
    ".svg",
    ".svg?width=85",
    ".pdf",
    ".png",
    ".png?dpi=600",
    ".tex",
    ".tex?form=table-plain",
    *(f"/cite/{name}" for name in permalink_bundle.CITATIONS),
)


def sums(client, link) -> dict[str, str]:
    """SHA-256 of the answer of every address of a frozen file."""
    found = {}
    for address in ADDRESSES:
        answer = client.get(f"/p/{link.pk}{address}")
        assert answer.status_code == 200, address
        found[address] = hashlib.sha256(answer.content).hexdigest()
    return found


def page_data(client, link) -> list:
    """What the page draws and prints of the record: figures without the links of their lines, and the tables."""
    cache.clear()
    drawings = client.get(f"/p/{link.pk}").context["drawings"]
    return [
        (
            d.title,
            d.unit,
            [(r.x, r.series, r.center, r.interval, r.runs, [v.text for v in r.values]) for r in d.rows],
            [[point[0] for point in group["points"]] for group in d.figure["groups"]],
        )
        for d in drawings
    ]


@pytest.mark.thorough
def it_keeps_every_file_whatever_happens(client, monkeypatch, django_capture_on_commit_callbacks):
    link = frozen.frozen(2.5, 2.6, 2.4)
    render_permalink(link.pk)
    files, page = sums(client, link), page_data(client, link)
    archive = Archive.objects.get()

    values = set(Measurement.objects.values_list("pk", flat=True))
    monkeypatch.setattr("ingest.parsers.copies.dd.PARSER", replace(dd.PARSER, version=99))
    with monkeypatch.context() as changed:
        changed.setattr("webapp.storage.archive_rows.read_file_ids", lambda archive: [])  # as if it had other values than before
        call_command("reread", str(archive.pk))
    assert values.isdisjoint(Measurement.objects.values_list("pk", flat=True))
    with django_capture_on_commit_callbacks(execute=True):
        statements.add_statements(
            archive.pk, making.user("ann"), {"pool.compression": "lz4"}, [statements.StatementScope()], send=ingest_archive
        )
    assert set(Configuration.objects.filter(run__archive=archive.pk).values_list("pool_compression", flat=True)) == {"lz4"}
    assert (sums(client, link), page_data(client, link)) == (files, page), "read again, and edited"

    monkeypatch.setattr(statistics, "VERSION", 99)
    monkeypatch.setattr(statistics, "median", lambda values: 1.0)
    monkeypatch.setattr(naming, "panel_unit", lambda *told: ("furlongs", 1.0))
    assert (sums(client, link), page_data(client, link)) == (files, page), "other statistics and figures"

    load.withdraw(archive.pk, "The disk was broken.")
    assert (sums(client, link), page_data(client, link)) == (files, page), "withdrawn"
    Archive.objects.get(pk=archive.pk).delete()
    assert (sums(client, link), page_data(client, link)) == (files, page), "deleted"
    assert permalink_bundle.check_permalink(link) == ([], 3, 0)


def it_keeps_the_first_files_even_when_they_would_be_made_otherwise_now(monkeypatch):
    link = frozen.frozen()
    first = bytes(permalink_bundle.get_data_csv(link).data)
    monkeypatch.setattr("webapp.formats.frozen.to_data", lambda *told: "other")
    assert bytes(permalink_bundle.get_data_csv(link).data) == first
    assert Rendering.objects.filter(of=link.pk, name="data.csv").count() == 1


def told(link) -> changes.Changes:
    return changes.find_changes(record_figures.parse_record(link.record))


def it_says_nothing_where_nothing_changed():
    found = told(frozen.frozen())
    assert (found.archives, found.values, len(found.linked)) == ([], [], 1)


def it_shows_corrected_values_side_by_side(client):
    link = frozen.frozen(2.5, 2.6, 2.4)
    first = frozen.as_if_read_again()
    Measurement.objects.filter(pk=first.pk).update(value=first.value * 2)
    [change] = told(link).values
    assert change.kind == changes.CORRECTED and change.place.startswith("run/dd.txt:") and "100 %" in change.now
    [sentence] = told(link).sentences
    assert sentence.startswith("1 of 3 values was corrected on ")
    page = client.get(f"/p/{link.pk}").content.decode()
    assert sentence in page and "current figure" in page and change.now in page


def it_tells_a_value_that_is_no_longer_read():
    link = frozen.frozen(2.5, 2.6, 2.4)
    Measurement.objects.filter(pk=frozen.as_if_read_again().pk).update(line="9999")
    assert [one.kind for one in told(link).values] == [changes.GONE]
    assert "is no longer read from its line" in told(link).sentences[0]


def it_tells_another_configuration(django_capture_on_commit_callbacks):
    link = frozen.frozen(2.5)
    archive = Archive.objects.get()
    with django_capture_on_commit_callbacks(execute=True):
        statements.add_statements(
            archive.pk, making.user("ann"), {"pool.compression": "lz4"}, [statements.StatementScope()], send=ingest_archive
        )
    [change] = told(link).values
    assert (change.kind, change.now) == (changes.ELSEWHERE, "pool.compression: unknown \u2192 lz4")


def it_tells_a_withdrawn_value_with_its_reason(client):
    link = frozen.frozen(2.5, 2.6)
    first = Measurement.objects.filter(metric__name="write.throughput").order_by("id").first()
    withdrawals.withdraw_measurement(Archive.objects.get().pk, first.pk, "The cable was loose.", making.user("ann"))
    [change] = told(link).values
    assert (change.kind, change.now) == (changes.WITHDRAWN, "The cable was loose.")
    assert "The cable was loose." in client.get(f"/p/{link.pk}").content.decode()


def it_looks_up_values_only_where_something_was_withdrawn_or_read_again():
    """A run that is there has the values of the record: its row is read, and not its measurements."""
    link = frozen.frozen(*(2 + at / 100 for at in range(40)))

    def rows() -> tuple[int, list[str]]:
        with CaptureQueriesContext(connection) as caught:
            found = told(link)
        return rows_read(caught.captured_queries), [one.kind for one in found.values]

    few = Run.objects.count() + 5
    read, changed = rows()
    assert read <= few and changed == []
    *_, last = Measurement.objects.filter(metric__name="write.throughput").order_by("id")
    withdrawals.withdraw_measurement(Archive.objects.get().pk, last.pk, "A loose cable.", making.user("ann"))
    assert rows()[1] == [changes.WITHDRAWN]
    frozen.as_if_read_again()
    assert rows()[1] == [changes.WITHDRAWN]


def it_sets_a_tombstone_for_a_withdrawn_archive(client):
    link = frozen.frozen()
    load.withdraw(Archive.objects.get().pk, "The disk was broken.")
    page = client.get(f"/p/{link.pk}").content.decode()
    assert "was withdrawn on" in page and "Reason: The disk was broken." in page and "/raw/" not in page
