"""The files of a permalink. They never change, everybody may draw them into a page, and a cache may keep them for ever."""

from __future__ import annotations

from csp.constants import NONE, UNSAFE_INLINE
from csp.decorators import csp
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils.cache import get_conditional_response
from django.views.decorators.http import require_safe

from webapp.models import Permalink
from webapp.permalinks import rendering
from webapp.views.permalinks.page import missing_response

_YEAR = 365 * 24 * 3600
_ENDINGS = {"svg": rendering.svg_name, "pdf": rendering.pdf_name}
DEFAULT_WIDTH, DEFAULT_DPI = 180, 300


class _Refused(Exception):
    """A size or form that there is not."""


@require_safe
def export(request, name, ending):
    """One file: `.svg` and `.pdf` with `width=85|180` (mm), `.png` also with `dpi=300|600`, `.tex` with `form=table|figure`."""
    try:
        wanted = _wanted(request, ending)
    except _Refused as refused:
        return render(request, "permalink/no_such_file.html", {"sentence": str(refused), "name": name}, status=400)
    permalink = Permalink.objects.filter(pk=name).first()
    if permalink is None:
        return missing_response(request, name)
    try:
        made = rendering.get_or_render(permalink, wanted)
    except rendering.NothingToDraw:
        raise Http404("This permalink has no figure, so there is no such file of it.") from None
    return _with_styles(lambda asked: _file(asked, name, made))(request)


def _wanted(request, ending: str) -> str:
    if ending == "tex":
        return f"{_choice(request, 'form', ('table', 'figure'))}.tex"
    width = int(_choice(request, "width", rendering.WIDTHS, DEFAULT_WIDTH))
    if ending == "png":
        return rendering.png_name(width, int(_choice(request, "dpi", rendering.RESOLUTIONS, DEFAULT_DPI)))
    return _ENDINGS[ending](width)


def _choice(request, key: str, known: tuple, default=None) -> str:
    """The chosen value of a key. Raises _Refused with the values that there are."""
    asked = request.GET.get(key, str(default or known[0]))
    if asked not in map(str, known):
        raise _Refused(f"There is no file with {key}={asked[:20]}; there are {' and '.join(map(str, known))}.")
    return asked


# A drawing that is opened by itself has its styles in itself.
_with_styles = csp({"default-src": [NONE], "style-src": [UNSAFE_INLINE], "img-src": ["data:"]})


def _file(request, name: str, made) -> HttpResponse:
    etag = f'"{made.sha256}"'
    unchanged = get_conditional_response(request, etag=etag)
    response = unchanged if unchanged is not None else HttpResponse(bytes(made.data), content_type=made.media_type)
    told = {
        "ETag": etag,
        "Cache-Control": f"public, max-age={_YEAR}, immutable",
        "Access-Control-Allow-Origin": "*",
        "Cross-Origin-Resource-Policy": "cross-origin",
        "Content-Disposition": f'inline; filename="poolmark-{name}-{made.name}"',
    }
    for header, value in told.items():
        response[header] = value
    return response
