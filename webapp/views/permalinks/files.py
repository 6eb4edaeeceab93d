"""Drawn files of a permalink: immutable, cacheable, and embeddable by other sites."""

from __future__ import annotations

from csp.constants import NONE, UNSAFE_INLINE
from csp.decorators import csp
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from webapp.formats import signposting
from webapp.http.stored_bytes import bytes_response
from webapp.models import Permalink
from webapp.permalinks import rendering
from webapp.views.permalinks.page import missing_response

_YEAR = 365 * 24 * 3600
_ENDINGS = {"svg": rendering.svg_name, "pdf": rendering.pdf_name}
_TEX_FORMS = ("table", "table-plain", "figure")
DEFAULT_WIDTH, DEFAULT_DPI = 180, 300


class _Refused(Exception):
    """An unavailable size or form."""


@require_safe
def export(request, name, ending):
    """One file: `.svg` and `.pdf` with `width=85|180` (mm), `.png` also with `dpi=300|600`, `.tex` with `form=` of _TEX_FORMS."""
    try:
        wanted = _wanted(request, ending)
    except _Refused as refused:
        return render(request, "permalink/no_such_file.html", {"sentence": str(refused), "name": name}, status=400)
    permalink = Permalink.objects.filter(pk=name).first()
    if permalink is None:
        return missing_response(request, name)
    try:
        file = rendering.get_or_render(permalink, wanted)
    except rendering.NothingToDraw:
        raise Http404("This permalink has no figure, so there is no such file of it.") from None
    answer = _with_styles(lambda asked: _file(asked, name, file))(request)
    answer.headers["Link"] = signposting.item_links(request.build_absolute_uri(permalink.get_absolute_url()))
    return answer


def _wanted(request, ending: str) -> str:
    if ending == "tex":
        return f"{_choice(request, 'form', _TEX_FORMS)}.tex"
    width = int(_choice(request, "width", rendering.WIDTHS, DEFAULT_WIDTH))
    if ending == "png":
        return rendering.png_name(width, int(_choice(request, "dpi", rendering.RESOLUTIONS, DEFAULT_DPI)))
    return _ENDINGS[ending](width)


def _choice(request, key: str, known: tuple, default=None) -> str:
    """The query parameter `key`. Raises _Refused for a value not in `known`."""
    asked = request.GET.get(key, str(default or known[0]))
    if asked not in map(str, known):
        raise _Refused(f"There is no file with {key}={asked[:20]}; there are {' and '.join(map(str, known))}.")
    return asked


# An SVG opened directly has inline styles.
_with_styles = csp({"default-src": [NONE], "style-src": [UNSAFE_INLINE], "img-src": ["data:"]})


def _file(request, name: str, file) -> HttpResponse:
    response = bytes_response(
        request, bytes(file.data), file.media_type, file.sha256, f'inline; filename="poolmark-{name}-{file.name}"'
    )
    response["Cache-Control"] = f"public, max-age={_YEAR}, immutable"
    response["Access-Control-Allow-Origin"] = "*"
    response["Cross-Origin-Resource-Policy"] = "cross-origin"
    return response
