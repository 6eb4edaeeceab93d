"""LaTeX of a permalink: what people typed reads back, and the numbers are those of the figure."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pylatexenc.latex2text import LatexNodes2Text
from pylatexenc.latexwalker import LatexWalker

from webapp.figures.stamp import Stamp
from webapp.formats import frozen_files, latex
from webapp.tests.drawn import NOT_RUN, STAMP, every_kind, figure, with_signs
from webapp.tests.paper import FIGURES

WALK = {"tolerant_parsing": False}


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


def it_is_stamped_and_whole():
    text = frozen_files.earlier_table(FIGURES, STAMP, "median")
    assert STAMP.address in text and STAMP.digest in text and "$n = 12$" in text and "21 November 2026" in text
    LatexWalker(text, **WALK).get_latex_nodes()
    assert text.count(r"\begin{") == text.count(r"\end{")


def a_row(text: str, start: str) -> list[str]:
    return next(line for line in text.splitlines() if line.startswith(start)).removesuffix(r" \\").split(" & ")


def it_has_a_row_for_every_group():
    text = frozen_files.earlier_table([figure(["off", "lz4"], ["Linux", "FreeBSD"])], STAMP, "median")
    assert a_row(text, "off") == ["off", "Linux", "100", "96 to 105", "3"]
    assert a_row(text, " & FreeBSD & 111") == ["", "FreeBSD", "111", "107 to 116", "3"]
    assert len([line for line in text.splitlines() if line.endswith(r"& 3 \\")]) == 4


def it_tells_a_group_without_an_interval():
    one = figure(["off"], [""])
    one["groups"][0] |= {"low": None, "high": None}
    assert a_row(frozen_files.earlier_table([one], STAMP, "m"), "off") == ["off", "100", "--", "3"]


def it_prints_bounds_unlike_sessions_and_empty_places_in_the_table():
    text = frozen_files.earlier_table([with_signs()], STAMP, "m")
    above, below, parts = r"{\ensuremath{>}} 100", r"{\ensuremath{<}} 101", "90; 130"
    assert a_row(text, "4 KiB") == ["4 KiB", "Linux", above, "--", "3"] and f"& {below} &" in text
    assert a_row(text, "64 KiB") == ["64 KiB", "Linux", parts, "--", "3"]
    assert f"unknown, FreeBSD: {NOT_RUN}." in text


def it_has_both_metrics_of_a_scatter():
    (scatter,) = (one for one in every_kind() if one["kind"] == "scatter")
    assert a_row(frozen_files.earlier_table([scatter], STAMP, "m"), "64 KiB") == [
        "64 KiB",
        "Linux",
        "110",
        "106 to 115",
        "214",
        "3",
    ]


def test_a_title_cannot_leave_its_comment():
    stamp = Stamp(STAMP.address, STAMP.frozen_at, 1, STAMP.digest, "one\n\\input{secret}")
    assert not [line for line in frozen_files.earlier_table([], stamp, "m").splitlines() if line.startswith("\\input")]
