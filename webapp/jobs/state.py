"""What waits and was done, in numbers for /status and /metrics; whose archive is read next."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db.models import Count, Max, Min, Q, Sum

from webapp.models import Archive, Permalink
from webapp.storage.locks import find_readers

MAX_ATTEMPTS = 5
"""Readings of an archive that were interrupted, after which it is not tried again."""

# Whose archive is read next: small ones apart from large ones, and within each the person who waits longest for a turn.

SMALL, LARGE = "small", "celery"
"""Names of the queues."""
_WAITING = Q(state__in=(Archive.State.RECEIVED, Archive.State.READING))


def is_small() -> Q:
    """The condition of archives that are read as small ones."""
    return Q(size__lte=settings.POOLMARK_SMALL_ARCHIVE, is_slow=False)


def queue_of(archive_id: int) -> str:
    """The queue for the archive's message."""
    return SMALL if Archive.objects.filter(is_small(), pk=archive_id).exists() else LARGE


def find_next(queue: str, busy: Collection[int] = ()) -> int | None:
    """The id of the archive whose turn it is, without those that are `busy`: the oldest one of the person whose last reading began
    first, of those who have one. Of the queue of large ones small ones too, where no large one waits."""
    if queue == SMALL:
        return _first(is_small(), busy)
    found = _first(~is_small(), busy)
    return _first(is_small(), busy) if found is None else found


def _first(condition: Q, busy: Collection[int]) -> int | None:
    return Archive.objects.filter(_WAITING, condition).exclude(pk__in=busy).first_in_turn()


@dataclass(frozen=True, slots=True)
class State:
    """`archives`: their number by state; `waiting_since`: when the archive that waits longest was uploaded."""

    archives: dict[str, int]
    bytes_stored: int
    waiting_since: datetime | None
    last_read: datetime | None
    permalinks: int

    @property
    def waiting(self) -> int:
        return self.archives[Archive.State.RECEIVED]

    @property
    def reading(self) -> int:
        return self.archives[Archive.State.READING]


@dataclass(frozen=True, slots=True)
class ReadingState:
    """The reading of an archive that has not ended. `attempt`: its number; `process`: which has it, '' for none."""

    archive: int
    began_at: datetime | None
    attempt: int
    process: str

    def __str__(self) -> str:
        since = f"since {self.began_at:%-d %B %Y, %H:%M:%S} UTC, " if self.began_at else ""
        return f"{since}attempt {self.attempt} of {MAX_ATTEMPTS}, by {self.process or 'no process: it will be read again'}"


def find_readings() -> list[ReadingState]:
    """The archives that are being read, the one that began first at the top. Two queries."""
    rows = list(Archive.objects.filter(state=Archive.State.READING).order_by("began_at", "pk").only("began_at", "attempts"))
    readers = find_readers() if rows else {}
    return [ReadingState(row.pk, row.began_at, row.attempts, readers.get(row.pk, "")) for row in rows]


def read_state() -> State:
    """Two queries."""
    rows = Archive.objects.values("state").annotate(n=Count("pk"), size=Sum("size"), first=Min("uploaded_at"), last=Max("read_at"))
    counts: dict[str, dict[str, Any]] = {row["state"]: dict(row) for row in rows.order_by()}
    return State(
        archives={state: counts[state]["n"] if state in counts else 0 for state in Archive.State.values},
        bytes_stored=sum(row["size"] or 0 for row in counts.values()),
        waiting_since=counts.get(Archive.State.RECEIVED, {}).get("first"),
        last_read=max((row["last"] for row in counts.values() if row["last"]), default=None),
        permalinks=Permalink.objects.count(),
    )
