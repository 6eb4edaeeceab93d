"""Names of runs in a figure: by what differs between them in configuration and workload, else by archive, time and place."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import Q

from ingest.options import is_option
from webapp.comparison.dimensions import (
    CONFIGURATION,
    DIMENSIONS,
    MACHINE,
    PARAM,
    STATED,
    is_open,
    named_value,
    text_of,
)
from webapp.curves.points import NUMBER, OUTPUT, REPORT, RUN, Alignment, Band, Curve
from webapp.figures import naming
from webapp.figures.plain import CurvePoints, Series
from webapp.formatting import numbers
from webapp.models import Measurement, Run
from webapp.storage.series import add_seconds, parse_moment, printed_seconds

# When runs were, by their printed start and length, and what they did: the phases that a figure over time shades.

MAX_PHASES = 60
_READ = 200  # values of a run that are looked at
_NAMING = 2  # operations that name a phase


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
    return Span(run.pk, _operation(run, values), parse_moment(run.started_at), _seconds(run, values), params)


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


def _operation(run: Run, values: Sequence[tuple[str, float]]) -> str:
    operations = list(dict.fromkeys(metric.rpartition(".")[0] for metric, _ in values))
    return ", ".join(operations).replace("_", " ") if 0 < len(operations) <= _NAMING else run.tool


def _seconds(run: Run, values: Sequence[tuple[str, float]]) -> float | None:
    """As printed; else its elapsed time, where it has one: several may have followed each other or not."""
    elapsed = [value for metric, value in values if metric.endswith(".elapsed")]
    return printed_seconds(run) if printed_seconds(run) is not None else elapsed[0] if len(elapsed) == 1 else None


# What a figure over time says beneath it: how times are aligned, what is thinned, joined, missing and left out.

_NAMED = 6
_AXES = {
    RUN: "s since the start of the run",
    REPORT: "s since the first report",
    OUTPUT: "s since the begin of the tool\u2019s output",
}
_NOT_KNOWN = {
    REPORT: "The start of {} is unknown: 0 is the first report of the tools beside it.",
    OUTPUT: "The clocks of {} are not known: 0 is the begin of each tool\u2019s output, which may not be the start of the run.",
}


def plural(count: int, noun: str) -> str:
    """`1 device`, `3 devices`; `series` has one form."""
    return f"{numbers.count(count)} {noun}{'' if count == 1 or noun.endswith('series') else 's'}"


def axis_label(aligned: Mapping[int, Alignment], is_numbered: bool) -> str:
    """The title of the x axis."""
    if is_numbered:
        return "number of the report (no times are printed)"
    zeros = {alignment.zero for alignment in aligned.values()} - {NUMBER}
    return _AXES[zeros.pop()] if len(zeros) == 1 else "s since the start, as noted"


def describe_alignment(runs: Sequence[Run], aligned: Mapping[int, Alignment]) -> list[str]:
    """What lies at 0 where that is not the printed start of a run."""
    notes = []
    for zero, sentence in _NOT_KNOWN.items():
        if found := [run.pk for run in runs if run.pk in aligned and aligned[run.pk].zero == zero]:
            notes.append(sentence.format(_runs(found)))
    if assumed := [run.pk for run in runs if run.pk in aligned and aligned[run.pk].is_zone_assumed]:
        notes.append(f"{_runs(assumed).capitalize()}: clocks that print no time zone are taken to be in that of the others.")
    if without := [run.pk for run in runs if run.pk not in aligned]:
        notes.append(f"No numbers over time are known of {_runs(without)}.")
    return notes


def _runs(ids: Sequence[int]) -> str:
    return f"run{'' if len(ids) == 1 else 's'} {listed(list(map(str, ids)))}"


def listed(names: Sequence[str]) -> str:
    """`1, 2 and 3`, of many the first ones."""
    shown = list(names[:_NAMED]) + ([f"{len(names) - _NAMED} more"] if len(names) > _NAMED else [])
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def describe_omissions(idle: Sequence[str], empty: int, left: int) -> list[str]:
    """Small multiples that are not drawn."""
    notes = [f"Zero throughout and not drawn: {listed(idle)}."] if idle else []
    notes += (
        [f"{plural(empty, 'series')} without a point in this time." if empty > 1 else "One has no point in this time."]
        if empty
        else []
    )
    return notes + ([f"{plural(left, 'more figure')} can be drawn: choose devices."] if left > 0 else [])


def describe_thinning(curves: Sequence[Curve]) -> list[str]:
    """`1 of 40 points (1 200 of 48 000) drawn: ...`."""
    thinned = [curve for curve in curves if curve.is_thinned]
    if not thinned:
        return []
    total, kept = sum(curve.total for curve in thinned), sum(len(curve.t) for curve in thinned)
    counts = f"{numbers.count(kept)} of {numbers.count(total)}"
    share = f"1 of {numbers.number(total / kept, 2)} points ({counts})" if total >= 1.5 * kept else f"{counts} points"
    return [f"{share} drawn: the lowest and the highest of every bucket of time are kept."]


def describe_gaps(curves: Sequence[CurvePoints], is_numbered: bool) -> list[str]:
    """Where points are missing."""
    count = sum(len(curve["breaks"]) for curve in curves)
    return [] if is_numbered or not count else [f"{plural(count, 'gap')}: points are missing there, and no line runs across."]


def describe_bands(runs: Sequence[int], bands: Sequence[Band], alone: int) -> list[str]:
    """What a band and its line are, and how many runs it has."""
    counts = f"n = {runs[0]}" if len(set(runs)) == 1 else f"n = {', '.join(map(str, runs))}"
    width = numbers.number(max(band.width for band in bands))
    notes = [f"Line: median of the runs within each {width} s; band: lowest to highest point of any run ({counts})."]
    return notes + (
        [f"{plural(alone, 'run')} without a repetition is not drawn."]
        if alone == 1
        else [f"{alone} runs without a repetition are not drawn."]
        if alone
        else []
    )


_FIRST = ("os", "stack", "fs", "layout", "compression", "dedup", "recordsize", "host", "cpu", "memory", "kernel")
_NOT_NAMED = ("system", "configuration", MACHINE, STATED)
_OF_CONFIGURATIONS = [d.name for d in DIMENSIONS.values() if d.source == CONFIGURATION and d.name not in _NOT_NAMED]
_CONFIGURED = [*_FIRST, *(name for name in _OF_CONFIGURATIONS if name not in _FIRST)]
_OF_WORKLOADS = [d.name for d in DIMENSIONS.values() if d.source == PARAM]
_ALONE = "dash"
"""The marker of a legend with one curve: a curve by itself has no marks."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Something in which runs differ: what it is called, and its text of each run, in their order."""

    label: str
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RunLabels:
    """`dimension`: what the names say, the title of a legend. `bases`: by run, what differs; `groups`: what is repeated."""

    dimension: str
    bases: Mapping[int, str]
    groups: Mapping[int, str]
    own: Mapping[int, str]
    with_tools: bool

    def name(self, run: int, tool: str) -> str:
        """A run as it is named in a figure and its table: no other has this name."""
        base = self.own[run]
        return f"{base}, {tool}" if base and self.with_tools else (tool if self.with_tools else base)

    def series(self, pairs: Sequence[tuple[int, str]]) -> tuple[list[Series], dict[tuple[int, str], int]]:
        """The series of (run, tool) and the place of each."""
        named = {pair: self.name(*pair) for pair in dict.fromkeys(pairs)}
        order = list(dict.fromkeys(named.values()))
        return _styled(order), {pair: order.index(name) for pair, name in named.items()}

    def configuration(self, run: int) -> str:
        """What identifies the repetitions that a run is one of."""
        return self.groups[run]

    def bands(self, keys: Sequence[tuple[str, str]]) -> list[Series]:
        """The series of groups of repetitions, each with its tool."""
        first = {group: run for run, group in reversed(list(self.groups.items()))}
        shown = [
            ", ".join(filter(None, (self.bases[first[group]], tool if self.with_tools else ""))) or "all runs"
            for group, tool in keys
        ]
        return _styled([f"{text} ({at + 1})" if shown.count(text) > 1 else text for at, text in enumerate(shown)])


