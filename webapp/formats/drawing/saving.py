"""A plate as SVG, PDF or PNG bytes. Without dates and random ids: equal plates give equal bytes."""

from __future__ import annotations

import io
from xml.sax.saxutils import escape

import matplotlib
from matplotlib.figure import Figure
from matplotlib.typing import RcKeyType

from webapp.formats.drawing import style, tagging
from webapp.formats.drawing.look import FROZEN
from webapp.formats.drawing.stamp import Stamp

RESOLUTIONS = (300, 600)
"""Dots per inch of PNG files."""


def to_svg(plate: Figure, stamp: Stamp, description: str, text_as: str = "path") -> bytes:
    """SVG with title and description for screen readers. `text_as`: `path`, which needs no font, or `none`, which can be edited."""
    text = _save(
        plate, "svg", {"svg.fonttype": text_as}, metadata={"Date": None, "Creator": None, "Format": None, "Type": None}
    ).decode()
    head, rest = text.split("<svg ", 1)
    opening, rest = rest.split(">", 1)
    description_elements = (
        f'<title id="pm-title">{_xml(stamp.title or "Poolmark figure")}</title>\n'
        f'<desc id="pm-desc">{_xml(description)} {_xml(stamp.line)} {stamp.digest_line}</desc>'
    )
    return f'{head}<svg role="img" aria-labelledby="pm-title pm-desc" {opening}>\n{description_elements}{rest}'.encode()


def to_pdf(plate: Figure, stamp: Stamp, description: str = "") -> bytes:
    """PDF with its fonts embedded as TrueType, tagged as a figure with a text alternative where there is a description."""
    metadata = {
        "Title": stamp.title or "Poolmark figure",
        "Author": stamp.authors,
        "Subject": f"{stamp.line} {stamp.digest_line}",
        "Creator": "Poolmark",
        "Producer": None,
        "CreationDate": None,
    }
    made = _save(plate, "pdf", metadata={key: value for key, value in metadata.items() if value or value is None})
    return tagging.tag_figure(made, description) if description else made


def to_png(plate: Figure, stamp: Stamp, dpi: int) -> bytes:
    """PNG at `dpi` dots per inch, with that resolution in its metadata."""
    metadata = {
        "Title": stamp.title or "Poolmark figure",
        "Source": stamp.address,
        "Software": None,
        "Comment": f"{stamp.line} {stamp.digest_line}",
    }
    return _save(plate, "png", dpi=dpi, metadata=metadata)


def _save(plate: Figure, kind: str, settings: dict[RcKeyType, object] | None = None, **options) -> bytes:
    out = io.BytesIO()
    with style.applied(FROZEN), matplotlib.rc_context(settings or {}):
        plate.savefig(out, format=kind, **options)
    return out.getvalue()


def _xml(text: str) -> str:
    """The text escaped for XML, without the characters that XML 1.0 excludes."""
    return escape(
        "".join(
            letter
            for letter in text
            if letter in "\t\n"
            or (ord(letter) >= 32 and not 0xD800 <= ord(letter) <= 0xDFFF and ord(letter) not in (0xFFFE, 0xFFFF))
        )
    )
