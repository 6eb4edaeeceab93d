"""Archives and permalinks whose task was lost: a killed worker takes its message with it, the row stays."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Generic, TypeVar

from django.db.models import Exists, OuterRef
from django.utils import timezone

from webapp.models import Archive, Permalink, Rendering
from webapp.permalinks.bundles import permalink_bundle
from webapp.storage.archive_lock import is_archive_locked

Name = TypeVar("Name", bound=int | str)
_WAITS = (Archive.State.RECEIVED, Archive.State.READING)


def find_unread_archives(older_than: timedelta) -> list[int]:
    """Ids of archives that wait to be read or were cut off, and that nobody reads right now, oldest first."""
    rows = Archive.objects.filter(state__in=_WAITS, uploaded_at__lt=timezone.now() - older_than).order_by("id")
    return [pk for pk in rows.values_list("pk", flat=True) if not is_archive_locked(pk)]


def find_unrendered_permalinks(older_than: timedelta) -> list[str]:
    """Names of permalinks whose files are not all made, oldest first. The bundle is the last of them."""
    made = Rendering.objects.filter(of=OuterRef("pk"), name=permalink_bundle.NAME)
    rows = Permalink.objects.filter(~Exists(made), frozen_at__lt=timezone.now() - older_than).order_by("frozen_at")
    return list(rows.values_list("pk", flat=True))


class TaskResender(Generic[Name]):
    """Sends tasks again with growing patience, so that a long queue is not filled with copies of itself.

    One of them is sent at most once in `first` seconds, then in twice that, up to `longest`; what is finished is
    forgotten. Too many tasks are harmless: the first claims the archive, and a file is kept once. `now` is a monotonic
    clock in seconds; `find` gives what waits.
    """

    def __init__(
        self,
        send: Callable[[Name], object],
        find: Callable[[timedelta], list[Name]],
        first: float = 15.0,
        longest: float = 600.0,
    ) -> None:
        self.send, self.find, self.first, self.longest = send, find, first, longest
        self._next: dict[Name, tuple[float, float]] = {}  # id -> (not before, wait after that)

    def round(self, now: float, older_than: timedelta = timedelta(0)) -> list[Name]:
        """Send what waits and whose time has come; says which."""
        found = self.find(older_than)
        self._next = {pk: self._next[pk] for pk in found if pk in self._next}
        due = [pk for pk in found if now >= self._next.get(pk, (now, 0.0))[0]]
        for pk in due:
            wait = self._next.get(pk, (0.0, self.first))[1]
            self._next[pk] = (now + wait, min(2 * wait, self.longest))
            self.send(pk)
        return due
