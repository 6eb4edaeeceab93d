"""A frozen comparison opened as a live one, with overlays of the reader's archives."""

from __future__ import annotations

import json
from urllib.parse import parse_qsl

from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from webapp.comparison.selection import parse, query_string
from webapp.models import Permalink
from webapp.views.permalinks.page import missing_response


@require_safe
@cache_control(private=True, no_cache=True)
def live(request, name):
    """Redirect to the comparison page with the frozen selection and the `overlay=ARCHIVE` parameters of this address.

    The comparison page checks access to the archives.
    """
    frozen = Permalink.objects.filter(pk=name).first()
    if frozen is None:
        return missing_response(request, name)
    selection = parse(parse_qsl(json.loads(bytes(frozen.record))["selection"]))
    added = parse([("overlay", value) for value in request.GET.getlist("overlay")])
    overlay = tuple(sorted({*selection.overlay, *added.overlay}))
    return redirect(f"{reverse('compare')}?{query_string(selection.changed(overlay=overlay))}")
