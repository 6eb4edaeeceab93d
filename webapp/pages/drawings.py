"""Panels with figure and table as the templates of the comparison page and of a permalink print them. Formats numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from ingest.catalogue import LESS, METRICS
from webapp import figures
from webapp.comparison import provenance
from webapp.comparison.caveats import CAVEATS, HONESTY_PAGE
from webapp.comparison.dimensions import DIMENSIONS
from webapp.comparison.model import Comparison, EmptyPlace, Group, Panel, UnmeasuredCount, Verdict
from webapp.comparison.selection import METRIC, TABLE_ORDERS, Selection, query_string
from webapp.figures import bars, box, naming, notes
from webapp.figures.plain import MAX_BARS, Figure
from webapp.formatting import numbers
from webapp.http import isolation
from webapp.raidz import overlay

MAX_VALUES_SHOWN = 12
"""Values of a group in a table, and points of a mark that are links."""
_ON_PAGE = ("title", "subtitle", "better", "notes")
_NOT_DRAWN = ("flags", "word")
PICTURE = "/compare.svg"
_PART = "; "
HEIGHTS = (12, 20, 30, 50, 100, 200)
"""Rows beyond which a figure is a step higher (static/css/components/figure.css)."""


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
    exact: str
    interval: str
    runs: str
    configurations: str
    verdict: str
    paired: str
    values: list[ValueCell]
    more: int
    marks: list[tuple[str, str]]
    reason: str = ""
    has: tuple[tuple[str, str], ...] = ()
    ratio: str = ""
    ratio_exact: str = ""
    ratio_interval: str = ""
    claim: str = ""
    configured: tuple[str, str] = ("", "")
    """x and series as the configuration has them, where the author has given other names."""

    @property
    def basis(self) -> list[str]:
        """The parts of what the claim rests on."""
        return self.paired.split(_PART) if self.paired else []


@dataclass(frozen=True, slots=True)
class Drawing:
    """One panel with its figure and its table, which show the same numbers. Of a frozen record the figure is as it was read."""

    id: str
    title: str
    unit: str
    better: str
    x: str
    series: str
    figure: Mapping[str, Any]
    rows: list[TableRow]
    summary: str
    wide: bool
    baseline: str = ""
    overall: tuple[str, ...] = ()
    picture: str = ""
    """Address of the figure as the server draws it, for readers without scripts; empty where another figure's picture shows it."""
    doubts: tuple[str, ...] = ()
    """What every judged row lacks or has as a doubt: said once."""
    hidden: tuple[str, ...] = ()
    """The groups that the author does not show, in a few words each."""
    inline: str = ""
    """The figure as SVG where no script draws it."""

    @property
    def judged(self) -> bool:
        """Whether ratio and claim have columns of their own."""
        return any(row.ratio or row.claim for row in self.rows)

    @property
    def shared_basis(self) -> list[str]:
        """What every judged row rests on (`3 blocks`), which the table says once."""
        bases = [row.basis for row in self.rows if row.ratio or row.claim]
        return [part for part in bases[0] if all(part in basis for basis in bases)] if len(bases) > 1 else []

    @property
    def said_once(self) -> list[str]:
        """What holds for every row against the baseline: what it rests on, and its doubts."""
        return [*(self.shared_basis if self.judged else ()), *self.doubts]

    @property
    def compared(self) -> bool:
        """Whether a column says what each judged row rests on."""
        shared = self.shared_basis
        return self.judged and any(part not in shared for row in self.rows for part in row.basis)

    @property
    def pooled(self) -> bool:
        """Whether any group has several configurations."""
        return any(row.configurations not in ("", "1") for row in self.rows)

    @property
    def spread(self) -> bool:
        """Whether any group has an interval."""
        return any(row.interval for row in self.rows)

    @property
    def notes(self) -> list[str]:
        """Sentences beneath the figure: its own, and what its lines mean where sessions have one each."""
        return [*self.figure.get("notes", ()), *notes.describe_parts(self.figure)]

    @property
    def height(self) -> int:
        """The step of height that the figure needs, 0 to 6; it grows where groups are below each other."""
        figure, rows = self.figure, 0
        if figure.get("kind") in ("dots", "ratio"):
            rows = len(figure["x"]["values"]) * (1 + len(figure["series"])) // 2
        elif figure.get("kind") == "heat":
            rows = len(figure["series"])
        return sum(rows > limit for limit in HEIGHTS)

    @property
    def legend(self) -> bool:
        """Whether the figure needs a legend of colours: it has several series, which are not the rows of a heat map."""
        return self.figure.get("kind") != "heat" and len(self.figure.get("series", ())) > 1

    @property
    def marked(self) -> bool:
        """Whether groups have unlike caveats, which a column of the table shows."""
        shared = self.shared_marks
        return any(mark not in shared for row in self.rows for mark in row.marks)

    @property
    def shared_marks(self) -> list[tuple[str, str]]:
        """The caveats (label, address) that every group has, which the table says once."""
        with_marks = [row for row in self.rows if not row.reason]
        return [mark for mark in with_marks[0].marks if all(mark in row.marks for row in with_marks)] if with_marks else []

    @property
    def script_data(self) -> dict[str, Any]:
        """What the script draws of the figure: without texts that are on the page, and without empty keys of marks."""
        left_out = _ON_PAGE if "curves" not in self.figure else _ON_PAGE[1:]
        data = {key: part for key, part in self.figure.items() if key not in left_out}
        if "groups" in data:
            data["groups"] = [
                {key: part for key, part in mark.items() if key not in _NOT_DRAWN and part != ""} for mark in data["groups"]
            ]
        return data


