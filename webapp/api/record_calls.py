"""Records of the contract: what is in an archive, and the measurements that pass the filters of /compare."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from ninja import Router, Schema

from webapp.api.answers import versioned
from webapp.api.archives import find_archive
from webapp.api.cursors import Cursor, Limit, check_cursor, list_page, next_address, no_page
from webapp.api.questions import filters, read_passing
from webapp.comparison.summary.columns import CONFIGURATION_INDEX, METRIC_INDEX, WORKLOAD_INDEX, Columns
from webapp.comparison.summary.row import RowKey
from webapp.formats.curve_tables import series_members
from webapp.formats.export import RecordText, read_archive_records, read_blocks, read_records, read_unmeasured_records
from webapp.http.data_version import data_version
from webapp.http.page_cache import VersionedRequest
from webapp.http.pagination import decode_page_token, encode_page_token, paginate
from webapp.http.process_cache import MB, ProcessCache, estimate_bytes
from webapp.models import File, Note, Run, UnmeasuredValue
from webapp.storage import series

router = Router()
_SERIES = 20
_blocks = ProcessCache(4 * MB, estimate_bytes)


class Listed(Schema):
    """A page of records as the contract has them, each with its ids."""

    items: list[dict[str, Any]]
    next: str | None


@router.get("archives/{int:pk}/files", response=Listed, tags=["archives"], summary="The files of an archive")
def files(request: HttpRequest, pk: int, cursor: str | None = Cursor, limit: int = Limit):
    """Each with its SHA-256, which parser read it, and its status: `parsed`, `partial`, `context`, `unrecognised`, `failed`."""
    rows = find_archive(request, pk).files.select_related("duplicate_of")
    return list_page(request, rows, ("path",), _file, (cursor, limit), rising=True)


def _file(file: File) -> dict[str, Any]:
    return {
        "type": "file",
        "file": file.path,
        "sha256": file.sha256,
        "size": file.size,
        "format": file.format or None,
        "parser": file.parser or None,
        "parser_version": file.parser_version,
        "measurements": file.measurements,
        "warnings": file.warnings,
        "status": file.status,
        "withdrawn": file.withdrawn,
        "counts_in": file.duplicate_of.archive_id if file.duplicate_of else None,
    }


@router.get("archives/{int:pk}/warnings", response=Listed, tags=["archives"], summary="What was not read, or read with doubt")
def warnings(request: HttpRequest, pk: int, cursor: str | None = Cursor, limit: int = Limit):
    """Each with file, line, code and a sentence."""
    return list_page(request, find_archive(request, pk).notes.all(), ("id",), _warning, (cursor, limit), rising=True)


def _warning(note: Note) -> dict[str, Any]:
    line = int(note.line) if note.line.isdecimal() else note.line or None
    return {"type": "warning", "file": note.path or None, "line": line, "code": note.code, "message": note.message}


@router.get("archives/{int:pk}/measurements", response=Listed, tags=["archives"], summary="The measurements of an archive")
def archive_measurements(request: HttpRequest, pk: int, cursor: str | None = Cursor, limit: int = Limit):
    """Records of the contract, without withdrawn ones, with `session` and `block` as comparisons use them;
    `counted` is false for those that count elsewhere."""
    archive = find_archive(request, pk)
    found = read_archive_records(pk, archive.rank_values > 0, _number(cursor), limit + 1)
    return _records(request, found, limit, found[limit - 1].id if len(found) > limit else None)


def _number(cursor: str | None) -> int:
    """The id after which a list goes on."""
    check_cursor(cursor, 1)
    [number] = decode_page_token(cursor, 1) or [0]
    if not isinstance(number, int):
        raise no_page()
    return number


@router.get("archives/{int:pk}/unmeasured", response=Listed, tags=["archives"], summary="What could not be measured in an archive")
def unmeasured(request: HttpRequest, pk: int, cursor: str | None = Cursor, limit: int = Limit):
    """Records of the contract, each with its reason and bound."""
    archive = find_archive(request, pk)
    rows = UnmeasuredValue.objects.filter(archive=archive, file__withdrawn=False)
    check_cursor(cursor, 1)
    shown, further = paginate(rows, cursor, ("id",), size=limit, rising=True)
    texts = read_unmeasured_records([row.pk for row in shown])
    places = _find_places({row.run_id for row in shown})
    joined = [_with({"id": row.pk, **places[row.run_id]}, text) for row, text in zip(shown, texts, strict=True)]
    return _page(request, joined, further)


@router.get("archives/{int:pk}/series", response=Listed, tags=["archives"], summary="Numbers over time in an archive")
@versioned
def archive_series(request: VersionedRequest, pk: int, cursor: str | None = Cursor, limit: int = Limit):
    """Each with all its points: `t` in seconds, `v`, `lines`. At most 20 a page."""
    rows = series.of_archive(find_archive(request, pk).pk)
    check_cursor(cursor, 1)
    shown, further = paginate(rows, cursor, ("id",), size=min(limit, _SERIES), rising=True)

    def stream() -> Iterator[str]:
        yield '{"items": ['
        for at, row in enumerate(shown):
            yield f'{", " if at else ""}{{"id": {row.pk}, "archive": {pk}, '
            yield from series_members(row)
        yield f'], "next": {json.dumps(next_address(request, further))}}}'

    return StreamingHttpResponse(stream(), content_type="application/json")


@router.get("measurements", response=Listed, tags=["records"], summary="Measurements that pass filters", openapi_extra=filters())
@versioned
def measurements(request: VersionedRequest, cursor: str | None = Cursor, limit: int = Limit):
    """The values that comparisons count: of public archives and the reader's own, by metric, configuration and workload."""
    source, passing = read_passing(request)
    check_cursor(cursor, 4)
    at = decode_page_token(cursor, 4) or ["", 0, 0, 0]
    if [type(part) for part in at] != [str, int, int, int]:
        raise no_page()
    filled = source.with_every_value(source.fill_values(_take_from(passing, tuple(at[:3]), limit).rows))
    found = [(*row.key, pk) for row in sorted(filled, key=lambda row: row.key) for pk in sorted(row.ids)]
    shown = [one for one in found if one > tuple(at)][: limit + 1]
    records = {one.id: one for one in read_records([pk for *_, pk in shown[:limit]])}
    texts = [records[pk] for *_, pk in shown[:limit] if pk in records]
    return _records(request, texts, limit, shown[limit - 1] if len(shown) > limit else None)


