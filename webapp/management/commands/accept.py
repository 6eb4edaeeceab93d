"""Accept a public archive for front pages, presets and the default comparison: short for `archive accept`."""

from __future__ import annotations

from webapp.management.commands import archive


class Command(archive.Command):
    help = __doc__

    def add_arguments(self, parser):
        archive.add_accept_arguments(parser)

    def handle(self, **options):
        super().handle(action="accept", **options)
