"""What each job takes: one archive of 50 runs read, read again, stated, withdrawn, published, deleted; freezing; exporting; an
archive of the database's own read again and its summary worked out again."""

from __future__ import annotations

import contextlib
import io
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import parse_qsl

from benches import data
from benches.growing import facts
from benches.growing.meter import Meter
from django.db import connection

from webapp.archives import statements
from webapp.comparison.selection import parse
from webapp.files import blobs
from webapp.formats.export import write_csv, write_jsonl
from webapp.jobs.tasks import ingest_archive
from webapp.management.commands.ingest import ingest_one
from webapp.models import Archive, File, Measurement, Permalink, Run, Withdrawal
from webapp.models.summary import PUBLIC
from webapp.permalinks import freeze, rendering
from webapp.permalinks.bundles import permalink_bundle
from webapp.permalinks.frozen_addresses import find_origin
from webapp.storage import archive_rows, load, summary_writer, withdrawals

RUNS, FROZEN = 50, 10
_SEED = 90_000

Found = Iterator[tuple[str, dict[str, list[float]]]]
"""(name, {cpu, clock} in milliseconds)."""


def own(place: Path, number: int, owner, runs: int = RUNS) -> Archive:
    """Ingest an archive of 50 runs; its contents depend on `number` only."""
    path = data.some_runs(place / f"growth{number}.tar.gz", runs, _SEED + number)
    succeeded, message = ingest_one(path, owner, True, "")
    if not succeeded:
        raise SystemExit(message)
    return Archive.objects.filter(owner=owner).latest("pk")


def _read_again(archive: Archive) -> None:
    Archive.objects.filter(pk=archive.pk).update(state=Archive.State.RECEIVED, attempts=0)
    if (became := ingest_archive(archive.pk)) != "read":
        archive.refresh_from_db()
        raise SystemExit(f"archive {archive.pk}: {became}. {archive.failure}")


def of_archives(meter: Meter, place: Path, owner, rounds: int) -> Found:
    """Jobs on archives of 50 runs, which are deleted at the end."""
    made: list[Archive] = []
    yield (
        "ingest an archive of 50 runs",
        meter.several((lambda n=n: made.append(own(place, n, owner))) for n in range(1, rounds + 1)),
    )
    steps: list[tuple[str, Callable[[Archive], object]]] = [
        ("read it again", _read_again),
        ("state a key of its configuration, read it again", lambda one: _stated(one, owner)),
        ("unpublish it", lambda one: load.unpublish(one.pk)),
        ("publish it", lambda one: load.publish(one.pk)),
        ("withdraw a value", lambda one: withdrawals.withdraw_measurement(one.pk, _value(one).pk, "bench", owner)),
        ("take that back", lambda one: withdrawals.undo_withdrawal(Withdrawal.objects.filter(archive=one).latest("pk").pk, owner)),
        ("withdraw it", lambda one: load.withdraw(one.pk, "bench", owner)),
        ("restore it", lambda one: load.restore(one.pk, owner)),
        ("work out its summary again", lambda one: summary_writer.rebuild_archive(one.pk, _keys(one))),
        ("work out what it shares with the public again", lambda one: summary_writer.rebuild_scope(PUBLIC, _keys(one))),
        ("delete it", lambda one: load.delete(one.pk)),
    ]
    for name, step in steps:
        yield name, meter.several((lambda one=one, step=step: step(one)) for one in made)


def _stated(archive: Archive, owner) -> None:
    statements.add_statements(archive.pk, owner, {"pool.sync": "disabled"}, [statements.StatementScope()], lambda at: None)
    _read_again(archive)


def _value(archive: Archive) -> Measurement:
    return Measurement.objects.of(_files(archive)[0]).first()


def _files(archive: Archive) -> list[File]:
    return list(archive.files.filter(measurements__gt=0).order_by("first_measurement"))


def _keys(archive: Archive) -> set[summary_writer.SummaryKey]:
    files = _files(archive)
    return archive_rows.find_summary_keys(files[0].first_measurement, files[-1].first_measurement + files[-1].measurements)


def of_freezing(meter: Meter, place: Path, owner, rounds: int, is_whole_frozen: bool) -> Found:
    """Freezing of comparisons, runs and archives; where everything is frozen, also rendering of a permalink's files."""
    archive = own(place, rounds + 1, owner, FROZEN)
    small, whole = (parse(parse_qsl(f"metric={facts.METRIC}&x=compression{one}")) for one in (f"&archive={archive.pk}", ""))
    run = Run.objects.filter(archive_id=archive.pk).order_by("pk").first()
    origin = find_origin()
    drafts = (
        ("freeze a comparison of one archive", lambda title: freeze.draft_comparison(small, owner, title, "")),
        ("freeze a run", lambda title: freeze.draft_run(run, title, "")),
        (f"freeze an archive of {FROZEN} runs", lambda title: freeze.draft_archive(archive, title, "")),
    )
    for name, draft in drafts:
        yield (
            name,
            meter.several(
                (lambda n=n, draft=draft: freeze.freeze_draft(draft(f"bench {n}"), owner, origin)) for n in range(rounds)
            ),
        )
    if not is_whole_frozen:
        return
    made: list[Permalink] = []
    yield (
        "freeze a comparison of everything",
        meter.several(
            [lambda: made.append(freeze.freeze_draft(freeze.draft_comparison(whole, owner, "bench", ""), owner, origin))]
        ),
    )
    yield "draw its files and bundle", meter.several([lambda: _drawn(made[0])])


def _drawn(permalink: Permalink) -> None:
    rendering.render_all(permalink)
    permalink_bundle.get_bundle(permalink)


class _Enough(Exception):
    """The wanted number of lines was written."""


class _Sink(io.TextIOBase):
    def __init__(self, most: int) -> None:
        self.lines, self.most = 0, most

    def write(self, text: str) -> int:
        self.lines += text.count("\n")
        if self.lines >= self.most:
            raise _Enough
        return len(text)


def of_export(meter: Meter, rows: int) -> Found:
    """Time to the first line, and per million rows, extrapolated from `rows`. In separate transactions."""
    for name, write in (("csv", write_csv), ("jsonl", write_jsonl)):
        for what, most in (("the first line", 2), ("a million rows", rows)):
            sink = _Sink(most)
            # A new connection each time: the previous one may have an unfinished query.
            connection.close()
            time.sleep(0.2)
            connection.ensure_connection()
            yield (
                f"export {name}, {what}",
                meter.several(
                    iter([lambda write=write, sink=sink: _until_enough(write, sink)]),
                    1e3 if most == 2 else 1e9 / max(1, min(rows, facts.counts()["measurements"])),
                ),
            )


def _until_enough(write: Callable, sink: _Sink) -> None:
    with contextlib.suppress(_Enough):
        write(sink)


def of_database(meter: Meter) -> Found:
    """Jobs on an existing archive of the database, per 10,000 of its values."""
    at, values = facts.usual_archive()
    archive, scale = Archive.objects.get(pk=at), 1e3 * 10_000 / values
    steps: list[tuple[str, Callable[[], object]]] = [
        ("unpublish an archive of the database", lambda: load.unpublish(at)),
        ("publish it", lambda: load.publish(at)),
        ("work out its summary again", lambda: summary_writer.rebuild_archive(at, _keys(archive))),
    ]
    if blobs.path(archive.sha256).exists():
        steps.append(("read it again", lambda: _read_again(archive)))
    for name, step in steps:
        yield f"per 10,000 values: {name}", meter.several(iter([step]), scale)
