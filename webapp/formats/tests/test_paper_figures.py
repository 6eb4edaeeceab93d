"""Figures for papers: in every kind, width and font no text covers another, every text can be read, and every font is embedded."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from itertools import combinations, product

import pikepdf
import pytest
from PIL import Image

from ingest.tests.thinning import some
from webapp.formats import figure_scripts, pgf, vega
from webapp.formats.drawing import declutter, plate, saving, style
from webapp.formats.drawing.look import Look, NoRoom
from webapp.formats.pgf import axes
from webapp.tests.drawn import STAMP, every_kind, figure, with_signs

LONG = [f"OpenIndiana 151a{number}, pool of {number} mirrors of disks" for number in range(14)]
WIDTHS = (84.7, 88, 178, 180)


def many_figures() -> dict[str, list[dict]]:
    """Figures of every kind, with bounds and empty places, with long, many and large labels, and small multiples."""
    names = ["Linux 3.2 with ZFS on Linux 0.6", "FreeBSD 9.1"]
    large = figure(["off", "lz4"], [""], kind="dots")
    for group in large["groups"]:
        group |= {key: group[key] * 1e6 for key in ("center", "low", "high")}
        group["points"] = [[value * 1e6, ""] for value, _ in group["points"]]
    return {
        **{f"{one['kind']}-{one['scale']}": [one] for one in every_kind()},
        **{f"signs-{one['kind']}-{one['scale']}": [with_signs(one["kind"], one["scale"])] for one in every_kind()},
        **{f"long-{kind}": [figure(LONG, names, kind=kind)] for kind in ("bars", "dots", "box")},
        "many": [figure([f"host {number}" for number in range(80)], [""])],
        "eight": [figure(["a", "b"], [f"series number {number}" for number in range(8)], legend="Compression")],
        "multiples": [figure(["off", "lz4", "gzip-6"], ["Linux", "FreeBSD"], top=120.0)] * 3,
        "large": [large],
    }


CASES = [(name, str(width), font) for name, width, font in product(many_figures(), WIDTHS, ("sans", "serif"))]


def draw(name: str, width: float, font: str, **options):
    headings = ["ext4", "xfs", "btrfs"]
    look = Look(**{"form": "bare", "font": font, "grey": font == "serif"} | options)
    return plate.draw_plate(many_figures()[name], STAMP, width, look, headings)


def overlaps(drawn) -> list[tuple[str, str]]:
    """Pairs of texts of which one covers the other by more than half a pixel, and texts that leave the plate."""
    drawn.draw_without_rendering()
    boxes = [(text.get_text(), text.get_window_extent().padded(-0.25)) for text in declutter.shown_texts(drawn)]
    outer = drawn.bbox.padded(1)
    return [
        *((one, other) for (one, box), (other, second) in combinations(boxes, 2) if box.overlaps(second)),
        *((text, "edge") for text, box in boxes if not (outer.contains(box.x0, box.y0) and outer.contains(box.x1, box.y1))),
    ]


@pytest.mark.thorough
@pytest.mark.parametrize("case", some(CASES, 40), ids="-".join)
def test_no_text_covers_another_and_none_is_small(case):
    name, width, font = case[0], float(case[1]), case[2]
    drawn = draw(name, width, font)
    assert overlaps(drawn) == []
    assert min(text.get_fontsize() for text in declutter.shown_texts(drawn)) >= 7
    assert drawn.get_figwidth() * 25.4 == pytest.approx(width)


def test_the_check_finds_a_text_on_another():
    drawn = draw("bars-linear", 84.7, "sans")
    drawn.text(0.5, 0.5, "one")
    drawn.text(0.51, 0.5, "other")
    assert overlaps(drawn) == [("one", "other")]


@pytest.mark.parametrize("font", ["sans", "serif"])
def test_fonts_are_embedded_as_truetype(font):
    pdf = saving.to_pdf(draw("bars-linear", 84.7, font), STAMP, "Bars.")
    with pikepdf.open(io.BytesIO(pdf)) as document:
        fonts = list(document.pages[0].Resources.Font.values())
        assert fonts
        for one in fonts:
            assert one.Subtype == "/Type0" and one.DescendantFonts[0].Subtype == "/CIDFontType2"
            assert "/FontFile2" in one.DescendantFonts[0].FontDescriptor
            assert style.FAMILIES[font].replace(" ", "") in str(one.BaseFont)


def test_a_pdf_is_tagged_as_a_figure_with_a_text_alternative():
    pdf = saving.to_pdf(draw("bars-linear", 84.7, "sans"), STAMP, "Bars of 4 groups \u00d7 2.")
    assert pdf == saving.to_pdf(draw("bars-linear", 84.7, "sans"), STAMP, "Bars of 4 groups \u00d7 2.")
    with pikepdf.open(io.BytesIO(pdf)) as document:
        assert document.Root.MarkInfo.Marked and document.Root.Lang == "en-GB"
        (whole,) = document.Root.StructTreeRoot.K
        (one,) = whole.K
        assert (whole.S, one.S, one.K) == ("/Document", "/Figure", 0) and str(one.Alt) == "Bars of 4 groups \u00d7 2."
        content = document.pages[0].Contents.read_bytes()
        assert content.startswith(b"/Figure <</MCID 0>> BDC") and content.rstrip().endswith(b"EMC")


def test_a_bare_figure_has_neither_heading_nor_stamp():
    bare, annotated = (draw("bars-linear", 84.7, "sans", form=form) for form in ("bare", "annotated"))
    texts = [text.get_text() for text in declutter.shown_texts(bare)]
    assert STAMP.digest[:8] not in " ".join(texts) and "Sequential write, block, throughput" not in texts
    stamp = annotated.subfigs[2]
    assert stamp.bbox.height / annotated.bbox.height < 0.07


def test_a_height_is_kept_and_one_that_is_too_small_is_named():
    look = Look("bare")
    drawn = plate.draw_plate([every_kind()[0]], STAMP, plate.Size(88, 60), look)
    assert drawn.get_figheight() * 25.4 == pytest.approx(60)
    with pytest.raises(NoRoom, match=r"in a height of 30 mm; it needs some \d+ mm"):
        plate.draw_plate([figure(LONG, ["a"])], STAMP, plate.Size(88, 30), look)


@pytest.mark.parametrize("kind", ["bars-linear", "box-linear"])
def test_grey_figures_tell_series_apart_by_pattern(kind):
    (one,) = many_figures()[kind]
    one = one | {"series": [series | {"style": index} for index, series in enumerate(one["series"])]}
    drawn = plate.draw_plate([one], STAMP, 88, Look("bare", grey=True))
    patches = [patch for patch in drawn.subfigs[1].axes[0].patches if patch.get_facecolor()[3]]
    looks = {(patch.get_hatch(), patch.get_facecolor()) for patch in patches}
    assert len({hatch for hatch, _ in looks}) == len(one["series"])
    assert all(color[0] == color[1] == color[2] for _, color in looks)
    image = Image.open(io.BytesIO(saving.to_png(drawn, STAMP, 100))).convert("RGB")
    assert max(max(pixel) - min(pixel) for pixel in image.get_flattened_data()) < 24


def test_svg_has_its_text_as_text():
    svg = saving.to_svg(draw("bars-linear", 84.7, "sans"), STAMP, "d", text_as="none").decode()
    assert ">MiB/s, higher is better</text>" in svg and "Source Sans Pro" in svg


def _run_script(one: dict, folder) -> dict:
    """What the script draws: the values along its axes, by a second script that runs it."""
    (folder / "figure.py").write_text(figure_scripts.to_script([one], STAMP, 'A """caption""" \\', Look(), 88), encoding="utf-8")
    reader = (
        "import json, figure; axes = figure.main().axes[0]\n"
        "lines = [float(v) for line in axes.lines for v in (*line.get_xdata(), *line.get_ydata())]\n"
        "bars = [float(patch.get_height()) for patch in axes.patches]\n"
        "cells = [v for image in axes.images for row in image.get_array().tolist() for v in row if v is not None]\n"
        "dots = [float(v) for dots in axes.collections for pair in dots.get_offsets() for v in pair]\n"
        "print(json.dumps({'centers': lines + bars + cells, 'runs': dots}))"
    )
    done = subprocess.run([sys.executable, "-c", reader], cwd=folder, capture_output=True, text=True, check=True)
    assert (folder / "figure.pdf").read_bytes().startswith(b"%PDF")
    return json.loads(done.stdout)


@pytest.mark.thorough
@pytest.mark.parametrize("name", [f"{one['kind']}-{one['scale']}" for one in every_kind()])
@pytest.mark.parametrize("signs", ["", "signs-"])
def test_the_script_draws_the_same_numbers(name, signs, tmp_path):
    (one,) = many_figures()[signs + name]
    drawn = _run_script(one, tmp_path)
    known = [group for group in one["groups"] if one["kind"] != "lines" or one["x"]["numbers"][group["x"]] is not None]
    has_parts = one["kind"] not in ("heat", "scatter")
    parts = [part for group in known for part in group.get("parts", ()) if has_parts]
    centers = [group["center"] for group in known if not (has_parts and group.get("parts"))]
    shown = [] if one["kind"] == "box" else [*centers, *parts]
    assert all(any(abs(value - center) < 1e-9 for value in drawn["centers"]) for center in shown)
    if one["kind"] not in ("heat", "ratio", "scatter"):
        runs = [point[0] for group in known for point in group["points"] if len(group["points"]) > 1]
        assert all(run in drawn["runs"] for run in runs)


def test_texts_cannot_leave_the_data_of_the_script(tmp_path):
    nasty = 'a"""\nraise SystemExit(1) # \\"\\'
    _run_script(figure([nasty, "\\", '"'], [nasty]), tmp_path)
    source = (tmp_path / "figure.py").read_text(encoding="utf-8")
    data = source.split('FIGURES = json.loads(r"""', 1)[1].split('""")', 1)[0]
    assert json.loads(data)[0]["x"]["values"] == [nasty, "\\", '"']


