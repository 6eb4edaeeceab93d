"""A state between two backups, from the archived log of a real server, by the commands that an operator runs."""

from __future__ import annotations

import gzip
import json
import re
import time
from datetime import UTC, datetime
from pathlib import Path
from shutil import rmtree

import psycopg
import pytest
from django.core.management import CommandError, call_command

from webapp.backups import layout, point_in_time, restore
from webapp.backups.layout import BackupError
from webapp.backups.tests.test_restore import FREEZE, done, exports, place, state  # noqa: F401 a fixture
from webapp.infrastructure import wal_archive
from webapp.infrastructure.embedded_postgres import Cluster, run_cluster
from webapp.tests import samples
from webapp.tests.serving import PATIENCE, manage


def archive_all(url: str, wal: Path) -> None:
    """Wait until what is committed is in the folder."""
    with psycopg.connect(url, autocommit=True) as connection:
        (name,) = connection.execute("SELECT pg_walfile_name(pg_switch_wal())").fetchone()
    end = time.monotonic() + PATIENCE
    while not (wal / f"{name}.gz").exists():
        assert time.monotonic() < end, [path.name for path in wal.iterdir()]
        time.sleep(0.1)


def now(url: str) -> str:
    with psycopg.connect(url) as connection:
        return connection.execute("SELECT clock_timestamp()").fetchone()[0].astimezone(UTC).isoformat()


@pytest.mark.server
@pytest.mark.slow
def it_is_restored_as_it_was_at_that_time(place, monkeypatch):  # noqa: F811
    old, new, target, wal = place / "old", place / "new", place / "backups", place / "w a%l"
    monkeypatch.setenv(wal_archive.VARIABLE, str(wal))
    more = {wal_archive.VARIABLE: str(wal)}
    with run_cluster(old) as url:
        kept = {"POOLMARK_EMBEDDED_URL": url, **more}
        done(old, "export", **kept)  # makes the tables
        done(old, "backup", str(target), **kept)
        before = now(url)
        done(old, "shell", "--no-imports", "-c", FREEZE, **kept)
        (place / "dd.txt").write_bytes(samples.dd(2.5, 2.75))
        number = re.findall(r"archive (\d+)", done(old, "ingest", str(place / "dd.txt"), **kept))[0]
        assert "2 new" in done(old, "backup", str(target), "--bytes", **kept)
        at, expected, frozen = now(url), exports(old, **kept), state(old, **kept)
        time.sleep(0.2)
        archive_all(url, wal)
        done(old, "archive", "delete", number, **kept)  # by mistake
        later = exports(old, **kept)
        archive_all(url, wal)
    assert later != expected and len(layout.list_backups(target)) == 1
    Cluster(old)._await_previous()
    rmtree(old)

    said = done(new, "restore", str(target), "--until", at, **more)
    assert f"and what came after it until {at}" in said
    assert exports(new) == expected and state(new) == frozen
    ended = manage(new, "check_data")
    assert ended.returncode == 0, ended.stdout
    Cluster(new)._await_previous()
    rmtree(new)

    done(new, "restore", str(target), "--until", "end", **more)
    assert exports(new) == later
    assert len(list((new / "blobs").glob("??/*"))) == 1  # those of the deleted archive are not there
    Cluster(new)._await_previous()
    rmtree(new)

    done(new, "restore", str(target), "--until", before, **more)
    assert "0 permalinks" in done(new, "backup", str(place / "more"))
    Cluster(new)._await_previous()
    rmtree(new)

    names = sorted(path for path in wal.iterdir() if len(path.name) == len(f"{T1}0000000000000001.gz"))
    log = names[-2].read_bytes()
    names[-2].unlink()
    ended = manage(new, "restore", str(target), "--until", "end", **more)
    assert ended.returncode == 1 and f"{names[-2].name} is missing" in ended.stderr and not (new / "postgres").exists()
    names[-2].write_bytes(log)

    ended = manage(new, "restore", str(target), "--until", "2999-01-01T00:00:00Z", **more)
    assert ended.returncode == 1 and "nothing tells whether it is whole up to then" in ended.stderr, ended.stderr
    ended = manage(place / "other", "restore", str(target), "--until", "2001-01-01T00:00:00Z", **more)
    assert ended.returncode == 1 and "that was finished by 2001-01-01" in ended.stderr
    ended = manage(place / "other", "restore", str(target), "--until", "end")
    assert ended.returncode == 1 and "POOLMARK_WAL has to name" in ended.stderr


