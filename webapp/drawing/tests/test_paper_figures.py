"""Figures on paper: in every kind, width, font and shade no text covers another or is cut, the PDF has every text, and its fonts
are embedded."""

from __future__ import annotations

import dataclasses
import io
import os
import re
import subprocess
import sys
import unicodedata
import xml.etree.ElementTree as ET
from itertools import combinations, product

import pikepdf
import pypdf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from ingest.tests.thinning import examples, some
from webapp.drawing import looks, pdf, png, shapes, sheet
from webapp.drawing import text as texts
from webapp.drawing.canvas import Words
from webapp.drawing.looks import FROZEN, Look
from webapp.drawing.sheet import NoRoom, Sheet
from webapp.tests.drawn import NOT_RUN, STAMP, SUBTITLE, curves, distribution, every_kind, figure, with_signs

SVG = "{http://www.w3.org/2000/svg}"
LONG = [f"OpenIndiana 151a{number}, pool of {number} mirrors of disks" for number in range(14)]
WIDTHS = (60, 84.7, 88, 178, 180)
LOOKS = {
    "bare": Look("bare"),
    "serif": Look("bare", "serif", 9.5),
    "grey": Look("bare", grey=True),
    "large": Look("annotated", "serif", 12, grey=True),
    "frozen": FROZEN,
}
OTHER_SCRIPTS = ["a \u2192 \u03a9", "\u6f22\u5b57 \u00b5", "\u0141\u00f3d\u017a \u00bd \u2265 e\u0301", "\u0416 20\u202f000"]


def many_figures() -> dict[str, list[dict]]:
    """Figures of every kind, with bounds and empty places, with long, many and large labels, and small multiples."""
    names = ["Linux 3.2 with ZFS on Linux 0.6", "FreeBSD 9.1"]
    large = figure(["off", "lz4"], [""], kind="dots")
    for group in large["groups"]:
        group |= {key: group[key] * 1e6 for key in ("center", "low", "high")}
        group["points"] = [[value * 1e6, ""] for value, _ in group["points"]]
    wordy = figure(["ext4", "xfs"], ["off", "on"], better="geometric mean of the bandwidths of all phases, higher is better")
    wordy["x"] |= {"label": "metadata rate of all phases together, by the client nodes that took part"}
    return {
        **{f"{one['kind']}-{one['scale']}": [one] for one in every_kind()},
        **{f"signs-{one['kind']}-{one['scale']}": [with_signs(one["kind"], one["scale"])] for one in every_kind()},
        **{f"long-{kind}": [figure(LONG, names, kind=kind)] for kind in ("bars", "dots", "box")},
        **{f"{kind}-{scale}": [distribution(kind, scale)] for kind in ("cdf", "histogram") for scale in ("linear", "log")},
        "time-linear": [curves()],
        "time-log": [curves(scale="log", phases=[])],
        "many": [figure([f"host {number}" for number in range(80)], [""])],
        "eight": [figure(["a", "b"], [f"series number {number}" for number in range(8)], legend="Compression")],
        "multiples": [figure(["off", "lz4", "gzip-6"], ["Linux", "FreeBSD"], top=120.0)] * 3,
        "rows": [figure([f"host {number}" for number in range(300)], [""], kind="dots")],
        "large": [large],
        "wordy": [wordy],
        "scripts": [figure(OTHER_SCRIPTS, ["\u03a9_$&", "\u6f22"], legend="\u0395\u03bb\u03bb\u03b7\u03bd\u03b9\u03ba\u03ac")],
    }


CASES = [(name, str(width), look) for name, width, look in product(many_figures(), WIDTHS, LOOKS)]
HEADINGS = ["ext4", "xfs", "btrfs"]


def draw(name: str, width: float = 84.7, look: Look = LOOKS["bare"], height: float | None = None) -> str:
    return sheet.draw(many_figures()[name], STAMP, Sheet(width, height), look, HEADINGS, "d")


def words(svg: str) -> list[Words]:
    """The texts of a drawing, with their places in pixels."""
    found = []
    for element in ET.fromstring(svg).iter(f"{SVG}text"):
        angle = re.match(r"rotate\((\S+)", element.get("transform", ""))
        x, y, size = (float(element.get(key)) for key in ("x", "y", "font-size"))
        anchor, bold = element.get("text-anchor", "start"), element.get("font-weight") == "600"
        found.append(Words(x, y, element.text or "", size, anchor=anchor, bold=bold, angle=float(angle[1]) if angle else 0))
    return found


