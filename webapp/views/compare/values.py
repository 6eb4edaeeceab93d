"""The values of one dimension of a comparison: list items for the page's search fields, a page of links without scripts."""

from __future__ import annotations

from django.http import Http404
from django.shortcuts import render
from django.views.decorators.http import require_safe

from webapp.comparison.dimensions import DIMENSIONS
from webapp.comparison.facet_values import find_values
from webapp.comparison.selection import METRIC, Selection, parse, query_string
from webapp.http.page_cache import conditional

MAX_SEARCH = 200


@require_safe
@conditional
def values(request):
    """`dimension`: of which; `find`: a part of the value; all other keys are those of the comparison."""
    name, search = request.GET.get("dimension", ""), " ".join(request.GET.get("find", "").split())[:MAX_SEARCH]
    if name != METRIC and name not in DIMENSIONS:
        raise Http404("There is no such dimension.")
    pairs = [(key, value) for key, values in request.GET.lists() for value in values if key not in ("dimension", "find")]
    found = find_values(parse(pairs), request.user, request.data_version, name, search)
    listed = [(choice, query_string(_with(found.selection, name, choice.text))) for choice in found.choices]
    return render(
        request,
        "compare/_values.html" if request.htmx else "compare/values.html",
        {
            "name": name,
            "label": "Metric" if name == METRIC else DIMENSIONS[name].label,
            "listed": listed,
            "choices": found.choices,
            "more": found.more,
            "search": search,
            "query": query_string(found.selection),
            "pairs": pairs,
        },
    )


def _with(selection: Selection, name: str, value: str) -> Selection:
    """The selection with this value too; of the metrics with this alone."""
    return selection.changed(metrics=(value,)) if name == METRIC else selection.having(name, [*selection.values(name), value])
