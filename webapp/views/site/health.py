"""Liveness and readiness."""

from __future__ import annotations

from django.db import DatabaseError
from django.http import JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from webapp.infrastructure import readiness


@never_cache
@require_safe
def healthz(request):
    """200 where the database answers and has every migration; else 503 and why."""
    try:
        waiting = readiness.unapplied()
    except DatabaseError:
        return JsonResponse({"status": "unavailable", "why": "the database does not answer"}, status=503)
    if waiting:
        return JsonResponse({"status": "unavailable", "why": f"{waiting} migrations are not applied"}, status=503)
    return JsonResponse({"status": "ok"})
