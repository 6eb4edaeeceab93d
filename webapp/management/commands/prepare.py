"""What a start needs before the servers: migrations, static files, and the owner where a web server starts at the very first."""

from __future__ import annotations

import os
from pathlib import Path

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.core.management.base import BaseCommand
from django.db.models import F

from webapp.accounts import sign_in_links
from webapp.archives import reparse
from webapp.files import stores
from webapp.infrastructure import checks, readiness
from webapp.infrastructure.embedded_postgres import CLEAN_STOP
from webapp.models import Archive
from webapp.permalinks import corrections
from webapp.storage.locks import is_archive_locked


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser):
        parser.add_argument(
            "--address", default="", help="address of the server, for the sign-in link where no POOLMARK_ORIGINS is set"
        )
        parser.add_argument("--link-to", type=int, metavar="FD", help="file descriptor that gets the sign-in link of a first start")

    def handle(self, *, address, link_to, **options):
        for sentence in checks.find_missing():
            self.stderr.write(sentence)
        checks.wait_for_site(lambda text: self.stdout.write(text, ending="\n") or self.stdout.flush())
        with readiness.alone_at_start():
            if (waiting := readiness.unapplied()) and readiness.has_tables():
                self.stdout.write(f"Migrating the database ({waiting} migrations); the site does not answer until it is done.")
                self.stdout.flush()
            call_command("migrate", interactive=False, verbosity=0)
            if "web" in settings.POOLMARK_ROLES:
                self._make_owner(address, link_to)
                if count := corrections.enter_corrections():
                    self.stdout.write(f"Corrections of frozen figures in the public log (/log): {count}")
        self._forgive_interrupted()
        stores.sweep()
        self._collect()
        if outdated := reparse.describe_outdated():
            self.stdout.write(f"{outdated} (while the server runs)")
        if settings.PUBLIC_ORIGIN and not settings.POOLMARK_PROXIES:
            self.stdout.write("POOLMARK_PROXIES is 0: behind a proxy all readers' failed sign-ins count as one address's.")

    def _make_owner(self, address: str, link_to: int | None) -> None:
        if not get_user_model().objects.filter(username=sign_in_links.OWNER).exists():
            secret = sign_in_links.make_token(sign_in_links.local_owner())
            link = f"{settings.PUBLIC_ORIGIN or address.rstrip('/')}/sign-in/{secret}"
            if link_to is None:
                self.stdout.write(f"Sign in as the owner (works once):\n{link}")
            else:
                os.write(link_to, link.encode())

    def _forgive_interrupted(self) -> None:
        """A stop that was asked for is no attempt of the archives that were being read."""
        marker = Path(settings.POOLMARK_DATA) / CLEAN_STOP
        if marker.exists():
            reading = Archive.objects.filter(state=Archive.State.READING, attempts__gt=0)
            # What is locked is being read by another machine.
            left = [pk for pk in reading.values_list("pk", flat=True) if not is_archive_locked(pk)]
            reading.filter(pk__in=left).update(state=Archive.State.RECEIVED, attempts=F("attempts") - 1)
            marker.unlink(missing_ok=True)

    def _collect(self) -> None:
        """Make hashed and compressed copies of the static files where the built ones have changed.

        The copies of htmx that a package of ours carries are left out: ours is part of the built script.
        """
        built = Path(settings.BASE_DIR) / "static" / "dist" / "poolmark-ready"
        done = Path(settings.STATIC_ROOT) / "poolmark-collected"
        wanted = built.read_text() if built.exists() else ""
        if not done.exists() or done.read_text() != wanted:
            call_command("collectstatic", interactive=False, verbosity=0, clear=True, ignore_patterns=["django_htmx"])
            done.parent.mkdir(parents=True, exist_ok=True)
            done.write_text(wanted)
