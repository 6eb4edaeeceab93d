"""Whether this instance can take uploads and answer: database, queue, space and store, each by trying it."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass

from django.conf import settings
from django.db import Error

from webapp.files import blobs, stores
from webapp.files.stores import BUCKET
from webapp.formatting.numbers import size
from webapp.infrastructure import readiness, redis_address

# What a site of several machines lacks, in sentences.

_SHARED = {
    "DATABASE_URL": "the database is embedded in this machine",
    "REDIS_URL": "the queue is a folder of this machine",
    "SECRET_KEY": "the key of sessions is a file of this machine",
}


def find_missing() -> list[str]:
    """What keeps other machines from taking part, where bytes are in a bucket or this machine has not all roles. Nothing elsewhere:
    a site of one machine may share what it likes."""
    is_bucket = settings.POOLMARK_STORE.startswith(BUCKET)
    if not is_bucket and set(settings.POOLMARK_ROLES) == set(settings.ROLES):
        return []
    lacking = [f"{what} ({name} is not set)" for name, what in _SHARED.items() if not os.environ.get(name)]
    if not settings.POOLMARK_STORE:
        lacking.append("bytes of archives are in a folder of this machine (POOLMARK_STORE is not set)")
    if not lacking:
        return []
    why = "POOLMARK_STORE is a bucket" if is_bucket else "POOLMARK_ROLES leaves work to other machines"
    return [f"{why}, but other machines cannot take part: {'; '.join(lacking)}. See docs/running.md."]


def find_pooler(state: readiness.DatabaseState) -> str:
    """What is wrong where the database is reached through a pooler alone; empty where nothing is."""
    if settings.DATABASE_DIRECT_URL or not state.is_pooled:
        return ""
    return "DATABASE_URL is a pooler: set DATABASE_DIRECT_URL to the server itself, or locks of sessions do not hold"


_LONGEST_PAUSE = 30.0  # seconds between two tries of a start


@dataclass(frozen=True, slots=True)
class Check:
    """`problem`: what is wrong and what follows, empty where nothing is."""

    name: str
    problem: str

    @property
    def is_met(self) -> bool:
        return not self.problem


def run_checks() -> list[Check]:
    """Every check, in the order in which they are shown. None raises."""
    return [Check(name, _tried(check)) for name, check in _CHECKS.items()]


def wait_for_site(say: Callable[[str], object]) -> None:
    """Wait, with growing pauses, until database and store answer, without which no start gets on; says for which, and why."""
    needed = {"database": _connects, "store": _store}
    pause, said = 1.0, ""
    while missing := [f"{name}: {problem}" for name, check in needed.items() if (problem := _tried(check))]:
        if "; ".join(missing) != said:
            said = "; ".join(missing)
            say(f"Waiting for the {said}")
        time.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE)
    if said:
        say("Waiting no more: database and store answer.")


def _tried(check: Callable[[], str]) -> str:
    try:
        return check()
    except (OSError, Error) as error:
        return f"{type(error).__name__}: {str(error).strip().splitlines()[0] if str(error).strip() else 'no reason given'}"


def _connects() -> str:
    readiness.connect()
    return ""


def _database() -> str:
    state = readiness.read_database_state()
    if state.is_read_only:
        return "it can be read and not be written: no upload, no sign-in, no freezing"
    if waiting := readiness.unapplied():
        return f"{waiting} migrations are not applied: run manage.py migrate"
    return find_pooler(state)


def _queue() -> str:
    if settings.REDIS_URL:
        import redis  # a laptop has none

        try:
            redis_address.open_client(settings.REDIS_URL, seconds=2).ping()
        except redis.RedisError as error:
            return f"Redis does not answer ({type(error).__name__}): uploads are kept, and read once it does"
        return ""
    return _writable(settings.BROKER_FOLDER / "in")


def _space() -> str:
    free = stores.free_bytes()
    if free >= settings.POOLMARK_RESERVE:
        return ""
    return f"{size(free)} are free, less than the reserve of {size(settings.POOLMARK_RESERVE)}: uploads are refused"


def _store() -> str:
    stores.current().check()
    folder = blobs.folder() / "incoming"  # on the way to a bucket
    folder.mkdir(parents=True, exist_ok=True)
    return _writable(folder)


def _writable(folder: os.PathLike[str]) -> str:
    with tempfile.TemporaryFile(dir=folder) as file:
        file.write(b"poolmark")
        file.flush()
    return ""


_CHECKS: dict[str, Callable[[], str]] = {"database": _database, "queue": _queue, "space": _space, "store": _store}
