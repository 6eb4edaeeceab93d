"""The raw view: the lines of an uploaded file with the values, missing values and warnings of each line."""

from __future__ import annotations

from django.shortcuts import render
from django.views.decorators.http import require_safe

from webapp.accounts import access
from webapp.files import swhids
from webapp.files.addresses import LINES_PER_PAGE, WITHDRAW, add_query, file_address, line_address
from webapp.files.raw_lines import is_binary, read_lines
from webapp.http.page_cache import conditional
from webapp.http.pagination import paginate
from webapp.models import Measurement, Note, UnmeasuredValue
from webapp.models.archive import NOTE_LINE
from webapp.pages import curves_page
from webapp.permalinks.frozen_addresses import find_origin
from webapp.storage import series
from webapp.systems.disagreements import read_disagreements_of_file
from webapp.views.archives.archive_page import get_archive_file, get_bytes, get_readable_archive
from webapp.views.archives.withdrawal_form import mark_withdrawn

_CELLS, _NOTES = 1000, 100  # values and warnings of a spreadsheet on one page
_SHOWN = 5000  # values, and warnings, of a page of lines
_DISAGREEMENTS = 20  # listed above the lines
_WIDE = 100  # characters; values of a longer line are shown below it
_SCROLLED = 130  # characters; beside a longer line of the page a margin would stand outside of the window


@require_safe
@conditional
def raw(request, pk, path=None):
    """Lines from `?from=LINE` on, each with an anchor `#L12`; of a spreadsheet, the cells with values.

    Without a path, `?name=` identifies the file, see `webapp.files.addresses`.
    """
    archive = get_readable_archive(request, pk)
    file = get_archive_file(archive, path, request.GET.get("name", ""))
    with get_bytes(archive):
        return _page(request, archive, file)


def _page(request, archive, file):
    path = file.path
    original = _original(request, file)
    facts = {
        "archive": archive,
        "file": file,
        "original": original,
        "copy_address": file_address(archive.pk, file.copy_of) if file.copy_of else "",
        "own": access.owns(request.user, archive),
        "swhid": _swhid(request, archive, file),
        "here": add_query(file_address(archive.pk, path), ""),
        "original_address": file_address(original.archive_id, original.path) if original else "",
        "withdraw_address": file_address(archive.pk, path, WITHDRAW),
        "withdrawn": archive.withdrawals.active().filter(what="file", path=path).first() if file.withdrawn else None,
        **_series_context(archive, file),
        "disagreements": read_disagreements_of_file(file, _DISAGREEMENTS),
    }
    if is_binary(archive, file):
        return render(
            request, "archives/cells.html", facts | _cell_context(file, request.GET.get("after"), request.GET.get("notes"))
        )
    lines = read_lines(archive, file, _number(request.GET.get("from")))
    return render(request, "archives/raw.html", facts | _line_context(archive, file, lines, request.GET))


def _series_context(archive, file) -> dict:
    """Template context of the numbers over time that were read from the file."""
    rows = list(series.of_archive(archive.pk).filter(file=file)[: curves_page.SHOWN + 1])
    return {"series": curves_page.list_series(rows[: curves_page.SHOWN]), "more_series": max(0, len(rows) - curves_page.SHOWN)}


def _swhid(request, archive, file) -> str:
    """The file's SWHID with its archive as origin, '' where the bytes are lost."""
    core = swhids.content_ids(archive, [file]).get(file.path)
    return swhids.qualified(core, f"{find_origin(request).site}/archives/{archive.pk}") if core else ""


def _number(text: str | None) -> int:
    return int(text) if text and text.isdecimal() and len(text) < 12 else 1


def _original(request, file):
    original = file.duplicate_of
    if original is None:
        return None
    return original if access.may_compare(request.user, original.archive) else None


def _cell_context(file, after: str | None, notes_after: str | None) -> dict:
    """Template context of a spreadsheet: a page of its values and a page of its warnings."""
    values, further = paginate(Measurement.objects.of(file).select_related("metric"), after, ("id",), _CELLS, rising=True)
    mark_withdrawn(values, file.archive, file.path)
    notes, notes_further = paginate(file.notes, notes_after, ("id",), _NOTES, rising=True)
    return {"cells": values, "further": further, "notes": notes, "notes_further": notes_further}


def _line_context(archive, file, lines, query) -> dict:
    """Template context of text lines with values and warnings. `further`, `notes_further`: tokens of the next pages, if any."""
    line_values, further = read_line_values(file, lines.first, lines.last, query.get("after"))
    numbered_notes, notes_further = _notes_between(file, lines.first, lines.last, query.get("notes"))
    values: dict[int, list] = {}
    for value in line_values:
        values.setdefault(int(value.line), []).append(value)
    missing: dict[int, list] = {}
    for unmeasured in _unmeasured_between(archive, file, lines.first, lines.last):
        missing.setdefault(int(unmeasured.line), []).append(unmeasured)
    notes: dict[int, list] = {}
    for line_number, note in numbered_notes:
        notes.setdefault(line_number, []).append(note)
    widest = _WIDE if max(map(len, lines.text), default=0) <= _SCROLLED else 0
    numbered = [
        {
            "number": number,
            "text": text,
            "values": values.get(number, ()),
            "missing": missing.get(number, ()),
            "notes": notes.get(number, ()),
            "long": len(text) > widest,
        }
        for number, text in enumerate(lines.text, lines.first)
    ]
    before, after = lines.first - LINES_PER_PAGE, lines.last + 1
    return {
        "lines": numbered,
        "further": further,
        "notes_further": notes_further,
        "first": lines.first,
        "last": lines.last,
        "total": lines.total,
        "page": LINES_PER_PAGE,
        "previous": line_address(archive.pk, file.path, max(1, before)) if lines.first > 1 else "",
        "next": line_address(archive.pk, file.path, after) if lines.last < lines.total else "",
    }


def read_line_values(file, first: int, last: int, after: str | None = None) -> tuple[list[Measurement], str | None]:
    """The file's measurements on these lines with their metrics, and the token of the next page."""
    query = Measurement.objects.of(file).select_related("metric").on_lines(first, last)
    values, further = paginate(query, after, ("id",), _SHOWN, rising=True)
    mark_withdrawn(values, file.archive, file.path)
    return values, further


def _unmeasured_between(archive, file, first: int, last: int) -> list[UnmeasuredValue]:
    """The first `_SHOWN` values of the file that could not be measured on these lines."""
    if not archive.unmeasured:
        return []
    query = UnmeasuredValue.objects.filter(file=file).select_related("metric").on_lines(first, last)
    return list(query.order_by("id")[:_SHOWN])


def _notes_between(file, first: int, last: int, after: str | None) -> tuple[list[tuple[int, Note]], str | None]:
    """(line number, warning) of these lines, and the token of the next page."""
    query = Note.objects.filter(file=file).annotate(at=NOTE_LINE).filter(at__range=(first, last))
    notes, further = paginate(query, after, ("at", "id"), _SHOWN, rising=True)
    return [(note.at, note) for note in notes], further
