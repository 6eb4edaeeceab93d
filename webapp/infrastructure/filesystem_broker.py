"""The queue between web servers and worker without Redis: kombu's file transport, with atomic writes.

Kombu opens a message's file under its final name and writes afterwards, so that a worker may take an empty file, fail to
read it, and end; the table of bindings is written the same way. Here every file is renamed when it is complete (rename(2)
is atomic), and a file that cannot be read nevertheless, as after a power failure, is skipped: the reconciler sends its task
again.
"""

from __future__ import annotations

import fcntl
import logging
import os
from pathlib import Path
from time import monotonic
from typing import Any
from uuid import uuid4

from kombu.transport import filesystem
from kombu.utils.encoding import str_to_bytes
from kombu.utils.json import dumps

log = logging.getLogger(__name__)


def write_atomically(target: Path, data: bytes) -> None:
    """Write the file `target` so that it is never incomplete. Raises OSError."""
    part = target.with_name(f".{uuid4()}.part")
    try:
        part.write_bytes(data)
        os.replace(part, target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


class Channel(filesystem.Channel):
    """Messages and tables that are never read half written."""

    def _put(self, queue: str, payload: Any, **options: Any) -> None:  # type: ignore[override]  # kombu names it two ways
        """Send a message, under a name that sorts by time; the system's monotonic clock is the same for every process."""
        name = f"{monotonic() * 1000:015.0f}_{uuid4()}.{queue}.msg"
        write_atomically(Path(self.data_folder_out) / name, str_to_bytes(dumps(payload)))

    def _get(self, queue: str, timeout: float | None = None) -> Any:
        """The oldest message that can be read; kombu removes a message before it reads it. Raises queue.Empty."""
        while True:
            try:
                return super()._get(queue)
            except ValueError as error:
                log.warning("A message of the queue %s cannot be read and is left out: %s", queue, error)

    def get_table(self, exchange: str) -> list[Any]:
        """The bindings of the exchange; none where the table cannot be read, until the next binding writes it."""
        try:
            return super().get_table(exchange)
        except ValueError as error:
            log.warning("The table of the exchange %s cannot be read and is made anew: %s", exchange, error)
            return []

    def _queue_bind(self, exchange: str, routing_key: str | None, pattern: str | None, queue: str | None) -> None:
        """Add a binding; one process at a time reads and writes the tables."""
        folder = Path(self.control_folder)
        folder.mkdir(exist_ok=True)
        binding = filesystem.exchange_queue_t(routing_key or "", pattern or "", queue or "")
        with open(folder / "lock", "ab") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            bindings = self.get_table(exchange)  # refuses a name outside of the folder
            if binding not in bindings:
                write_atomically(folder / f"{exchange}.exchange", str_to_bytes(dumps([binding, *bindings])))


class Transport(filesystem.Transport):
    """The transport that kombu uses for `filesystem` (see `webapp/celery.py`)."""

    Channel = Channel
