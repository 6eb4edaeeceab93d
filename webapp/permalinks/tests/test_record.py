"""The frozen record: what is in it, and that nothing changes it."""

from __future__ import annotations

import hashlib
import json

import pytest
from django.db import DatabaseError, connection, transaction

from webapp.formats.canonical import canonical_json
from webapp.models import Collection, Permalink, Rendering
from webapp.permalinks import stored_files
from webapp.tests import frozen, samples

pytestmark = pytest.mark.django_db


def told(link: Permalink) -> dict:
    return json.loads(bytes(link.record))


def it_holds_every_repetition_with_its_line_and_rule():
    record = told(frozen.frozen(2.5, 2.6))
    first, second = record["values"]
    run = record["runs"][str(first["run"])]
    file = record["files"][str(run["file"])]
    assert file["path"] == "run/dd.txt" and len(file["sha256"]) == 64
    assert first["raw"] in file["lines"][first["line"]]
    assert first["rule"] == {"how": "quotient", "over": "1073741824", "under": "2.5", "factor": 1}
    assert first["measured"] == first["value"] == 2**30 / 2.5 and second["measured"] == 2**30 / 2.6
    assert record["configurations"][str(run["configuration"])]["host"] == "tank"
    assert run["config_from"]["host"].startswith("run/dd.txt:")
    assert record["workloads"][str(first["workload"])]["tool"] == "dd"


def it_keeps_the_cited_line_and_three_around_and_no_more():
    record = told(frozen.frozen(*(2 + at / 10 for at in range(9)), query="metric=write.throughput&x=host"))
    cited = {int(value["line"]) for value in record["values"]}
    lines = {int(line) for file in record["files"].values() for line in file["lines"]}
    assert lines <= {near for line in cited for near in range(line - 3, line + 4)}
    assert cited <= lines


def it_says_who_what_when_and_how():
    record = told(frozen.frozen())
    assert (record["title"], record["authors"]) == ("Writes of a tank", "Ann Rae; Bo Li")
    assert record["method"]["statistics_version"] and record["caption"].startswith("3 runs of 1 configuration. ")
    assert record["parsers"]["dd"] and record["address"] == f"{frozen.SITE.site}/p/{record['id']}"
    [archive] = record["archives"].values()
    assert len(archive["sha256"]) == 64


def it_draws_figures_whose_values_are_those_of_the_record():
    record = told(frozen.frozen(2.5, 2.6))
    [figure], [panel] = record["figures"], record["panels"]
    numbers = [int(point[1].removeprefix("#v")) for group in figure["groups"] for point in group["points"]]
    assert numbers == [number for group in panel["groups"] for number in group["values"]] == [0, 1]
    assert [point[0] for point in figure["groups"][0]["points"]] == [
        record["values"][at]["value"] / panel["shown"]["factor"] for at in numbers
    ]


def it_is_canonical_and_named_by_its_digest():
    link = frozen.frozen()
    assert canonical_json(told(link)) == bytes(link.record)
    assert hashlib.sha256(bytes(link.record)).hexdigest() == link.digest


@pytest.mark.parametrize(
    ("again", "same"),
    [
        ({}, True),
        ({"title": "Other"}, False),
        ({"authors": "Bo Li"}, False),
        ({"owner": "bo"}, False),
        ({"query": "metric=write.throughput&x=os"}, False),
    ],
)
def it_is_the_same_for_the_same_person_and_content_only(again, same):
    first = frozen.frozen()
    assert (frozen.freeze(**again).pk == first.pk) == same


def it_is_the_one_of_another_request_that_was_faster(monkeypatch):
    first = frozen.frozen()
    late = [Permalink.objects.none(), Permalink.objects.owned_by(first.owner)]
    monkeypatch.setattr(Permalink.objects, "owned_by", lambda owner: late.pop(0))
    assert frozen.freeze().pk == first.pk and not late


def it_is_another_one_when_the_data_are_others():
    first = frozen.frozen()
    samples.received(samples.tar({"more.txt": samples.dd(3.3)}))
    assert frozen.freeze().pk != first.pk


def it_takes_every_value_however_many_the_summary_holds():
    record = told(frozen.frozen(*(round(2 + at / 100, 2) for at in range(41))))
    [group] = record["panels"][0]["groups"]
    assert len(record["values"]) == group["runs"] == 41
    assert group["center"] == sorted(value["value"] for value in record["values"])[20]


def it_keeps_the_division_by_a_number_of_processes_or_disks():
    record = told(frozen.frozen(query="metric=write.throughput&x=host&baseline=tank"))
    assert {value["divisor"] for value in record["values"]} == {1.0}


@pytest.mark.parametrize("change", ["UPDATE webapp_{} SET {}='x'", "DELETE FROM webapp_{}", "TRUNCATE webapp_{} CASCADE"])
@pytest.mark.parametrize(("table", "column"), [("permalink", "title"), ("rendering", "name"), ("collection", "title")])
def it_is_defended_by_the_database_itself(change, table, column):
    link = frozen.frozen()
    stored_files.store_file(link.pk, "a.txt", "text/plain", b"a")
    Collection.objects.create(id="c", digest="d", record=b"{}", frozen_at=link.frozen_at)
    with connection.cursor() as cursor:
        # Tests that commit need this one off; nobody else may have it off.
        cursor.execute(f"ALTER TABLE webapp_{table} ENABLE TRIGGER {table}_table_is_frozen")
    with pytest.raises(DatabaseError, match="frozen for ever"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(change.format(table, column))
    assert Permalink.objects.filter(pk=link.pk, title=link.title).exists()


def it_keeps_the_first_of_two_files_of_one_name():
    assert (
        stored_files.store_file("x", "a.txt", "text/plain", b"first").pk
        == stored_files.store_file("x", "a.txt", "text/plain", b"second").pk
    )
    assert bytes(Rendering.objects.get().data) == b"first"
