"""Reads a short stream of bytes as a whole; of a long one returns a stream of the same bytes."""

from __future__ import annotations

import io
from typing import Protocol

_BLOCK = 1 << 18


class Readable(Protocol):
    """An object with a `read` method."""

    def read(self, size: int, /) -> bytes:
        """The next bytes, at most `size`; empty only at the end."""


class PeekedStream:
    """A stream whose beginning was already read."""

    def __init__(self, head: bytes, rest: Readable) -> None:
        self._head, self._remainder = io.BytesIO(head), rest

    def read(self, size: int) -> bytes:
        """The next bytes, fewer only at the end."""
        part = self._head.read(size)
        return part if len(part) == size else part + self._remainder.read(size - len(part))


def read_ahead(stream: Readable, most: int) -> tuple[bytes | None, PeekedStream | None]:
    """(all bytes, None) of a stream of up to about `most` bytes, else (None, a stream of the same bytes)."""
    content = io.BytesIO()
    while block := stream.read(_BLOCK):
        content.write(block)
        if content.tell() > most:
            return None, PeekedStream(content.getvalue(), stream)
    return content.getvalue(), None
