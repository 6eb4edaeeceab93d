"""The public log: every freeze, correction, withdrawal, restoration and deletion, each entry with the hash of the one before.

Who kept the hash of an entry (a head) can tell later that no entry up to it was changed, whoever has the database. Entries are
written in the transaction of the act. Private archives have entries only where a permalink contains values of them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from django.db import transaction

from webapp.models import Archive, Collection, FrozenSource, LogEntry, Permalink

Kind = LogEntry.Kind
_ACTIONS = {"withdraw": Kind.WITHDRAW, "unwithdraw": Kind.RESTORE, "delete": Kind.DELETE}
"""Action of the audit log -> kind of entry."""


def hash_of(entry: LogEntry) -> str:
    """SHA-256 of the entry without its hash: JSON with sorted keys, no spaces, UTF-8; time in UTC to the microsecond."""
    fields = {
        "at": entry.at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "kind": str(entry.kind),
        "number": entry.number,
        "place": entry.place,
        "previous": entry.previous,
        "reason": entry.reason,
        "sha256": entry.sha256,
        "subject": entry.subject,
    }
    return hashlib.sha256(json.dumps(fields, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()).hexdigest()


def append(kind: Kind, subject: str, sha256: str, *, place: str = "", reason: str = "") -> LogEntry:
    """Add an entry, in the transaction of the act; waits until no other transaction is adding one."""
    with transaction.atomic():
        LogEntry.lock()
        last = read_head()
        entry = LogEntry(
            number=last.number + 1 if last else 1,
            at=datetime.now(UTC),
            kind=kind,
            subject=subject,
            sha256=sha256,
            place=_storable(place),
            reason=_storable(reason),
            previous=last.hash if last else "",
        )
        entry.hash = hash_of(entry)
        entry.save(force_insert=True)
    return entry


def _storable(text: str) -> str:
    """The text as PostgreSQL and UTF-8 can hold it."""
    return text.replace("\0", "").encode("utf-8", "replace").decode()


def log_frozen(frozen: Permalink | Collection) -> None:
    """The entry of a freeze."""
    append(Kind.FREEZE, frozen.get_absolute_url().lstrip("/"), frozen.digest)


def log_action(action: str, archive: Archive, place: str, reason: str) -> None:
    """The entry of an action of the audit log on an archive, where it is one that readers of its values have to know of."""
    if action in _ACTIONS and is_known_outside(archive, place):
        append(_ACTIONS[action], f"archives/{archive.pk}", archive.sha256, place=place, reason=reason)


def is_known_outside(archive: Archive, place: str = "") -> bool:
    """Whether others than its owner know the archive, or this place of it: it was published, or a permalink has values of it."""
    if archive.published_at is not None:
        return True
    permalinks = FrozenSource.objects.filter(archive_id=archive.pk).values("permalink_id")
    records = Permalink.objects.filter(pk__in=permalinks).values_list("record", flat=True)
    return any(has_values_of(json.loads(bytes(record)), str(archive.pk), place) for record in records.iterator(chunk_size=20))


def has_values_of(record: Mapping[str, Any], archive: str, place: str) -> bool:
    """Whether a permalink's record has values of a place of an archive (its key in the record): `''` for all of it, `PATH`, or
    `PATH:LINE ...` for a line."""
    if not place:
        return archive in record["archives"]
    for number, file in record["files"].items():
        if str(file["archive"]) == archive and f"{place}:".startswith(f"{file['path']}:"):
            line = place[len(file["path"]) + 1 :].partition(" ")[0]
            if not line or any(value["line"] == line and _file_of(record, value) == number for value in record["values"]):
                return True
    return False


def _file_of(record: Mapping[str, Any], value: Mapping[str, Any]) -> str:
    return str(record["runs"][str(value["run"])]["file"])


def read_head() -> LogEntry | None:
    """The last entry."""
    return LogEntry.objects.order_by("-number").first()


def find_problems(entries: Iterable[LogEntry]) -> Iterator[str]:
    """What is wrong with the chain of all entries, in order: a gap, another entry before, a hash that is not that of the entry."""
    number, previous = 0, ""
    for entry in entries:
        if entry.number != number + 1:
            yield f"log: entry {number + 1} is missing; {entry.number} follows {number}"
        if entry.previous != previous:
            yield f"log: entry {entry.number} does not continue the one before it"
        if entry.hash != hash_of(entry):
            yield f"log: entry {entry.number} has been changed: its hash is not that of its contents"
        number, previous = entry.number, entry.hash
