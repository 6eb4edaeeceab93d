"""Bytes of archives and of the public data: `manage.py store move SOURCE TARGET`, from a folder to a bucket or back."""

from __future__ import annotations

from collections import Counter

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from webapp.files import blobs, stores
from webapp.infrastructure import readiness
from webapp.models import Archive
from webapp.storage.locks import lock_bytes


class Command(BaseCommand):
    help = (
        "Copies everything that the target lacks, comparing it with its digest, and deletes it in the source once the target has "
        "it. SOURCE and TARGET are folders or s3://BUCKET/PREFIX. The site may run meanwhile: with POOLMARK_STORE=TARGET and "
        "POOLMARK_STORE_BEFORE=SOURCE it finds all bytes. Interrupted, it goes on where it is started again."
    )
    requires_system_checks = []

    def add_arguments(self, parser):
        parser.add_argument("what", choices=("move",))
        parser.add_argument("source", metavar="SOURCE")
        parser.add_argument("target", metavar="TARGET")
        parser.add_argument("--keep", action="store_true", help="delete nothing in the source")

    def handle(self, *, source, target, keep, **options):
        readiness.prepare_database(self.stderr.write)
        try:
            old, new = stores.find_store(source), stores.find_store(target)
        except ValueError as error:
            raise CommandError(str(error)) from None
        if old.name == new.name:
            raise CommandError(f"Source and target are both {old.name}.")
        counts: Counter[str] = Counter()
        try:
            for key in sorted(old.keys()):
                counts[self._move(key, old, new, keep)] += 1
        except stores.StoreError as error:
            raise CommandError(f"{error}. Nothing is lost: start it again, and it goes on.") from None
        word = "copied" if keep else "moved"
        self.stdout.write(
            f"{word}: {counts['moved']}, there already: {counts['there']}, of no archive: {counts['unused']}, "
            f"damaged: {counts['damaged']}"
        )
        if counts["damaged"]:
            raise CommandError("What is damaged stays where it is. `manage.py check_data` names its archives.")

    def _move(self, key: str, old: stores.Store, new: stores.Store, keep: bool) -> str:
        """Move one object, under the lock of its bytes. Returns the outcome."""
        digest = stores.digest_of(key)
        with transaction.atomic():
            lock_bytes(digest)
            if key.startswith("blobs/") and not Archive.objects.filter(sha256=digest).exists():
                return "unused"
            try:
                outcome = "there" if _is_whole(new, key) else self._copy(key, old, new)
                if not keep:
                    old.delete(key)
            except (stores.MissingBytes, stores.DamagedBytes) as error:
                self.stderr.write(f"{key}: {error}")
                return "damaged"
            return outcome

    def _copy(self, key: str, old: stores.Store, new: stores.Store) -> str:
        with old.local(key) as path, path.open("rb") as stream:
            copy = blobs.write_incoming(stores.read_blocks(stream))
        if copy.sha256 != stores.digest_of(key):
            copy.discard()
            raise stores.DamagedBytes(stores.digest_of(key))
        new.put(key, copy.file)
        return "moved"


def _is_whole(store: stores.Store, key: str) -> bool:
    try:
        store.verify(key)
    except (stores.MissingBytes, stores.DamagedBytes):
        return False
    return True
