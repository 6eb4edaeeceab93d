"""Publishing: what becomes public, with its places, and the choice of a licence; POST publishes unless
secrets are in it that nobody said to publish."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from ingest.errors import IngestError
from webapp.accounts import access
from webapp.archives import exposure
from webapp.files.stores import DamagedBytes, MissingBytes
from webapp.formats.licences import OFFERED, find_licence, licence_address, licence_spdx
from webapp.formatting.visible_text import make_visible
from webapp.jobs.tasks import search_exposure
from webapp.models import Archive
from webapp.views.archives import owner_actions
from webapp.views.archives.deleted import get_archive

OTHER = "other"
"""Value of the form for a licence that is typed."""
_MAX_NAME = 200  # characters of a typed licence


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def publish(request, pk):
    """GET: what becomes public, and the form; with `?exposure=1` htmx gets only what the search found. POST with a licence
    publishes; 422 with the form without one. 404 for users without permission."""
    archive = get_archive(request, pk, Archive.objects.select_related("owner"))
    if not access.is_role_permitted(request.user, archive, "publish"):
        raise Http404("You have no such archive.")
    if request.method != "POST":
        if request.headers.get("HX-Request") and request.GET.get("exposure"):
            return render(request, "archives/_exposure.html", _found(archive))
        return _page(request, archive)
    licence, error = read_licence(request.POST, archive.licence)
    if not error and archive.read_at and not exposure.is_ready(archive):
        error = "Its files are still being searched for secrets. Publish it when the list is there."
    if error and access.is_publishable(archive):
        return _page(request, archive, error, 422)
    try:
        return owner_actions.do(request, archive, "publish", licence, request.POST.getlist("anyway"))
    except exposure.UnconfirmedSecrets as secrets:
        error = f"{secrets}. Remove them from the files and upload these again, or say of each that it is to be published anyway."
        return _page(request, archive, error, 422)


def read_licence(posted, current: str) -> tuple[str, str]:
    """(the chosen licence as it is stored, '' to keep the current one; what is wrong, or ''). A known name is spelt one way."""
    chosen = posted.get("licence", "").strip()
    name = (
        make_visible(" ".join(posted.get("licence_name", "").replace("\0", "").split()))[:_MAX_NAME] if chosen == OTHER else chosen
    )
    if not name:
        if chosen == OTHER:
            return "", "Type the name of the other licence, or choose one of the list."
        return "", "" if current else "Choose a licence: without one nobody may use the data."
    known = find_licence(name)
    if known is None and chosen != OTHER:
        return "", "Choose one of the licences, or another one by its name."
    if known is not None and known.spdx == licence_spdx(current):
        return "", ""
    return (known.name if known else name), ""


def _page(request, archive: Archive, error: str = "", status: int = 200) -> HttpResponse:
    typed = request.POST if request.method == "POST" else {}
    current = find_licence(archive.licence)
    is_other = bool(archive.licence) and current not in OFFERED
    context = {
        "archive": archive,
        "busy": archive.state in (Archive.State.RECEIVED, Archive.State.READING),
        "ask": reverse("archive-publish", args=[archive.pk]),
        "licences": OFFERED,
        "chosen": typed.get("licence", OTHER if is_other else current.spdx if current else ""),
        "typed": typed.get("licence_name", archive.licence if is_other else ""),
        "licence_address": licence_address(archive.licence),
        "error": error,
        "anyway": request.POST.getlist("anyway"),
        **(_found(archive) if archive.read_at else {}),
    }
    return render(request, "archives/publish.html", context, status=status)


def _found(archive: Archive) -> dict:
    """What a search found; `searching` while the worker searches."""
    try:
        found = exposure.read_exposure(archive)
    except (IngestError, MissingBytes, DamagedBytes):  # this copy does not have the bytes
        hosts = exposure.list_hosts(archive)
        kinds = [hosts] if hosts.values else []
        return {"archive": archive, "missing": True, "kinds": kinds, "paths": exposure.list_paths(archive)}
    if found is None:
        search_exposure.delay(archive.pk)
        return {"archive": archive, "searching": True}
    return {
        "archive": archive,
        "kinds": [kind for kind in (exposure.list_hosts(archive), *exposure.list_kinds(archive, found)) if kind.values],
        "paths": exposure.list_paths(archive),
        "skipped": found.found["skipped"],
        "not_searched": found.found["not_searched"],
    }
