"""Whether two values of a configuration key tell the same."""

from __future__ import annotations

from typing import Any

from ingest.normalise import architecture

REFINED_KEYS = ("os.version",)


def are_compatible(key: str, one: Any, other: Any) -> bool:
    """Whether two values of a key tell the same; where one says more, it is `one`."""
    if key in REFINED_KEYS:
        return _refines(str(one), str(other))
    return _same(one, other) or (key == "arch" and architecture(str(one)) == architecture(str(other)))


def _refines(fuller: str, shorter: str) -> bool:
    """Whether one version is the other with more behind it: 24.04 LTS is 24.04, and 11.7 is 11, but 11 is not 1."""
    return fuller.startswith(shorter) and not fuller[len(shorter) : len(shorter) + 1].isalnum()


def _same(one: Any, other: Any) -> bool:
    """Equal, or two readings of one size: `free` rounds and leaves out what the kernel keeps."""
    if one == other:
        return True
    numbers = isinstance(one, int | float) and isinstance(other, int | float) and min(one, other) > 2**20
    return numbers and abs(one - other) <= 0.02 * max(one, other)
