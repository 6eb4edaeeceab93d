"""The public log and the histories of permalinks: they only grow, whatever is withdrawn, restored, deleted or frozen again."""

from __future__ import annotations

import hashlib
import json

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction

from webapp.accounts import audit, public_log
from webapp.archives import lifecycle
from webapp.models import Archive, LogEntry, Measurement, Permalink
from webapp.permalinks import freeze, history, record_figures
from webapp.storage import withdrawals
from webapp.tests import frozen, making, samples

pytestmark = pytest.mark.django_db


def act(archive: Archive, action: str, reason: str = "") -> bool:
    return lifecycle.perform_action(archive.pk, action, audit.actor_of(making.user("ann")), reason)


def chain() -> list[LogEntry]:
    return list(LogEntry.objects.order_by("number"))


def it_has_an_entry_for_each_act():
    link = frozen.frozen()
    archive = Archive.objects.get()
    act(archive, "withdraw", "The pool was degraded.")
    act(archive, "unwithdraw")
    act(archive, "delete", "Not ours to publish.")
    entries = chain()
    assert [(entry.kind, entry.subject, entry.reason) for entry in entries] == [
        ("freeze", f"p/{link.pk}", ""),
        ("withdraw", f"archives/{archive.pk}", "The pool was degraded."),
        ("restore", f"archives/{archive.pk}", ""),
        ("delete", f"archives/{archive.pk}", "Not ours to publish."),
    ]
    assert entries[0].sha256 == link.digest and entries[1].sha256 == archive.sha256
    assert [entry.previous for entry in entries] == ["", *(entry.hash for entry in entries[:-1])]
    assert list(public_log.find_problems(entries)) == []


def it_says_what_happened_to_what(ann):
    link = frozen.frozen()
    archive, value = Archive.objects.get(), Measurement.objects.filter(metric__name="write.throughput").order_by("pk").first()
    withdraw(ann, archive, f"value/{value.pk}")
    act(archive, "delete", "Cleaning up.")
    past = history.read_history(link, record_figures.parse_record(link.record))
    freeze_, withdrawal, deletion = [event.sentence for event in past.events]
    assert (freeze_, deletion) == (
        f"This permalink: {public_log.Kind.FREEZE.label}",
        f"results.tar: {public_log.Kind.DELETE.label}",
    )
    assert withdrawal == f"results.tar, {past.events[1].entry.place}: {public_log.Kind.WITHDRAW.label}"
    assert past.events[1].entry.place


def it_says_nothing_of_a_private_archive_that_nothing_is_frozen_of():
    samples.received(samples.tar({"dd.txt": samples.dd(2.5)}), public=False)
    archive = Archive.objects.get()
    act(archive, "withdraw", "secret reason")
    act(archive, "delete", "secret reason")
    assert chain() == []


def it_keeps_the_reason_of_a_withdrawal_that_was_followed_by_a_deletion(client):
    link = frozen.with_plain_pictures(frozen.frozen())
    archive = Archive.objects.get()
    act(archive, "withdraw", "The pool was degraded.")
    act(archive, "delete", "Cleaning up.")
    for address in (f"/p/{link.pk}", f"/p/{link.pk}/history"):
        page = client.get(address).content.decode()
        assert "The pool was degraded." in page and "Cleaning up." in page
    told = json.loads(client.get(f"/p/{link.pk}/history.json").content)
    assert [event["reason"] for event in told["events"]] == ["", "The pool was degraded.", "Cleaning up."]
    page = client.get(f"/p/{link.pk}").content.decode()
    assert '"creativeWorkStatus": "Withdrawn"' in page and f"/p/{link.pk}/history" in page
    assert "withdrawn or deleted since" in client.get(f"/p/{link.pk}.bib").content.decode()
    assert "sources has changed since" in client.get(f"/p/{link.pk}/embed").content.decode()
    answer = client.get(f"/oembed?url=http://testserver/p/{link.pk}").json()
    assert "withdrawn" in answer["poolmark_status"]


def withdraw(client, archive: Archive, place: str) -> None:
    kind, _, which = place.partition("/")
    shown = withdrawals.fingerprint(Measurement.objects.get(pk=which)) if kind == "value" else ""
    told = {"reason": f"Wrong: {place}", "shown": shown}
    assert client.post(f"/archives/{archive.pk}/withdraw/{place}", told).status_code == 302


