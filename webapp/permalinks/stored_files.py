"""Files that are made of a record once and kept with it: whoever asks later gets the same bytes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from webapp.models import Rendering


def kept(of: str, name: str, media_type: str, make: Callable[[], bytes]) -> Rendering:
    """The file of that name of a permalink or collection; made now where it was never made before.

    Of two processes that make it at the same moment one is believed, by both.
    """
    found = get(of, name)
    return found if found is not None else keep(of, name, media_type, make())


def keep(of: str, name: str, media_type: str, data: bytes) -> Rendering:
    """Keep the bytes, unless there is a file of that name: then that one."""
    made = Rendering(of=of, name=name, media_type=media_type, data=data, sha256=hashlib.sha256(data).hexdigest())
    Rendering.objects.bulk_create([made], ignore_conflicts=True)
    return Rendering.objects.get(of=of, name=name)


def get(of: str, name: str) -> Rendering | None:
    """The file of that name, None where it was never made."""
    return Rendering.objects.filter(of=of, name=name).first()


def names(of: str) -> list[str]:
    """Names of all that is kept with a permalink or collection, in order."""
    return list(Rendering.objects.filter(of=of).order_by("name").values_list("name", flat=True))