@pytest.mark.server
@pytest.mark.slow
def it_is_said_where_the_log_cannot_be_archived(place, monkeypatch):  # noqa: F811
    """A segment of another server in its place: it stays, and the site says so."""
    wal = place / "wal"
    wal.mkdir()
    monkeypatch.setenv(wal_archive.VARIABLE, str(wal))
    strange = wal / "000000010000000000000001.gz"
    strange.write_bytes(b"of another server")
    check = "from webapp.infrastructure import checks; print(checks.run_checks()[0].problem)"
    with run_cluster(place / "old") as url:
        kept = {"POOLMARK_EMBEDDED_URL": url, wal_archive.VARIABLE: str(wal)}
        done(place / "old", "export", **kept)
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("SELECT pg_switch_wal()")
        end = time.monotonic() + PATIENCE
        while "is not archived to POOLMARK_WAL" not in (said := done(place / "old", "shell", "--no-imports", "-c", check, **kept)):
            assert time.monotonic() < end, said
    assert strange.read_bytes() == b"of another server"


T1, T2, T3 = "00000001", "00000002", "00000003"


def segments(timeline: str, *numbers: int) -> set[str]:
    return {f"{timeline}{number >> 8:08X}{number & 0xFF:08X}" for number in numbers}


@pytest.mark.parametrize(
    ("names", "gap"),
    [
        (set(), ""),
        (segments(T1, 7, 8, 9), ""),
        (segments(T1, 8, 9), ""),  # the first is in the copy
        (segments(T1, 7, 9, 11), f"{T1}0000000000000008"),
        (segments(T1, 9), f"{T1}0000000000000008"),
        (segments(T1, 3, 5, 7, 8), ""),  # older than the backup
        (segments(T1, 7, *range(8, 0x102)), ""),
        (segments(T1, *range(8, 0xFF), 0x101), f"{T1}00000000000000FF"),
        (segments(T1, *range(8, 0x100), 0x101), f"{T1}0000000100000000"),
        (segments(T1, 7, 8) | {f"{T1}000000000000000A.partial", f"{T1}000000000000000C.00000028.backup"}, ""),
        (segments(T1, 7, 8) | segments(T2, 9, 10) | {f"{T2}.history"}, ""),
        (segments(T1, 7, 8) | segments(T2, 8, 9) | {f"{T2}.history"}, ""),
        (segments(T1, 7, 8) | segments(T2, 9, 11) | {f"{T2}.history"}, f"{T2}000000000000000A"),
        (segments(T1, 7, 8) | segments(T2, 9, 11), ""),  # never followed
        (segments(T1, 7, 8) | segments(T2, 8, 9) | segments(T3, 9, 10) | {f"{T2}.history", f"{T3}.history"}, ""),
    ],
)
def it_finds_the_first_segment_that_is_missing_between_others(names, gap):
    assert point_in_time.find_gap(names, f"{T1}0000000000000007") == gap


def it_knows_no_gap_of_a_timeline_before_that_of_the_backup():
    names = segments(T1, 7, 11) | segments(T2, 7, 8) | {f"{T2}.history"}
    assert point_in_time.find_gap(names, f"{T2}0000000000000007") == ""


def copy_of(target: Path, form: str, name: str) -> layout.Backup:
    """A folder that looks like a backup of the second that it is named by, beginning with segment 7."""
    manifest = {
        "format": layout.FORMAT,
        "version": layout.VERSION,
        "files": {},
        "counts": {},
        "database": {"form": form, "postgresql": "18.0"},
        "finished_at": f"{name[:10]}T14:41:00+00:00",
    }
    (target / name / layout.DATABASE / "pg_wal").mkdir(parents=True)
    (target / name / layout.MANIFEST).write_text(json.dumps(manifest))
    label = "START WAL LOCATION: 0/7000028 (file 000000010000000000000007)\n"
    (target / name / layout.DATABASE / "backup_label").write_text(label)
    return layout.open_backup(target / name)


