"""What search engines and programs ask for: robots.txt, llms.txt and the sitemap."""

from __future__ import annotations

from django.contrib.sitemaps import Sitemap
from django.contrib.sitemaps import views as sitemap_views
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import conditional_page, require_safe

from webapp.claims.judge import CLAIMS
from webapp.claims.observations import BEFORE, DOUBTS, DRIFT, MACHINES, NO_DIFFERENCE, SESSION, SESSIONS, SYSTEM, SYSTEMS
from webapp.models import Archive, Permalink, SystemCount
from webapp.models.summary import PUBLIC
from webapp.studies import queries, registry

_HOUR = 3600
_PAGES = ("home", "compare", "archives", "systems", "hardware", "configurations", "studies", "honesty", "log", "verify", "upload")
_MAX_STUDIES = 1000
_MEANING = {
    SESSION: "these runs of one machine on one occasion; no other day, no other machine",
    SESSIONS: "these runs of one machine, in N sessions with both sides in each; no claim about the machine on other days",
    SYSTEM: "this machine, over three sessions or more",
    MACHINES: "four machines or more, both sides on each; these, and others as far as they are alike",
    SYSTEMS: "two whole systems as they stand; never their CPU, disks or file system",
    BEFORE: "one new session of a machine lies outside of what four earlier ones or more let expect; something changed",
}
"""What each claim is about."""


class _Section(Sitemap):
    limit = 5000


class _Pages(_Section):
    def items(self):
        return _PAGES

    def location(self, item):
        return reverse(item)


class _Studies(_Section):
    def items(self):
        """Shipped studies that are public, then the first others, with the first archive of each."""
        shipped = registry.shipped_studies()
        firsts = queries.read_first_archives(shipped)
        return [firsts[name] for name in shipped if name in firsts] + queries.read_archives_after("", shipped, _MAX_STUDIES)

    def location(self, item):
        return reverse("study", args=[item.study])


class _Archives(_Section):
    def items(self):
        return Archive.objects.open().order_by("id").only("id", "read_at")

    def lastmod(self, item):
        return item.read_at

    def location(self, item):
        return reverse("archive", args=[item.pk])


class _Systems(_Section):
    def items(self):
        return SystemCount.objects.filter(scope=PUBLIC).order_by("system_id").values_list("system_id", flat=True)

    def location(self, item):
        return reverse("system", args=[item])


class _Permalinks(_Section):
    def items(self):
        return Permalink.objects.listed().order_by("frozen_at", "id").only("id", "frozen_at")

    def lastmod(self, item):
        return item.frozen_at

    def location(self, item):
        return item.get_absolute_url()


SITEMAPS: dict[str, type[Sitemap] | Sitemap] = {
    "pages": _Pages,
    "studies": _Studies,
    "archives": _Archives,
    "systems": _Systems,
    "permalinks": _Permalinks,
}


@require_safe
@cache_control(public=True, max_age=_HOUR)
def sitemap_index(request):
    """The sections of the sitemap, each in pages."""
    return sitemap_views.index(request, SITEMAPS, sitemap_url_name="sitemap")


@require_safe
@cache_control(public=True, max_age=_HOUR)
def sitemap(request, section):
    """A page of a section: everything in it is public."""
    return sitemap_views.sitemap(request, SITEMAPS, section=section)


@require_safe
@cache_control(public=True, max_age=24 * _HOUR)
def robots(request):
    routes = {"sitemap": "sitemap-index", "llms": "llms"}
    addresses = {name: request.build_absolute_uri(reverse(route)) for name, route in routes.items()}
    return render(request, "found/robots.txt", addresses, content_type="text/plain; charset=utf-8")


@require_safe
@cache_control(public=True, max_age=24 * _HOUR)
@conditional_page
def llms(request):
    """Addresses for programs, and the rules under which they may quote what they find. Public."""
    said = {
        "site": request.build_absolute_uri("/").rstrip("/"),
        "claims": [
            (words.format("worse" if scope == BEFORE else "faster", "N"), _MEANING[scope]) for scope, words in CLAIMS.items()
        ],
        "no_difference": NO_DIFFERENCE,
        "doubts": [*dict.fromkeys(DOUBTS.values()), DRIFT],
    }
    return render(request, "found/llms.txt", said, content_type="text/plain; charset=utf-8")
