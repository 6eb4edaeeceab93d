"""The public log, and what became of one permalink: as pages and as JSON; and its next version."""

from __future__ import annotations

from urllib.parse import parse_qsl

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_POST, require_safe

from webapp.accounts import access, public_log
from webapp.comparison.selection import parse
from webapp.files import stores
from webapp.http.pagination import paginate
from webapp.jobs.tasks import render_permalink
from webapp.models import Collection, LogEntry, Permalink
from webapp.permalinks import freeze, history, record_figures
from webapp.permalinks.frozen_addresses import find_origin
from webapp.views.permalinks.permalink_page import missing_response
from webapp.views.site import errors

_SHOWN, _LISTED = 50, 1000


@require_safe
@cache_control(no_cache=True)
def log(request):
    """The public log, the latest entry first."""
    entries, further = paginate(LogEntry.objects.all(), request.GET.get("after"), ("number",), _SHOWN)
    titles = _read_titles({entry.subject for entry in entries}, request.user)
    rows = [(entry, titles.get(entry.subject, "")) for entry in entries]
    return render(request, "permalink/log.html", {"entries": rows, "further": further, "head": public_log.read_head()})


def _read_titles(subjects: set[str], user) -> dict[str, str]:
    """The titles of what entries are about, as far as the reader may see it. A query for each kind."""
    sources = {"p/": Permalink.objects, "c/": Collection.objects, "archives/": access.visible_archives(user)}
    titles = dict[str, str]()
    for prefix, source in sources.items():
        keys = [subject.removeprefix(prefix) for subject in subjects if subject.startswith(prefix)]
        found = source.filter(pk__in=keys).only("title", *(["name"] if prefix == "archives/" else [])) if keys else ()
        titles |= {f"{prefix}{one.pk}": str(one) if prefix == "archives/" else one.title for one in found}
    return titles


@require_safe
@cache_control(no_cache=True)
def log_json(request):
    """The entries after number `after`, at most a thousand, in order; and the head."""
    after = request.GET.get("after", "0")
    rows = LogEntry.objects.filter(number__gt=int(after) if after.isdecimal() else 0).order_by("number")[:_LISTED]
    head = public_log.read_head()
    return JsonResponse(
        {"head": history.entry_fields(head) if head else None, "entries": [history.entry_fields(row) for row in rows]},
        json_dumps_params={"ensure_ascii": False, "indent": 1},
    )


@require_safe
@cache_control(no_cache=True)
def page(request, name):
    """The history of a permalink."""
    frozen = Permalink.objects.filter(pk=name).first()
    if frozen is None:
        return missing_response(request, name)
    record = record_figures.parse_record(frozen.record)
    past = history.read_history(frozen, record)
    return render(request, "permalink/history.html", {"frozen": frozen, "told": record, "history": past})


@require_safe
@cache_control(no_cache=True)
def as_json(request, name):
    """The history of a permalink as JSON."""
    frozen = Permalink.objects.filter(pk=name).first()
    if frozen is None:
        return missing_response(request, name)
    text = history.to_json(frozen, history.read_history(frozen, record_figures.parse_record(frozen.record)))
    return HttpResponse(text, content_type="application/json")


@login_required
@require_POST
def again(request, name):
    """Freeze the same selection of today's data as the next version, by the owner of the latest one."""
    frozen = get_object_or_404(Permalink.objects.owned_by(request.user), pk=name)
    record = record_figures.parse_record(frozen.record)
    _, newer = history.read_versions(frozen)
    if newer is not None:
        messages.info(request, "This permalink has a newer version already; this is it.")
        return redirect(newer)
    if record["kind"] != "comparison":
        messages.error(request, "Only comparisons have versions. Freeze the run or the archive from its page.")
        return redirect(frozen)
    draft = freeze.draft_comparison(parse(parse_qsl(record["selection"])), request.user, record["title"], record["authors"])
    if not draft.values or draft.private:
        messages.error(request, "The same selection has no values that are public now. Open it as a live comparison to see why.")
        return redirect(frozen)
    try:
        with transaction.atomic():
            made = freeze.freeze_draft(draft, request.user, find_origin(request), frozen)
            transaction.on_commit(lambda: render_permalink.delay(made.pk), robust=True)
    except stores.NoSpace:
        return errors.disk_full(request)
    if made.pk == frozen.pk or not hasattr(made, "older"):
        messages.info(request, "Nothing has changed since: the same values are frozen already, here.")
    return redirect(reverse("permalink", args=[made.pk]))
