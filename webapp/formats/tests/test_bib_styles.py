"""A citation as the styles of BibTeX and BibLaTeX print it, compiled by LaTeX."""

from __future__ import annotations

import subprocess
from datetime import date

import pytest

from ingest.tests.tools import needed
from webapp.formats.citations.entries import to_biblatex, to_bibtex
from webapp.formats.citations.work import CitedWork, parse_authors

pytestmark = pytest.mark.slow
WORK = CitedWork(
    "poolmark-k3m9xq2abc",
    'Sequential write of ZFS on Linux, "raw" disks in RAID-Z2 & LZ4 per I/O size',
    parse_authors("Ann B. Rae; Bo Li; {The ZFS Group}"),
    date(2026, 11, 21),
    "https://bench.example.org/p/k3m9xq2abc",
    "0123456789abcdef" * 4,
    record_digest="f" * 64,
    covers="evidence bundle",
    edition=2,
)
PAPER = r"""\documentclass[%s]{article}
\usepackage[T1]{fontenc}
\usepackage{lmodern}
%s
\usepackage{xurl}
\begin{document}
As measured \cite{poolmark-k3m9xq2abc}.
%s
\end{document}
"""
STYLES = ("plain", "IEEEtran", "acm", "splncs04")


def printed(folder, options: str, preamble: str, end: str, program: str) -> str:
    """The text of the compiled paper on one line. Fails on a warning of the program or a box too full by more than 1 pt."""
    (folder / "paper.tex").write_text(PAPER % (options, preamble, end))
    latex = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper"]
    for command in (latex, [program, "paper"], latex, latex):
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", timeout=120)
        assert done.returncode == 0, done.stdout[-2000:]
        assert command[0] != program or not [line for line in done.stdout.splitlines() if "arning" in line or "WARN" in line]
    log = (folder / "paper.log").read_text(errors="replace")
    assert not [line for line in log.splitlines() if line.startswith("Overfull") and float(line.split("(")[1].split("pt")[0]) > 1]
    subprocess.run(["pdftoppm", "-r", "80", "-png", "paper.pdf", "paper"], cwd=folder, check=True)
    return subprocess.run(["pdftotext", "-raw", "paper.pdf", "-"], cwd=folder, capture_output=True, text=True, check=True).stdout


def check(text: str) -> None:
    """Everything by which one finds and checks the figure, with its capitals."""
    solid, words = "".join(text.split()), " ".join(text.split())
    assert WORK.address in solid and WORK.digest in solid
    for word in ("ZFS", "Linux", "RAID-Z2", "LZ4", "I/O"):
        assert word in solid, word
    assert '"raw"' in words and "2026" in words and "ersion 2" in words and "The ZFS Group" in words


@pytest.mark.parametrize("options", ["", "twocolumn"])
@pytest.mark.parametrize("style", STYLES)
def it_prints_address_and_digest_in_every_style_of_bibtex(tmp_path, style, options):
    needed("pdflatex", "bibtex", "pdftotext", "pdftoppm")
    (tmp_path / "entry.bib").write_text(to_bibtex(WORK))
    text = printed(tmp_path, options, "", rf"\bibliographystyle{{{style}}}{{\raggedright\bibliography{{entry}}}}", "bibtex")
    check(text)
    assert "Nov" in text or "NOV" in text


@pytest.mark.parametrize("style", ["numeric", "authoryear", "ieee", "alphabetic"])
def it_prints_address_and_digest_in_biblatex(tmp_path, style):
    needed("pdflatex", "biber", "pdftotext", "pdftoppm")
    (tmp_path / "entry.bib").write_text(to_biblatex(WORK))
    preamble = rf"\usepackage[style={style}]{{biblatex}}\addbibresource{{entry.bib}}"
    check(printed(tmp_path, "", preamble, r"{\raggedright\printbibliography}", "biber"))