def _take_from(rows: Columns, key: RowKey, values: int) -> Columns:
    """The first rows in the order of their keys that have more than so many values, from a key on, whose values may be too few."""
    names = sorted(rows.dimensions.metrics)
    ranks = np.array([names.index(name) for name in rows.dimensions.metrics], np.intp)[rows.indices[METRIC_INDEX]]
    keys = ranks, rows.ids(CONFIGURATION_INDEX), rows.ids(WORKLOAD_INDEX)
    order = rows.cached("order of keys", lambda: np.lexsort(keys[::-1]))
    is_later = np.zeros(len(rows), bool)
    for column, first in reversed(list(zip(keys, (bisect_left(names, key[0]), *key[1:]), strict=True))):
        is_later = (column > first) | (column == first) & is_later
    if key[0] in names:
        is_later |= (keys[0] == names.index(key[0])) & (keys[1] == key[1]) & (keys[2] == key[2])
    following = order[is_later[order]]
    totals = np.cumsum(rows.n[following[1:]])
    taken = np.zeros(len(rows), bool)
    taken[following[: 2 + int(np.searchsorted(totals, values, "right"))]] = True
    return rows.take(taken)


def _records(request: HttpRequest, found: Sequence[RecordText], limit: int, last: tuple | int | None) -> HttpResponse:
    """A page of measurements with their ids. `last`: what the next page begins after."""
    shown = found[:limit]
    places = _find_places({one.run for one in shown})
    texts = [
        _with(
            {"id": one.id, **places[one.run], "configuration": one.configuration, "workload": one.workload, "counted": one.counted},
            one.text,
        )
        for one in shown
    ]
    token = None if last is None else encode_page_token(list(last) if isinstance(last, tuple) else [last])
    return _page(request, texts, token)


def _find_places(runs: Iterable[int]) -> dict[int, dict[str, Any]]:
    """Archive, run, session and block of each run: sessions have ids, of archives read before these were known minus that of the
    archive. At most five queries."""
    rows = Run.objects.filter(pk__in=runs).values_list("pk", "archive_id", "session_id")
    blocks = read_kept_blocks({archive for _, archive, _ in rows})
    return {
        pk: {"archive": archive, "run": pk, "session": session or -archive, "block": blocks[archive].get(pk)}
        for pk, archive, session in rows
    }


def read_kept_blocks(archives: Iterable[int]) -> dict[int, dict[int, str]]:
    """As `read_blocks`, kept until something is changed: pages of one archive share them."""
    version, wanted = data_version(), list(archives)
    found = {archive: kept for archive in wanted if (kept := _blocks.get((version, archive))) is not None}
    if missing := [archive for archive in wanted if archive not in found]:
        read = read_blocks(missing)
        found |= {archive: _blocks.put((version, archive), read.get(archive, {})) for archive in missing}
    return found


def _with(ids: dict[str, Any], text: str) -> str:
    """The JSON object with these members before its own."""
    return f"{json.dumps(ids)[:-1]}, {text[1:]}"


def _page(request: HttpRequest, texts: Sequence[str], further: str | None) -> HttpResponse:
    body = f'{{"items": [{", ".join(texts)}], "next": {json.dumps(next_address(request, further))}}}'
    return HttpResponse(body, content_type="application/json")
