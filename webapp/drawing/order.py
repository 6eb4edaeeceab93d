"""An order for a file drawn in a look and size of the reader's choice, as JSON; and `python -m webapp.drawing.order`, the
process that draws it, so that one that fails or needs much harms no other.

Its standard input is the JSON, its standard output the file. Exit code 3: there is no room; standard error says for what.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from typing import Any

from webapp.drawing import png, sheet
from webapp.drawing.looks import Look
from webapp.figures.stamp import Stamp

NO_ROOM = 3
"""Exit code of the process that draws where the height is too small."""


@dataclass(frozen=True)
class DrawingOrder:
    """`ending`: svg, pdf or png. Width and height in mm; `dpi` of a PNG. `headings` of several panels."""

    figures: list[dict]
    stamp: Stamp
    look: Look
    ending: str
    width: float
    height: float | None
    dpi: int
    description: str
    headings: list[str]

    def to_json(self) -> bytes:
        return json.dumps(asdict(self), sort_keys=True).encode()

    @classmethod
    def from_json(cls, data: bytes) -> DrawingOrder:
        """Raises ValueError, KeyError or TypeError for other JSON than that of `to_json`."""
        fields: dict[str, Any] = json.loads(data)
        stamp = Stamp(**_with_tuple(fields.pop("stamp")))
        return cls(stamp=stamp, look=Look(**fields.pop("look")), **fields)


NO_PDF = "This server draws no PDF: svg2pdf-py has no package for its machine. The SVG is the same drawing."


def has_pdf() -> bool:
    """Whether PDF can be drawn on this machine."""
    return find_spec("svg2pdf_py") is not None


def draw_file(order: DrawingOrder) -> bytes:
    """The file. Raises NoRoom where the height is too small."""
    look = order.look
    size = sheet.Sheet(order.width, order.height)
    svg = sheet.draw(order.figures, order.stamp, size, look, order.headings, order.description)
    if order.ending == "svg":
        return svg.encode()
    if order.ending == "pdf":
        from webapp.drawing import pdf  # its libraries are slow to import

        return pdf.to_pdf(svg, look.font, order.stamp, order.description)
    return png.to_paper_png(svg, look.font, order.dpi, order.stamp)


def _with_tuple(stamp: dict[str, Any]) -> dict[str, Any]:
    return stamp | {"flags": tuple(stamp["flags"])}


_SECONDS, _MEMORY = 50, 3 << 30
"""Limits of CPU time and memory."""


def main() -> int:
    """Draw what standard input asks for, and give way to other processes."""
    os.nice(5)
    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
    resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, _MEMORY))
    asked = DrawingOrder.from_json(sys.stdin.buffer.read())
    try:
        sys.stdout.buffer.write(draw_file(asked))
    except sheet.NoRoom as error:
        sys.stderr.write(str(error))
        return NO_ROOM
    return 0


if __name__ == "__main__":
    sys.exit(main())
