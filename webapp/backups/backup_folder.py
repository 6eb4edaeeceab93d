"""A folder of backups: what stands where, the manifest of one, and what is wrong with its files.

TARGET/2026-11-24T14-40-00Z/manifest.json     version, times, counts, digest of every other file, head of the public log
                            database/         a copy of the embedded PostgreSQL, with its own `backup_manifest`; or
                            database.dump     what `pg_dump -Fc` wrote
                            log.jsonl         the public log; permalinks.jsonl: each permalink and collection, its digest
                            secret-key
                            blobs.sha256      the bytes of this backup, in the format of sha256sum, seen from TARGET
TARGET/blobs/ab/abcd...                       bytes of archives by SHA-256, shared by all backups
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from webapp.backups import postgres

FORMAT, VERSION = "poolmark-backup", 1
MANIFEST, BLOB_LIST, LOG, PERMALINKS, SECRET = "manifest.json", "blobs.sha256", "log.jsonl", "permalinks.jsonl", "secret-key"
DATABASE, DUMP = "database", "database.dump"
UNFINISHED = ".unfinished-"
_NAME = re.compile(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(\.\d+)?Z")
_LISTED = re.compile(r"([0-9a-f]{64})  blobs/[0-9a-f]{2}/\1")


class BackupError(Exception):
    """A backup cannot be made, read or restored; the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class Backup:
    """A finished backup."""

    folder: Path
    manifest: dict

    @property
    def target(self) -> Path:
        """The folder of backups that it is in."""
        return self.folder.parent

    @property
    def is_dump(self) -> bool:
        """Whether its database is a dump of pg_dump, not a copy of the embedded server's folder."""
        return self.manifest["database"]["form"] == "dump"

    @property
    def database(self) -> Path:
        return self.folder / (DUMP if self.is_dump else DATABASE)

    def blobs(self) -> list[str]:
        """SHA-256 of each archive's bytes. Raises BackupError for a line that is none."""
        lines = (self.folder / BLOB_LIST).read_text().splitlines()
        for number, line in enumerate(lines, 1):
            if not _LISTED.fullmatch(line):
                raise BackupError(f"{self.folder / BLOB_LIST}:{number} is damaged: {line[:80]!r}")
        return [line[:64] for line in lines]


def blob_path(target: Path, sha256: str) -> Path:
    """The path of bytes in a folder of backups."""
    return target / "blobs" / sha256[:2] / sha256


def list_backups(target: Path) -> list[Path]:
    """The folders of finished backups, oldest first."""
    if not target.is_dir():
        return []
    found = (one for one in target.iterdir() if _NAME.fullmatch(one.name) and (one / MANIFEST).exists())
    return sorted(found, key=lambda one: one.name.removesuffix("Z"))  # 12-00-00Z is before 12-00-00.25Z


def open_backup(source: Path) -> Backup:
    """The backup at a path, or the newest in a folder of backups. Raises BackupError."""
    folder = source if (source / MANIFEST).exists() else None
    if folder is None:
        found = list_backups(source)
        if not found:
            raise BackupError(f"{source} has no backup: no folder such as 2026-11-24T14-40-00Z with a {MANIFEST} is in it.")
        folder = found[-1]
    try:
        manifest = json.loads((folder / MANIFEST).read_text())
        known = manifest["format"] == FORMAT and manifest["version"] <= VERSION
        manifest["files"], manifest["counts"], manifest["database"]["form"], manifest["database"]["postgresql"]
    except (ValueError, KeyError, TypeError) as error:
        raise BackupError(f"{folder / MANIFEST} is damaged ({error}). Take another backup of {folder.parent}.") from error
    if not known:
        raise BackupError(f"{folder} was made by a newer Poolmark ({manifest.get('poolmark')}). Restore it with that version.")
    return Backup(folder.resolve(), manifest)


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def find_problems(backup: Backup) -> Iterator[str]:
    """What is wrong with the files of a backup, each by its path: missing, cut off or changed."""
    damaged = False
    for name, digest in sorted(backup.manifest["files"].items()):
        if problem := _compare(backup.folder / name, digest):
            damaged = damaged or name == BLOB_LIST
            yield problem
    if not backup.is_dump:
        yield from (f"{backup.database}: {problem}" for problem in postgres.find_copy_problems(backup.database))
    if not damaged:
        for sha256 in backup.blobs():
            if problem := _compare(blob_path(backup.target, sha256), sha256):
                yield problem


def _compare(path: Path, digest: str) -> str:
    if not path.is_file():
        return f"{path} is missing"
    return "" if sha256_of(path) == digest else f"{path} has not the digest {digest}: it is cut off or was changed"


@contextlib.contextmanager
def lock_target(target: Path) -> Iterator[None]:
    """Hold a folder of backups against another backup. Raises BackupError where one runs."""
    target.mkdir(mode=0o700, parents=True, exist_ok=True)
    with open(target / ".lock", "a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BackupError(f"Another backup to {target} is running. Wait for its end.") from None
        yield


def keep_newest(target: Path, count: int) -> tuple[int, int]:
    """Delete all backups but the newest, then bytes that none of these names; how many backups and files were deleted."""
    old = list_backups(target)[:-count]
    for folder in old:
        unfinished = target / f"{UNFINISHED}{folder.name}"
        os.replace(folder, unfinished)  # half deleted it would still look like a backup
        shutil.rmtree(unfinished)
    kept = {sha256 for folder in list_backups(target) for sha256 in open_backup(folder).blobs()}
    unused = [path for path in (target / "blobs").glob("??/*") if path.name not in kept]
    for path in unused:
        path.unlink()
    return len(old), len(unused)


def write_synced(path: Path, text: str, mode: int = 0o600) -> str:
    """Write a text, on disk when this returns; its SHA-256."""
    data = text.encode()
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    return hashlib.sha256(data).hexdigest()
