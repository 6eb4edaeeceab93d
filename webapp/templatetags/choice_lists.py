"""HTML of the choices beside a figure: check boxes, ranges with a histogram, and what cannot be chosen.

Texts from persons and files are escaped by `text`; numbers are formatted by `numbers`. Without template loops, as in `compared`.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from functools import lru_cache

from django import template
from django.template import Context
from django.utils.safestring import SafeString, mark_safe

from webapp.comparison.dimensions import DIMENSIONS, describe_namespace, parse_quantity, value_label
from webapp.comparison.model import Choice, Facet
from webapp.formatting import numbers
from webapp.http import byte_pages, isolation

register = template.Library()
MAX_LISTED = 8
"""Values of a dimension up to which all are listed; of more the most frequent ones, with a search field."""
_BARS_HIGH = 20
"""Height of a histogram, in units of its drawing."""
text = lru_cache(10_000)(html.escape)


@register.simple_tag(takes_context=True)
def filters(context: Context, facets: Sequence[Facet]) -> SafeString:
    """The choices of each facet, closed unless something of it is chosen."""
    return byte_pages.insert_bytes(
        context, isolation.map_isolated("filter", facets, _cached_filter, which=lambda facet: facet.name)
    )


def _cached_filter(facet: Facet) -> bytes:
    if not facet.html:
        facet.html = _filter(facet).encode()
    return facet.html


def _filter(facet: Facet) -> str:
    ranges = [choice for choice in facet.choices if choice.chosen and ".." in choice.text] if facet.numeric else []
    labels = f" <small>{text(facet.chosen_labels)}</small>" if facet.active else ""
    return (
        f'<details id="choose-{facet.name}"{" open" if facet.active or facet.wanted else ""}>'
        f"<summary{namespace_title(facet.name)}>{text(facet.label)}{labels}</summary>\n"
        f'<fieldset><legend class="visually-hidden">{text(facet.label)}</legend>'
        f"{_range(facet, ranges[0].text if ranges else '') if facet.numeric else ''}"
        f"{choices(facet.name, facet.choices, facet.omitted, ranges[:1])}</fieldset></details>\n"
    )


def namespace_title(name: str) -> str:
    """The title attribute of an open key's name: what reports it, and where that is documented. Empty for other dimensions."""
    description = describe_namespace(name)
    return f' title="{text(description)}"' if description else ""


def choices(name: str, offered: Sequence[Choice], omitted: int = 0, elsewhere: Sequence[Choice] = ()) -> str:
    """Check boxes for values: chosen ones and the most frequent of those that give something; a field that searches the others.

    `omitted`: values that are not even offered; `elsewhere`: chosen ones that have a control of their own.
    """
    numbered = [(number, choice) for number, choice in enumerate(offered, 1) if choice not in elsewhere]
    giving = [item for item in numbered if item[1].n or item[1].chosen]
    listed = sorted(sorted(giving, key=lambda item: (not item[1].chosen, -item[1].n))[: max(MAX_LISTED, _count_chosen(giving))])
    boxes = "".join([checkbox(name, number, choice) for number, choice in listed])
    more = len(giving) - len(listed) + omitted
    search, all_values = "", ""
    if more:
        label = text(DIMENSIONS[name].label if name in DIMENSIONS else name.capitalize())
        search = (
            f'<p class="find" hidden><input type="search" form="" data-find="{name}" id="find-{name}" autocomplete="off"'
            f' aria-label="Search the values of {label}" placeholder="Search {label}"></p>'
        )
        count = "All values" if omitted else f"All {len(giving)} values"
        all_values = f'<button class="button-quiet" formaction="/compare/values" name="dimension" value="{name}">{count}</button>'
    return f'{search}<ul class="choices" data-scroll="{name}" data-values="{name}">\n{boxes}</ul>{all_values}'


def _count_chosen(numbered: Iterable[tuple[int, Choice]]) -> int:
    return sum(choice.chosen for _, choice in numbered)


@register.simple_tag(takes_context=True)
def metrics(context: Context, offered: Sequence[Choice]) -> SafeString:
    """A check box for each metric with a value that passes the filters."""
    return byte_pages.insert_text(context, [_metrics(tuple(offered))])


@lru_cache(200)
def _metrics(offered: tuple[Choice, ...]) -> str:
    return choices("metric", offered)


