"""When runs were, by their printed start and length, and what they did: the phases that a figure over time shades."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import Q

from webapp.models import Measurement, Run
from webapp.storage.series import add_seconds, parse_moment, printed_seconds

MAX_PHASES = 60
_READ = 200  # values of a run that are looked at
_NAMED = 2  # operations that name a phase


@dataclass(frozen=True, slots=True)
class Span:
    """A run: what it did, when it began, and how many seconds it took, None where that is not known; the parameters of the workload
    that all of its values share."""

    run: int
    name: str
    start: datetime | None
    seconds: float | None
    params: Mapping[str, Any] = field(default_factory=dict)


def read_spans(runs: Sequence[Run]) -> dict[int, Span]:
    """The span of each run, by its id. One query."""
    if not runs:
        return {}
    ranges = [Q(id__gte=run.first_measurement, id__lt=run.first_measurement + min(run.measurements, _READ)) for run in runs]
    values: dict[int, list[tuple[str, float]]] = {run.pk: [] for run in runs}
    params: dict[int, dict[str, Any]] = {}
    fields = ("run_id", "metric__name", "value", "workload__params")
    for run, metric, value, own in Measurement.objects.filter(reduce(or_, ranges)).order_by("id").values_list(*fields):
        values.setdefault(run, []).append((metric, value))
        shared = params.setdefault(run, dict(own))
        if shared != own:
            params[run] = {name: text for name, text in shared.items() if own.get(name) == text}
    return {run.pk: _span(run, values[run.pk], params.get(run.pk, {})) for run in runs}


def _span(run: Run, values: Sequence[tuple[str, float]], params: Mapping[str, Any]) -> Span:
    return Span(run.pk, _name(run, values), parse_moment(run.started_at), _seconds(run, values), params)


def beside(run: Run, others: Iterable[Run], first: datetime, last: datetime) -> list[Run]:
    """Of the runs of an archive those on the run's host that began before `last` and had not ended by `first`, the earliest ones;
    without the run itself."""
    found = []
    for other in others:
        start = parse_moment(other.started_at)
        if other.pk == run.pk or start is None or (start.tzinfo is None) != (first.tzinfo is None):
            continue
        if other.configuration.host == run.configuration.host and start <= last:
            end = add_seconds(start, printed_seconds(other) or 0.0)
            if end >= first or printed_seconds(other) is None:
                found.append((start, other.pk, other))
    return [other for *_, other in sorted(found)[:MAX_PHASES]]


def _name(run: Run, values: Sequence[tuple[str, float]]) -> str:
    operations = list(dict.fromkeys(metric.rpartition(".")[0] for metric, _ in values))
    return ", ".join(operations).replace("_", " ") if 0 < len(operations) <= _NAMED else run.tool


def _seconds(run: Run, values: Sequence[tuple[str, float]]) -> float | None:
    """As printed; else its elapsed time, where it has one: several may have followed each other or not."""
    elapsed = [value for metric, value in values if metric.endswith(".elapsed")]
    return printed_seconds(run) if printed_seconds(run) is not None else elapsed[0] if len(elapsed) == 1 else None
