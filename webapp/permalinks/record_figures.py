"""The frozen record -> drawings and tables of its page. Labels, units and figures come from the record, not from current code."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, cast

from webapp.comparison.caveats import CAVEATS, HONESTY_PAGE
from webapp.comparison.model import EmptyPlace, UnmeasuredCount
from webapp.curves.comparisons import ComparedCurves
from webapp.figures import bars, naming, notes
from webapp.figures.plain import CurvePoints, Figure
from webapp.files.addresses import file_address, line_address
from webapp.formats import captions, tidy
from webapp.formatting import numbers
from webapp.http import isolation
from webapp.pages.drawings import Drawing, describe_hidden_group, draw_beside
from webapp.pages.table_rows import (
    MAX_VALUES_SHOWN,
    TableRow,
    ValueCell,
    configured_names,
    describe_runs,
    format_centers,
    format_interval,
)
from webapp.permalinks import rendering
from webapp.permalinks.bundles.verify import is_beside_values

# Curves and distributions as a record keeps them: what is drawn, each point with the file of its line (`#f12` for file 12).

FILE = "#f"


@dataclass(frozen=True, slots=True)
class FrozenCurves:
    """The figures, and the ids of the files that their points were read from."""

    figures: list[Figure]
    files: tuple[int, ...]


def freeze_curves(made: ComparedCurves | None) -> FrozenCurves | None:
    """What is drawn, with the notes of all figures on the last one; None where nothing is."""
    if made is None or not made.figures:
        return None
    rows = [row.row for table in made.drawn.tables for row in table]
    places = {file_address(row.archive_id, row.file.path): row.file_id for row in rows}
    figures = [_figure(figure, places) for figure in made.figures]
    figures[-1]["notes"] = list(dict.fromkeys([*figures[-1]["notes"], *made.drawn.notes]))
    return FrozenCurves(figures, tuple(dict.fromkeys(places.values())))


def _figure(figure: Figure, places: Mapping[str, int]) -> Figure:
    """Points of marks (percentiles) have no address: their lines are not among the values of the record. `beside` marks what stands
    beside these values, whose centres are those of no group."""
    changed: dict[str, Any] = {
        "beside": True,
        "groups": [{**mark, "points": [[point[0], ""] for point in mark["points"]]} for mark in figure["groups"]],
        "notes": list(figure["notes"]),
    }
    if "curves" in figure:
        changed["curves"] = [_curve(curve, places) for curve in figure["curves"]]
    return cast(Figure, {**figure, **changed})


def _curve(curve: CurvePoints, places: Mapping[str, int]) -> CurvePoints:
    return {**curve, "raw": f"{FILE}{places[curve['raw']]}"} if "raw" in curve else curve


def with_addresses(figure: dict[str, Any], files: Mapping[str, Any], linked: Collection[int]) -> dict[str, Any]:
    """A figure of a record with the addresses of files whose archives can be read, and without the lines of others."""
    if "curves" not in figure:
        return figure
    curves = []
    for curve in figure["curves"]:
        file = files.get(str(curve.get("raw", "")).removeprefix(FILE))
        if file is not None and file["archive"] in linked:
            curves.append({**curve, "raw": file_address(file["archive"], file["path"])})
        else:
            curves.append({key: value for key, value in curve.items() if key not in ("raw", "lines")})
    return {**figure, "curves": curves}


_FAILED: Mapping[str, Any] = {"notes": [isolation.FAILURE_NOTE]}


def parse_record(record: bytes | memoryview) -> dict[str, Any]:
    """The record as JSON data."""
    return json.loads(bytes(record))


def sentence_of(record: Mapping[str, Any]) -> str:
    """What the frozen page said above its tables; of earlier records, which have not kept it, the claims as in their caption."""
    if "sentence" in record:
        return str(record["sentence"])
    return " ".join(captions.describe_claims(record)) if record["version"] >= tidy.FIRST_VERSION else ""


def draw_record(record: Mapping[str, Any], linked: Collection[int] = (), picture: str = "", within: str = "") -> list[Drawing]:
    """Every panel with its figure and table. Only lines of archives in `linked` have addresses. `picture`: address of a drawing
    of all panels, which the first one shows. `within`: the end of all ids, where a page has several records.

    A figure that cannot be drawn is replaced by a note; its table remains.
    """
    addresses = [_address(record, value, linked) for value in record["values"]]
    by_kind = {"#v": addresses, "#u": [_address(record, one, linked) for one in record.get("unmeasured", ())]}

    def insert(figure: Mapping[str, Any]) -> dict[str, Any]:
        return with_addresses(_insert_addresses(figure, by_kind), record["files"], linked)

    def isolate(make: Callable[[int], Any], replacement: Callable[[int], Any]) -> list[Any]:
        places = range(len(record["figures"]))
        return isolation.map_isolated("frozen figure", places, make, replacement, which=lambda _: record.get("id"))

    if any(is_beside_values(figure) for figure in record["figures"]):
        shown = isolate(
            lambda index: _beside_values(insert(record["figures"][index]), f"figure-{index}{within}"),
            lambda index: _not_drawn(record["figures"][index], f"figure-{index}{within}"),
        )
        tables = [
            _drawing(record, panel, {}, addresses, f"{len(shown) + index}{within}") for index, panel in enumerate(record["panels"])
        ]
        return [replace(shown[0], picture=picture), *shown[1:], *tables]
    figures = isolate(lambda index: insert(record["figures"][index]), lambda _: _FAILED)
    drawings = [
        _drawing(record, panel, figures[index] if index < len(figures) else {}, addresses, f"{index}{within}")
        for index, panel in enumerate(record["panels"])
    ]
    return [replace(drawings[0], picture=picture), *drawings[1:]] if drawings else []


def _beside_values(figure: Mapping[str, Any], name: str) -> Drawing:
    return draw_beside(name, figure, rendering.describe_figures([dict(figure)]))


def _not_drawn(figure: Mapping[str, Any], name: str) -> Drawing:
    """The place of a figure that cannot be drawn."""
    return Drawing(name, str(figure.get("title", "")), "", "", "", series="", figure=_FAILED, rows=[], summary="", wide=True)


def file_of_run(record: Mapping[str, Any], run: int) -> Mapping[str, Any]:
    """The record's file entry of a run."""
    return record["files"][str(record["runs"][str(run)]["file"])]


