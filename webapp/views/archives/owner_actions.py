"""Actions of owners, staff and curators on an archive: unpublish, withdraw, accept, read again ... POST, with confirmation."""

from __future__ import annotations

from collections.abc import Collection

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from ingest.errors import IngestError
from webapp.accounts import access, audit
from webapp.accounts.blocklist import Blocked
from webapp.archives import exposure, lifecycle
from webapp.files.stores import DamagedBytes, MissingBytes
from webapp.formats.citations.licences import OFFERED, find_licence, licence_address, licence_spdx
from webapp.formatting.numbers import line
from webapp.formatting.visible_text import make_visible
from webapp.jobs.tasks import search_exposure, send_archive
from webapp.models import Archive
from webapp.views.archives.archive_page import describe_missing, get_archive

# Publishing: what becomes public, with its places, and the choice of a licence; POST publishes unless secrets are in it that
# the owner has not confirmed.

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
        return do(request, archive, "publish", licence, request.POST.getlist("anyway"))
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


QUESTIONS = {
    "unpublish": (
        "Make this archive private again?",
        "It leaves the public comparisons and only its owner and staff see it. "
        "Permalinks that were frozen with it stay as they are.",
        "Unpublish",
    ),
    "withdraw": (
        "Withdraw this archive?",
        "Its measurements leave every comparison. Its page stays, with your "
        "reason, so that readers of a citation can see why. You can undo this.",
        "Withdraw",
    ),
    "delete": (
        "Delete this archive?",
        "Its data and its files are deleted. Permalinks that were frozen with it stay as they are. This cannot be undone.",
        "Delete",
    ),
    "unwithdraw": (
        "Undo the withdrawal?",
        "Its measurements enter the comparisons again. That it was withdrawn, and why, stays in its history.",
        "Undo",
    ),
    "reread": (
        "Read this archive again?",
        "The stored files are read again with the current parsers, and the results replace the present ones.",
        "Read again",
    ),
    "accept": (
        "Accept this archive for front pages?",
        "Its values enter the default comparison, presets and the home page. Your name and your reason are shown on its page.",
        "Accept",
    ),
    "revoke-acceptance": (
        "Revoke the acceptance?",
        "Its values leave the default comparison, presets and the home page. It stays public, and in comparisons that select it.",
        "Revoke",
    ),
}
ACTIONS = tuple(QUESTIONS)
_FOR_STAFF = {
    "unpublish": "Its owner can publish it again: withdraw it, or block the upload, to prevent that.",
    "withdraw": "Only staff can undo it. Its owner can delete it and upload it again: block the upload to prevent that.",
    "delete": "Its owner can upload it again: block the upload to prevent that.",
}
"""Additional notes for staff who are not the owner."""
_REASON_HINTS = {
    "accept": "optional, shown on its page and kept in the audit log",
    "revoke-acceptance": "optional, kept in the audit log",
}
"""Actions for which everybody may give a reason; for the others only staff."""
_REASON = 2000  # characters


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def act(request, pk, action):
    """GET: confirmation; POST with `sure`: the action. Re-reading and undoing a withdrawal need no `sure`.

    404 for users without permission.
    """
    archive = get_archive(request, pk, Archive.objects.select_related("owner"))
    if not access.is_role_permitted(request.user, archive, action):
        raise Http404("You have no such archive.")
    reason = request.POST.get("reason", "").replace("\0", "").strip()[:_REASON]
    sure = request.method == "POST" and (action in ("reread", "unwithdraw") or request.POST.get("sure"))
    if not sure or (action == "withdraw" and not reason):
        return _render_confirmation(request, archive, action, "Give a reason, in one sentence." if sure else "")
    if not access.may(request.user, archive, action):
        messages.error(request, "Staff withdrew this archive, and only staff can undo that.")
        return redirect("archive", pk=archive.pk)
    return do(request, archive, action, reason)


def _render_confirmation(request, archive: Archive, action: str, error: str):
    """The page that asks whether to do the action, with `error` above the form; staff get an additional note."""
    question, meaning, button = QUESTIONS[action]
    as_staff = access.is_only_staff(request.user, archive)
    if as_staff and action in _FOR_STAFF:
        meaning = f"{meaning.replace(' You can undo this.', '')} {_FOR_STAFF[action]}"
    return render(
        request,
        "archives/sure.html",
        {
            "archive": archive,
            "action": action,
            "question": question,
            "meaning": meaning,
            "button": button,
            "error": error,
            "reason_hint": _REASON_HINTS.get(action, "optional, kept in the audit log" if as_staff else ""),
        },
    )


def do(request, archive: Archive, action: str, reason: str, confirmed: Collection[str] = ()):
    """Perform the action and redirect, with a message that says what happened, or why nothing did."""
    try:
        done = (
            _reread(archive)
            if action == "reread"
            else lifecycle.perform_action(archive.pk, action, audit.actor_of(request.user), reason, confirmed)
        )
    except Blocked as blocked:
        messages.error(request, str(blocked))
        return redirect("archive", pk=archive.pk)
    except Archive.DoesNotExist as gone:  # deleted by a concurrent request
        raise Http404(describe_missing(request.user, archive.pk) or "This archive was deleted.") from gone
    if action != "delete":
        archive.refresh_from_db()
    if done:
        licence = f" under {line(archive.licence)}" if action == "publish" and archive.licence else ""
        messages.success(request, DONE[action].format(archive=line(archive), licence=licence))
    else:
        messages.info(request, f"Nothing was changed: {_describe_nothing(archive, action)}.")
    if action == "delete":
        return redirect("archives" if access.owns(request.user, archive) else "staff-archives")
    return redirect("archive", pk=archive.pk)


def _describe_nothing(archive: Archive, action: str) -> str:
    """Why an action changed nothing: what another request, or another tab, did before."""
    since = archive.standing_since if action in ("publish", "unpublish", "withdraw") else ""
    return f"it is {since}" if since else NOTHING[action]


def _reread(archive: Archive) -> bool:
    """Mark the archive as received and queue its ingest; without a broker, the reconciler queues it."""
    changed = (
        Archive.objects.filter(pk=archive.pk)
        .exclude(state=Archive.State.READING)
        .update(state=Archive.State.RECEIVED, attempts=0, failure="")
    )
    if changed:
        transaction.on_commit(lambda: send_archive(archive.pk), robust=True)
    return bool(changed)


DONE = {
    "publish": "{archive} is public{licence}.",
    "unpublish": "{archive} is private.",
    "withdraw": "{archive} is withdrawn.",
    "unwithdraw": "{archive} is in comparisons again.",
    "delete": "{archive} is deleted.",
    "reread": "{archive} is being read again.",
    "accept": "{archive} is accepted for front pages.",
    "revoke-acceptance": "{archive} is no longer accepted for front pages.",
}
NOTHING = {
    "publish": "it is already public",
    "unpublish": "it is not public",
    "withdraw": "it is already withdrawn",
    "unwithdraw": "it is not withdrawn",
    "delete": "it is already deleted",
    "reread": "it is being read",
    "accept": "it is already accepted, not public, or not read yet",
    "revoke-acceptance": "it is not accepted",
}
"""Reasons why an action changed nothing."""
