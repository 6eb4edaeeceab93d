"""A plate as SVG, PDF or PNG bytes. No date, no random name: the same plate is the same bytes."""

from __future__ import annotations

import io
from xml.sax.saxutils import escape

import matplotlib
from matplotlib.figure import Figure

from webapp.formats.drawing import style
from webapp.formats.drawing.stamp import Stamp

RESOLUTIONS = (300, 600)
"""Dots per inch of PNG files."""


def to_svg(plate: Figure, stamp: Stamp, description: str) -> bytes:
    """SVG with a title and a description for those who do not see it. Letters are outlines: no font is needed."""
    text = _saved(plate, "svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None}).decode()
    head, rest = text.split("<svg ", 1)
    opening, rest = rest.split(">", 1)
    told = (
        f'<title id="pm-title">{_xml(stamp.title or "Poolmark figure")}</title>\n'
        f'<desc id="pm-desc">{_xml(description)} {_xml(stamp.line)} {stamp.digest_line}</desc>'
    )
    return f'{head}<svg role="img" aria-labelledby="pm-title pm-desc" {opening}>\n{told}{rest}'.encode()


def to_pdf(plate: Figure, stamp: Stamp) -> bytes:
    """PDF with its fonts embedded as TrueType."""
    told = {
        "Title": stamp.title or "Poolmark figure",
        "Author": stamp.authors,
        "Subject": f"{stamp.line} {stamp.digest_line}",
        "Creator": "Poolmark",
        "Producer": None,
        "CreationDate": None,
    }
    return _saved(plate, "pdf", metadata={key: value for key, value in told.items() if value or value is None})


def to_png(plate: Figure, stamp: Stamp, dpi: int) -> bytes:
    """PNG at `dpi` dots per inch, which the file tells too."""
    told = {
        "Title": stamp.title or "Poolmark figure",
        "Source": stamp.address,
        "Software": None,
        "Comment": f"{stamp.line} {stamp.digest_line}",
    }
    return _saved(plate, "png", dpi=dpi, metadata=told)


def _saved(plate: Figure, kind: str, **how) -> bytes:
    out = io.BytesIO()
    with matplotlib.rc_context(style.SETTINGS):
        plate.savefig(out, format=kind, **how)
    return out.getvalue()


def _xml(text: str) -> str:
    """Escaped, without the characters that XML 1.0 cannot hold."""
    return escape(
        "".join(
            letter
            for letter in text
            if letter in "\t\n"
            or (ord(letter) >= 32 and not 0xD800 <= ord(letter) <= 0xDFFF and ord(letter) not in (0xFFFE, 0xFFFF))
        )
    )