class ValuePlace(NamedTuple):
    """Where a value stands."""

    archive: int
    path: str
    line: str


def place_of_value(record: Mapping[str, Any], value: Mapping[str, Any]) -> ValuePlace:
    file = file_of_run(record, value["run"])
    return ValuePlace(file["archive"], file["path"], value["line"])


def _address(record: Mapping[str, Any], value: Mapping[str, Any], linked: Collection[int]) -> str:
    archive, path, line = place_of_value(record, value)
    return line_address(archive, path, line) if archive in linked else ""


def _insert_addresses(part: Any, addresses: Mapping[str, list[str]]) -> Any:
    """A copy of the figure in which each `#vN` and `#uN` is replaced by a line address."""
    if isinstance(part, dict):
        return {key: _insert_addresses(value, addresses) for key, value in part.items()}
    if isinstance(part, list):
        return [_insert_addresses(value, addresses) for value in part]
    if isinstance(part, str) and part[:2] in addresses and part[2:].isdecimal():
        return addresses[part[:2]][int(part[2:])]
    return part


def _drawing(record: Mapping, panel: Mapping, figure: Mapping, addresses: list[str], place: str) -> Drawing:
    rows = _rows(record, panel, figure, addresses)
    unit, better = panel["shown"]["unit"], figure.get("better", "")
    summary = "; ".join(f"{' '.join(part for part in (row.x, row.series) if part)} {row.reason or row.center}" for row in rows[:20])
    return Drawing(
        id=f"figure-{place}",
        title=panel["title"],
        unit=unit,
        better=better,
        x=panel["x"]["label"],
        series=panel["series"]["label"],
        figure=figure,
        rows=rows,
        summary=f"{panel['title']} in {unit}, {better}: {summary}",
        wide=len(rows) > 8,
        baseline=panel["baseline_label"],
        doubts=_shared_reason(panel),
        hidden=tuple(_describe_hidden(panel)),
        stat=naming.stat_name(_common_stat(record, panel), panel["unit"]),
        spread_name=notes.spread_name(group["interval"] for group in panel["groups"] if not group.get("hidden")),
    )


def _describe_hidden(panel: Mapping) -> list[str]:
    """The groups that the author does not show."""
    factor, unit = panel["shown"]["factor"], panel["shown"]["unit"]
    return [
        describe_hidden_group(
            configured_label(panel["x"], group["x"]),
            configured_label(panel["series"], group["series"]),
            format_centers(group["center"], group.get("bound", ""), group.get("parts", ()), factor)[0],
            unit,
            group["runs"] + sum(count["count"] for count in group.get("unmeasured", ())),
        )
        for group in panel["groups"]
        if group.get("hidden")
    ]


def _shared_reason(panel: Mapping) -> tuple[str, ...]:
    """Why none of several groups carries a claim, where all lack the same; old records have no reasons apart."""
    verdicts = [group["verdict"] for group in panel["groups"] if group["verdict"]]
    reasons = {verdict.get("withheld") or "" for verdict in verdicts}
    if len(verdicts) < 2 or len(reasons) > 1 or any(verdict["word"] for verdict in verdicts):
        return ()
    return tuple(filter(None, reasons))


