"""Archives: the list of those that the reader sees, and one of them."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from django.http import Http404, HttpRequest
from django.urls import reverse
from ninja import Router, Schema

from webapp.accounts import access
from webapp.api.cursors import SIZE, Cursor, Limit, list_page
from webapp.http.problems import Problem
from webapp.models import Archive

router = Router()
STATES = {"received": "queued", "reading": "reading", "read": "read", "failed": "failed"}


class ArchiveProgress(Schema):
    files_total: int
    files_done: int


class ArchiveCounts(Schema):
    measurements: int
    unmeasured: int
    warnings: int
    configurations: int
    hosts: int


class ArchiveRecord(Schema):
    id: int
    url: str
    state: Literal["queued", "reading", "read", "failed"]
    failure: str | None
    title: str
    name: str
    description: str
    visibility: Literal["public", "private", "withdrawn"]
    sha256: str
    size: int
    uploaded: datetime
    accepted: datetime | None
    labels: dict[str, str]
    progress: ArchiveProgress
    counts: ArchiveCounts


class ArchiveList(Schema):
    items: list[ArchiveRecord]
    next: str | None


def archive_record(request: HttpRequest, archive: Archive) -> dict[str, Any]:
    """An archive as every answer of the API has it."""
    return {
        "id": archive.pk,
        "url": request.build_absolute_uri(reverse("archive", args=[archive.pk])),
        "state": STATES[archive.state],
        "failure": archive.failure or None,
        "title": str(archive),
        "name": archive.name,
        "description": archive.description,
        "visibility": "withdrawn" if archive.is_withdrawn else "public" if archive.is_public else "private",
        "sha256": archive.sha256,
        "size": archive.size,
        "uploaded": archive.uploaded_at,
        "accepted": archive.accepted_at if archive.is_public else None,
        "labels": archive.labels,
        "progress": {"files_total": archive.files_total, "files_done": archive.files_done},
        "counts": {
            "measurements": archive.measurements,
            "unmeasured": archive.unmeasured,
            "warnings": archive.warnings,
            "configurations": archive.configurations,
            "hosts": archive.hosts,
        },
    }


def find_archive(request: HttpRequest, pk: int) -> Archive:
    """An archive whose contents the reader may see. Http404 for others, problem 410 for withdrawn ones."""
    archive = access.visible_archives(request.user).filter(pk=pk).first() if pk < 2**63 else None
    if archive is None:
        raise Http404
    if not access.may_read(request.user, archive):
        raise Problem(410, f"This archive was withdrawn: {archive.withdrawn_reason or 'no reason was given'}.")
    return archive


@router.get("", response=ArchiveList, summary="Archives, the newest first")
def list_archives(request: HttpRequest, mine: bool = False, cursor: str | None = Cursor, limit: int = Limit):
    """The public archives that were read, and the reader's own; with `mine` the latter alone."""
    everybodys, *own = Archive.objects.listed_for(request.user)
    queries = own if mine else [everybodys.public(), *own]
    if not queries:
        raise Problem(401)
    return list_page(request, queries, ("uploaded_at", "id"), lambda row: archive_record(request, row), (cursor, limit or SIZE))


@router.get("/{int:pk}", response={200: ArchiveRecord}, summary="One archive, with its state")
def show_archive(request: HttpRequest, pk: int):
    """`state` is `queued`, `reading`, `read` or `failed`; while it is read, `progress` says how far."""
    return archive_record(request, find_archive(request, pk))
