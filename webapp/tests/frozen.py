"""Permalinks for tests: of archives that went the whole way of an upload."""

from __future__ import annotations

from urllib.parse import parse_qsl

from django.db.models import F

from webapp.comparison.selection import parse
from webapp.models import Measurement, Permalink, Run
from webapp.permalinks import freeze as permalinks
from webapp.permalinks import rendering, stored_files
from webapp.permalinks.frozen_addresses import Origin
from webapp.tests import making, samples

SITE = Origin("https://poolmark.example", False)
QUERY = "metric=write.throughput&x=host"


def freeze(
    query: str = QUERY, *, owner: str = "ann", title: str = "Writes of a tank", authors: str = "Ann Rae; Bo Li"
) -> Permalink:
    """What `owner` sees of the query, frozen."""
    user = making.user(owner)
    return permalinks.freeze_draft(permalinks.draft_comparison(parse(parse_qsl(query)), user, title, authors), user, SITE)


def frozen(*seconds: float, **told) -> Permalink:
    """A permalink on one published archive of dd's output."""
    samples.received(samples.tar({"run/dd.txt": samples.dd(*(seconds or (2.5, 2.6, 2.4)))}))
    return freeze(**told)


def as_if_read_again() -> Measurement:
    """Every run gets another number, as a reading gives them; the first value of what `QUERY` draws."""
    Run.objects.update(id=F("id") + 10**6)
    Measurement.objects.update(run_id=F("run_id") + 10**6)
    return Measurement.objects.filter(metric__name="write.throughput").order_by("id").first()


def with_plain_pictures(link: Permalink) -> Permalink:
    """With a few bytes in place of each drawing, for tests of the files beside them: drawing takes two seconds. The tables,
    which the check makes anew, are real."""
    for name, form in rendering.RENDERED_FILES.items():
        if not name.startswith("table"):
            stored_files.store_file(link.pk, name, form.media_type, f"in place of {name}".encode())
    return link