def it_refuses_a_log_with_a_segment_missing_or_damaged(tmp_path, monkeypatch):
    backup, wal = copy_of(tmp_path / "backups", "copy", "2026-11-24T14-40-00Z"), tmp_path / "wal"
    monkeypatch.setenv(wal_archive.VARIABLE, str(wal))
    wal.mkdir()
    (backup.database / "pg_wal" / f"{T1}0000000000000007").touch()
    for name in segments(T1, 8, 9):
        (wal / f"{name}.gz").write_bytes(gzip.compress(b"log" * 1000))
    point_in_time.check_log(backup)
    last = wal / f"{T1}0000000000000009.gz"
    whole = last.read_bytes()
    for damaged in (whole[:-9], whole[:-6] + bytes(6), b"other"):
        last.write_bytes(damaged)
        with pytest.raises(BackupError, match=r"0000000009\.gz is damaged: `--until end` would end before it"):
            point_in_time.check_log(backup)
    last.write_bytes(whole)
    (wal / f"{T1}0000000000000008.gz").unlink()
    with pytest.raises(BackupError, match=r"0000000008\.gz is missing: `--until end` would end before it"):
        point_in_time.check_log(backup)


def it_takes_no_dump_for_a_point_in_time(tmp_path, monkeypatch):
    copy = copy_of(tmp_path, "copy", "2026-11-24T14-40-00Z")
    dump = copy_of(tmp_path, "dump", "2026-11-25T14-40-00Z")
    assert layout.open_backup(tmp_path) == dump and layout.open_before(tmp_path, None) == copy
    with pytest.raises(BackupError, match="no copy of the embedded database, and no log can be replayed onto a dump"):
        layout.open_before(dump.folder, None)
    for backup, is_embedded, said in ((dump, True, "is a dump"), (copy, False, "restore without DATABASE_URL")):
        with pytest.raises(BackupError, match=said):
            restore.restore(backup, is_embedded=is_embedded, point=restore.PointInTime(None))


def it_restores_nothing_until_no_time(tmp_path):
    copy_of(tmp_path, "copy", "2026-11-24T14-40-00Z")
    with pytest.raises(CommandError, match="'' is not a time such as"):
        call_command("restore", str(tmp_path), until="")


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-11-24T14:40:00Z", datetime(2026, 11, 24, 14, 40, tzinfo=UTC)),
        ("2026-11-24 14:40", datetime(2026, 11, 24, 14, 40, tzinfo=UTC)),
        ("2026-11-24T16:40:00+02:00", datetime(2026, 11, 24, 14, 40, tzinfo=UTC)),
        ("end", None),
    ],
)
def it_reads_times_in_utc_where_they_name_no_zone(text, moment):
    assert point_in_time.parse_until(text) == moment


@pytest.mark.parametrize("text", ["yesterday", "", "14:40"])
def it_refuses_what_is_no_time(text):
    with pytest.raises(BackupError, match="is not a time such as"):
        point_in_time.parse_until(text)


def it_deletes_the_log_that_is_older_than_all_backups(tmp_path, monkeypatch):
    wal, target = tmp_path / "wal", tmp_path / "backups"
    for start, name in (("000000010000000000000007", "2026-11-24T14-40-00Z"), ("000000020000000000000009", "2026-11-25T14-40-00Z")):
        (target / name / layout.DATABASE).mkdir(parents=True)
        (target / name / layout.MANIFEST).write_text("{}")
        (target / name / layout.DATABASE / "backup_label").write_text(f"START WAL LOCATION: 0/7000028 (file {start})\n")
    wal.mkdir()
    names = ["000000010000000000000006", "000000010000000000000006.00000028.backup", "000000010000000000000007", "00000002.history"]
    for name in names:
        (wal / f"{name}.gz").write_bytes(b"")
    assert point_in_time.delete_log(target) == 0  # none is set
    monkeypatch.setenv(wal_archive.VARIABLE, str(wal))
    assert point_in_time.delete_log(target) == 2
    assert sorted(path.name for path in wal.iterdir()) == ["000000010000000000000007.gz", "00000002.history.gz"]