def make_drawings(comparison: Comparison) -> list[Drawing]:
    """Every panel with its figure and table. A group that cannot be drawn is left out, with a note in its table."""
    try:
        return _make_drawings(comparison)
    except Exception as error:
        if isolation.is_transaction_broken(error):
            raise
        isolation.log_failure("comparison", query_string(comparison.selection))
    by_panel = isolation.map_isolated(
        "panel", comparison.panels, lambda panel: _draw_working_groups(comparison, panel), which=lambda panel: panel.title
    )
    drawings = [drawing for panel_drawings in by_panel for drawing in panel_drawings]
    return [
        replace(drawing, id=f"figure-{number}", picture=drawing.picture.rpartition("=")[0] + f"={number + 1}")
        for number, drawing in enumerate(drawings)
    ]


def _draw_working_groups(comparison: Comparison, panel: Panel) -> list[Drawing]:
    """The panel with the groups that can be drawn alone. Slow: draws every group by itself."""

    def draw(groups: list[Group]) -> list[Drawing]:
        return _make_drawings(replace(comparison, panels=[replace(panel, groups=groups)])) if groups else []

    working = isolation.map_isolated(
        "group", panel.groups, lambda group: (draw([group]), group)[1], which=lambda group: (group.metric, group.x, group.series)
    )
    failed = [_failed_row(group) for group in panel.groups if not any(group is other for other in working)]
    return [replace(drawing, rows=drawing.rows + failed) for drawing in draw(working)]


def _make_drawings(comparison: Comparison) -> list[Drawing]:
    pairs = zip(comparison.panels, figures.make_figures(comparison), strict=True)
    return [_make_drawing(comparison, panel, figure, number) for number, (panel, figure) in enumerate(pairs)]


def _make_drawing(comparison: Comparison, panel: Panel, figure: Figure, number: int) -> Drawing:
    selection = comparison.selection
    overlay.add_model(comparison, panel, figure)
    unit, _ = naming.panel_unit(selection, panel)
    series = DIMENSIONS[selection.series].label if selection.series in DIMENSIONS else ""
    if selection.series == METRIC:
        series = "Metric"
    values_shown = MAX_VALUES_SHOWN if len(panel.groups) <= MAX_BARS else 1
    rows = _make_rows(selection, panel, values_shown)
    for mark in figure["groups"]:
        mark["points"] = [
            point if index < MAX_VALUES_SHOWN and point[1] else point[:1] for index, point in enumerate(mark["points"])
        ]
    if len(panel.groups) > MAX_BARS:
        _shrink(figure)
    else:
        _add_configurations(panel, figure)
    return Drawing(
        id=f"figure-{number}",
        title=figure["title"],
        unit=unit,
        better=figure["better"],
        x=naming.axis_title(selection) or "Group",
        series=series,
        figure=figure,
        rows=rows,
        summary=_summarise(figure, rows, unit),
        wide=len(rows) > 8,
        baseline=naming.baseline_label(selection, panel) if panel.baseline else "",
        overall=tuple(_format_overall(selection, panel)),
        picture=f"{PICTURE}?{query_string(selection)}&panel={number + 1}",
        doubts=_shared_doubts(panel),
        hidden=tuple(_describe_hidden(selection, panel)),
    )


