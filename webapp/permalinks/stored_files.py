"""Files derived from a record, made once and stored: every later request gets the same bytes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from webapp.files import stores
from webapp.models import Rendering


def get_or_store(owner: str, name: str, media_type: str, make: Callable[[], bytes]) -> Rendering:
    """The stored file of a permalink or collection; made and stored now where missing.

    Where two processes make it at the same time, both return the first stored.
    """
    existing = find_file(owner, name)
    return existing if existing is not None else store_file(owner, name, media_type, make())


def store_file(owner: str, name: str, media_type: str, data: bytes) -> Rendering:
    """Store the bytes unless a file of that name exists; returns the stored file. Raises stores.NoSpace."""
    stores.check_space(len(data))
    file = Rendering(of=owner, name=name, media_type=media_type, data=data, sha256=hashlib.sha256(data).hexdigest())
    Rendering.objects.bulk_create([file], ignore_conflicts=True)
    return Rendering.objects.get(of=owner, name=name)


def find_file(owner: str, name: str) -> Rendering | None:
    """The stored file, None where missing."""
    return Rendering.objects.filter(of=owner, name=name).first()


def list_names(owner: str) -> list[str]:
    """Names of all stored files of a permalink or collection, sorted."""
    return list(Rendering.objects.filter(of=owner).order_by("name").values_list("name", flat=True))
