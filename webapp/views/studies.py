"""Published studies with their comparisons: the list, and the page of a study."""

from __future__ import annotations

from django.http import Http404
from django.shortcuts import render
from django.views.decorators.http import require_safe

from webapp.http.page_cache import conditional
from webapp.http.pagination import decode_page_token, encode_page_token, paginate
from webapp.studies import page, queries, registry

_SHOWN = 50
_ARCHIVES = 20  # of a study, on one page


@require_safe
@conditional
def studies(request):
    """Every study with its first public archive; the shipped ones first, in their order, before the first page of others."""
    mark = decode_page_token(request.GET.get("after"), 1)
    others = queries.read_archives_after(
        mark[0] if mark and isinstance(mark[0], str) else "", registry.shipped_studies(), _SHOWN + 1
    )
    further = encode_page_token([others[_SHOWN - 1].study]) if len(others) > _SHOWN else None
    firsts = {} if mark else queries.read_first_archives(registry.shipped_studies())
    rows = [firsts[name] for name in registry.shipped_studies() if name in firsts] + others[:_SHOWN]
    shown = [(row, registry.find_study(row.study)) for row in rows]
    pictures = page.list_pictures([one for row, one in shown if row.measurements])
    return render(
        request,
        "studies/studies.html",
        {
            "rows": [{"study": one, "archive": row, "picture": pictures.get(row.study)} for row, one in shown],
            "further": further,
            "across": page.list_frozen_across() if firsts else [],
            "image": page.study_picture(registry.find_study(rows[0].study)) if rows else "",
        },
    )


@require_safe
@conditional
def study(request, name):
    """A study: title, authors, caveat, comparisons; and for a page of its archives, measured systems, doubts and gaps."""
    first = queries.read_first_archives([name]).get(name)
    if first is None:
        raise Http404("There is no published study of this name.")
    after = request.GET.get("after")
    archives, further = paginate(queries.public_archives_of(name), after, ("id",), _ARCHIVES, rising=True)
    about, ids = registry.find_study(name), [archive.pk for archive in archives]
    without, without_further = page.read_without_results(ids, request.GET.get("without"))
    measured, more = page.read_measured_systems(ids)
    doubts, doubts_further = page.read_doubts(ids, request.GET.get("doubts"))
    return render(
        request,
        "studies/study.html",
        {
            "study": about,
            "archives": archives,
            "first": first,
            "plates": page.make_gallery(about),
            "further": further,
            "after": after if archives and archives[0].pk != first.pk else None,
            "measured": measured,
            "measured_more": more,
            "most_measured": page.MAX_MEASURED,
            "without": without,
            "without_further": without_further,
            "doubts": doubts,
            "doubts_further": doubts_further,
            "about": about.abstract or first.description,
            "image": page.study_picture(about),
            "json_ld": page.study_json_ld(about, first, archives, measured, request.build_absolute_uri),
        },
    )