def it_tells_of_a_withdrawn_value_everywhere(ann):
    link = frozen.with_plain_pictures(frozen.frozen())
    archive, value = Archive.objects.get(), Measurement.objects.filter(metric__name="write.throughput").order_by("pk").first()
    told = "1 of its sources has values withdrawn or deleted since"
    places = (".bib", ".ris", "/embed", "/datacite.xml", "/zenodo.json")
    assert not any(told in ann.get(f"/p/{link.pk}{place}").content.decode() for place in places)
    withdraw(ann, archive, f"value/{value.pk}")
    assert [place for place in places if told not in ann.get(f"/p/{link.pk}{place}").content.decode()] == []
    assert ann.get(f"/oembed?url=http://testserver/p/{link.pk}").json()["poolmark_status"] == told
    ann.post(f"/archives/{archive.pk}/restore/{archive.withdrawals.get().pk}")
    assert [place for place in places if told in ann.get(f"/p/{link.pk}{place}").content.decode()] == []
    events = ann.get(f"/p/{link.pk}/history.json").json()["events"]
    assert [event["kind"] for event in events] == ["freeze", "withdraw", "restore"] and events[1]["place"] == events[2]["place"]


@pytest.mark.parametrize("public", [True, False])
def it_tells_of_its_own_files_and_values_alone(ann, public):
    """What happens to other files of an archive is no part of the history; of a private archive it is in no log either."""
    files = {"run/dd.txt": samples.dd(2.5), "run/dd.txt2": samples.dd(2.6), "other.txt": samples.dd(2.7)}
    archive = samples.received(samples.tar(files), public=public)
    values = Measurement.objects.filter(metric__name="write.throughput")
    draft = freeze.draft_run(values.get(run__file__path="run/dd.txt").run, "One run", "")
    link = freeze.freeze_draft(draft, making.user("ann"), frozen.SITE)
    withdraw(ann, archive, "file/other.txt")
    withdraw(ann, archive, f"value/{values.get(run__file__path='run/dd.txt2').pk}")
    past = history.read_history(link, record_figures.parse_record(link.record))
    assert [event.entry.kind for event in past.events] == ["freeze"] and past.withdrawn == ""
    assert len(chain()) == (3 if public else 1)
    withdraw(ann, archive, "file/run/dd.txt")
    past = history.read_history(link, record_figures.parse_record(link.record))
    assert [event.entry.place for event in past.events] == ["", "run/dd.txt"] and past.withdrawn
    assert len(chain()) == (4 if public else 2)


RECORD = {
    "archives": {"1": {}, "2": {}},
    "files": {"5": {"archive": 1, "path": "a.txt"}, "6": {"archive": 2, "path": "b.txt"}, "7": {"archive": 1, "path": "a.txt:9 x"}},
    "runs": {"8": {"file": 5}, "9": {"file": 6}},
    "values": [{"line": "9", "run": 8}, {"line": "30", "run": 9}],
}


@pytest.mark.parametrize(
    ("archive", "place", "has"),
    [
        *(("1", "", True), ("3", "", False), ("1", "a.txt", True), ("2", "a.txt", False), ("1", "b.txt", False)),
        *(("1", "a.txt:9 WRITE 5 MB/s", True), ("1", "a.txt:30 WRITE 5 MB/s", False), ("2", "b.txt:30 WRITE 5", True)),
        *(("1", "a.txt2", False), ("1", "a.txt9", False), ("1", "a.txt:9 x", True), ("1", "a", False), ("1", "a.txt:90 W", False)),
    ],
)
def it_knows_the_places_that_a_record_has_values_of(archive, place, has):
    assert public_log.has_values_of(RECORD, archive, place) is has


def it_has_the_values_that_a_later_reading_changed():
    frozen.frozen()
    from webapp.archives import reparse

    archive = Archive.objects.get()
    before = reparse.read_values_before(archive)
    reparse.compare_readings(archive, before, 1.0)
    assert [entry.kind for entry in chain()] == ["freeze"]  # nothing changed
    reparse.compare_readings(archive, [(*before[0][:6], 1.0, "1"), *before[1:]], 1.0)
    last = chain()[-1]
    assert last.kind == "correct" and "1 value changed" in last.reason


