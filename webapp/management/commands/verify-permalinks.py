"""Check every frozen record on this server: `manage.py verify-permalinks [ID...]`."""

from __future__ import annotations

from django.core.management.base import BaseCommand, CommandError

from webapp.infrastructure import readiness
from webapp.models import Collection, Permalink
from webapp.permalinks.bundles import collection_bundle, permalink_bundle


class Command(BaseCommand):
    help = "Recomputes every value and statistic of the frozen records and checks all digests. Exit code 1 for a problem."

    def add_arguments(self, parser):
        parser.add_argument("names", nargs="*", metavar="ID", help="permalinks to check (default: all, and the collections)")

    def handle(self, *, names, **options):
        readiness.prepare_database(self.stderr.write)
        permalinks = Permalink.objects.order_by("frozen_at", "pk")
        if names:
            permalinks = permalinks.filter(pk__in=names)
            missing = sorted(set(names) - set(permalinks.values_list("pk", flat=True)))
            if missing:
                raise CommandError(f"no such permalink: {', '.join(missing)}")
        failed, count, total = 0, 0, 0
        for permalink in permalinks.iterator(chunk_size=20):
            problems, values, recorded = permalink_bundle.check_permalink(permalink)
            count, total, failed = count + 1, total + values, failed + bool(problems)
            for problem in problems:
                self.stdout.write(f"{permalink.pk}: {problem}")
            if not problems:
                as_recorded = f", {recorded} taken as recorded" if recorded else ""
                self.stdout.write(f"{permalink.pk}: all {values} values recomputed{as_recorded}, digest matches")
        self.stdout.write(f"{count} permalinks, {total} values, {failed} with problems")
        failed += 0 if names else self.collections()
        if failed:
            raise CommandError(f"{failed} of what is frozen {'has' if failed == 1 else 'have'} problems")

    def collections(self) -> int:
        """Check every collection; the number of those with problems."""
        failed = 0
        for collection in Collection.objects.order_by("frozen_at", "pk").iterator(chunk_size=20):
            problems = collection_bundle.check_collection(collection)
            failed += bool(problems)
            for problem in problems or ["every digest matches"]:
                self.stdout.write(f"collection {collection.pk}: {problem}")
        return failed