def _common_stat(record: Mapping, panel: Mapping) -> str:
    """The statistic that all groups of a panel have; empty where they have unlike ones. Older records have one for all."""
    stats = {group.get("stat", record["method"]["stat"]) for group in panel["groups"]}
    return stats.pop() if len(stats) == 1 else ""


def _rows(record: Mapping, panel: Mapping, figure: Mapping, addresses: list[str]) -> list[TableRow]:
    """The groups of a panel, and the empty places of its figure where they stand on the axis."""
    x, series = ([value["text"] for value in panel[axis]["values"]] for axis in ("x", "series"))
    groups = [group for group in panel["groups"] if not group.get("hidden")]
    said = "".join(f": {reason}" for reason in _shared_reason(panel))
    rows = [_row(record, panel, group, addresses) for group in groups]
    rows = [replace(row, verdict=row.verdict.removesuffix(said)) for row in rows]
    empty = figure.get("empty") or [_empty_place(x, series, group) for group in panel.get("empty", ())]
    if not empty:
        return rows
    order = [(x.index(group["x"]), series.index(group["series"])) for group in groups]
    rows += [_empty_row(panel, place) for place in empty]
    order += [(place["x"], place["series"]) for place in empty]
    return [rows[index] for index in sorted(range(len(rows)), key=order.__getitem__)]


def _empty_place(x: list[str], series: list[str], group: Mapping) -> dict[str, Any]:
    """A group without any number as a place of a figure, for tables that stand beside other figures than their own."""
    counts = tuple(UnmeasuredCount(**count) for count in group["unmeasured"])
    text = bars.describe_reason(EmptyPlace(group["metric"], group["x"], group["series"], "", (), counts))
    return {"x": x.index(group["x"]), "series": series.index(group["series"]), "text": text}


def _empty_row(panel: Mapping, place: Mapping) -> TableRow:
    x, series = (panel[axis]["values"][place[axis]]["label"] for axis in ("x", "series"))
    return TableRow(x, series, numbers.UNKNOWN_SIGN, reason=place["text"])


def _row(record: Mapping, panel: Mapping, group: Mapping, addresses: list[str]) -> TableRow:
    factor = panel["shown"]["factor"]
    values = [(record["values"][number], addresses[number]) for number in group["values"]]
    cells = [
        ValueCell(numbers.number(value["value"] / factor), _source_text(record, value), "", address)
        for value, address in values[:MAX_VALUES_SHOWN]
    ]
    parts = group.get("parts", ())
    interval = "" if len(parts) > 1 else format_interval(group["low"], group["high"], group.get("open", ()), factor)
    verdict = group["verdict"] or {}
    count = verdict.get("paired")
    basis = (f"{count} matched pair{'' if count == 1 else 's'}",) if count else ()
    marks = [(CAVEATS[name].label, f"{HONESTY_PAGE}#{name}") for name in group["flags"] if name in CAVEATS]
    center, exact = format_centers(group["center"], group.get("bound", ""), parts, factor)
    if not _common_stat(record, panel):
        center = f"{center} ({naming.stat_name(group['stat'], panel['unit'])})"
    unmeasured = [UnmeasuredCount(**count) for count in group.get("unmeasured", ())]
    return TableRow(
        x=place_label(panel["x"], group["x"]),
        series=place_label(panel["series"], group["series"]),
        center=center,
        exact=exact,
        interval=interval,
        runs=describe_runs(group["runs"], unmeasured, panel["shown"]["unit"], factor),
        configurations=numbers.count(group["configurations"]),
        verdict=group["verdict_words"],
        basis=basis,
        values=cells,
        more=group["runs"] - len(cells),
        marks=marks,
        configured=configured_names(
            (place_label(panel["x"], group["x"]), place_label(panel["series"], group["series"])),
            (configured_label(panel["x"], group["x"]), configured_label(panel["series"], group["series"])),
        ),
    )


def place_label(axis: Mapping, text: str) -> str:
    """The frozen label of an axis value; the value itself where it has none."""
    return next((value["label"] for value in axis["values"] if value["text"] == text), text)


def configured_label(axis: Mapping, text: str) -> str:
    """The frozen label of an axis value as its configuration has it, whatever the author named it."""
    return next((value.get("configured", value["label"]) for value in axis["values"] if value["text"] == text), text)


def _source_text(record: Mapping, value: Mapping) -> str:
    _, path, line = place_of_value(record, value)
    return f"{printed_value(value)} at {path}:{line}"


def printed_value(value: Mapping) -> str:
    """The raw text of a value, with its unit appended where the text does not end with it."""
    raw, unit = value["raw"], value["raw_unit"]
    return raw if not unit or raw.endswith(unit) else f"{raw} {unit}"
