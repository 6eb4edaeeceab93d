"""Skips noise in a long file while it is read; line numbers stay.

Memory then grows with the number of results and not with the length of the log. A test is called with parts of whole lines;
a part is skipped if it is noise and the parts on both sides are noise as well, so that every result keeps at least a part's
length of context. The beginning and the end of the file are never skipped.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from ingest.containers.spool import Spool

# Called with every part in order: whether it is noise; None if nothing of this file may be skipped from here on.
NoiseTest = Callable[[bytes], bool | None]

HEAD_SIZE, _PART, _MAX_LINE = 2 << 20, 1 << 19, 16 << 20  # bytes of the beginning, of a part, and of one line
_SHORT = 16 << 20  # bytes kept in memory; more go to a temporary file


class NoiseSkipper:
    """Receives a file block by block. `gaps`: (1-based line of the kept text that stands for a gap, lines of the file in it)."""

    def __init__(self, noise_test: NoiseTest) -> None:
        self.size = 0
        self.gaps: list[tuple[int, int]] = []
        self.noise_test = noise_test
        self._noise_test: NoiseTest | None = noise_test
        self._digest = hashlib.sha256()
        self._kept = Spool()
        self._bytes_in_memory = 0  # since the last attempt to spill
        self._buffer = bytearray()
        self._lines = 0
        self._has_begun = False
        self._waiting: tuple[bytes, bool] = (b"", False)
        self._was_noise = False
        self._in_gap = False

    def add(self, block: bytes) -> None:
        """Take the next bytes of the file; they are tested for noise once they make a part of whole lines."""
        self.size += len(block)
        self._digest.update(block)
        if self._noise_test is None:
            self._keep(block)
            return
        self._buffer += block
        if len(self._buffer) < (_PART if self._has_begun else HEAD_SIZE):
            return
        end = self._buffer.rfind(b"\n") + 1
        if end:
            part = bytes(self._buffer[:end])
            del self._buffer[:end]
            self._add_part(part)
        elif len(self._buffer) > _MAX_LINE:
            give_up = getattr(self.noise_test, "give_up", None)
            if give_up is not None:
                give_up()
            self._keep_all()

    def _add_part(self, part: bytes) -> None:
        noise = self._noise_test(part) if self._noise_test else None
        if not self._has_begun:
            self._has_begun = True
            self._write(part)
        else:
            self._decide(bool(noise))
            self._waiting = (part, bool(noise))
        if noise is None:
            self._keep_all()

    def _decide(self, next_is_noise: bool) -> None:
        """Keep or skip the part that waited for its successor."""
        part, noise = self._waiting
        if noise and self._was_noise and next_is_noise:
            self._skip(part.count(b"\n"))
        else:
            self._write(part)
        self._waiting, self._was_noise = (b"", False), noise

    def _skip(self, lines: int) -> None:
        if self._in_gap:
            line, count = self.gaps[-1]
            self.gaps[-1] = line, count + lines
            return
        self._write(b"\n")
        self.gaps.append((self._lines, lines))
        self._in_gap = True

    def _write(self, part: bytes) -> None:
        if part:
            self._keep(part)
            self._lines += part.count(b"\n")
            self._in_gap = False

    def _keep(self, part: bytes) -> None:
        self._kept.write(part)
        self._bytes_in_memory += len(part)
        if self._bytes_in_memory > _SHORT:
            self._kept.spill()  # repeated from time to time if the disk was full
            self._bytes_in_memory = 0

    def _keep_all(self) -> None:
        self._noise_test = None
        self._decide(False)
        self._write(bytes(self._buffer))
        self._buffer.clear()

    def finish(self) -> Spool:
        """The kept bytes; in a temporary file if there are many."""
        take_rest = getattr(self.noise_test, "finish", None)
        if take_rest is not None and self._noise_test is not None:
            take_rest(bytes(self._buffer))
        self._keep_all()
        return self._kept

    @property
    def sha256(self) -> str:
        """Digest of the whole file."""
        return self._digest.hexdigest()