def faults(svg: str, look: Look) -> list[tuple[str, str]]:
    """Pairs of texts of which one covers the other, and texts that leave the sheet."""
    width, height = map(float, re.search(r'viewBox="0 0 (\S+) (\S+)"', svg).groups())
    with looks.applied(looks.sizes_on_paper(look)):
        boxes = [(text.words, box) for text in words(svg) if (box := text.box)]
    return [
        *((one, other) for (one, box), (other, second) in combinations(boxes, 2) if box.touches(second)),
        *(
            (text, "edge")
            for text, box in boxes
            if box.left < -0.5 or box.top < -0.5 or box.right > width + 0.5 or box.bottom > height + 0.5
        ),
    ]


@pytest.mark.parametrize("case", list(some(CASES, 24)), ids="-".join)
def test_no_text_covers_another_or_is_cut_or_small(case):
    name, width, look = case[0], float(case[1]), LOOKS[case[2]]
    svg = draw(name, width, look)
    assert faults(svg, look) == []
    points = looks.POINTS / look.pixels
    sizes = {text.size * points for text in words(svg) if STAMP.address.split("://")[1] not in text.words}
    assert min(sizes) >= looks.SMALLEST - 0.01
    assert f'width="{width:g}mm"' in svg


def test_the_check_finds_a_text_on_another_and_one_that_is_cut():
    more = '<text x="0" y="50" font-size="12">one</text><text x="9" y="52" font-size="12">other</text>'
    found = faults(
        draw("bars-linear").replace("</svg>", more + '<text x="9999" y="9" font-size="12">out</text></svg>'), LOOKS["bare"]
    )
    assert ("one", "other") in found and ("out", "edge") in found


def letters(text: str) -> str:
    """Without spaces, and accents as a font has them."""
    return "".join(unicodedata.normalize("NFC", text).split())


@pytest.mark.parametrize("case", list(some(CASES, 24)), ids="-".join)
def test_the_pdf_has_every_text_of_the_svg(case):
    """svg2pdf drops a text without a word where its font is not there."""
    look = LOOKS[case[2]]
    svg = draw(case[0], float(case[1]), look)
    page = pypdf.PdfReader(io.BytesIO(pdf.to_pdf(svg, look.font, STAMP, "d"))).pages[0]
    read = letters(page.extract_text())
    texts = [text.words for text in words(svg)]
    assert texts and [text for text in texts if letters(text) not in read] == []


@settings(max_examples=examples(60))
@given(st.text(max_size=30), st.sampled_from(looks.FONTS))
def it_loses_no_letter(text, font):
    shown = texts.in_font(text, font)
    has = [frozenset(texts._advances(file)) for file in texts.font_files(font)]
    assert all(ord(letter) in has[0] | has[2] for letter in shown)
    assert len(shown) >= len(text)


def it_names_letters_that_the_fonts_lack():
    assert texts.in_font("\u6f22 \u00b5\u00d7\u2212", "sans") == "[U+6F22] \u00b5\u00d7\u2212"


@pytest.mark.parametrize("look", [LOOKS["bare"], LOOKS["serif"], FROZEN])
def test_fonts_are_embedded_as_truetype(look):
    with pikepdf.open(io.BytesIO(pdf.to_pdf(draw("scripts", look=look), look.font, STAMP, "Bars."))) as document:
        found = [one for one in document.objects if isinstance(one, pikepdf.Dictionary) and one.get("/Type") == "/Font"]
        whole = [one for one in found if one.Subtype == "/Type0"]
        assert whole and {str(one.Subtype) for one in found} == {"/Type0", "/CIDFontType2"}
        assert all("/FontFile2" in one.DescendantFonts[0].FontDescriptor for one in whole)
        names = {str(one.BaseFont).split("+")[1].split("-")[0] for one in whole}
        assert texts.FAMILIES[look.font].family.replace(" ", "") in names
        assert names <= {texts.FAMILIES[look.font].family.replace(" ", ""), "DejaVuSans"}


