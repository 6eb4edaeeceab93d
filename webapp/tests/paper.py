"""`python -m webapp.tests.paper FOLDER`: the files for LaTeX of figures whose texts hold what LaTeX minds."""

from __future__ import annotations

import sys
from datetime import date
from pathlib import Path

from webapp.drawing import pdf, sheet
from webapp.drawing.looks import FROZEN
from webapp.formats import captions, latex_table
from webapp.formats.citations import entries
from webapp.formats.citations.work import CitedWork, parse_authors
from webapp.tests.drawn import STAMP, every_kind, figure, record

NASTY = ["off", "lz4 & 5 % {x} $y$", "gzip-6 #_^~\\ \u6f22 \u0416 \u00b5 \u00d7 \u2212 \u201cq\u201d \u00e9 \u00df \u03a9"]
FIGURES = [
    figure(NASTY, ["Linux", "FreeBSD 9.1", "\u03a9_$&"]),
    figure(["a"], [""]),
    figure([f"OpenIndiana {at}" for at in range(60)], ["off"], scale="log"),
    *every_kind()[2:],
]


def write(folder: Path) -> None:
    """table.tex, figure.tex, figure-85mm.pdf and entry.bib."""
    table = latex_table.to_table(record([*FIGURES[:2], FIGURES[-3]]), STAMP)
    (folder / "table.tex").write_text(table, encoding="utf-8")
    caption = captions.Caption(STAMP.title, tuple(NASTY), (), STAMP)
    text = captions.latex_head(caption, "figure-85mm.pdf", ".pdf") + captions.to_latex_figure(caption, "figure-85mm.pdf", NASTY[2])
    (folder / "figure.tex").write_text(text, encoding="utf-8")
    (folder / "figure-85mm.pdf").write_bytes(pdf.to_pdf(sheet.draw(FIGURES[:1], STAMP, sheet.Sheet(85)), FROZEN.font, STAMP))
    work = CitedWork(
        "poolmark-k3m9xq2abc",
        STAMP.title,
        parse_authors(STAMP.authors),
        date.fromisoformat(STAMP.frozen_at[:10]),
        STAMP.address,
        STAMP.digest,
    )
    (folder / "entry.bib").write_text(entries.to_bibtex(work), encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
