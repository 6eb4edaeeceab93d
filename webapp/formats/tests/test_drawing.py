"""Figures for print: the same bytes every time, every font embedded, told apart without colour, and read by a parser."""

from __future__ import annotations

import dataclasses
import io
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from ingest.tests.thinning import examples
from webapp.figures.plain import CURVE_LABELS, KIND_LABELS
from webapp.formats import tex
from webapp.formats.drawing import bars, lines, plate, saving, style
from webapp.tests.drawn import NOT_RUN, STAMP, SUBTITLE, every_kind, figure, with_signs

SVG = "{http://www.w3.org/2000/svg}"
WIDTHS = (85, 180)
ONE = [figure(["off", "lz4", "gzip-6"], ["Linux", "FreeBSD"])]


@pytest.fixture(scope="module")
def drawn():
    return {width: plate.draw_plate(ONE, STAMP, width) for width in WIDTHS}


def panels_of(drawn) -> list:
    return drawn.subfigs[1].axes


def streams(pdf: bytes) -> bytes:
    """Every compressed stream of a PDF, unpacked, one after the other."""
    out = b""
    for found in re.finditer(rb"stream\r?\n(.*?)\r?\nendstream", pdf, re.S):
        try:
            out += zlib.decompress(found.group(1))
        except zlib.error:
            out += found.group(1)
    return out


class TestSvg:
    def it_is_xml_with_a_title_and_a_description(self, drawn):
        root = ElementTree.fromstring(saving.to_svg(drawn[85], STAMP, "off < lz4 \x08 & more"))
        assert root.find(f"{SVG}title").text == STAMP.title
        assert root.find(f"{SVG}desc").text.startswith("off < lz4  & more https://poolmark.example.org/p/k3m9xq2abc")
        assert root.get("aria-labelledby").split() == [root.find(f"{SVG}{name}").get("id") for name in ("title", "desc")]

    @pytest.mark.parametrize("width", WIDTHS)
    def it_is_as_wide_as_asked(self, drawn, width):
        root = ElementTree.fromstring(saving.to_svg(drawn[width], STAMP, ""))
        assert float(root.get("width").removesuffix("pt")) * 25.4 / 72 == pytest.approx(width, abs=0.01)

    def it_has_a_bar_for_every_group(self, drawn):
        rooms = panels_of(drawn[85])
        assert [patch.get_height() for axes in rooms for patch in axes.patches] == sorted(
            (group["center"] for group in ONE[0]["groups"]), key=lambda value: (value % 10, value)
        )


class TestPdf:
    def it_embeds_every_font_as_truetype(self, drawn):
        text = saving.to_pdf(drawn[85], STAMP)
        everything = text + streams(text)
        fonts = set(re.findall(rb"/BaseFont /(\S+)", everything))
        assert fonts and all(b"SourceSans" in font or b"DejaVu" in font for font in fonts)
        assert everything.count(b"/FontDescriptor") >= len(fonts)
        assert len(re.findall(rb"/FontFile2 ", everything)) == len(re.findall(rb"/Type /FontDescriptor", everything)) >= 1
        assert b"/FontFile3" not in everything and b"/Type3" not in everything

    def it_tells_where_it_is_from_and_no_date_of_making(self, drawn):
        text = saving.to_pdf(drawn[85], STAMP)
        assert STAMP.digest.encode("utf-16-be") in text and b"CreationDate" not in text


class TestPng:
    @pytest.mark.parametrize("width", WIDTHS)
    @pytest.mark.parametrize("dpi", saving.RESOLUTIONS)
    def it_has_the_size_and_resolution(self, drawn, width, dpi):
        image = Image.open(io.BytesIO(saving.to_png(drawn[width], STAMP, dpi)))
        assert image.width == pytest.approx(width / 25.4 * dpi, abs=1)
        assert image.info["dpi"][0] == pytest.approx(dpi, abs=0.1)
        assert STAMP.digest in image.info["Comment"] and image.info["Source"] == STAMP.address


