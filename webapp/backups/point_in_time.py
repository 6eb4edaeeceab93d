"""From a copy of the embedded database to a point in time after it, by the archived write-ahead log."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Collection
from datetime import UTC, datetime
from pathlib import Path

from webapp.backups import layout
from webapp.backups.layout import Backup, BackupError
from webapp.infrastructure import wal_archive
from webapp.infrastructure.embedded_postgres import Cluster, StartError

END = "end"
"""Instead of a time: all of the log that was archived."""
_SEGMENT = re.compile(r"[0-9A-F]{8}([0-9A-F]{16})(\.[0-9A-F]{8}\.backup|\.partial)?\.gz")
_WHOLE = re.compile(r"[0-9A-F]{16}000000[0-9A-F]{2}")
"""Timeline, number of 4 GiB, number of 16 MiB within them."""
_START = re.compile(r"START WAL LOCATION: \S+ \(file ([0-9A-F]{24})\)")
_CUT = "{} {}: `--until end` would end before it without saying so; nothing was restored. `--until TIME` restores a time before it."
_SHORT = "recovery ended before configured recovery target was reached"


def parse_until(text: str) -> datetime | None:
    """A time in ISO 8601, without a zone in UTC; None for `end`. Raises BackupError."""
    if text == END:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise BackupError(f"{text!r} is not a time such as 2026-11-24T14:40:00Z, nor `{END}`.") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def find_log() -> Path:
    """The folder of POOLMARK_WAL. Raises BackupError where there is none."""
    folder = wal_archive.folder()
    if folder is None or not folder.is_dir():
        raise BackupError(f"{wal_archive.VARIABLE} has to name the folder with the archived log of the database; {folder} is none.")
    return folder


def check_log(backup: Backup) -> None:
    """Raises BackupError where a segment between others is missing or damaged: PostgreSQL would take it for the end of the log."""
    source, start = find_log(), _read_start(backup.database / "backup_label")
    held = {path.name for path in (backup.database / "pg_wal").iterdir()}
    archived = {path.name.removesuffix(".gz") for path in source.glob("*.gz")}
    if gap := find_gap(held | archived, start):
        raise BackupError(_CUT.format(source / f"{gap}.gz", "is missing"))
    for name in sorted(_read_on(held | archived, start) - held):
        if not _is_whole(source / f"{name}.gz"):
            raise BackupError(_CUT.format(source / f"{name}.gz", "is damaged"))


def find_gap(names: Collection[str], start: str) -> str:
    """The first segment that is missing between others of its timeline, from the segment `start` on; empty where none is."""
    numbers = {start[:8]: {_number(start)}}
    for name in _read_on(names, start):
        numbers.setdefault(name[:8], set()).add(_number(name))
    for timeline, found in sorted(numbers.items()):
        for number in range(min(found), max(found)):
            if number not in found:
                return f"{timeline}{number >> 8:08X}{number & 0xFF:08X}"
    return ""


def _read_on(names: Collection[str], start: str) -> set[str]:
    """The names of whole segments from `start` on, of its timeline and of later ones that have a history: PostgreSQL follows no
    others."""
    followed = {start[:8], *(name[:8] for name in names if name.endswith(".history") and name[:8] > start[:8])}
    return {name for name in names if _WHOLE.fullmatch(name) and name[:8] in followed and name[8:] >= start[8:]}


def _number(name: str) -> int:
    return int(name[8:16], 16) << 8 | int(name[16:], 16)


def _is_whole(path: Path) -> bool:
    """Whether a compressed file is neither cut off nor changed."""
    try:
        with gzip.open(path) as file:
            while file.read(1 << 20):
                pass
    except (EOFError, gzip.BadGzipFile, zlib.error):
        return False
    return True


def replay(cluster: Cluster, until: datetime | None) -> None:
    """Start the server on a copy and replay the log. Raises BackupError where it does not go so far."""
    source = find_log()
    (cluster.folder / "recovery.signal").touch()
    cluster.own_files()
    try:
        options = wal_archive.replay_options(source, until.isoformat() if until else "")
        cluster.start(*wal_archive.NO_ARCHIVE, *options, patience=3600)
        cluster.finish_recovery()
    except StartError as error:
        if _SHORT in str(error):
            raise BackupError(
                f"{source} has nothing that was written after {until}, so that nothing tells whether it is whole up to then. "
                f"`--until {END}` restores all that it has. Delete what was restored before."
            ) from error
        raise


def delete_log(target: Path) -> int:
    """Delete archived segments that no copy in this folder of backups needs; how many. Other folders of backups are not known."""
    folder = wal_archive.folder()
    starts = [_read_start(one / layout.DATABASE / "backup_label") for one in layout.list_backups(target)]
    needed = [start[8:] for start in starts if start]
    if folder is None or not folder.is_dir() or not needed:
        return 0
    old = [path for path in folder.iterdir() if (match := _SEGMENT.fullmatch(path.name)) and match[1] < min(needed)]
    for path in old:
        path.unlink()
    return len(old)


def _read_start(label: Path) -> str:
    """The name of the first segment that a copy needs; empty for a dump."""
    match = _START.search(label.read_text()) if label.exists() else None
    return match[1] if match else ""
