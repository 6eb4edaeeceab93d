"""The table of a comparison: its groups and empty places as rows of formatted texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from ingest.catalogue import LESS, METRICS, NEITHER
from webapp.claims.observations import NO_DIFFERENCE
from webapp.comparison.caveats import CAVEATS, HONESTY_PAGE
from webapp.comparison.model import EmptyPlace, Group, Panel, UnmeasuredCount, Verdict, common_stat
from webapp.comparison.selection import TABLE_ORDERS, Selection
from webapp.figures import bars, naming, notes
from webapp.formatting import numbers
from webapp.http import isolation

MAX_VALUES_SHOWN = 12
"""Values of a group in a table, and points of a mark that are links."""


class ValueCell(NamedTuple):
    """One value of a table: the formatted number, the text of its tooltip, its line, and the address of that."""

    text: str
    exact: str
    place: str
    address: str


@dataclass(frozen=True, slots=True)
class TableRow:
    """One group in the table, formatted. `more`: the number of values without a cell. `marks`: (label, address) of caveats.

    An empty place has no value but a `reason`, and the (label, query) of the comparisons that draw the workloads it `has`.
    `verdict` is ratio and claim in one text, as a frozen record has it; `ratio` (`ratio_exact`, `ratio_interval`) and `claim` are
    the same apart, with the doubts that not all rows share.
    """

    x: str
    series: str
    center: str
    exact: str = ""
    interval: str = ""
    runs: str = ""
    configurations: str = ""
    verdict: str = ""
    basis: tuple[str, ...] = ()
    values: Sequence[ValueCell] = ()
    more: int = 0
    marks: Sequence[tuple[str, str]] = ()
    reason: str = ""
    has: tuple[tuple[str, str], ...] = ()
    ratio: str = ""
    ratio_exact: str = ""
    ratio_interval: str = ""
    claim: str = ""
    configured: tuple[str, str] = ("", "")
    """x and series as the configuration has them, where the author has given other names."""


def make_rows(selection: Selection, panel: Panel, values_shown: int) -> list[TableRow]:
    """The rows of a panel: its groups, and its empty places where they stand on the axis."""
    unit, factor = naming.panel_unit(selection, panel)
    doubts = shared_doubts(panel)
    unlike = not common_stat(panel.groups)
    rows = [
        replace(
            _named(_make_row(selection, group, factor, values_shown), naming.stat_name(group.stat, panel.unit) if unlike else ""),
            runs=describe_runs(group.runs, group.unmeasured, unit, factor),
            **_judged(group, doubts),
            configured=_configured(selection, group.x, group.series),
        )
        for group in panel.groups
    ]
    if selection.sort in TABLE_ORDERS:
        return [rows[index] for index in _table_order(selection.sort, panel.groups)] + [
            _empty_row(selection, place) for place in panel.empty if place.series in panel.series
        ]
    empty = [place for place in panel.empty if place.series in panel.series]
    if not empty:
        return rows
    rows += [_empty_row(selection, place) for place in empty]
    x, series = ({name: i for i, name in enumerate(names)} for names in (panel.xs, panel.series))
    order = [(x[group.x], series[group.series]) for group in panel.groups]
    order += [(x[place.x], series[place.series]) for place in empty]
    return [rows[index] for index in sorted(range(len(rows)), key=order.__getitem__)]


def _named(row: TableRow, stat: str) -> TableRow:
    """The row with the statistic of its centre, where not all have the same."""
    return replace(row, center=f"{row.center} ({stat})") if stat else row


def failed_row(group: Group) -> TableRow:
    return TableRow(isolation.FAILURE_NOTE, "", numbers.UNKNOWN_SIGN, runs=numbers.count(group.runs))


def _make_row(selection: Selection, group: Group, factor: float, values_shown: int) -> TableRow:
    """A group as a row of texts; its values are divided by `factor`, the base units in one shown unit."""
    center, exact = format_centers(group.center, group.bound, group.parts, factor)
    interval = "" if len(group.parts) > 1 else format_interval(group.low, group.high, group.open_ends, factor)
    values = [
        ValueCell(
            numbers.number(point.value / factor),
            f"{point.raw} at {point.place}" if point.place else numbers.exact(point.value),
            point.place,
            point.address,
        )
        for point in group.points[:values_shown]
    ]
    return TableRow(
        x=naming.x_label(selection, group.x),
        series=naming.series_label(selection, group.series),
        center=center,
        exact=exact,
        interval=interval,
        runs=numbers.count(group.n),
        configurations=numbers.count(group.configurations),
        verdict=naming.verdict_words(group),
        basis=_describe_basis(group, group.verdict) if group.verdict else (),
        values=values,
        more=group.runs - len(values),
        marks=[(CAVEATS[name].label, f"{HONESTY_PAGE}#{name}") for name in group.flags],
    )


def format_centers(center: float, bound: str, parts: Sequence[float], factor: float) -> tuple[str, str]:
    """The centre as it is shown and exactly: a bound with its sign, unlike sessions by the centre of each."""
    if len(parts) > 1:
        centers = [part / factor for part in parts]
        return "; ".join(map(numbers.number, centers)), "; ".join(map(numbers.exact, centers))
    shown, exact = numbers.number(center / factor), numbers.exact(center / factor)
    return notes.bounded(shown, bound), notes.bounded(exact, bound)


def format_interval(low: float | None, high: float | None, open_ends: Sequence[str], factor: float) -> str:
    """`3.10 to > 4.20`: a whisker, with the sign of each end beyond which a run lies; empty without one."""
    if low is None or high is None:
        return ""
    ends = [(low, "below"), (high, "above")]
    return " to ".join(notes.bounded(numbers.number(end / factor), side if side in open_ends else "") for end, side in ends)


def describe_runs(measured: int, unmeasured: Sequence[UnmeasuredCount], unit: str, factor: float) -> str:
    """n, and of which runs there is no number: `3: 1 measured, 2 faster than could be measured (above 4 GiB/s)`.

    `factor`: base units in the drawn `unit`.
    """
    if not unmeasured:
        return numbers.count(measured)
    reasons = [_describe_unmeasured(count, unit, factor) for count in unmeasured]
    n = measured + sum(count.count for count in unmeasured)
    return f"{numbers.count(n)}: {', '.join([f'{numbers.count(measured)} measured', *reasons])}"


def _describe_unmeasured(unmeasured: UnmeasuredCount, unit: str, factor: float) -> str:
    """`2 faster than could be measured (above 4 GiB/s)`. `factor`: base units in the drawn `unit`."""
    text = f"{numbers.count(unmeasured.count)} {notes.reason(unmeasured.reason, unmeasured.error)}"
    if unmeasured.bound is None:
        return text
    if unit.endswith("iB/s"):
        bound = f"{numbers.size(unmeasured.bound)}/s"
    else:
        bound = f"{numbers.number(unmeasured.bound / factor)}{numbers.NO_BREAK_SPACE}{unit}"
    return f"{text} ({unmeasured.side} {bound})"


def _empty_row(selection: Selection, place: EmptyPlace) -> TableRow:
    """An empty place as a row without a value."""
    return TableRow(
        x=naming.x_label(selection, place.x),
        series=naming.series_label(selection, place.series),
        center=numbers.UNKNOWN_SIGN,
        runs=numbers.count(sum(unmeasured.count for unmeasured in place.unmeasured)),
        reason=bars.describe_reason(place),
        has=tuple((bars.describe_other_workload(label, runs), query) for label, runs, query in place.has),
        configured=_configured(selection, place.x, place.series),
    )


def _configured(selection: Selection, x: str, series: str) -> tuple[str, str]:
    """The values of configurations that the author has given other names."""
    if not selection.words.labels:
        return ("", "")
    shown = naming.x_label(selection, x), naming.series_label(selection, series)
    return configured_names(shown, (naming.x_value(selection, x), naming.series_value(selection, series)))


def configured_names(shown: tuple[str, str], configured: tuple[str, str]) -> tuple[str, str]:
    """x and series as configured, '' where they are shown so."""
    return (configured[0] if configured[0] != shown[0] else "", configured[1] if configured[1] != shown[1] else "")


def _table_order(sort: str, groups: Sequence[Group]) -> list[int]:
    """The positions of the groups in an order of the table: ratios and numbers of runs largest first, those without any last."""
    name, turned = sort.removeprefix("-"), sort.startswith("-")
    if name == "x":
        return list(range(len(groups)))[::-1]

    def number(index: int) -> float | None:
        group = groups[index]
        return {"value": group.center, "n": group.n, "ratio": group.verdict.ratio if group.verdict else None}[name]

    known = [index for index in range(len(groups)) if number(index) is not None]
    # Best first is an order of the figure too; turned round it is that of the table, the worst first.
    ascending = turned != (name == "value" and METRICS[groups[0].metric].better == LESS) if groups else turned
    known.sort(key=lambda index: number(index) or 0.0, reverse=not ascending)
    return known + [index for index in range(len(groups)) if number(index) is None]


def shared_doubts(panel: Panel) -> tuple[str, ...]:
    """What every judged group lacks, and its doubts, where there are several."""
    verdicts = [group.verdict for group in panel.groups if group.verdict is not None]
    if len(verdicts) < 2:
        return ()
    withheld = {verdict.withheld for verdict in verdicts if not verdict.word}
    missing = withheld if len(withheld) == 1 and not any(verdict.word for verdict in verdicts) else ()
    shared = (doubt for doubt in verdicts[0].doubts if all(doubt in other.doubts for other in verdicts))
    return tuple(dict.fromkeys([*filter(None, missing), *shared]))


def _judged(group: Group, shared: Sequence[str]) -> dict[str, Any]:
    """Ratio and claim of a row, apart. `shared`: doubts that are said elsewhere."""
    verdict = group.verdict
    if verdict is None:
        return {}
    claim = naming.claim_label(group) if verdict.word else "no claim" if verdict.withheld in shared else verdict.withheld
    own = [doubt for doubt in verdict.doubts if doubt not in shared and doubt not in claim]
    return {
        "ratio": naming.relative_words(group.metric, verdict.ratio, verdict.ratio_bound) if verdict.ratio is not None else "",
        "ratio_exact": numbers.exact(verdict.ratio) if verdict.ratio is not None else "",
        "ratio_interval": naming.interval_words(verdict.ratio, verdict.low, verdict.high),
        "claim": ", ".join([claim, *own]) if claim else "",
    }


def _describe_basis(group: Group, verdict: Verdict) -> tuple[str, ...]:
    """The blocks of a verdict, its effect, and how many sessions would decide: `6 blocks`, `better in 92 % of pairs of runs`."""
    word = "higher" if METRICS[group.metric].better == NEITHER else "better"
    # All pairs one way sounds like a difference; fewer do not.
    chance = ", as chance can make it" if verdict.word == NO_DIFFERENCE and verdict.effect in (0.0, 1.0) else ""
    blocks = f"{verdict.paired} block{'' if verdict.paired == 1 else 's'}" if verdict.paired else ""
    effect = "" if verdict.effect is None else f"{word} in {numbers.percent(100 * verdict.effect)} of pairs of runs{chance}"
    needed = "" if verdict.needed is None else f"about {numbers.count(verdict.needed)} sessions would decide"
    return tuple(filter(None, (blocks, effect, needed)))
