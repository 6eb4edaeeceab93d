"""Loaded before everything else (`-p webapp.tests.plugin`): a PostgreSQL of the session's own, in a temporary folder.

With `DATABASE_URL` set the tests use that server instead (they make and drop a database of their own there).
Under `-n` each process of tests has its own server and folder, and the process that only hands tests out has none.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from webapp.infrastructure.embedded_postgres import Cluster

# A busy machine says nothing about the code: no example has a deadline. Where a change is judged, the same examples judge
# it each time; everywhere else new ones are looked for.
settings.register_profile(
    "poolmark", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=bool(os.environ.get("CI"))
)
settings.load_profile("poolmark")


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(early_config: pytest.Config):
    """Before Django's settings are read. A process that hands its tests out to others (`-n 2`) runs none itself."""
    hands_out = bool(getattr(early_config.known_args_namespace, "numprocesses", None))
    _begin(served="PYTEST_XDIST_WORKER" in os.environ or not hands_out)
    return (yield)


def _begin(served: bool) -> None:
    data = Path(tempfile.mkdtemp(prefix="pm-test-"))
    os.environ["POOLMARK_DATA"] = str(data)
    os.environ.pop("REDIS_URL", None)
    atexit.register(shutil.rmtree, data, ignore_errors=True)
    if not os.environ.get("DATABASE_URL") and served:
        cluster = Cluster(data)
        cluster.start("fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_wal_size=512MB")
        os.environ["POOLMARK_EMBEDDED_URL"] = cluster.url
        atexit.register(cluster.stop)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files that start browsers and servers come first: they take longest, and no process shall be left alone with one."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        return
    slow = {item.path for item in items if item.get_closest_marker("browser") or item.get_closest_marker("server")}
    items.sort(key=lambda item: item.path not in slow)
