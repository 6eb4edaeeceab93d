"""The comparison page, its data twins, and freezing."""

from __future__ import annotations

from datetime import datetime
from urllib.parse import parse_qsl

from csp.constants import NONE, UNSAFE_INLINE
from csp.decorators import csp
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.template import Engine, RequestContext
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe
from django_htmx.http import push_url

from webapp.comparison import facets
from webapp.comparison.caveats import CAVEATS
from webapp.comparison.dimensions import DIMENSIONS, NO_WORDS
from webapp.comparison.model import Choice, Comparison
from webapp.comparison.question import ask
from webapp.comparison.rows import Rows, read_rows
from webapp.comparison.selection import METRIC, Selection, parse, query_string
from webapp.curves.comparisons import draw_compared
from webapp.curves.drawing import Drawn
from webapp.drawing import looks, plate, png
from webapp.formats import curve_tables, tables, workbook
from webapp.http import byte_pages
from webapp.http.data_version import data_version
from webapp.http.page_cache import conditional
from webapp.pages import arrange_form, comparison_page, partial_answers
from webapp.pages.partial_answers import answer_request
from webapp.views.curves import drawn

# The values of one dimension of a comparison: list items for the page's search fields, a page of links without scripts.

MAX_SEARCH = 200
MAX_VALUES = 500


@require_safe
@conditional
def values(request):
    """`dimension`: of which; `find`: a part of the value; all other keys are those of the comparison."""
    name, search = request.GET.get("dimension", ""), " ".join(request.GET.get("find", "").split())[:MAX_SEARCH]
    if name != METRIC and name not in DIMENSIONS:
        raise Http404("There is no such dimension.")
    pairs = [(key, value) for key, values in request.GET.lists() for value in values if key not in ("dimension", "find")]
    rows = read_rows(ask(parse(pairs), request.user, version=request.data_version))
    found = _list_metrics(rows, search) if name == METRIC else facets.list_values(rows.row_filter, name, rows.all, search)
    shown = found[:MAX_VALUES]
    listed = [(choice, query_string(_with(rows.selection, name, choice.text))) for choice in shown]
    return render(
        request,
        "compare/_values.html" if request.htmx else "compare/values.html",
        {
            "name": name,
            "label": "Metric" if name == METRIC else DIMENSIONS[name].label,
            "listed": listed,
            "choices": shown,
            "more": len(found) - len(shown),
            "search": search,
            "query": query_string(rows.selection),
            "pairs": pairs,
        },
    )


def _with(selection: Selection, name: str, value: str) -> Selection:
    """The selection with this value too; of the metrics with this alone."""
    return selection.changed(metrics=(value,)) if name == METRIC else selection.having(name, [*selection.values(name), value])


# The figure of a comparison drawn by the server: for readers without scripts, and for link previews.

_BESIDE = ("theme", "panel")
_without_scripts = csp({"default-src": [NONE], "style-src": [UNSAFE_INLINE], "sandbox": True})
"""An SVG that is opened by itself has its colours in a style element."""


def _list_metrics(rows: Rows, search: str) -> list[Choice]:
    """The metrics that have the searched text and give something with the filters, or are chosen."""
    offered = facets.metric_choices(rows.selection, rows.available, rows.count_passing())
    return [choice for choice in offered if (choice.n or choice.chosen) and search.lower() in choice.label.lower()]


def _draw(request, draw):
    """`draw(plate, stamp)` of the panels of the request, or of the one that it asks for, marked as not frozen."""
    pairs = [(key, value) for key, values in request.GET.lists() for value in values if key not in _BESIDE]
    wanted = request.GET.get("panel", "")
    panel = int(wanted) if wanted.isascii() and wanted.isdecimal() and len(wanted) < 6 else None
    if wanted and panel is None:
        raise Http404("A panel is named by its number.")

    def make(comparison: Comparison):
        address = f"{reverse('compare')}?{query_string(comparison.selection)}"
        made = comparison_page.make_plate(comparison, panel)
        return draw(*drawn.mark_live(request, made, address, sum(group.n for group in comparison.groups)))

    try:
        return partial_answers.make_answer(parse(pairs), request.user, make, request.data_version)
    except comparison_page.NoSuchPanel:
        raise Http404("The comparison has no such panel.") from None


