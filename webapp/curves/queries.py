"""The runs of an address with their series and spans, as far as the reader may see them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import takewhile

from webapp.accounts import access
from webapp.curves import run_labels
from webapp.curves.drawing import CurveSource, align_runs
from webapp.models import Measurement, Run, TimeSeries
from webapp.models.run import RunQuerySet
from webapp.storage import series

_SIBLINGS, _NEAREST = 2000, 40


def readable_runs(user, ids: Sequence[int]) -> list[Run]:
    """Those of these runs whose pages the reader may see, in this order."""
    runs = _with_what_is_shown(Run.objects.filter(pk__in=ids, archive__in=access.inspectable_archives(user)))
    found = {run.pk: run for run in runs}
    return [found[pk] for pk in ids if pk in found]


def read_runs(ids: Sequence[int]) -> list[Run]:
    """These runs, of which the reader has been shown values, in this order."""
    found = _with_what_is_shown(Run.objects.filter(pk__in=ids)).in_bulk() if ids else {}
    return [found[pk] for pk in ids if pk in found]


def runs_of_values(ids: Collection[int]) -> dict[int, tuple[int, str]]:
    """(run, job) of each of these measurements; '' where it is of all jobs of its run."""
    rows = Measurement.objects.filter(pk__in=ids).values_list("pk", "run_id", "details__job") if ids else ()
    return {pk: (run, job or "") for pk, run, job in rows}


def _with_what_is_shown(runs: RunQuerySet) -> RunQuerySet:
    return runs.select_related("archive", "file", "configuration__open")


def read_source(runs: Sequence[Run], found: Mapping[int, Sequence[TimeSeries]] | None = None) -> CurveSource:
    """The series of these runs, and when each was. `found`: the series, where they have been read."""
    found = series.for_runs(runs) if found is None else found
    others = _read_beside(runs[0], found[runs[0].pk]) if len(runs) == 1 else []
    every = run_labels.read_spans([*runs, *others])
    return CurveSource(runs, found, every, [every[other.pk] for other in others])


def _read_beside(run: Run, rows) -> list[Run]:
    """Other runs of the archive on the same host during the series of this run."""
    if not rows:
        return []
    aligned = align_runs([run], {run.pk: rows})[run.pk]
    if aligned.origin is None:
        return []
    ends = [(aligned.shifts[row.pk], aligned.shifts[row.pk] + (row.span or 0.0)) for row in rows]
    first, last = (series.add_seconds(aligned.origin, seconds) for seconds in (min(a for a, _ in ends), max(b for _, b in ends)))
    others = Run.objects.filter(archive=run.archive_id, started_at__isnull=False, file__withdrawn=False).exclude(pk=run.pk)
    return run_labels.beside(run, others.select_related("configuration").order_by("id")[:_SIBLINGS], first, last)


def nearest_run(archive_id: int, path: str) -> int | None:
    """The id of the first run that has series of this file, of those whose paths have most in common with it; None without one."""
    runs = Run.objects.filter(archive=archive_id).select_related("file", "configuration").order_by("id")[:_SIBLINGS]
    order = sorted(runs, key=lambda run: -_folders_shared(run.file.path, path))[:_NEAREST]
    if not path or not order:
        return None
    found = series.for_runs(order)
    return next((run.pk for run in order if any(row.file.path == path for row in found[run.pk])), None)


def _folders_shared(one: str, other: str) -> int:
    """The folders that both paths begin with."""
    return len(list(takewhile(lambda pair: pair[0] == pair[1], zip(one.split("/"), other.split("/"), strict=False))))


def repetitions(run: Run) -> list[int]:
    """The ids of the runs of the archive on the same configuration by the same tool, this one first."""
    ids = Run.objects.filter(archive=run.archive_id, configuration=run.configuration_id, tool=run.tool).order_by("id")
    return list(dict.fromkeys([run.pk, *ids.values_list("pk", flat=True)[:100]]))
