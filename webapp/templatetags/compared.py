"""HTML of the long lists of the comparison page, made without template loops, which are ten times slower.

Texts from persons and files are escaped by `_text`; numbers are formatted by `numbers`.
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

from webapp.comparison.dimensions import describe_namespace
from webapp.comparison.model import Choice, DifferingDimension, Facet, Flag
from webapp.formatting import numbers
from webapp.http import byte_pages, isolation
from webapp.pages.drawings import Drawing, TableRow, ValueCell
from webapp.pages.presets import Preset

register = template.Library()
LONG = 60
"""Characters of a text from which on its cell may be broken anywhere."""
_text = lru_cache(50_000)(html.escape)


@lru_cache(1)
def _page() -> str:
    return reverse("compare")


def _safe(parts: Iterable[str]) -> SafeString:
    return mark_safe("".join(parts))


@register.simple_tag(takes_context=True)
def filters(context: Context, facets: Sequence[Facet]) -> SafeString:
    """A list of check boxes for each facet, closed unless something of it is chosen."""
    return byte_pages.insert_bytes(
        context, isolation.map_isolated("filter", facets, _cached_filter, which=lambda facet: facet.name)
    )


def _cached_filter(facet: Facet) -> bytes:
    if not facet.html:
        facet.html = _filter(facet).encode()
    return facet.html


def _filter(facet: Facet) -> str:
    chosen, opened = facet.active, " open" if facet.active or facet.wanted else ""
    labels = f" <small>{_text(facet.chosen_labels)}</small>" if chosen else ""
    boxes = "".join([_checkbox(facet.name, number, choice) for number, choice in enumerate(facet.choices, 1)])
    return (
        f'<details id="choose-{facet.name}"{opened}><summary{_title(facet.name)}>{_text(facet.label)}{labels}</summary>\n'
        f'<fieldset><legend class="visually-hidden">{_text(facet.label)}</legend>'
        f'<ul class="choices" data-scroll="{facet.name}">\n{boxes}{_other_value(facet)}</ul></fieldset></details>\n'
    )


def _title(name: str) -> str:
    """The title attribute of an open key's name: what reports it, and where that is documented. Empty for other dimensions."""
    description = describe_namespace(name)
    return f' title="{_text(description)}"' if description else ""


@register.simple_tag(takes_context=True)
def metrics(context: Context, choices: Sequence[Choice]) -> SafeString:
    """A check box for each metric."""
    return byte_pages.insert_text(context, [_metric(choice) for choice in choices])


@lru_cache(5_000)
def _metric(choice: Choice) -> str:
    return _checkbox("metric", choice.text, choice)


def _checkbox(name: str, suffix: int | str, choice: Choice) -> str:
    text, label, count, is_chosen, why = choice
    pale, reason = (' class="pale"', f'<span class="reason">{_text(why)}</span>') if why else ("", "")
    chosen = " checked" if is_chosen else ""
    return (
        f'<li{pale}><label><input type="checkbox" name="{name}" value="{_text(text)}" id="{name}-{_text(str(suffix))}"'
        f'{chosen}> {_text(label)} <span class="number">{numbers.count(count)}</span></label>{reason}</li>\n'
    )


def _other_value(facet: Facet) -> str:
    """The field for a range, or for a value without a check box; empty where neither is needed."""
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
    """List items from (label, query, values, drawn)."""
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
    """Options of a list box from (value, label)."""
    selected = {chosen: " selected"}
    return _safe([f'<option value="{_text(name)}"{selected.get(name, "")}>{_text(label)}</option>' for name, label in names])


@register.simple_tag
def dimension_options(names: Sequence[tuple[str, str]], settings: Sequence[tuple[str, str]], chosen: str = "") -> SafeString:
    """Options of a list box from (value, label) of dimensions and of open keys, these in a group."""
    group = f'<optgroup label="Settings">{options(settings, chosen)}</optgroup>' if settings else ""
    return _safe([options(names, chosen), group])


@register.simple_tag
def lists(boxes: Sequence[tuple[str, str, Sequence[tuple[str, str]], str]]) -> SafeString:
    """List boxes from (name, label, options, chosen)."""
    return _safe(
        f'<p class="field"><label for="{name}">{label}</label><select id="{name}" name="{name}">{options(choices, chosen)}'
        "</select></p>\n"
        for name, label, choices, chosen in boxes
    )


@register.simple_tag(takes_context=True)
def figure_data(context: Context, drawing: Drawing) -> SafeString:
    """The data of a figure for the script that draws it."""
    return byte_pages.insert_text(
        context,
        (f'<script id="{drawing.id}-data" type="application/json">', _json(drawing.script_data).translate(_SCRIPT), "</script>"),
    )


