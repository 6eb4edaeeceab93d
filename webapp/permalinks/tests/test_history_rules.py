"""The rules of the public log and of histories, on entries and records in memory, and on a few permalinks."""

from __future__ import annotations

import copy
import hashlib
import itertools
import json
from datetime import UTC, datetime, timedelta

import pytest

from webapp.accounts import public_log
from webapp.accounts.public_log import Kind
from webapp.formats.citations.work import CitedWork
from webapp.models import Archive, LogEntry, Permalink, PermalinkVersion
from webapp.permalinks import history, record_figures
from webapp.permalinks.history import History, HistoryEvent
from webapp.tests import frozen

NOW = datetime(2026, 11, 26, 12, 0, 0, tzinfo=UTC)


def entry(kind: Kind, subject: str = "archives/1", place: str = "", **fields) -> LogEntry:
    return LogEntry(number=1, at=NOW, kind=kind, subject=subject, place=place, **({"sha256": "b" * 64} | fields))


def past(*entries: LogEntry, number: int = 1, older: str = "", newer: str = "") -> History:
    events = [HistoryEvent(one, "Results é") for one in entries]
    return History(events, number, Permalink(pk=older) if older else None, Permalink(pk=newer) if newer else None)


FROZEN = entry(Kind.FREEZE, "p/k3m9xq2abc")
ONE, TWO = "1 of its sources has values withdrawn or deleted since", "2 of its sources have values withdrawn or deleted since"


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        ([], ""),
        ([FROZEN], ""),
        ([entry(Kind.CORRECT)], ""),
        ([entry(Kind.RESTORE)], ""),
        ([entry(Kind.WITHDRAW)], ONE),
        ([entry(Kind.DELETE)], ONE),
        ([entry(Kind.WITHDRAW), entry(Kind.RESTORE)], ""),
        ([entry(Kind.WITHDRAW), entry(Kind.RESTORE), entry(Kind.WITHDRAW)], ONE),
        ([entry(Kind.WITHDRAW), entry(Kind.CORRECT)], ONE),
        ([entry(Kind.WITHDRAW, place="a.txt"), entry(Kind.RESTORE, place="b.txt")], ONE),
        ([entry(Kind.WITHDRAW, place="a.txt"), entry(Kind.WITHDRAW, place="b.txt")], ONE),
        ([entry(Kind.WITHDRAW), entry(Kind.DELETE, "archives/2")], TWO),
        ([entry(Kind.WITHDRAW), entry(Kind.WITHDRAW, "archives/2"), entry(Kind.RESTORE)], ONE),
    ],
)
def it_counts_the_sources_that_are_withdrawn_now(entries, said):
    assert past(FROZEN, *entries).withdrawn == said


@pytest.mark.parametrize(
    ("place", "sentence"),
    [("", f"Results é: {Kind.WITHDRAW.label}"), ("run/dd.txt", f"Results é, run/dd.txt: {Kind.WITHDRAW.label}")],
)
def it_says_what_happened_to_which_place(place, sentence):
    assert HistoryEvent(entry(Kind.WITHDRAW, place=place), "Results é").sentence == sentence


@pytest.mark.parametrize(("older", "newer"), [("", ""), ("aaa", ""), ("", "bbb"), ("aaa", "bbb")])
def it_describes_a_work_by_what_became_of_it(older, newer):
    work = CitedWork("key", "Title", (), NOW.date(), "https://x.example/p/ccc")
    later = history.describe_later(work, past(entry(Kind.DELETE), number=2, older=older, newer=newer), "https://x.example")
    assert (later.edition, later.withdrawn) == (2, ONE)
    assert later.older == (f"https://x.example/p/{older}" if older else "")
    assert later.newer == (f"https://x.example/p/{newer}" if newer else "")


def it_is_json_in_one_form():
    """Every field of an entry; letters as they are."""
    told = past(entry(Kind.WITHDRAW, place="a.txt", reason="Beschädigt", previous="c", hash="d"), number=3, older="aaa")
    event = {
        "number": 1,
        "kind": "withdraw",
        "subject": "archives/1",
        "sha256": "b" * 64,
        "place": "a.txt",
        "reason": "Beschädigt",
        "previous": "c",
        "hash": "d",
        "at": "2026-11-26T12:00:00.000000Z",
        "title": "Results é",
    }
    expected = {"id": "ccc", "record": "e" * 64, "version": 3, "older": "/p/aaa", "newer": None, "events": [event]}
    text = history.to_json(Permalink(pk="ccc", digest="e" * 64), told)
    assert text == json.dumps(expected, ensure_ascii=False, indent=1)
    assert json.loads(history.to_json(Permalink(pk="ccc", digest=""), past(newer="bbb")))["newer"] == "/p/bbb"


RECORD = {
    "frozen_at": NOW.isoformat(),
    "archives": {"1": {"sha256": "b" * 64}, "2": {"sha256": "b" * 64}},
    "files": {"5": {"archive": 1, "path": "a.txt"}, "6": {"archive": 2, "path": "b.txt"}},
    "runs": {"8": {"file": 5}, "9": {"file": 6}},
    "values": [{"line": "9", "run": 8}, {"line": "30", "run": 9}],
}


@pytest.mark.parametrize(
    ("changed", "concerns"),
    [
        ({}, True),
        ({"at": NOW + timedelta(seconds=1)}, True),
        ({"at": NOW - timedelta(seconds=1)}, False),
        ({"subject": "archives/3"}, False),
        ({"sha256": "a" * 64}, False),
        ({"sha256": "c" * 64}, False),
        ({"place": "a.txt"}, True),
        ({"place": "b.txt"}, False),
        ({"place": "a.txt:9 WRITE"}, True),
        ({"place": "a.txt:30 WRITE"}, False),
        ({"place": "b.txt", "subject": "archives/2"}, True),
        ({"place": "a.txt", "sha256": "c" * 64}, False),
    ],
)
def it_concerns_a_record_that_had_values_of_it_then(changed, concerns):
    one = entry(Kind.WITHDRAW)
    for name, value in changed.items():
        setattr(one, name, value)
    assert history._is_since(one, RECORD) is concerns


