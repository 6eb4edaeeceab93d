"""Numbers over time beside one or several runs, drawn: the page and its files. The address is the whole state."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from django.http import Http404, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from webapp.accounts import access
from webapp.curves import address, queries
from webapp.curves.drawing import Drawn, draw
from webapp.figures.notes import print_notes
from webapp.formats import curve_tables
from webapp.http.page_cache import conditional
from webapp.models import Run, TimeSeries
from webapp.pages import curves_page
from webapp.storage import series
from webapp.views.archives.archive_page import get_readable_archive
from webapp.views.curves import drawn as files


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
    pairs = [(key, value) for key, values in request.GET.lists() for value in values if key not in files.BESIDE]
    query = address.parse(pairs)
    runs, missing = files.read_runs(request, query)
    drawn = draw(query, queries.read_source(runs))
    drawn.notes += missing
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
        "hidden": [("query", query.query), ("kind", "time")],
        "subtitle": curves_page.subtitle(runs) if runs else "",
        "runs": curves_page.list_runs(query, runs),
        "drawn": drawn,
        "shown": curves_page.show_figures(drawn),
        "notes": print_notes(drawn.figures, drawn.notes),
        "units": curves_page.group_metrics(drawn.chosen.metrics),
        "window": [address.shown_seconds(end) for end in drawn.window],
        "whole": query.changed(**whole).query if drawn.figures and drawn.window != drawn.whole else "",
        "unzoomed": query.changed(low=None, high=None).query if query.low is not None or query.high is not None else "",
        "repetitions": query.changed(runs=tuple(repeated[: address.MAX_RUNS]), bands=True).query if len(repeated) > 1 else "",
        "repeated": len(repeated),
    }
    return render(request, "runs/curves.html", context)


def _files(request) -> files.DrawnFiles:
    query, runs, drawn = _answer(request)
    return files.DrawnFiles(
        f"/series?{query.query}",
        len(runs),
        plate=lambda: curves_page.make_plate(drawn, runs),
        csv=lambda: curve_tables.curves_csv(drawn.figures),
        json=lambda: curve_tables.curves_json(query.query, drawn.figures, drawn.notes),
    )


as_svg, as_png, as_pdf, as_csv, as_json = files.file_views("poolmark-series", _files)


# The curves beside a run, as data.


@require_safe
@conditional
def series_csv(request, pk):
    """A row for each point."""
    return _stream(request, pk, curve_tables.series_csv, "text/csv; charset=utf-8", "csv")


@require_safe
@conditional
def series_json(request, pk):
    """Each series as in the record format."""
    return _stream(request, pk, lambda rows: curve_tables.series_json(pk, rows), "application/json", "json")


def find_run(request, pk: int) -> Run:
    """The run, where the reader may see its page. Raises Http404."""
    runs = Run.objects.filter(pk=pk, archive__in=access.inspectable_archives(request.user))
    run = runs.select_related("archive", "file", "configuration__system", "provenance").first()
    if run is None:
        raise Http404("There is no such run, or it is not public.")
    return run


def _stream(request, pk: int, write: Callable[[Iterable[TimeSeries]], Iterator[str]], content_type: str, ending: str):
    rows = series.for_run(find_run(request, pk))
    response = StreamingHttpResponse(write(rows), content_type=content_type)
    response["Content-Disposition"] = f'inline; filename="run-{pk}-series.{ending}"'
    return response
