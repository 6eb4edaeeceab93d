"""A temporary file for objects that do not fit in memory. It has no name, so it disappears with the process."""

from __future__ import annotations

import pickle
import tempfile
import weakref
from typing import IO, Any

SpillLocation = tuple[int, int]  # offset, size


class SpillFile:
    """Pickled objects in one temporary file, which is created with the first of them and deleted with this object."""

    def __init__(self) -> None:
        self._file: IO[bytes] | None = None
        self._finalizer: weakref.finalize[[], SpillFile] | None = None

    def put(self, item: Any) -> SpillLocation | None:
        """Write an object; its location, or None if the disk is full or the object cannot be pickled."""
        try:
            data = pickle.dumps(item, pickle.HIGHEST_PROTOCOL)
            return self._write(data), len(data)
        except (pickle.PicklingError, TypeError, AttributeError, OSError):
            return None

    def _write(self, data: bytes) -> int:
        if self._file is None:
            # Unbuffered, so that a failed write is reported here and not by a later read.
            self._file = tempfile.TemporaryFile(prefix="ingest-", buffering=0)  # noqa: SIM115 (closed by `close`)
            self._finalizer = weakref.finalize(self, self._file.close)
        start = self._file.seek(0, 2)
        if self._file.write(data) != len(data):
            raise OSError("cut")
        return start

    def get(self, location: SpillLocation) -> Any:
        """A copy of the object at that location. Raises OSError if the disk fails."""
        assert self._file is not None
        self._file.seek(location[0])
        return pickle.loads(self._file.read(location[1]))  # noqa: S301 a temporary file of this process

    def close(self) -> None:
        """Delete the file at once; objects cannot be read any more."""
        if self._finalizer is not None:
            self._finalizer()
