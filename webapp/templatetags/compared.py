"""The loops of the comparison page. Its lists have a thousand entries: written here, they cost a tenth of template tags.

Every text that comes from a person or a file passes `_text`; numbers are formatted by `shown`.
"""

from __future__ import annotations

import html
import json
from collections.abc import Iterable, Sequence
from functools import lru_cache

from django import template
from django.template import Context
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe

from webapp.comparison.model import Choice, DifferingDimension, Facet, Flag
from webapp.formatting import numbers
from webapp.http import byte_pages, isolation
from webapp.pages.drawings import Drawing, TableRow, ValueCell
from webapp.pages.presets import Preset

register = template.Library()
LONG = 60
"""Characters of a name from which on its cell is broken into lines, wherever that is needed."""
_text = lru_cache(50_000)(html.escape)


@lru_cache(1)
def _page() -> str:
    return reverse("compare")


def _safe(parts: Iterable[str]) -> SafeString:
    return mark_safe("".join(parts))


@register.simple_tag(takes_context=True)
def filters(context: Context, facets: Sequence[Facet]) -> SafeString:
    """One closed list of boxes for each dimension; open where something of it is chosen."""
    return byte_pages.insert_bytes(context, isolation.map_isolated("filter", facets, _filter, which=lambda facet: facet.name))


def _filter(facet: Facet) -> bytes:
    if not facet.html:
        facet.html = _written(facet).encode()
    return facet.html


def _written(facet: Facet) -> str:
    chosen = facet.active
    told = f" <small>{_text(facet.chosen_labels)}</small>" if chosen else ""
    boxes = "".join([_checkbox(facet.name, at, choice) for at, choice in enumerate(facet.choices, 1)])
    return (
        f'<details id="choose-{facet.name}"{" open" if chosen else ""}><summary>{_text(facet.label)}{told}</summary>\n'
        f'<fieldset><legend class="visually-hidden">{_text(facet.label)}</legend>'
        f'<ul class="choices" data-scroll="{facet.name}">\n{boxes}{_beyond(facet)}</ul></fieldset></details>\n'
    )


@register.simple_tag(takes_context=True)
def metrics(context: Context, choices: Sequence[Choice]) -> SafeString:
    """A box for each metric."""
    return byte_pages.insert_text(context, [_metric(choice) for choice in choices])


@lru_cache(5_000)
def _metric(choice: Choice) -> str:
    return _checkbox("metric", choice.text, choice)


def _checkbox(name: str, at: int | str, choice: Choice) -> str:
    text, label, count, is_chosen, why = choice
    pale, reason = (' class="pale"', f'<span class="reason">{_text(why)}</span>') if why else ("", "")
    chosen = " checked" if is_chosen else ""
    return (
        f'<li{pale}><label><input type="checkbox" name="{name}" value="{_text(text)}" id="{name}-{_text(str(at))}"'
        f'{chosen}> {_text(label)} <span class="number">{numbers.count(count)}</span></label>{reason}</li>\n'
    )


def _beyond(facet: Facet) -> str:
    """The field for a range, or for a value that is not in the list."""
    if facet.numeric:
        return (
            f'<li><label>Range <input name="{facet.name}" placeholder="{_text(facet.low)}..{_text(facet.high)}" size="12"'
            f' autocomplete="off" id="{facet.name}-range"></label></li>'
        )
    if facet.omitted:
        return (
            f'<li><label>One of {numbers.count(facet.omitted)} more <input name="{facet.name}" size="12" autocomplete="off"'
            f' id="{facet.name}-other"></label></li>'
        )
    return ""


@register.simple_tag(takes_context=True)
def workloads(context: Context, listed: Sequence[tuple[str, str, int, bool]]) -> SafeString:
    """List items of (label, query, values, drawn)."""
    return byte_pages.insert_text(
        context,
        [
            f'<li>{_strong(label) if drawn else link(query, label)} <span class="number">{numbers.count(count)}</span></li>\n'
            for label, query, count, drawn in listed
        ],
    )


def _strong(label: str) -> str:
    return f"<strong>{_text(label)}</strong>"


@register.simple_tag
def options(names: Sequence[tuple[str, str]], chosen: str) -> SafeString:
    """Options of a list box: (value, label)."""
    mark = {chosen: " selected"}
    return _safe([f'<option value="{_text(name)}"{mark.get(name, "")}>{_text(label)}</option>' for name, label in names])


@register.simple_tag
def lists(some: Sequence[tuple[str, str, Sequence[tuple[str, str]], str]]) -> SafeString:
    """List boxes of (name, label, options, chosen)."""
    return _safe(
        f'<p class="field"><label for="{name}">{label}</label><select id="{name}" name="{name}">{options(found, chosen)}'
        "</select></p>\n"
        for name, label, found, chosen in some
    )


@register.simple_tag(takes_context=True)
def figure_data(context: Context, drawing: Drawing) -> SafeString:
    """The numbers of a figure for the script that draws it."""
    return byte_pages.insert_text(
        context, (f'<script id="{drawing.id}-data" type="application/json">', _json(drawing.figure).translate(_SCRIPT), "</script>")
    )


