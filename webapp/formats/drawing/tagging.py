"""Tags of a PDF: the drawing as one figure with a text alternative, for screen readers. PDF 1.7 (ISO 32000-1), 14.7 and 14.8.

LaTeX drops the tags of PDF files that it includes; `\\includegraphics[alt={...}]` gives them anew.
"""

from __future__ import annotations

import io

from pikepdf import Array, Dictionary, Name, Pdf, String


def tag_figure(pdf: bytes, alternative: str) -> bytes:
    """The PDF of one page with a structure tree: a document with one figure, described by `alternative`. Equal bytes give equal
    bytes."""
    with Pdf.open(io.BytesIO(pdf)) as document:
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
        document.Root.Lang = String("en-GB")
        document.Root.ViewerPreferences = Dictionary(DisplayDocTitle=True)
        out = io.BytesIO()
        document.save(out, deterministic_id=True, compress_streams=True)
        return out.getvalue()
