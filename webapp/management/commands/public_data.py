"""The public data as files: make an edition now, exact quantiles of all values, and the public summary checked against them."""

from __future__ import annotations

import csv

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from webapp.bulk import editions, scans
from webapp.files import stores
from webapp.infrastructure import readiness
from webapp.models import PublicData


class Command(BaseCommand):
    help = __doc__
    requires_system_checks = []

    def add_arguments(self, parser):
        parser.add_argument(
            "what",
            choices=("make", "quantiles", "check"),
            help="make: today's edition, in this process. quantiles: of all counted values by metric, tool, statistic and file "
            "system, as CSV. check: compare counts, means and extremes of the public summary with the newest edition",
        )
        parser.add_argument("quantile", nargs="*", type=float, default=[0.5], help="between 0 and 1; default 0.5")

    def handle(self, *, what, quantile, **options):
        readiness.prepare_database(self.stderr.write)
        if what == "make":
            self._make()
            return
        if any(not 0 <= one <= 1 for one in quantile):
            raise CommandError("A quantile is a number from 0 to 1.")
        newest = editions.newest()
        if newest is None:
            raise CommandError("No edition is made yet: manage.py public_data make.")
        try:
            self._quantiles(newest, quantile) if what == "quantiles" else self._check(newest)
        except (stores.MissingBytes, stores.DamagedBytes, stores.StoreError) as error:
            raise CommandError(
                f"The edition of {newest.date} cannot be read: {error}. manage.py check_data names its files."
            ) from None

    def _make(self) -> None:
        today = timezone.now().date()
        edition, _ = PublicData.objects.get_or_create(date=today)
        if edition.state != PublicData.State.READY:
            PublicData.objects.filter(pk=edition.pk).update(state=PublicData.State.ASKED, attempts=0)
        outcome = editions.make(today)
        if outcome == "busy":
            raise CommandError("A worker is making it.")
        edition.refresh_from_db()
        self.stdout.write(f"{edition.date}: {edition.measurements} measurements of {len(edition.archives)} archives")

    def _quantiles(self, newest: PublicData, quantiles: list[float]) -> None:
        writer = csv.writer(self.stdout, lineterminator="\n")
        writer.writerow(["metric", "tool", "stat", "fs_type", "values", "least", "greatest", *quantiles])
        for key, row in sorted(scans.read_pooled_quantiles(newest, quantiles).items()):
            writer.writerow([*key, *row])

    def _check(self, newest: PublicData) -> None:
        check = scans.check_summary(newest)
        for problem in check.problems:
            self.stdout.write(problem)
        if check.problems:
            count = len(check.problems)
            raise CommandError(f"{count} rows differ; what was published or withdrawn since {newest.date} differs too.")
        exact = f"{check.exact} of {check.rows} means to the last digit"
        self.stdout.write(f"{newest.date}: the public summary is what its values give, {exact}.")
