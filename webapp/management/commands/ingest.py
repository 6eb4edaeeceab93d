"""Read files, folders or archives into the database through the very code path that an upload takes."""

from __future__ import annotations

import gc
import multiprocessing
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError
from django.db import connection, connections

from webapp.accounts import access, audit, sign_in
from webapp.accounts.blocks import Blocked
from webapp.archives import lifecycle
from webapp.archives.upload import receive
from webapp.files import blobs, pack
from webapp.infrastructure import readiness
from webapp.jobs.tasks import ingest_archive
from webapp.models import Archive

BUSY = 0.2
"""Seconds until an archive that somebody else reads is asked for again."""


class Command(BaseCommand):
    help = __doc__
    requires_system_checks = []  # the start has made them; they would load every page

    def add_arguments(self, parser):
        parser.add_argument("paths", nargs="+", metavar="PATH", type=Path, help="file, folder or archive")
        parser.add_argument("--user", default=sign_in.OWNER, help="whose archives these will be (default: %(default)s)")
        parser.add_argument("--private", action="store_true", help="do not publish")
        parser.add_argument(
            "--jobs",
            type=int,
            default=os.cpu_count() or 1,
            help="archives read at the same time (default: one per processor, %(default)s)",
        )
        parser.add_argument("--title", default="", help="title (default: what the manifest or the name says)")

    def handle(self, *, paths, user, private, title, jobs, **options):
        missing = [str(path) for path in paths if not path.exists()]
        if missing:
            raise CommandError(f"No such file or folder: {', '.join(missing)}", returncode=2)
        readiness.prepare_database(self.stderr.write)
        work = partial(ingest_one, owner=sign_in.ensure_account(user), public=not private, title=title)
        good = []
        for well, told in _each(work, paths, min(jobs, len(paths))):
            good.append(well)
            self.stdout.write(told)
        if not all(good):
            raise CommandError(f"{good.count(False)} of {len(good)} could not be read.")


def _each(work: Callable[[Path], tuple[bool, str]], paths: list[Path], jobs: int) -> Iterator[tuple[bool, str]]:
    """The work on each path, in the order of the paths, in as many processes as asked for.

    Inside somebody's transaction there is one: other processes would not see what it has written.
    """
    if jobs < 2 or connection.in_atomic_block or "fork" not in multiprocessing.get_all_start_methods():
        yield from map(work, paths)
        return
    connection.close()  # no process may inherit a connection that another uses
    gc.freeze()  # nor search the modules of this one, and copy their memory with it, whenever it collects
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("fork"), initializer=drop_inherited_connections) as pool:
        yield from pool.map(work, paths)


def drop_inherited_connections() -> None:
    """In a process just forked: drops what connections it inherited, without a word to the server, which the other still asks.

    Closing them before forking is not enough: a thread that runs an event loop has connections of its own for that loop
    (asgiref.local), and the child, which runs none, finds those that the thread had opened before.
    """
    for inherited in connections.all(initialized_only=True):
        inherited.connection = None


def ingest_one(path: Path, owner, public: bool, title: str) -> tuple[bool, str]:
    """Read one path; whether that went well, and one line about it."""
    try:
        archive, new = receive(read_path(path), owner, name_of(path), title=title, public=public, send=ingest_archive)
    except Blocked as blocked:
        return False, f"{name_of(path)}: {blocked}"
    archive.refresh_from_db()
    if archive.state in (Archive.State.RECEIVED, Archive.State.READING):
        # An earlier reading was cut off, or this process may not read in a callback: the row knows. Another process may be
        # at it (the same bytes twice, a server beside): it ends, or dies and leaves the archive to this one.
        while ingest_archive(archive.pk) == "busy":
            time.sleep(BUSY)
        archive.refresh_from_db()
    if not new and public and access.owns(owner, archive):
        lifecycle.perform_action(archive.pk, "publish", audit.command_line_actor())
        archive.refresh_from_db()
    return archive.state == Archive.State.READ, describe_result(archive, new)


def name_of(path: Path) -> str:
    """The name under which a path is kept: a folder's archive is called as the folder, with `.tar`."""
    path = path.resolve()
    return f"{path.name or 'root'}.tar" if path.is_dir() else path.name


def read_path(path: Path) -> blobs.IncomingFile:
    """The bytes of a file as they are, of a folder as one deterministic tar."""
    if path.is_dir():
        return blobs.write_incoming(pack.pack(pack.list_folder_entries(path)))
    with path.open("rb") as stream:
        return blobs.write_incoming(blobs.read_blocks(stream))


def describe_result(archive: Archive, new: bool) -> str:
    """One line about what became of an archive."""
    state: dict[str, str] = {Archive.State.READ: "" if new else "already here, ", Archive.State.FAILED: "FAILED, "}
    facts = f"{archive.files_total} files, {archive.measurements} measurements, {archive.warnings} warnings, /archives/{archive.pk}"
    became = state.get(archive.state, f"{archive.get_state_display()}, ")
    line = f"{archive.name}: {became}archive {archive.pk}, {facts}"
    return f"{line}\n  {archive.failure}" if archive.failure else line
