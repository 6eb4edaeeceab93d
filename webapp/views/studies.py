"""Published studies with their comparisons: the list, and each set like an abstract."""
from __future__ import annotations

from django.http import Http404
from django.shortcuts import render
from django.views.decorators.http import require_safe

from webapp import gallery
from webapp import studies as told
from webapp.conditional import conditional
from webapp.models import Archive
from webapp.paging import page_of

_SHOWN = 50


@require_safe
@conditional
def studies(request):
    """Every study with its first public archive; the shipped ones first, in their order, before the first page of others."""
    firsts = (Archive.objects.public().filter(state=Archive.State.READ).exclude(study="")
              .order_by("study", "pk").distinct("study"))
    order = {name: at for at, name in enumerate(told.shipped())}
    others = Archive.objects.filter(pk__in=firsts.values("pk")).exclude(study__in=order)
    rows, further = page_of(others, request.GET.get("after"), ("study", "id"), size=_SHOWN, rising=True)
    shipped = [] if request.GET.get("after") else sorted(firsts.filter(study__in=order), key=lambda one: order[one.study])
    return render(request, "studies/studies.html", {
        "rows": [{"study": told.about(one.study), "archive": one} for one in (*shipped, *rows)], "further": further,
        "across": gallery.frozen_across() if shipped else []})


@require_safe
@conditional
def study(request, name):
    """One study: title, people, caveat, its comparisons, what was measured on what, doubts and gaps."""
    archives = list(Archive.objects.public().filter(study=name, state=Archive.State.READ).order_by("pk"))
    if not archives:
        raise Http404("There is no published study of this name.")
    about, ids = told.about(name), [archive.pk for archive in archives]
    return render(request, "studies/study.html", {
        "study": about, "archives": archives, "first": archives[0], "plates": gallery.plates(about, ids),
        "measured": gallery.measured(ids), "without": gallery.without_results(ids), "doubts": gallery.doubts(ids)})
