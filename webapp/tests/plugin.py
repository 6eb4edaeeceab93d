"""Loaded before everything else (`-p webapp.tests.plugin`): which tests a run has, and a PostgreSQL of its own.

`--fast`: no browser, no server, nothing marked `slow` or `thorough`, few examples of hypothesis. `--slow`: what is marked
`slow`, and all of hypothesis with many examples. Neither: everything but `slow`. `-m` chooses by itself.

With `DATABASE_URL` set the tests use that server instead (they make and drop a database of their own there).
Under `-n` each process of tests has its own server and folder, and the process that only hands tests out has none.
"""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from webapp.infrastructure.embedded_postgres import Cluster
from webapp.tests import serving

EXAMPLES = {"fast": 10, "": 100, "slow": 1000}
STARTS = ("Server", "redis_server")  # of webapp/tests/serving.py
MOST_PROCESSES = 8  # each has a PostgreSQL


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--fast` and `--slow`."""
    group = parser.getgroup("poolmark")
    group.addoption("--fast", action="store_const", const="fast", dest="mode", default="", help="without browsers and servers")
    group.addoption("--slow", action="store_const", const="slow", dest="mode", help="what takes long or needs much")


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(early_config: pytest.Config):
    """Before Django's settings are read. A process that hands its tests out to others (`-n 2`) runs none itself."""
    _set_examples(early_config.known_args_namespace.mode)
    for number in (signal.SIGINT, signal.SIGQUIT):
        if signal.getsignal(number) == signal.SIG_IGN:
            # A script that started this in the background; what tests start would ignore them too.
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
    hands_out = bool(getattr(early_config.known_args_namespace, "numprocesses", None))
    _begin(served="PYTEST_XDIST_WORKER" in os.environ or not hands_out)
    return (yield)


def _set_examples(mode: str) -> None:
    """A busy machine says nothing about the code: no example has a deadline. Where a change is judged, the same examples
    judge it each time; everywhere else new ones are looked for."""
    settings.register_profile(
        "poolmark",
        max_examples=EXAMPLES[mode],
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
        derandomize=bool(os.environ.get("CI")),
    )
    settings.load_profile("poolmark")


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


def pytest_xdist_auto_num_workers() -> int:
    """As many as there are cores for this process, for `-n auto`."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cores, MOST_PROCESSES)


def pytest_itemcollected(item: pytest.Item) -> None:
    """Marks what drives a browser or runs servers, by its fixtures and by what its module imports."""
    fixtures = getattr(item, "fixturenames", ())
    module = getattr(item, "module", None)
    if "browser" in fixtures:
        item.add_marker("browser")
    elif "server" in fixtures or any(getattr(module, name, None) is getattr(serving, name) for name in STARTS):
        item.add_marker("server")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves what is not of the mode. Files that start browsers and servers come first: they take longest, and no process
    shall be left alone with one."""
    left = [item for item in items if config.option.markexpr or _is_of(config.option.mode, item)]
    if len(left) < len(items):
        kept = set(left)
        config.hook.pytest_deselected(items=[item for item in items if item not in kept])
        items[:] = left
    if "PYTEST_XDIST_WORKER" in os.environ:
        dear = {item.path for item in items if any(map(item.get_closest_marker, ("browser", "server", "thorough", "slow")))}
        items.sort(key=lambda item: item.path not in dear)


def _is_of(mode: str, item: pytest.Item) -> bool:
    """Whether a test is one of this mode."""
    names = {mark.name for mark in item.iter_markers()}
    if mode == "slow":
        return bool(names & {"slow", "hypothesis"})
    return not names & ({"slow", "thorough", "browser", "server"} if mode == "fast" else {"slow"})
