"""Puts a backup into an empty place, after every digest of it was checked."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings

from webapp.backups import backup_folder, postgres, queries
from webapp.backups.backup_folder import Backup, BackupError
from webapp.files import blobs, stores
from webapp.files.stores import sync_folder
from webapp.infrastructure.embedded_postgres import COMMAND, Cluster, StartError, lock_data_folder

_RESTORING = "restoring"


def check(backup: Backup) -> None:
    """Raises BackupError with a line for each file of the backup that is missing, cut off or changed."""
    if problems := list(backup_folder.find_problems(backup)):
        lines = "\n  ".join(problems)
        raise BackupError(f"{backup.folder} is damaged, and nothing was restored:\n  {lines}\nTake another backup.")


def restore(backup: Backup, *, is_embedded: bool) -> list[str]:
    """Restore database, bytes and secret; what differs from what the backup says of itself. Raises BackupError."""
    data = Path(settings.POOLMARK_DATA)
    with lock_data_folder(data, COMMAND) as is_held:
        if not is_held:
            raise BackupError(f"A server or another command uses {data}. Stop it, or set POOLMARK_DATA to an empty folder.")
        _refuse_what_is_not_empty(data)
        _refuse_another_database(backup, is_embedded)
        check(backup)
        try:
            return _restore(backup, data, is_embedded)
        except (postgres.ProgramError, StartError) as error:
            raise BackupError(f"The database could not be restored. {error}") from error
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise BackupError(f"{data} has no space left. Make some, and restore again.") from error
            raise


def _refuse_what_is_not_empty(data: Path) -> None:
    shutil.rmtree(data / _RESTORING, ignore_errors=True)  # of a restore that was interrupted
    if (data / "postgres").exists():
        raise BackupError(f"{data} has a database already. Set POOLMARK_DATA to an empty folder; nothing is overwritten.")
    store = stores.current()
    if store.is_remote and next(store.keys(), None):
        raise BackupError(f"{store.name} has bytes of archives. Set POOLMARK_STORE to an empty prefix; nothing is overwritten.")
    if any((data / "blobs").glob("??/*")):
        raise BackupError(f"{data / 'blobs'} has bytes of archives. Set POOLMARK_DATA to an empty folder; nothing is overwritten.")


def _refuse_another_database(backup: Backup, is_embedded: bool) -> None:
    """Refuse a database that has tables, and a copy of the embedded one for another server or another version."""
    if not is_embedded and not queries.is_empty():
        raise BackupError("The database of DATABASE_URL has tables already. Name an empty one; nothing is overwritten.")
    if backup.is_dump:
        return
    if not is_embedded:
        raise BackupError(
            f"{backup.folder} is a copy of the embedded database, which no other server can take. Restore it without DATABASE_URL, "
            "then make a backup with --dump and restore that."
        )
    made_by = int(backup.manifest["database"]["postgresql"].split(".")[0])
    ours = postgres.major_version(postgres.find_binary("postgres"))
    if made_by != ours:
        raise BackupError(
            f"{backup.folder} is of PostgreSQL {made_by}, and this Poolmark brings {ours}. "
            f"Restore it with Poolmark {backup.manifest['poolmark']}."
        )


def _restore(backup: Backup, data: Path, is_embedded: bool) -> list[str]:
    part = data / _RESTORING
    part.mkdir(mode=0o700)
    _restore_bytes(backup, part)
    if not backup.is_dump:
        shutil.copytree(backup.database, part / "postgres")
        os.chmod(part / "postgres", 0o700)
    backup_folder.write_synced(part / backup_folder.SECRET, (backup.folder / backup_folder.SECRET).read_text())
    os.sync()
    if is_embedded:
        return _restore_embedded(backup, data, part)
    server = queries.read_server()
    postgres.load_dump(backup.database, backup.manifest["database"]["pg_dump"], server.major, server.env)
    _move_in(part, data)
    return list(_differences(backup, set(backup.blobs())))


def _restore_bytes(backup: Backup, part: Path) -> None:
    """Put the bytes of archives into the store of POOLMARK_STORE, or into `part`, which becomes the data folder."""
    for sha256 in backup.blobs():
        copy = part / "blobs" / sha256[:2] / sha256
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(backup_folder.blob_path(backup.target, sha256), copy)
        if settings.POOLMARK_STORE:
            stores.current().put(blobs.key(sha256), copy)  # the store takes the file itself


def _restore_embedded(backup: Backup, data: Path, part: Path) -> list[str]:
    """Start the server on the copy, or on a new cluster that gets the dump. The folder of the database moves in last of a copy:
    what was interrupted before can be restored again."""
    cluster = Cluster(data)
    try:
        if backup.is_dump:
            cluster.start()
            server = queries.read_server()
            postgres.load_dump(backup.database, backup.manifest["database"]["pg_dump"], server.major, server.env)
            queries.close()
            _move_in(part, data)
        else:
            _move_in(part, data)
            cluster.own_files()
            cluster.start()
        return list(_differences(backup, set(backup.blobs())))
    finally:
        queries.close()
        cluster.stop()


def _move_in(part: Path, data: Path) -> None:
    shutil.rmtree(data / "blobs", ignore_errors=True)  # empty, or bytes of uploads that were never finished
    for name in ("blobs", backup_folder.SECRET, "postgres"):
        if (part / name).exists():
            os.replace(part / name, data / name)
    shutil.rmtree(part)
    sync_folder(data)


def _differences(backup: Backup, held: set[str]) -> Iterator[str]:
    """What the restored database lacks of what the backup says: permalinks, entries of the log, bytes of archives."""
    digests, hashes = queries.read_digests(), queries.read_log_hashes()
    for line in _lines(backup, backup_folder.PERMALINKS):
        if digests.get(line["subject"]) != line["sha256"]:
            yield f"{line['subject']} has not the digest {line['sha256']}"
    for line in _lines(backup, backup_folder.LOG):
        if hashes.get(line["number"]) != line["hash"]:
            yield f"entry {line['number']} of the public log has not the hash {line['hash']}"
    for pk, (sha256, _) in sorted(queries.read_archives().items()):
        if sha256 not in held:
            yield f"archives/{pk}: its bytes ({sha256}) are not in the backup; they were damaged, or it was deleted meanwhile"


def _lines(backup: Backup, name: str) -> Iterator[dict]:
    with (backup.folder / name).open(encoding="utf-8") as file:
        yield from map(json.loads, file)
