"""Makes a backup, while the site runs or not.

The database comes before the bytes, since bytes are written before their row and deleted after it: whatever row the copy of
the database has, its bytes were there, and are unless the archive was deleted in the meantime. Bytes are copied before the
database too, so that only those of an archive that came and went while the backup ran can be missing.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from django.conf import settings

from webapp.backups import backup_folder, postgres, queries
from webapp.backups.backup_folder import Backup, BackupError
from webapp.files import blobs, stores
from webapp.files.stores import read_blocks, sync_folder
from webapp.formatting import numbers


@dataclass(slots=True)
class CopiedBytes:
    """What became of the bytes of archives."""

    held: set[str] = field(default_factory=set)
    """SHA-256 of what the backup has."""
    copied: int = 0
    size: int = 0
    """Bytes that were copied."""
    problems: list[str] = field(default_factory=list)
    """A sentence for each archive whose bytes could not be copied."""


def create(target: Path, say: Callable[[str], object], *, as_dump: bool) -> tuple[Backup, CopiedBytes]:
    """A new backup in a folder of backups; `as_dump`: by pg_dump. Raises BackupError; earlier backups stay as they are."""
    with _target(target) as folder:
        return _create(folder, say, as_dump)


@contextlib.contextmanager
def _target(target: Path) -> Iterator[Path]:
    """The folder of backups, locked. Raises BackupError where it may not be one, and for errors in the block."""
    target = target.resolve()
    data = Path(settings.POOLMARK_DATA).resolve()
    if target == data or data in target.parents:
        where = "is the data folder" if target == data else f"is in the data folder {data}"
        raise BackupError(f"{target} {where}, and would be lost with it. Name a folder elsewhere.")
    try:
        with backup_folder.lock_target(target):
            yield target
    except postgres.ProgramError as error:
        raise BackupError(f"The database could not be copied. {error}") from error
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise BackupError(f"{target} has no space left. No backup was made; earlier ones are as they were.") from error
        raise


def _create(target: Path, say: Callable[[str], object], as_dump: bool) -> tuple[Backup, CopiedBytes]:
    for left in target.glob(f"{backup_folder.UNFINISHED}*"):  # of a backup that was interrupted
        shutil.rmtree(left)
    started = datetime.now(UTC)
    unfinished = target / f"{backup_folder.UNFINISHED}{started:%Y-%m-%dT%H-%M-%S}Z"
    unfinished.mkdir(mode=0o700)
    try:
        _check_room(target, as_dump)
        held = CopiedBytes()
        copy_bytes(target, held)
        manifest = _write_state(unfinished, started)
        manifest["database"] = _copy_database(unfinished, target, say, as_dump)
        held.problems.clear()
        copy_bytes(target, held)
        manifest["files"] |= _digests(unfinished, sorted(held.held), as_dump)
        manifest["blobs"] = {"count": len(held.held), "copied": held.copied, "copied_bytes": held.size, "problems": held.problems}
        manifest["finished_at"] = datetime.now(UTC).isoformat(timespec="seconds")
        backup_folder.write_synced(unfinished / backup_folder.MANIFEST, json.dumps(manifest, indent=1, sort_keys=True) + "\n")
        folder = _settle(unfinished, target, started)
    except BaseException:
        shutil.rmtree(unfinished, ignore_errors=True)
        raise
    return Backup(folder, manifest), held


def _check_room(target: Path, as_dump: bool) -> None:
    """Raises BackupError, before anything is written, where new bytes, or a first copy of the database, cannot fit."""
    sizes = dict(queries.read_archives().values())
    wanted = sum(size for sha256, size in sizes.items() if not backup_folder.blob_path(target, sha256).exists())
    if not as_dump and not backup_folder.list_backups(target):
        wanted += queries.read_database_size()
    if wanted > (free := shutil.disk_usage(target).free):
        raise BackupError(
            f"{target} has {numbers.size(free)} free, and the backup needs {numbers.size(wanted)}. Nothing was written."
        )


def _settle(unfinished: Path, target: Path, started: datetime) -> Path:
    """Give the folder its name: from here on it is a backup."""
    folder = target / f"{started:%Y-%m-%dT%H-%M-%S}Z"
    if folder.exists():  # a second one within a second
        folder = target / f"{started:%Y-%m-%dT%H-%M-%S.%f}Z"
    sync_folder(unfinished)
    os.replace(unfinished, folder)
    sync_folder(target)
    return folder


def _write_state(folder: Path, started: datetime) -> dict:
    """Write log, digests and secret; the manifest so far. What the log has now, the copy of the database has for sure."""
    entries = list(queries.read_log())
    last = entries[-1] if entries else None
    digests = queries.read_digests()
    files = {
        backup_folder.LOG: backup_folder.write_synced(
            folder / backup_folder.LOG, "".join(f"{json.dumps(one, default=_iso)}\n" for one in entries)
        ),
        backup_folder.PERMALINKS: backup_folder.write_synced(
            folder / backup_folder.PERMALINKS,
            "".join(f"{json.dumps({'subject': subject, 'sha256': digest})}\n" for subject, digest in digests.items()),
        ),
        backup_folder.SECRET: backup_folder.write_synced(folder / backup_folder.SECRET, settings.SECRET_KEY),
    }
    return {
        "format": backup_folder.FORMAT,
        "version": backup_folder.VERSION,
        "poolmark": _own_version(),
        "started_at": started.isoformat(timespec="seconds"),
        "counts": queries.read_counts(),
        "log_head": {"number": last["number"], "hash": last["hash"]} if last else None,
        "files": files,
    }


def _iso(value: object) -> str:
    return value.astimezone(UTC).isoformat() if isinstance(value, datetime) else str(value)


def _own_version() -> str:
    try:
        return version("poolmark")
    except PackageNotFoundError:
        import tomllib

        return tomllib.loads((Path(settings.BASE_DIR) / "pyproject.toml").read_text())["project"]["version"]


def _copy_database(folder: Path, target: Path, say: Callable[[str], object], as_dump: bool) -> dict:
    server = queries.read_server()
    if as_dump:
        written_by = postgres.dump(folder / backup_folder.DUMP, server.major, server.env)
        return {"form": "dump", "kind": "full", "postgresql": server.version, "pg_dump": written_by}
    earlier = [
        one / backup_folder.DATABASE
        for one in backup_folder.list_backups(target)
        if (one / backup_folder.DATABASE / "PG_VERSION").exists()
    ]
    previous = earlier[-1] if earlier else None
    kind = postgres.copy_embedded(folder / backup_folder.DATABASE, previous, server.env, say)
    return {"form": "copy", "kind": kind, "postgresql": server.version}


def copy_bytes(target: Path, held: CopiedBytes) -> None:
    """Copy the bytes of every archive that the target does not have with their size; each is hashed while it is copied."""
    sizes: dict[str, int] = {}
    archives: dict[str, list[int]] = {}
    for pk, (sha256, size) in sorted(queries.read_archives().items()):
        sizes[sha256] = size
        archives.setdefault(sha256, []).append(pk)
    for sha256 in sorted(sizes):
        copy = backup_folder.blob_path(target, sha256)
        names = ", ".join(f"archives/{pk}" for pk in archives[sha256])
        if copy.exists() and copy.stat().st_size == sizes[sha256]:
            held.held.add(sha256)
        elif problem := _copy_blob(sha256, copy):
            held.problems.append(f"{names}: {problem}")
        else:
            held.held.add(sha256)
            held.copied += 1
            held.size += sizes[sha256]


def _copy_blob(sha256: str, copy: Path) -> str:
    """Copy bytes under their digest; what is wrong with them, or an empty text."""
    copy.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    part, digest = copy.with_name(f".{sha256}"), hashlib.sha256()
    try:
        with blobs.local_path(sha256) as kept, kept.open("rb") as source, part.open("wb") as out:
            for block in read_blocks(source):
                digest.update(block)
                out.write(block)
            out.flush()
            os.fsync(out.fileno())
    except (stores.MissingBytes, stores.DamagedBytes) as error:
        return str(error)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    if digest.hexdigest() != sha256:
        part.unlink()
        return f"its bytes have not the digest {sha256}"
    os.replace(part, copy)
    sync_folder(copy.parent)
    return ""


def _digests(folder: Path, held: list[str], as_dump: bool) -> dict[str, str]:
    """Write the list of bytes; digests of it and of what holds the database."""
    listed = "".join(f"{sha256}  blobs/{sha256[:2]}/{sha256}\n" for sha256 in held)
    whole = backup_folder.DUMP if as_dump else f"{backup_folder.DATABASE}/backup_manifest"
    return {
        backup_folder.BLOB_LIST: backup_folder.write_synced(folder / backup_folder.BLOB_LIST, listed),
        whole: backup_folder.sha256_of(folder / whole),
    }
