"""The curves beside a run, as data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from django.http import Http404, StreamingHttpResponse
from django.views.decorators.http import require_safe

from webapp.accounts import access
from webapp.formats import curve_tables
from webapp.http.page_cache import conditional
from webapp.models import Run, TimeSeries
from webapp.storage import series


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
