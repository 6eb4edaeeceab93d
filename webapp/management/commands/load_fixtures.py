"""Read the studies of fixtures/ through the ordinary path and freeze their comparisons; what is there unchanged is left alone."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from pathlib import Path

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.core.management.base import BaseCommand
from django.db.models import Exists, OuterRef

from webapp.accounts import audit, blocks
from webapp.archives import lifecycle
from webapp.files import pack
from webapp.infrastructure import readiness
from webapp.models import Archive, AuditEntry, StudyFigure
from webapp.studies import page, registry

LIBRARY = "poolmark"
SHIPPED = "Shipped with Poolmark."
REPLACED = "The files of this study changed; they were read again as"


class Command(BaseCommand):
    help = __doc__

    def handle(self, **options):
        readiness.prepare_database(self.stderr.write)
        fixtures = Path(settings.BASE_DIR, "fixtures")
        folders = {name: folder_digest(fixtures / name) for name in registry.shipped_studies() if (fixtures / name).is_dir()}
        here = {archive.sha256 for archive in shipped_archives() if not archive.withdrawn_reason.startswith(REPLACED)}
        wanted = [name for name, sha256 in folders.items() if sha256 not in here and not self._is_blocked(name, sha256)]
        if wanted:
            self.stdout.write(f"Reading {len(wanted)} of {len(folders)} studies: {', '.join(wanted)}")
            call_command("ingest", *(str(fixtures / name) for name in wanted), user=LIBRARY, stdout=self.stdout)
        for name in wanted:
            for old in replace_study(name, folders[name]):
                self.stdout.write(f"{name}: archive {old} was read from files that have changed, and is withdrawn")
        accept_shipped(folders.values())
        owner = get_user_model().objects.filter(username=LIBRARY).first()
        site = next(iter(settings.CSRF_TRUSTED_ORIGINS), "")  # the configured public address, since there is no request
        for number, title in enumerate(page.freeze_missing(owner, site) if owner else (), 1):
            self.stdout.write(f"Freezing comparison {number}: {title}")

    def _is_blocked(self, name: str, sha256: str) -> bool:
        """Whether the operator has blocked a shipped study, or its account, which is no error."""
        owner = get_user_model().objects.filter(username=LIBRARY).first()
        try:
            blocks.check(sha256, owner.pk if owner else None)
        except blocks.Blocked as blocked:
            self.stdout.write(f"{name}: {blocked}")
            return True
        return False


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
