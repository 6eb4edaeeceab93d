"""SVG -> PNG by resvg, in a font shipped with matplotlib: the same SVG gives the same picture on every machine."""

from __future__ import annotations

from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

import resvg_py

ZOOM = 1.5
_FONTS = ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf")


@lru_cache(1)
def _font_files() -> list[str]:
    """Paths of the fonts, found without importing matplotlib."""
    spec = find_spec("matplotlib")
    assert spec is not None and spec.origin is not None
    folder = Path(spec.origin).parent / "mpl-data" / "fonts" / "ttf"
    return [str(folder / name) for name in _FONTS]


def to_png(svg: str, zoom: float = ZOOM) -> bytes:
    """The picture, `zoom` times as large as the SVG. Raises ValueError where the SVG cannot be drawn."""
    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=svg, zoom=zoom, skip_system_fonts=True, font_files=_font_files(), sans_serif_family="DejaVu Sans"
        )
    )
