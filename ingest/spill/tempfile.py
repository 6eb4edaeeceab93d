"""A temporary file for what memory shall not hold. It has no name, so it is gone with the process whatever happens."""

from __future__ import annotations

import pickle
import tempfile
import weakref
from typing import IO, Any

SpillLocation = tuple[int, int]


class SpillFile:
    """Objects in one temporary file, which is made for the first of them and deleted with this object."""

    def __init__(self) -> None:
        self._file: IO[bytes] | None = None
        self._end: weakref.finalize[[], SpillFile] | None = None

    def put(self, what: Any) -> SpillLocation | None:
        """Where it was written; None where it cannot be: no room, or nothing that pickle can write."""
        try:
            data = pickle.dumps(what, pickle.HIGHEST_PROTOCOL)
            return self._write(data), len(data)
        except (pickle.PicklingError, TypeError, AttributeError, OSError):
            return None

    def _write(self, data: bytes) -> int:
        if self._file is None:
            # Unbuffered, so that what could not be written is known here and not when something else is read.
            self._file = tempfile.TemporaryFile(prefix="ingest-", buffering=0)  # noqa: SIM115 (closed by `close`)
            self._end = weakref.finalize(self, self._file.close)
        start = self._file.seek(0, 2)
        if self._file.write(data) != len(data):
            raise OSError("cut")
        return start

    def get(self, place: SpillLocation) -> Any:
        """What was put there, made anew. Raises OSError where the disk fails."""
        assert self._file is not None
        self._file.seek(place[0])
        return pickle.loads(self._file.read(place[1]))

    def close(self) -> None:
        """Deletes the file at once. Nothing can be got any more."""
        if self._end is not None:
            self._end()
