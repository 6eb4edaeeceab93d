"""The list of honesty flags, which explains the marks on figures."""

from __future__ import annotations

from django.shortcuts import render
from django.views.decorators.http import require_safe

from webapp.comparison.caveats import CAVEATS
from webapp.http.page_cache import conditional


@require_safe
@conditional
def honesty(request):
    """Every flag with its sentence, why it matters, and what to do."""
    return render(request, "honesty/honesty.html", {"flags": CAVEATS.values()})
