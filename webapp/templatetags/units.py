"""Numbers in templates: `{{ n|count }}`, `{{ bytes|size }}`, `{{ value|quantity:metric }}`. See `webapp/shown.py`."""
from __future__ import annotations

from django import template

from webapp import shown

register = template.Library()
for _function in (shown.count, shown.size, shown.quantity, shown.number, shown.exact, shown.throughput, shown.seconds,
                  shown.duration, shown.percent, shown.ratio, shown.in_unit, shown.line):
    register.filter(_function.__name__, _function)
