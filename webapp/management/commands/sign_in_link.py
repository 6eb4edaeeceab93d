"""Print a link that signs in once."""

from __future__ import annotations

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from webapp.accounts import blocklist, sign_in_links
from webapp.infrastructure import readiness


class Command(BaseCommand):
    help = __doc__
    requires_system_checks = []  # the start has made them; they would load every page

    def add_arguments(self, parser):
        parser.add_argument("--user", default=sign_in_links.OWNER, help="account, created if missing (default: %(default)s)")
        parser.add_argument(
            "--base",
            default="",
            metavar="ADDRESS",
            help="address of the server, put before the path (default: the first of POOLMARK_ORIGINS)",
        )

    def handle(self, *, user, base, **options):
        readiness.prepare_database(self.stderr.write)
        account = sign_in_links.ensure_account(user)
        if block := getattr(account, "block", None):
            raise CommandError(blocklist.describe_block(block))
        secret = sign_in_links.make_token(account)
        self.stdout.write(f"{base.rstrip('/') or settings.PUBLIC_ORIGIN}/sign-in/{secret}")
