"""A stream of bytes read as a whole where it is short; where it is long or damaged, a stream of the same bytes."""
from __future__ import annotations

import io
from typing import BinaryIO

_BLOCK = 1 << 18


class Ahead:
    """A stream of which the beginning was read already; `error` is what its reading ended with, if it was damaged."""

    def __init__(self, head: bytes, rest: BinaryIO, error: Exception | None = None) -> None:
        self._head, self._rest, self._error = io.BytesIO(head), rest, error

    def read(self, size: int) -> bytes:
        """The next bytes, fewer only at the end. Raises the error at the place where the stream did."""
        part = self._head.read(size)
        if len(part) == size:
            return part
        if self._error is not None:
            raise self._error
        return part + self._rest.read(size - len(part))


def read_ahead(stream: io.BufferedReader, most: int, damage: tuple[type[Exception], ...]) -> tuple[bytes | None, Ahead | None]:
    """(all bytes, None) of a stream of hardly more than `most` bytes, else (None, a stream of the same bytes).

    `damage`: errors that tell of a damaged stream; what was read before one is kept.
    """
    whole = io.BytesIO()
    try:
        # read1: of several reads of what lies beneath, those before a failing one must not be lost.
        while block := stream.read1(_BLOCK):
            whole.write(block)
            if whole.tell() > most:
                return None, Ahead(whole.getvalue(), stream)
    except damage as error:
        return None, Ahead(whole.getvalue(), stream, error)
    return whole.getvalue(), None
