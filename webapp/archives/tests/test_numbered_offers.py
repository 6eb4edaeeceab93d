"""Numbered outputs on the review page: labels that were taken are told, likely ones are stated by one button."""

from __future__ import annotations

import pytest
from django.urls import reverse

from webapp.comparison.compare import compare
from webapp.comparison.selection import parse
from webapp.jobs import tasks
from webapp.models import Run, Statement
from webapp.tests import making, samples

pytestmark = pytest.mark.django_db

ROW = (
    "1.97,1.97,vm,1,1400000000,8G,,600,99,{},20,90000,15,2000,98,210000,18,300.5,9,16,,,,,4000,20,+++++,+++,5000,20,4100,20,"
    "+++++,+++,4200,19,14000us,90000us,80000us,9000us,70000us,60000us,5000us,300us,400us,300us,10us,500us\n"
)
PLAIN = samples.dd(2.5).split(b"\n", 3)[3]  # without the commands


def at(name, archive):
    return reverse(f"archive-{name}", args=[archive.pk])


def sweep(outputs: int, *steps: str, folder="a/", other=None):
    log = "".join(f"compression={step} recordsize=64K\n" + ROW.format(n) for n, step in enumerate(steps, 100_000))
    sheets = {f"{folder}out{n}.txt": PLAIN + b"\n" * n for n in range(1, outputs + 1)}
    return samples.received(samples.tar({f"{folder}bench.csv": log.encode()} | sheets | (other or {})), public=False)


def compressions(archive):
    runs = Run.objects.filter(archive=archive, tool="dd").select_related("configuration", "file", "provenance")
    return {run.file.path: (run.config_from.get("pool.compression"), run.configuration.pool_compression) for run in runs}


def test_taken_labels_are_told(ann):
    archive = sweep(3, "off", "lz4", "gzip-6")
    page = ann.get(at("review", archive)).text
    assert "out1.txt ... out3.txt: output N was given label N of bench.csv, because there are 3 of each." in page
    assert "Confirm and save" not in page
    assert compressions(archive)["a/out3.txt"] == ("a/bench.csv:5", "gzip-6")


@pytest.mark.parametrize("folder", ["a/", ""])
def test_an_offer_is_stated_for_each_output_by_one_button(ann, folder):
    archive = sweep(3, "off", "lz4", "gzip-6", "gzip-9", folder=folder, other={"b/out9.txt": PLAIN})
    assert {value for _, value in compressions(archive).values()} == {None}
    page = ann.get(at("review", archive)).text
    assert "out1.txt ... out3.txt may match the labels of bench.csv, in order: 3 outputs and 4 labels." in page
    note = archive.notes.get(code="numbered-outputs").pk
    assert f'name="note" value="{note}"' in page and f"{folder}bench.csv#L5" in page
    assert ann.post(at("numbered", archive), {"note": note}).url == at("review", archive) + "#stated"
    tasks.ingest_archive(archive.pk)
    taken = {f"{folder}out{n}.txt": ("stated", value) for n, value in enumerate(("off", "lz4", "gzip-6"), 1)}
    assert compressions(archive) == taken | {"b/out9.txt": (None, None)}
    assert Statement.objects.filter(reach="file").count() == 6 and set(Statement.objects.values_list("key", "value")) == {
        ("pool.recordsize", 65536),
        *(("pool.compression", value) for _, value in taken.values()),
    }
    assert "Confirm and save" not in ann.get(at("review", archive)).text
    again = archive.notes.get(code="numbered-outputs").pk
    ann.post(at("numbered", archive), {"note": again})
    assert Statement.objects.count() == 6
    ann.post(reverse("archive-undo", args=[archive.pk, Statement.objects.first().pk]))
    tasks.ingest_archive(archive.pk)
    assert "Confirm and save" in ann.get(at("review", archive)).text


@pytest.mark.parametrize("folders", [False, True])
@pytest.mark.parametrize(("answer", "kept"), [("yes", "gzip-{}"), ("no", "gzip-6")])  # gzip alone is gzip-6
def test_a_number_that_may_be_a_level_is_asked_about_and_until_then_neither(ann, answer, kept, folders):
    names = [f"{word}-{number}{'/out' if folders else ''}.txt" for word in ("gzip", "zstd") for number in (1, 2, 3)]
    archive = samples.received(
        samples.tar({name: samples.dd(2.5 + at / 10) for at, name in enumerate(names)} | {"b/ext4.txt": PLAIN}), public=False
    )
    assert [compressions(archive)[name][1] for name in names] == ["gzip"] * 3 + ["zstd"] * 3
    page = ann.get(at("review", archive)).text
    end = "" if folders else ".txt"
    assert f"gzip-1{end} ... gzip-3{end} may be levels of gzip or repetitions" in page
    assert page.count("Levels of compression") == 2 and "Repetitions of zstd" in page
    assert f"the number of gzip-1{end} may be a level or a repetition" in judged(archive)
    note = archive.notes.filter(code="level-or-repetition").order_by("id").first().pk
    assert "check the suggestion" in ann.post(at("numbered", archive), {"note": note, "answer": "?"}, follow=True).text
    ann.post(at("numbered", archive), {"note": note, "answer": answer})
    tasks.ingest_archive(archive.pk)
    assert [compressions(archive)[name] for name in names] == [
        *(("stated", kept.format(number)) for number in (1, 2, 3)),
        *((f"{name}:0", "zstd") for name in names[3:]),
    ]
    assert ann.get(at("review", archive)).text.count("Levels of compression") == 1


def judged(archive):
    """The reasons why there is no claim."""
    selection = parse([("archive", str(archive.pk)), ("metric", "write.throughput"), ("x", "compression"), ("baseline", "gzip")])
    drawn = compare(selection, archive.owner)
    return " ".join(group.verdict.withheld for panel in drawn.panels for group in panel.groups if group.verdict)


@pytest.mark.parametrize("note", ["", "x", "999999999"])
def test_an_offer_that_is_gone_changes_nothing(ann, note):
    archive = sweep(3, "off", "lz4", "gzip-6", "gzip-9")
    assert "check the suggestion once more" in ann.post(at("numbered", archive), {"note": note}, follow=True).text
    assert not Statement.objects.exists()


def test_an_offer_is_the_owners(client):
    archive = sweep(3, "off", "lz4", "gzip-6", "gzip-9")
    note = archive.notes.get(code="numbered-outputs").pk
    client.force_login(making.user("bob"))
    assert client.post(at("numbered", archive), {"note": note}).status_code == 404
    assert client.get(at("numbered", archive)).status_code == 405
    assert not Statement.objects.exists()


def test_archives_without_numbered_outputs_cost_no_query(ann, django_assert_num_queries):
    archive = samples.received(samples.tar({"a/1.txt": samples.dd(2.5)}), public=False)
    from webapp.archives import numbered_offers

    with django_assert_num_queries(0):
        assert numbered_offers.read_offers(archive, {}) == numbered_offers.read_taken(archive, {}) == []
