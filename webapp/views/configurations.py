"""One configuration: every key with the source line behind it, and what was measured on it."""
from __future__ import annotations

from django.db.models import Count, Sum
from django.http import Http404
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from webapp.conditional import conditional
from webapp.described import described, heading
from webapp.models import Archive, Configuration, Run, Summary
from webapp.paging import page_of
from webapp.rawtext import line_address


@require_safe
@conditional
def configuration(request, pk):
    """The keys are those of the newest run on it that the reader may see; other runs are listed below."""
    configuration = get_object_or_404(Configuration.objects.select_related("system"), pk=pk)
    readable = Archive.objects.readable_by(request.user)
    runs = Run.objects.filter(configuration=configuration, archive__in=readable).select_related("archive", "file")
    rows, further = page_of(runs, request.GET.get("before"), ("id",), size=100)
    newest = rows[0] if rows else runs.order_by("-id").first()
    if newest is None:
        raise Http404("No archive that you can see was measured on this configuration.")
    scopes = Archive.objects.scopes_of(request.user)
    metrics = (Summary.objects.filter(configuration=configuration, scope__in=scopes)
               .values("metric__name").annotate(total=Sum("n"), workloads=Count("workload", distinct=True))
               .order_by("-total", "metric__name"))
    for run in rows:
        run.address = line_address(run.archive_id, run.file.path, run.first_line)
    return render(request, "configurations/configuration.html", {
        "configuration": configuration, "heading": heading(configuration), "run": newest, "runs": rows,
        "parts": described(configuration, newest), "further": further, "metrics": metrics})
