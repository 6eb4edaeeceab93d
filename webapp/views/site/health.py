"""For those who run the site: alive, ready, metrics, and the same for people."""

from __future__ import annotations

import hmac
import math

from django.conf import settings
from django.core.cache import cache
from django.db import Error
from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from webapp.accounts import access, public_log
from webapp.archives import reparse
from webapp.files import blobs, stores
from webapp.http import read_replica
from webapp.http.data_version import data_version
from webapp.infrastructure import checks
from webapp.jobs.state import State, find_readings, read_state
from webapp.monitoring import metrics
from webapp.systems import system_index

_OUTDATED_SECONDS = 60
"""For which the number of archives read under older rules is kept: it takes a look at every file."""


@never_cache
@require_safe
def healthz(request):
    """200 while this process answers, whatever else is away: starting it again would help against nothing else."""
    return JsonResponse({"status": "ok"})


@never_cache
@require_safe
def readyz(request):
    """200 where uploads can be taken and pages answered; else 503 with every problem."""
    found = checks.run_checks()
    problems = {check.name: check.problem for check in found if not check.is_met}
    shown = [*found, *_replica_check()]
    data = {"status": "unavailable" if problems else "ok", "checks": {check.name: check.problem or "ok" for check in shown}}
    return JsonResponse(data, status=503 if problems else 200)


@never_cache
@require_safe
def expose_metrics(request):
    """Prometheus' text format. With `POOLMARK_STATUS=staff` for staff and bearers of `POOLMARK_METRICS_TOKEN` alone."""
    if not (access.may_see_state(request.user) or _has_token(request)):
        raise Http404("There is no such page.")
    return HttpResponse(metrics.expose(_gauges()), content_type=metrics.CONTENT_TYPE)


@never_cache
@require_safe
def status(request):
    """The state of this instance on a page."""
    if not access.may_see_state(request.user):
        raise Http404("There is no such page.")
    found = checks.run_checks()
    answers = {
        "checks": [*found, *_replica_check()],
        "is_ready": all(check.is_met for check in found),
        "free": stores.free_bytes(),
        "reserve": settings.POOLMARK_RESERVE,
        "damaged": blobs.list_damaged(),
    }
    try:
        answers |= {"state": (state := read_state()), "head": public_log.read_head()}
        answers["readings"] = find_readings() if state.reading else []
        answers["totals"] = system_index.read_totals(data_version())
        answers["outdated"] = cache.get_or_set("outdated-archives", reparse.describe_outdated, _OUTDATED_SECONDS)
    except Error:
        answers["state"] = None
    return render(request, "status/status.html", answers, status=200 if answers["is_ready"] else 503)


def _replica_check() -> list[checks.Check]:
    """How late the read replica is, where one is configured. The site is ready without it: the primary answers then."""
    lag = read_replica.read_lag()
    if lag is None:
        return []
    how = (
        "it does not answer, or is late since it started"
        if math.isinf(lag)
        else f"it is {lag:.0f} s late"
        if lag > settings.POOLMARK_REPLICA_LAG
        else ""
    )
    return [checks.Check("replica", f"{how}: the primary answers for it" if how else "")]


def _has_token(request) -> bool:
    token = settings.POOLMARK_METRICS_TOKEN
    given = request.headers.get("Authorization", "").removeprefix("Bearer ").encode()
    return bool(token) and hmac.compare_digest(given, token.encode())


def _gauges() -> list[tuple[str, str, dict[str, float] | float]]:
    found = checks.run_checks()
    gauges: list[tuple[str, str, dict[str, float] | float]] = [
        ("poolmark_ready", "1 for each check of /readyz that is met", {check.name: float(check.is_met) for check in found}),
        ("poolmark_free_bytes", "Bytes that the data folder can still take", float(stores.free_bytes())),
        ("poolmark_reserve_bytes", "Free bytes below which uploads are refused", float(settings.POOLMARK_RESERVE)),
        (
            "poolmark_replica_lag_seconds",
            "Seconds since the last change that the read replica has, 0 where it has all or there is none",
            read_replica.read_lag() or 0.0,
        ),
    ]
    try:
        return gauges + _database_gauges(read_state(), system_index.read_totals(data_version()).drawn)
    except Error:
        return gauges


def _database_gauges(state: State, drawn: int) -> list[tuple[str, str, dict[str, float] | float]]:
    waited = (timezone.now() - state.waiting_since).total_seconds() if state.waiting_since else 0.0
    return [
        ("poolmark_archives", "Archives by state", {name: float(n) for name, n in state.archives.items()}),
        ("poolmark_archive_bytes", "Bytes of all archives as uploaded", float(state.bytes_stored)),
        ("poolmark_oldest_waiting_seconds", "Seconds since the upload of the archive that waits longest", waited),
        ("poolmark_permalinks", "Permalinks", float(state.permalinks)),
        ("poolmark_public_measurements", "Public measurements in comparisons", float(drawn)),
    ]
