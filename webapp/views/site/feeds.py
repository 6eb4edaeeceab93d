"""Atom feeds of what is public: new archives (all, of a search, a system, a study), and what became of one archive.

All of them show what a reader without an account sees.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db.models import QuerySet
from django.http import Http404, HttpResponse
from django.urls import reverse
from django.utils.feedgenerator import Atom1Feed, get_tag_uri
from django.views.decorators.cache import cache_control
from django.views.decorators.http import condition, require_safe

from webapp.accounts import access
from webapp.accounts.public_log import Kind
from webapp.archives import list_queries
from webapp.formatting import numbers
from webapp.formatting.visible_text import make_visible, make_xml_safe
from webapp.http.data_version import data_version
from webapp.http.page_cache import conditional, release_digest
from webapp.models import Archive, LogEntry, Rereading, System
from webapp.models.summary import PUBLIC, SystemCount
from webapp.studies import queries
from webapp.systems.system_index import system_name
from webapp.views.archives.archive_list import LIST

_ENTRIES = 30
_ANYBODY = AnonymousUser()
_NEVER = datetime(1970, 1, 1, tzinfo=UTC)
_CHANGES = {Kind.CORRECT: "Corrected", Kind.WITHDRAW: "Withdrawn", Kind.RESTORE: "Restored", Kind.DELETE: "Deleted"}


class _Feed(Atom1Feed):
    def latest_post_date(self):
        """The latest time of an entry; of a feed without any not the time of the request, which would change it."""
        return max((item["updateddate"] for item in self.items), default=_NEVER)


def _answer(request, title: str, page: str, entries: Iterable[dict[str, Any]]) -> HttpResponse:
    """The feed with these entries (arguments of `add_item`). `page`: the path of the page that shows the same."""
    feed = _Feed(
        title=make_xml_safe(f"Poolmark: {make_visible(title)}"),
        link=request.build_absolute_uri(page),
        description=None,
        feed_url=request.build_absolute_uri(),
        author_name="Poolmark",
        language="en",
    )
    for entry in entries:
        texts = {name: make_xml_safe(make_visible(text)) if text else None for name, text in entry.items() if isinstance(text, str)}
        address = request.build_absolute_uri(entry["link"])
        same = entry.get("unique_id")
        unique = get_tag_uri(request.build_absolute_uri(same), entry["pubdate"]) if same else address
        feed.add_item(**entry | texts | {"link": address, "unique_id": unique})
    return HttpResponse(feed.writeString("utf-8"), content_type=feed.content_type)


def _describe(archives: Iterable[Archive]) -> Iterator[dict[str, Any]]:
    """An entry for each archive; their order is that of the feed."""
    for archive in archives:
        found = f"{numbers.count(archive.measurements)} measurements in {numbers.count(archive.files_total)} files."
        yield {
            "title": str(archive),
            "link": reverse("archive", args=[archive.pk]),
            "description": " ".join(filter(None, (archive.description, found, archive.caveat))),
            "author_name": archive.authors,
            "pubdate": archive.published_at,
            "updateddate": max(filter(None, (archive.published_at, archive.read_at))),
            "item_copyright": archive.licence,
            "categories": (archive.study,) if archive.study else (),
        }


def _newest(archives: QuerySet[Archive]) -> QuerySet[Archive]:
    return archives.order_by("-published_at", "-id")[:_ENTRIES]


@require_safe
@conditional
def archives(request):
    """The newest public archives, of those that the list with the same search and filters has."""
    query = LIST.parse(request.GET)
    if not query.narrowed:
        return _answer(request, "new public archives", reverse("archives"), _describe(_newest(Archive.objects.open())))
    found = LIST.show(query, list_queries.read_archives(data_version(), _ANYBODY, only_own=False)).found
    rows = _newest(Archive.objects.open().filter(pk__in=[row.pk for row in found]))
    words = ", ".join(filter(None, (query.q, *query.filters.values())))
    return _answer(request, f"archives with {words}", f"{reverse('archives')}?{query.query()}", _describe(rows))


@require_safe
@conditional
def system(request, pk):
    """The newest public archives with measurements on a system."""
    counts = SystemCount.objects.filter(system_id=pk)
    if not counts.filter(scope=PUBLIC).exists():
        raise Http404("No public archive was measured on this system.")
    rows = _newest(Archive.objects.open().filter(pk__in=counts.filter(scope__gt=PUBLIC).values("scope")))
    name = system_name(System.objects.get(pk=pk))
    return _answer(request, name, reverse("system", args=[pk]), _describe(rows))


@require_safe
@conditional
def study(request, name):
    """The newest archives of a study."""
    first = queries.read_first_archives([name]).get(name)
    if first is None:
        raise Http404("There is no published study of this name.")
    rows = _newest(queries.public_archives_of(name))
    return _answer(request, str(first), reverse("study", args=[name]), _describe(rows))


def _state(request, pk) -> str:
    """ETag: the row of a reading is written after the data version of its values."""
    reading = Rereading.objects.filter(archive=pk).order_by("-id").values_list("id", flat=True).first()
    state = (release_digest(), request.get_host(), data_version(), reading)
    return f'"{hashlib.sha256(repr(state).encode()).hexdigest()[:32]}"'


@require_safe
@cache_control(no_cache=True)
@condition(etag_func=_state)
def archive(request, pk):
    """What became of a published archive: its publication, readings that changed something, and what the public log has of it. Of a
    withdrawn or deleted one the log alone."""
    found = Archive.objects.visible_to(_ANYBODY).filter(pk=pk).first()
    log = LogEntry.objects.filter(subject=f"archives/{pk}", kind__in=_CHANGES).order_by("-number")
    if found is None and (Archive.objects.filter(pk=pk).exists() or not log.exists()):
        raise Http404("There is no public archive of this number.")
    entries = list(_log_entries(pk, log[:_ENTRIES]))
    if found and access.may_read(_ANYBODY, found):
        [about] = _describe([found])
        own = {"title": "Published", "unique_id": f"/archives/{pk}/published", "updateddate": found.published_at}
        entries += [*_readings(pk), about | own]
    entries.sort(key=lambda entry: entry["updateddate"], reverse=True)
    title = str(found) if found else f"archive {pk}"
    return _answer(request, title, reverse("archive", args=[pk]), entries[: _ENTRIES + 1])


def _log_entries(pk: int, log: Iterable[LogEntry]) -> Iterator[dict[str, Any]]:
    for entry in log:
        yield {
            "title": f"{_CHANGES[Kind(entry.kind)]}: {entry.place or 'the whole archive'}",
            "link": reverse("archive", args=[pk]),
            "unique_id": f"/log/{entry.number}",
            "description": entry.reason or "No reason is stated.",
            "pubdate": entry.at,
            "updateddate": entry.at,
        }


def _readings(pk: int) -> Iterator[dict[str, Any]]:
    """An entry for each later reading that changed something."""
    for row in Rereading.objects.filter(archive=pk).order_by("-id")[:_ENTRIES]:
        counts = (row.changed, "changed"), (row.appeared, "appeared"), (row.vanished, "vanished")
        changes = [f"{numbers.count(number)} values {verb}" for number, verb in counts if number]
        if row.configuration_changes:
            changes.append(f"{numbers.count(row.configuration_changes)} keys of configurations changed")
        if changes or not row.is_compared:
            yield {
                "title": "Read again",
                "link": reverse("archive-readings", args=[pk]),
                "unique_id": f"/archives/{pk}/readings/{row.pk}",
                "description": f"{', '.join(changes) or 'Too large to compare value by value'}.",
                "pubdate": row.at,
                "updateddate": row.at,
            }
