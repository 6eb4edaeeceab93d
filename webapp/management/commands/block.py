"""Block an account (no sign-in, no upload, no publishing) or the bytes of an archive, or remove a block."""

from __future__ import annotations

from django.core.management.base import BaseCommand, CommandError

from webapp.accounts import audit, blocklist
from webapp.archives import lifecycle
from webapp.infrastructure import readiness


class Command(BaseCommand):
    help = __doc__
    requires_system_checks = []  # the start has made them; they would load every page

    def add_arguments(self, parser):
        parser.add_argument("what", metavar="USER|SHA256", help="name of an account, or SHA-256 of an archive as uploaded")
        parser.add_argument("--reason", default="", metavar="TEXT", help="shown to those who are blocked")
        parser.add_argument("--remove", action="store_true", help="remove the block")

    def handle(self, *, what, reason, remove, **options):
        readiness.prepare_database(self.stderr.write)
        try:
            target = blocklist.parse_target(what)
        except blocklist.UnknownTarget as unknown:
            raise CommandError(str(unknown)) from unknown
        self.stdout.write(self._remove(target) if remove else self._block(target, reason.strip()))

    def _remove(self, target) -> str:
        block = blocklist.find_block(target)
        if block is None:
            raise CommandError(f"{_named(target)} is not blocked.")
        lifecycle.remove_block(block, audit.command_line_actor())
        return f"{_named(target)} is no longer blocked. Archives that became private stay private."

    def _block(self, target, reason: str) -> str:
        if isinstance(target, str):
            new, hidden = lifecycle.block_bytes(target, reason, audit.command_line_actor())
            became = f"Archives that became private: {hidden}."
        else:
            new = lifecycle.block_user(target, reason, audit.command_line_actor())
            became = "The archives of this account stay as they are."
        return f"{_named(target)} is blocked. {became}" if new else f"{_named(target)} was already blocked; nothing was changed."


def _named(target) -> str:
    return target if isinstance(target, str) else target.get_username()
