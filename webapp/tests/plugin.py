"""Loaded before everything else (`-p webapp.tests.plugin`): which tests a run has, and a PostgreSQL of its own.

`--fast`: what is decided without a database, a browser or a server, nothing marked `slow` or `thorough`, few examples of
hypothesis. `--slow`: what is marked `slow`, and all of hypothesis with many examples. Neither: everything but `slow`. `-m` chooses
by itself.

Every test has a limit of time (`timeout` of pyproject.toml), and no process outlives the file of tests that started it: it is
ended, and named as an error of that file.

With `DATABASE_URL` set the tests use that server instead (they make and drop a database of their own there).
Under `-n` each process of tests has its own server and folder, and the process that only hands tests out has none.
"""

from __future__ import annotations

import atexit
import contextlib
import faulthandler
import os
import re
import shutil
import signal
import sys
import tempfile
from collections.abc import Collection, Iterator
from pathlib import Path

import psutil
import pytest
from hypothesis import HealthCheck, settings

from webapp.infrastructure.embedded_postgres import Cluster
from webapp.tests import serving

EXAMPLES = {"fast": 10, "": 100, "slow": 1000}
STARTS = ("Server", "redis_server")  # of webapp/tests/serving.py
MOST_PROCESSES = 8  # each has a PostgreSQL
_ALL_OF_DATABASE = re.compile(r"^pytestmark = .*\bdjango_db\b", re.MULTILINE)
_SERVERS = frozenset(("django_db_setup", "s3_server"))  # fixtures below all that need a database or a bucket
_STARTED_BY = "TESTS_OF_PROCESS"
_GRACE = 20  # seconds for a process that is ending
_TAKEN_DOWN = 300  # seconds for the fixtures of a test that failed
_of_session: set[psutil.Process] = set()
"""The processes of fixtures of the session."""

# A container often sets it; then each of the hundreds of processes that tests start would compile the whole of us again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False


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
    asked = early_config.known_args_namespace
    is_fast = asked.mode == "fast" and not asked.markexpr
    _begin(served=not is_fast and ("PYTEST_XDIST_WORKER" in os.environ or not asked.numprocesses))
    return (yield)


@pytest.hookimpl(trylast=True)
def pytest_exception_interact(node: pytest.Item | pytest.Collector) -> None:
    """pytest gives up its guard against hanging where a test fails, and a browser that hung then hangs its fixtures too."""
    if isinstance(node, pytest.Item):
        faulthandler.dump_traceback_later(_TAKEN_DOWN, exit=True)  # pytest cancels it at the end of the test


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
    os.environ[_STARTED_BY] = str(os.getpid())  # inherited by all that tests start
    atexit.register(shutil.rmtree, data, ignore_errors=True)
    if not os.environ.get("DATABASE_URL") and served:
        cluster = Cluster(data)
        cluster.start("fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_wal_size=512MB")
        os.environ["POOLMARK_EMBEDDED_URL"] = cluster.url
        atexit.register(cluster.stop)
        _of_session.update(_started(()))


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
    if mode != "fast":
        return "slow" not in names
    return not names & {"slow", "thorough", "browser", "server", "django_db"} and not _SERVERS.intersection(item.fixturenames)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Without looking into them, `--fast` leaves out files whose tests all use the database or a browser."""
    if config.option.mode != "fast" or config.option.markexpr or collection_path.suffix != ".py":
        return None
    is_out = "browser" in collection_path.parts or _ALL_OF_DATABASE.search(collection_path.read_text(encoding="utf-8"))
    return True if is_out else None


@pytest.fixture(autouse=True, scope="module")
def nothing_outlives_its_tests(request: pytest.FixtureRequest) -> Iterator[None]:
    """Ends the processes that tests of a file started and left running, and names them. Those of fixtures of the session stay."""
    before = set(psutil.pids())
    yield
    _, alive = psutil.wait_procs(_started(before), timeout=_GRACE)
    named = []
    for one in alive:
        with contextlib.suppress(psutil.Error):
            if one.is_running() and one.status() != psutil.STATUS_ZOMBIE:
                named.append(f"{one.pid} {' '.join(one.cmdline())[:200]}")
                one.kill()
    assert not named, f"tests of {request.node.name} left running: {named}"


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef):
    """What a fixture of the session starts may run until its end."""
    if fixturedef.scope not in ("session", "package"):
        return (yield)
    before = set(psutil.pids())
    try:
        return (yield)
    finally:
        _of_session.update(_started(before))


def _started(before: Collection[int]) -> list[psutil.Process]:
    """The processes that this one, or what it started, has started since; without those of fixtures of the session."""
    found = []
    for number in {*psutil.pids()} - {*before}:
        with contextlib.suppress(psutil.Error, OSError):
            if _is_ours(one := psutil.Process(number)) and "resource_tracker" not in " ".join(one.cmdline()):
                found.append(one)
    return found


def _is_ours(one: psutil.Process) -> bool:
    """Its parents may have ended: then its environment tells it."""
    above = one.parents()
    if _of_session.intersection((one, *above)):
        return False
    return any(parent.pid == os.getpid() for parent in above) or one.environ().get(_STARTED_BY) == str(os.getpid())