def test_a_pdf_is_tagged_as_a_figure_with_a_text_alternative_and_says_where_it_is_from():
    made = pdf.to_pdf(draw("bars-linear"), "sans", STAMP, "Bars of 4 groups \u00d7 2.")
    with pikepdf.open(io.BytesIO(made)) as document:
        assert document.Root.MarkInfo.Marked and document.Root.Lang == "en-GB"
        (whole,) = document.Root.StructTreeRoot.K
        (one,) = whole.K
        assert (whole.S, one.S, one.K) == ("/Document", "/Figure", 0) and str(one.Alt) == "Bars of 4 groups \u00d7 2."
        content = document.pages[0].Contents.read_bytes()
        assert content.startswith(b"/Figure <</MCID 0>> BDC") and content.rstrip().endswith(b"EMC")
        facts = {key: str(value) for key, value in document.docinfo.items()}
        assert facts["/Title"] == STAMP.title and facts["/Author"] == STAMP.authors and STAMP.digest in facts["/Subject"]
        assert not {"/CreationDate", "/ModDate"} & set(facts)
        left, bottom, right, top = map(float, document.pages[0].mediabox)
        assert (right - left) / looks.POINTS == pytest.approx(84.7, abs=0.02) and top > bottom


@pytest.mark.parametrize("width", [85, 180])
@pytest.mark.parametrize("dpi", [300, 600])
def test_a_png_has_its_size_resolution_and_origin(width, dpi):
    image = Image.open(io.BytesIO(png.to_paper_png(draw("bars-linear", width), "sans", dpi, STAMP)))
    image.load()
    assert image.width == pytest.approx(width / 25.4 * dpi, abs=1)
    assert image.info["dpi"][0] == pytest.approx(dpi, abs=0.1)
    assert STAMP.digest in image.info["Comment"] and image.info["Source"] == STAMP.address and image.info["Title"] == STAMP.title


@pytest.mark.thorough
def it_gives_the_same_bytes_in_every_process():
    code = (
        "import hashlib; from webapp.drawing import sheet, pdf, png; from webapp.tests.drawn import STAMP, figure;"
        "s = sheet.draw([figure(['off \u2192', '\u05d0'], ['Linux', 'FreeBSD'])], STAMP, sheet.Sheet(85), description='d');"
        "print([hashlib.sha256(x).hexdigest() for x in (s.encode(), pdf.to_pdf(s, 'sans', STAMP, 'd'),"
        " png.to_paper_png(s, 'sans', 300, STAMP))])"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", code], env=os.environ | {"PYTHONHASHSEED": seed}, check=True, text=True, capture_output=True
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(told) == 1


def it_is_xml_with_a_title_and_a_description():
    root = ET.fromstring(sheet.draw(many_figures()["eight"], STAMP, Sheet(85), description="off < lz4 \x08 & more"))
    assert root.find(f"{SVG}title").text == STAMP.title
    assert root.find(f"{SVG}desc").text.startswith("off < lz4   & more https://poolmark.example.org/p/k3m9xq2abc")
    assert root.get("aria-labelledby").split() == [root.find(f"{SVG}{name}").get("id") for name in ("title", "desc")]


def test_its_text_is_text_and_keeps_its_width_in_another_font():
    svg = draw("bars-linear")
    assert ">MiB/s, higher is better</text>" in svg and "Source Sans Pro" in svg
    for element in ET.fromstring(svg).iter(f"{SVG}text"):
        assert len(element.text) == 1 or float(element.get("textLength")) > 0


def test_a_bare_figure_has_neither_heading_nor_stamp():
    bare, annotated = (
        " ".join(text.words for text in words(draw("signs-bars-linear", look=Look(form)))) for form in looks.FORMS[::-1]
    )
    for text in (STAMP.digest[:8], "Sequential write, block, throughput", SUBTITLE):
        assert text not in bare and text in annotated


def test_several_panels_are_named_by_what_distinguishes_them():
    shown = [text.words for text in words(draw("multiples"))]
    assert [text for text in shown if text in HEADINGS] == HEADINGS and shown.count("Linux") == 1


def test_a_height_is_kept_and_one_that_is_too_small_is_named():
    assert 'height="60mm"' in draw("bars-linear", 88, height=60)
    for name in ("long-bars", "long-dots"):
        with pytest.raises(NoRoom, match=r"in a height of 30 mm; it needs some \d+ mm") as refused:
            draw(name, 88, height=30)
        needed = float(re.search(r"some (\d+) mm", str(refused.value))[1])
        assert draw(name, 88, height=needed)


@pytest.mark.parametrize("kind", ["bars-linear", "box-linear", "eight"])
def test_grey_figures_tell_series_apart_by_pattern(kind):
    (one,) = many_figures()[kind]
    one = one | {"series": [series | {"style": index} for index, series in enumerate(one["series"])]}
    svg = sheet.draw([one], STAMP, Sheet(88), LOOKS["grey"])
    if kind != "box-linear":
        assert {f"fb{at}" for at in range(len(one["series"]))} <= set(re.findall(r'class="(fb\d)', svg))
    image = Image.open(io.BytesIO(png.to_paper_png(svg, "sans", 100, STAMP))).convert("RGB")
    assert max(max(pixel) - min(pixel) for pixel in image.get_flattened_data()) < 24


def ends(data: str) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in re.findall(r"[ML](-?[\d.]+) (-?[\d.]+)", data)]


