"""SVG -> PNG by resvg, in the packaged fonts: the same SVG gives the same picture on every machine."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping

import resvg_py

from webapp.drawing import text as texts
from webapp.figures.stamp import Stamp

ZOOM = 1.5
_INCH_MM = 25.4
_HEAD = 33
"""Bytes of a PNG up to the end of its first chunk, IHDR."""


def to_png(svg: str, stamp: Stamp | None = None, dpi: int = 144) -> bytes:
    """The picture, `ZOOM` times as large as the SVG. Raises ValueError where the SVG cannot be drawn."""
    picture = _draw(svg, "sans", zoom=ZOOM)
    return _stamped(picture, dpi, stamp) if stamp else picture


def to_paper_png(svg: str, font: str, dpi: int, stamp: Stamp) -> bytes:
    """A figure on paper at `dpi` dots per inch, with that resolution and where it is from in its metadata."""
    return _stamped(_draw(svg, font, dpi=dpi), dpi, stamp)


def _stamped(picture: bytes, dpi: int, stamp: Stamp) -> bytes:
    facts = {
        "Title": stamp.title or "Poolmark figure",
        "Source": stamp.address,
        "Comment": f"{stamp.line} {stamp.digest_line}".strip(),
    }
    return picture[:_HEAD] + _describe(dpi, facts) + picture[_HEAD:]


def _draw(svg: str, font: str, **size) -> bytes:
    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=svg,
            skip_system_fonts=True,
            font_files=[str(file) for file in texts.font_files(font)],
            **size,
        )
    )


def _describe(dpi: int, facts: Mapping[str, str]) -> bytes:
    """The chunks pHYs and iTXt (PNG 1.2, 4.2.4.2 and 4.2.3.3)."""
    metre = round(dpi / _INCH_MM * 1000)
    words = [_chunk(b"iTXt", key.encode() + b"\0\0\0\0\0" + text.encode()) for key, text in facts.items()]
    return _chunk(b"pHYs", struct.pack(">IIB", metre, metre, 1)) + b"".join(words)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
