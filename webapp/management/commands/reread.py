"""Read stored archives again with today's parsers, and say which values changed.

Without arguments: all of them. `--parser NAME`: those with a file that an older version of that parser read.
"""

from __future__ import annotations

from django.core.management.base import BaseCommand, CommandError

import ingest
from webapp.archives import reparse
from webapp.infrastructure import readiness
from webapp.jobs.tasks import ingest_archive
from webapp.models import Archive

MAX_PRINTED = 1000  # changes of one archive that are printed


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser):
        parser.add_argument("archives", nargs="*", type=int, metavar="ARCHIVE", help="id of an archive (default: all)")
        parser.add_argument("--parser", metavar="NAME", help="only archives with a file that an older version of it read")

    def handle(self, *, archives, parser, **options):
        readiness.prepare_database(self.stderr.write)
        rows = self._wanted(archives, parser)
        if not rows:
            self.stdout.write("No archive has to be read again." if parser else "There is no archive.")
        results = [self._reread(archive) for archive in rows]
        if not all(results):
            raise CommandError(f"{results.count(False)} of {len(results)} could not be read again; what was known of them is kept.")

    def _wanted(self, ids: list[int], parser: str | None) -> list[Archive]:
        if parser and parser not in ingest.versions():
            raise CommandError(f"There is no parser {parser}. There are: {', '.join(sorted(ingest.versions()))}.", returncode=2)
        rows = Archive.objects.order_by("pk")
        if ids:
            rows = rows.filter(pk__in=ids)
            missing = set(ids) - set(rows.values_list("pk", flat=True))
            if missing:
                raise CommandError(f"No such archive: {', '.join(map(str, sorted(missing)))}", returncode=2)
        return list(rows.filter(pk__in=reparse.find_outdated_archives(parser)) if parser else rows)

    def _reread(self, archive: Archive) -> bool:
        old = reparse.read_stored_values(archive)
        Archive.objects.filter(pk=archive.pk).exclude(state=Archive.State.READING).update(
            state=Archive.State.RECEIVED, attempts=0, failure=""
        )
        outcome = ingest_archive(archive.pk)
        archive.refresh_from_db()
        if outcome != "read":
            self.stderr.write(f"archive {archive.pk}, {archive}: {archive.failure or outcome}")
            return False
        self._print_differences(archive, old, reparse.read_stored_values(archive))
        return True

    def _print_differences(self, archive: Archive, old: dict, new: dict) -> None:
        changes = list(reparse.compare_values(old, new))
        configuration_changes = list(reparse.describe_configuration_changes(old, new))
        counts = (
            sum(change.old is not None and change.new is not None for change in changes),
            sum(change.old is None for change in changes),
            sum(change.new is None for change in changes),
        )
        self.stdout.write(
            f"archive {archive.pk}, {archive}: {len(new)} values, {counts[0]} changed, {counts[1]} appeared,"
            f" {counts[2]} vanished, {len(configuration_changes)} changes of configuration"
        )
        for line in [*changes[:MAX_PRINTED], *configuration_changes[:MAX_PRINTED]]:
            self.stdout.write(f"  {line}")
        omitted = max(0, len(changes) - MAX_PRINTED) + max(0, len(configuration_changes) - MAX_PRINTED)
        if omitted:
            self.stdout.write(f"  and {omitted} more")
