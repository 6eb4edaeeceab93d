"""A permalink as BibTeX."""
from pylatexenc.latex2text import LatexNodes2Text

from webapp.formats.bib import to_bib

TOLD = {"frozen_at": "2026-11-21T08:00:00+00:00", "title": "Write & read, 50 % of {all} #1_2", "authors": "Anna Grün; B_C"}


def test_what_people_typed_reads_back_from_latex():
    text = to_bib(TOLD, "abc", "f" * 64, "https://example.org/p/abc")
    field = {line.strip().split(" = ")[0]: line.strip().split(" = ", 1)[1].rstrip(",")[1:-1]
             for line in text.splitlines() if " = " in line}
    assert text.startswith("@misc{poolmark-abc,\n")
    assert LatexNodes2Text().latex_to_text(field["title"]) == TOLD["title"]
    assert LatexNodes2Text().latex_to_text(field["author"]) == "Anna Grün and B_C"
    assert field["year"] == "2026" and field["month"] == "11" and field["url"] == "https://example.org/p/abc"


def test_braces_are_balanced():
    text = to_bib(TOLD, "abc", "f" * 64, "x").replace(r"\{", "").replace(r"\}", "")
    assert text.count("{") == text.count("}")
