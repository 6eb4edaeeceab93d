"""Strangers read from a read replica where one is named (`DATABASE_REPLICA_URL`); all else goes to the first server.

It gains a second server for readers, and costs nothing where none is named. Django's database routers do not see the queries
that a cursor runs, which are nearly all of a page's, and choose for each query.

A request is answered by one server from its first query to its last, so that the data version and the rows that a page is
made of are of one state: how far the replica is behind makes a page older, and never mixed or kept under a wrong version.
Whoever has signed in, and whatever changes something, goes to the first server, so that nobody misses what he did himself.
What the replica cannot answer (it does not know the address yet; a file of a permalink that has to be made and kept; a query
that the replaying of a change has cut off; it is gone) is asked of the first server again, and the reader notices nothing.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any

import dj_database_url
from django.conf import settings
from django.db import DatabaseError, connections
from django.http import HttpResponse

from webapp.http.page_cache import READ

log = logging.getLogger(__name__)

Environ = dict[str, Any]
Application = Callable[[Environ, Callable], Iterable[bytes]]

ALWAYS_FIRST = ("/sign-in", "/upload", "/healthz")
"""Beginnings of paths that are about what somebody has done a moment ago, or about the first server."""
REST = 5.0
"""Seconds for which a replica that could not be reached is not asked."""
_ASKED, _AGAIN = "poolmark.replica", "poolmark.again"


class ReplicaRouter:
    """The WSGI application, which sends each request to the server that should answer it."""

    def __init__(self, application: Application, url: str) -> None:
        self._application, self._own = application, threading.local()
        self._parts = dj_database_url.parse(url, conn_max_age=60)
        self._rests_until = 0.0

    def __call__(self, environ: Environ, start_response: Callable) -> Iterable[bytes]:
        if not (is_anonymous_read(environ) and self._turn_to_replica()):
            self._turn_to_first()
            return self._application(environ, start_response)
        environ[_ASKED] = True
        told: list[Any] = []

        def hold(*status_headers_error: Any) -> None:
            told[:] = status_headers_error

        answer = self._application(environ, hold)
        if not (environ.pop(_AGAIN, False) or told[0][:3] == "404" or told[0][:1] == "5"):
            start_response(*told)
            return answer
        getattr(answer, "close", lambda: None)()
        self._turn_to_first()
        for key in (_ASKED, READ):
            environ.pop(key, None)
        return self._application(environ, start_response)

    def _turn_to_first(self) -> None:
        """Let this thread's queries go to the first server from now on."""
        if hasattr(self._own, "first"):
            connections["default"] = self._own.first

    def _turn_to_replica(self) -> bool:
        """Let them go to the replica; False where it cannot be reached."""
        if time.monotonic() < self._rests_until:
            return False
        if not hasattr(self._own, "first"):
            self._own.first = connections["default"]
            usual = connections.settings["default"]
            self._own.replica = type(self._own.first)({**usual, **self._parts}, "default")
        try:
            self._own.replica.ensure_connection()
        except DatabaseError as wrong:
            self._rests_until = time.monotonic() + REST
            log.warning("the read replica does not answer; the first server is asked: %s", wrong)
            return False
        connections["default"] = self._own.replica
        return True


def is_anonymous_read(environ: Environ) -> bool:
    """Whether somebody who is not signed in asks to read."""
    path = environ.get("SCRIPT_NAME", "") + environ.get("PATH_INFO", "")
    return (
        environ["REQUEST_METHOD"] in ("GET", "HEAD")
        and settings.SESSION_COOKIE_NAME not in environ.get("HTTP_COOKIE", "")
        and not path.startswith(ALWAYS_FIRST)
    )


class RetryOnPrimary:
    """Middleware: where the replica refuses or cuts off a query, the first server is asked (see `ReplicaRouter`)."""

    def __init__(self, get_response: Callable) -> None:
        self._get_response = get_response

    def __call__(self, request):
        return self._get_response(request)

    def process_exception(self, request, exception):
        """An answer that nobody gets to see."""
        if not (request.META.get(_ASKED) and isinstance(exception, DatabaseError)):
            return None
        request.META[_AGAIN] = True
        return HttpResponse()
