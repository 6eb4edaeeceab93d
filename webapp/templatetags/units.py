"""Numbers in templates: `{{ n|count }}`, `{{ bytes|size }}`, `{{ value|quantity:metric }}`. See `webapp/shown.py`."""
from __future__ import annotations

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from webapp import shown
from webapp.visible import visible

register = template.Library()
register.filter("visible", visible)


@register.filter
def isolated(text: str) -> SafeString:
    """A name of an upload: what is hidden in it is visible, and its direction is its own."""
    return format_html('<bdi class="name">{}</bdi>', visible(str(text)))


for _function in (shown.count, shown.size, shown.quantity, shown.number, shown.exact, shown.throughput, shown.seconds,
                  shown.duration, shown.percent, shown.ratio, shown.in_unit, shown.line):
    register.filter(_function.__name__, _function)
