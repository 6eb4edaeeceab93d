"""A permalink: the page draws the frozen record and tells what has changed since; its data never change."""

from __future__ import annotations

from functools import wraps

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from webapp.accounts import access
from webapp.formats import signposting
from webapp.http import isolation
from webapp.http.page_cache import conditional
from webapp.http.pagination import paginate_rows
from webapp.models import Permalink, Rendering
from webapp.permalinks import changes, dois, ids, plate
from webapp.permalinks.bundles import permalink_bundle
from webapp.permalinks.citation import cite_permalink

_DIFFERENCES = 200
"""Values whose difference one page shows side by side."""


@require_safe
@conditional
def permalink(request, name):
    frozen = Permalink.objects.filter(pk=name).first()
    if frozen is None:
        return missing_response(request, name)
    told = plate.parse_record(frozen.record)
    changed = isolation.run_isolated(
        "changes", name, lambda: changes.find_changes(told), lambda: changes.Changes([], set(), len(told["values"]))
    )
    differences, further = paginate_rows(changed.values, request.GET.get("differences"), lambda one: (one.number,), _DIFFERENCES)
    address = request.build_absolute_uri(request.path)
    cited = cite_permalink(told, frozen.digest, address, dois.read_doi(frozen.pk))
    drawings = isolation.run_isolated("drawings", name, lambda: plate.draw_record(told, changed.linked), lambda: None)
    page = {
        "frozen": frozen,
        "told": told,
        "drawings": drawings or [],
        "note": isolation.FAILURE_NOTE if drawings is None else "",
        "changed": changed,
        "differences": differences,
        "differences_further": further,
        "differences_after": "differences" in request.GET,
        "comparison": {"selection": told["method"]},
        "address": address,
        "cited": cited,
        "path": request.path,
        "own": access.owns(request.user, frozen),
    }
    answer = render(request, "permalink/permalink.html", page)
    answer.headers["Link"] = cited.links
    return answer


def missing_response(request, name, noun: str = "permalink"):
    """404 that tells a mistyped name from one that was never given."""
    page = {"name": name, "mistyped": not ids.is_valid_name(name), "noun": noun}
    return render(request, "permalink/missing.html", page, status=404)


def immutable(view, model=Permalink, place: str = "/p/", noun: str = "permalink"):
    """The bytes of what is frozen never change; that it does not exist may. The view gets the frozen row for its name."""
    cached = cache_control(public=True, max_age=365 * 24 * 3600, immutable=True)(view)

    @require_safe
    @wraps(view)
    def page(request, name, **rest):
        frozen = model.objects.filter(pk=name).first()
        if frozen is None:
            return missing_response(request, name, noun)
        answer = cached(request, frozen, **rest)
        answer.headers["Link"] = signposting.item_links(request.build_absolute_uri(place + name))
        return answer

    return page


@immutable
def as_json(request, frozen):
    """Exactly the frozen bytes."""
    return record_response(frozen)


@immutable
def as_csv(request, frozen):
    """Every frozen repetition a row."""
    return file_response(permalink_bundle.get_data_csv(frozen), f"poolmark-{frozen.pk}.csv")


def file_response(file: Rendering, filename: str = "", attached: bool = False) -> HttpResponse:
    """A kept file as it is; `filename` for whoever saves it."""
    place = f'{"attachment" if attached else "inline"}; filename="{filename or file.name}"'
    return HttpResponse(
        bytes(file.data), content_type=file.media_type, headers={"ETag": f'"{file.sha256}"', "Content-Disposition": place}
    )


def record_response(frozen) -> HttpResponse:
    """The frozen bytes themselves."""
    return HttpResponse(bytes(frozen.record), content_type="application/json", headers={"ETag": f'"{frozen.digest}"'})
