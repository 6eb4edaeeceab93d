"""What staff can do with archives: list them all, unpublish, withdraw, delete, accept. Each act is entered in the audit log."""

from __future__ import annotations

import json
from argparse import ArgumentParser

from django.core.management.base import BaseCommand, CommandError

from webapp.accounts import audit
from webapp.archives import lifecycle, list_queries
from webapp.formatting.numbers import line
from webapp.infrastructure import readiness
from webapp.jobs.state import ReadingState, find_readings
from webapp.models import Archive

_DONE = {
    "unpublish": "is private",
    "withdraw": "is withdrawn",
    "delete": "is deleted",
    "accept": "is accepted for front pages",
    "revoke-acceptance": "is no longer accepted for front pages",
}
_NOTHING = {
    "unpublish": "is not public",
    "withdraw": "is already withdrawn",
    "accept": "is already accepted, not public, or not read yet",
    "revoke-acceptance": "is not accepted",
}
_COLUMNS = ("ID", "STATE", "OWNER", "BYTES", "TITLE")


class Command(BaseCommand):
    help = __doc__
    requires_system_checks = []  # the start has made them; they would load every page

    def add_arguments(self, parser):
        actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
        listing = actions.add_parser("list", help="every archive, private and failed ones too, the oldest first")
        listing.add_argument("--state", choices=list(list_queries.STATES), default="", help="only those in this state")
        listing.add_argument("--json", action="store_true", help="a JSON array instead of columns")
        for name, what in (
            ("unpublish", "make it private again"),
            ("withdraw", "take it out of every comparison"),
            ("delete", "delete its data and its files, without asking"),
        ):
            parser = actions.add_parser(name, help=what)
            parser.add_argument("id", metavar="ID", help="number of the archive")
            parser.add_argument(
                "--reason",
                default="",
                metavar="TEXT",
                help="kept in the audit log" + (" and shown on its page; required" if name == "withdraw" else ""),
            )
        add_accept_arguments(actions.add_parser("accept", help="let a public archive enter front pages and default figures"))

    def handle(self, *, action, reason="", **options):
        readiness.prepare_database(self.stderr.write)
        if action == "list":
            readings = {reading.archive: reading for reading in find_readings()}
            archives = list_queries.find_archives(options["state"]).order_by("pk").iterator(chunk_size=2000)
            rows = [_facts(row, readings.get(row.pk)) for row in archives]
            self.stdout.write(json.dumps(rows, indent=1) if options["json"] else _table(rows, readings))
            return
        if action == "withdraw" and not reason.strip():
            raise CommandError("Give a reason: --reason TEXT. It is shown on the page of the archive.")
        if action == "accept" and options["undo"]:
            action = "revoke-acceptance"
        self.stdout.write(self._act(options["id"], action, reason.strip()))

    def _act(self, text: str, action: str, reason: str) -> str:
        """Perform the action; a sentence about its result."""
        archive = Archive.objects.filter(pk=int(text)).first() if text.isascii() and text.isdigit() and len(text) < 18 else None
        if archive is None:
            raise CommandError(f"There is no archive {line(text, 40)}.")
        done = lifecycle.perform_action(archive.pk, action, audit.command_line_actor(), reason)
        return f"archive {text}, {line(archive)}, {_DONE[action] if done else _NOTHING[action] + '; nothing was changed'}."


def add_accept_arguments(parser: ArgumentParser) -> None:
    """The arguments of `archive accept` and of `accept`."""
    parser.add_argument("id", metavar="ID", help="number of the archive")
    parser.add_argument("--reason", default="", metavar="TEXT", help="kept in the audit log and shown on its page")
    parser.add_argument("--undo", action="store_true", help="remove it from front pages; it stays public")


def _facts(row: Archive, reading: ReadingState | None) -> dict[str, object]:
    return {
        "id": row.pk,
        "state": row.standing,
        "owner": row.owner.get_username(),
        "size": row.size,
        "title": str(row),
        "name": row.name,
        "sha256": row.sha256,
        "uploaded_at": row.uploaded_at.isoformat(),
        "measurements": row.measurements,
        "accepted_at": row.accepted_at.isoformat() if row.accepted_at else None,
        "reason": row.withdrawn_reason or row.failure,
        "reading": reading
        and {
            "since": reading.began_at.isoformat() if reading.began_at else None,
            "attempt": reading.attempt,
            "process": reading.process or None,
        },
    }


def _table(rows: list[dict[str, object]], readings: dict[int, ReadingState]) -> str:
    """Columns as wide as their widest cell; numbers right-aligned; each text on one line, with the reading that goes on."""

    def title(row: dict[str, object]) -> str:
        return line(row["title"]) + (f" (being read {readings[row['id']]})" if row["id"] in readings else "")

    cells = [
        _COLUMNS,
        *((str(row["id"]), str(row["state"]), line(row["owner"], 40), str(row["size"]), title(row)) for row in rows),
    ]
    widths = [max(len(row[column]) for row in cells) for column in range(4)]
    return "\n".join(
        f"{number:>{widths[0]}}  {state:<{widths[1]}}  {owner:<{widths[2]}}  {size:>{widths[3]}}  {title}"
        for number, state, owner, size, title in cells
    )
