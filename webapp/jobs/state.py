"""What waits and what was done, in numbers: for /status and /metrics."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Max, Min, Sum

from webapp.models import Archive, Permalink
from webapp.models.summary import PUBLIC, MetricCount


@dataclass(frozen=True, slots=True)
class State:
    """`archives`: their number by state; `waiting_since`: when the archive that waits longest was uploaded."""

    archives: dict[str, int]
    bytes_stored: int
    waiting_since: datetime | None
    last_read: datetime | None
    permalinks: int
    measurements: int

    @property
    def waiting(self) -> int:
        return self.archives[Archive.State.RECEIVED]

    @property
    def reading(self) -> int:
        return self.archives[Archive.State.READING]


def read_state() -> State:
    """Four queries."""
    counts = {row["state"]: row for row in Archive.objects.values("state").annotate(n=Count("pk"), size=Sum("size")).order_by()}
    times = Archive.objects.aggregate(last=Max("read_at"))
    first = Archive.objects.filter(state=Archive.State.RECEIVED).aggregate(first=Min("uploaded_at"))["first"]
    return State(
        archives={state: counts[state]["n"] if state in counts else 0 for state in Archive.State.values},
        bytes_stored=sum(row["size"] or 0 for row in counts.values()),
        waiting_since=first,
        last_read=times["last"],
        permalinks=Permalink.objects.count(),
        measurements=MetricCount.objects.filter(scope=PUBLIC).aggregate(n=Sum("n"))["n"] or 0,
    )
