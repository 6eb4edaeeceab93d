"""The connection on which locks of a session are taken. PgBouncer with transaction pooling gives each transaction another session:
behind it, such a lock would stay with a session that another client gets. `DATABASE_DIRECT_URL` names the server itself."""

from __future__ import annotations

from typing import Any

import dj_database_url
from asgiref.local import Local
from django.conf import settings
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper

_local = Local()


def find_direct() -> BaseDatabaseWrapper:
    """This thread's connection for locks of a session: that of `DATABASE_DIRECT_URL`, where it is set, else the ordinary one."""
    if not settings.DATABASE_DIRECT_URL:
        return connections["default"]
    if not hasattr(_local, "connection"):
        _local.connection = open_direct()
    _local.connection.close_if_unusable_or_obsolete()
    return _local.connection


def open_direct() -> BaseDatabaseWrapper:
    """A further connection, which belongs to the caller. It is made with its first query."""
    ordinary = connections["default"]
    options: dict[str, Any] = {**ordinary.settings_dict, "CONN_MAX_AGE": None, "AUTOCOMMIT": True}
    if settings.DATABASE_DIRECT_URL:
        options.update(dj_database_url.parse(settings.DATABASE_DIRECT_URL, conn_max_age=None))
    return type(ordinary)(options, "default")


def drop_inherited() -> None:
    """Drop the direct connection in a forked process, without closing it on the server, where the parent uses it."""
    if hasattr(_local, "connection"):
        _local.connection.connection = None
        del _local.connection