def _describe_hidden(selection: Selection, panel: Panel) -> list[str]:
    """`gzip-9 Linux: 81.2 MiB/s, n = 3` of each group that is not shown."""
    unit, factor = naming.panel_unit(selection, panel)
    return [
        describe_hidden_group(
            naming.x_value(selection, group.x),
            naming.series_value(selection, group.series),
            format_centers(group.center, group.bound, group.parts, factor)[0],
            unit,
            group.n,
        )
        for group in panel.hidden
    ]


def describe_hidden_group(x: str, series: str, center: str, unit: str, n: int) -> str:
    """A group that is not shown, in a few words."""
    name = " ".join(part for part in (x, series) if part)
    return f"{name}: {center} {unit}, n = {numbers.count(n)}"


def configured_names(shown: tuple[str, str], configured: tuple[str, str]) -> tuple[str, str]:
    """x and series as configured, '' where they are shown so."""
    return (configured[0] if configured[0] != shown[0] else "", configured[1] if configured[1] != shown[1] else "")


def _shared_doubts(panel: Panel) -> tuple[str, ...]:
    """What every judged group lacks, and its doubts, where there are several."""
    verdicts = [group.verdict for group in panel.groups if group.verdict is not None]
    if len(verdicts) < 2:
        return ()
    withheld = {verdict.withheld for verdict in verdicts if not verdict.word}
    missing = withheld if len(withheld) == 1 and not any(verdict.word for verdict in verdicts) else ()
    shared = (doubt for doubt in verdicts[0].doubts if all(doubt in other.doubts for other in verdicts))
    return tuple(dict.fromkeys([*filter(None, missing), *shared]))


def _add_configurations(panel: Panel, figure: Figure) -> None:
    """Add the id of the configuration to marks of a single one, for the link to its page, and the runs with curves."""
    configurations = {
        (panel.xs.index(group.x), panel.series.index(group.series)): group.points[0].configuration
        for group in panel.groups
        if group.configurations == 1 and group.points
    }
    beside = {
        (panel.xs.index(group.x), panel.series.index(group.series)): provenance.timed_runs(point.id for point in group.points)
        for group in panel.groups
    }
    for mark in figure["groups"]:
        if runs := beside.get((mark["x"], mark["series"])):
            mark["beside"] = runs[:MAX_VALUES_SHOWN]
        if (mark["x"], mark["series"]) in configurations:
            mark["configuration"] = configurations[mark["x"], mark["series"]]


def _summarise(figure: Figure, rows: list[TableRow], unit: str) -> str:
    """The figure as a text alternative."""
    values = "; ".join(map(_summarise_row, rows[:20]))
    fixed = f" ({figure['subtitle']})" if figure.get("subtitle") else ""
    return f"{figure['title']} in {unit}, {figure['better']}{fixed}: {values}"


def _summarise_row(row: TableRow) -> str:
    """`ext4 lz4 > 2 930`, `btrfs not run with this workload`."""
    return " ".join(part for part in (row.x, row.series, row.reason or row.center) if part)


def _shrink(figure: Figure) -> None:
    """Reduce the data of thousands of marks: no dots, one link each, six digits."""
    for mark in figure["groups"]:
        mark["points"] = [[None, *point[1:]] for point in mark["points"][:1]]
        mark["center"] = _round(mark["center"])
        mark["low"] = None if mark["low"] is None else _round(mark["low"])
        mark["high"] = None if mark["high"] is None else _round(mark["high"])
    figure["notes"] = [note.replace(box.DOTS_PHRASE, "") for note in figure["notes"]]
    figure["notes"].append(f"{numbers.count(len(figure['groups']))} groups: single runs are not drawn; CSV and JSON have them all.")


def _round(number: float) -> float:
    return float(f"{number:.6g}")


