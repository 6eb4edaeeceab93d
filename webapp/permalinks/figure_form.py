"""The figure of a permalink as a reader asks for it: form, size, font and shades of a drawing, from the query of its address."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from webapp.drawing import looks, sheet
from webapp.drawing.looks import Look
from webapp.drawing.order import NO_PDF, has_pdf
from webapp.formats import captions
from webapp.models import Permalink
from webapp.permalinks.rendering import RESOLUTIONS, describe_figures

# What the page of a permalink offers for a paper: kinds of files, widths, and the caption in three forms.


@dataclass(frozen=True, slots=True)
class WrittenCaption:
    """A caption in one form, its file and the address of that. `formatted`: HTML for what can be pasted with its format."""

    name: str
    text: str
    file: str
    address: str
    formatted: str = ""


@dataclass(frozen=True, slots=True)
class Paper:
    """Choices of the form, as pairs of value and name, and captions."""

    endings: list[tuple[str, str]]
    widths: list[tuple[str, str]]
    captions: list[WrittenCaption]
    rows: int
    parts: list[tuple[int, str]]
    """Number of each part of a figure with more rows than one file has names for, and its label: `rows 1 to 51`."""


def paper_of(permalink: Permalink, record: Mapping[str, Any]) -> Paper | None:
    """The choices and captions of a permalink; None where it has no figure."""
    if not record["figures"]:
        return None
    caption, name = captions.make_caption(record, permalink.digest), permalink.pk
    included = f"poolmark-{name}-{read_form({}, 'pdf').filename}"
    latex = captions.to_latex_figure(caption, included, describe_figures(record["figures"]))
    markdown, html = captions.to_markdown(caption).strip(), captions.to_html(caption)
    fits = not sheet.split_rows(record["figures"], Look())
    divided = [] if fits else sheet.split_rows(record["figures"], PARTS)
    return Paper(
        list(ENDINGS.items()),
        list(WIDTHS.items()),
        [
            WrittenCaption("LaTeX", latex, "caption.tex", f"/p/{name}/caption.tex"),
            WrittenCaption("Markdown", markdown, "caption.md", f"/p/{name}/caption.md"),
            WrittenCaption("Word and HTML", captions.to_text(caption), "caption.html", f"/p/{name}/caption.html", html),
        ],
        max(map(sheet.count_rows, record["figures"])),
        [(number, part.label) for number, part in enumerate(divided, 1)],
    )


WIDTHS = {
    "84.7": "84.7 mm, a column of ACM",
    "88": "88 mm, a column of IEEE",
    "122": "122 mm, LNCS",
    "178": "178 mm, a page of ACM",
    "180": "180 mm, a page of IEEE",
}
"""Widths that are offered, in mm, with their names."""
LIMITS = {"width": (40.0, 300.0), "height": (30.0, 300.0), "size": (looks.SMALLEST, 12.0)}
"""The lowest and the highest number of a parameter."""
UNITS = {"width": "mm", "height": "mm", "size": "pt"}
DEFAULTS = {"form": "bare", "width": "84.7", "font": "sans", "size": "8", "grey": "0", "dpi": "600"}
ENDINGS = {"pdf": "PDF", "svg": "SVG", "png": "PNG"}
"""Kinds of files with their names."""
PARTS = Look(size=LIMITS["size"][1])
"""The look by which the rows of parts are counted, whatever is asked for: part 2 has the same rows in every size."""
KEYS = frozenset([*DEFAULTS, "height", "part"])


class BadForm(ValueError):
    """A parameter that there is not, or out of its range; the text says which."""


@dataclass(frozen=True)
class FigureForm:
    """A drawing to be made. Width and height in mm; without a height as high as it needs. `part`: which part of a figure of many
    rows, from 1; 0 for the whole."""

    ending: str
    look: Look
    width: float
    height: float | None
    dpi: int
    part: int = 0

    @property
    def query(self) -> str:
        """The canonical query of its address: defaults are left out, except the width."""
        values = {
            "form": self.look.form,
            "width": f"{self.width:g}",
            "height": f"{self.height:g}" if self.height else "",
            "font": self.look.font,
            "size": f"{self.look.size:g}",
            "grey": str(int(self.look.grey)),
            "dpi": str(self.dpi) if self.ending == "png" else "",
            "part": str(self.part) if self.part else "",
        }
        units = {key: f"{value}{UNITS.get(key, '')}" for key, value in values.items() if value}
        kept = {key: value for key, value in units.items() if key in ("form", "width") or values[key] != DEFAULTS.get(key)}
        return urlencode(kept)

    @property
    def address(self) -> str:
        """The end of its address, after `/p/ID`."""
        return f".{self.ending}?{self.query}"

    @property
    def filename(self) -> str:
        """`figure-84.7mm-bare-serif.pdf`"""
        size = f"{self.width:g}" + (f"x{self.height:g}" if self.height else "")
        words = [f"figure-{size}mm", self.look.form, *([self.look.font] if self.look.font != DEFAULTS["font"] else [])]
        words += [f"{self.look.size:g}pt"] if self.look.size != 8 else []
        words += [f"part-{self.part}"] if self.part else []
        words += ["grey"] if self.look.grey else []
        words += [f"{self.dpi}dpi"] if self.ending == "png" else []
        return "-".join(words) + f".{self.ending}"


def read_form(asked: Mapping[str, str], ending: str) -> FigureForm:
    """The drawing that a query asks for. Raises BadForm, for PDF too where this machine draws none."""
    if ending == "pdf" and not has_pdf():
        raise BadForm(NO_PDF)
    asked_for = DEFAULTS | {key: value.strip() for key, value in asked.items() if key in KEYS and value.strip()}
    chosen = {
        "form": _choice(asked_for, "form", looks.FORMS),
        "font": _choice(asked_for, "font", looks.FONTS),
        "size": _number(asked_for, "size"),
        "grey": _choice(asked_for, "grey", ("0", "1")) == "1",
    }
    height = _number(asked_for, "height") if "height" in asked_for else None
    dpi = int(_choice(asked_for, "dpi", tuple(map(str, RESOLUTIONS))))
    part = _part(asked_for.get("part", ""))
    return FigureForm(ending, Look(**chosen), _number(asked_for, "width"), height, dpi, part)  # type: ignore[arg-type]


def _part(asked: str) -> int:
    if not asked:
        return 0
    if not re.fullmatch(r"[1-9]\d?", asked, re.ASCII):
        raise BadForm(f"There is no file with part={asked[:20]}; parts are numbered from 1.")
    return int(asked)


def take_part(figures: Sequence[dict], form: FigureForm) -> list[dict]:
    """The figures that a form asks for: all, or the rows of one part. Raises BadForm where there is no such part."""
    if not form.part:
        return list(figures)
    known = sheet.split_rows(figures, PARTS)
    if form.part > len(known):
        there = f"it has {len(known)} parts" if known else "it is drawn in one"
        raise BadForm(f"There is no part {form.part} of this figure; {there}.")
    return [sheet.take_part(figures, known[form.part - 1])]


def _choice(asked_for: Mapping[str, str], key: str, known: tuple[str, ...]) -> str:
    if asked_for[key] not in known:
        raise BadForm(f"There is no file with {key}={asked_for[key][:20]}; there are {' and '.join(known)}.")
    return asked_for[key]


def _number(asked_for: Mapping[str, str], key: str) -> float:
    low, high = LIMITS[key]
    unit = UNITS[key]
    match = re.fullmatch(r"(\d{1,4}(?:[.,]\d{1,3})?)\s*([a-z]*)", asked_for[key], re.ASCII)
    number = float(match[1].replace(",", ".")) if match and match[2] in ("", unit) else math.nan
    if not low <= number <= high:
        raise BadForm(f"There is no file with {key}={asked_for[key][:20]}; it may be {low:g} to {high:g} {unit}.")
    return number
