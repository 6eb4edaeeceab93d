"""Back up database, bytes, secret key and public log to a folder: `manage.py backup TARGET`."""

from __future__ import annotations

import os
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from webapp.backups import backup_folder
from webapp.backups.create import create
from webapp.infrastructure import readiness


class Command(BaseCommand):
    help = (
        "Makes a backup in a folder of TARGET named by its time, while the site runs or not. Of the bytes of archives and the "
        "blocks of the embedded database only what is new since the last one is copied. Exit code 1 where none was made, or "
        "where bytes of an archive are missing or damaged, which are named."
    )

    def add_arguments(self, parser):
        parser.add_argument("target", metavar="TARGET", help="folder of backups, made if there is none")
        parser.add_argument(
            "--dump", action="store_true", help="by pg_dump, to restore into another PostgreSQL; with DATABASE_URL always"
        )
        parser.add_argument("--keep", type=int, metavar="N", help="afterwards delete all backups in TARGET but the newest N")

    def handle(self, *, target, dump, keep, **options):
        if target.startswith("s3://"):
            raise CommandError(
                "A backup is a folder. Make one with `manage.py backup FOLDER --dump`, then copy it: "
                f"`aws s3 sync FOLDER {target} --delete`. See docs/operating.md."
            )
        if keep is not None and keep < 1:
            raise CommandError("--keep needs a number from 1 on.")
        readiness.prepare_database(self.stderr.write)
        try:
            made, held = create(Path(target), self.stderr.write, as_dump=dump or bool(os.environ.get("DATABASE_URL")))
            self.stdout.write(f"{made.folder}")
            counts = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in made.manifest["counts"].items())
            self.stdout.write(f"{counts}")
            self.stdout.write(f"database: {made.manifest['database']['kind']}")
            self.stdout.write(f"bytes: {len(held.held)} files, of which {held.copied} new ({held.size} bytes)")
            head = made.manifest["log_head"]
            self.stdout.write(f"head of the public log: {head['number']} {head['hash']}" if head else "the public log is empty")
            if keep is not None:
                backups, files = backup_folder.keep_newest(made.target, keep)
                self.stdout.write(f"deleted: {backups} backups, {files} files that none of the others needs")
        except backup_folder.BackupError as error:
            raise CommandError(str(error)) from error
        for problem in held.problems:
            self.stdout.write(problem)
        if held.problems:
            raise CommandError("The backup is kept, and lacks the bytes named above. See `manage.py check_data`.")
