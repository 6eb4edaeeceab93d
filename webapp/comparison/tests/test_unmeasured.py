"""Runs without a number have their groups, panels and bounds."""

from __future__ import annotations

from webapp.comparison import absent, compared_set
from webapp.comparison import groups as grouping
from webapp.comparison.model import Panel
from webapp.comparison.rows import bounded_rows
from webapp.comparison.selection import METRIC, parse
from webapp.comparison.summary.columns import Columns
from webapp.comparison.summary.provenance import Observed
from webapp.comparison.summary.row import SummaryRow, UnmeasuredRow, UnmeasuredRun
from webapp.tests.rows import row

GIB = 2**30


def bounded(of: SummaryRow, n: int = 2, reason: str = "too_fast", bound: float | None = 50.0) -> UnmeasuredRow:
    """Runs like those of a row, which are faster than 50 B/s."""
    runs = tuple(UnmeasuredRun(1, run, 1, 1) for run in range(n))
    side = "" if bound is None else "above"
    return UnmeasuredRow(of.metric, of.configuration, of.workload, of.texts, reason, bound, side, runs)


def draw(query: str, measured: list[SummaryRow], missing: list[UnmeasuredRow]) -> list[Panel]:
    selection = parse([tuple(part.split("=", 1)) for part in f"metric=write.throughput&{query}".split("&")])
    if len(selection.metrics) > 1:
        selection = selection.changed(series=METRIC)
    rows = Columns(measured) if measured else bounded_rows(selection, missing)
    chosen = compared_set.choose_rows(selection, rows)
    panels = grouping.make_panels(selection, chosen.rows if measured else chosen.rows.none())
    counted = absent.with_unmeasured(selection, chosen, panels, grouping.normalise_bounds(selection, missing))
    return grouping.unify_statistics(selection, counted)


def drawn(panel: Panel) -> list[tuple[str, str, int, float, str]]:
    return [(group.x, group.metric, group.n, group.center, group.bound) for group in panel.groups]


WRITE = "write.throughput"
OFF, LZ4 = (row(1.0, 2.0, 3.0, compression=name, file_size=GIB) for name in ("off", "lz4"))


def it_draws_groups_at_their_bounds_where_no_run_gave_a_number():
    [panel] = draw("x=compression", [], [bounded(OFF, 4), bounded(LZ4)])
    assert drawn(panel) == [("off", WRITE, 4, 50.0, "above"), ("lz4", WRITE, 2, 50.0, "above")]
    assert (panel.unit, panel.better, panel.xs) == ("B/s", "more", ["off", "lz4"])


def it_draws_nothing_where_no_run_has_a_bound():
    assert draw("x=compression", [], [bounded(OFF, reason="failed", bound=None)]) == []


def it_names_failed_runs_beside_bounded_ones():
    [panel] = draw("x=compression", [], [bounded(OFF), bounded(LZ4, reason="failed", bound=None)])
    assert drawn(panel) == [("off", WRITE, 2, 50.0, "above")]
    [place] = panel.empty
    assert place.x == "lz4" and place.unmeasured[0].reason == "failed"


def it_passes_bounded_runs_through_the_filters():
    [panel] = draw("x=compression&compression=lz4", [], [bounded(OFF), bounded(LZ4)])
    assert [x for x, *_ in drawn(panel)] == ["lz4"]


def it_draws_one_workload_the_one_with_most_repeated_values():
    other = row(1.0, compression="off", file_size=2 * GIB)
    [panel] = draw("x=compression", [], [bounded(OFF, 3), bounded(LZ4, 3), bounded(other, 9)])
    assert [(x, n) for x, _, n, *_ in drawn(panel)] == [("off", 3), ("lz4", 3)]


def it_adds_the_panel_of_a_facet_of_which_no_run_gave_a_number():
    zfs, btrfs = (
        [row(1.0, 2.0, 3.0, compression=name, layout=layout, file_size=GIB) for name in ("off", "lz4")]
        for layout in ("raidz2(6)", "mirror(2)")
    )
    panels = draw("x=compression&facet=layout&control=off", zfs, [bounded(one) for one in btrfs])
    assert [panel.title for panel in panels] == ["mirror(2)", "raidz2(6)"], "in the order of the facet"
    assert [x for x, *_ in drawn(panels[0])] == ["off", "lz4"] and len(panels[1].groups) == 2


def it_adds_a_metric_of_the_same_unit_to_the_panel():
    read = row(1.0, compression="off", file_size=GIB, metric="read.throughput")
    [panel] = draw("metric=read.throughput&x=compression", [OFF, LZ4], [bounded(read)])
    assert panel.metrics == (WRITE, "read.throughput") and panel.series == [WRITE, "read.throughput"]
    assert ("off", "read.throughput", 2, 50.0, "above") in drawn(panel)


def it_counts_runs_that_ended_in_an_error_by_machine_and_session():
    of = row(1.0, 2.0, 3.0, compression="lz4", file_size=GIB)
    errors = ("no space left", "", "no space left")
    seen = {
        measurement: Observed(5, 7, 1, measurement, "a.txt", "1", None, False, bool(error), error=error)
        for measurement, error in zip(of.ids, errors, strict=True)
    }
    [failed] = absent.failed_rows(Columns([of]), seen)
    assert (failed.reason, failed.error, failed.bound) == ("failed", "no space left", None)
    assert [(run.session, run.machine, run.run) for run in failed.runs] == [(5, 7, of.ids[0]), (5, 7, of.ids[2])]
    [panel] = draw("x=compression", [OFF, row(2.0, compression="lz4", file_size=GIB)], [failed])
    group = next(group for group in panel.groups if group.x == "lz4")
    assert (group.n, group.runs, [run.error for run in group.missing]) == (3, 1, ["no space left"] * 2)


def it_keeps_failed_runs_of_other_options_out_and_those_of_a_default_in():
    drawn_rows = [row(1.0, fs="ext4", atime="relatime", file_size=GIB), row(2.0, fs="xfs", atime="relatime", file_size=GIB)]
    failed = [
        bounded(row(1.0, fs=fs, atime=atime, file_size=GIB), reason="failed", bound=None)
        for fs, atime in (("zfs", "on"), ("btrfs", "off"), ("jfs", "~"))
    ]
    [panel] = draw("x=fs", drawn_rows, failed)
    assert [place.x for place in panel.empty] == ["zfs", "jfs"]