def _make_rows(selection: Selection, panel: Panel, values_shown: int) -> list[TableRow]:
    """The rows of a panel: its groups, and its empty places where they stand on the axis."""
    unit, factor = naming.panel_unit(selection, panel)
    doubts = _shared_doubts(panel)
    rows = [
        replace(
            _make_row(selection, group, factor, values_shown),
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


def _configured(selection: Selection, x: str, series: str) -> tuple[str, str]:
    """The values of configurations that the author has given other names."""
    if not selection.words.labels:
        return ("", "")
    shown = naming.x_label(selection, x), naming.series_label(selection, series)
    return configured_names(shown, (naming.x_value(selection, x), naming.series_value(selection, series)))


def describe_runs(measured: int, unmeasured: Sequence[UnmeasuredCount], unit: str, factor: float) -> str:
    """n, and of which runs there is no number: `3: 1 measured, 2 faster than could be measured (above 4 GiB/s)`.

    `factor`: base units in the drawn `unit`.
    """
    if not unmeasured:
        return numbers.count(measured)
    reasons = [_describe_unmeasured(count, unit, factor) for count in unmeasured]
    n = measured + sum(count.count for count in unmeasured)
    return f"{numbers.count(n)}: {', '.join([f'{numbers.count(measured)} measured', *reasons])}"


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


def _judged(group: Group, shared: Sequence[str]) -> dict[str, Any]:
    """Ratio and claim of a row, apart. `shared`: doubts that are said elsewhere."""
    verdict = group.verdict
    if verdict is None:
        return {}
    ratio, _, interval = naming.ratio_words(verdict).partition(f"{numbers.TIMES} (")
    claim = naming.claim_label(group) if verdict.word else "no claim" if verdict.withheld in shared else verdict.withheld
    own = [doubt for doubt in verdict.doubts if doubt not in shared and doubt not in claim]
    return {
        "ratio": ratio.removesuffix(numbers.TIMES),
        "ratio_exact": numbers.exact(verdict.ratio) if verdict.ratio is not None else "",
        "ratio_interval": interval.removesuffix(")"),
        "claim": ", ".join([claim, *own]) if claim else "",
    }


def _describe_unmeasured(unmeasured: UnmeasuredCount, unit: str, factor: float) -> str:
    """`2 faster than could be measured (above 4 GiB/s)`. `factor`: base units in the drawn `unit`."""
    text = f"{numbers.count(unmeasured.count)} {notes.REASONS.get(unmeasured.reason, unmeasured.reason)}"
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
        exact="",
        interval="",
        runs=numbers.count(sum(unmeasured.count for unmeasured in place.unmeasured)),
        configurations="",
        verdict="",
        paired="",
        values=[],
        more=0,
        marks=[],
        reason=bars.describe_reason(place),
        has=tuple((bars.describe_other_workload(label, runs), query) for label, runs, query in place.has),
        configured=_configured(selection, place.x, place.series),
    )


def format_centers(center: float, bound: str, parts: Sequence[float], factor: float) -> tuple[str, str]:
    """The centre as it is shown and exactly: a bound with its sign, unlike sessions by the centre of each."""
    if len(parts) > 1:
        centers = [part / factor for part in parts]
        return "; ".join(map(numbers.number, centers)), "; ".join(map(numbers.exact, centers))
    shown, exact = numbers.number(center / factor), numbers.exact(center / factor)
    return notes.bounded(shown, bound), notes.bounded(exact, bound)


def _make_row(selection: Selection, group: Group, factor: float, values_shown: int) -> TableRow:
    """A group as a row of texts; its values are divided by `factor`, the base units in one shown unit."""
    interval, (center, exact) = "", format_centers(group.center, group.bound, group.parts, factor)
    if group.low is not None and group.high is not None and len(group.parts) < 2:
        interval = f"{numbers.number(group.low / factor)} to {numbers.number(group.high / factor)}"
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
        paired=_describe_basis(group.verdict) if group.verdict else "",
        values=values,
        more=group.runs - len(values),
        marks=[(CAVEATS[name].label, f"{HONESTY_PAGE}#{name}") for name in group.flags],
    )


def _failed_row(group: Group) -> TableRow:
    return TableRow(isolation.FAILURE_NOTE, "", numbers.UNKNOWN_SIGN, "", "", numbers.count(group.runs), "", "", "", [], 0, [])


def _describe_basis(verdict: Verdict) -> str:
    """The blocks of a verdict, its effect, and how many sessions would decide: `6 blocks; better in 92 % of pairs of runs`."""
    blocks = f"{verdict.paired} block{'' if verdict.paired == 1 else 's'}" if verdict.paired else ""
    effect = "" if verdict.effect is None else f"better in {numbers.percent(100 * verdict.effect)} of pairs of runs"
    needed = "" if verdict.needed is None else f"about {numbers.count(verdict.needed)} sessions would decide"
    return _PART.join(part for part in (blocks, effect, needed) if part)


def _format_overall(selection: Selection, panel: Panel) -> list[str]:
    """Each value of the baseline's axis against the baseline over the whole panel: number of ratios, claim, doubts."""
    label = naming.x_label if panel.baseline in panel.xs else naming.series_label
    texts = []
    for overall in panel.overall:
        interval = f"{numbers.number(overall.low)} to {numbers.number(overall.high)}; " if overall.low is not None else ""
        claim = f", {', '.join((overall.claim, *overall.doubts))}" if overall.claim else ""
        texts.append(f"{label(selection, overall.name)} {numbers.ratio(overall.ratio)} ({interval}{overall.ratios} ratios){claim}")
    return texts
