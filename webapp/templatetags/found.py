"""`{% social title=... %}`: what a search engine or a link preview reads of a page."""

from __future__ import annotations

from django import template
from django.urls import NoReverseMatch, reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from webapp.formatting import numbers
from webapp.models import Archive

register = template.Library()
LONGEST_DESCRIPTION = 300


@register.simple_tag(takes_context=True)
def social(
    context, title: object = "", description: object = "", image: str = "", query: str = "", kind: str = "website"
) -> SafeString:
    """The canonical link, and tags of Open Graph and Twitter where there is a title.

    `query`: the normalised query string of pages that are different pages by it; others are one page. `image`: its path on this
    site, 1200 x 630 pixels.
    """
    request = context["request"]
    address = request.build_absolute_uri(request.path + (f"?{query}" if query else ""))
    about = numbers.line(str(description), LONGEST_DESCRIPTION)
    tags = [format_html('<link rel="canonical" href="{}">', address)]
    if about:
        tags.append(format_html('<meta name="description" content="{}">', about))
    if title:
        tags.append(_open_graph(str(title), about, address, kind, request.build_absolute_uri(image) if image else ""))
    return SafeString("\n".join(tags))


@register.simple_tag(takes_context=True)
def social_comparison(context) -> SafeString:
    """The same for the comparison page, one page for all queries of one selection; search engines skip one without a figure."""
    if not context["drawings"]:
        return SafeString('<meta name="robots" content="noindex">')
    query = context["query"] if context["request"].GET else ""
    about = " ".join([context["sentence"], context["design"], f"{str(context['counted']).capitalize()}."])
    return social(context, context["heading"], about, f"/compare.png?{context['query']}", query)


TWINS = {"json": "application/json", "csv": "text/csv", "atom": "application/atom+xml"}
"""Endings of the address patterns that have a page's data or feed, with their media types."""


@register.simple_tag(takes_context=True)
def twins(context) -> list[tuple[str, str]]:
    """(media type, address) of the page's data, where a pattern has its name with an ending: `versus`, `versus-json`. No
    feed where the context has `is_unshared`: the page shows nothing that is public."""
    request = context.get("request")
    here, found = request and request.resolver_match, []
    for ending, media_type in TWINS.items() if here and here.url_name else ():
        if ending == "atom" and context.get("is_unshared"):
            continue
        try:
            address = reverse(f"{here.url_name}-{ending}", kwargs=here.kwargs)
        except NoReverseMatch:
            continue
        found.append((media_type, "?".join(filter(None, [address, request.META["QUERY_STRING"]]))))
    return found


@register.simple_tag
def archive_picture(archive: Archive) -> str:
    """The path of a picture of what was measured in it; '' where nothing was."""
    return f"{reverse('compare-png')}?archive={archive.pk}" if archive.measurements else ""


def _open_graph(title: str, about: str, address: str, kind: str, image: str) -> SafeString:
    pairs = [("og:site_name", "Poolmark"), ("og:type", kind), ("og:title", title), ("og:url", address), ("og:description", about)]
    if image:
        pairs += [("og:image", image), ("og:image:type", "image/png"), ("og:image:width", "1200"), ("og:image:height", "630")]
        pairs += [("og:image:alt", title)]
    cards = [("twitter:card", "summary_large_image" if image else "summary"), ("twitter:title", title), ("twitter:image", image)]
    return format_html(
        "{}\n{}",
        format_html_join("\n", '<meta property="{}" content="{}">', [pair for pair in pairs if pair[1]]),
        format_html_join("\n", '<meta name="{}" content="{}">', [pair for pair in cards if pair[1]]),
    )