@pytest.mark.parametrize("sql", ["UPDATE webapp_logentry SET reason = 'x'", "DELETE FROM webapp_logentry"])
def it_is_refused_by_the_database_to_change_an_entry(sql):
    frozen.frozen()
    with pytest.raises(DatabaseError, match="only added to"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql)


CHANGES = {
    "reason": lambda entry: setattr(entry, "reason", "another"),
    "kind": lambda entry: setattr(entry, "kind", "correct"),
    "subject": lambda entry: setattr(entry, "subject", "archives/99"),
    "sha256": lambda entry: setattr(entry, "sha256", "0" * 64),
    "place": lambda entry: setattr(entry, "place", "elsewhere"),
    "at": lambda entry: setattr(entry, "at", entry.at.replace(year=2000)),
    "previous": lambda entry: setattr(entry, "previous", "0" * 64),
    "hash": lambda entry: setattr(entry, "hash", "0" * 64),
}


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("number", [0, 1, 2])
def it_finds_every_change_of_an_entry(name, number):
    frozen.frozen()
    act(Archive.objects.get(), "withdraw", "why")
    act(Archive.objects.get(), "unwithdraw")
    entries = chain()
    CHANGES[name](entries[number])
    assert any(f"entry {number + 1} " in problem for problem in public_log.find_problems(entries))


@pytest.mark.parametrize("number", [0, 1])
def it_finds_a_missing_entry(number):
    """But not that of the last one: whoever kept the head knows of it."""
    frozen.frozen()
    act(Archive.objects.get(), "withdraw", "why")
    act(Archive.objects.get(), "unwithdraw")
    entries = chain()
    del entries[number]
    assert list(public_log.find_problems(entries))


def it_finds_a_chain_that_was_rewritten_by_its_head():
    """Whoever has the database can write another chain that holds; its head is another."""
    frozen.frozen()
    act(Archive.objects.get(), "withdraw", "why")
    entries = chain()
    kept = entries[-1].hash
    entries[0].sha256, previous = "0" * 64, ""
    for entry in entries:
        entry.previous = previous
        entry.hash = previous = public_log.hash_of(entry)
    assert list(public_log.find_problems(entries)) == [] and entries[-1].hash != kept


def it_checks_all_by_command(capsys):
    link = frozen.with_plain_pictures(frozen.frozen())
    call_command("check_data", "--repair")
    out = capsys.readouterr().out
    assert f"p/{link.pk}: missing files are made" in out and "log: 0 problems" in out and "permalinks: 0 problems" in out
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE webapp_logentry DISABLE TRIGGER logentry_row_is_frozen")
        cursor.execute("UPDATE webapp_logentry SET reason = 'x'")
        cursor.execute("ALTER TABLE webapp_logentry ENABLE TRIGGER logentry_row_is_frozen")
    with pytest.raises(CommandError, match="1 problem"):
        call_command("check_data")
    assert "log: entry 1 has been changed" in capsys.readouterr().out


def it_finds_lost_bytes(capsys):
    frozen.with_plain_pictures(frozen.frozen())
    from webapp.files import blobs

    archive = Archive.objects.get()
    blobs.path(archive.sha256).write_bytes(b"other")
    with pytest.raises(CommandError):
        call_command("check_data", "--repair")
    assert f"archives/{archive.pk}: its bytes have not the digest" in capsys.readouterr().out
    blobs.delete_blob(archive.sha256)
    with pytest.raises(CommandError):
        call_command("check_data")
    assert "are missing" in capsys.readouterr().out


def it_shows_the_log_and_gives_it_as_json(client):
    link = frozen.frozen()
    act(Archive.objects.get(), "withdraw", "<b>why</b>")
    page = client.get("/log").content.decode()
    assert f"/p/{link.pk}" in page and "&lt;b&gt;why&lt;/b&gt;" in page
    assert f'href="/archives/{Archive.objects.get().pk}">{Archive.objects.get()}</a>' in page and f">{link.title}</a>" in page
    told = client.get("/log.json").json()
    assert told["head"]["hash"] == chain()[-1].hash and [row["number"] for row in told["entries"]] == [1, 2]
    assert [row["number"] for row in client.get("/log.json?after=1").json()["entries"]] == [2]
    assert "Nothing has been frozen" not in page