def test_vega_lite_is_valid_and_has_every_number():
    from altair import load_schema
    from jsonschema import Draft7Validator

    validator = Draft7Validator(load_schema())
    for name, figures in many_figures().items():
        spec = json.loads(vega.to_vega_lite(figures, STAMP, Look(), 88))
        assert not list(validator.iter_errors(spec)), name
        rows = [row for panel in spec.get("vconcat", [spec]) for row in panel["data"]["values"]]
        values = [row["center"] for row in rows if "center" in row]
        parts = [part for one in figures for group in one["groups"] for part in group.get("parts") or [group["center"]]]
        assert values == parts


@pytest.mark.parametrize(("font", "size", "width"), [("serif", 8, 60), ("serif", 12, 84.7), ("sans", 8, 60)])
def test_long_titles_of_axes_have_lines_apart_and_end_with_their_axes(font, size, width):
    """The lines of one title take length from the other axis, whose title is broken for what is left."""
    long = figure(["ext4", "xfs"], ["off", "on"])
    long["better"] = "geometric mean of the bandwidths of all phases, higher is better"
    long["x"] |= {"label": "metadata rate of all phases together, by the client nodes that took part"}
    drawn = plate.draw_plate([long], STAMP, width, Look("bare", font, size=size))
    [axes_] = declutter.all_axes(drawn)
    box, points = axes_.get_window_extent(), 72 / drawn.dpi
    for title, length, is_turned in ((axes_.xaxis.label, box.width, False), (axes_.yaxis.label, box.height, True)):
        extent, lines = title.get_window_extent(), title.get_text().split("\n")
        along = max(style.text_mm(line, size, font) for line in lines) / 25.4 * drawn.dpi
        high = extent.width if is_turned else extent.height
        assert len(lines) > 1 and along <= length + 1 and high * points >= (1.15 * (len(lines) - 1) + 0.6) * size


