"""A buffer of bytes of unknown length: in memory while it is short, then in a temporary file."""

from __future__ import annotations

import io
import tempfile
from contextlib import suppress
from typing import BinaryIO, Protocol

# Reads a short stream of bytes as a whole; of a long one returns a stream of the same bytes.

_PEEK_BLOCK = 1 << 18


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
    while block := stream.read(_PEEK_BLOCK):
        content.write(block)
        if content.tell() > most:
            return None, PeekedStream(content.getvalue(), stream)
    return content.getvalue(), None


_BLOCK = 1 << 20


class Spool:
    """Receives blocks. `bytes` returns them joined, `stream` as a file."""

    def __init__(self) -> None:
        self._buffer: io.BytesIO | None = io.BytesIO()  # unlike joining a list of blocks, it never has a large file twice
        self._file: io.FileIO | None = None

    @property
    def is_spilled(self) -> bool:
        """Whether they are in a temporary file."""
        return self._file is not None

    def write(self, block: bytes) -> None:
        """Append bytes. If the disk is full, they stay in memory."""
        if self._file is not None:
            # Unbuffered, so that a failed write is reported here.
            with suppress(OSError):
                if self._file.write(block) == len(block):
                    self._size += len(block)
                    return
            self._unspill()
        assert self._buffer is not None
        self._buffer.write(block)

    def spill(self) -> None:
        """Move the bytes to a temporary file; they stay in memory if there is no room."""
        if self._buffer is None:
            return
        with suppress(OSError):
            file = tempfile.TemporaryFile(prefix="ingest-", buffering=0)  # noqa: SIM115 (closed by the caller of `stream`)
            if file.write(self._buffer.getbuffer()) == self._buffer.tell():
                self._file, self._size, self._buffer = file, self._buffer.tell(), None

    def _unspill(self) -> None:
        assert self._file is not None
        self._file.seek(0)
        self._buffer = io.BytesIO(self._file.read(self._size))
        self._buffer.seek(0, 2)
        self._file.close()
        self._file = None

    def bytes(self) -> bytes:
        """All bytes."""
        if self._file is not None:
            self._unspill()
        assert self._buffer is not None
        return self._buffer.getvalue()

    def stream(self) -> BinaryIO:
        """A buffered, seekable file of all bytes; closing it deletes the temporary file."""
        if self._file is None:
            return io.BytesIO(self.bytes())
        self._file.seek(0)
        return io.BufferedReader(self._file, _BLOCK)
