"""Numbers in templates: `{{ n|count }}`, `{{ bytes|size }}`, `{{ value|quantity:metric }}`. See `webapp/formatting/numbers.py`."""

from __future__ import annotations

from collections.abc import Sequence

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from ingest.catalogue import METRICS
from webapp.formatting import numbers
from webapp.formatting.visible_text import make_visible

register = template.Library()
register.filter("visible", make_visible)


@register.filter
def isolated(text: str) -> SafeString:
    """An uploaded name: hidden characters made visible, and isolated from the direction of the text around it."""
    return format_html('<bdi class="name">{}</bdi>', make_visible(str(text)))


@register.filter
def some(texts: Sequence[str], most: int = 4) -> str:
    """The first of several texts: `bonnie++, dd, fio and 2 more`."""
    shown = ", ".join(make_visible(text) for text in texts[:most])
    return f"{shown} and {len(texts) - most} more" if len(texts) > most else shown


@register.filter
def metric_words(name: str) -> str:
    """A metric's key in words: `Sequential write, throughput` for `write.throughput`; an unknown key as it is."""
    return METRICS[name].label if name in METRICS else name


for _function in (
    numbers.count,
    numbers.size,
    numbers.quantity,
    numbers.number,
    numbers.exact,
    numbers.throughput,
    numbers.seconds,
    numbers.duration,
    numbers.percent,
    numbers.ratio,
    numbers.in_unit,
    numbers.line,
):
    register.filter(_function.__name__, _function)
