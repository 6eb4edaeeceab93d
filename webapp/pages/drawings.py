"""Panels with figure and table as the templates of the comparison page and of a permalink print them. Formats numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.utils.safestring import mark_safe

from webapp import figures
from webapp.comparison.dimensions import DIMENSIONS
from webapp.comparison.model import Comparison, Group, Panel, common_stat
from webapp.comparison.selection import METRIC, Selection, query_string
from webapp.comparison.summary import provenance
from webapp.drawing import plate
from webapp.figures import box, layout, naming, notes
from webapp.figures.kind import kind_of
from webapp.figures.plain import MAX_BARS, Figure
from webapp.formatting import numbers
from webapp.http import isolation
from webapp.pages.table_rows import MAX_VALUES_SHOWN, TableRow, failed_row, format_centers, make_rows, shared_doubts
from webapp.raidz import measured

_ON_PAGE = ("title", "subtitle", "notes", "top", "bottom")
_NOT_DRAWN = ("flags", "word")
PICTURE = "/compare.svg"
_INLINE = ("cdf", "histogram")
"""Kinds that no script draws."""
_INLINE_WIDTH = 760.0
_FEW = 2000
"""Points of curves up to which they are in the page as SVG, too."""
HEIGHTS = (12, 20, 30, 50, 100, 200)
"""Rows beyond which a figure is a step higher (static/css/components/figure.css)."""


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
    spread_name: str = ""
    """The head of the column with both ends of each group: `Lowest to highest`, `95 % interval`."""
    inline: str = ""
    """The figure as SVG where no script draws it."""
    stat: str = ""
    """The statistic of its centres in words; empty where that is said with each of them."""

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
        return [*self.shared_basis, *self.doubts]

    @property
    def pooled(self) -> bool:
        """Whether any group has several configurations."""
        return any(row.configurations not in ("", "1") for row in self.rows)

    @property
    def spread(self) -> bool:
        """Whether any group has two ends."""
        return any(row.interval for row in self.rows)

    @property
    def notes(self) -> list[str]:
        """Sentences beneath the figure: its own, and what its lines mean where sessions have one each."""
        return [*self.figure.get("notes", ()), *notes.describe_parts(self.figure)]

    @property
    def height(self) -> int:
        """The step of height that the figure needs, 0 to 6; it grows where groups are below each other."""
        series = len(self.figure.get("series", ()))
        rows = {"x": len(self.figure.get("x", {}).get("values", ())) * (1 + series) // 2, "series": series}
        return sum(rows.get(kind_of(self.figure).rows, 0) > limit for limit in HEIGHTS)

    @property
    def legend(self) -> bool:
        """Whether the figure needs a legend of colours: it has several series, which are not the rows of a heat map."""
        return kind_of(self.figure).has_legend and len(self.figure.get("series", ())) > 1

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
    def still(self) -> str:
        """The figure as SVG, which stands until a script has drawn it; '' of one with very many marks, or that fails."""
        if self.inline or len(self.figure["groups"]) > MAX_BARS or sum(len(c["v"]) for c in self.figure.get("curves", ())) > _FEW:
            return ""

        def draw() -> str:
            svg = plate.draw_inline(
                {**self.figure, "subtitle": ""}, self.title, f"{self.id}-still", _INLINE_WIDTH, title=False, legend_rows=0
            )
            return mark_safe(svg)  # noqa: S308 made of escaped parts

        return isolation.run_isolated("still figure", self.title, draw, str)

    @property
    def script_data(self) -> dict[str, Any]:
        """What the script draws of the figure: without texts that are on the page, and without empty keys of marks."""
        left_out = _ON_PAGE if "curves" not in self.figure else _ON_PAGE[1:]
        data = {key: part for key, part in layout.for_script(self.figure).items() if key not in left_out}
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
        if isolation.is_database_unusable(error):
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


def draw_beside(name: str, figure: Mapping[str, Any], summary: str, picture: str = "") -> Drawing:
    """Curves, a distribution, or percentiles over load, which have no table of their own. `picture`: of a figure that a script
    draws."""
    inline = ""
    if figure["kind"] in _INLINE:
        # Escaped by `drawing.text`.
        inline = mark_safe(plate.draw_inline(figure, summary, name, _INLINE_WIDTH, title=False, scrolls=True))  # noqa: S308 made of escaped parts
    return Drawing(
        id=name,
        title=figure["title"],
        unit=figure["unit"],
        better=figure["better"],
        x=figure["x"]["label"],
        series=figure.get("legend", ""),
        figure=figure,
        rows=[],
        summary=summary,
        wide=True,
        picture="" if inline else picture,
        inline=inline,
    )


def _draw_working_groups(comparison: Comparison, panel: Panel) -> list[Drawing]:
    """The panel with the groups that can be drawn alone. Slow: draws every group by itself."""

    def draw(groups: list[Group]) -> list[Drawing]:
        return _make_drawings(replace(comparison, panels=[replace(panel, groups=groups)])) if groups else []

    working = isolation.map_isolated(
        "group", panel.groups, lambda group: (draw([group]), group)[1], which=lambda group: (group.metric, group.x, group.series)
    )
    failed = [failed_row(group) for group in panel.groups if not any(group is other for other in working)]
    return [replace(drawing, rows=drawing.rows + failed) for drawing in draw(working)]


def _make_drawings(comparison: Comparison) -> list[Drawing]:
    pairs = zip(comparison.panels, figures.make_figures(comparison), strict=True)
    return [_make_drawing(comparison, panel, figure, number) for number, (panel, figure) in enumerate(pairs)]


def _make_drawing(comparison: Comparison, panel: Panel, figure: Figure, number: int) -> Drawing:
    selection = comparison.selection
    measured.add_model(comparison, panel, figure)
    unit, _ = naming.panel_unit(selection, panel)
    series = DIMENSIONS[selection.series].label if selection.series in DIMENSIONS else ""
    if selection.series == METRIC:
        series = "Metric"
    values_shown = MAX_VALUES_SHOWN if len(panel.groups) <= MAX_BARS else 1
    rows = make_rows(selection, panel, values_shown)
    for mark in figure["groups"]:
        mark["points"] = [
            point if len(point) > 2 or (index < MAX_VALUES_SHOWN and point[1]) else point[:1]
            for index, point in enumerate(mark["points"])
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
        doubts=shared_doubts(panel),
        hidden=tuple(_describe_hidden(selection, panel)),
        stat=naming.stat_name(common_stat(panel.groups), panel.unit),
        spread_name=notes.spread_name(group.interval for group in panel.groups),
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


def _format_overall(selection: Selection, panel: Panel) -> list[str]:
    """Each value of the baseline's axis against the baseline over the whole panel: number of ratios, claim, doubts."""
    label = naming.x_label if panel.baseline in panel.xs else naming.series_label
    texts = []
    for overall in panel.overall:
        interval = naming.interval_words(overall.ratio, overall.low, overall.high)
        basis = "; ".join(filter(None, (interval, f"{overall.ratios} ratios")))
        ratio = naming.relative_words(panel.metrics[0], overall.ratio)
        claim = f", {', '.join((overall.claim, *overall.doubts))}" if overall.claim else ""
        texts.append(f"{label(selection, overall.name)} {ratio} ({basis}){claim}")
    return texts