@pytest.mark.parametrize(
    ("place", "archive", "has"),
    [
        ("a.txt:9 x", "1", True),
        ("b.txt:9 x", "2", False),
        ("b.txt:30 x", "2", True),
        ("a.txt:8 x", "1", False),
        ("c.txt", "1", False),
    ],
)
def it_knows_the_file_that_a_line_is_of(place, archive, has):
    """Line 9 of another file, with a lower and with a higher number, is another line."""
    for first, second in ((5, 6), (6, 5)):
        record = copy.deepcopy(RECORD)
        record["files"] = {str(first): RECORD["files"]["5"], str(second): RECORD["files"]["6"]}
        record["runs"] = {"8": {"file": first}, "9": {"file": second}}
        assert public_log.has_values_of(record, archive, place) is has


@pytest.mark.parametrize(("action", "kinds"), [("withdraw", ["withdraw"]), ("delete", ["delete"]), ("publish", []), ("note", [])])
def it_has_the_acts_alone_that_readers_have_to_know(monkeypatch, action, kinds):
    found = []
    monkeypatch.setattr(public_log, "append", lambda kind, *_, **__: found.append(str(kind)))
    archive = Archive(pk=1, sha256="b" * 64, published_at=NOW)
    assert public_log.is_known_outside(archive) is True
    public_log.log_action(action, archive, "", "why")
    assert found == kinds


def chained(count: int) -> list[LogEntry]:
    """A chain that holds."""
    entries, previous = [], ""
    for number in range(1, count + 1):
        one = LogEntry(number=number, at=NOW, kind=Kind.FREEZE, subject=f"p/{number}", sha256="b" * 64, previous=previous)
        one.hash = previous = public_log.hash_of(one)
        entries.append(one)
    return entries


def hashed(one: LogEntry) -> LogEntry:
    one.hash = public_log.hash_of(one)
    return one


@pytest.mark.parametrize(
    ("forge", "said"),
    [
        (lambda all_: all_, []),
        (lambda all_: [], []),
        (
            lambda all_: [all_[0], all_[2]],
            ["log: entry 2 is missing; 3 follows 1", "log: entry 3 does not continue the one before it"],
        ),
        (lambda all_: all_[1:], ["log: entry 1 is missing; 2 follows 0", "log: entry 2 does not continue the one before it"]),
        (
            lambda all_: [all_[0], all_[0], all_[1]],
            ["log: entry 2 is missing; 1 follows 1", "log: entry 1 does not continue the one before it"],
        ),
        *(
            (
                lambda all_, digit=digit: [all_[0], hashed(_with(all_[1], previous=digit * 64))],
                ["log: entry 2 does not continue the one before it"],
            )
            for digit in "0f"
        ),
        *(
            (
                lambda all_, digit=digit: [all_[0], _with(all_[1], hash=digit * 64)],
                ["log: entry 2 has been changed: its hash is not that of its contents"],
            )
            for digit in "0f"
        ),
        (
            lambda all_: [_with(all_[0], number=0, hash=all_[0].hash), *all_[1:]],
            [
                "log: entry 1 is missing; 0 follows 0",
                "log: entry 0 has been changed: its hash is not that of its contents",
                "log: entry 1 is missing; 2 follows 0",
            ],
        ),
    ],
)
def it_says_of_each_entry_what_is_wrong(forge, said):
    assert list(public_log.find_problems(forge(chained(3)))) == said


def _with(one: LogEntry, **fields) -> LogEntry:
    for name, value in fields.items():
        setattr(one, name, value)
    return one


def it_hashes_an_entry_as_the_document_says():
    """JSON with sorted keys and without spaces, letters as they are, UTC to the microsecond."""
    one = entry(Kind.DELETE, place="é.txt", reason="Nicht mehr gültig", previous="c" * 64)
    text = (
        '{"at":"2026-11-26T12:00:00.000000Z","kind":"delete","number":1,"place":"é.txt","previous":"'
        + "c" * 64
        + '","reason":"Nicht mehr gültig","sha256":"'
        + "b" * 64
        + '","subject":"archives/1"}'
    )
    assert public_log.hash_of(one) == hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.django_db
def it_links_the_versions_beside_it():
    links = [frozen.frozen()]
    links += [frozen.freeze(title=title) for title in ("Second", "Third", "Fourth")]
    for older, newer in itertools.pairwise(links):
        PermalinkVersion.objects.create(permalink=newer, previous=older)
    for number, link in enumerate(links, 1):
        past = history.read_history(link, record_figures.parse_record(link.record))
        assert past.number == number
        assert past.older == (links[number - 2] if number > 1 else None)
        assert past.newer == (links[number] if number < len(links) else None)


@pytest.mark.django_db
def it_has_what_happened_in_the_second_in_which_it_was_frozen():
    """The time of freezing is in whole seconds."""
    link = frozen.frozen()
    archive, head = Archive.objects.get(), public_log.read_head()
    for number, at in ((1, link.frozen_at), (2, link.frozen_at - timedelta(microseconds=1))):
        LogEntry(
            number=head.number + number,
            at=at,
            kind=public_log.Kind.WITHDRAW,
            subject=f"archives/{archive.pk}",
            sha256=archive.sha256,
            hash=str(number),
        ).save(force_insert=True)
    past = history.read_history(link, record_figures.parse_record(link.record))
    assert [event.entry.number for event in past.events] == [head.number, head.number + 1]
