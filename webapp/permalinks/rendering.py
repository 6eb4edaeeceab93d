"""The files of a permalink: made once of the frozen record alone, kept beside it, and never made again.

A worker makes all of them after freezing. Whoever asks for one that is not there yet gets it made at once; the first that
is written stays, whatever later versions of this code would draw.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from webapp.formats import tex
from webapp.formats.drawing.stamp import Stamp
from webapp.formatting import numbers
from webapp.models import Permalink, Rendering
from webapp.permalinks.stored_files import find_file, store_file

WIDTHS, RESOLUTIONS = (85, 180), (300, 600)
SVG, PDF, PNG, TEX = "image/svg+xml", "application/pdf", "image/png", "application/x-tex; charset=utf-8"


class NothingToDraw(Exception):
    """The permalink has no figure."""


@dataclass(frozen=True, slots=True)
class FrozenFigures:
    """What files are made of: the record, its plain figures, the stamp, and the sentences about them."""

    told: dict
    figures: list[dict]
    stamp: Stamp
    method: str
    description: str


def read_frozen_figures(permalink: Permalink) -> FrozenFigures:
    """The record of a permalink as its files need it."""
    told = json.loads(bytes(permalink.record))
    figures, runs = told["figures"], told["counts"]["runs"]
    stamp = Stamp(
        told["address"],
        told["frozen_at"],
        runs,
        permalink.digest,
        told.get("title", ""),
        told.get("authors", ""),
        tuple(flag["sentence"] for flag in told["flags"]),
    )
    return FrozenFigures(told, figures, stamp, told["method"]["sentence"], describe_figures(figures))


def describe_figures(figures: list[dict]) -> str:
    """The figures in words, for those who do not see them: at most 20 groups of each."""
    parts = []
    for figure in figures:
        named = [
            " ".join(part for part in (figure["x"]["values"][group["x"]], figure["series"][group["series"]]["name"]) if part)
            + f" {numbers.number(group['center'])}"
            for group in figure["groups"][:20]
        ]
        more = len(figure["groups"]) - len(named)
        better = f", {figure['better']}" if figure["better"] else ""
        parts.append(
            f"{figure['title']} in {figure['unit']}{better}: {'; '.join(named)}" + (f"; and {more} more" if more > 0 else "") + "."
        )
    return " ".join(parts)


def _plate(frozen: FrozenFigures, width: int):
    from webapp.formats.drawing import plate  # matplotlib is slow to import and large: only where something is drawn

    return plate.draw_plate(frozen.figures, frozen.stamp, width)


def _svg(frozen: FrozenFigures, width: int) -> bytes:
    from webapp.formats.drawing import saving

    return saving.to_svg(_plate(frozen, width), frozen.stamp, frozen.description)


def _pdf(frozen: FrozenFigures, width: int) -> bytes:
    from webapp.formats.drawing import saving

    return saving.to_pdf(_plate(frozen, width), frozen.stamp)


def _png(frozen: FrozenFigures, width: int, dpi: int) -> bytes:
    from webapp.formats.drawing import saving

    return saving.to_png(_plate(frozen, width), frozen.stamp, dpi)


def _pgf(frozen: FrozenFigures) -> bytes:
    from webapp.formats import pgf  # which asks the modules that draw for styles and scales

    return pgf.to_pgfplots(frozen.figures, frozen.stamp).encode()


@dataclass(frozen=True, slots=True)
class RenderedFile:
    """One file that a permalink has: its media type, and how its bytes are made."""

    media_type: str
    make: Callable[[FrozenFigures], bytes]


def _forms() -> dict[str, RenderedFile]:
    found: dict[str, RenderedFile] = {}
    for width in WIDTHS:
        found[svg_name(width)] = RenderedFile(SVG, partial(_svg, width=width))
        found[pdf_name(width)] = RenderedFile(PDF, partial(_pdf, width=width))
    for width in WIDTHS:
        for dpi in RESOLUTIONS:
            found[png_name(width, dpi)] = RenderedFile(PNG, partial(_png, width=width, dpi=dpi))
    found["table.tex"] = RenderedFile(TEX, lambda frozen: tex.to_table(frozen.figures, frozen.stamp, frozen.method).encode())
    found["figure.tex"] = RenderedFile(TEX, _pgf)
    return found


def svg_name(width: int) -> str:
    return f"figure-{width}mm.svg"


def pdf_name(width: int) -> str:
    return f"figure-{width}mm.pdf"


def png_name(width: int, dpi: int) -> str:
    return f"figure-{width}mm-{dpi}dpi.png"


def drawing_size(svg: bytes) -> tuple[float, float]:
    """Width and height of one of our drawings, in its own unit. ValueError where it tells none."""
    found = re.search(rb'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg[:2000])
    if found is None:
        raise ValueError("the drawing tells no size")
    return float(found[1]), float(found[2])


RENDERED_FILES = _forms()
"""File name -> how it is made."""


def get_or_render(permalink: Permalink, name: str) -> Rendering:
    """The file of that name, made now where it is not there. KeyError for an unknown name; NothingToDraw."""
    form = RENDERED_FILES[name]
    known = find_file(permalink.pk, name)
    if known is not None:
        return known
    frozen = read_frozen_figures(permalink)
    if not frozen.figures:
        raise NothingToDraw(permalink.pk)
    return store_file(permalink.pk, name, form.media_type, form.make(frozen))


def render_all(permalink: Permalink) -> list[str]:
    """Make every file that is not there yet; their names."""
    there = set(Rendering.objects.filter(of=permalink.pk).values_list("name", flat=True))
    frozen = read_frozen_figures(permalink)
    missing = [name for name in RENDERED_FILES if name not in there] if frozen.figures else []
    for name in missing:
        store_file(permalink.pk, name, RENDERED_FILES[name].media_type, RENDERED_FILES[name].make(frozen))
    return missing