_json = json.JSONEncoder(separators=(",", ":")).encode
_SCRIPT = {ord(sign): f"\\u{ord(sign):04X}" for sign in "<>&"}
"""JSON escapes of the characters that could end a script element."""


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
    cells = [f'<tr><th scope="row"{_long_class(row.x)}>{_text(row.x)}</th>']
    cells += [f"<td{_long_class(row.series)}>{_text(row.series)}</td>"] if drawing.series else []
    cells += [f'<td class="number" title="{_text(row.exact)}">{_text(row.center)}</td><td class="number">{row.interval}</td>']
    if drawing.baseline:
        paired = f" <small>{_text(row.paired)}</small>" if row.paired else ""
        cells += [f'<td class="verdict">{_text(row.verdict)}{paired}</td>']
    runs = f'<td class="number">{row.runs}</td>' if row.runs.isdigit() else f'<td class="runs">{_text(row.runs)}</td>'
    cells += [f'{runs}<td class="number">{row.configurations}</td>']
    if drawing.marked:
        badges = "".join(f'<a class="badge" href="{_text(address)}">{_text(label)}</a> ' for label, address in row.marks)
        cells += [f"<td>{badges}</td>"]
    omitted = f"<small>and {row.more} more</small>" if row.more > 0 else ""
    if row.reason:
        return f'{"".join(cells)}<td class="not-run">{_text(row.reason)}{_other_workloads(row)}</td></tr>\n'
    return f'{"".join(cells)}<td class="values">{"".join(map(_value, row.values))}{omitted}</td></tr>\n'


def _other_workloads(row: TableRow) -> str:
    """The workloads that an empty place has, each with the comparison that draws it."""
    return f"; has {'; '.join([link(query, label) if query else _text(label) for label, query in row.has])}" if row.has else ""


def _long_class(*texts: str) -> str:
    """The class attribute of a cell; empty unless a text is long."""
    return ' class="long"' if max(map(len, texts), default=0) > LONG else ""


def _value(value: ValueCell) -> str:
    if not value.address:
        return f'<span title="{_text(value.exact)}">{value.text}</span> '
    return f'<a href="{_text(value.address)}" title="{_text(value.exact)}">{value.text}</a> '


@register.simple_tag(takes_context=True)
def differences(context: Context, differing: Sequence[DifferingDimension]) -> SafeString:
    """Table rows of the dimensions in which rows differ."""
    return byte_pages.insert_text(context, [_difference(dimension) for dimension in differing])


def _difference(dimension: DifferingDimension) -> str:
    values = f"<td{_long_class(*dimension.values)}>{_text(', '.join(dimension.values))}</td>"
    return (
        f'<tr><th scope="row"{_title(dimension.name)}>{_text(dimension.label)}</th>{values}'
        f"<td>{'between groups' if dimension.between else 'within groups'}</td>"
        f'<td class="no-print">{", ".join([link(query, label) for label, query in dimension.queries])}</td></tr>\n'
    )


def link(query: str, label: str, attributes: str = "") -> str:
    """A link to a comparison, which htmx swaps in. `attributes`: further ones, as HTML.

    `query` is from webapp/comparison/selection.py: nothing in it needs escaping but the ampersands.
    """
    address = f"{_page()}?{query.replace('&', '&amp;')}"
    return f'<a href="{address}" hx-get="{address}" hx-target="#compare"{attributes}>{_text(label)}</a>'


@register.simple_tag
def presets(offered: Sequence[Preset]) -> SafeString:
    """List items: a link, or the label with the reason why there is none."""
    return _safe(f"<li>{_preset(number, preset)}</li>\n" for number, preset in enumerate(offered, 1))


def _preset(number: int, preset: Preset) -> str:
    label, reason = _text(preset.label), _text(preset.reason)
    if reason:
        return f'<span class="pale" title="{reason}">{label}<span class="visually-hidden">: {reason}</span></span>'
    current = ' aria-current="true"' if preset.chosen else ""
    return link(preset.query, preset.label, f'{current} id="preset-{number}"')


@register.simple_tag
def switches(toggles: Sequence[tuple[str, str]]) -> SafeString:
    """Links from (label, query)."""
    return _safe(link(query, label, f' id="toggle-{number}"') + " " for number, (label, query) in enumerate(toggles, 1))


@register.simple_tag
def flags(items: Sequence[Flag]) -> SafeString:
    """List items: the sentence, the link to its explanation, and the comparison that resolves it."""
    return _safe(
        f'<li id="flag-{flag.id}-{number}" class="flag flag-{flag.id}">{_text(flag.sentence)}{_flag_links(flag)}</li>'
        for number, flag in enumerate(items, 1)
    )


def _flag_links(flag: Flag) -> str:
    docs = f' <a class="no-print" href="{_text(flag.docs)}">What this means</a>' if flag.docs else ""
    separator = ' <span class="no-print">·</span>' if flag.docs and flag.query else ""
    return docs + separator + (" " + link(flag.query, flag.action, ' class="no-print"') if flag.query else "")
