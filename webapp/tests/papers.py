"""Ten papers, each with the table, the figure and the citation of a permalink, and what an author would refuse of them: boxes
that are too full by more than a point, and texts that cover others."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from html import unescape
from pathlib import Path

PACKAGES = r"\usepackage{booktabs,siunitx,graphicx}"
TOOLS = ("pdflatex", "bibtex", "pdffonts", "pdftotext")
MAX_OVERFULL = 1.0  # pt
_SHARE = 0.35  # of the lower of two words, from which on they cover each other: the boxes of fonts are higher than their letters
Word = tuple[float, float, float, float, str]
"""Left, top, right and bottom in points, and the text."""


@dataclass(frozen=True)
class PaperKind:
    """A class with its options; `before` and `after` stand around `\\begin{document}`. Width of a figure in mm; `style`: BibTeX.

    acmart's `balance` is off: it fills the last columns beyond their height where floats wait at the end, whatever is in them.
    """

    name: str
    document: str
    width: float
    before: str = r"\usepackage{xurl}"
    after: str = ""
    style: str = "plain"
    height: float | None = None
    look: str = "serif"


_TITLED = r"\title{On file systems}\author{A. Rae}"
KINDS = (
    PaperKind("article", r"\documentclass{article}", 120),
    PaperKind("article-two-columns", r"\documentclass[twocolumn,a4paper]{article}\usepackage[margin=18mm]{geometry}", 84.7),
    PaperKind("ieeetran", r"\documentclass[conference]{IEEEtran}", 88, after=_TITLED + r"\maketitle", style="IEEEtran"),
    PaperKind(
        "acmart-sigconf",
        r"\documentclass[sigconf,nonacm,balance=false]{acmart}",
        84.7,
        after=r"\title{On file systems}\author{A. Rae}\affiliation{\institution{I}\country{Norway}}\maketitle",
        style="ACM-Reference-Format",
    ),
    PaperKind(
        "acmart-sigplan",
        r"\documentclass[sigplan,nonacm,balance=false]{acmart}",
        84.7,
        after=r"\title{On file systems}\author{A. Rae}\affiliation{\institution{I}\country{Norway}}\maketitle",
        style="ACM-Reference-Format",
        look="sans",
    ),
    PaperKind("llncs", r"\documentclass{llncs}", 120, after=_TITLED + r"\institute{I}\maketitle", style="splncs04"),
    PaperKind("beamer", r"\documentclass{beamer}", 105, height=52, look="sans"),
    PaperKind("elsarticle", r"\documentclass[5p,twocolumn]{elsarticle}", 88, style="elsarticle-num"),
    PaperKind("memoir", r"\documentclass[11pt,a4paper]{memoir}", 120),
    PaperKind("thesis", r"\documentclass[12pt,a4paper]{report}\usepackage[T1]{fontenc}\usepackage{lmodern}", 130),
)


def write_paper(kind: PaperKind, folder: Path, key: str) -> Path:
    """The source of a paper in a folder with the files of a permalink; `key` of its citation. Returns its path."""
    parts = [
        rf"We compare them \cite{{{key}}}.",
        r"\input{table}",
        r"\input{figure}",
    ]
    if kind.name == "beamer":
        small = r"\setbeamerfont{caption}{size=\tiny}"
        parts = [small, *(rf"\begin{{frame}}[shrink=40]{part}\end{{frame}}" for part in parts)]
    references = rf"\bibliographystyle{{{kind.style}}}{{\raggedright\bibliography{{entry}}}}"
    if kind.name == "beamer":
        references = rf"\begin{{frame}}[allowframebreaks]{references}\end{{frame}}"
    lines = [kind.document, PACKAGES, kind.before, r"\begin{document}", kind.after, *parts, references, r"\end{document}"]
    source = folder / f"{kind.name}.tex"
    source.write_text("\n".join(lines) + "\n")
    return source


def compile_paper(source: Path) -> list[str]:
    """Why it does not compile; [] where it does."""
    latex = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", source.stem]
    for command in (latex, ["bibtex", source.stem], latex, latex):
        done = subprocess.run(command, cwd=source.parent, capture_output=True)
        if done.returncode:
            return [f"{source.stem}: {command[0]} failed", *done.stdout.decode("utf-8", "replace").splitlines()[-20:]]
    return []


def find_overfull(source: Path) -> list[str]:
    """Boxes of a compiled paper that are too full, and floats that are higher than a page, by more than a point."""
    log = source.with_suffix(".log").read_text(encoding="utf-8", errors="replace")
    found = re.findall(r"^Overfull \\[hv]box \(([\d.]+)pt too (?:wide|high)\).*$", log, re.M)
    lines = re.findall(r"^Overfull .*$", log, re.M)
    faults = [f"{source.stem}: {line}" for amount, line in zip(found, lines, strict=True) if float(amount) > MAX_OVERFULL]
    high = re.findall(r"Float too large for page by ([\d.]+)pt.*$", log, re.M)
    return faults + [
        f"{source.stem}: a float is {amount} pt higher than the page" for amount in high if float(amount) > MAX_OVERFULL
    ]


def find_overlaps(pdf: Path) -> list[str]:
    """Pairs of words of a PDF of which one covers the other."""
    layout = subprocess.run(["pdftotext", "-bbox", pdf, "-"], capture_output=True, text=True, check=True).stdout
    found = []
    for number, page in enumerate(layout.split("<page ")[1:], 1):
        words: list[Word] = [
            (*map(float, box), unescape(text))  # type: ignore[misc]
            for *box, text in re.findall(
                r'<word xMin="([-\d.]+)" yMin="([-\d.]+)" xMax="([-\d.]+)" yMax="([-\d.]+)">(.*?)</word>', page
            )
        ]
        found += [f"{pdf.stem}, page {number}: {one!r} and {other!r}" for one, other in find_covered(words)]
    return found


def find_covered(words: list[Word]) -> list[tuple[str, str]]:
    """Pairs of words of a page of which one covers the other. Of turned text the lines stand beside each other."""
    found, words = [], sorted(words)
    turned = {_across(word) for word in words if len(word[4]) > 3 and word[3] - word[1] > word[2] - word[0]}
    for index, one in enumerate(words):
        for other in words[index + 1 :]:
            if other[0] >= one[2]:
                break
            if _covers(one, other, _across(one) in turned and _across(other) in turned):
                found.append((one[4], other[4]))
    return found


def _across(word: Word) -> tuple[float, float]:
    """The left and right end of a word, which all words of a turned line share."""
    return round(word[0], 2), round(word[2], 2)


def _covers(one: Word, other: Word, turned: bool) -> bool:
    """Whether two words cover each other along their line, and over a share of its height."""
    along, over = (1, 0) if turned else (0, 1)

    def common(side: int) -> tuple[float, float]:
        ends = min(one[side + 2], other[side + 2]), max(one[side], other[side])
        return ends[0] - ends[1], min(one[side + 2] - one[side], other[side + 2] - other[side])

    (length, short), (height, low) = common(along), common(over)
    return length > max(1.0, 0.1 * short) and height > _SHARE * low


def find_bad_fonts(pdf: Path) -> list[str]:
    """Fonts of a PDF that are not embedded, or are Type 3."""
    listed = subprocess.run(["pdffonts", pdf], capture_output=True, text=True, check=True).stdout.splitlines()[2:]
    return [f"{pdf.stem}: {line}" for line in listed if line.split()[-5] != "yes" or "Type 3" in line]
