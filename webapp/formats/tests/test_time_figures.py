"""Curves over time in every way out: a gap ends a line, a band has its ends, phases are named, numbers are those of the figure."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from webapp.figures import notes
from webapp.formats.curves import to_csv
from webapp.formats.drawing import plate as print_plate
from webapp.formats.drawing import saving
from webapp.formats.drawing.look import Look
from webapp.formats.drawing.stamp import Stamp
from webapp.formats.svg import plate

STAMP = Stamp("https://bench.example.org/series?run=1&run=2", "", 2, "", title="Write throughput")
NAME = 'ext4 <b>&"'


def figure(**changes) -> dict:
    made = {
        "kind": "time",
        "title": "Write throughput: sda",
        "subtitle": "fio",
        "unit": "MiB/s",
        "better": "",
        "scale": "linear",
        "x": {"label": "s since the start of the run", "values": [], "scale": "linear", "low": 0.0, "high": 10.0},
        "series": [{"name": NAME, "style": 0, "marker": "dash"}, {"name": "xfs", "style": 1, "marker": "dash"}],
        "groups": [],
        "notes": ["1 gap"],
        "legend": "File system",
        "phases": [{"name": "write", "start": 0.0, "end": 6.0}, {"name": "read", "start": 6.0, "end": 12.0}],
        "curves": [
            {"series": 0, "t": [0.0, 1.0, 5.0, 6.0, 9.0], "v": [1.0, 2.0, 3.0, 4.0, 5.0], "breaks": [2, 4], "total": 5}
            | {"raw": "/archives/1/raw/a", "lines": [1, 2, 3, 4, 5]},
            {
                "series": 1,
                "t": [1.0, 2.0],
                "v": [2.0, 3.0],
                "low": [1.0, 2.5],
                "high": [4.0, 7.0],
                "n": [3, 3],
                "breaks": [],
                "total": 6,
            },
        ],
    }
    return made | changes


def drawn(*figures: dict) -> str:
    return plate.draw(plate.Plate("Over time", "two curves", figures, "Poolmark"))


def test_a_gap_ends_the_line_and_a_lone_point_is_a_short_one():
    text = drawn(figure())
    ElementTree.fromstring(text)
    [first, second] = re.findall(r'<path d="([^"]*)" class="n l[01]" stroke-width="1.25"', text)
    assert (first.count("M"), first.count("L"), second.count("M"), second.count("L")) == (3, 3, 1, 1)
    [band] = re.findall(r'<path d="([^"]*)" class="f1" fill-opacity', text)
    assert band.count("M") == 1 and band.count("L") == 3 and band.endswith("Z")


def test_phases_stay_within_the_frame_and_are_named():
    text = drawn(figure())
    assert re.findall(r">(write|read)</text>", text) == ["write", "read"]
    shades = [
        (float(x), float(width)) for x, width in re.findall(r'<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)"[^>]*class="fr"', text)
    ]
    assert len(shades) == 2
    assert shades[0][0] + shades[0][1] == pytest.approx(shades[1][0])
    assert shades[1][0] + shades[1][1] <= 800


@pytest.mark.parametrize("scale", ["linear", "log"])
@pytest.mark.parametrize("phases", [True, False])
def test_every_way_out_draws_it(scale, phases):
    one = figure(scale=scale, **({} if phases else {"phases": []}))
    assert drawn(one, one).count("<svg") == 1
    made = print_plate.draw_plate([one, one], STAMP, 180, Look())
    assert saving.to_pdf(made, STAMP, "two curves").startswith(b"%PDF-")
    axes = made.subfigs[1].axes[0]
    assert axes.get_xlim() == (0.0, 10.0)
    low, high = axes.get_ylim()
    assert low <= 1.0 and high >= 7.0
    assert len(axes.lines[0].get_xdata()) == 5 + 2  # a break between segments


def test_the_csv_says_where_a_line_begins_anew():
    rows = to_csv([figure()]).splitlines()  # type: ignore[list-item]
    assert [row.rsplit(",", 1)[1] for row in rows[1:]] == ["0", "0", "1", "0", "1", "0", "0"]
    assert rows[-1].endswith("2.0,3.0,2.5,7.0,3,MiB/s,,,0")


def distribution(kind: str, scale: str = "linear") -> dict:
    """Two distributions over 1 to 100 ms."""
    curves = [
        {"series": at, "t": [1.0, 10.0, 10.0, 100.0], "v": [0.0, 20.0, 60.0 + at, 100.0], "breaks": [], "total": 40}
        for at in (0, 1)
    ]
    x = {"label": "ms", "values": [], "scale": scale, "low": 1.0, "high": 100.0}
    return figure(kind=kind, unit="% of the points", x=x, curves=curves, phases=[])


@pytest.mark.parametrize("scale", ["linear", "log"])
@pytest.mark.parametrize("kind", ["cdf", "histogram"])
def test_distributions_are_drawn_for_print_with_dashes_and_marks(kind, scale):
    made = distribution(kind, scale)
    assert saving.to_pdf(print_plate.draw_plate([made], STAMP, 180), STAMP).startswith(b"%PDF")
    assert 'stroke-dasharray="6 3"' in drawn(made)


def test_marks_stand_at_other_places_for_each_series_and_tell_them_apart():
    times = [float(at) for at in range(101)]
    curves = [{"series": at, "t": times, "v": times, "breaks": [], "total": 101} for at in (0, 1)]
    series = [{"name": name, "style": 0, "marker": marker} for name, marker in (("ext4", "rect"), ("xfs", "triangle"))]
    made = figure(
        x={"label": "s", "values": [], "scale": "linear", "low": 0.0, "high": 100.0}, curves=curves, series=series, phases=[]
    )
    first, second = (notes.marked(made, curve) for curve in curves)
    assert len(first) == len(second) == notes.MARKED
    assert not {*first} & {*second}
    assert notes.marked(figure(series=series[:1]), curves[0]) == []
    svg = drawn(made)
    assert svg.count(">ext4<") == 2 + 1  # the legend, the end of the curve, the title of its group
