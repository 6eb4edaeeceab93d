"""Loaded before everything else (`-p webapp.tests.plugin`): a PostgreSQL of the session's own, in a temporary folder.

With `DATABASE_URL` set the tests use that server instead (they make and drop a database of their own there).
"""
from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, settings

from webapp.embedded import Cluster

# A busy machine says nothing about the code: no example has a deadline.
settings.register_profile("poolmark", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("poolmark")


def _begin() -> None:
    data = Path(tempfile.mkdtemp(prefix="pm-test-"))
    os.environ["POOLMARK_DATA"] = str(data)
    os.environ.pop("REDIS_URL", None)
    atexit.register(shutil.rmtree, data, ignore_errors=True)
    if not os.environ.get("DATABASE_URL"):
        cluster = Cluster(data)
        cluster.start("fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_wal_size=512MB")
        os.environ["POOLMARK_EMBEDDED_URL"] = cluster.url
        atexit.register(cluster.stop)


_begin()
