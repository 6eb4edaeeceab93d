"""Restore a backup into an empty place: `manage.py restore SOURCE`."""

from __future__ import annotations

import os
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from webapp.backups import layout, point_in_time, queries
from webapp.backups.restore import PointInTime, check, restore
from webapp.infrastructure import wal_archive


class Command(BaseCommand):
    help = (
        "Checks every digest of a backup, then restores database, bytes and secret key into POOLMARK_DATA (and the database of "
        "DATABASE_URL), which have to be empty, and compares permalinks and public log with what the backup says. Exit code 1 "
        "where it cannot, or something differs."
    )
    requires_system_checks = []  # there may be no database yet

    def add_arguments(self, parser):
        parser.add_argument("source", metavar="SOURCE", help="a backup, or a folder of backups, of which the newest is taken")
        parser.add_argument(
            "--until",
            metavar="TIME",
            help="replay the database's archived log (POOLMARK_WAL) up to a time such as 2026-11-24T14:40:00Z, or `end`, from the "
            "newest copy of the embedded database before it",
        )
        parser.add_argument("--check", action="store_true", help="only check the backup; restore nothing")

    def handle(self, *, source, until, **options):
        try:
            point = PointInTime(point_in_time.parse_until(until)) if until is not None else None
            backup = layout.open_backup(Path(source)) if point is None else layout.open_before(Path(source), point.moment)
            if options["check"]:
                check(backup)
                self.stdout.write(f"{backup.folder}: every file has its digest")
                return
            differences = restore(backup, is_embedded=not os.environ.get("DATABASE_URL"), point=point)
        except layout.BackupError as error:
            raise CommandError(str(error)) from error
        finally:
            queries.close()
        self.stdout.write(f"restored {backup.folder}" + (f", and what came after it until {until}" if until is not None else ""))
        for line in differences:
            self.stdout.write(line)
        if differences:
            raise CommandError(f"{len(differences)} of what the backup names is not as it says. See `manage.py check_data`.")
        counts = backup.manifest["counts"]
        self.stdout.write(
            f"{counts['permalinks']} permalinks have their digests, {counts['log_entries']} entries of the log their hashes"
        )
        if until is None and (log := wal_archive.folder()) and log.is_dir() and any(log.iterdir()):
            self.stderr.write(f"{log} has the log of the database before it was restored. Set POOLMARK_WAL to an empty folder.")
        if os.environ.get("SECRET_KEY"):
            self.stderr.write("SECRET_KEY is set, so the restored secret key is not used.")
