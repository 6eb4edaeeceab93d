"""The raw view: the lines of a file as uploaded, with what was taken from each of them in the margin."""
from __future__ import annotations

from django.db import connection
from django.http import Http404
from django.shortcuts import render
from django.views.decorators.http import require_safe

from webapp.conditional import conditional
from webapp.models import Measurement, Note
from webapp.rawtext import PAGE, is_binary, line_address, read_lines
from webapp.views.archives import blob_of, readable
from webapp.views.withdrawing import mark

_SHOWN = 5000  # values of a spreadsheet
_WIDE = 100  # characters; what was taken from a wider line stands under it, where it can be seen


@require_safe
@conditional
def raw(request, pk, path):
    """Lines from `?from=LINE` on; every line has its anchor `#L12`. Of a spreadsheet: its cells that were read."""
    archive = readable(request, pk)
    file = next(iter(archive.files.filter(path=path)[:1]), None)  # not first(): in the order of ids it would read all files
    if file is None:
        raise Http404("This archive has no such file.")
    blob_of(archive)
    facts = {"archive": archive, "file": file, "original": _original(request, file),
             "own": archive.owner_id == request.user.pk,
             "withdrawn": archive.withdrawals.holding().filter(what="file", path=path).first() if file.withdrawn else None}
    if is_binary(archive, file):
        return render(request, "archives/cells.html", facts | {
            "cells": values_of(file, None, None), "notes": file.notes.order_by("id")[:_SHOWN]})
    lines = read_lines(archive, file, _number(request.GET.get("from")))
    return render(request, "archives/raw.html", facts | _margin(archive, file, lines))


def _number(text: str | None) -> int:
    return int(text) if text and text.isdecimal() and len(text) < 12 else 1


def _original(request, file):
    original = file.duplicate_of
    if original is None:
        return None
    archive = original.archive
    return original if archive.is_public or archive.owner_id == request.user.pk else None


def _margin(archive, file, lines) -> dict:
    values: dict[int, list] = {}
    for value in values_of(file, lines.first, lines.last):
        values.setdefault(int(value.line), []).append(value)
    notes: dict[int, list] = {}
    for note in _notes_between(file, lines.first, lines.last):
        notes.setdefault(int(note.line), []).append(note)
    numbered = [
        {"number": number, "text": text, "values": values.get(number, ()), "notes": notes.get(number, ()),
         "long": len(text) > _WIDE}
        for number, text in enumerate(lines.text, lines.first)
    ]
    before, after = lines.first - PAGE, lines.last + 1
    return {
        "lines": numbered, "first": lines.first, "last": lines.last, "total": lines.total, "page": PAGE,
        "previous": line_address(archive.pk, file.path, max(1, before)) if lines.first > 1 else "",
        "next": line_address(archive.pk, file.path, after) if lines.last < lines.total else "",
    }


def values_of(file, first: int | None, last: int | None) -> list[Measurement]:
    """The file's measurements with metric and run, those of the given lines only (None: the first few thousand)."""
    query = Measurement.objects.of(file).select_related("metric", "run", "workload")
    if first is not None:
        # The ids are the file's own; CASE keeps the cast from the lines that are cells of a sheet.
        query = query.extra(where=["CASE WHEN line ~ '^[0-9]+$' THEN line::bigint BETWEEN %s AND %s ELSE false END"],
                            params=[first, last])
    values = list(query[:_SHOWN])
    mark(values, file.archive, file)
    return values


def _notes_between(file, first: int, last: int) -> list[Note]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT id FROM webapp_note WHERE file_id = %s AND archive_id = %s AND"
            " CASE WHEN line ~ '^[0-9]{1,15}$' THEN line::bigint BETWEEN %s AND %s ELSE false END ORDER BY id",
            [file.pk, file.archive_id, first, last])
        ids = [row[0] for row in cursor.fetchall()]
    return list(Note.objects.filter(pk__in=ids).order_by("id"))
