"""Drawn files of a permalink: rendered once from the frozen record, stored, and never rendered again.

A worker renders all of them after freezing; a request for a missing file renders it at once. The first file written stays,
whatever later versions of this code would draw.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from webapp.drawing import png, sheet
from webapp.drawing.looks import FROZEN
from webapp.drawing.order import has_pdf
from webapp.figures import notes
from webapp.figures.stamp import Stamp, stamp_of_record
from webapp.formats import captions, frozen_files
from webapp.formats.captions import Caption
from webapp.formatting import numbers as shown
from webapp.models import Permalink, Rendering
from webapp.permalinks.bundles.verify import is_beside_values
from webapp.permalinks.stored_files import find_file, store_file

WIDTHS, RESOLUTIONS = (85, 180), (300, 600)  # mm, dots per inch
SVG, PDF, PNG, TEX = "image/svg+xml", "application/pdf", "image/png", "application/x-tex; charset=utf-8"


class NothingToDraw(Exception):
    """The permalink has no figure."""


class NoPdf(Exception):
    """A PDF that is not stored, on a machine that draws none."""


@dataclass(frozen=True, slots=True)
class FrozenFigures:
    """Input of the renderers: record, plain figures, stamp, method sentence and text description."""

    record: dict
    figures: list[dict]
    stamp: Stamp
    method: str
    description: str

    @property
    def caption(self) -> Caption:
        """The caption of the figures."""
        return captions.make_caption(self.record, self.stamp.digest)

    @property
    def headings(self) -> list[str]:
        """What distinguishes each panel from its neighbours."""
        if len(self.figures) != len(self.record["panels"]) or any(map(is_beside_values, self.figures)):
            return [figure["title"] for figure in self.figures]
        return [panel["facet"] or panel["title"] for panel in self.record["panels"]]


def read_frozen_figures(permalink: Permalink) -> FrozenFigures:
    """The input of the renderers for a permalink."""
    record = json.loads(bytes(permalink.record))
    figures, stamp = record["figures"], stamp_of_record(record, permalink.digest)
    return FrozenFigures(record, figures, stamp, record["method"]["sentence"], describe_figures(figures))


def describe_figures(figures: list[dict]) -> str:
    """A text alternative of the figures: at most 20 groups of each."""
    parts = []
    for figure in figures:
        if figure.get("curves"):
            parts.append(f"{_describe_curves(figure)}.")
            continue
        named = [
            " ".join(part for part in (figure["x"]["values"][group["x"]], figure["series"][group["series"]]["name"]) if part)
            + f" {notes.centers_label(group)}"
            for group in figure["groups"][:20]
        ]
        named = named or [place.removesuffix(".") for place in notes.describe_places(figure)[:20]]
        omitted = len(figure["groups"]) - len(named)
        better = f", {figure['better']}" if figure["better"] else ""
        parts.append(
            f"{figure['title']} in {figure['unit']}{better}: {'; '.join(named)}"
            + (f"; and {omitted} more" if omitted > 0 else "")
            + "."
        )
    return " ".join(parts)


def _describe_curves(figure: dict) -> str:
    """The ends of each curve, at most 20 of them."""
    named = [
        f"{figure['series'][curve['series']]['name'] or 'the run'} {shown.number(min(curve.get('low', curve['v'])))} to "
        f"{shown.number(max(curve.get('high', curve['v'])))}"
        for curve in figure["curves"][:20]
        if curve["v"]
    ]
    x = figure["x"]
    low, high = shown.number(x["low"]), shown.number(x["high"])
    return f"{figure['title']} in {figure['unit']}, {x['label']} {low} to {high}: {'; '.join(named)}"


def _svg(frozen: FrozenFigures, width: int) -> bytes:
    return _paper(frozen, width).encode()


def _pdf(frozen: FrozenFigures, width: int) -> bytes:
    from webapp.drawing import pdf  # its libraries are slow to import

    return pdf.to_pdf(_paper(frozen, width), FROZEN.font, frozen.stamp, frozen.description)


def _png(frozen: FrozenFigures, width: int, dpi: int) -> bytes:
    return png.to_paper_png(_paper(frozen, width), FROZEN.font, dpi, frozen.stamp)


def _paper(frozen: FrozenFigures, width: int) -> str:
    return sheet.draw(frozen.figures, frozen.stamp, sheet.Sheet(width), FROZEN, description=frozen.description)


def _table(frozen: FrozenFigures, name: str) -> bytes:
    """A table for LaTeX. Records of earlier versions have one form only."""
    made = frozen_files.make_latex(frozen.record, frozen.stamp.digest)
    return made.get(name, made[frozen_files.TABLE]).encode()


@dataclass(frozen=True, slots=True)
class RenderedFile:
    """A file of a permalink: its media type and its renderer."""

    media_type: str
    make: Callable[[FrozenFigures], bytes]


def _rendered_files() -> dict[str, RenderedFile]:
    files: dict[str, RenderedFile] = {}
    for width in WIDTHS:
        files[svg_name(width)] = RenderedFile(SVG, partial(_svg, width=width))
        if has_pdf():
            files[pdf_name(width)] = RenderedFile(PDF, partial(_pdf, width=width))
    for width in WIDTHS:
        for dpi in RESOLUTIONS:
            files[png_name(width, dpi)] = RenderedFile(PNG, partial(_png, width=width, dpi=dpi))
    for name in (frozen_files.TABLE, frozen_files.PLAIN_TABLE):
        files[name] = RenderedFile(TEX, partial(_table, name=name))
    return files


def svg_name(width: int) -> str:
    return f"figure-{width}mm.svg"


def pdf_name(width: int) -> str:
    return f"figure-{width}mm.pdf"


def png_name(width: int, dpi: int) -> str:
    return f"figure-{width}mm-{dpi}dpi.png"


def drawing_size(svg: bytes) -> tuple[float, float]:
    """Width and height of an SVG from its viewBox. Raises ValueError without one."""
    match = re.search(rb'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg[:2000])
    if match is None:
        raise ValueError("the drawing tells no size")
    return float(match[1]), float(match[2])


FRAME_WIDTH, _AROUND = 720, 150
"""Width of the frame on other sites, and height of its text above and below the figure, in px."""
USUAL_SIZE = (16.0, 9.0)


def frame_height(wide: float, high: float, width: int) -> int:
    """Height in px of a frame of that width around a drawing of `wide` x `high`."""
    return round(width * high / wide) + _AROUND


def stored_size(name: str) -> tuple[float, float] | None:
    """Width and height of the wide figure of a permalink; None while it is not drawn."""
    stored = find_file(name, svg_name(180))
    try:
        return drawing_size(bytes(stored.data)) if stored else None
    except ValueError:
        return None


RENDERED_FILES = _rendered_files()
"""File name -> media type and renderer."""


def get_or_render(permalink: Permalink, name: str) -> Rendering:
    """The stored file, rendered now where missing. Raises KeyError for an unknown name, NothingToDraw without figures, NoPdf."""
    existing = find_file(permalink.pk, name)
    if existing is not None:
        return existing
    if name.endswith(".pdf") and not has_pdf():
        raise NoPdf
    file = RENDERED_FILES[name]
    frozen = read_frozen_figures(permalink)
    if not frozen.figures:
        raise NothingToDraw(permalink.pk)
    return store_file(permalink.pk, name, file.media_type, file.make(frozen))


def render_all(permalink: Permalink) -> list[str]:
    """Render every missing file; returns their names."""
    existing = set(Rendering.objects.filter(of=permalink.pk).values_list("name", flat=True))
    frozen = read_frozen_figures(permalink)
    missing = [name for name in RENDERED_FILES if name not in existing] if frozen.figures else []
    for name in missing:
        store_file(permalink.pk, name, RENDERED_FILES[name].media_type, RENDERED_FILES[name].make(frozen))
    return missing