_json = json.JSONEncoder().encode
_SCRIPT = {ord(sign): f"\\u{ord(sign):04X}" for sign in "<>&"}
"""What could end a script, as JSON can have it."""


@register.simple_tag(takes_context=True)
def table_rows(context: Context, drawing: Drawing) -> SafeString:
    """The rows of a figure's table."""
    return byte_pages.insert_text(
        context,
        isolation.map_isolated(
            "row", drawing.rows, lambda row: _table_row(drawing, row), _no_row, which=lambda row: (row.x, row.series)
        ),
    )


def _no_row(_: TableRow) -> str:
    return f'<tr class="left-out"><td colspan="99"><small>{_text(isolation.FAILURE_NOTE)}</small></td></tr>\n'


def _table_row(drawing: Drawing, row: TableRow) -> str:
    cells = [f'<tr><th scope="row"{_long(row.x)}>{_text(row.x)}</th>']
    cells += [f"<td{_long(row.series)}>{_text(row.series)}</td>"] if drawing.series else []
    cells += [f'<td class="number" title="{row.exact}">{row.center}</td><td class="number">{row.interval}</td>']
    if drawing.baseline:
        paired = f" <small>{_text(row.paired)}</small>" if row.paired else ""
        cells += [f'<td class="verdict">{_text(row.verdict)}{paired}</td>']
    cells += [f'<td class="number">{row.runs}</td><td class="number">{row.configurations}</td>']
    if drawing.marked:
        badges = "".join(f'<a class="badge" href="{_text(at)}">{_text(label)}</a> ' for label, at in row.marks)
        cells += [f"<td>{badges}</td>"]
    more = f"<small>and {row.more} more</small>" if row.more > 0 else ""
    return f'{"".join(cells)}<td class="values">{"".join(map(_value, row.values))}{more}</td></tr>\n'


def _long(*texts: str) -> str:
    """The class of a cell with a text that has to be broken."""
    return ' class="long"' if max(map(len, texts), default=0) > LONG else ""


def _value(value: ValueCell) -> str:
    if not value.address:
        return f'<span title="{_text(value.exact)}">{value.text}</span> '
    return f'<a href="{_text(value.address)}" title="{_text(value.exact)}">{value.text}</a> '


@register.simple_tag(takes_context=True)
def differences(context: Context, found: Sequence[DifferingDimension]) -> SafeString:
    """Rows of the table of what else differs."""
    return byte_pages.insert_text(
        context,
        [
            f'<tr><th scope="row">{_text(one.label)}</th><td{_long(*one.values)}>{_text(", ".join(one.values))}</td>'
            f"<td>{'between groups' if one.between else 'within groups'}</td>"
            f'<td class="no-print">{", ".join([link(query, label) for label, query in one.queries])}</td></tr>\n'
            for one in found
        ],
    )


def link(query: str, label: str, more: str = "") -> str:
    """A choice of the page as a link, which htmx swaps in. `more`: further attributes.

    `query`: as webapp/comparison/selection.py writes it, which leaves nothing to be escaped but what stands between the pairs.
    """
    address = f"{_page()}?{query.replace('&', '&amp;')}"
    return f'<a href="{address}" hx-get="{address}" hx-target="#compare"{more}>{_text(label)}</a>'


@register.simple_tag
def presets(offered: Sequence[Preset]) -> SafeString:
    """List items: a link, or what tells why there is none."""
    return _safe(f"<li>{_preset(at, preset)}</li>\n" for at, preset in enumerate(offered, 1))


def _preset(at: int, preset: Preset) -> str:
    label, reason = _text(preset.label), _text(preset.reason)
    if reason:
        return f'<span class="pale" title="{reason}">{label}<span class="visually-hidden">: {reason}</span></span>'
    current = ' aria-current="true"' if preset.chosen else ""
    return link(preset.query, preset.label, f'{current} id="preset-{at}"')


@register.simple_tag
def switches(toggles: Sequence[tuple[str, str]]) -> SafeString:
    """Links of (label, query)."""
    return _safe(link(query, label, f' id="toggle-{at}"') + " " for at, (label, query) in enumerate(toggles, 1))


@register.simple_tag
def flags(told: Sequence[Flag]) -> SafeString:
    """List items: what to mind, where it is explained, and the comparison that answers it."""
    return _safe(
        f'<li id="flag-{flag.id}-{at}" class="flag flag-{flag.id}">{_text(flag.sentence)}{_leads(flag)}</li>'
        for at, flag in enumerate(told, 1)
    )


def _leads(flag: Flag) -> str:
    docs = f' <a class="no-print" href="{_text(flag.docs)}">What this means</a>' if flag.docs else ""
    between = ' <span class="no-print">·</span>' if flag.docs and flag.query else ""
    return docs + between + (" " + link(flag.query, flag.action, ' class="no-print"') if flag.query else "")
