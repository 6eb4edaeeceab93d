"""What a permalink gives for LaTeX compiles, and an author need not set it right."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import transaction
from django.test import Client, override_settings

from ingest.tests.tools import needed
from webapp.models import DataVersion, Permalink
from webapp.permalinks import record_figures
from webapp.tests import paper, papers

pytestmark = [pytest.mark.slow, pytest.mark.django_db]
PLAIN = r"""\documentclass[%s]{article}
\usepackage[T1]{fontenc}
\usepackage[a4paper,margin=17mm]{geometry}
\usepackage{lmodern,graphicx,booktabs,siunitx,xurl}
\begin{document}
As measured \cite{poolmark-k3m9xq2abc}: table~\ref{tab:poolmark-k3m9xq2abc}, figure~\ref{fig:poolmark-k3m9xq2abc}.
\input{table}
\input{figure}
\bibliographystyle{plain}
{\raggedright\bibliography{entry}}
\end{document}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Where papers are written: POOLMARK_PAPERS, or a temporary folder."""
    needed(*papers.TOOLS)
    named = os.environ.get("POOLMARK_PAPERS")
    made = Path(named) if named else tmp_path_factory.mktemp("papers")
    made.mkdir(parents=True, exist_ok=True)
    return made


@pytest.mark.parametrize("options", ["", "twocolumn"])
def test_texts_with_every_character_that_latex_minds_compile(folder, options):
    place = folder / f"characters{options}"
    place.mkdir(exist_ok=True)
    paper.write(place)
    source = place / f"paper{options}.tex"
    source.write_text(PLAIN % options)
    assert papers.compile_paper(source) == []
    log = source.with_suffix(".log").read_text(encoding="utf-8", errors="replace")
    assert not [line for line in log.splitlines() if "Warning:" in line or line.startswith(("!", "Overfull"))]
    assert papers.find_bad_fonts(source.with_suffix(".pdf")) == []


@pytest.fixture(scope="module")
def shipped(django_db_setup, django_db_blocker, tmp_path_factory) -> Iterator[list[Permalink]]:
    """The permalinks of the shipped studies: those with most labels, and others between them."""
    with django_db_blocker.unblock(), override_settings(POOLMARK_DATA=tmp_path_factory.mktemp("shipped")), transaction.atomic():
        DataVersion.objects.get_or_create(pk=1)
        call_command("load_fixtures", stdout=StringIO())
        links = sorted(Permalink.objects.all(), key=_letters, reverse=True)
        half = len(papers.KINDS) // 2
        step = max(1, (len(links) - half) // half)
        yield [*links[:half], *links[half::step]][: len(papers.KINDS)]
        transaction.set_rollback(True)


def _letters(link: Permalink) -> tuple[int, str]:
    """How much text stands below the axis of its first figure."""
    figure = record_figures.parse_record(link.record)["figures"][0]
    return sum(map(len, figure["x"]["values"])) + 10 * len(figure["series"]), link.title


def test_ten_papers_have_no_overfull_box_and_no_label_on_another(shipped, folder):
    assert len(shipped) == len(papers.KINDS) == 10
    faults, overfull, overlaps = [], [], []
    for kind, link in zip(papers.KINDS, shipped, strict=True):
        place = folder / kind.name
        place.mkdir(exist_ok=True)
        key = _write_parts(link, kind, place)
        source = papers.write_paper(kind, place, key)
        faults += papers.compile_paper(source)
        if source.with_suffix(".pdf").exists():
            overfull += papers.find_overfull(source)
            overlaps += papers.find_overlaps(source.with_suffix(".pdf"))
            faults += papers.find_bad_fonts(source.with_suffix(".pdf"))
    print(f"\n{len(shipped)} papers, {len(overfull)} overfull over 1 pt, {len(overlaps)} overlapping labels")
    assert (faults, overfull, overlaps) == ([], [], [])


def _write_parts(link: Permalink, kind: papers.PaperKind, place: Path) -> str:
    """The files of a permalink for a paper, as an author gets them. Returns the key of the citation."""
    client = Client()
    size = f"width={kind.width}" + (f"&height={kind.height}" if kind.height else "")
    drawn = f"font={kind.look}&{size}"
    answers = {
        "table.tex": f"/p/{link.pk}.tex?form=table",
        "figure.tex": f"/p/{link.pk}.tex?form=figure&{drawn}",
        "entry.bib": f"/p/{link.pk}.bib",
        "drawn.pdf": f"/p/{link.pk}.pdf?form=bare&{drawn}",
    }
    for name, address in answers.items():
        answer = client.get(address)
        assert answer.status_code == 200, address
        (place / name).write_bytes(answer.content)
        if name == "drawn.pdf":
            saved = answer["Content-Disposition"].split('filename="')[1].rstrip('"')
            shutil.move(place / name, place / saved)
    return (place / "entry.bib").read_text().split("{", 1)[1].split(",", 1)[0]


def test_the_check_names_what_an_author_would_refuse(folder):
    """A paper with a line that is too long, a label on another and a Type 3 font fails each check."""
    place = folder / "bad"
    place.mkdir(exist_ok=True)
    source = place / "bad.tex"
    source.write_text(
        r"\documentclass{article}\pdfmapfile{}\begin{document}\noindent\mbox{"
        + "x" * 200
        + r"}\par\noindent\rlap{label}\rlap{other}"
        r"\bibliographystyle{plain}\end{document}"
    )
    subprocess.run(["pdflatex", "-interaction=nonstopmode", source.stem], cwd=place, capture_output=True, check=False)
    assert len(papers.find_overfull(source)) == 1
    assert len(papers.find_overlaps(source.with_suffix(".pdf"))) == 1
