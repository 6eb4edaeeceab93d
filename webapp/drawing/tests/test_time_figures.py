"""Curves over time in every way out: a gap ends a line, a band has its ends, phases are named, numbers are those of the figure."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from webapp.drawing import plate
from webapp.figures import notes
from webapp.formats.curve_tables import curves_csv
from webapp.tests.drawn import curves, distribution


def drawn(*figures: dict) -> str:
    return plate.draw(plate.Plate("Over time", "two curves", figures, "Poolmark"))


def test_a_gap_ends_the_line_and_a_lone_point_is_a_short_one():
    text = drawn(curves())
    ElementTree.fromstring(text)
    [first, second] = re.findall(r'<path d="([^"]*)" class="n l[01]" stroke-width="1.25"', text)
    assert (first.count("M"), first.count("L"), second.count("M"), second.count("L")) == (3, 3, 1, 1)
    [band] = re.findall(r'<path d="([^"]*)" class="f1" fill-opacity', text)
    assert band.count("M") == 1 and band.count("L") == 3 and band.endswith("Z")


def test_phases_stay_within_the_frame_and_are_named():
    text = drawn(curves())
    assert re.findall(r">(write|read)</text>", text) == ["write", "read"]
    shades = [
        (float(x), float(width)) for x, width in re.findall(r'<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)"[^>]*class="fr"', text)
    ]
    assert len(shades) == 2
    assert shades[0][0] + shades[0][1] == pytest.approx(shades[1][0])
    assert shades[1][0] + shades[1][1] <= 800


def test_the_csv_says_where_a_line_begins_anew():
    rows = curves_csv([curves()]).splitlines()  # type: ignore[list-item]
    assert [row.rsplit(",", 1)[1] for row in rows[1:]] == ["0", "0", "1", "0", "1", "0", "0"]
    assert rows[-1].endswith("2.0,3.0,2.5,7.0,3,MiB/s,,,0")


@pytest.mark.parametrize("kind", ["cdf", "histogram"])
def test_distributions_have_dashes(kind):
    assert 'stroke-dasharray="6 3"' in drawn(distribution(kind))


def test_marks_stand_at_other_places_for_each_series_and_tell_them_apart():
    times = [float(at) for at in range(101)]
    both = [{"series": at, "t": times, "v": times, "breaks": [], "total": 101} for at in (0, 1)]
    series = [{"name": name, "style": 0, "marker": marker} for name, marker in (("ext4", "rect"), ("xfs", "triangle"))]
    made = curves(
        x={"label": "s", "values": [], "scale": "linear", "low": 0.0, "high": 100.0}, curves=both, series=series, phases=[]
    )
    first, second = (notes.marked(made, curve) for curve in both)
    assert len(first) == len(second) == notes.MARKED
    assert not {*first} & {*second}
    assert notes.marked(curves(series=series[:1]), both[0]) == []
    svg = drawn(made)
    assert svg.count(">ext4<") == 2 + 1  # the legend, the end of the curve, the title of its group