def _styled(names: Sequence[str]) -> list[Series]:
    """Series whose neighbours differ in colour and, where there are several, in the shape of their marks."""
    styles = naming.series_styles(names)
    markers = naming.MARKERS if len(names) > 1 else (_ALONE,)
    return [{"name": name, "style": styles[name], "marker": markers[at % len(markers)]} for at, name in enumerate(names)]


def label_runs(
    runs: Sequence[Run],
    spans: Mapping[int, Span],
    with_tools: bool,
    given: Mapping[int, str] | None = None,
    dimension: str = "",
    without: Collection[str] = (),
) -> RunLabels:
    """The names of runs that are drawn together. `given`: what they are called where a comparison has placed them on its axes,
    which are called `dimension`. `without`: parameters that another axis shows."""
    if given is not None:
        bases, chosen = {run.pk: given[run.pk] for run in runs}, [dimension]
        groups = {run.pk: f"{bases[run.pk]}|{run.tool}" for run in runs}
    else:
        differing = _choose(_differences(runs, spans, without))
        bases = {run.pk: ", ".join(one.texts[at] for one in differing) for at, run in enumerate(runs)}
        chosen = [one.label for one in differing]
        groups = {run.pk: _repeated(run, spans[run.pk]) for run in runs}
    own = _tell_apart(runs, bases, lambda some: _differences(some, spans, without))
    title = chosen[0] if len(chosen) == 1 and (own == bases or given is not None) else "Run"
    return RunLabels("" if len(runs) < 2 and not with_tools else title, bases, groups, own, with_tools)