@require_safe
@conditional
@_without_scripts
def as_svg(request):
    svg = _draw(request, lambda made, _: plate.draw(made, drawn.theme_of(request, looks.AUTOMATIC)))
    return drawn.file(svg.encode(), "image/svg+xml", "poolmark-comparison.svg")


@require_safe
@conditional
def as_png(request):
    """1200 x 630 pixels: the first panel, or the one asked for."""
    picture = _draw(
        request, lambda made, stamp: png.to_png(plate.draw_card(made, drawn.theme_of(request, looks.LIGHT_NAME)), stamp)
    )
    return drawn.file(picture, "image/png", "poolmark-comparison.png")


@require_safe
@conditional
def as_pdf(request):
    """180 mm wide, with the mark that it is not frozen."""
    return _draw(request, lambda made, stamp: drawn.pdf_file(request, made, stamp, "poolmark-comparison.pdf", {}))


# The list of honesty flags, which explains the marks on figures.


@require_safe
@conditional
def honesty(request):
    """Every flag with its sentence, why it matters, and what to do."""
    return render(request, "honesty/honesty.html", {"flags": CAVEATS.values()})


# Order, names and hidden values of a figure by its author; the result is an address of /compare.


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


_NO_DATE = datetime(2000, 1, 1)


@require_safe
@conditional
def compare(request):
    """The page; for htmx only the body, with the canonical address."""
    part = request.htmx and not request.htmx.history_restore_request
    name = "compare/_body.html" if part else "compare/compare.html"
    body, query = answer_request(
        request,
        lambda comparison: (
            _render(request, name, comparison_page.comparison_context(comparison, request.build_absolute_uri("/"))),
            query_string(comparison.selection),
        ),
    )
    return push_url(HttpResponse(body), f"{request.path}?{query}") if part else HttpResponse(body)


def _render(request, name: str, page: dict) -> bytes:
    """The rendered template. A `RequestContext` is a reference cycle: the page's context is popped again, as its objects
    would otherwise remain until a full garbage collection."""
    context_data, pieces = byte_pages.context_with_pieces(page)
    context = RequestContext(request)
    with context.push(context_data):
        return byte_pages.join_pieces(Engine.get_default().get_template(name).render(context), pieces)


@require_safe
@conditional
def as_json(request):
    return HttpResponse(answer_request(request, tables.to_json, every=True), content_type="application/json")


@require_safe
@conditional
def as_xlsx(request):
    """The groups, those that are not shown included, and every value, as a workbook. Its date is always the same."""
    address = request.build_absolute_uri(reverse("compare"))
    data = answer_request(
        request,
        lambda comparison: workbook.to_workbook(
            tables.to_sheets(comparison, address), comparison_page.describe_heading(comparison), _NO_DATE
        ),
        every=True,
    )
    headers = {"Content-Disposition": 'attachment; filename="poolmark-comparison.xlsx"'}
    return HttpResponse(data, content_type=workbook.MEDIA_TYPE, headers=headers)


def _to_csv(comparison: Comparison) -> str:
    """The points of its curves, the corners of its distributions, or its percentiles, if it is drawn so; else every value."""
    made = draw_compared(comparison)
    if made is None or not made.figures:
        return tables.groups_csv(comparison.all_groups)
    return curve_tables.curves_csv(made.figures) if isinstance(made.drawn, Drawn) else curve_tables.distributions_csv(made.drawn)


@require_safe
@conditional
def as_csv(request):
    text = answer_request(request, _to_csv, every=True)
    return HttpResponse(
        text,
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": 'attachment; filename="poolmark-comparison.csv"'},
    )
