"""Connections of a forked process."""

from __future__ import annotations

from django.db import connections

from webapp.infrastructure import direct_connection


def drop_inherited_connections() -> None:
    """Drop the inherited connections in a forked process, without closing them on the server, where the parent uses them.

    Closing them before forking is not enough: a thread that runs an event loop has connections of its own for that loop
    (asgiref.local), and the child, which runs none, finds those that the thread had opened before.
    """
    for inherited in connections.all(initialized_only=True):
        inherited.connection = None
    direct_connection.drop_inherited()