def it_is_exported_as_a_chain_that_anybody_can_check(capsys):
    frozen.frozen()
    act(Archive.objects.get(), "withdraw", "Der Pool war beschädigt.")
    call_command("export", "--format", "log")
    rows, previous = [json.loads(line) for line in capsys.readouterr().out.splitlines()], ""
    for row in rows:
        found = row.pop("hash")
        text = json.dumps(row, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        assert row["previous"] == previous and hashlib.sha256(text.encode()).hexdigest() == found
        previous = found
    assert [row["reason"] for row in rows] == ["", "Der Pool war beschädigt."] and previous == chain()[-1].hash


def it_freezes_again_as_the_next_version(ann):
    first = frozen.frozen()
    samples.received(samples.tar({"run/more.txt": samples.dd(2.0, 2.1)}))
    second = Permalink.objects.get(pk=ann.post(f"/p/{first.pk}/again")["Location"].removeprefix("/p/"))
    assert second.pk != first.pk
    for link in (first, second):
        page = ann.get(f"/p/{link.pk}").content.decode()
        assert (f"/p/{second.pk}" in page) and (f"/p/{first.pk}" in page)
    past = history.read_history(second, record_figures.parse_record(second.record))
    assert past.number == 2 and past.older.pk == first.pk and past.newer is None
    assert "Version 2" in ann.get(f"/p/{second.pk}.bib").content.decode()
    assert "IsObsoletedBy" in ann.get(f"/p/{first.pk}/datacite.xml").content.decode()
    assert ann.post(f"/p/{first.pk}/again")["Location"] == f"/p/{second.pk}"  # never two next versions
    assert Permalink.objects.count() == 2
    assert ann.post(f"/p/{second.pk}/again")["Location"] == f"/p/{second.pk}"  # nothing changed


def it_is_frozen_again_by_its_owner_only(client):
    link = frozen.frozen()
    client.force_login(making.user("bo"))
    assert client.post(f"/p/{link.pk}/again").status_code == 404


@pytest.mark.parametrize(
    "ending", ["", ".json", ".zip", ".bib", ".svg?width=85", "/embed", "/history", "/history.json", "/files", "/live?x=os"]
)
def it_understands_names_in_capitals(client, ending):
    link = frozen.frozen()
    assert client.get(f"/p/{link.pk.upper()}{ending}")["Location"] == f"/p/{link.pk}{ending}"
    assert client.get(f"/p/{link.pk[:-1].upper()}{ending}").status_code == 404


def it_is_found_for_a_frame_by_its_name_in_capitals(client):
    link = frozen.with_plain_pictures(frozen.frozen())
    assert client.get(f"/oembed?url=http://testserver/p/{link.pk.upper()}").json()["title"] == link.title


def it_says_that_a_local_address_leads_nowhere(ann):
    samples.received(samples.tar({"dd.txt": samples.dd(2.5)}))
    name = ann.post("/compare/freeze", {"query": frozen.QUERY, "title": "Local"})["Location"].removeprefix("/p/")
    record = json.loads(bytes(Permalink.objects.get(pk=name).record))
    assert record["local"] is True and record["address"] == f"http://testserver/p/{name}"
    assert "works on this machine only" in ann.get(f"/p/{name}").content.decode()
    for ending in (".bib", ".bib?form=biblatex", ".ris", ".csl", "/cite/CITATION.cff", "/cite/citation.txt"):
        assert "Local instance, not a public address" in ann.get(f"/p/{name}{ending}").content.decode(), ending


def it_freezes_under_the_public_origin_where_there_is_one(ann, settings):
    samples.received(samples.tar({"dd.txt": samples.dd(2.5)}))
    local = ann.post("/compare/freeze", {"query": frozen.QUERY, "title": "One"})["Location"]
    settings.PUBLIC_ORIGIN = "https://bench.example.org"
    name = ann.post("/compare/freeze", {"query": frozen.QUERY, "title": "One"})["Location"].removeprefix("/p/")
    assert f"/p/{name}" != local
    record = json.loads(bytes(Permalink.objects.get(pk=name).record))
    assert record["address"] == f"https://bench.example.org/p/{name}" and "local" not in record
    assert "nowhere" not in ann.get(f"/p/{name}").content.decode()
    assert "Local instance" not in ann.get(f"/p/{name}.bib").content.decode()
