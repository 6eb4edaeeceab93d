"""Embedding of permalinks: a small page for frames, and the oEmbed endpoint that describes it."""

from __future__ import annotations

from urllib.parse import urlsplit
from xml.sax.saxutils import escape

from csp.decorators import csp_replace
from django.http import Http404, HttpResponse, HttpResponseBadRequest, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import Resolver404, resolve, reverse
from django.views.decorators.cache import cache_control
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_safe

from webapp.figures.stamp import stamp_of_record
from webapp.formatting.visible_text import make_xml_safe
from webapp.http import isolation
from webapp.http.page_cache import conditional
from webapp.models import Permalink
from webapp.permalinks import changes, history, record_figures, rendering
from webapp.views.permalinks.permalink_page import missing_response

DAY = 24 * 3600


@require_safe
@xframe_options_exempt
@csp_replace({"frame-ancestors": ["*"]})
@conditional
def embed(request, name):
    """Figure, title and source for frames of any site, without JavaScript and cookies."""
    permalink = Permalink.objects.filter(pk=name).first()
    if permalink is None:
        return missing_response(request, name)
    frozen = _frozen(permalink)
    size = _size(permalink, frozen)
    return render(
        request,
        "permalink/embed.html",
        {
            "frozen": frozen,
            "name": name,
            "size": size,
            "changed": isolation.run_isolated("changes", name, lambda: changes.find_changed_archives(frozen.record), set),
            "history": history.read_history(permalink, frozen.record),
            "note": isolation.FAILURE_NOTE if size is None and frozen.figures else "",
            "address": request.build_absolute_uri(reverse("permalink", args=[name])),
        },
    )


@require_safe
@cache_control(public=True, max_age=DAY)
def oembed(request):
    """oEmbed 1.0 (oembed.com): `url` of a permalink of this site, `maxwidth`, `maxheight` in px, `format=json|xml`."""
    form = request.GET.get("format", "json")
    if form not in ("json", "xml"):
        return HttpResponse("format is json or xml\n", status=501, content_type="text/plain; charset=utf-8")
    try:
        limits = [int(request.GET[key]) if key in request.GET else None for key in ("maxwidth", "maxheight")]
    except ValueError:
        return HttpResponseBadRequest("maxwidth and maxheight are whole numbers of pixels\n", content_type="text/plain")
    fields = _oembed_fields(request, _permalink(request), *limits)
    response = JsonResponse(fields) if form == "json" else HttpResponse(_xml(fields), content_type="text/xml; charset=utf-8")
    response["Access-Control-Allow-Origin"] = "*"
    return response


def _permalink(request) -> Permalink:
    """The permalink at the address `url`. Raises Http404 for any other address."""
    try:
        url = urlsplit(request.GET.get("url", ""))
        found = resolve(url.path)
    except (ValueError, Resolver404):
        raise Http404("The address is not that of a permalink here.") from None
    if url.netloc != request.get_host() or found.url_name not in ("permalink", "permalink-embed"):
        raise Http404("The address is not that of a permalink here.")
    permalink = Permalink.objects.filter(pk=found.kwargs["name"].lower()).first()
    if permalink is None:
        raise Http404("There is no such permalink.")
    return permalink


def _oembed_fields(request, permalink: Permalink, most_wide: int | None, most_high: int | None) -> dict:
    frozen = _frozen(permalink)
    wide, high = _size(permalink, frozen) or (16.0, 5.0)
    width = min(rendering.FRAME_WIDTH, most_wide or rendering.FRAME_WIDTH)
    height = min(rendering.frame_height(wide, high, width), most_high or 10_000)
    src = request.build_absolute_uri(reverse("permalink-embed", args=[permalink.pk]))
    title = frozen.stamp.title or "Frozen comparison"
    html = render_to_string("permalink/_frame.html", {"src": src, "title": title, "width": width, "height": height})
    later = history.read_history(permalink, frozen.record)
    withdrawn = {"poolmark_status": later.withdrawn} if later.withdrawn else {}
    newer = {"poolmark_newer": request.build_absolute_uri(later.newer.get_absolute_url())} if later.newer else {}
    return {
        **withdrawn,
        **newer,
        "version": "1.0",
        "type": "rich",
        "title": title,
        "author_name": frozen.stamp.authors,
        "provider_name": "Poolmark",
        "provider_url": request.build_absolute_uri("/"),
        "cache_age": DAY,
        "html": html.strip(),
        "width": width,
        "height": height,
    }


def _frozen(permalink: Permalink) -> rendering.FrozenFigures:
    """The input of the renderers; where reading it fails, one without figures and with a note as method."""

    def without_figures() -> rendering.FrozenFigures:
        record = record_figures.parse_record(permalink.record)
        stamp = stamp_of_record(record, permalink.digest)
        return rendering.FrozenFigures(record, [], stamp, isolation.FAILURE_NOTE.removesuffix("."), "")

    return isolation.run_isolated(
        "embedded figure", permalink.pk, lambda: rendering.read_frozen_figures(permalink), without_figures
    )


def _size(permalink: Permalink, frozen: rendering.FrozenFigures) -> tuple[float, float] | None:
    """Width and height of the wide figure; None without a figure or where drawing fails."""
    if not frozen.figures:
        return None
    return isolation.run_isolated("drawn figure", permalink.pk, lambda: _drawn_size(permalink), lambda: None)


def _drawn_size(permalink: Permalink) -> tuple[float, float]:
    return rendering.drawing_size(bytes(rendering.get_or_render(permalink, rendering.svg_name(180)).data))


def _xml(properties: dict) -> str:
    fields = "".join(f"<{key}>{escape(make_xml_safe(str(value)))}</{key}>" for key, value in properties.items())
    return f'<?xml version="1.0" encoding="utf-8" standalone="yes"?>\n<oembed>{fields}</oembed>\n'
