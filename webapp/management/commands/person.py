"""Accounts of persons: prints a token of one for the API, which is shown this once."""

from __future__ import annotations

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError

from webapp.accounts import api_tokens, audit, blocklist
from webapp.infrastructure import readiness


class Command(BaseCommand):
    help = __doc__
    requires_system_checks = []  # the start has made them; they would load every page

    def add_arguments(self, parser):
        acts = parser.add_subparsers(dest="act", required=True, metavar="ACT")
        token = acts.add_parser("token", help="print a new token of the account")
        token.add_argument("name", metavar="NAME", help="name of the account")
        token.add_argument("--scope", choices=api_tokens.SCOPES, default=api_tokens.PUSH, help="default: %(default)s")
        token.add_argument("--days", type=int, default=api_tokens.DAYS, metavar="N", help="days of validity (default: %(default)s)")
        token.add_argument("--called", default="command line", metavar="TEXT", help="name of the token (default: %(default)s)")

    def handle(self, *, name, scope, days, called, **options):
        readiness.prepare_database(self.stderr.write)
        account = get_user_model().objects.select_related("block").filter(username=name).first()
        if account is None:
            raise CommandError(f"There is no account {name}. `manage.py sign_in_link --user {name}` makes it.")
        if block := getattr(account, "block", None):
            raise CommandError(blocklist.describe_block(block))
        try:
            self.stdout.write(api_tokens.issue(account, called, scope, days, audit.command_line_actor()))
        except ValueError as error:
            raise CommandError(str(error)) from error
