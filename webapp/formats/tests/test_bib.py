"""A work as BibTeX and BibLaTeX."""

from datetime import date

import pytest
from pylatexenc.latex2text import LatexNodes2Text

from webapp.formats.citations.entries import to_biblatex, to_bibtex
from webapp.formats.citations.work import CitedWork, parse_authors

WORK = CitedWork(
    "poolmark-abc",
    "Write & read, 50 % of {all} #1_2",
    parse_authors("Anna Grün; B_C; Bo Li"),
    date(2026, 11, 21),
    "https://example.org/p/abc",
    "f" * 64,
)


def fields(text):
    return {
        line.strip().split(" = ")[0]: line.strip().split(" = ", 1)[1].rstrip(",").removeprefix("{").removesuffix("}")
        for line in text.splitlines()
        if " = " in line
    }


@pytest.mark.parametrize(("make", "head"), [(to_bibtex, "@misc{poolmark-abc,\n"), (to_biblatex, "@dataset{poolmark-abc,\n")])
def test_what_people_typed_reads_back_from_latex(make, head):
    text = make(WORK)
    field = fields(text)
    assert text.startswith(head)
    assert LatexNodes2Text().latex_to_text(field["title"]) == WORK.title
    assert LatexNodes2Text().latex_to_text(field["author"]) == "Grün, Anna and B_C and Li, Bo"
    assert r"https://example.org/p/abc" in field["howpublished" if make is to_bibtex else "url"]
    assert rf"\url{{{'f' * 64}}}" in field["howpublished" if make is to_bibtex else "note"]


def test_the_day_stands_as_each_of_the_two_wants_it():
    assert (fields(to_bibtex(WORK))["year"], fields(to_bibtex(WORK))["month"]) == ("2026", "nov")
    assert fields(to_biblatex(WORK))["date"] == "2026-11-21"


def test_braces_are_balanced():
    text = to_bibtex(WORK).replace(r"\{", "").replace(r"\}", "")
    assert text.count("{") == text.count("}")
