"""Numbers over time beside one or several runs, drawn: the page and its files. The address is the whole state."""

from __future__ import annotations

from typing import NamedTuple

from csp.constants import NONE, UNSAFE_INLINE
from csp.decorators import csp
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from webapp.curves import address, queries
from webapp.curves.drawing import Drawn, draw
from webapp.formats import curves as formats
from webapp.formats.drawing.order import DrawingOrder
from webapp.formats.drawing.stamp import Stamp
from webapp.formats.svg import plate, png, theme
from webapp.http import isolation
from webapp.http.page_cache import conditional
from webapp.models import Run
from webapp.pages import curves_page
from webapp.permalinks import drawn_files, figure_form, rendering
from webapp.permalinks.figure_form import BadForm
from webapp.permalinks.origin import find_origin
from webapp.views.archives.pages import get_readable_archive
from webapp.views.systems.series import find_run

_BESIDE = {"theme", *figure_form.KEYS}
_without_scripts = csp({"default-src": [NONE], "style-src": [UNSAFE_INLINE]})
_MEDIA_TYPES = {"pdf": rendering.PDF, "tex": rendering.TEX}
_PRINT = {"pdf": {"form": "annotated", "width": "180"}, "tex": {"form": "annotated"}}


class _Answer(NamedTuple):
    query: address.CurveQuery
    runs: list[Run]
    drawn: Drawn


@require_safe
@conditional
def of_run(request, pk):
    """Redirect to the curves of a run."""
    run = find_run(request, pk)
    pairs = [(key, value) for key, values in request.GET.lists() for value in values]
    return redirect(f"/series?{address.parse([('run', str(run.pk)), *pairs]).query}")


@require_safe
@conditional
def of_file(request, pk):
    """Redirect to the curves of the nearest run beside a file with numbers over time; the other parameters are those of a curve."""
    archive = get_readable_archive(request, pk)
    pairs = [(key, value) for key, values in request.GET.lists() for value in values if key != "file"]
    run = queries.nearest_run(archive.pk, request.GET.get("file", ""))
    if run is None:
        raise Http404(
            "No run of this archive stands beside these numbers, so they have no curve. Their file has every one of them."
        )
    return redirect(f"/series?{address.parse([('run', str(run)), *pairs]).query}")


def _answer(request) -> _Answer:
    """What the address asks for. Raises Http404 where it names runs, and the reader may see none of them."""
    pairs = [(key, value) for key, values in request.GET.lists() for value in values if key not in _BESIDE]
    query = address.parse(pairs)
    runs = queries.readable_runs(request.user, query.runs)
    if query.runs and not runs:
        raise Http404("There is no such run, or it is not public.")
    drawn = draw(query, queries.read_source(runs))
    missing = [str(pk) for pk in query.runs if pk not in {run.pk for run in runs}]
    drawn.notes += [f"Not there, or not public: run {', '.join(missing)}."] if missing else []
    return _Answer(query, runs, drawn)


@require_safe
@conditional
def page(request):
    query, runs, drawn = _answer(request)
    repeated = queries.repetitions(runs[0]) if len(runs) == 1 else []
    whole = {"low": drawn.whole[0], "high": drawn.whole[1]}
    context = {
        "query": query,
        "heading": curves_page.heading(drawn),
        "subtitle": curves_page.subtitle(runs) if runs else "",
        "runs": curves_page.list_runs(query, runs),
        "drawn": drawn,
        "shown": curves_page.show_figures(drawn),
        "notes": curves_page.all_notes(drawn),
        "units": curves_page.group_metrics(drawn.chosen.metrics),
        "window": [address.shown_seconds(end) for end in drawn.window],
        "whole": query.changed(**whole).query if drawn.figures and drawn.window != drawn.whole else "",
        "unzoomed": query.changed(low=None, high=None).query if query.low is not None or query.high is not None else "",
        "repetitions": query.changed(runs=tuple(repeated[: address.MAX_RUNS]), bands=True).query if len(repeated) > 1 else "",
        "repeated": len(repeated),
    }
    return render(request, "runs/curves.html", context)


def theme_of(request, default: str) -> str:
    """The theme of a picture that the address names, else the default one."""
    name = request.GET.get("theme", default)
    return name if name in theme.THEMES else default


@require_safe
@conditional
@_without_scripts
def as_svg(request):
    _, runs, drawn = _answer(request)
    return _file(
        plate.draw(curves_page.make_plate(drawn, runs), theme_of(request, theme.AUTOMATIC)).encode(), "image/svg+xml", "svg"
    )


@require_safe
@conditional
def as_png(request):
    _, runs, drawn = _answer(request)
    return _file(
        png.to_png(plate.draw(curves_page.make_plate(drawn, runs), theme_of(request, theme.LIGHT_NAME))), "image/png", "png"
    )


@require_safe
@conditional
def as_csv(request):
    return _file(formats.to_csv(_answer(request).drawn.figures).encode(), "text/csv; charset=utf-8", "csv")


@require_safe
@conditional
def as_json(request):
    query, _, drawn = _answer(request)
    return _file(formats.to_json(query.query, drawn.figures, drawn.notes).encode(), "application/json", "json")


@require_safe
@conditional
def as_print(request, ending):
    """PDF, or pgfplots: with the parameters of size and look that files of permalinks have."""
    query, runs, drawn = _answer(request)
    if not drawn.figures:
        raise Http404("There is nothing to draw over time.")
    try:
        form = figure_form.read_form(_PRINT[ending] | request.GET.dict(), ending)
        stamp = Stamp(f"{find_origin(request).site}/series?{query.query}", "", len(runs), "", title=curves_page.heading(drawn))
        figures: list[dict] = [dict(figure) for figure in curves_page.noted(drawn, runs)]
        headings = [figure["title"] for figure in figures]
        description = " ".join(map(curves_page.summarise, drawn.figures))
        asked = DrawingOrder(figures, stamp, form.look, ending, form.width, form.height, form.dpi, description, headings)
        return _file(drawn_files.draw_order(asked), _MEDIA_TYPES[ending], ending)
    except BadForm as refused:
        return _refusal(request, str(refused), 400)
    except drawn_files.Busy:
        return _refusal(request, "Other figures are being drawn at the moment. Try again in a minute.", 503)
    except drawn_files.DrawingFailed:
        isolation.log_failure("figure over time", query.query)
        return _refusal(request, "This figure could not be drawn because of a bug in Poolmark, which has been logged.", 500)


def _refusal(request, sentence: str, status: int) -> HttpResponse:
    return render(request, "runs/no_such_file.html", {"sentence": sentence}, status=status)


def _file(data: bytes, media_type: str, ending: str) -> HttpResponse:
    headers = {"Content-Disposition": f'inline; filename="poolmark-series.{ending}"'}
    return HttpResponse(data, content_type=media_type, headers=headers)
