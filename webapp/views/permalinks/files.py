"""Files of a permalink: the frozen ones, immutable, and those drawn on request in the form, size and font that is asked for."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from csp.constants import NONE, UNSAFE_INLINE
from csp.decorators import csp
from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from webapp.formats import captions, figure_scripts, signposting, vega
from webapp.http import isolation
from webapp.http.stored_bytes import bytes_response
from webapp.models import Permalink
from webapp.permalinks import drawn_files, figure_form, rendering
from webapp.permalinks.figure_form import BadForm, FigureForm
from webapp.views.permalinks.page import missing_response

_YEAR, _DAY = 365 * 24 * 3600, 24 * 3600
_ENDINGS = {"svg": rendering.svg_name, "pdf": rendering.pdf_name}
_TEX_FORMS = ("table", "table-plain", "figure")
DEFAULT_WIDTH, DEFAULT_DPI = 180, 300
_MEDIA_TYPES = {
    "svg": rendering.SVG,
    "pdf": rendering.PDF,
    "png": rendering.PNG,
    "tex": rendering.TEX,
    "vl": "application/json",
    "py": "text/x-python; charset=utf-8",
}
_CAPTIONS: dict[str, tuple[str, Callable[[captions.Caption, str, str], str]]] = {
    "tex": (rendering.TEX, captions.to_latex_figure),
    "md": ("text/markdown; charset=utf-8", captions.to_markdown),
    "html": ("text/html; charset=utf-8", lambda caption, file, alternative: captions.to_html(caption)),
}


@require_safe
def export(request, name, ending):
    """One file. As frozen: `.svg`, `.pdf` with `width=85|180` (mm), `.png` also with `dpi=300|600`, `.tex` with
    `form=` of _TEX_FORMS. With any other parameter it is drawn on request (`figure_form`)."""
    if _is_frozen(request, ending):
        return _frozen(request, name, ending)
    return _on_request(request, name, ending)


def _is_frozen(request, ending: str) -> bool:
    """Whether the query asks for a file of the bundle."""
    asked = request.GET.dict()
    if ending in figure_form.OWN:
        return False
    if ending == "tex":
        return set(asked) <= {"form"} and asked.get("form") != "bare"
    widths, resolutions = map(str, rendering.WIDTHS), map(str, rendering.RESOLUTIONS)
    is_size = asked.get("width", "180") in widths and asked.get("dpi", "300") in resolutions
    return set(asked) <= {"width", "dpi"} and is_size


def _frozen(request, name: str, ending: str) -> HttpResponseBase:
    try:
        wanted = _wanted(request, ending)
    except BadForm as refused:
        return _refusal(request, name, refused)
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


def _on_request(request, name: str, ending: str) -> HttpResponseBase:
    try:
        asked = request.GET.dict()
        if ending == "tex" and asked.get("form") == "figure":
            asked["form"] = "bare"
        form = figure_form.read_form(asked, ending)
    except BadForm as refused:
        return _refusal(request, name, refused)
    frozen = _figures_of(name)
    if frozen is None:
        return missing_response(request, name)
    try:
        data = _make(frozen, form)
    except BadForm as refused:
        return _refusal(request, name, refused)
    except drawn_files.Busy:
        busy = BadForm("Other figures are being drawn at the moment. Try again in a minute.")
        return _refusal(request, name, busy, status=503)
    except drawn_files.DrawingFailed:
        isolation.log_failure("figure on request", f"{name} {form.filename}")
        failed = BadForm("This figure could not be drawn because of a bug in Poolmark, which has been logged.")
        return _refusal(request, name, failed, status=500)
    media_type = _MEDIA_TYPES[ending]
    return _with_styles(lambda asked: _made(asked, data, media_type, f"poolmark-{name}-{_saved(form)}"))(request)


def _make(frozen: rendering.FrozenFigures, form: FigureForm) -> bytes:
    if form.ending in figure_form.OWN and any("curves" in figure for figure in frozen.figures):
        raise BadForm("Curves have no file to draw with: points.csv of the evidence bundle has their points.")
    if form.ending == "vl":
        return vega.to_vega_lite(frozen.figures, frozen.stamp, form.look, form.width, form.height).encode()
    if form.ending == "py":
        caption = captions.to_text(frozen.caption)
        return figure_scripts.to_script(frozen.figures, frozen.stamp, caption, form.look, form.width, form.height).encode()
    return drawn_files.draw(frozen, form)


def _saved(form: FigureForm) -> str:
    return figure_form.OWN.get(form.ending, form.filename)


def _figures_of(name: str) -> rendering.FrozenFigures | None:
    """The input of the renderers, None for an unknown name. Raises Http404 for a permalink without figures."""
    permalink = Permalink.objects.filter(pk=name).first()
    if permalink is None:
        return None
    frozen = rendering.read_frozen_figures(permalink)
    if not frozen.figures:
        raise Http404("This permalink has no figure, so there is no such file of it.")
    return frozen


@require_safe
def chosen(request, name):
    """Redirect from the form of the page to the address of the file that it asks for."""
    ending = request.GET.get("as", "pdf")
    try:
        if ending not in figure_form.ENDINGS:
            raise BadForm(f"There is no file with as={ending[:20]}; there are {', '.join(figure_form.ENDINGS)}.")
        form = figure_form.read_form(request.GET.dict(), ending)
    except BadForm as refused:
        return _refusal(request, name, refused)
    return redirect(f"/p/{name}{form.address}")


@require_safe
def caption(request, name, ending):
    """The caption as `.tex` (a figure that includes the PDF), `.md` or `.html`."""
    frozen = _figures_of(name)
    if frozen is None:
        return missing_response(request, name)
    media_type, write = _CAPTIONS[ending]
    try:
        form = figure_form.read_form(request.GET.dict(), "pdf")
    except BadForm as refused:
        return _refusal(request, name, refused)
    text = write(frozen.caption, f"poolmark-{name}-{form.filename}", frozen.description)
    return _with_styles(lambda asked: _made(asked, text.encode(), media_type, f"poolmark-{name}-caption.{ending}"))(request)


def _refusal(request, name: str, refused: Exception, status: int = 400) -> HttpResponse:
    return render(request, "permalink/no_such_file.html", {"sentence": str(refused), "name": name}, status=status)


@cache_control(public=True, max_age=_DAY)
def _made(request, data: bytes, media_type: str, filename: str) -> HttpResponse:
    sha256 = hashlib.sha256(data).hexdigest()
    response = bytes_response(request, data, media_type, sha256, f'inline; filename="{filename}"')
    response["Access-Control-Allow-Origin"] = "*"
    response["Cross-Origin-Resource-Policy"] = "cross-origin"
    return response


def _wanted(request, ending: str) -> str:
    if ending == "tex":
        return f"{_choice(request, 'form', _TEX_FORMS)}.tex"
    width = int(_choice(request, "width", rendering.WIDTHS, DEFAULT_WIDTH))
    if ending == "png":
        return rendering.png_name(width, int(_choice(request, "dpi", rendering.RESOLUTIONS, DEFAULT_DPI)))
    return _ENDINGS[ending](width)


def _choice(request, key: str, known: tuple, default=None) -> str:
    """The query parameter `key`. Raises BadForm for a value not in `known`."""
    asked = request.GET.get(key, str(default or known[0]))
    if asked not in map(str, known):
        raise BadForm(f"There is no file with {key}={asked[:20]}; there are {' and '.join(map(str, known))}.")
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
