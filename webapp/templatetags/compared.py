"""HTML of the long lists of the comparison page, made without template loops, which are ten times slower.

Texts from persons and files are escaped by `_text`; numbers are formatted by `numbers`.
"""

from __future__ import annotations

import html
import json
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from django import template
from django.template import Context
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe

from ingest.catalogue import LESS
from webapp.comparison.model import DifferingDimension, Flag, Offer
from webapp.comparison.selection import BY_VALUE, Selection, query_string
from webapp.figures import naming
from webapp.http import byte_pages, isolation
from webapp.pages.drawings import Drawing
from webapp.pages.rail import Preset
from webapp.pages.table_rows import TableRow, ValueCell
from webapp.templatetags.choice_lists import namespace_title

register = template.Library()
LONG = 60
"""Characters of a text from which on its cell may be broken anywhere."""
MAX_OTHERS = 2
"""Other workloads of an empty place that are not folded."""
_text = lru_cache(10_000)(html.escape)


@lru_cache(1)
def _page() -> str:
    return reverse("compare")


def _safe(parts: Iterable[str]) -> SafeString:
    return mark_safe("".join(parts))  # noqa: S308 made of escaped parts


@register.simple_tag
def offers(offered: Sequence[Offer]) -> SafeString:
    """List items."""
    return _safe(
        [f"<li>{f'<strong>{_text(label)}</strong>' if drawn else link(query, label)}</li>\n" for label, query, drawn in offered]
    )


@register.simple_tag
def options(names: Sequence[tuple[str, str]], chosen: str) -> SafeString:
    """Options of a list box from (value, label)."""
    selected = {chosen: " selected"}
    return _safe([f'<option value="{_text(name)}"{selected.get(name, "")}>{_text(label)}</option>' for name, label in names])


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


@register.simple_tag
def table_heads(drawing: Drawing, selection: Selection | str = "") -> SafeString:
    """The heads of a figure's table; with a selection those of sortable columns are links to the same page in that order."""
    stat = drawing.stat or "centre"
    center = f"{stat[:1].upper()}{stat[1:]}, {drawing.unit}"
    heads = [("x", "", drawing.x)]
    heads += [("", "", drawing.series)] if drawing.series else []
    heads += [("value", "number", center)]
    if drawing.baseline and drawing.judged:
        heads += [("ratio", "number", f"Against {drawing.baseline}"), ("", "", "Claim")]
    elif drawing.baseline:
        heads += [("", "", f"Against {drawing.baseline}")]
    heads += [("n", "number", "n")]
    heads += [("", "number", drawing.spread_name)] if drawing.spread else []
    heads += [("", "", "Every value, with its line")]
    heads += [("", "", "Notes")] if drawing.marked else []
    heads += [("", "number", "Configurations")] if drawing.pooled else []
    ordered = selection if isinstance(selection, Selection) else None
    less = drawing.better == naming.BETTER_LABELS[LESS]
    return _safe(_head(ordered, less, drawing.id, *head) for head in heads)


_FIRST_ORDERS = {"x": "", "value": BY_VALUE, "ratio": "ratio", "n": "n"}


def _head(selection: Selection | None, less: bool, place: str, column: str, classes: str, label: str) -> str:
    """A head; `less`: less is better, so that the best value is the lowest."""
    attributes = f' class="{classes}"' if classes else ""
    if selection is None or not column:
        return f'<th scope="col"{attributes}>{_text(label)}</th>'
    first, sort = _FIRST_ORDERS[column], selection.sort
    turned = sort == first
    if sort and sort.removeprefix("-") == column:
        rises = (sort == first) == (column == "x" or (column == "value" and less))
        attributes += f' aria-sort="{"ascending" if rises else "descending"}"'
    query = query_string(selection.changed(sort=f"-{column}" if turned else first))
    head = link(query, label, f' class="sort" id="{place}-{column}"')
    return f'<th scope="col"{attributes}>{head}</th>'


class _Columns(NamedTuple):
    """Which columns a table has, and what it says once below instead of in each row."""

    series: bool
    baseline: bool
    judged: bool
    spread: bool
    marked: bool
    pooled: bool
    shared_marks: Collection[tuple[str, str]]
    shared_basis: Collection[str]

    @property
    def of_numbers(self) -> int:
        """How many columns stand behind those of x and series: centre, n and values, and what only some tables have."""
        judged = 2 if self.baseline and self.judged else int(self.baseline)
        return 3 + judged + self.spread + self.marked + self.pooled


def _columns_of(drawing: Drawing) -> _Columns:
    return _Columns(
        series=bool(drawing.series),
        baseline=bool(drawing.baseline),
        judged=drawing.judged,
        spread=drawing.spread,
        marked=drawing.marked,
        pooled=drawing.pooled,
        shared_marks=drawing.shared_marks,
        shared_basis=drawing.shared_basis,
    )


