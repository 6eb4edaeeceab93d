"""Published studies with their comparisons: the list, and each set like an abstract."""
from __future__ import annotations

from django.http import Http404
from django.shortcuts import render
from django.views.decorators.http import require_safe

from webapp import gallery
from webapp import studies as told
from webapp.conditional import conditional
from webapp.models import Archive


@require_safe
@conditional
def studies(request):
    """Every public archive that belongs to a study; the shipped ones first, in their order."""
    order = {name: at for at, name in enumerate(told.shipped())}
    archives = Archive.objects.public().filter(state=Archive.State.READ).exclude(study="").order_by("pk")
    names = dict.fromkeys(archive.study for archive in archives)
    rows = [{"study": told.about(name), "archives": [a for a in archives if a.study == name]}
            for name in sorted(names, key=lambda name: (order.get(name, len(order)), name))]
    across = gallery.frozen_across() if any(row["study"].name in order for row in rows) else []
    return render(request, "studies/studies.html", {"rows": rows, "across": across})


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
