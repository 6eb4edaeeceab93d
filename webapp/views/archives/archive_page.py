"""The page of an archive: metadata, contents, and warnings linked to their lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from csp.constants import NONE
from csp.decorators import csp
from django.contrib.auth.models import AnonymousUser
from django.db.models import Exists, OuterRef, QuerySet
from django.http import Http404, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_safe

from ingest import keys
from ingest.records import HANDMADE
from ingest.warning_codes import BAD_INPUT, CODES
from webapp.accounts import access
from webapp.archives import review, takes
from webapp.comparison.dimensions import DIMENSIONS, UNKNOWN, value_sort_key
from webapp.files import blobs
from webapp.files.addresses import file_address, line_address
from webapp.files.stores import DamagedBytes, MissingBytes
from webapp.formats.citations.licences import licence_address
from webapp.http.data_version import data_version
from webapp.http.pagination import paginate, paginate_both, size_of
from webapp.http.stored_bytes import find_range, name_range, refuse_range
from webapp.models import Archive, AuditEntry, Configuration, File, Note, Rereading, Withdrawal
from webapp.pages import archive_figures, curves_page
from webapp.pages.card_page import earlier_uploads
from webapp.storage import archive_rows, series
from webapp.studies.queries import read_accepted_firsts
from webapp.studies.registry import shipped_studies
from webapp.systems import configuration_list

# The archive of an address; where it was deleted, its owner and staff learn when.


def get_archive(request, pk: int, archives: QuerySet) -> Archive:
    """The archive. Raises Http404, which names the day of the deletion for those who could see it in any state."""
    archive = archives.filter(pk=pk).first()
    if archive is None:
        raise Http404(describe_missing(request.user, pk))
    return archive


def describe_missing(user, pk: int) -> str:
    """When the archive was deleted, for its former owner and staff; '' for others and where there was none. One query, none for
    readers without an account."""
    if not user.is_authenticated:
        return ""
    entry = AuditEntry.objects.filter(archive=pk, action="delete").order_by("-id").first()
    if entry is None or not access.may_learn_of_deletion(user, entry):
        return ""
    by = "" if entry.who == user.get_username() else f" by {entry.by}"
    when = f"{entry.at:%-d %B %Y, %H:%M} UTC"
    return f"“{entry.title}” was deleted on {when}{by}. Its files and measurements are gone; permalinks stay."


_SHOWN = 6  # warnings of one code
_BAD_INPUT = 10  # above the page
_FILES = 25
_SERIES = 20
_READINGS = 10
_READINGS_OF = Rereading.objects.filter(archive=OuterRef("pk"))
_CONFIGURATIONS = 25
_WITHDRAWN = 20
_BUSY = (Archive.State.RECEIVED, Archive.State.READING)
_COUNTED = 1000  # limit of the count of duplicate files; beyond, "more than"


@require_safe
def archive(request, pk):
    """An archive; during ingest, htmx polls every second and gets only the progress."""
    seen = access.visible_archives(request.user).select_related("owner", "accepted_by").with_counts()
    archive = get_archive(request, pk, seen.annotate(is_reread=Exists(_READINGS_OF)))
    own = access.owns(request.user, archive)
    may_look = access.may(request.user, archive, "look")
    if access.sees_tombstone(request.user, archive):
        return render(request, "archives/withdrawn.html", {"archive": archive}, status=410)
    facts = {"archive": archive, "own": own, "is_unshared": not access.may_read(AnonymousUser(), archive)} | _powers(
        request.user, archive
    )
    facts["busy"] = archive.state in _BUSY
    if facts["busy"] and (may_look or not archive.read_at):
        if request.headers.get("HX-Request"):
            return render(request, "archives/_progress.html", facts | {"polled": True})
        if not archive.read_at:
            return render(request, "archives/archive.html", facts)
    elif own and archive.read_at and request.headers.get("HX-Request") and request.GET.get("typed"):
        facts |= archive_figures.draw(archive.pk, [], request.user, data_version())
        return render(request, "archives/_read.html", facts)  # what is typed beside it would be lost with a reload
    facts |= _contents(archive, request, own)
    facts["earlier"] = earlier_uploads(archive.pk, request.user)
    if archive.measurements and access.may_compare(request.user, archive):
        originals = [] if archive.counted else [original.pk for original in facts["originals"]]
        facts |= archive_figures.draw(archive.pk, originals, request.user, data_version())
    response = render(request, "archives/archive.html", facts)
    if request.headers.get("HX-Request"):
        response["HX-Refresh"] = "true"  # ingest has ended: reload the whole page
    return response


def _powers(user, archive: Archive) -> dict:
    """`as_staff`: the user sees the archive as staff only; sets `archive.others`: private archive of another user."""
    archive.others = access.is_shown_as_staff(user, archive)
    return {
        "as_staff": access.is_only_staff(user, archive),
        "may_take_back": access.may_restore(user, archive),
        "may_accept": access.may_accept(user, archive),
        "may_revoke": access.may_revoke_acceptance(user, archive),
    }


def _contents(archive: Archive, request, own: bool) -> dict:
    files, files_further = paginate(
        archive.files.with_copies().select_related("duplicate_of__archive"),
        request.GET.get("files"),
        ("path",),
        size=size_of(request.GET, "files", _FILES),
        rising=True,
    )
    for file in files:
        file.address = file_address(archive.pk, file.path)
    doubles = {file.duplicate_of.archive for file in files if file.duplicate_of}
    doubled = sum(file.duplicate_of_id is not None for file in files)
    if files_further or request.GET.get("files"):
        copies = File.objects.filter(archive=archive, duplicate_of__isnull=False).order_by()[: _COUNTED + 1]
        doubled = copies.count()
        doubles = set(Archive.objects.filter(pk__in=copies.values("duplicate_of__archive"))[:_FILES]) if doubled else set()
    originals = [o for o in doubles if access.may_compare(request.user, o)]
    archive_profile = archive_rows.read_profile(archive)
    rows, further = review.read_configuration_page(
        archive, request.GET.get("configurations"), size_of(request.GET, "configurations", _CONFIGURATIONS)
    )
    listed = configuration_list.lay_out([row.configuration for row in rows])
    configurations = list(zip(listed.rows, rows, strict=True))
    if not further and not request.GET.get("configurations"):
        configurations.sort(key=lambda pair: sort_key(pair[0].configuration, listed.differing))
    may_look = access.may(request.user, archive, "look")
    (withdrawals, withdrawals_further), (history, history_further) = list_withdrawals(
        archive, request.GET.get("withdrawn"), request.GET.get("restored"), may_look
    )
    curves, most = series.of_archive(archive.pk), size_of(request.GET, "series", _SERIES)
    shown = curves_page.list_series(curves[:most])
    return {
        "series": shown,
        "asks_series": most == _SERIES,
        "more_series": curves.count() - len(shown) if len(shown) == most else 0,
        "uncounted": archive.measurements - archive.counted,
        "licence_address": licence_address(archive.licence),
        "bad_input": list_bad_input(archive, archive_profile.notes),
        "complete": review.archive_completeness(archive_profile),
        "configurations_further": further,
        "withdrawals": withdrawals,
        "withdrawals_further": withdrawals_further,
        "history": history,
        "history_further": history_further,
        "columns": listed.columns,
        "alike": listed.alike,
        "studies": list_studies_beside(archive) if archive.measurements else [],
        "files": files,
        "files_further": files_further,
        "kinds": group_notes(archive, archive_profile.notes),
        "configurations": configurations,
        "originals": sorted(originals, key=lambda o: o.pk),
        "doubled": min(doubled, _COUNTED),
        "more_doubled": doubled > _COUNTED,
    }


def list_studies_beside(archive: Archive) -> list[Archive]:
    """The first accepted archive of each shipped study beside which this one can be drawn. One query."""
    found = {first.study: first for first in read_accepted_firsts(shipped_studies())}
    return [found[name] for name in shipped_studies() if name in found and name != archive.study]


def group_notes(archive: Archive, counts: Mapping[str, int]) -> list[dict]:
    """Warnings by code, first what can be taken, then the most frequent: explanation, count and first lines. One query."""
    first: dict[str, list[Note]] = {
        code: [] for code in sorted(counts, key=lambda code: (code not in takes.BUTTONS, -counts[code], code))
    }
    for note in Note.objects.first_of_each(archive, counts, _SHOWN) if counts else ():
        first[note.code].append(add_note_address(archive, note))
    kinds = []
    for code, notes in first.items():
        what, may_mean, to_do = CODES.get(code, (code, "", ""))
        kinds.append(
            {
                "code": code,
                "n": counts[code],
                "what": what,
                "may_mean": may_mean,
                "to_do": to_do,
                "notes": notes,
                "left": counts[code] - len(notes),
            }
        )
    return kinds


def list_bad_input(archive: Archive, counts: Mapping[str, int]) -> list[Note]:
    """The first warnings that say what is wrong with a file as a whole or, in an archive without results, what can be taken. No
    query where there is none.
    """
    codes = BAD_INPUT if archive.measurements else (*BAD_INPUT, *takes.BUTTONS)
    if not any(counts.get(code) for code in codes):
        return []
    notes = archive.notes.filter(code__in=codes).order_by("id")[:_BAD_INPUT]
    return [add_note_address(archive, note) for note in notes]


def add_note_address(archive: Archive, note: Note) -> Note:
    """Set `note.address`: its line in the raw view, '' without a file; `note.take`: the words of its button, or ''."""
    note.take, note.asks = takes.BUTTONS.get(note.code, ""), note.code == HANDMADE
    note.address = line_address(archive.pk, note.path, note.line) if note.file_id else ""
    return note


def list_withdrawals(
    archive: Archive, after: str | None, after_undone: str | None, may_look: bool
) -> list[tuple[list, str | None]]:
    """A page of active withdrawals of files and values, oldest first, each with `address` of its line; and one of undone ones,
    newest first, for who `may_look`. One query."""
    holding = archive.withdrawals.active().exclude(what=Withdrawal.What.ARCHIVE)
    undone = archive.withdrawals.filter(restored_at__isnull=False) if may_look else archive.withdrawals.none()
    pages = paginate_both((holding, after, ("id",)), (undone, after_undone, ("-restored_at", "-id")), _WITHDRAWN)
    for row in pages[0][0]:
        row.address = line_address(archive.pk, row.path, row.line)
    return pages


def sort_key(configuration: Configuration, differing: Sequence[keys.Key]) -> list[tuple]:
    """Sorts configurations as the axes of figures sort the values of these keys: off before lz4, gzip-2 before gzip-10."""
    values = [(DIMENSIONS.get(key.query or ""), configuration.known.get(key.name)) for key in differing]
    return [value_sort_key(dimension, UNKNOWN if value is None else str(value)) for dimension, value in values]


@require_safe
def readings(request, pk):
    """What each later reading of the archive changed, the newest first."""
    archive = get_readable_archive(request, pk)
    rows, further = paginate(Rereading.objects.filter(archive=archive), request.GET.get("before"), ("id",), size=_READINGS)
    return render(request, "archives/readings.html", {"archive": archive, "readings": rows, "further": further})


@require_safe
def notes(request, pk, code):
    """The warnings of one code."""
    archive = get_readable_archive(request, pk)
    if code not in CODES:
        raise Http404("No such kind of warning.")
    rows, further = paginate(archive.notes.filter(code=code), request.GET.get("after"), ("id",), size=200, rising=True)
    what, may_mean, to_do = CODES[code]
    return render(
        request,
        "archives/notes.html",
        {
            "archive": archive,
            "code": code,
            "what": what,
            "may_mean": may_mean,
            "to_do": to_do,
            "notes": [add_note_address(archive, note) for note in rows],
            "own": access.owns(request.user, archive),
            "busy": archive.state in _BUSY,
            "further": further,
        },
    )


def get_readable_archive(request, pk) -> Archive:
    """An archive whose contents the reader may see (own, or public and not withdrawn; any for staff). Raises Http404."""
    archive = get_object_or_404(access.visible_archives(request.user), pk=pk)
    if not access.may_read(request.user, archive):
        raise Http404("This archive was withdrawn.")
    archive.others = access.is_shown_as_staff(request.user, archive)
    return archive


def get_archive_file(archive, path: str | None, name: str) -> File:
    """The file with the path, or with the name (digest of its path) used in addresses. Raises Http404."""
    files = archive.files.with_copies()
    some = files.filter(path=path) if path is not None else files.named(name)
    file = next(iter(some[:1]), None)  # not first(): ordering by id would read all files
    if file is None:
        raise Http404("This archive has no such file.")
    return file


@contextmanager
def get_bytes(archive: Archive) -> Iterator[Path]:
    """A file with the stored bytes, until the context ends. Raises Http404 where they are missing or not those of their digest."""
    try:
        with blobs.local_path(archive.sha256) as path:
            yield path
    except MissingBytes:
        raise Http404("The files of this archive are missing from this site's storage.") from None
    except DamagedBytes:
        raise Http404("The files of this archive are damaged in this site's storage, so they are not shown.") from None


# Download of the uploaded bytes under their original name.


@require_safe
@csp({"default-src": [NONE], "sandbox": True})  # type: ignore[arg-type]  # views with arguments too
def download(request, pk) -> HttpResponseBase:
    """Always an attachment of type octet-stream, so that uploads are never rendered as pages of this site. Where a block of 1 MiB
    is not what was uploaded, the answer ends before it, short of its length."""
    archive = get_readable_archive(request, pk)
    etag = f'"{archive.sha256}"'
    with get_bytes(archive) as path:
        size = path.stat().st_size
        part = find_range(request, size, etag)
        if part is not None and not part:
            return refuse_range(size)
        sent = range(size) if part is None else part
        blocks = blobs.checked_blocks(archive.sha256, path)(sent)
    response = StreamingHttpResponse(blocks, status=200 if part is None else 206, content_type="application/octet-stream")
    response["Content-Disposition"] = content_disposition_header(True, archive.name)
    response["Content-Length"] = len(sent)
    response["ETag"], response["Accept-Ranges"] = etag, "bytes"
    if part is not None:
        response["Content-Range"] = name_range(part, size)
    return response
