"""A kind of figure is three files, each of which is found by itself."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from webapp.comparison import selection
from webapp.drawing.panel import PANELS, DrawnPanel, draws
from webapp.figures import bars, layout, scales
from webapp.figures.kind import KINDS, FigureKind, register
from webapp.tests import making

TOP = Path(__file__).resolve().parents[3]


@pytest.fixture
def pillars():
    """A kind of figure that there is not: bars that need not begin at zero."""

    def figure(chosen, panel):
        return bars.figure(chosen, panel) | {"kind": "pillars"}

    register(FigureKind("pillars", "Pillars", 99, figure, values=scales.around, has_legend=False))

    @draws("pillars")
    class Pillars(DrawnPanel):
        def draw_marks(self, canvas, box, scale):
            for mark in self.figure["groups"]:
                canvas.circle(box.left, scale(mark["center"]), 3, "pillar")

    yield "pillars"
    del KINDS["pillars"], PANELS["pillars"]
    selection.KINDS.remove("pillars")


@pytest.mark.django_db
def test_a_kind_that_registers_itself_is_offered_and_drawn(client, pillars):
    config = {"os.family": "Linux"}
    records = [
        record
        for name, value in (("lz4", 100e6), ("off", 80e6))
        for record in making.file_records(f"{name}.txt", name, [value], config=config | {"pool.compression": name})
    ]
    making.archive(public=True, records=records)
    address = f"metric=write.throughput&x=compression&kind={pillars}"
    page = client.get(f"/compare?{address}").text
    assert '<option value="pillars" selected>Pillars</option>' in page and "not understood" not in page
    assert "figure-canvas-pillars" in page and client.get(f"/compare.json?{address}").status_code == 200
    assert len(re.findall(r'<circle[^>]* class="pillar"', client.get(f"/compare.svg?{address}").text)) == 2
    data = {"kind": pillars, "groups": [], "series": [], "x": {"values": []}}
    assert layout.lay_out(data) == layout.lay_out(data | {"kind": "dots"}) != layout.lay_out(data | {"kind": "ratio"})


def test_no_kind_is_left_of_the_test_before():
    assert "pillars" not in selection.KINDS and selection.parse([("kind", "pillars")]).kind == "bars"


@pytest.mark.parametrize("name", KINDS)
def test_each_kind_is_a_file_of_its_name_in_three_folders(name):
    for folder, ending in (("webapp/figures", "py"), ("webapp/drawing/kinds", "py"), ("static/js/marks", "js")):
        assert (TOP / folder / f"{name}.{ending}").is_file()
    assert name in PANELS and name in selection.KINDS
    assert "\nexport const kind = " in (TOP / "static/js/marks" / f"{name}.js").read_text()  # what the build takes
