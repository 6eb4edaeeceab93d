"""How much a person may upload within 24 hours: bytes and archives of `POOLMARK_QUOTA_...`. Staff may upload without limit.

Archives that are there are counted; one that was deleted is not.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Count, Min, Sum
from django.utils import timezone

from webapp.accounts import access
from webapp.models import Archive

DAY = timedelta(hours=24)


class QuotaExceeded(Exception):
    """The upload does not fit into what is left. `quota`: before it; `in_bytes`: the bytes were too many, not the archives."""

    def __init__(self, quota: Quota, in_bytes: bool) -> None:
        super().__init__("more bytes" if in_bytes else "more archives")
        self.quota, self.in_bytes = quota, in_bytes


@dataclass(frozen=True, slots=True)
class Quota:
    """What a person has uploaded within 24 hours; of more archives than allowed, the newest. `first`: when the oldest of these
    came, None without one."""

    bytes_used: int
    archives_used: int
    first: datetime | None

    @property
    def bytes_allowed(self) -> int:
        return settings.POOLMARK_QUOTA_BYTES

    @property
    def archives_allowed(self) -> int:
        return settings.POOLMARK_QUOTA_ARCHIVES

    @property
    def bytes_left(self) -> int:
        return max(0, self.bytes_allowed - self.bytes_used)

    @property
    def archives_left(self) -> int:
        return max(0, self.archives_allowed - self.archives_used)

    @property
    def seconds_until_more(self) -> int:
        """Until the first archive is 24 hours old."""
        return max(1, int((self.first + DAY - timezone.now()).total_seconds()) + 1) if self.first else 0

    def check(self, size: int) -> None:
        """Raise QuotaExceeded where one more archive of that many bytes does not fit."""
        if self.archives_left < 1:
            raise QuotaExceeded(self, False)
        if size > self.bytes_left:
            raise QuotaExceeded(self, True)


def read_quota(user) -> Quota | None:
    """What the person has used; None for staff. One query, of as many rows as a day allows."""
    if access.is_staff(user):
        return None
    recent = Archive.objects.owned_by(user).filter(uploaded_at__gt=timezone.now() - DAY)
    newest = recent.order_by("-uploaded_at", "-id")[: max(1, settings.POOLMARK_QUOTA_ARCHIVES)]
    used = newest.aggregate(size=Sum("size"), n=Count("pk"), first=Min("uploaded_at"))
    return Quota(used["size"] or 0, used["n"], used["first"])
