"""Pages that answer 304: their ETag follows from what decides their content, and is known before any of it is read."""
from __future__ import annotations

import hashlib
from functools import wraps
from urllib.parse import urlencode

from django.conf import settings
from django.utils.cache import patch_cache_control, patch_vary_headers
from django.views.decorators.http import condition

from webapp.models import DataVersion


def data_version() -> int:
    """The number that rises with every change of what a reader can see. One query."""
    return DataVersion.objects.values_list("number", flat=True).first() or 0


def etag_of(request, *args, **kwargs) -> str | None:
    """Hash of release, page or fragment, canonical query, viewer and data version.

    None (no ETag) where a one-time message waits to be shown. The form token's secret belongs to the viewer: a page
    kept from before signing in holds a token that is no longer good.
    """
    if "_messages" in request.session:
        return None
    viewer = request.user.pk if request.user.is_authenticated else ""
    query = urlencode(sorted((key, value) for key, values in request.GET.lists() for value in values))
    facts = (getattr(settings, "RELEASE", ""), request.path, query, request.headers.get("HX-Request", ""), viewer,
             request.COOKIES.get(settings.CSRF_COOKIE_NAME, "") if viewer else "", data_version())
    return f'"{hashlib.sha256(repr(facts).encode()).hexdigest()[:32]}"'


def conditional(view):
    """Answer 304 where the reader's copy is still true; for pages that change with the data version alone."""
    guarded = condition(etag_func=etag_of)(view)

    @wraps(view)
    def page(request, *args, **kwargs):
        response = guarded(request, *args, **kwargs)
        patch_vary_headers(response, ["HX-Request", "Cookie"])
        patch_cache_control(response, private=True, no_cache=True)
        return response

    return page
