"""Read the studies of fixtures/ through the ordinary path and freeze their comparisons; what is there unchanged is left alone."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable
from pathlib import Path

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError
from django.db.models import Exists, OuterRef

from webapp.accounts import audit, blocklist
from webapp.archives import lifecycle
from webapp.files import pack, stores
from webapp.formatting.numbers import size
from webapp.infrastructure import readiness
from webapp.management.commands.ingest import ingest_paths
from webapp.management.progress import ProgressLine
from webapp.models import Archive, AuditEntry, StudyFigure
from webapp.permalinks.frozen_addresses import find_origin
from webapp.studies import page, registry

LIBRARY = "poolmark"
SHIPPED = "Shipped with Poolmark."
REPLACED = "The files of this study changed; they were read again as"


class Command(BaseCommand):
    help = __doc__

    def handle(self, **options):
        readiness.prepare_database(self.stderr.write)
        if (free := stores.free_bytes()) < settings.POOLMARK_RESERVE:
            self.stderr.write(f"{size(free)} are free on the disk: the studies are loaded at a start with more room.")
            return
        with readiness.alone_at_start(readiness.STUDIES_LOCK):
            self._load()

    def _load(self) -> None:
        fixtures = Path(settings.BASE_DIR, "fixtures")
        folders = {name: folder_digest(fixtures / name) for name in registry.shipped_studies() if (fixtures / name).is_dir()}
        here = {archive.sha256 for archive in shipped_archives() if not archive.withdrawn_reason.startswith(REPLACED)}
        wanted = [name for name, sha256 in folders.items() if sha256 not in here and not self._is_blocked(name, sha256)]
        if wanted:
            self._read([fixtures / name for name in reversed(wanted)])  # the first of the file are then the newest archives
        for name in wanted:
            for old in replace_study(name, folders[name]):
                self.stdout.write(f"{name}: archive {old} was read from files that have changed, and is withdrawn")
        accept_shipped(folders.values())
        owner = get_user_model().objects.filter(username=LIBRARY).first()
        self._freeze(page.freeze_missing(owner, find_origin()) if owner else ())

    def _read(self, folders: list[Path]) -> None:
        """Read each folder as an archive; CommandError if one cannot be read."""
        progress, failures = ProgressLine(self.stdout, f"Loading {count_of(len(folders), 'published study')}"), []
        for done, (is_read, line) in enumerate(ingest_paths(folders, LIBRARY), 1):
            progress.show(f"{done} of {len(folders)}")
            failures += [] if is_read else [line]
        progress.end("done" if not failures else f"{len(failures)} failed")
        if failures:
            raise CommandError("\n".join(failures))

    def _freeze(self, titles: Iterable[str]) -> None:
        """Freeze the comparisons whose titles are yielded, each before it is frozen."""
        progress, number = None, 0
        for number, title in enumerate(titles, 1):
            progress = progress or ProgressLine(self.stdout, "Drawing their figures")
            progress.show(f"{number}, {title[:50]}")
        if progress:
            progress.end(f"{number} frozen")

    def _is_blocked(self, name: str, sha256: str) -> bool:
        """Whether the operator has blocked a shipped study, or its account, which is no error."""
        owner = get_user_model().objects.filter(username=LIBRARY).first()
        try:
            blocklist.check(sha256, owner.pk if owner else None)
        except blocklist.Blocked as blocked:
            self.stdout.write(f"{name}: {blocked}")
            return True
        return False


def count_of(number: int, noun: str) -> str:
    """`1 published study`, `10 published studies`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun.removesuffix('y')}ies"


def shipped_archives():
    """The archives that this command has made and that are read."""
    return Archive.objects.filter(owner__username=LIBRARY, state=Archive.State.READ)


def accept_shipped(digests: Collection[str]) -> None:
    """Accept the archives of these bytes that were never accepted before: an acceptance that was revoked stays so."""
    before = AuditEntry.objects.filter(archive=OuterRef("pk"), action="accept")
    for archive in shipped_archives().filter(~Exists(before), sha256__in=digests):
        lifecycle.perform_action(archive.pk, "accept", audit.command_line_actor(), SHIPPED)


def folder_digest(folder: Path) -> str:
    """SHA-256 of the archive of a folder."""
    digest = hashlib.sha256()
    for block in pack.pack(pack.list_folder_entries(folder)):
        digest.update(block)
    return digest.hexdigest()


def replace_study(name: str, sha256: str) -> list[int]:
    """Make the archive of these bytes the study's: archives of other bytes are withdrawn, and their ids returned.

    Its permalinks stay as they were frozen; the pages of the studies get new ones, of the new values.
    """
    new = shipped_archives().get(sha256=sha256)
    if new.withdrawn_reason.startswith(REPLACED):
        lifecycle.perform_action(new.pk, "unwithdraw", audit.command_line_actor())
    # Named by the study or by the folder, since a manifest that failed to parse names no study.
    older = shipped_archives().filter(study=new.study or name, withdrawn_at=None).exclude(pk=new.pk)
    ids = list(older.values_list("pk", flat=True))
    for pk in ids:
        lifecycle.perform_action(pk, "withdraw", audit.command_line_actor(), f"{REPLACED} archive {new.pk}.")
    if ids:
        StudyFigure.objects.filter(study__in=(new.study or name, "")).delete()
    return ids
