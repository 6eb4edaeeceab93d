"""Order, names and hidden values of a figure by its author; the result is an address of /compare."""

from __future__ import annotations

from urllib.parse import parse_qsl

from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from webapp.comparison import partial_answers
from webapp.comparison.author_words import NO_WORDS
from webapp.comparison.selection import parse, query_string
from webapp.http.data_version import data_version
from webapp.pages import arrange_form


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def arrange(request):
    """The form; once it is filled without a problem, the comparison in this order and with these words."""
    typed = request.POST.dict() if request.method == "POST" else None
    query = typed.get("query", "") if typed is not None else request.META.get("QUERY_STRING", "")
    selection = parse(parse_qsl(query))
    plain = arrange_form.with_words(selection, NO_WORDS)
    comparison = partial_answers.make_answer(plain, request.user, lambda made: made, data_version())
    form = arrange_form.make_form(comparison, selection.words, typed)
    if typed is not None and form.axes:
        natural = arrange_form.natural_order(arrange_form.make_form(comparison, NO_WORDS))
        words = arrange_form.read_words(form, natural)
        baselines = {panel.baseline for panel in comparison.panels if panel.baseline}
        form.problems += [
            f"{row.label}: the baseline stays shown, since others are compared with it. Choose another baseline first."
            for row in form.rows
            if not row.shown and row.level[1] in baselines
        ]
        if not form.problems:
            return redirect(f"{reverse('compare')}?{query_string(arrange_form.with_words(selection, words))}")
    page = {"form": form, "query": query_string(selection), "plain": query_string(plain)}
    return render(request, "compare/arrange.html", page, status=400 if form.problems else 200)
