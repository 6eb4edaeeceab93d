"""What the page of a permalink offers for a paper: kinds of files, widths, and the caption in three forms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from webapp.drawing import sheet
from webapp.drawing.looks import Look
from webapp.formats import captions
from webapp.models import Permalink
from webapp.permalinks import figure_form
from webapp.permalinks.rendering import describe_figures


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
    included = f"poolmark-{name}-{figure_form.read_form({}, 'pdf').filename}"
    latex = captions.to_latex_figure(caption, included, describe_figures(record["figures"]))
    markdown, html = captions.to_markdown(caption).strip(), captions.to_html(caption)
    fits = not sheet.split_rows(record["figures"], Look())
    divided = [] if fits else sheet.split_rows(record["figures"], figure_form.PARTS)
    return Paper(
        list(figure_form.ENDINGS.items()),
        list(figure_form.WIDTHS.items()),
        [
            WrittenCaption("LaTeX", latex, "caption.tex", f"/p/{name}/caption.tex"),
            WrittenCaption("Markdown", markdown, "caption.md", f"/p/{name}/caption.md"),
            WrittenCaption("Word and HTML", captions.to_text(caption), "caption.html", f"/p/{name}/caption.html", html),
        ],
        max(map(sheet.count_rows, record["figures"])),
        [(number, part.label) for number, part in enumerate(divided, 1)],
    )