def checkbox(name: str, suffix: int | str, choice: Choice) -> str:
    """A list item. Metrics have their name in the id, as their number changes with what is uploaded."""
    suffix = choice.text if name == "metric" else suffix
    chosen = " checked" if choice.chosen else ""
    return (
        f'<li><label><input type="checkbox" name="{name}" value="{text(choice.text)}" id="{name}-{text(str(suffix))}"'
        f'{chosen}> {text(choice.label)} <span class="number">{numbers.count(choice.n)}</span></label></li>\n'
    )


@register.simple_tag
def checkboxes(name: str, offered: Sequence[Choice]) -> SafeString:
    """List items for values that were loaded on demand."""
    return mark_safe("".join([checkbox(name, f"all-{number}", choice) for number, choice in enumerate(offered, 1)]))  # noqa: S308 made of escaped parts


def _range(facet: Facet, chosen: str) -> str:
    """A field for a range, which works without scripts; two sliders over a histogram where there are several known values."""
    sliders = ""
    if len(facet.steps) > 2:
        ends = len(facet.steps) - 1
        low, high = _positions(facet, chosen)
        values = " ".join(exact_quantity(value) for value, _ in facet.steps)
        labels = "|".join(value_label(DIMENSIONS[facet.name], value) for value, _ in facet.steps)
        one = (
            f'<input type="range" form="" min="0" max="{ends}" value="{{at}}" id="{facet.name}-{{end}}" data-end="{{end}}"'
            f' aria-label="{text(facet.label)}, {{end}} end">'
        )
        sliders = (
            f'<div class="sliders" data-range="{facet.name}-range" data-steps="{text(values)}" data-labels="{text(labels)}" hidden>'
            f"{_histogram(facet)}{one.format(at=low, end='lower')}{one.format(at=high, end='upper')}"
            f"<output>{text(facet.low)} to {text(facet.high)}</output></div>"
        )
    return (
        f'{sliders}<p class="range"><label for="{facet.name}-range">Range</label> <input name="{facet.name}"'
        f' value="{text(chosen)}" placeholder="{text(facet.low)}..{text(facet.high)}" autocomplete="off"'
        f' id="{facet.name}-range"></p>'
    )


def _positions(facet: Facet, chosen: str) -> tuple[int, int]:
    """The steps at which the sliders stand: the lowest and the highest value in the range."""
    low, high = (parse_quantity(end) for end in (chosen or "..").split("..", 1))
    inside = [
        position
        for position, (value, _) in enumerate(facet.steps)
        if (number := parse_quantity(value)) is not None and (low is None or number >= low) and (high is None or number <= high)
    ]
    return (inside[0], inside[-1]) if inside else (0, len(facet.steps) - 1)


def _histogram(facet: Facet) -> str:
    """One bar for each value, as a single path; heights by the count, never flat where there is something."""
    most = max((n for _, n in facet.steps), default=0) or 1
    path = "".join(
        f"M{position} {_BARS_HIGH}v{-max(1, round(_BARS_HIGH * n / most))}h.8V{_BARS_HIGH}z"
        for position, (_, n) in enumerate(facet.steps)
        if n
    )
    return (
        f'<svg class="histogram" viewBox="0 0 {len(facet.steps)} {_BARS_HIGH}" preserveAspectRatio="none" aria-hidden="true">'
        f'<path d="{path}"/></svg>'
    )


def exact_quantity(value: str) -> str:
    """A number of an address in its largest whole unit: `8589934592` is `8GiB`."""
    number = int(value) if value.isascii() and value.isdigit() else 0
    for unit, factor in numbers.BINARY[:-1]:
        if number and number % factor == 0:
            return f"{number // factor}{unit}"
    return value


@register.simple_tag
def grouped_options(groups: Sequence[tuple[str, Sequence[tuple[str, str]]]], chosen: str = "") -> SafeString:
    """Options of a list box from (group, (value, label) of its options)."""
    return mark_safe(  # noqa: S308 made of escaped parts
        "".join(
            f'<optgroup label="{text(label)}">{"".join(_option(name, shown, chosen) for name, shown in offered)}</optgroup>'
            for label, offered in groups
        )
    )


def _option(name: str, label: str, chosen: str) -> str:
    return f'<option value="{text(name)}"{" selected" if name == chosen else ""}>{text(label)}</option>'
