"""A buffer of bytes of unknown length: in memory while it is short, then in a temporary file."""

from __future__ import annotations

import io
import tempfile
from contextlib import suppress
from typing import BinaryIO

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
