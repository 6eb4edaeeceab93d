"""Comparison -> plain figures of every kind: what is drawn, and what is said where a kind cannot be drawn."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from urllib.parse import parse_qsl

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.comparison import groups, judged
from webapp.comparison.compared_set import CONTROLLED, ChosenRows
from webapp.comparison.model import Comparison
from webapp.comparison.search import choose_metric
from webapp.comparison.selection import KINDS, parse, query_string
from webapp.comparison.summary.columns import Columns
from webapp.drawing import looks, plate
from webapp.figures import box, layout, make_figures, naming
from webapp.figures.kind import KINDS as DRAWN_KINDS
from webapp.figures.plain import CURVE_LABELS
from webapp.tests.rows import row

MIB = 2**20


def drawn(query: str, *rows):
    """The figures of these rows, grouped as they are."""
    selection = parse([tuple(part.split("=", 1)) for part in query.split("&")])
    grouped, chosen = groups.make_panels(selection, Columns(rows)), ChosenRows(Columns(rows), CONTROLLED)
    panels = judged.judge_groups(selection, chosen, grouped, judged.ObservedValues())
    return make_figures(Comparison(selection, panels, [], [], [], [], [], 0, 0, ""))


def rows_of(metric="write.throughput", **told):
    return [
        row(at * MIB, 2 * at * MIB, metric=metric, compression=name, threads=at, **told)
        for at, name in enumerate(("off", "lz4", "gzip-6"), 1)
    ]


@pytest.mark.parametrize("kind", DRAWN_KINDS)
def it_draws_every_kind_from_any_selection_or_says_why_not(kind):
    for query in ("x=compression", "x=threads", "x=compression&series=threads", "x=compression&baseline=off", "facet=threads"):
        for figure in drawn(f"metric=write.throughput&kind={kind}&{query}", *rows_of()):
            assert figure["kind"] == kind or "Bars are drawn instead." in figure["notes"][-1]
            assert figure["groups"]
            assert json.loads(json.dumps(figure, allow_nan=False)) == figure


def it_names_every_kind():
    assert [*DRAWN_KINDS, *CURVE_LABELS] == KINDS
    assert [*DRAWN_KINDS] == ["bars", "dots", "lines", "box", "scatter", "heat", "ratio"]


def it_writes_kind_and_order_into_the_address_only_where_they_are_not_the_usual():
    assert query_string(parse([("kind", "bars"), ("sort", "value"), ("x", "os")])) == "x=os&sort=value"
    assert parse([("kind", "pie")]).strange == (("kind", "pie"),)


def it_places_lines_on_a_log_axis_where_numbers_double():
    [figure] = drawn("metric=write.throughput&x=threads&kind=lines", *[row(1.0, threads=n) for n in (1, 2, 4, 8)])
    assert (figure["x"]["numbers"], figure["x"]["scale"]) == ([1, 2, 4, 8], "log")
    [figure] = drawn("metric=write.throughput&x=threads&kind=lines", *[row(1.0, threads=n) for n in (0, 2, 8)])
    assert figure["x"]["scale"] == "linear"


def it_says_which_runs_have_no_place_on_a_line():
    [figure] = drawn("metric=write.throughput&x=threads&kind=lines", row(1.0, threads=1), row(1.0, threads=2), row(2.0, 3.0))
    assert figure["x"]["numbers"] == [1, 2, None]
    assert figure["notes"] == ["Not on the axis, but in the table: 2 runs for which threads is unknown."]


LATENCY = "metric=random_read.latency&x=aggregate&kind=lines"


def percentiles(*names, **told):
    return [row(at * 1e-3, 2e-3 * at, metric="random_read.latency", aggregate=name, **told) for at, name in enumerate(names, 1)]


def it_places_percentiles_on_a_log_axis_of_what_is_above_them():
    names = ("p99.9", "p1", "p50", "mean", "p99.25", "p90", "p99.5", "p99", "max", "p99.99")
    [figure] = drawn(f"{LATENCY}&series=fs", *percentiles(*names, fs="ext4"), *percentiles(*names, fs="zfs"))
    x = figure["x"]
    assert x["values"] == ["p1", "p50", "p90", "p99", "p99.25", "p99.5", "p99.9", "p99.99", "max", "mean"]
    assert x["numbers"] == [0.004365, 0.30103, 1.0, 2.0, 2.124939, 2.30103, 3.0, 4.0, None, None]
    assert x["ticks"] == [(0.30103, "50 %"), (1.0, "90 %"), (2.0, "99 %"), (3.0, "99.9 %"), (4.0, "99.99 %")]
    assert (x["label"], x["scale"], figure["kind"]) == ("Percentile", "linear", "lines")
    assert figure["notes"] == ["No percentiles, and only in the table: max, mean."]
    assert layout.lay_out(figure)["places"]["labels"] == ["50 %", "90 %", "99 %", "99.9 %", "99.99 %"]


@pytest.mark.parametrize(
    ("query", "rows", "reason"),
    [
        (LATENCY, percentiles("p99"), "no line has two values of percentile here"),
        (LATENCY, percentiles("p99", "max", "mean"), "no line has two values of percentile here"),
        (f"{LATENCY}&series=fs", percentiles("p99", fs="a") + percentiles("p50", fs="b"), "no line has two values"),
        (LATENCY, percentiles("max", "mean"), "No percentile is among"),
        ("metric=write.throughput&x=threads&kind=lines", [row(1.0, 2.0, threads=4)], "no line has two values of threads"),
        ("metric=write.throughput&x=threads&series=compression&kind=lines", rows_of(), "no line has two values of threads"),
    ],
)
def it_draws_no_line_of_a_single_point(query, rows, reason):
    [figure] = drawn(query, *rows)
    assert figure["kind"] == "bars" and reason in figure["notes"][0]


def it_joins_the_centres_of_each_session_along_percentiles_in_pictures():
    [figure] = drawn(f"{LATENCY}&scale=log", *percentiles("p50", "p90", "p99"))
    plain = plate.draw(plate.Plate("t", "t", [figure]))
    figure["groups"][1]["parts"] = figure["groups"][2]["parts"] = [1.0, 2.0, 4.0]
    fanned = plate.draw(plate.Plate("t", "t", [figure]))
    paths = [text.count("M") for text in re.findall(r'<path d="(M[^"]*)" class="n l', plain + fanned)]
    assert paths == [1, 3 + 3 + 3]  # three starts of no line, a fan of three, three lines


def it_draws_boxes_from_five_runs_on():
    [figure] = drawn("metric=write.throughput&x=os&kind=box", row(*(n * MIB for n in range(1, 10)), os="a"), row(MIB, os="b"))
    assert [mark.get("box") for mark in figure["groups"]] == [[1, 3, 5, 7, 9], None]


@pytest.mark.parametrize(
    ("runs", "barless"),
    [((3, 3), False), ((1, 1), False), ((3, 1), True), ((1, 3, 3), True)],
)
@pytest.mark.parametrize("facet", ["", "&facet=os"])
def it_has_one_glyph_in_a_figure(runs, barless, facet):
    """Where one group is a single run, none is a bar, in no panel."""
    rows = [row(*[n * MIB for _ in range(n)], compression=f"gzip-{at}", os="a") for at, n in enumerate(runs, 1)]
    rows += [row(*[MIB] * runs[0], compression=f"gzip-{at}", os="b") for at in (1, 2)] if facet else []
    figures = drawn(f"metric=write.throughput&x=compression&control=off{facet}", *rows)
    assert len(figures) == (2 if facet else 1)
    assert {layout.for_script(figure).get("barless", False) for figure in figures} == {barless}


@given(st.lists(st.floats(0, 1e12), min_size=5, max_size=60))
def it_orders_the_five_numbers_of_a_box(values):
    five = box.five_number_summary(values)
    assert five == sorted(five) and five[0] == min(values) and five[-1] == max(values)


def it_scatters_the_second_metric_along_x():
    rows = [*rows_of(), *rows_of("read.throughput")[:2]]
    scatter, bars = drawn("metric=write.throughput&metric=read.throughput&x=compression&kind=scatter", *rows)
    assert (scatter["kind"], bars["kind"]) == ("scatter", "bars")
    assert [mark["across"]["center"] for mark in scatter["groups"]] == [1.5, 3.0]
    assert scatter["notes"] == ["Not drawn: 1 group without a value of both metrics."]
    assert scatter["x"]["label"] == "Sequential read, throughput"
    assert scatter["title"] == "Sequential write, throughput, against Sequential read, throughput"


def it_draws_the_second_metric_of_many_groups_by_dots():
    rows = [row(1.0, metric=f"{name}.throughput", host=f"h{at}") for name in ("write", "read") for at in range(25)]
    found = drawn("metric=write.throughput&metric=read.throughput&x=host&kind=scatter", *rows)
    assert [figure["kind"] for figure in found] == ["scatter", "dots"]


def it_gives_a_heat_map_the_reach_of_its_colours():
    [figure] = drawn("metric=write.throughput&x=compression&series=threads&kind=heat", *rows_of())
    assert figure["reach"] == [1.5, 4.5]


def it_draws_ratios():
    rows = [row(base, metric="write.throughput", compression=name) for name, base in (("off", 10.0), ("lz4", 20.0))]
    [figure] = drawn("metric=write.throughput&x=compression&baseline=off&kind=ratio", *rows)
    [mark] = figure["groups"]
    assert (mark["points"], mark["pairs"], mark["center"]) == ([[2.0, ""]], 0, 2.0)
    assert (figure["unit"], figure["scale"]) == ("ratio to off", "log")


def it_gives_small_multiples_one_scale():
    found = drawn("metric=write.throughput&x=compression&facet=threads", *rows_of())
    assert {figure["top"] for figure in found} == {6.0}


@pytest.mark.parametrize(
    ("metric", "order"), [("write.throughput", ["gzip-6", "lz4", "off"]), ("copy.elapsed", ["off", "lz4", "gzip-6"])]
)
def it_puts_the_best_first_where_asked(metric, order):
    [figure] = drawn(f"metric={metric}&x=compression&sort=value", *rows_of(metric))
    assert figure["x"]["values"] == order
    assert [figure["x"]["values"][mark["x"]] for mark in figure["groups"]] == order


def crowd(hosts: int, compressions: int):
    """Two runs of each of hosts times compressions groups."""
    return [
        row(MIB * (1 + host), 2 * MIB * (1 + host), host=f"node{host:04}", compression=f"zstd-{at}")
        for host in range(hosts)
        for at in range(1, 1 + compressions)
    ]


def it_draws_a_heat_map_where_bars_would_be_too_many_to_tell_apart():
    [figure] = drawn("metric=write.throughput&x=host&series=compression", *crowd(200, 10))
    assert (figure["kind"], len(figure["groups"]), len(figure["series"])) == ("heat", 2000, 10)
    assert "heat map is drawn instead" in figure["notes"][-1]
    for query, rows in (
        ("&series=compression", crowd(30, 10)),
        ("", crowd(2000, 1)),
        ("&series=compression&baseline=zstd-1", crowd(200, 10)),
    ):
        [figure] = drawn(f"metric=write.throughput&x=host{query}", *rows)
        assert figure["kind"] == "bars"


@pytest.mark.parametrize(
    ("metric", "value", "query", "unit", "drawn_as"),
    [
        ("write.throughput", 800.0, "", "B/s", 800.0),
        ("write.throughput", 512 * 2.0**10, "", "KiB/s", 512.0),
        ("write.throughput", 2930 * 2.0**20, "", "MiB/s", 2930.0),
        ("write.throughput", 10 * 2.0**30, "", "GiB/s", 10.0),
        ("write.throughput", 12e9, "&unit=MB", "GB/s", 12.0),
        ("write.throughput", 2930e6, "&unit=MB", "MB/s", 2930.0),
        ("write.throughput", 0.0, "", "MiB/s", 0.0),
        ("copy.elapsed", 33000.0, "", "h", 33000 / 3600),
        ("copy.elapsed", 7200.0, "", "h", 2.0),
        ("copy.elapsed", 1200.0, "", "min", 20.0),
        ("copy.elapsed", 999.0, "", "s", 999.0),
        ("copy.elapsed", 0.25, "", "ms", 250.0),
        ("seek.rate", 1234.0, "", "1/s", 1234.0),
        ("io500.score", 1234.0, "", "score", 1234.0),
        ("copy.compressratio", 1.5, "", "ratio", 1.5),
    ],
)
def it_has_a_unit_that_fits_its_size(metric, value, query, unit, drawn_as):
    [figure] = drawn(f"metric={metric}&x=compression{query}", row(value, metric=metric, compression="off"))
    assert (figure["unit"], figure["groups"][0]["center"]) == (unit, pytest.approx(drawn_as))


def it_names_the_dimension_of_its_series():
    [figure] = drawn("metric=write.throughput&x=compression&series=threads", *rows_of())
    assert figure["legend"] == "Threads"
    [figure] = drawn("metric=write.throughput&x=compression", *rows_of())
    assert "legend" not in figure


FAMILIES = [
    ("off", "on"),
    ("off", "lz4", "lzjb", "gzip-6", "zstd-3"),
    ("FreeBSD", "Linux", "SunOS"),
    ("btrfs", "ext4", "xfs", "zfs"),
    ("write.throughput", "rewrite.throughput", "read.throughput"),
    *[tuple(f"{word}{number}" for number in range(count)) for word in ("host", "raidz", "fs-") for count in (2, 3, 5)],
]


@pytest.mark.parametrize("names", FAMILIES)
def it_gives_neighbours_colours_that_differ_in_lightness(names):
    styles = naming.series_styles(names)
    light = [naming.LIGHTNESS[styles[name]] for name in names]
    assert len(set(styles.values())) == len(names)
    assert all(abs(one - other) >= naming.MIN_DIFFERENCE for one, other in pairwise(light))


def it_knows_how_light_its_colours_are():
    def lightness(colour: str) -> float:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        return 116 * (0.2126 * red + 0.7152 * green + 0.0722 * blue) ** (1 / 3) - 16

    assert [round(lightness(colour)) for colour in looks.LIGHT.series] == list(naming.LIGHTNESS)
    dark = [lightness(colour) for colour in looks.DARK.series]
    for names in FAMILIES[:5]:
        styles = naming.series_styles(names)
        assert all(abs(dark[styles[one]] - dark[styles[other]]) >= 8 for one, other in pairwise(names))


def it_has_no_round_marker():
    """A dot is a run."""
    assert "circle" not in naming.MARKERS and len(set(naming.MARKERS)) == naming.COLOURS


@pytest.mark.parametrize(
    ("metrics", "names"),
    [
        (("write.throughput",), ["Sequential write"]),
        (("write.throughput", "rewrite.throughput"), ["Sequential write", "Rewrite"]),
        (
            ("create_seq.rate", "create_rand.rate", "delete_seq.rate"),
            ["Create files (in order)", "Create files (random)", "Delete files"],
        ),
        (("write.throughput", "write.latency"), ["Sequential write (throughput)", "Sequential write (latency)"]),
        (("create_seq.rate", "create_seq.latency"), ["Create files (in order, rate)", "Create files (in order, latency)"]),
    ],
)
def it_gives_each_metric_a_name_of_its_own(metrics, names):
    assert list(naming.metric_names(metrics).values()) == names
    selection = parse([*(("metric", name) for name in metrics), ("x", "fs"), ("series", "metric")])
    assert [naming.series_label(selection, name) for name in metrics] == names


BOTH = "metric=write.throughput&metric=read.throughput&x=compression&kind=scatter"
WRITE_AND_READ = [*rows_of()[:1], *rows_of("read.throughput")[1:2]]


@pytest.mark.parametrize(
    ("address", "rows", "why"),
    [
        ("metric=write.throughput&x=compression&kind=scatter", rows_of(), "A scatter needs exactly two metrics."),
        (f"{BOTH}&metric=write.rate", rows_of(), "A scatter needs exactly two metrics."),
        (BOTH, rows_of(), "A scatter needs a value of both metrics: none of Sequential read, throughput is drawn."),
        (BOTH, WRITE_AND_READ, "A scatter needs a value of both metrics, and no group has both."),
        ("metric=write.throughput&x=compression&kind=lines", rows_of(), "Lines need an axis of numbers, such as threads"),
        (
            "metric=write.throughput&x=threads&kind=lines",
            [row(1.0)],
            "Lines need an axis of numbers, and threads is unknown of every group.",
        ),
        ("metric=write.throughput&x=compression&kind=heat", rows_of(), "A heat map needs a dimension across and one as series."),
        ("metric=write.throughput&x=compression&kind=ratio", rows_of(), "Ratios need a baseline."),
        (
            "metric=write.throughput&x=compression&baseline=off&kind=ratio",
            [row(0.0, compression="off"), row(1.0, compression="lz4")],
            "No ratio to off can be said.",
        ),
    ],
)
def it_says_what_a_kind_lacks_for_which_bars_are_drawn(address, rows, why):
    for figure in drawn(address, *rows):
        assert figure["kind"] == "bars"
        assert any(note.startswith(why) and note.endswith("Bars are drawn instead.") for note in figure["notes"])


def it_scatters_metrics_that_the_address_makes_series():
    selection = choose_metric(parse(parse_qsl(f"{BOTH}&series=metric")), {})
    scatter, _ = drawn(query_string(selection), *rows_of(), *rows_of("read.throughput"))
    assert scatter["kind"] == "scatter" and [one["name"] for one in scatter["series"]] == [""]


@pytest.mark.parametrize(
    ("metric", "ratio", "bound", "said"),
    [
        ("write.throughput", 0.621, "", "38 % slower"),
        ("write.throughput", 1.52, "", "52 % faster"),
        ("write.throughput", 2.6, "", "2.60\N{MULTIPLICATION SIGN}"),
        ("random_read.rate", 0.02, "", "98 % slower"),
        ("write.throughput", 0.0012, "", "99.9 % slower"),
        ("extract.elapsed", 1.38, "", "38 % longer"),
        ("extract.elapsed", 0.72, "", "28 % less time"),
        ("read.latency", 1.05, "", "5 % higher"),
        ("write.cpu", 0.5, "", "50 % lower"),
        ("write.throughput", 1.0001, "", "equal"),
        ("write.throughput", 1.5, "above", "more than 50 % faster"),
        ("write.throughput", 1.5, "below", "at most 50 % faster"),
        ("write.throughput", 0.75, "above", "at most 25 % slower"),
        ("write.throughput", 0.75, "below", "more than 25 % slower"),
        ("write.throughput", 3.0, "above", "more than 3\N{MULTIPLICATION SIGN}"),
    ],
)
def it_says_how_much_faster_or_slower(metric, ratio, bound, said):
    assert naming.relative_words(metric, ratio, bound).replace("\N{NO-BREAK SPACE}", " ") == said


@given(st.floats(1e-9, 1.9999))
def it_never_says_that_everything_is_gone(ratio):
    """Nor that what is slower is as fast."""
    said = naming.relative_words("write.throughput", ratio)
    share = said.partition("\N{NO-BREAK SPACE}")[0]
    assert share == "equal" or (ratio < 1) == ("slower" in said)
    assert ratio > 1 or ratio < 1e-6 or share != "100"