@register.simple_tag(takes_context=True)
def table_rows(context: Context, drawing: Drawing) -> SafeString:
    """The rows of a figure's table."""
    columns = _columns_of(drawing)
    return byte_pages.insert_text(
        context,
        isolation.map_isolated(
            "row", drawing.rows, lambda row: _table_row(columns, row), _no_row, which=lambda row: (row.x, row.series)
        ),
    )


def _no_row(_: TableRow) -> str:
    return f'<tr class="left-out"><td colspan="99"><small>{_text(isolation.FAILURE_NOTE)}</small></td></tr>\n'


def _table_row(columns: _Columns, row: TableRow) -> str:
    x, series = (f" <small>({_text(value)})</small>" if value else "" for value in row.configured)
    cells = [f'<tr><th scope="row"{_long_class(row.x)}>{_text(row.x)}{x}</th>']
    cells += [f"<td{_long_class(row.series)}>{_text(row.series)}{series}</td>"] if columns.series else []
    if row.reason:
        span = f'class="not-run" colspan="{columns.of_numbers}"'
        return f"{''.join(cells)}<td {span}><div>{_text(row.reason)}{_other_workloads(row)}</div></td></tr>\n"
    cells += [f'<td class="number" title="{_text(row.exact)}">{_text(row.center)}</td>']
    cells += _verdict_cells(columns, row) if columns.baseline else []
    cells += [f'<td class="number n">{row.runs}</td>' if row.runs.isdigit() else f'<td class="runs">{_text(row.runs)}</td>']
    cells += [f'<td class="number">{row.interval}</td>'] if columns.spread else []
    omitted = f"<small>and {row.more} more</small>" if row.more > 0 else ""
    cells += [f'<td class="values">{"".join(map(_value, row.values))}{omitted}</td>']
    if columns.marked:
        own = (mark for mark in row.marks if mark not in columns.shared_marks)
        badges = "".join(f'<a class="badge" href="{_text(address)}">{_text(label)}</a> ' for label, address in own)
        cells += [f'<td class="marks">{badges}</td>']
    cells += [f'<td class="number">{row.configurations}</td>'] if columns.pooled else []
    return f"{''.join(cells)}</tr>\n"


def _verdict_cells(columns: _Columns, row: TableRow) -> list[str]:
    """Ratio and claim, with what that rests on; one cell with both where a record has them in one text."""
    shared = columns.shared_basis if columns.judged else ()
    basis = "; ".join(part for part in row.basis if part not in shared)
    rests = f" <small>{_text(basis)}</small>" if basis else ""
    if not columns.judged:
        return [f'<td class="verdict">{_text(row.verdict)}{rests}</td>']
    interval = f" <small>{_text(row.ratio_interval)}</small>" if row.ratio_interval else ""
    return [
        f'<td class="number" title="{_text(row.ratio_exact)}">{_text(row.ratio)}{interval}</td>',
        f'<td class="verdict">{_text(row.claim)}{rests}</td>',
    ]


def _other_workloads(row: TableRow) -> str:
    """The workloads that an empty place has, each with the comparison that draws it; of many the first ones are not folded."""
    links = [link(query, label) if query else _text(label) for label, query in row.has]
    if len(links) <= MAX_OTHERS + 1:
        return f"; has {'; '.join(links)}" if links else ""
    more = f"<details><summary>{len(links) - MAX_OTHERS} more</summary>{'; '.join(links[MAX_OTHERS:])}</details>"
    return f"; has {'; '.join(links[:MAX_OTHERS])}{more}"


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
        f'<tr><th scope="row"{namespace_title(dimension.name)}>{_text(dimension.label)}</th>{values}'
        f"<td>{'between groups' if dimension.between else 'within groups'}</td>"
        f'<td class="no-print">{", ".join([link(query, label) for label, query in dimension.queries])}</td></tr>\n'
    )


def link(query: str, label: str, attributes: str = "") -> str:
    """A link to a comparison, which static/js/compare.js has htmx swap in. `attributes`: further ones, as HTML.

    `query` is from webapp/comparison/selection.py: nothing in it needs escaping but the ampersands.
    """
    address = f"{_page()}?{query.replace('&', '&amp;')}"
    return f'<a href="{address}"{attributes}>{_text(label)}</a>'


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
    if flag.page:
        return f'{docs} <a class="no-print" href="{_text(flag.page)}">{_text(flag.action)}</a>'
    return docs + separator + (" " + link(flag.query, flag.action, ' class="no-print"') if flag.query else "")
