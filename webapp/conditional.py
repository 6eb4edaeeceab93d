"""Pages that answer 304: their ETag follows from what decides their content, and is known before any of it is read."""
from __future__ import annotations

import hashlib
from functools import lru_cache, wraps
from pathlib import Path
from urllib.parse import urlencode

from django.conf import settings
from django.utils.cache import patch_cache_control, patch_vary_headers
from django.views.decorators.http import condition

from webapp.models import DataVersion


def data_version() -> int:
    """The number that rises with every change of what a reader can see. One query."""
    return DataVersion.objects.values_list("number", flat=True).first() or 0


@lru_cache(maxsize=1)
def _release_once() -> str:
    digest = hashlib.sha256()
    for folder in ("webapp", "templates", "static/dist"):
        for file in sorted((Path(settings.BASE_DIR) / folder).rglob("*")):
            if file.suffix in (".py", ".html", ".js", ".css"):
                facts = file.stat()
                digest.update(f"{file} {facts.st_mtime_ns} {facts.st_size}\n".encode())
    return digest.hexdigest()


def release() -> str:
    """What this copy's pages are made of: another template or style sheet is another page. Once a process."""
    if settings.DEBUG:
        _release_once.cache_clear()
    return _release_once()


def etag_of(request, *args, **kwargs) -> str | None:
    """Hash of release, page or fragment, canonical query, viewer and data version.

    None (no ETag) where a one-time message waits to be shown. The form token's secret belongs to the viewer: a page
    kept from before signing in holds a token that is no longer good.
    """
    if "_messages" in request.session:
        return None
    viewer = request.user.pk if request.user.is_authenticated else ""
    query = urlencode(sorted((key, value) for key, values in request.GET.lists() for value in values))
    facts = (release(), request.path, query, request.headers.get("HX-Request", ""), viewer,
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
