"""A permalink: the page draws the frozen record and tells what has changed since; its data never change."""
from __future__ import annotations

from functools import wraps

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from webapp import ids, permalinks, presenting
from webapp.conditional import conditional
from webapp.formats import tables
from webapp.models import Permalink


@require_safe
@conditional
def permalink(request, name):
    frozen = Permalink.objects.filter(pk=name).first()
    if frozen is None:
        return _missing(request, name)
    changed, linked = permalinks.changes(permalinks.thaw(frozen.record)[0])
    told, comparison = permalinks.thaw(frozen.record, linked)
    return render(request, "permalink/permalink.html", {
        "frozen": frozen, "told": told, "comparison": comparison, "drawings": presenting.drawings(comparison),
        "counted": presenting.counted(comparison.runs, comparison.configurations), "changed": changed,
        "address": request.build_absolute_uri(request.path)})


def _missing(request, name):
    """404 that tells a mistyped name from one that was never given."""
    return render(request, "permalink/missing.html", {"name": name, "mistyped": not ids.is_good(name)}, status=404)


def _immutable(view):
    """The bytes of a permalink never change; that it does not exist may."""
    cached = cache_control(public=True, max_age=365 * 24 * 3600, immutable=True)(view)

    @require_safe
    @wraps(view)
    def page(request, name):
        frozen = Permalink.objects.filter(pk=name).first()
        return _missing(request, name) if frozen is None else cached(request, frozen)

    return page


@_immutable
def as_json(request, frozen):
    """Exactly the frozen bytes."""
    return _file(bytes(frozen.record), "application/json", frozen)


@_immutable
def as_csv(request, frozen):
    """Every frozen repetition a row."""
    rows = tables.to_csv(permalinks.thaw(frozen.record)[1].groups)
    return _file(rows.encode(), "text/csv; charset=utf-8", frozen)


def _file(data: bytes, kind: str, frozen: Permalink) -> HttpResponse:
    return HttpResponse(data, content_type=kind, headers={"ETag": f'"{frozen.digest}"'})
