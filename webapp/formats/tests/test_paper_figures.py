"""Figures for papers: in every kind, width and font no text covers another, every text can be read, and every font is embedded."""

from __future__ import annotations

import io
from itertools import combinations, product

import pikepdf
import pytest
from PIL import Image

from ingest.tests.thinning import some
from webapp.formats.drawing import declutter, plate, saving, style
from webapp.formats.drawing.look import Look, NoRoom
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
