"""What has become of the sources of a frozen record: values corrected or gone, archives withdrawn or deleted."""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from webapp.models import Archive


@dataclass(frozen=True, slots=True)
class Change:
    """What has become of an archive that the permalink rests on."""

    title: str
    sentence: str
    reason: str = ""


def of_archives(told: Mapping[str, Any]) -> tuple[list[Change], set[int]]:
    """What has become of the archives, and those whose lines can still be seen by everybody."""
    found = Archive.objects.in_bulk([int(pk) for pk in told["archives"]])
    out, linked = [], set()
    for pk, about in sorted(told["archives"].items(), key=lambda item: int(item[0])):
        archive = found.get(int(pk))
        if archive is None:
            out.append(Change(about["title"], "has been deleted since"))
        elif archive.withdrawn_at:
            out.append(Change(about["title"], f"was withdrawn on {archive.withdrawn_at:%-d %B %Y}",
                              archive.withdrawn_reason))
        elif archive.published_at is None:
            out.append(Change(about["title"], "is not public; only the frozen values are"))
        else:
            linked.add(archive.pk)
    return out, linked
