"""Archives whose task was lost: a killed worker takes its message with it, the row stays."""
from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from django.utils import timezone

from webapp.claims import is_claimed
from webapp.models import Archive

_WAITS = (Archive.State.RECEIVED, Archive.State.READING)


def unfinished(older_than: timedelta) -> list[int]:
    """Ids of archives that wait to be read or were cut off, and that nobody reads right now, oldest first."""
    rows = Archive.objects.filter(state__in=_WAITS, uploaded_at__lt=timezone.now() - older_than).order_by("id")
    return [pk for pk in rows.values_list("pk", flat=True) if not is_claimed(pk)]


def reconcile(send: Callable[[int], object], older_than: timedelta = timedelta(0)) -> list[int]:
    """Send the task again for each of them; says which. Too many tasks are harmless: the first claims the archive."""
    found = unfinished(older_than)
    for pk in found:
        send(pk)
    return found
