"""Read stored archives again with today's parsers, and say which values changed.

Without arguments: all of them; interrupted and started again, it goes on where it was. `--parser NAME`: those with a file
that an older version of that parser read.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures.process import BrokenProcessPool
from time import monotonic

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

import ingest
from webapp.archives import reparse
from webapp.formatting import numbers as shown
from webapp.infrastructure import readiness
from webapp.jobs import rereading
from webapp.jobs.forked import map_in_processes
from webapp.management.commands.ingest import ENDED
from webapp.models import Archive, BulkReread, Rereading

PROGRESS_SECONDS = 5.0  # between two lines of progress


class Command(BaseCommand):
    help = __doc__
    requires_system_checks = []  # the start has made them; they would load every page
    _said = 0.0  # when progress was last printed

    def add_arguments(self, parser):
        parser.add_argument("archives", nargs="*", type=int, metavar="ARCHIVE", help="id of an archive (default: all)")
        parser.add_argument("--parser", metavar="NAME", help="only archives with a file that an older version of it read")
        parser.add_argument(
            "--jobs",
            type=int,
            default=os.cpu_count() or 1,
            help="groups of archives read at the same time (default: one per processor, %(default)s)",
        )

    def handle(self, *, archives, parser, jobs, **options):
        readiness.prepare_database(self.stderr.write)
        rows = self._wanted(archives, parser)
        if not rows:
            self.stdout.write("No archive needs to be read again." if parser else "There is no archive.")
            return
        bulk = None if archives or parser else self._continue_bulk()
        if bulk is not None:
            left = [archive for archive in rows if archive.read_at is None or archive.read_at < bulk.started_at]
            if len(left) < len(rows):
                started = f"{bulk.started_at:%Y-%m-%d %H:%M} UTC"
                self.stdout.write(f"Resuming what was started at {started}: {len(rows) - len(left)} archives are done.")
            rows = left
        failed = self._reread_all(rows, jobs)
        if bulk is not None:
            bulk.finished_at = timezone.now()
            bulk.save(update_fields=["finished_at"])
        if failed:
            raise CommandError(f"{failed} of {len(rows)} could not be read again; their earlier values are kept.")

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

    def _continue_bulk(self) -> BulkReread:
        """The reading of all archives that was interrupted, or a new one."""
        return BulkReread.objects.filter(finished_at=None).order_by("-pk").first() or BulkReread.objects.create()

    def _reread_all(self, rows: list[Archive], jobs: int) -> int:
        """The number of those that could not be read."""
        seconds, disk = reparse.estimate_reread(rows)
        values = sum(archive.measurements for archive in rows)
        self.stdout.write(
            f"{shown.count(len(rows))} archive{'' if len(rows) == 1 else 's'}, {shown.count(values)} values: about"
            f" {shown.duration(seconds)}, and up to {shown.size(disk)} more disk space meanwhile."
        )
        last = Rereading.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
        before = {archive.pk: archive.measurements for archive in rows}
        failed, done, started = 0, 0, monotonic()
        for number, (pk, outcome) in enumerate(_outcomes(rows, jobs), 1):
            failed += not self._report(pk, outcome, last)
            done += before[pk]
            if number < len(rows) and monotonic() - self._said >= PROGRESS_SECONDS:
                self._said = monotonic()
                left = (monotonic() - started) * ((values - done) / done if done else len(rows) / number - 1)
                self.stdout.write(f"{number} of {len(rows)} archives, about {shown.duration(left)} left")
        return failed

    def _report(self, pk: int, outcome: str, last: int) -> bool:
        """Print what the reading of an archive gave; False where it was not read. `last`: id of the last reading before all."""
        archive = Archive.objects.filter(pk=pk).first()
        if archive is None:
            self.stderr.write(f"archive {pk} was deleted meanwhile")
            return True
        if outcome != "read":
            self.stderr.write(f"archive {pk}, {archive}: {archive.failure or outcome}")
            return False
        reading = Rereading.objects.filter(archive=archive, pk__gt=last).order_by("-pk").first()
        if reading is not None:
            self._print_differences(archive, reading)
        else:
            self.stdout.write(f"archive {archive.pk}, {archive}: {archive.measurements} values, read for the first time")
        return True

    def _print_differences(self, archive: Archive, reading: Rereading) -> None:
        if not reading.is_compared:
            self.stdout.write(f"archive {archive.pk}, {archive}: {reading.values} values, too many to compare one by one")
            return
        self.stdout.write(
            f"archive {archive.pk}, {archive}: {reading.values} values, {reading.changed} changed, {reading.appeared} appeared,"
            f" {reading.vanished} vanished, changes of configuration: {reading.configuration_changes}"
        )
        for line in reading.lines:
            self.stdout.write(f"  {line}")
        if reading.omitted:
            self.stdout.write(f"  and {reading.omitted} more")


def _outcomes(archives: list[Archive], jobs: int) -> Iterator[tuple[int, str]]:
    """The id and the outcome of each archive, in the order of their groups."""
    try:
        for outcomes in map_in_processes(_reread_group, rereading.group(archives), jobs):
            yield from outcomes
    except BrokenProcessPool:
        raise CommandError(ENDED) from None


def _reread_group(ids: list[int]) -> list[tuple[int, str]]:
    return list(rereading.reread_all(ids))
