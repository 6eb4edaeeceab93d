"""Liveness and readiness."""

from __future__ import annotations

from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

_migrated = False


@never_cache
@require_safe
def healthz(request):
    """200 where the database answers and has every migration; else 503 and why."""
    try:
        waiting = _unapplied()
    except DatabaseError:
        return JsonResponse({"status": "unavailable", "why": "the database does not answer"}, status=503)
    if waiting:
        return JsonResponse({"status": "unavailable", "why": f"{waiting} migrations are not applied"}, status=503)
    return JsonResponse({"status": "ok"})


def _unapplied() -> int:
    """How many migrations are missing. Once none is, only a query that the database answers."""
    global _migrated
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    if _migrated:
        return 0
    executor = MigrationExecutor(connection)
    waiting = len(executor.migration_plan(executor.loader.graph.leaf_nodes()))
    _migrated = not waiting
    return waiting
