"""Bytes of unknown length: in memory while they are few, then in a temporary file."""

from __future__ import annotations

import io
import tempfile
from contextlib import suppress
from typing import BinaryIO

_BLOCK = 1 << 20


class Spool:
    """Takes blocks. `bytes` gives them back as a whole, `stream` as a file to be read from its beginning."""

    def __init__(self) -> None:
        self._held: io.BytesIO | None = io.BytesIO()  # unlike a list of blocks to be joined, it never holds a large file twice
        self._file: io.FileIO | None = None

    @property
    def aside(self) -> bool:
        """Whether a temporary file holds them."""
        return self._file is not None

    def write(self, block: bytes) -> None:
        """The next bytes. Where the disk takes no more, memory holds them."""
        if self._file is not None:
            # Unbuffered, so that what could not be written is known here.
            with suppress(OSError):
                if self._file.write(block) == len(block):
                    self._size += len(block)
                    return
            self._take_back()
        assert self._held is not None
        self._held.write(block)

    def put_aside(self) -> None:
        """Let a temporary file hold them from here on; nothing happens where there is no room."""
        if self._held is None:
            return
        with suppress(OSError):
            file = tempfile.TemporaryFile(prefix="ingest-", buffering=0)  # noqa: SIM115 (closed by whoever asks for `stream`)
            if file.write(self._held.getbuffer()) == self._held.tell():
                self._file, self._size, self._held = file, self._held.tell(), None

    def _take_back(self) -> None:
        assert self._file is not None
        self._file.seek(0)
        self._held = io.BytesIO(self._file.read(self._size))
        self._held.seek(0, 2)
        self._file.close()
        self._file = None

    def bytes(self) -> bytes:
        """All of them."""
        if self._file is not None:
            self._take_back()
        assert self._held is not None
        return self._held.getvalue()

    def stream(self) -> BinaryIO:
        """A buffered, seekable file of all of them; closing it gives the room back."""
        if self._file is None:
            return io.BytesIO(self.bytes())
        self._file.seek(0)
        return io.BufferedReader(self._file, _BLOCK)