def _repeated(run: Run, span: Span) -> str:
    """What repetitions share: configuration, tool, job, operations and parameters."""
    return f"{run.configuration_id}|{run.tool} {run.details.get('job')} {span.name}|{sorted(span.params.items(), key=str)}"


def _differences(runs: Sequence[Run], spans: Mapping[int, Span], without: Collection[str]) -> list[Difference]:
    """Everything in which the runs differ, what is said first of them in front."""
    known = [_configured(run) for run in runs]
    params = [spans[run.pk].params for run in runs]
    opened = sorted({name for texts in known for name in texts if is_open(name)})
    found = [_difference(name, [texts.get(name) for texts in known]) for name in [*_CONFIGURED, *opened]]
    found.append(Difference("Tool", tuple(run.tool for run in runs)))
    found.append(Difference("Operation", tuple(spans[run.pk].name for run in runs)))
    options = sorted({name for values in params for name in values if is_option(name)})
    names = [name for name in (*_OF_WORKLOADS, *options) if name not in without]
    found += [_difference(name, [values.get(name) for values in params]) for name in names]
    return [one for one in found if len(set(one.texts)) > 1]


def _configured(run: Run) -> Mapping[str, Any]:
    """The values of a run's configuration by the names of their dimensions."""
    row = run.configuration
    columns = {name: getattr(row, DIMENSIONS[name].column, None) for name in _CONFIGURED}
    return columns | (dict(row.open.values) if row.open else {})


def _difference(name: str, values: Iterable[Any]) -> Difference:
    label = DIMENSIONS[name].label
    texts = [named_value(name, text_of(value)) for value in values]
    return Difference(label, tuple(f"{label} unknown" if text == "unknown" else text for text in texts))


def _choose(found: Sequence[Difference]) -> list[Difference]:
    """The fewest of these that distinguish what all of them do: a single one, else one after the other."""
    if not found:
        return []
    apart = len(set(zip(*(one.texts for one in found), strict=True)))
    if single := next((one for one in found if len(set(one.texts)) == apart), None):
        return [single]
    chosen: list[Difference] = []
    count = 1
    for one in found:
        now = len(set(zip(*(other.texts for other in (*chosen, one)), strict=True)))
        if now > count:
            chosen.append(one)
            count = now
    return chosen


def _tell_apart(
    runs: Sequence[Run], bases: Mapping[int, str], differences: Callable[[Sequence[Run]], list[Difference]]
) -> dict[int, str]:
    """The names, with what else distinguishes those that are equal: differences that the axes of a comparison do not have, archive,
    time of the start, file, line."""
    alike: dict[str, list[Run]] = {}
    for run in runs:
        alike.setdefault(bases[run.pk], []).append(run)
    names = dict(bases)
    for base, some in alike.items():
        if len(some) < 2:
            continue
        places = [
            Difference("Archive", tuple(str(run.archive) for run in some)),
            Difference("Start", tuple((run.started_at or "start unknown").replace("T", " ") for run in some)),
            Difference("File", tuple(run.file.path for run in some)),
            Difference("Line", tuple(f"line {run.first_line}" for run in some)),
            Difference("Run", tuple(f"run {run.pk}" for run in some)),
        ]
        found = [*differences(some), *(one for one in places[:-1] if len(set(one.texts)) > 1)]
        chosen = _choose(found)
        if len(set(zip(*(one.texts for one in chosen), strict=True))) < len(some):
            chosen.append(places[-1])
        texts = [", ".join(one.texts[at] for one in chosen) for at in range(len(some))]
        for run, text in zip(some, texts, strict=True):
            names[run.pk] = ", ".join(filter(None, (base, text)))
    return names


def describe_run(run: Run, heading: str, with_start: bool = True) -> str:
    """A run in the list of those that are drawn."""
    version = f" {run.tool_version}" if run.tool_version else ""
    started = f", {run.started_at}" if run.started_at and with_start else ""
    return f"{run.tool}{version}, {heading}{started}"
