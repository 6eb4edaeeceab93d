"""What became of a permalink since it was frozen: entries of the public log about it and its sources, and its versions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from webapp.accounts.public_log import Kind, has_values_of
from webapp.formats.citations.work import CitedWork
from webapp.models import LogEntry, Permalink, PermalinkVersion
from webapp.permalinks import queries

_SOURCE_KINDS = (Kind.WITHDRAW, Kind.RESTORE, Kind.DELETE)


@dataclass(frozen=True, slots=True)
class HistoryEvent:
    """An entry of the log with the title of its archive, which the record holds."""

    entry: LogEntry
    title: str

    @property
    def sentence(self) -> str:
        """`Results of a pool, run/dd.txt: withdrawn`"""
        place = f", {self.entry.place}" if self.entry.place else ""
        return f"{self.title}{place}: {Kind(self.entry.kind).label}"


@dataclass(frozen=True, slots=True)
class History:
    """Events by time, the freeze first. `number`: which version this is, from 1; `older`, `newer`: the versions beside it."""

    events: list[HistoryEvent]
    number: int
    older: Permalink | None
    newer: Permalink | None

    @property
    def corrections(self) -> list[LogEntry]:
        """What was found to be wrong in the figure itself."""
        return [one.entry for one in self.events if one.entry.kind == Kind.CORRECT and one.entry.subject.startswith("p/")]

    @property
    def withdrawn(self) -> str:
        """`2 of its sources have values withdrawn or deleted since`, empty where none has."""
        return _count_withdrawn(event.entry for event in self.events)


def _count_withdrawn(entries: Iterable[LogEntry]) -> str:
    """How many archives have places whose last entry is no restoration, as a sentence; '' for none. Entries are in order."""
    state: dict[tuple[str, str], str] = {}
    for entry in entries:
        if entry.kind in _SOURCE_KINDS:
            state[entry.subject, entry.place] = entry.kind
    count = len({subject for (subject, _), kind in state.items() if kind != Kind.RESTORE})
    return f"{count} of its sources {'has' if count == 1 else 'have'} values withdrawn or deleted since" if count else ""


def read_history(permalink: Permalink, record: Mapping[str, Any]) -> History:
    """The history of a permalink, without what happened to files and lines that it has no values of. Three queries."""
    titles = {f"archives/{pk}": about["title"] for pk, about in record["archives"].items()}
    own = permalink.get_absolute_url().lstrip("/")
    entries = LogEntry.objects.filter(subject__in=[own, *titles], at__gte=permalink.frozen_at.replace(microsecond=0))
    events = [
        HistoryEvent(entry, titles.get(entry.subject, "This permalink"))
        for entry in entries.order_by("number")
        if entry.subject == own or concerns(entry, record)
    ]
    older, newer = read_versions(permalink)
    return History(events, len(older) + 1, older[0] if older else None, newer)


def describe_later(work: CitedWork, history: History, origin: str) -> CitedWork:
    """The work with what became of it. `origin`: scheme and host of its address."""
    return replace(
        work,
        edition=history.number,
        older=f"{origin}{history.older.get_absolute_url()}" if history.older else "",
        newer=f"{origin}{history.newer.get_absolute_url()}" if history.newer else "",
        withdrawn=history.withdrawn,
    )


def read_versions(permalink: Permalink) -> tuple[list[Permalink], Permalink | None]:
    """(older versions, the latest first; the next version or None). Two queries."""
    newer = PermalinkVersion.objects.filter(previous=permalink).values_list("permalink_id", flat=True).first()
    return [Permalink(pk=pk) for pk in queries.read_older_versions(permalink.pk)], Permalink(pk=newer) if newer else None


def reasons_by_archive(record: Mapping[str, Any]) -> dict[str, list[LogEntry]]:
    """Key of the archive in the record -> its withdrawals, restorations and deletion, by time. One query."""
    subjects = {f"archives/{pk}": pk for pk in record["archives"]}
    found: dict[str, list[LogEntry]] = {}
    for entry in LogEntry.objects.filter(subject__in=subjects, kind__in=_SOURCE_KINDS).order_by("number"):
        if concerns(entry, record):
            found.setdefault(subjects[entry.subject], []).append(entry)
    return found


def read_withdrawn(records: Sequence[Mapping[str, Any]]) -> str:
    """As `History.withdrawn` of several permalinks' records together, each since it was frozen. One query."""
    subjects = {f"archives/{pk}" for record in records for pk in record["archives"]}
    entries = LogEntry.objects.filter(subject__in=subjects, kind__in=_SOURCE_KINDS).order_by("number")
    return _count_withdrawn(entry for entry in entries if any(_is_since(entry, record) for record in records))


def _is_since(entry: LogEntry, record: Mapping[str, Any]) -> bool:
    """Whether an entry about an archive concerns values of a record that was frozen before."""
    pk = entry.subject.removeprefix("archives/")
    return pk in record["archives"] and entry.at >= datetime.fromisoformat(record["frozen_at"]) and concerns(entry, record)


def concerns(entry: LogEntry, record: Mapping[str, Any]) -> bool:
    """Whether an entry about an archive of the record, by its number, is about those bytes and values of the record."""
    archive = entry.subject.removeprefix("archives/")
    return entry.sha256 == record["archives"][archive]["sha256"] and has_values_of(record, archive, entry.place)


def to_json(permalink: Permalink, history: History) -> str:
    """`/p/ID/history.json`"""
    events = [entry_fields(event.entry) | {"title": event.title} for event in history.events]
    return json.dumps(
        {
            "id": permalink.pk,
            "record": permalink.digest,
            "version": history.number,
            "older": history.older.get_absolute_url() if history.older else None,
            "newer": history.newer.get_absolute_url() if history.newer else None,
            "events": events,
        },
        ensure_ascii=False,
        indent=1,
    )


def entry_fields(entry: LogEntry) -> dict[str, Any]:
    """An entry of the log as JSON data."""
    names: Iterable[str] = ("number", "kind", "subject", "sha256", "place", "reason", "previous", "hash")
    return {name: getattr(entry, name) for name in names} | {"at": entry.at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")}
