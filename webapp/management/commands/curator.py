"""Let an account accept public archives of other accounts for front pages, or end that."""

from __future__ import annotations

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError

from webapp.accounts import access, audit
from webapp.formatting.numbers import line
from webapp.infrastructure import readiness


class Command(BaseCommand):
    help = __doc__
    requires_system_checks = []  # the start has made them; they would load every page

    def add_arguments(self, parser):
        parser.add_argument("user", metavar="USER", help="name of an account")
        parser.add_argument("--remove", action="store_true", help="the account can no longer accept archives")

    def handle(self, *, user, remove, **options):
        readiness.prepare_database(self.stderr.write)
        account = get_user_model().objects.filter(username=user).first() if "\0" not in user else None
        if account is None:
            raise CommandError(f"There is no account {line(user, 80)}.")
        is_changed = access.set_curator(account, not remove, audit.command_line_actor())
        state = "is not a curator" if remove else "is a curator"
        self.stdout.write(f"{line(user, 80)} {state}" + ("." if is_changed else "; nothing was changed."))
