"""One run: its values with the text they were read from, its parameters and the configuration behind it."""
from __future__ import annotations

from django.http import Http404
from django.shortcuts import render
from django.views.decorators.http import require_safe

from ingest import keys
from webapp.conditional import conditional
from webapp.described import described
from webapp.models import Archive, Measurement, Run
from webapp.rawtext import line_address

_SHOWN = 2000


@require_safe
@conditional
def run(request, pk):
    run = (Run.objects.filter(pk=pk, archive__in=Archive.objects.readable_by(request.user))
           .select_related("archive", "file", "configuration__system").first())
    if run is None:
        raise Http404("There is no such run, or it is not public.")
    values = list(Measurement.objects.of(run).select_related("metric", "workload")[:_SHOWN])
    for value in values:
        value.address = line_address(run.archive_id, run.file.path, value.line)
    return render(request, "runs/run.html", {
        "run": run, "archive": run.archive, "values": values, "left": run.measurements - len(values),
        "address": line_address(run.archive_id, run.file.path, run.first_line),
        "params": shared_params(values), "details": sorted(run.details.items()),
        "parts": described(run.configuration, run)})


def shared_params(values) -> list[tuple[keys.Param | None, str, object]]:
    """The workload parameters that all values of the run have alike: (registered parameter, name, value)."""
    if not values:
        return []
    first = values[0].workload.params
    shared = [(name, value) for name, value in first.items()
              if all(v.workload.params.get(name) == value for v in values)]
    return [(keys.PARAMS.get(name), name, value) for name, value in sorted(shared)]