@pytest.mark.thorough
def it_gives_the_same_bytes_in_every_process():
    code = (
        "import hashlib; from webapp.formats.drawing import plate, saving; from webapp.tests.drawn import STAMP, figure;"
        "p = plate.draw_plate([figure(['off', 'lz4'], ['Linux', 'FreeBSD'])], STAMP, 85);"
        "print([hashlib.sha256(x).hexdigest() for x in (saving.to_svg(p, STAMP, 'd'), saving.to_pdf(p, STAMP),"
        " saving.to_png(p, STAMP, 300))])"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", code], env=os.environ | {"PYTHONHASHSEED": seed}, check=True, text=True, capture_output=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(told) == 1


def it_tells_series_apart_without_colour():
    assert len({style.hatch(at) for at in range(8)}) == 8
    names = [f"series {at}" for at in range(8)]
    axes = plate.draw_plate([figure(["a"], names)], STAMP, 180).subfigs[1].axes[0]
    assert len({patch.get_hatch() for patch in axes.patches}) == 8


def it_names_every_place_or_says_that_it_does_not():
    few = plate.draw_plate([figure([f"Operating System {at}" for at in range(12)], ["x"])], STAMP, 85).subfigs[1].axes[0]
    assert len(few.get_xticklabels()) == 12
    many = plate.draw_plate([figure([f"Operating System {at}" for at in range(200)], ["x"])], STAMP, 85).subfigs[1].axes[0]
    assert 10 < len(many.get_xticklabels()) < 200 and "named)" in many.get_xlabel()


def axes_of(one: dict, width: int = 180):
    return plate.draw_plate([one], STAMP, width).subfigs[1].axes[0]


def test_every_kind_has_a_drawing():
    assert set(plate.KINDS) - set(CURVE_LABELS) == set(KIND_LABELS) == {one["kind"] for one in every_kind()}  # test_time_figures


@pytest.mark.parametrize("one", every_kind(), ids=lambda one: f"{one['kind']}-{one['scale']}")
@pytest.mark.parametrize("width", WIDTHS)
def it_draws_every_kind(one, width):
    drawn = plate.draw_plate([one, one], STAMP, width)
    root = ElementTree.fromstring(saving.to_svg(drawn, STAMP, "d"))
    assert float(root.get("width").removesuffix("pt")) * 25.4 / 72 == pytest.approx(width, abs=0.01)
    assert len(drawn.subfigs[1].axes) >= 2


def centers(one: dict) -> list[float]:
    return sorted(group["center"] for group in one["groups"])


def marked(axes, along: str) -> list[float]:
    """What the marks with a label of their own (not the lines beside them) stand at."""
    return sorted(
        float(value)
        for line in axes.lines
        if line.get_marker() not in ("None", None, "")
        for value in getattr(line, f"get_{along}data")()
        if not str(line.get_label()).startswith("_")
    )


def test_marks_stand_at_the_numbers_of_the_figure():
    by_kind = {(one["kind"], one["scale"]): one for one in every_kind()}
    log, dots, lines, scatter, ratio = (
        by_kind[key] for key in (("bars", "log"), ("dots", "linear"), ("lines", "linear"), ("scatter", "linear"), ("ratio", "log"))
    )
    assert marked(axes_of(log), "y") == centers(log) and not axes_of(log).patches
    assert marked(axes_of(dots), "x") == centers(dots)
    assert marked(axes_of(ratio), "x") == centers(ratio)
    assert marked(axes_of(scatter), "y") == centers(scatter)
    assert marked(axes_of(scatter), "x") == sorted(group["across"]["center"] for group in scatter["groups"])
    known = [group["center"] for group in lines["groups"] if lines["x"]["numbers"][group["x"]] is not None]
    assert marked(axes_of(lines), "y") == sorted(known) and len(known) < len(lines["groups"])


@pytest.mark.parametrize(("scale", "drawn"), [("log", "log"), ("linear", "linear")])
def test_both_axes_of_a_scatter_have_the_scale_of_the_figure(scale, drawn):
    (scatter,) = (one for one in every_kind() if one["kind"] == "scatter")
    axes = axes_of(scatter | {"scale": scale})
    assert (axes.get_xscale(), axes.get_yscale()) == (drawn, drawn)


def test_a_heat_map_leaves_empty_what_was_not_measured():
    (heat,) = (one for one in every_kind() if one["kind"] == "heat")
    assert len(axes_of(heat).patches) == len(heat["groups"]) == 39
    grey = [sum(patch.get_facecolor()[:3]) for patch in axes_of(heat).patches]
    assert sorted(grey, reverse=True) == [
        tone for _, tone in sorted(zip((group["center"] for group in heat["groups"]), grey, strict=True))
    ]


def test_panels_of_one_unit_share_their_scale():
    low, high = figure(["a"], ["x"], top=900.0), figure(["b"], ["x"], top=900.0)
    limits = {axes.get_ylim() for axes in plate.draw_plate([low, high], STAMP, 85).subfigs[1].axes}
    assert len(limits) == 1 and next(iter(limits))[1] > 900


def it_has_a_stamp_of_one_line_with_address_and_digest():
    stamp = dataclasses.replace(STAMP, flags=("Every group: a single run.", "3 runs are left out by the filters."))
    narrow, wide = (plate.draw_plate(ONE, stamp, width).subfigs[2].texts for width in WIDTHS)
    assert [text.get_text() for text in narrow] == [
        "poolmark.example.org/p/k3m9xq2abc \u00b7 2 notes there \u00b7 SHA-256 0123456789abcdef\u2026"
    ]
    assert next(text.get_text() for text in wide).endswith(f"SHA-256 {STAMP.digest}")


def it_prints_the_notes_of_the_figure_above_its_stamp():
    one = figure(["a"], ["x"], notes=["Bars are drawn instead."])
    texts = [text.get_text() for text in plate.draw_plate([one], STAMP, 85).subfigs[2].texts]
    assert texts[1] == "Bars are drawn instead." and texts[0].startswith("poolmark.example.org")


def it_refuses_to_draw_nothing():
    with pytest.raises(ValueError, match="no figure"):
        plate.draw_plate([], STAMP, 85)


@settings(max_examples=examples(40))
@given(st.text(max_size=30))
def it_loses_no_letter(text):
    shown = style.printable(text)
    assert all(ord(letter) in style._glyphs() for letter in shown)
    assert len(shown) >= len(text)


def it_names_letters_that_the_font_lacks():
    assert style.printable("漢 µ×−") == "[U+6F22] µ×−"


@pytest.mark.parametrize("scale", ["linear", "log"])
def it_draws_a_single_run_as_a_hollow_mark_without_a_bar(scale):
    one = figure(["off", "lz4"], ["Linux", "FreeBSD"], scale=scale)
    one["groups"][1] |= {"n": 1, "low": None, "high": None, "points": [[101.0, ""]]}
    axes = plate.draw_plate([one], STAMP, 85).subfigs[1].axes[0]
    assert len(axes.patches) == (3 if scale == "linear" else 0)
    hollow = [line for line in axes.lines if line.get_markerfacecolor() == "white" and len(line.get_xdata()) == 1]
    assert [list(line.get_ydata()) for line in hollow] == [[101.0]]


def printed(axes) -> list[str]:
    return [text.get_text().replace("\u00a0", " ") for text in axes.texts if text.get_text()]


WITH_SIGNS = [(one["kind"], one["scale"]) for one in every_kind()]


@pytest.mark.parametrize(("kind", "scale"), WITH_SIGNS)
@pytest.mark.parametrize("width", WIDTHS)
def it_draws_bounds_and_empty_places_in_every_kind(kind, scale, width):
    one = with_signs(kind, scale)
    drawn = plate.draw_plate([one], STAMP, width)
    axes = drawn.subfigs[1].axes[0]
    assert [text.get_text().replace("\n", " ") for text in drawn.subfigs[0].texts] == [one["title"], SUBTITLE]
    bounds = [text for text in printed(axes) if text[0] in "<>"] or [text.get_text()[0] for text in axes.texts]
    assert {text[0] for text in bounds} >= {"<", ">"}
    assert ("not run" in printed(axes)) == (kind not in ("lines", "scatter"))
    assert b"</svg>" in saving.to_svg(drawn, STAMP, "")


def it_draws_no_bar_and_no_whisker_where_sessions_are_unlike():
    one = figure(["ext4", "xfs"], [""])
    one["groups"][0]["parts"] = [60.0, 180.0]
    axes = axes_of(one)
    assert [patch.get_height() for patch in axes.patches] == [110.0]
    lines = [path.vertices[0][1] for collection in axes.collections for path in collection.get_paths() if len(path.vertices) == 2]
    assert [value for value in lines if value in (60.0, 180.0)] == [60.0, 180.0]
    assert len([line for line in axes.lines if line.get_marker() in ("_", 1, 2, 3)]) <= 2
    del one["groups"][1]
    assert not axes_of(one).patches


@pytest.mark.parametrize(("side", "heights"), [("above", [100.0, 110.0]), ("below", [110.0])])
def it_draws_a_bar_up_to_a_bound_and_none_where_the_value_lies_below(side, heights):
    one = figure(["ext4", "xfs"], [""])
    one["groups"][0] |= {"bound": side, "low": None, "high": None, "points": []}
    axes = axes_of(one)
    assert [patch.get_height() for patch in axes.patches] == heights
    assert printed(axes) == ["> 100" if side == "above" else "< 100"]
    [arrow] = [text for text in axes.texts if getattr(text, "arrow_patch", None)]
    assert arrow.xy == (0.0, 100.0) and (arrow.xyann[1] > 0) == (side == "above")
    assert axes.get_ylim()[1] > axes_of(figure(["ext4", "xfs"], [""])).get_ylim()[1]


def it_keeps_the_place_of_an_empty_category():
    one = figure(["ext4", "xfs", "btrfs"], [""])
    del one["groups"][1]
    one["empty"] = [{"x": 1, "series": 0, "text": NOT_RUN}]
    axes = axes_of(one)
    assert [label.get_text() for label in axes.get_xticklabels()] == ["ext4", "xfs", "btrfs"]
    [text] = [text for text in axes.texts if text.get_text() == "not run"]
    assert text.xy == (1.0, 0)


def it_ends_a_line_at_an_empty_place_and_beside_a_bound():
    xs = [str(number) for number in range(6)]
    one = figure(xs, [""], kind="lines")
    one["x"] |= {"numbers": [float(number) for number in range(6)], "scale": "linear"}
    one["groups"][4]["bound"] = "above"
    del one["groups"][1]
    one["empty"] = [{"x": 1, "series": 0, "text": NOT_RUN}]
    assert [[x for x, _ in segment] for segment in lines.segments(one, 0)] == [[0.0], [2.0, 3.0], [4.0], [5.0]]
    one["groups"][1]["parts"] = [1.0, 2.0]
    assert [[x for x, _ in segment] for segment in lines.segments(one, 0)] == [[0.0], [3.0], [4.0], [5.0]]


def it_has_a_stripe_for_each_session_of_a_cell():
    one = figure(["ext4", "xfs"], ["1 MiB", "2 MiB"], kind="heat", reach=[50.0, 200.0])
    one["groups"][0]["parts"] = [60.0, 180.0]
    patches = axes_of(one).patches
    assert [patch.get_width() for patch in patches] == [0.5, 0.5, 1, 1, 1]


def it_prints_the_honesty_flags_in_latex():
    stamp = dataclasses.replace(STAMP, flags=("Every group: a single run.", "3 runs are left out by the filters."))
    text = tex.to_table(ONE, stamp, "median")
    assert all(flag in text.replace("\n", " ") for flag in stamp.flags)


@pytest.mark.parametrize("scale", ["linear", "log"])
def it_draws_runs_on_their_whisker_and_beside_it_only_where_they_would_cover_each_other(scale):
    made = figure(["a", "b"], [""], kind="bars", scale=scale)
    made["groups"][0]["points"] = [[100.0, ""], [100.1, ""], [100.2, ""], [104.0, ""]]
    near = bars.nearness(made)
    places = [place for place, _ in bars.spread_repetitions(made["groups"][0], 0.0, 0.8, near)]
    assert places[0] == places[3] == 0.0 and len(set(places[:3])) == 3
    assert [place for place, _ in bars.spread_repetitions(made["groups"][1], 0.1, 0.8, near)] == [1.1] * 3


@pytest.mark.parametrize("factor", [1e-7, 1.0, 1e5])
def it_prints_plain_numbers_and_no_zero_for_another_number(factor):
    made = figure(["a"], [""], kind="bars")
    for group in made["groups"]:
        group |= {key: group[key] * factor for key in ("center", "low", "high")}
        group["points"] = [[value * factor, address] for value, address in group["points"]]
    drawn = plate.draw_plate([made], STAMP, 180)
    drawn.canvas.draw()
    [axes] = drawn.subfigs[1].axes
    shown = [(tick, label.get_text()) for tick, label in zip(axes.get_yticks(), axes.get_yticklabels(), strict=True)]
    assert not axes.yaxis.get_offset_text().get_text()
    assert all(float(label.replace("\u202f", "")) == pytest.approx(tick) for tick, label in shown)


def it_names_the_dimension_of_the_legend():
    drawn = plate.draw_plate([figure(["a"], ["one", "two"], kind="bars", legend="Operating system")], STAMP, 180)
    [legend] = drawn.subfigs[1].legends
    assert [text.get_text() for text in legend.get_texts()] == ["Operating system:", "one", "two"]
