"""The figure of a comparison drawn by the server: for readers without scripts, and for link previews.

`theme=light|dark` beside the query chooses the colours (an SVG follows the reader's system without it), `panel=1` one of
several figures.
"""

from __future__ import annotations

from csp.constants import NONE, UNSAFE_INLINE
from csp.decorators import csp
from django.http import Http404, HttpResponse
from django.views.decorators.http import require_safe

from webapp.comparison import partial_answers
from webapp.comparison.selection import parse
from webapp.formats.svg import plate, png, theme
from webapp.http.page_cache import conditional
from webapp.pages import plates

_BESIDE = ("theme", "panel")
_without_scripts = csp({"default-src": [NONE], "style-src": [UNSAFE_INLINE], "sandbox": True})
"""An SVG that is opened by itself has its colours in a style element."""


def _draw(request, draw, default: str) -> str:
    pairs = [(key, value) for key, values in request.GET.lists() for value in values if key not in _BESIDE]
    wanted, name = request.GET.get("panel", ""), request.GET.get("theme", default)
    panel = int(wanted) if wanted.isascii() and wanted.isdecimal() and len(wanted) < 6 else None
    if wanted and panel is None:
        raise Http404("A panel is named by its number.")
    chosen = name if name in theme.THEMES else default
    try:
        return partial_answers.make_answer(
            parse(pairs), request.user, lambda comparison: draw(plates.make_plate(comparison, panel), chosen), request.data_version
        )
    except plates.NoSuchPanel:
        raise Http404("The comparison has no such panel.") from None


@require_safe
@conditional
@_without_scripts
def as_svg(request):
    return _response(_draw(request, plate.draw, theme.AUTOMATIC).encode(), "image/svg+xml", "svg")


@require_safe
@conditional
def as_png(request):
    """1200 x 630 pixels: the first panel, or the one asked for."""
    return _response(png.to_png(_draw(request, plate.draw_card, theme.LIGHT_NAME)), "image/png", "png")


def _response(data: bytes, media_type: str, ending: str) -> HttpResponse:
    headers = {"Content-Disposition": f'inline; filename="poolmark-comparison.{ending}"'}
    return HttpResponse(data, content_type=media_type, headers=headers)
