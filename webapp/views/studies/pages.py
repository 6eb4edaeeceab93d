"""Published studies with their comparisons: the list, and each set like an abstract."""

from __future__ import annotations

from django.http import Http404
from django.shortcuts import render
from django.views.decorators.http import require_safe

from webapp.http.page_cache import conditional
from webapp.http.pagination import page_of, read_mark, write_mark
from webapp.studies import page, queries
from webapp.studies import registry as told

_SHOWN = 50
_ARCHIVES = 20  # of a study on one page


@require_safe
@conditional
def studies(request):
    """Every study with its first public archive; the shipped ones first, in their order, before the first page of others."""
    mark = read_mark(request.GET.get("after"), 1)
    others = queries.after(mark[0] if mark and isinstance(mark[0], str) else "", told.shipped(), _SHOWN + 1)
    further = write_mark([others[_SHOWN - 1].study]) if len(others) > _SHOWN else None
    firsts = {} if mark else queries.firsts(told.shipped())
    rows = [firsts[name] for name in told.shipped() if name in firsts] + others[:_SHOWN]
    return render(
        request,
        "studies/studies.html",
        {
            "rows": [{"study": told.about(one.study), "archive": one} for one in rows],
            "further": further,
            "across": page.frozen_across() if firsts else [],
        },
    )


@require_safe
@conditional
def study(request, name):
    """One study: title, people, caveat, its comparisons; and of a page of its archives what was measured on what, doubts, gaps."""
    first = queries.firsts([name]).get(name)
    if first is None:
        raise Http404("There is no published study of this name.")
    after = request.GET.get("after")
    archives, further = page_of(queries.archives_of(name), after, ("id",), _ARCHIVES, rising=True)
    about, ids = told.about(name), [archive.pk for archive in archives]
    without, without_further = page.without_results(ids, request.GET.get("without"))
    measured, more = page.measured(ids)
    doubts, doubts_further = page.doubts(ids, request.GET.get("doubts"))
    return render(
        request,
        "studies/study.html",
        {
            "study": about,
            "archives": archives,
            "first": first,
            "plates": page.plates(about),
            "further": further,
            "after": after if archives and archives[0].pk != first.pk else None,
            "measured": measured,
            "measured_more": more,
            "without": without,
            "without_further": without_further,
            "doubts": doubts,
            "doubts_further": doubts_further,
        },
    )
