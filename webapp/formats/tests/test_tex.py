"""LaTeX of a permalink: what people typed reads back, and the numbers are those of the figure."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pylatexenc.latex2text import LatexNodes2Text
from pylatexenc.latexwalker import LatexWalker

from webapp.formats import latex, pgf, tex
from webapp.formats.drawing.stamp import Stamp
from webapp.tests.drawn import NOT_RUN, STAMP, SUBTITLE, every_kind, figure, with_signs
from webapp.tests.paper import FIGURES

WALK = {"tolerant_parsing": False}


def coordinates(text: str, options: str) -> list[tuple[float, float]]:
    """(x, y) of every plot whose options hold that text."""
    found = []
    for body in re.findall(rf"\\addplot\[[^\]]*{options}[^\]]*\] coordinates \{{\n(.*?)\n\}};", text, re.S):
        found += [(float(x), float(y)) for x, y in re.findall(r"^  \(([^,]+),([^)]+)\)", body, re.M)]
    return found


@pytest.mark.parametrize("text", ["plain", "50 % of {all} #1_2", "a & b", "C:\\x", "~", "é ß Ω", "a-b"])
def it_reads_back(text):
    assert LatexNodes2Text().latex_to_text(latex.escape_latex(text)) == text


@given(st.text(max_size=20))
def it_leaves_nothing_that_latex_would_take_for_its_own(text):
    told = latex.escape_latex(text)
    LatexWalker(told, **WALK).get_latex_nodes()
    assert not re.search(r"(?<!\\)[%#&_]", told)
    assert told.isascii() or not text.isascii()


def it_names_letters_without_a_macro():
    assert latex.escape_latex("漢Ж") == "[U+6F22][U+0416]"


@pytest.mark.parametrize("make", [lambda: tex.to_table(FIGURES, STAMP, "median"), lambda: pgf.to_pgfplots(FIGURES, STAMP)])
def it_is_stamped_and_whole(make):
    text = make()
    assert STAMP.address in text and STAMP.digest in text and "$n = 12$" in text and "21 November 2026" in text
    LatexWalker(text, **WALK).get_latex_nodes()
    assert text.count(r"\begin{") == text.count(r"\end{")


def a_row(text: str, start: str) -> list[str]:
    return next(line for line in text.splitlines() if line.startswith(start)).removesuffix(r" \\").split(" & ")


def it_has_a_row_for_every_group():
    text = tex.to_table([figure(["off", "lz4"], ["Linux", "FreeBSD"])], STAMP, "median")
    assert a_row(text, "off") == ["off", "Linux", "100", "96 to 105", "3"]
    assert a_row(text, " & FreeBSD & 111") == ["", "FreeBSD", "111", "107 to 116", "3"]
    assert len([line for line in text.splitlines() if line.endswith(r"& 3 \\")]) == 4


def it_tells_a_group_without_an_interval():
    one = figure(["off"], [""])
    one["groups"][0] |= {"low": None, "high": None}
    assert a_row(tex.to_table([one], STAMP, "m"), "off") == ["off", "100", "--", "3"]
    assert "error bars" not in pgf.to_pgfplots([one], STAMP)


def it_prints_bounds_unlike_sessions_and_empty_places_in_the_table():
    text = tex.to_table([with_signs()], STAMP, "m")
    above, below, parts = r"{\ensuremath{>}} 100", r"{\ensuremath{<}} 101", "90; 130"
    assert a_row(text, "4 KiB") == ["4 KiB", "Linux", above, "--", "3"] and f"& {below} &" in text
    assert a_row(text, "64 KiB") == ["64 KiB", "Linux", parts, "--", "3"]
    assert f"unknown, FreeBSD: {NOT_RUN}." in text


def it_has_both_metrics_of_a_scatter():
    (scatter,) = (one for one in every_kind() if one["kind"] == "scatter")
    assert a_row(tex.to_table([scatter], STAMP, "m"), "64 KiB") == ["64 KiB", "Linux", "110", "106 to 115", "214", "3"]


def it_plots_the_numbers_of_the_figure():
    drawn = figure(["off", "lz4"], ["Linux", "FreeBSD"])
    text = pgf.to_pgfplots([drawn], STAMP)
    assert sorted(y for _, y in coordinates(text, "ybar")) == sorted(group["center"] for group in drawn["groups"])
    assert sorted(y for _, y in coordinates(text, r"mark=\*")) == sorted(
        point[0] for group in drawn["groups"] for point in group["points"]
    )
    assert len({x for x, _ in coordinates(text, "ybar")}) == 4


@pytest.mark.parametrize("one", every_kind(), ids=lambda one: f"{one['kind']}-{one['scale']}")
def it_plots_every_kind(one):
    text = pgf.to_pgfplots([one], STAMP)
    LatexWalker(text, **WALK).get_latex_nodes()
    shown = (
        one["groups"]
        if one["kind"] != "lines"
        else [group for group in one["groups"] if one["x"]["numbers"][group["x"]] is not None]
    )
    drawn = (
        text.count(r"\fill[")
        if one["kind"] == "heat"
        else text.count(r"\filldraw[") + text.count(r", line width=1.2pt]")
        if (one["kind"] == "box")
        else len([group for group in shown if str(group["center"]).removesuffix(".0")[:6] in text])
    )
    assert drawn == len(shown)


@pytest.mark.parametrize(("kind", "scale"), [(one["kind"], one["scale"]) for one in every_kind()])
def it_plots_bounds_and_empty_places_in_every_kind(kind, scale):
    one = with_signs(kind, scale)
    text = pgf.to_pgfplots([one], STAMP)
    LatexWalker(text, **WALK).get_latex_nodes()
    assert latex.escape_latex(SUBTITLE) in text and NOT_RUN in text
    assert len(re.findall(r"\\draw\[->", text)) == (0 if kind == "heat" else 3)
    assert len(re.findall(r"\{not run\}", text)) == (kind not in ("lines", "scatter"))
    assert {">", "<"} <= set(re.findall(r"\\ensuremath\{([<>])\}", text))


def it_plots_a_line_for_each_centre_and_no_bar_where_sessions_are_unlike():
    one = figure(["ext4", "xfs"], [""])
    one["groups"][0]["parts"] = [60.0, 180.0]
    text = pgf.to_pgfplots([one], STAMP)
    assert coordinates(text, "ybar") == [(1.0, 110.0)]
    assert "(axis cs:-0.28,60) -- (axis cs:0.28,60);" in text and "(axis cs:-0.28,180) -- (axis cs:0.28,180);" in text
    assert coordinates(text, "error bars") == [(1.0, 110.0)]


def it_begins_another_float_at_the_third_panel():
    text = pgf.to_pgfplots(FIGURES[:3], STAMP)
    assert text.count(r"\begin{figure}") == 2 and r"\label{fig:poolmark-k3m9xq2abc-2}" in text


def it_cuts_a_panel_of_many_rows_between_rows():
    """No axes are higher than a page; all parts have one scale, and together every row and mark."""
    names = [f"system {at}" for at in range(102)]
    one = figure(names, ["Linux", "FreeBSD"], kind="dots")
    one["groups"] = [group for group in one["groups"] if group["series"] == group["x"] % 2]
    text = pgf.to_pgfplots([one], STAMP)
    heights = list(map(float, re.findall(r"height=([\d.]+)mm", text)))
    assert len(heights) > 2 and max(heights) < 190 and len(set(re.findall(r"xmin=[^\n]*", text))) == 1
    assert [name for name in names if text.count(f"{{{name}}}") != 1] == []
    assert len(coordinates(text, "only marks, color")) == 102 and text.count(r"\begin{figure}") == len(heights)


def test_a_title_cannot_leave_its_comment():
    stamp = Stamp(STAMP.address, STAMP.frozen_at, 1, STAMP.digest, "one\n\\input{secret}")
    assert not [line for line in tex.to_table([], stamp, "m").splitlines() if line.startswith("\\input")]
