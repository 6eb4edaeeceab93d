"""What the pages of curves and of distributions share: the runs of an address, and the files of what is drawn of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import NamedTuple

from csp.constants import NONE, UNSAFE_INLINE
from csp.decorators import csp
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from webapp.curves import queries
from webapp.curves.address import CurveQuery
from webapp.drawing import looks, plate, png
from webapp.drawing.order import DrawingOrder
from webapp.drawing.plate import Plate
from webapp.figures.stamp import Stamp
from webapp.http import isolation
from webapp.http.page_cache import conditional
from webapp.models import Run
from webapp.permalinks import drawn_files, figure_form, rendering
from webapp.permalinks.figure_form import BadForm
from webapp.permalinks.frozen_addresses import find_origin

BESIDE = ("theme", *figure_form.KEYS)
"""Parameters of files, beside those of what is drawn."""
without_scripts = csp({"default-src": [NONE], "style-src": [UNSAFE_INLINE]})
_PDF = {"form": "annotated", "width": "180"}


def read_runs(request, query: CurveQuery) -> tuple[list[Run], list[str]]:
    """The runs of an address, and a note on those that are not there. Raises Http404 where the reader may see none of them."""
    runs = queries.readable_runs(request.user, query.runs)
    if query.runs and not runs:
        raise Http404("There is no such run, or it is not public.")
    missing = [str(pk) for pk in query.runs if pk not in {run.pk for run in runs}]
    return runs, [f"Not there, or not public: run {', '.join(missing)}."] if missing else []


def theme_of(request, default: str) -> str:
    name = request.GET.get("theme", default)
    return name if name in looks.THEMES else default


class DrawnFiles(NamedTuple):
    """What the files of a page are made of. `address`: of the page; `runs`: how many are drawn."""

    address: str
    runs: int
    plate: Callable[[], Plate]
    csv: Callable[[], str]
    json: Callable[[], str]


def file_views(name: str, find: Callable[[HttpRequest], DrawnFiles]) -> list[Callable]:
    """The views of the SVG, PNG, PDF, CSV and JSON of a page. `name`: of the files."""

    def as_svg(request):
        drawn = plate.draw(_marked(request, find(request))[0], theme_of(request, looks.AUTOMATIC))
        return file(drawn.encode(), "image/svg+xml", f"{name}.svg")

    def as_png(request):
        made, stamp = _marked(request, find(request))
        return file(png.to_png(plate.draw(made, theme_of(request, looks.LIGHT_NAME)), stamp), "image/png", f"{name}.png")

    def as_pdf(request):
        return pdf_file(request, *_marked(request, find(request)), f"{name}.pdf", request.GET.dict())

    def as_csv(request):
        return file(find(request).csv().encode(), "text/csv; charset=utf-8", f"{name}.csv")

    def as_json(request):
        return file(find(request).json().encode(), "application/json", f"{name}.json")

    return [require_safe(conditional(view)) for view in (without_scripts(as_svg), as_png, as_pdf, as_csv, as_json)]


def _marked(request, asked: DrawnFiles) -> tuple[Plate, Stamp]:
    return mark_live(request, asked.plate(), asked.address, asked.runs)


def mark_live(request, drawn: Plate, address: str, runs: int) -> tuple[Plate, Stamp]:
    """The plate with the mark that it is not frozen in its footer, and a stamp of the same words. `address`: its path and query."""
    day = timezone.now()
    live = f"Not frozen: drawn on {day.day} {day:%B %Y} from data version {request.data_version}"
    stamp = Stamp(f"{find_origin(request).site}{address}", "", runs, "", title=drawn.title, live=live)
    footer = " \u00b7 ".join(part for part in (live, drawn.footer, stamp.address) if part)
    return replace(drawn, footer=footer), stamp


def pdf_file(request, drawn: Plate, stamp: Stamp, name: str, asked: Mapping[str, str]) -> HttpResponse:
    """The plate as PDF; `asked`: the parameters of size and look that files of permalinks have."""
    if not drawn.panels:
        raise Http404("There is nothing to draw.")
    try:
        form = figure_form.read_form({**_PDF, **asked}, "pdf")
        plain = figure_form.take_part([dict(figure) for figure in drawn.panels], form)
        headings = [figure["title"] for figure in plain]
        size = (form.width, form.height, form.dpi)
        order = DrawingOrder(plain, stamp, form.look, "pdf", *size, drawn.description, headings)
        return file(drawn_files.draw_order(order), rendering.PDF, name)
    except BadForm as refused:
        return _refuse(request, str(refused), 400)
    except drawn_files.Busy:
        return _refuse(request, "Other figures are being drawn at the moment. Try again in a minute.", 503)
    except drawn_files.DrawingFailed:
        isolation.log_failure("figure", stamp.address)
        return _refuse(request, "This figure could not be drawn because of a bug in Poolmark, which has been logged.", 500)


@require_safe
def gone(request):
    """410: figures for pgfplots, which are drawn no more, with what has the same figure and its points."""
    place, query = request.path.removesuffix(".tex"), request.META["QUERY_STRING"]
    files = (f"{place}.{ending}{query and '?'}{query}" for ending in ("pdf", "csv"))
    return _refuse(
        request, "Figures for pgfplots are not drawn any more. {} is the same figure, {} has its points.".format(*files), 410
    )


def _refuse(request, sentence: str, status: int) -> HttpResponse:
    return render(request, "runs/no_such_file.html", {"sentence": sentence}, status=status)


def file(data: bytes, media_type: str, name: str) -> HttpResponse:
    """A file that browsers show."""
    return HttpResponse(data, content_type=media_type, headers={"Content-Disposition": f'inline; filename="{name}"'})
