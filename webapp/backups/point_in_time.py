"""From a copy of the embedded database to a point in time after it, by the archived write-ahead log."""

from __future__ import annotations

import re
import shutil
from datetime import UTC, datetime
from pathlib import Path

from django.conf import settings

from webapp.backups import layout, queries
from webapp.backups.layout import Backup, BackupError
from webapp.files import blobs, stores
from webapp.infrastructure import wal_archive
from webapp.infrastructure.embedded_postgres import Cluster, StartError

END = "end"
"""Instead of a time: all of the log that was archived."""
_SEGMENT = re.compile(r"[0-9A-F]{8}([0-9A-F]{16})(\.[0-9A-F]{8}\.backup|\.partial)?\.gz")
_START = re.compile(r"START WAL LOCATION: \S+ \(file [0-9A-F]{8}([0-9A-F]{16})\)")
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


def match_bytes(backup: Backup, data: Path) -> set[str]:
    """Have the bytes of the archives that the database has now: later ones as far as the folder of backups has them, and none of
    archives that were deleted. SHA-256 of what is there."""
    held = set(backup.blobs())
    named = {sha256 for sha256, _ in queries.read_archives().values()}
    for sha256 in sorted(held - named):
        blobs.delete_blob(sha256)
    for sha256 in sorted(named - held):
        source = layout.blob_path(backup.target, sha256)
        if not source.exists() or layout.sha256_of(source) != sha256:
            continue
        keep_copy(source, sha256, data)
        held.add(sha256)
    return held & named


def keep_copy(source: Path, sha256: str, data: Path) -> None:
    """Copy bytes of a backup into the store of POOLMARK_STORE, or into a data folder."""
    copy = data / "blobs" / sha256[:2] / sha256
    copy.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, copy)
    if settings.POOLMARK_STORE:
        stores.current().put(blobs.key(sha256), copy)  # the store takes the file itself


def delete_log(target: Path) -> int:
    """Delete archived segments that no copy in a folder of backups needs; how many."""
    folder = wal_archive.folder()
    starts = [_read_start(one / layout.DATABASE / "backup_label") for one in layout.list_backups(target)]
    needed = [start for start in starts if start]
    if folder is None or not folder.is_dir() or not needed:
        return 0
    old = [path for path in folder.iterdir() if (match := _SEGMENT.fullmatch(path.name)) and match[1] < min(needed)]
    for path in old:
        path.unlink()
    return len(old)


def _read_start(label: Path) -> str:
    """The first segment of a copy, without its timeline; empty for a dump."""
    match = _START.search(label.read_text()) if label.exists() else None
    return match[1] if match else ""
