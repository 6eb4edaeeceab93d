"""Sends lost tasks of archives and permalinks again: a killed worker loses its message, the row stays."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Generic, TypeVar

from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from webapp.models import Archive, Permalink, Rendering
from webapp.permalinks.bundles import permalink_bundle
from webapp.storage.locks import is_archive_locked

Name = TypeVar("Name", bound=int | str)
_UNREAD = (Archive.State.RECEIVED, Archive.State.READING)


def find_unread_archives(older_than: timedelta) -> list[int]:
    """Ids of archives that wait to be read or were cut off, and are not being read right now, oldest first."""
    rows = Archive.objects.filter(_made("uploaded_at", older_than), state__in=_UNREAD).order_by("id")
    return [pk for pk in rows.values_list("pk", flat=True) if not is_archive_locked(pk)]


def find_unrendered_permalinks(older_than: timedelta) -> list[str]:
    """Names of permalinks whose files are not all made, oldest first. The bundle is the last of them."""
    bundles = Rendering.objects.filter(of=OuterRef("pk"), name=permalink_bundle.NAME)
    rows = Permalink.objects.filter(_made("frozen_at", older_than), ~Exists(bundles)).order_by("frozen_at")
    return list(rows.values_list("pk", flat=True))


def _made(column: str, older_than: timedelta) -> Q:
    """The condition of rows of that age, or from the future by more than that: a clock that went wrong and back leaves these.

    Nearer ones are fresh, by the clock of another machine, which may be seconds ahead.
    """
    now = timezone.now()
    return Q(**{f"{column}__lt": now - older_than}) | Q(**{f"{column}__gt": now + older_than})


class TaskResender(Generic[Name]):
    """Sends tasks again with exponential backoff, so that a long queue is not filled with copies of itself.

    `find`: names of unfinished tasks by their minimum age. A task is sent again after `first` seconds, then after twice
    that, up to `longest`. Too many tasks are harmless: the first locks the archive, and a file is stored once.
    """

    def __init__(
        self,
        send: Callable[[Name], object],
        find: Callable[[timedelta], list[Name]],
        first: float = 15.0,
        longest: float = 600.0,
    ) -> None:
        self.send, self.find, self.first, self.longest = send, find, first, longest
        self._next: dict[Name, tuple[float, float]] = {}  # name -> (not before, wait after that)

    def round(self, now: float, older_than: timedelta = timedelta(0)) -> list[Name]:
        """Send the unfinished tasks that are due, and return them. `now`: seconds of a monotonic clock."""
        names = self.find(older_than)
        self._next = {name: self._next[name] for name in names if name in self._next}
        due = [name for name in names if now >= self._next.get(name, (now, 0.0))[0]]
        for name in due:
            wait = self._next.get(name, (0.0, self.first))[1]
            self._next[name] = (now + wait, min(2 * wait, self.longest))
            self.send(name)
        return due
