"""Files that are made of a record once and kept with it: whoever asks later gets the same bytes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from webapp.models import Rendering


def get_or_store(of: str, name: str, media_type: str, make: Callable[[], bytes]) -> Rendering:
    """The file of that name of a permalink or collection; made now where it was never made before.

    Of two processes that make it at the same moment one is believed, by both.
    """
    found = find_file(of, name)
    return found if found is not None else store_file(of, name, media_type, make())


def store_file(of: str, name: str, media_type: str, data: bytes) -> Rendering:
    """Keep the bytes, unless there is a file of that name: then that one."""
    made = Rendering(of=of, name=name, media_type=media_type, data=data, sha256=hashlib.sha256(data).hexdigest())
    Rendering.objects.bulk_create([made], ignore_conflicts=True)
    return Rendering.objects.get(of=of, name=name)


def find_file(of: str, name: str) -> Rendering | None:
    """The file of that name, None where it was never made."""
    return Rendering.objects.filter(of=of, name=name).first()


def list_names(of: str) -> list[str]:
    """Names of all that is kept with a permalink or collection, in order."""
    return list(Rendering.objects.filter(of=of).order_by("name").values_list("name", flat=True))
