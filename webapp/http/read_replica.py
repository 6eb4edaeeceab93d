"""Anonymous reads go to a read replica where one is configured (`DATABASE_REPLICA_URL`); everything else to the primary.

Django's database routers do not see the queries of cursors, which are nearly all of a page's, and choose for each query.

A request is answered by one server from its first query to its last, so that the data version and the rows of a page are
of one state: a lagging replica makes a page older, and never mixed or cached under a wrong version. Signed-in users and
writes go to the primary, so that users see their own changes. A replica that has not replayed a change of more than
`POOLMARK_REPLICA_LAG` seconds ago is not asked: it would go on showing what was withdrawn. What the replica cannot answer
(an address that it does not know yet; a file of a permalink that has to be made and stored; a query cancelled by
replication; no connection) is answered by the primary instead.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any

import dj_database_url
from django.conf import settings
from django.db import DatabaseError, Error, connections
from django.http import HttpResponse

from webapp.http.data_version import measure_lag
from webapp.http.page_cache import DATA_VERSION_KEY

log = logging.getLogger(__name__)

Environ = dict[str, Any]
Application = Callable[[Environ, Callable], Iterable[bytes]]

PRIMARY_PATHS = ("/sign-in", "/upload", "/healthz", "/readyz", "/metrics", "/status")
"""Prefixes of paths that show what the reader has just done, or the state of the primary."""
RETRY_SECONDS = 5.0
"""Seconds after a failed connection to the replica during which the primary is used."""
LAG_SECONDS = 1.0
"""Seconds for which a process goes by what it found of the replica's lag."""
_FROM_REPLICA, _RETRY = "poolmark.replica", "poolmark.again"


class ReplicaRouter:
    """The WSGI application, with each request sent to the replica or the primary."""

    def __init__(self, application: Application, url: str) -> None:
        self._application, self._local = application, threading.local()
        self._parts = dj_database_url.parse(url, conn_max_age=60)
        self._retry_at, self._lag_at, self._is_late = 0.0, -LAG_SECONDS, True

    def __call__(self, environ: Environ, start_response: Callable) -> Iterable[bytes]:
        if not (is_anonymous_read(environ) and self._use_replica()):
            self._use_primary()
            return self._application(environ, start_response)
        environ[_FROM_REPLICA] = True
        started: list[Any] = []

        def capture_start(*status_headers_error: Any) -> None:
            started[:] = status_headers_error

        answer = self._application(environ, capture_start)
        if not (environ.pop(_RETRY, False) or started[0][:3] == "404" or started[0][:1] == "5"):
            start_response(*started)
            return answer
        getattr(answer, "close", lambda: None)()
        self._use_primary()
        for key in (_FROM_REPLICA, DATA_VERSION_KEY):
            environ.pop(key, None)
        return self._application(environ, start_response)

    def _use_primary(self) -> None:
        """Send this thread's queries to the primary from now on."""
        if hasattr(self._local, "primary"):
            connections["default"] = self._local.primary

    def _use_replica(self) -> bool:
        """Send this thread's queries to the replica; False where it cannot be reached."""
        if time.monotonic() < self._retry_at:
            return False
        if not hasattr(self._local, "primary"):
            self._local.primary = connections["default"]
            options = connections.settings["default"]
            self._local.replica = type(self._local.primary)({**options, **self._parts}, "default")
        try:
            self._local.replica.ensure_connection()
        except DatabaseError as error:
            self._retry_at = time.monotonic() + RETRY_SECONDS
            log.warning("the read replica does not answer; the first server is asked: %s", error)
            return False
        if self._find_late():
            return False
        connections["default"] = self._local.replica
        return True

    def _find_late(self) -> bool:
        """Whether the replica is later than the setting allows. Where the primary does not answer, as it was found before."""
        now = time.monotonic()
        if now >= self._lag_at + LAG_SECONDS:
            self._lag_at = now  # other threads go by the last answer meanwhile
            try:
                late = measure_lag(self._local.primary, self._local.replica) > settings.POOLMARK_REPLICA_LAG
            except Error:
                return self._is_late
            if late and not self._is_late:
                log.warning("the read replica is late; the first server is asked until it is not")
            self._is_late = late
        return self._is_late


def read_lag() -> float | None:
    """The lag of the configured replica as `measure_lag` has it, infinite where it does not answer; None without one."""
    if not settings.DATABASE_REPLICA_URL:
        return None
    primary = connections["default"]
    parts = dj_database_url.parse(settings.DATABASE_REPLICA_URL)
    replica = type(primary)({**connections.settings["default"], **parts}, "default")
    try:
        return measure_lag(primary, replica)
    except Error:
        return math.inf
    finally:
        replica.close()


def is_anonymous_read(environ: Environ) -> bool:
    """Whether the request is a read without a session or a token, outside of PRIMARY_PATHS."""
    path = environ.get("SCRIPT_NAME", "") + environ.get("PATH_INFO", "")
    return (
        environ["REQUEST_METHOD"] in ("GET", "HEAD")
        and settings.SESSION_COOKIE_NAME not in environ.get("HTTP_COOKIE", "")
        and "HTTP_AUTHORIZATION" not in environ
        and not path.startswith(PRIMARY_PATHS)
    )


class RetryOnPrimary:
    """Middleware: where the replica refuses or cancels a query, the request goes to the primary (see `ReplicaRouter`)."""

    def __init__(self, get_response: Callable) -> None:
        self._get_response = get_response

    def __call__(self, request):
        return self._get_response(request)

    def process_exception(self, request, exception):
        """An empty answer, which `ReplicaRouter` discards."""
        if not (request.META.get(_FROM_REPLICA) and isinstance(exception, DatabaseError)):
            return None
        request.META[_RETRY] = True
        return HttpResponse()
