"""SVG -> PDF: its text is text in embedded fonts, and the drawing is tagged as one figure with a text alternative, for screen
readers (PDF 1.7, ISO 32000-1, 14.7 and 14.8). Without dates: equal figures give equal bytes.

LaTeX drops the tags of PDF files that it includes; `\\includegraphics[alt={...}]` gives them anew.
"""

from __future__ import annotations

import io
import re
from functools import lru_cache

import svg2pdf_py
from pikepdf import Array, Dictionary, Name, Pdf, String

from webapp.drawing import text as texts
from webapp.drawing.looks import POINTS
from webapp.figures.stamp import Stamp


def to_pdf(svg: str, font: str, stamp: Stamp, description: str = "") -> bytes:
    """A figure on paper as PDF."""
    with Pdf.open(io.BytesIO(svg2pdf_py.svg_to_pdf(_in_points(svg), _database(font)))) as document:
        facts = {
            "/Title": stamp.title or "Poolmark figure",
            "/Author": stamp.authors,
            "/Subject": f"{stamp.line} {stamp.digest_line}".strip(),
            "/Creator": "Poolmark",
        }
        document.docinfo = document.make_indirect(Dictionary({key: String(text) for key, text in facts.items() if text}))
        document.Root.Lang = String("en-GB")
        document.Root.ViewerPreferences = Dictionary(DisplayDocTitle=True)
        if description:
            _tag(document, description)
        out = io.BytesIO()
        document.save(out, deterministic_id=True, compress_streams=True)
        return out.getvalue()


def _in_points(svg: str) -> str:
    """The SVG with its size, which is in mm, as numbers: svg2pdf takes a pixel for a point."""
    return re.sub(r'(width|height)="([\d.]+)mm"', lambda found: f'{found[1]}="{float(found[2]) * POINTS:.4f}"', svg, count=2)


@lru_cache(4)
def _database(font: str) -> svg2pdf_py.FontDatabase:
    made = svg2pdf_py.FontDatabase()
    for file in texts.font_files(font):
        made.load_font_file(str(file))
    return made


def _tag(document: Pdf, alternative: str) -> None:
    """A structure tree for the page: a document with one figure, described by `alternative`."""
    page = document.pages[0]
    page.contents_add(b"/Figure <</MCID 0>> BDC", prepend=True)
    page.contents_add(b"EMC")
    page.contents_coalesce()
    page.StructParents = 0
    page.Tabs = Name.S
    root = document.make_indirect(Dictionary(Type=Name.StructTreeRoot))
    whole = document.make_indirect(Dictionary(Type=Name.StructElem, S=Name.Document, P=root))
    layout = Dictionary(O=Name.Layout, Placement=Name.Block, BBox=Array(page.mediabox))
    figure = document.make_indirect(
        Dictionary(Type=Name.StructElem, S=Name.Figure, P=whole, Pg=page.obj, K=0, Alt=String(alternative), A=layout)
    )
    whole.K = Array([figure])
    root.K = Array([whole])
    root.ParentTree = document.make_indirect(Dictionary(Nums=Array([0, Array([figure])])))
    root.ParentTreeNextKey = 1
    document.Root.StructTreeRoot = root
    document.Root.MarkInfo = Dictionary(Marked=True)
