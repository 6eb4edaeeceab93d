"""Files of a permalink: the frozen ones, immutable, and those drawn on request in the form, size and font that is asked for."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from functools import partial

from csp.constants import NONE, UNSAFE_INLINE
from csp.decorators import csp
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_POST, require_safe

from webapp.drawing import looks
from webapp.drawing.order import NO_PDF
from webapp.formats import captions
from webapp.formats.citations.work import CitedWork
from webapp.http import isolation
from webapp.http.stored_bytes import bytes_response
from webapp.models import Collection, Permalink, Rendering
from webapp.permalinks import citation, collections, drawn_files, figure_form, history, record_figures, rendering, stored_files
from webapp.permalinks.bundles import manifest, permalink_bundle
from webapp.permalinks.figure_form import BadForm, FigureForm
from webapp.permalinks.frozen_addresses import Origin, find_origin
from webapp.views.permalinks.permalink_page import file_response, immutable, missing_response

_YEAR, _DAY = 365 * 24 * 3600, 24 * 3600
_ENDINGS = {"svg": rendering.svg_name, "pdf": rendering.pdf_name}
_TEX_FORMS = ("table", "table-plain", "figure")
DEFAULT_WIDTH, DEFAULT_DPI = 180, 300
_MEDIA_TYPES = {
    "svg": rendering.SVG,
    "pdf": rendering.PDF,
    "png": rendering.PNG,
}
_GONE = {
    "figure.tex": "Figures for pgfplots",
    "figure.py": "Scripts for matplotlib",
    "figure.vl.json": "Specifications for Vega-Lite",
}
"""Forms that were drawn, by the name under which one may have been frozen."""
_WIDE_MM = 130.0
"""Width from which on a figure is set over both columns of a paper."""


@require_safe
def export(request, name, ending):
    """One file. As frozen: `.svg`, `.pdf` with `width=85|180` (mm), `.png` also with `dpi=300|600`. With any other parameter it is
    drawn on request (`figure_form`)."""
    if _is_frozen(request):
        return _frozen(request, name, ending)
    return _on_request(request, name, ending)


@require_safe
def tex(request, name):
    """For LaTeX: a frozen table, or with `form=figure` a figure that includes the PDF and sets its caption. Figures for pgfplots,
    which `figure` and the forms of pictures were, are there where one was frozen."""
    asked = request.GET.dict()
    if set(asked) <= {"form"} and asked.get("form") not in ("figure", *looks.FORMS):
        return _frozen(request, name, "tex")
    if asked.get("form") != "figure":
        return gone(request, name, "figure.tex")
    stored = stored_files.find_file(name, "figure.tex") if set(asked) == {"form"} else None
    return _stored(request, name, stored) if stored else caption(request, name, "tex")


@require_safe
def gone(request, name, file):
    """A form that is not drawn any more: its bytes where it was frozen, else 410 with what to use instead."""
    if not Permalink.objects.filter(pk=name).exists():
        return missing_response(request, name)
    stored = stored_files.find_file(name, file)
    if stored is not None:
        return _stored(request, name, stored)
    return render(request, "permalink/gone.html", {"frozen": {"pk": name}, "kind": _GONE[file]}, status=410)


def _is_frozen(request) -> bool:
    """Whether the query asks for a file of the bundle."""
    asked = request.GET.dict()
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
    except rendering.NoPdf:
        return _refusal(request, name, BadForm(NO_PDF), status=501)
    return _stored(request, name, file)


def _on_request(request, name: str, ending: str) -> HttpResponseBase:
    try:
        form = figure_form.read_form(request.GET.dict(), ending)
    except BadForm as refused:
        return _refusal(request, name, refused)
    frozen = _figures_of(name)
    if frozen is None:
        return missing_response(request, name)
    try:
        data = drawn_files.draw(frozen, form)
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
    return _with_styles(lambda asked: _made(asked, data, media_type, f"poolmark-{name}-{form.filename}"))(request)


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
    try:
        form = figure_form.read_form({key: value for key, value in request.GET.items() if value != "figure"}, "pdf")
    except BadForm as refused:
        return _refusal(request, name, refused)
    media_type, text = _write_caption(frozen, ending, form, f"poolmark-{name}-{form.filename}")
    return _with_styles(lambda asked: _made(asked, text.encode(), media_type, f"poolmark-{name}-caption.{ending}"))(request)


def _write_caption(frozen: rendering.FrozenFigures, ending: str, form: FigureForm, picture: str) -> tuple[str, str]:
    """Media type and text."""
    if ending == "html":
        return "text/html; charset=utf-8", captions.to_html(frozen.caption)
    if ending == "md":
        return "text/markdown; charset=utf-8", captions.to_markdown(frozen.caption, picture, frozen.description)
    head = captions.latex_head(frozen.caption, picture, form.address)
    return rendering.TEX, head + captions.to_latex_figure(frozen.caption, picture, frozen.description, form.width > _WIDE_MM)


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


def _stored(request, name: str, file: Rendering) -> HttpResponseBase:
    return _with_styles(lambda asked: _file(asked, name, file))(request)


def _file(request, name: str, file: Rendering) -> HttpResponse:
    response = bytes_response(
        request, bytes(file.data), file.media_type, file.sha256, f'inline; filename="poolmark-{name}-{file.name}"'
    )
    response["Cache-Control"] = f"public, max-age={_YEAR}, immutable"
    response["Access-Control-Allow-Origin"] = "*"
    response["Cross-Origin-Resource-Policy"] = "cross-origin"
    return response


# Citation files of a permalink or collection, made on request, their DOI, entered by the owner, and the evidence bundle, which is
# stored and immutable.


@login_required
@require_POST
def enter(request, name, of=Permalink):
    """Save the DOI for the page and its citations; an empty one removes it. Frozen files do not change."""
    frozen = get_object_or_404(of.objects.owned_by(request.user), pk=name)
    try:
        doi = citation.parse_doi(request.POST.get("doi", ""))
    except citation.InvalidDoi as wrong:
        messages.error(
            request, f"{str(wrong)[:80]} is not a DOI. A DOI begins with 10. and a number, then a slash: 10.5281/zenodo.12345."
        )
        return redirect(frozen)
    citation.save_doi(frozen.pk, doi, request.user)
    messages.success(request, f"The page and its citations show the DOI {doi} now." if doi else "The DOI was removed.")
    return redirect(frozen)


@require_safe
def bib(request, name):
    """BibTeX; with `?form=biblatex` BibLaTeX."""
    return cited(request, name, "citation.bib")


@require_safe
def cited(request, name, file):
    """A citation or deposit file of a permalink by name: as in its bundle, with the DOI, newer version and withdrawals since."""
    return cite(request, Permalink.objects.filter(pk=name).first(), name, file, "permalink")


@cache_control(public=True, no_cache=True)
def cite(request, frozen: Permalink | Collection | None, name: str, file: str, noun: str):
    """A citation file; `?form=biblatex` makes BibLaTeX of BibTeX. 404 for an unknown permalink, collection or file."""
    if file == "citation.bib" and request.GET.get("form") == "biblatex":
        file = "citation-biblatex.bib"
    if file not in permalink_bundle.CITATIONS:
        raise Http404("There is no such citation file.")
    if frozen is None:
        return missing_response(request, name, noun)
    digests, doi, describe = (
        manifest.read_digests(frozen),
        citation.read_doi(frozen.pk),
        partial(_describe_later, frozen, find_origin(request)),
    )
    made = permalink_bundle.make_citation(frozen, file, digests, doi, describe)
    saved = f"{frozen.pk}.bib" if file.endswith(".bib") else f"{frozen.pk}-{file}"
    sha256, disposition = hashlib.sha256(made.data).hexdigest(), f'inline; filename="poolmark-{saved}"'
    return bytes_response(request, made.data, made.media_type, sha256, disposition)


def _describe_later(frozen: Permalink | Collection, origin: Origin, work: CitedWork) -> CitedWork:
    """The work with withdrawals, and of a permalink versions; with a host where it was frozen without one."""
    if work.address.startswith("/"):
        work = replace(work, address=f"{origin.site}{work.address}", is_local=origin.is_local)
    if not isinstance(frozen, Permalink):
        record = record_figures.parse_record(frozen.record)
        return replace(work, withdrawn=collections.read_withdrawn(record, collections.read_records(record)))
    past = history.read_history(frozen, record_figures.parse_record(frozen.record))
    return history.describe_later(work, past, work.address.removesuffix(frozen.get_absolute_url()))


@immutable
def as_zip(request, frozen):
    """The evidence bundle."""
    return file_response(request, permalink_bundle.get_bundle(frozen), f"poolmark-{frozen.pk}.zip", attached=True)
