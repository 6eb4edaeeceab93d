"""Restore a backup into an empty place: `manage.py restore SOURCE`."""

from __future__ import annotations

import os
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from webapp.backups import backup_folder, queries
from webapp.backups.restore import check, restore


class Command(BaseCommand):
    help = (
        "Checks every digest of a backup, then restores database, bytes and secret key into POOLMARK_DATA (and the database of "
        "DATABASE_URL), which have to be empty, and compares permalinks and public log with what the backup says. Exit code 1 "
        "where it cannot, or something differs."
    )
    requires_system_checks = []  # there may be no database yet

    def add_arguments(self, parser):
        parser.add_argument("source", metavar="SOURCE", help="a backup, or a folder of backups, of which the newest is taken")
        parser.add_argument("--check", action="store_true", help="only check the backup; restore nothing")

    def handle(self, *, source, **options):
        try:
            backup = backup_folder.open_backup(Path(source))
            if options["check"]:
                check(backup)
                self.stdout.write(f"{backup.folder}: every file has its digest")
                return
            differences = restore(backup, is_embedded=not os.environ.get("DATABASE_URL"))
        except backup_folder.BackupError as error:
            raise CommandError(str(error)) from error
        finally:
            queries.close()
        self.stdout.write(f"restored {backup.folder}")
        for line in differences:
            self.stdout.write(line)
        if differences:
            raise CommandError(f"{len(differences)} of what the backup names is not as it says. See `manage.py check_data`.")
        counts = backup.manifest["counts"]
        self.stdout.write(
            f"{counts['permalinks']} permalinks have their digests, {counts['log_entries']} entries of the log their hashes"
        )
        if os.environ.get("SECRET_KEY"):
            self.stderr.write("SECRET_KEY is set, so the restored secret key is not used.")
