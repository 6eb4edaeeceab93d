"""Check every promise that the database can check: `manage.py check_data [--repair]`."""

from __future__ import annotations

import struct
from collections.abc import Iterator

import zstandard
from django.core.management.base import BaseCommand, CommandError

from webapp.accounts import public_log
from webapp.bulk import editions
from webapp.files import blobs, stores
from webapp.infrastructure import readiness
from webapp.jobs import reconciler
from webapp.models import Archive, Collection, LogEntry, Permalink, TimeSeries
from webapp.permalinks.bundles import collection_bundle, permalink_bundle
from webapp.storage import consistency, series


class Command(BaseCommand):
    help = (
        "Walks the public log, recomputes every permalink and compares its stored files with their digests, hashes the bytes of "
        "every archive, and compares summaries and counts with the measurements. Prints a line for each problem; exit code 1 if "
        "there is one."
    )

    def add_arguments(self, parser):
        parser.add_argument(
            "--repair",
            action="store_true",
            help="make missing files of permalinks and compute wrong summaries and counts again; nothing that is frozen is ever "
            "changed, and lost bytes, a changed log or a changed permalink can only come from a backup",
        )

    def handle(self, *, repair, **options):
        readiness.prepare_database(self.stderr.write)
        if repair:
            for name in reconciler.find_unrendered_permalinks(reconciler.timedelta(0)):
                permalink_bundle.get_bundle(Permalink.objects.get(pk=name))
                self.stdout.write(f"p/{name}: missing files are made")
            if rows := consistency.repair_summary():
                self.stdout.write(f"summary: {rows} rows are computed again")
            for line in consistency.repair():
                self.stdout.write(f"counts: {line}")
        checks = {
            "log": check_log(),
            "permalinks": check_permalinks(),
            "collections": check_collections(),
            "archives": check_bytes(),
            "series": check_series(),
            "data": editions.find_problems(),
            "summary": consistency.find_summary_problems(),
            "counts": consistency.find_problems(),
        }
        failed = 0
        for what, lines in checks.items():
            count = 0
            for line in lines:
                self.stdout.write(line)
                count += 1
            failed += count
            self.stdout.write(f"{what}: {count} problem{'' if count == 1 else 's'}")
        if failed:
            raise CommandError(f"{failed} problem{'' if failed == 1 else 's'}")


def check_log() -> Iterator[str]:
    """Problems of the chain; permalinks and collections without an entry or with another digest in it."""
    yield from public_log.find_problems(LogEntry.objects.order_by("number").iterator())
    logged = dict(LogEntry.objects.filter(kind=public_log.Kind.FREEZE).values_list("subject", "sha256"))
    for prefix, model in (("p", Permalink), ("c", Collection)):
        for pk, digest in model.objects.order_by("pk").values_list("pk", "digest").iterator():
            if logged.get(f"{prefix}/{pk}") != digest:
                yield f"log: {prefix}/{pk} is not in the log with its digest"


def check_permalinks() -> Iterator[str]:
    """Problems of the records and files of permalinks."""
    for permalink in Permalink.objects.order_by("frozen_at", "pk").iterator(chunk_size=20):
        yield from (f"p/{permalink.pk}: {problem}" for problem in permalink_bundle.check_permalink(permalink).problems)


def check_collections() -> Iterator[str]:
    """Problems of the records and files of collections."""
    for collection in Collection.objects.order_by("frozen_at", "pk").iterator(chunk_size=20):
        yield from (f"c/{collection.pk}: {problem}" for problem in collection_bundle.check_collection(collection))


def check_bytes() -> Iterator[str]:
    """Archives whose bytes are missing or have another SHA-256."""
    for pk, sha256 in Archive.objects.order_by("pk").values_list("pk", "sha256").iterator():
        try:
            blobs.verify(sha256)
        except (stores.MissingBytes, stores.DamagedBytes, stores.StoreError) as error:
            yield f"archives/{pk}: {error}"


def check_series() -> Iterator[str]:
    """Series whose columns cannot be read, or have not as many points as their row says."""
    for row in TimeSeries.objects.order_by("pk").iterator(chunk_size=20):
        try:
            counts = [(len(block.v), len(block.lines)) for block in series.iter_blocks(row)]
        except (ArithmeticError, LookupError, ValueError, struct.error, zstandard.ZstdError) as error:
            yield f"archives/{row.archive_id}: series {row.pk} cannot be read: {type(error).__name__}"
            continue
        if (sum(values for values, _ in counts), sum(lines for _, lines in counts)) != (row.points, row.points):
            yield f"archives/{row.archive_id}: series {row.pk} has not its {row.points} points"
