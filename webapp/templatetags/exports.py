"""The export dialog of a permalink, and the links by which other sites find its embeddable frame."""

from __future__ import annotations

from urllib.parse import urlsplit

from django import template
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import format_html

from webapp.permalinks import frozen_addresses, rendering
from webapp.permalinks.rendering import RESOLUTIONS, WIDTHS, pdf_name

register = template.Library()

# (label, name of the address, query)
_TEXTS = (
    ("Table", "permalink-tex", "?form=table"),
    ("Table without siunitx", "permalink-tex", "?form=table-plain"),
    ("Figure with caption", "permalink-tex", "?form=figure"),
)
_DATA = (
    ("CSV", "permalink-csv", ""),
    ("XLSX", "permalink-xlsx", ""),
    ("JSON record", "permalink-json", ""),
    ("Evidence bundle", "permalink-zip", ""),
)
_CITE = (
    ("BibTeX", "permalink-bib", ""),
    ("BibLaTeX", "permalink-bib", "?form=biblatex"),
    ("RIS", "permalink-ris", ""),
    ("CSL-JSON", "permalink-csl", ""),
)
_CITED = (("CITATION.cff", "CITATION.cff"), ("Plain text", "citation.txt"))
_DEPOSIT = (("DataCite XML", "permalink-datacite", ""), ("Zenodo JSON", "permalink-zenodo", ""))


@register.inclusion_tag("permalink/_export.html")
def exports(name: str, address: str, drawn: list[dict], title: str) -> dict:
    """The dialog of the permalink of that name; `drawn`: its plain figures, without which there are no files of figures."""
    src = f"{address}/embed"
    figures = [
        ("PDF", [(f"{width} mm", f"/p/{name}.pdf?width={width}") for width in WIDTHS]),
        ("SVG", [(f"{width} mm", f"/p/{name}.svg?width={width}") for width in WIDTHS]),
        ("PNG", [(f"{width} mm, {dpi} dpi", f"/p/{name}.png?width={width}&dpi={dpi}") for width in WIDTHS for dpi in RESOLUTIONS]),
    ]
    cited = [(label, reverse("permalink-cite", args=[name, file])) for label, file in _CITED]
    rows = [
        *(figures if drawn else []),
        ("LaTeX", _links(name, _TEXTS) if drawn else []),
        ("Data", _links(name, _DATA)),
        ("Citation", _links(name, _CITE) + cited),
        ("For a DOI", _links(name, _DEPOSIT)),
    ]
    wide, high = rendering.stored_size(name) or rendering.USUAL_SIZE
    height = rendering.frame_height(wide, high, rendering.FRAME_WIDTH)
    frame = render_to_string(
        "permalink/_frame.html",
        {"src": src, "title": title or "Frozen comparison", "width": rendering.FRAME_WIDTH, "height": height},
    )
    return {
        "name": name,
        "address": address,
        "drawn": drawn,
        "rows": [row for row in rows if row[1]],
        "graphics": rf"\includegraphics[width=85mm]{{poolmark-{name}-{pdf_name(85)}}}",
        "frame": frame.strip(),
        "image": format_html('<img src="{}.svg?width=180" alt="{}">', address, rendering.describe_figures(drawn)).strip(),
    }


@register.inclusion_tag("permalink/_oembed.html")
def oembed_links(address: str) -> dict:
    """oEmbed links for the head of the page of that address."""
    parts = urlsplit(address)
    return {"address": address, "site": f"{parts.scheme}://{parts.netloc}"}


def _links(name: str, wanted: tuple) -> list[tuple[str, str]]:
    return [(label, reverse(view, args=[name]) + query) for label, view, query in wanted]


@register.simple_tag
def local_warning() -> str:
    """The sentence beside *Freeze* on a site without a public address, else empty."""
    return frozen_addresses.LOCAL_WARNING if frozen_addresses.find_origin().is_local else ""
