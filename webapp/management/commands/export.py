"""Write every public measurement and every value that could not be measured, one a row, with its configuration and its line; or
the public log, an entry a line; or all public numbers over time, a series a line in the record format."""

from __future__ import annotations

import json

from django.core.management.base import BaseCommand

from webapp.formats.curve_tables import series_records
from webapp.formats.export import write_csv, write_jsonl
from webapp.infrastructure import readiness
from webapp.models import Archive, LogEntry
from webapp.permalinks.history import entry_fields
from webapp.storage import series


class Command(BaseCommand):
    help = __doc__
    requires_system_checks = []  # the start has made them; they would load every page

    def add_arguments(self, parser):
        parser.add_argument("--format", choices=("csv", "jsonl", "log", "series"), default="csv")

    def handle(self, *, format, **options):
        readiness.prepare_database(self.stderr.write)
        self.stdout.ending = ""  # lines end where the format ends them
        if format == "log":
            for entry in LogEntry.objects.order_by("number").iterator():
                self.stdout.write(json.dumps(entry_fields(entry), ensure_ascii=False) + "\n")
            return
        if format == "series":
            for archive in Archive.objects.public().order_by("id").values_list("id", flat=True):
                for text in series_records(series.of_archive(archive), archive):
                    self.stdout.write(text)
            return
        count = (write_csv if format == "csv" else write_jsonl)(self.stdout)
        self.stderr.write(f"{count} measurements")
