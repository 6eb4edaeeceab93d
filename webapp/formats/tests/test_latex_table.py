"""The table for LaTeX: numbers aligned, units once, ratio and claim, and whatever people typed."""

from __future__ import annotations

import re

import pytest
from pylatexenc.latexwalker import LatexWalker

from webapp.figures.stamp import stamp_of_record
from webapp.formats import latex_table
from webapp.tests import drawn
from webapp.tests.paper import NASTY

RECORDS = {
    "plain": drawn.record([drawn.figure(["off", "lz4", "gzip-6"], [""])]),
    "nasty": drawn.record([drawn.figure(NASTY, ["Linux", "FreeBSD 9.1"])]),
    "signs": drawn.record([drawn.with_signs()], "4 KiB"),
    "two": drawn.record([drawn.figure(["off", "lz4"], [""]), drawn.figure(["off", "lz4"], [""], title="Second")]),
}


def table(name: str, plain: bool = False) -> str:
    record = RECORDS[name]
    return latex_table.to_table(record, stamp_of_record(record, drawn.STAMP.digest), plain)


def lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.endswith(r" \\")]


@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("name", RECORDS)
def it_is_whole(name, plain):
    text = table(name, plain)
    LatexWalker(text.replace(r"\poolmarkfloat}", "table}"), tolerant_parsing=False).get_latex_nodes()
    assert text.count(r"\begin{") == text.count(r"\end{") and drawn.STAMP.address in text and drawn.STAMP.digest[:32] in text
    assert ("siunitx" in text) == (not plain) and text.split(r"\begin", 1)[1].isascii()


@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("name", RECORDS)
def it_has_as_many_cells_as_columns(name, plain):
    """Where cells span columns these are counted."""
    text = table(name, plain)
    for part in re.findall(r"\\begin\{tabular\}\{@\{\}([^\n]*)@\{\}\}\n(.*?)\\end\{tabular\}", text, re.S):
        columns = re.sub(r"@\{[^}]*\}|\[[^\]]*\]", "", part[0])
        assert set(columns) <= set("lSr")
        for line in lines(part[1]):
            cells = re.split(r"(?<!\\)&", line)
            spans = [int(span) - 1 for span in re.findall(r"\\multicolumn\{(\d)\}", line)]
            assert len(cells) + sum(spans) == len(columns), line


def it_prints_unit_ratio_and_claim():
    head, *rows = lines(table("plain"))
    assert head == r"Compression & {MiB/s} & \multicolumn{2}{c}{interval} & {$n$} & \multicolumn{3}{c}{ratio to off} & claim \\"
    assert rows[0].startswith("off & 100 & 96 & 105 & 3 & {} &")
    assert rows[1] == r"lz4 & 110 & 106 & 115 & 3 & 1.01 & 0.970 & 1.05 & no diff. \\"
    assert "no difference seen" in table("plain") and "no claim: one run each, spread unknown" in table("plain")
    assert r"S[table-format=1.3]@{\,--\,}S[table-format=1.3]" in table("plain")


def it_prints_bounds_sessions_and_empty_places():
    text = table("signs")
    assert r"{$>$\,100}" in text and "90; 130" in text and drawn.NOT_RUN in text


def it_takes_both_columns_of_a_paper_only_where_it_has_to():
    assert r"\begin{table}" in table("plain") and "@twocolumn" not in table("plain")
    assert r"\begin{\poolmarkfloat}" in table("nasty") and r"table\if@twocolumn*\fi" in table("nasty")


def it_prints_what_the_author_does_not_show():
    record = drawn.record(
        [drawn.figure(["off", "lz4"], [""], notes=["1 of 2 levels shown (Compression): dull. Not shown by the author: zle."])]
    )
    record["panels"][0]["groups"][1]["hidden"] = True
    text = latex_table.to_table(record, stamp_of_record(record, drawn.STAMP.digest))
    assert len(lines(text)) == 2 and "1 of 2 levels shown (Compression): dull." in text


def it_goes_over_several_floats_where_it_is_higher_than_a_page():
    names = [f"Storage system of a long name {at}" for at in range(120)]
    record = drawn.record([drawn.figure(names, [""]), drawn.figure(names[:3], [""], title="Second")])
    text = latex_table.to_table(record, stamp_of_record(record, drawn.STAMP.digest))
    floats = text.split(r"\end{table}")[:-1] if r"\begin{table}" in text else text.split(r"\end{\poolmarkfloat}")[:-1]
    rows = [[line for line in lines(part) if "claim" not in line] for part in floats]
    assert len(floats) >= 4 and sum(map(len, rows)) == 123 and max(map(len, rows)) <= 40 and min(map(len, rows)) >= 1
    assert text.count(", continued}") == len(floats) - 1 and len(set(re.findall(r"\\label\{(.*?)\}", text))) == len(floats)
    assert text.count(r"SHA-256 \texttt") == floats[-1].count(r"SHA-256 \texttt") == 1