@pytest.mark.parametrize(("family", "command"), [("", None), ("sans", r"\sffamily"), ("serif", r"\rmfamily")])
def test_pgfplots_has_the_font_that_is_asked_for_and_else_the_papers(family, command):
    figures = many_figures()["multiples"]
    source = pgf.to_pgfplots(figures, STAMP, pgf.PgfSetting(Look("bare"), 88, family=family), ["ext4"] * 3)
    pictures = re.findall(r"\\begingroup(\\\w+)\n(.*?)\\endgroup", source, re.S)
    assert len(pictures) == (len(figures) if command else 0) and "family" not in re.sub(r"\\(sf|rm)family", "", source)
    for found, inside in pictures:
        assert found == command and inside.count(r"\begin{tikzpicture}") == inside.count(r"\end{tikzpicture}") == 1
        assert r"\caption" not in inside


@pytest.mark.parametrize("name", list(many_figures()))
@pytest.mark.parametrize("width", [84.7, 178])
def test_pgfplots_labels_fit_the_width(name, width):
    figures = many_figures()[name]
    source = pgf.to_pgfplots(figures, STAMP, pgf.PgfSetting(Look("bare"), width), ["ext4"] * 3)
    assert source.count(r"\begin{axis}") == len(figures) and STAMP.digest in source
    assert (r"\begin{figure*}" in source) == (width > 130)
    sizes = [float(size) for size in re.findall(r"\\fontsize\{([\d.]+)\}", source)]
    assert sizes and min(sizes) >= 7
    with style.applied(Look("bare")):
        for one in figures:
            _, frame = axes.make_axis(one, pgf.PgfSetting(Look("bare"), width))
            assert 0.4 * width < frame.width < width
