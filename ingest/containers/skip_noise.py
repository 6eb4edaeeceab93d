"""A long file while it is read: stretches in which nobody has anything to read are left out, line numbers stay.

Memory then grows with what is found and not with the length of the log. Parts of whole lines are shown to a judge; a
part is left out where it is noise and the parts on both sides are noise as well, so that whoever finds something has a
part's length of its surroundings. The beginning and the end of the file always stay.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from ingest.containers.spool import Spool

# Told every part in order: whether it is noise; None where nothing of this file may be left out from here on.
NoiseTest = Callable[[bytes], bool | None]

HEAD_SIZE, _PART, _LONGEST = 2 << 20, 1 << 19, 16 << 20  # bytes of the beginning, of a part, and of one line
_SHORT = 16 << 20  # bytes of what memory holds of what is kept


class NoiseSkipper:
    """Takes a file block by block. `gaps`: (line of what is kept, 1-based, that stands for a gap; lines in the file)."""

    def __init__(self, judge: NoiseTest) -> None:
        self.size = 0
        self.gaps: list[tuple[int, int]] = []
        self._judge: NoiseTest | None = judge
        self._digest = hashlib.sha256()
        self._kept = Spool()
        self._held = 0  # bytes of it since memory had enough of them
        self._buffer = bytearray()
        self._lines = 0
        self._begun = False
        self._waiting: tuple[bytes, bool] = (b"", False)
        self._before = False
        self._in_gap = False

    def add(self, block: bytes) -> None:
        """The next bytes of the file."""
        self.size += len(block)
        self._digest.update(block)
        if self._judge is None:
            self._hold(block)
            return
        self._buffer += block
        if len(self._buffer) < (_PART if self._begun else HEAD_SIZE):
            return
        end = self._buffer.rfind(b"\n") + 1
        if end:
            part = bytes(self._buffer[:end])
            del self._buffer[:end]
            self._take(part)
        elif len(self._buffer) > _LONGEST:
            self._keep_all()

    def _take(self, part: bytes) -> None:
        noise = self._judge(part) if self._judge else None
        if not self._begun:
            self._begun = True
            self._write(part)
        else:
            self._settle(bool(noise))
            self._waiting = (part, bool(noise))
        if noise is None:
            self._keep_all()

    def _settle(self, next_is_noise: bool) -> None:
        """What becomes of the part that waited for the one behind it."""
        part, noise = self._waiting
        if noise and self._before and next_is_noise:
            self._leave_out(part.count(b"\n"))
        else:
            self._write(part)
        self._waiting, self._before = (b"", False), noise

    def _leave_out(self, lines: int) -> None:
        if self._in_gap:
            line, before = self.gaps[-1]
            self.gaps[-1] = line, before + lines
            return
        self._write(b"\n")
        self.gaps.append((self._lines, lines))
        self._in_gap = True

    def _write(self, part: bytes) -> None:
        if part:
            self._hold(part)
            self._lines += part.count(b"\n")
            self._in_gap = False

    def _hold(self, part: bytes) -> None:
        self._kept.write(part)
        self._held += len(part)
        if self._held > _SHORT:
            self._kept.put_aside()  # tried again from time to time where there was no room
            self._held = 0

    def _keep_all(self) -> None:
        self._judge = None
        self._settle(False)
        self._write(bytes(self._buffer))
        self._buffer.clear()

    def finish(self) -> Spool:
        """What was kept; a temporary file holds it where it is long."""
        self._keep_all()
        return self._kept

    @property
    def sha256(self) -> str:
        """Of the whole file."""
        return self._digest.hexdigest()
