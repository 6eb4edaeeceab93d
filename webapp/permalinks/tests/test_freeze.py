"""Freezing what a page shows: a comparison, a run, an archive's table; whose data may be in it."""

from __future__ import annotations

import json

import pytest

from webapp.models import Archive, Permalink, Run
from webapp.permalinks import frozen_addresses, value_tables
from webapp.permalinks.bundles import permalink_bundle
from webapp.storage import load
from webapp.tests import frozen, making, samples

pytestmark = pytest.mark.django_db
IOZONE = b"""\tIozone: Performance Test of File I/O
\tCommand line used: iozone -a -s 1024

                                                              random    random
              kB  reclen    write    rewrite      read    reread
            1024       4   200000    210000    300000    310000
            1024       8   220000    230000    320000    330000

iozone test complete.
"""


@pytest.fixture
def archive():
    return samples.received(samples.tar({"dd.txt": samples.dd(2.5, 2.6), "pond/dd.txt": samples.dd(3).replace(b"tank", b"pond")}))


def only() -> tuple[Permalink, dict]:
    link = Permalink.objects.get()
    return link, json.loads(bytes(link.record))


def it_freezes_a_run(ann, archive):
    run = Run.objects.order_by("id")[0]
    answer = ann.post(f"/runs/{run.pk}/freeze", {"title": "One run", "authors": "Ann Rae"})
    link, told = only()
    assert answer["Location"] == f"/p/{link.pk}" and told["kind"] == "run"
    assert {value["run"] for value in told["values"]} == {run.pk}
    assert len(told["values"]) == run.measurements
    assert permalink_bundle.check_permalink(link) == ([], run.measurements, 0)
    page = ann.get(f"/p/{link.pk}").content.decode()
    assert "One run" in page and "Metric" in page


def it_freezes_the_table_of_an_archive(ann, archive):
    ann.post(f"/archives/{archive.pk}/freeze", {"title": "All of it"})
    link, told = only()
    assert told["kind"] == "archive" and len(told["values"]) == archive.measurements
    [panel] = [panel for panel in told["panels"] if panel["metrics"] == ["write.throughput"]]
    assert [(one["label"]) for one in panel["x"]["values"]] == ["tank", "pond"] and panel["x"]["label"] == "Configuration"
    assert [group["runs"] for group in panel["groups"]] == [2, 1]
    assert permalink_bundle.check_permalink(link) == ([], archive.measurements, 0)
    assert ann.get(f"/p/{link.pk}.svg").status_code == 200


def it_never_makes_one_group_of_unlike_workloads(ann):
    archive = samples.received(samples.tar({"iozone.txt": IOZONE}))
    ann.post(f"/archives/{archive.pk}/freeze", {})
    _, told = only()
    for panel in told["panels"]:
        assert all(len({told["values"][at]["workload"] for at in group["values"]}) == 1 for group in panel["groups"])
    [write] = [panel for panel in told["panels"] if panel["metrics"] == ["write.throughput"]]
    labels = [one["label"].replace("\N{NO-BREAK SPACE}", " ") for one in write["series"]["values"]]
    assert labels == ["record size 4 KiB", "record size 8 KiB"]


def it_says_that_a_table_is_too_large(ann, archive, monkeypatch):
    monkeypatch.setattr(value_tables, "MAX_VALUES", 1)
    answer = ann.post(f"/archives/{archive.pk}/freeze", {})
    assert answer.status_code == 400 and "at most 1 values" in answer.content.decode()
    assert not Permalink.objects.exists()


@pytest.mark.parametrize("address", ["/compare/freeze", "/runs/{run}/freeze", "/archives/{archive}/freeze"])
def it_asks_before_it_publishes_ones_own_private_values(ann, address):
    archive = samples.received(samples.dd(2.5), "dd.txt", public=False)
    run = Run.objects.order_by("id")[0]
    form = {"query": f"metric=write.throughput&x=host&archive={archive.pk}", "title": "Mine"}
    address = address.format(run=run.pk, archive=archive.pk)
    assert "This publishes private values" in ann.post(address, form).content.decode()
    assert not Permalink.objects.exists()
    assert ann.post(address, form | {"publish_points": "yes"}).status_code == 302
    _, told = only()
    lines = " ".join(text for file in told["files"].values() for text in file["lines"].values())
    assert "copied, 2.5 s" in lines and list(told["archives"]) == [str(archive.pk)]


@pytest.mark.parametrize("address", ["/runs/{run}/freeze", "/archives/{archive}/freeze"])
def it_never_freezes_what_is_private_to_somebody_else(client, address):
    archive = samples.received(samples.dd(2.5), "dd.txt", public=False)
    client.force_login(making.user("bo"))
    run = Run.objects.order_by("id")[0]
    answer = client.post(address.format(run=run.pk, archive=archive.pk), {"publish_points": "yes"})
    assert answer.status_code == 404 and not Permalink.objects.exists()


@pytest.mark.parametrize("address", ["/runs/{run}/freeze", "/archives/{archive}/freeze"])
def it_freezes_nothing_of_a_withdrawn_archive(ann, archive, address):
    run = Run.objects.order_by("id")[0]
    load.withdraw(archive.pk, "The disk was broken.")
    answer = ann.post(address.format(run=run.pk, archive=archive.pk), {})
    assert answer.status_code == 400 and "nothing to freeze" in answer.content.decode()
    assert "/freeze" not in ann.get(f"/runs/{run.pk}").content.decode()


def it_leaves_others_private_values_out_of_a_comparison(client):
    samples.received(samples.dd(2.5), "mine.txt", public=False)
    samples.received(samples.dd(9), "theirs.txt", owner="bo", public=False)
    link = frozen.freeze()
    assert [value["rule"]["under"] for value in json.loads(bytes(link.record))["values"]] == ["2.5"]


def it_needs_an_account(client, archive):
    assert "/sign-in" in client.post(f"/archives/{archive.pk}/freeze")["Location"]


def it_offers_to_freeze_on_the_pages(ann, archive):
    run = Run.objects.order_by("id")[0]
    assert f"/runs/{run.pk}/freeze" in ann.get(f"/runs/{run.pk}").content.decode()
    assert f"/archives/{archive.pk}/freeze" in ann.get(f"/archives/{archive.pk}").content.decode()
    assert Archive.objects.get().pk == archive.pk


def it_tells_a_mistyped_name_from_one_that_was_never_given(client):
    name = frozen.frozen().pk
    other = "2" if name[-1] != "2" else "3"
    answer = client.get(f"/p/{name[:-1]}{other}")
    assert answer.status_code == 404 and "This address is mistyped" in answer.content.decode()
    assert "No such permalink" in client.get(f"/p/{frozen_addresses.new_name()}").content.decode()
