"""Read files, folders or archives into the database through the very code path that an upload takes."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from ingest.warning_codes import BAD_INPUT
from webapp.accounts import access, audit, sign_in_links
from webapp.accounts.blocklist import Blocked
from webapp.archives import lifecycle
from webapp.archives.upload import receive
from webapp.files import blobs, pack, stores
from webapp.infrastructure import readiness
from webapp.jobs import distribution, rereading
from webapp.jobs.forked import map_in_processes
from webapp.jobs.tasks import ingest_archive
from webapp.models import Archive

ENDED = "A process that reads was ended from outside, as where memory is short. Started again, with fewer --jobs, it goes on."
MAX_BAD_INPUT = 10
GROUP_BYTES = 400_000  # of archives that are stored together, some 50,000 values
RETRY_SECONDS = 0.2
"""Seconds between attempts to read an archive that another process reads."""


class Command(BaseCommand):
    help = __doc__
    requires_system_checks = []  # the start has made them; they would load every page

    def add_arguments(self, parser):
        parser.add_argument("paths", nargs="*", metavar="PATH", type=Path, help="file, folder or archive")
        parser.add_argument(
            "--distribute",
            metavar="PREFIX",
            help="instead of paths: each file below a folder or s3://BUCKET/PREFIX as an archive, for the workers of all machines",
        )
        parser.add_argument("--no-wait", action="store_true", help="with --distribute: end when all are handed over")
        parser.add_argument("--user", default=sign_in_links.OWNER, help="account that will own the archives (default: %(default)s)")
        parser.add_argument("--private", action="store_true", help="do not publish")
        parser.add_argument(
            "--publish-anyway",
            metavar="FINDING",
            action="append",
            default=[],
            help="publish this secret all the same; what has others stays private, and is printed with the name of each finding",
        )
        parser.add_argument(
            "--jobs",
            type=int,
            default=os.cpu_count() or 1,
            help="archives read at the same time (default: one per processor, %(default)s)",
        )
        parser.add_argument("--title", default="", help="title (default: from the manifest or the file name)")

    def handle(self, *, paths, user, private, title, jobs, distribute, no_wait, publish_anyway, **options):
        if bool(paths) == bool(distribute):
            raise CommandError("Name paths, or a folder or bucket with --distribute.", returncode=2)
        if distribute:
            self._distribute(distribute, user, None if private else publish_anyway, is_waiting=not no_wait)
            return
        missing = [str(path) for path in paths if not path.exists()]
        if missing:
            raise CommandError(f"No such file or folder: {', '.join(missing)}", returncode=2)
        readiness.prepare_database(self.stderr.write)
        results = []
        try:
            for is_read, line in ingest_paths(paths, user, public=not private, title=title, jobs=jobs, confirmed=publish_anyway):
                results.append(is_read)
                self.stdout.write(line)
        except blobs.DiskFull as error:
            raise CommandError(f"{error}. {len(results)} of {len(paths)} are done; started again, it goes on.") from None
        except BrokenProcessPool:
            raise CommandError(ENDED) from None
        if not all(results):
            raise CommandError(f"{results.count(False)} of {len(results)} could not be read.")

    def _distribute(self, prefix: str, user: str, confirmed: list[str] | None, is_waiting: bool) -> None:
        readiness.prepare_database(self.stderr.write)
        sent: list[distribution.HandedOver] = []
        refused = 0
        try:
            for name, outcome in distribution.send(prefix, sign_in_links.ensure_account(user), confirmed):
                if isinstance(outcome, str):
                    refused += 1
                    self.stdout.write(f"{name}: {outcome}")
                else:
                    sent.append(outcome)
        except (ValueError, OSError, blobs.DiskFull) as error:
            raise CommandError(f"{error}. {len(sent)} archives are handed over; started again, it goes on.") from None
        self.stdout.write(f"{len(sent)} archives are handed over to the workers")
        failed = 0
        for archive, is_new in distribution.wait(sent) if is_waiting else ():
            failed += archive.state != Archive.State.READ
            self.stdout.write(describe_result(archive, is_new))
        if failed or refused:
            raise CommandError(f"{failed + refused} of {len(sent) + refused} could not be read.")


def ingest_paths(
    paths: list[Path], user: str, *, public: bool = True, title: str = "", jobs: int = 0, confirmed: Collection[str] = ()
) -> Iterator[tuple[bool, str]]:
    """Read each path as an archive of the account, which is made if missing; whether it is read, and one line about it.

    `jobs`: how many at the same time; 0 for one per processor.
    """
    work = partial(_ingest_group, owner=sign_in_links.ensure_account(user), public=public, title=title, confirmed=confirmed)
    jobs = jobs or os.cpu_count() or 1
    for results in map_in_processes(work, _group(paths, jobs), jobs):
        yield from results


def _group(paths: Sequence[Path], jobs: int) -> list[list[Path]]:
    """The paths in their order, small files in groups that are stored together, so many that each job has several."""
    groups: list[list[Path]] = []
    room, most = 0, max(1, min(rereading.MAX_ARCHIVES, len(paths) // (4 * jobs)))
    for path in paths:
        size = path.stat().st_size if path.is_file() else GROUP_BYTES
        if not groups or size > room or len(groups[-1]) >= most:
            groups.append([])
            room = GROUP_BYTES
        groups[-1].append(path)
        room -= size
    return groups


def _ingest_group(paths: Sequence[Path], **how: Any) -> list[tuple[bool, str]]:
    """`ingest_one` of each path, of which those that are new are stored together."""
    sent: list[int] = []
    received = [_receive(path, send=sent.append if len(paths) > 1 else ingest_archive, **how) for path in paths]
    for _ in rereading.read_together(sent):
        pass
    return [one if isinstance(one, tuple) else one() for one in received]


def ingest_one(path: Path, owner, public: bool, title: str, confirmed: Collection[str] = ()) -> tuple[bool, str]:
    """Read one path; whether it is read, and one line about it. It stays private where it has secrets that are not `confirmed`."""
    return _ingest_group([path], owner=owner, public=public, title=title, confirmed=confirmed)[0]


def _receive(
    path: Path, owner, public: bool, title: str, confirmed: Collection[str], *, send: Callable[[int], object]
) -> tuple[bool, str] | Callable[[], tuple[bool, str]]:
    """Take in one path; what gives the result once the archive that was sent is read, or the result where it is refused."""
    incoming, kept_private = read_path(path), ""
    try:
        if public:
            kept_private = distribution.describe_secrets(incoming, archive_name(path), confirmed)
        public = public and not kept_private
        archive, is_new = receive(incoming, owner, archive_name(path), title=title, public=public, send=send)
    except Blocked as blocked:
        return False, f"{archive_name(path)}: {blocked}"

    def finish() -> tuple[bool, str]:
        archive.refresh_from_db()
        if archive.state in (Archive.State.RECEIVED, Archive.State.READING):
            # An earlier reading was cut off, or this process may not read in a callback. Where another process reads it (the same
            # bytes twice, a running server), that one finishes, or dies and unlocks the archive.
            while ingest_archive(archive.pk) == "busy":
                time.sleep(RETRY_SECONDS)
            archive.refresh_from_db()
        if not is_new and public and access.owns(owner, archive):
            lifecycle.perform_action(archive.pk, "publish", audit.command_line_actor(), confirmed=confirmed)
            archive.refresh_from_db()
        return archive.state == Archive.State.READ, "\n".join(filter(None, (describe_result(archive, is_new), kept_private)))

    return finish


def archive_name(path: Path) -> str:
    """The name of the archive of a path: that of the file, or of the folder with `.tar`."""
    path = path.resolve()
    return f"{path.name or 'root'}.tar" if path.is_dir() else path.name


def read_path(path: Path) -> blobs.IncomingFile:
    """The bytes of a file as they are, of a folder as one deterministic tar."""
    if path.is_dir():
        return blobs.write_incoming(pack.pack(pack.list_folder_entries(path)))
    with path.open("rb") as stream:
        return blobs.write_incoming(stores.read_blocks(stream))


def describe_result(archive: Archive, is_new: bool) -> str:
    """One line about the result for an archive."""
    state: dict[str, str] = {Archive.State.READ: "" if is_new else "already uploaded, ", Archive.State.FAILED: "FAILED, "}
    unmeasured = f"{archive.unmeasured} unmeasured, " if archive.unmeasured else ""
    counts = (
        f"{archive.files_total} files, {archive.measurements} measurements, {unmeasured}{archive.warnings} warnings, "
        f"/archives/{archive.pk}"
    )
    outcome = state.get(archive.state, f"{archive.get_state_display()}, ")
    line = f"{archive.name}: {outcome}archive {archive.pk}, {counts}"
    return "\n  ".join([line, *([archive.failure] if archive.failure else []), *describe_bad_input(archive)])


def describe_bad_input(archive: Archive) -> list[str]:
    """A line for each file with which something is wrong as a whole, at most `MAX_BAD_INPUT`, then how many more there are."""
    notes = archive.notes.filter(code__in=BAD_INPUT).order_by("id")
    lines = [f"{note.path or archive.name}: {note.message}" for note in notes[:MAX_BAD_INPUT]]
    more = notes.count() - len(lines) if len(lines) == MAX_BAD_INPUT else 0
    return [*lines, *([f"and {more} more of this kind, on its page"] if more else [])]
