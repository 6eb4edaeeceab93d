"""The page of the RAID-Z and mirror model. The address is its whole state."""

from __future__ import annotations

from django.shortcuts import render
from django.utils.safestring import mark_safe
from django.views.decorators.http import require_safe

from webapp.comparison.selection import MODEL_PREFIX
from webapp.drawing import plate
from webapp.http.page_cache import conditional
from webapp.raidz import charts, measured
from webapp.raidz.parameters import FIELDS, SPACES, parse

MOST_POINTS = 60


@require_safe
@conditional
def raidz(request):
    parameters = parse([(name, text) for name, texts in request.GET.lists() for text in texts])
    points = measured.points(parameters)
    figures = charts.figures(parameters, points)
    return render(
        request,
        "raidz/raidz.html",
        {
            "parameters": parameters,
            "fields": [(field, parameters.texts[field.name]) for field in FIELDS],
            "spaces": [(name, label, name == parameters.space) for name, label in SPACES.items()],
            "layouts": charts.layouts(parameters),
            "widths": [(row, parameters.with_values(width=row.group.disks)) for row in charts.over_widths(parameters)],
            # Escaped by `drawing.text`; nothing of it was uploaded but titles of points.
            "pictures": [
                mark_safe(plate.draw_inline(figure, charts.describe(figure), f"figure-{at}"))  # noqa: S308 made of escaped parts
                for at, figure in enumerate(figures)
            ],
            "overlay": f"{MODEL_PREFIX}{parameters.query}",
            "points": [(point, parameters.with_values(**point.parameters())) for point in points[:MOST_POINTS]],
            "more": max(0, len(points) - MOST_POINTS),
        },
    )
