"""A stream of bytes read as a whole where it is short; where it is long, a stream of the same bytes."""

from __future__ import annotations

import io
from typing import Protocol

_BLOCK = 1 << 18


class Readable(Protocol):
    """Gives its next bytes."""

    def read(self, size: int, /) -> bytes:
        """At most `size`, none only at the end."""


class PeekedStream:
    """A stream of which the beginning was read already."""

    def __init__(self, head: bytes, rest: Readable) -> None:
        self._head, self._rest = io.BytesIO(head), rest

    def read(self, size: int) -> bytes:
        """The next bytes, fewer only at the end."""
        part = self._head.read(size)
        return part if len(part) == size else part + self._rest.read(size - len(part))


def read_ahead(stream: Readable, most: int) -> tuple[bytes | None, PeekedStream | None]:
    """(all bytes, None) of a stream of hardly more than `most` bytes, else (None, a stream of the same bytes)."""
    whole = io.BytesIO()
    while block := stream.read(_BLOCK):
        whole.write(block)
        if whole.tell() > most:
            return None, PeekedStream(whole.getvalue(), stream)
    return whole.getvalue(), None
