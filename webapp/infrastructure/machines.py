"""What a site of several machines lacks, in sentences."""

from __future__ import annotations

import os

from django.conf import settings

from webapp.files.stores import BUCKET
from webapp.infrastructure import readiness

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
    return [f"{why}, but other machines cannot take part: {'; '.join(lacking)}. See docs/many-machines.md."]


def find_pooler(state: readiness.DatabaseState) -> str:
    """What is wrong where the database is reached through a pooler alone; empty where nothing is."""
    if settings.DATABASE_DIRECT_URL or not state.is_pooled:
        return ""
    return "DATABASE_URL is a pooler: set DATABASE_DIRECT_URL to the server itself, or locks of sessions do not hold"
