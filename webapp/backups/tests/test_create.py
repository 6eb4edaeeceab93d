"""Backups of this process's database: what they hold, what a second one copies, what damage and interruption leave."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from webapp.backups import backup_folder, create, postgres
from webapp.backups.backup_folder import BackupError
from webapp.files import blobs
from webapp.models import Archive
from webapp.tests import frozen, samples

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.thorough]


@pytest.fixture
def target(tmp_path) -> Path:
    return tmp_path / "backups"


def make(target: Path, *, as_dump: bool = True):
    said: list[str] = []
    made, held = create.create(target, said.append, as_dump=as_dump)
    return made, held, said


def archive(*seconds: float) -> Archive:
    return samples.received(samples.tar({"run/dd.txt": samples.dd(*seconds)}))


def it_holds_database_bytes_log_and_secret_each_with_its_digest(target, settings):
    link = frozen.frozen()
    made, held, _ = make(target)
    manifest = json.loads((made.folder / backup_folder.MANIFEST).read_text())
    assert set(manifest["files"]) == {
        backup_folder.BLOB_LIST,
        backup_folder.LOG,
        backup_folder.PERMALINKS,
        backup_folder.SECRET,
        backup_folder.DUMP,
    }
    assert all(backup_folder.sha256_of(made.folder / name) == digest for name, digest in manifest["files"].items())
    assert (made.folder / backup_folder.SECRET).read_text() == settings.SECRET_KEY
    assert (made.folder / backup_folder.SECRET).stat().st_mode & 0o077 == made.folder.stat().st_mode & 0o077 == 0
    assert json.loads((made.folder / backup_folder.PERMALINKS).read_text()) == {"subject": f"p/{link.pk}", "sha256": link.digest}
    (entry,) = map(json.loads, (made.folder / backup_folder.LOG).read_text().splitlines())
    assert manifest["log_head"] == {"number": 1, "hash": entry["hash"]}
    assert (manifest["counts"]["archives"], manifest["counts"]["permalinks"]) == (1, 1)
    assert held.held == {Archive.objects.get().sha256} and list(backup_folder.find_problems(made)) == []


@pytest.mark.slow
def it_copies_only_new_bytes_and_changed_blocks_the_second_time(target):
    first = archive(1.5)
    one, held, said = make(target, as_dump=False)
    assert (held.copied, one.manifest["database"]["kind"], said) == (1, "full", [])
    kept = backup_folder.blob_path(target, first.sha256).stat().st_mtime_ns
    archive(2.5)
    two, held, said = make(target, as_dump=False)
    assert (len(held.held), held.copied, two.manifest["database"]["kind"], said) == (2, 1, "incremental", [])
    assert backup_folder.blob_path(target, first.sha256).stat().st_mtime_ns == kept
    inodes = {path.stat().st_ino for path in one.database.rglob("*") if path.is_file()}
    shared = [path for path in two.database.rglob("*") if path.is_file() and path.stat().st_ino in inodes]
    assert len(shared) > 300  # files of tables that did not change are the very files of the first copy
    shutil.rmtree(one.folder)
    assert list(backup_folder.find_problems(two)) == []
    assert backup_folder.open_backup(target).folder == two.folder


@pytest.mark.slow
def it_copies_the_whole_database_where_the_copy_before_is_damaged(target):
    archive(1.5)
    one, _, _ = make(target, as_dump=False)
    (one.database / "backup_manifest").write_text("{}")
    two, _, said = make(target, as_dump=False)
    assert two.manifest["database"]["kind"] == "full" and len(said) == 1
    assert list(backup_folder.find_problems(two)) == []


def it_names_every_damaged_file(target, settings, tmp_path):
    row = archive(1.5)
    made, _, _ = make(target, as_dump=False)
    table = next(path for path in sorted(made.database.glob("base/*/*")) if path.stat().st_size > 8192)
    blob = backup_folder.blob_path(target, row.sha256)
    for path in (table, blob, made.folder / backup_folder.LOG):
        path.write_bytes(path.read_bytes()[:-10] if path.stat().st_size else b"more")
    (made.folder / backup_folder.SECRET).unlink()
    problems = "\n".join(backup_folder.find_problems(made))
    assert str(table.relative_to(made.database)) in problems and str(blob) in problems
    assert str(made.folder / backup_folder.LOG) in problems and f"{made.folder / backup_folder.SECRET} is missing" in problems
    settings.POOLMARK_DATA = tmp_path / "another"
    with pytest.raises(CommandError, match="is damaged, and nothing was restored"):
        call_command("restore", str(target))
    assert not (tmp_path / "another" / "postgres").exists()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": "poolmark-backup"}'])
def it_says_that_a_manifest_is_damaged(target, text):
    folder = target / "2026-11-24T14-40-00Z"
    folder.mkdir(parents=True)
    (folder / backup_folder.MANIFEST).write_text(text)
    with pytest.raises(BackupError, match=r"manifest\.json is damaged"):
        backup_folder.open_backup(target)


def it_leaves_earlier_backups_as_they_are_where_one_is_interrupted(target, monkeypatch):
    archive(1.5)
    made, _, _ = make(target)

    def fail(*args):
        raise postgres.ProgramError("pg_dump: connection lost")

    with monkeypatch.context() as patch:
        patch.setattr(postgres, "dump", fail)
        with pytest.raises(BackupError, match="connection lost"):
            make(target)
    left = target / f"{backup_folder.UNFINISHED}2026-11-24T14-40-00Z"  # as SIGKILL leaves it
    (left / "database").mkdir(parents=True)
    assert backup_folder.list_backups(target) == [made.folder] and list(backup_folder.find_problems(made)) == []
    make(target)
    assert not left.exists() and len(backup_folder.list_backups(target)) == 2


def it_names_archives_whose_bytes_are_lost_and_keeps_the_rest(target, capsys):
    rows = [archive(1.5), archive(2.5), archive(3.5)]
    blobs.delete_blob(rows[0].sha256)
    blobs.path(rows[1].sha256).write_bytes(b"other")
    with pytest.raises(CommandError, match="The backup is kept"):
        call_command("backup", str(target), "--dump")
    said = capsys.readouterr().out
    assert f"archives/{rows[0].pk}: its bytes ({rows[0].sha256}) are missing" in said
    assert f"archives/{rows[1].pk}: its bytes have not the digest {rows[1].sha256}" in said
    made = backup_folder.open_backup(target)
    assert made.blobs() == [rows[2].sha256] and list(backup_folder.find_problems(made)) == []


def it_has_bytes_that_were_deleted_after_the_database_was_copied(target, monkeypatch):
    row = archive(1.5)
    copy = create._copy_database

    def then_delete(*args):
        copied = copy(*args)
        blobs.delete_blob(row.sha256)
        Archive.objects.filter(pk=row.pk).update(sha256="0" * 64, size=0)  # as another row, whose bytes are missing
        return copied

    monkeypatch.setattr(create, "_copy_database", then_delete)
    made, _, _ = make(target)
    assert row.sha256 in made.blobs() and list(backup_folder.find_problems(made)) == []


def it_keeps_the_newest_and_the_bytes_that_these_need(target, capsys):
    gone, stays = archive(1.5), archive(2.5)
    make(target)
    Archive.objects.filter(pk=gone.pk).update(sha256=stays.sha256, size=stays.size, owner=samples.making.user("bob"))
    make(target)
    call_command("backup", str(target), "--dump", "--keep", "2")
    assert "deleted: 1 backups, 1 files" in capsys.readouterr().out
    assert len(backup_folder.list_backups(target)) == 2
    assert not backup_folder.blob_path(target, gone.sha256).exists() and backup_folder.blob_path(target, stays.sha256).exists()
    assert list(backup_folder.find_problems(backup_folder.open_backup(target))) == []


def it_refuses_a_target_in_the_data_folder_a_bucket_and_a_second_at_a_time(target, settings):
    with pytest.raises(CommandError, match=r"/backups is in the data folder .* and would be lost with it"):
        call_command("backup", str(Path(settings.POOLMARK_DATA) / "backups"))
    with pytest.raises(CommandError, match="is the data folder, and would be lost with it"):
        call_command("backup", str(settings.POOLMARK_DATA))
    with pytest.raises(CommandError, match="then copy it: `aws s3 sync FOLDER s3://bucket/backups"):
        call_command("backup", "s3://bucket/backups")
    with backup_folder.lock_target(target), pytest.raises(CommandError, match="Another backup"):
        call_command("backup", str(target))


@pytest.mark.parametrize(("there", "says"), [("postgres", "has a database already"), ("blobs/ab/abcd", "has bytes of archives")])
def it_is_restored_into_an_empty_place_only(target, settings, tmp_path, there, says):
    make(target)
    settings.POOLMARK_DATA = tmp_path / "another"
    (tmp_path / "another" / there).mkdir(parents=True)
    with pytest.raises(CommandError, match=says):
        call_command("restore", str(target))
    assert (tmp_path / "another" / there).exists()


def it_is_not_restored_into_a_database_with_tables(target, settings, tmp_path, monkeypatch):
    make(target)
    settings.POOLMARK_DATA = tmp_path / "another"
    monkeypatch.setenv("DATABASE_URL", "postgresql://named/here")
    with pytest.raises(CommandError, match="has tables already"):
        call_command("restore", str(target))


def it_says_which_client_programs_are_missing():
    with pytest.raises(
        postgres.ProgramError, match=r"Install the client programs of PostgreSQL 99 \(Debian: postgresql-client-99\)"
    ):
        postgres.find_program("pg_dump", 99)


def it_lists_two_backups_of_one_second_in_their_order(target):
    names = ["2026-11-24T14-40-00Z", "2026-11-24T14-40-00.250000Z", "2026-11-24T14-40-01Z"]
    for name in reversed(names):
        (target / name).mkdir(parents=True)
        (target / name / backup_folder.MANIFEST).write_text("{}")
    assert [one.name for one in backup_folder.list_backups(target)] == names