@given(st.integers(1, 7), st.floats(1, 300), st.floats(1, 300))
def test_the_lines_of_a_pattern_end_at_the_edges_of_their_bar(style, width, height):
    found = ends(shapes._hatch(shapes.HATCHES[style], 10, 20, width, height))
    for x, y in found:
        assert 9.99 <= x <= 10.01 + width and 19.99 <= y <= 20.01 + height
        assert min(abs(x - 10), abs(x - 10 - width), abs(y - 20), abs(y - 20 - height)) < 0.02


def test_every_style_has_its_own_pattern():
    assert len({shapes._hatch(signs, 0, 0, 40, 60) for signs in shapes.HATCHES}) == 8


@pytest.mark.parametrize("kind", ["cdf", "lines"])
def test_lines_on_paper_are_told_apart_by_dashes(kind):
    svg = draw(f"{kind}-linear")
    assert len(set(re.findall(r'<path d="[^"]*" class="n l\d"[^>]*?(?: stroke-dasharray="([^"]*)")?/>', svg))) == 2


def it_names_every_place_or_says_that_it_does_not():
    def shown(count):
        return [
            text.words
            for text in words(sheet.draw([figure([f"Operating System {at}" for at in range(count)], ["x"])], STAMP, Sheet(85)))
        ]

    assert len([text for text in shown(12) if text.startswith("Operating")]) == 12
    many = shown(200)
    assert 10 < len([text for text in many if text.startswith("Operating")]) < 200
    assert any(text.endswith("of 200 named)") for text in many)
    assert any(re.search(r"\(every \d+\. of 300 named\)", text.words) for text in words(draw("rows")))


def it_has_a_stamp_of_one_line_with_address_and_digest():
    stamp = dataclasses.replace(STAMP, flags=("Every group: a single run.", "3 runs are left out by the filters."))
    one = figure(["a"], ["x"], notes=["Bars are drawn instead."])
    narrow, wide = ([text.words for text in words(sheet.draw([one], stamp, Sheet(width)))] for width in (85, 180))
    assert narrow[-2:] == [
        "Bars are drawn instead.",
        "poolmark.example.org/p/k3m9xq2abc \u00b7 2 notes there \u00b7 SHA-256 0123456789abcdef\u2026",
    ]
    assert wide[-1].endswith(f"SHA-256 {STAMP.digest}")


def it_refuses_to_draw_nothing():
    with pytest.raises(ValueError, match="no figure"):
        sheet.draw([], STAMP, Sheet(85))


@pytest.mark.parametrize(("kind", "scale"), [(one["kind"], one["scale"]) for one in every_kind()])
@pytest.mark.parametrize("width", [84.7, 180])
def it_draws_bounds_and_empty_places_in_every_kind(kind, scale, width):
    shown = [text.words.replace("\u00a0", " ") for text in words(draw(f"signs-{kind}-{scale}", width))]
    if kind != "scatter":
        assert {text[0] for text in shown} >= {">"}
    assert ("not run" in shown) == (kind not in ("lines", "scatter"))
    assert NOT_RUN not in " ".join(shown)
