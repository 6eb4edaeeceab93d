"""Names of runs in a figure: by what differs between them in configuration and workload, else by archive, time and place."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from webapp.comparison.dimensions import CONFIGURATION, DIMENSIONS, MACHINE, PARAM, STATED, is_open, text_of, value_label
from webapp.curves.spans import Span
from webapp.figures import naming
from webapp.figures.plain import Series
from webapp.models import Run

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
    found += [_difference(name, [values.get(name) for values in params]) for name in _OF_WORKLOADS if name not in without]
    return [one for one in found if len(set(one.texts)) > 1]


def _configured(run: Run) -> Mapping[str, Any]:
    """The values of a run's configuration by the names of their dimensions."""
    row = run.configuration
    columns = {name: getattr(row, DIMENSIONS[name].column, None) for name in _CONFIGURED}
    return columns | (dict(row.open.values) if row.open else {})


def _difference(name: str, values: Iterable[Any]) -> Difference:
    dimension = DIMENSIONS[name]
    texts = [value_label(dimension, text_of(value)) for value in values]
    if dimension.source == PARAM or is_open(name) or dimension.numeric:
        texts = [f"{dimension.label.lower()} {text}" for text in texts]
    else:
        texts = [f"{dimension.label} unknown" if text == "unknown" else text for text in texts]
    return Difference(dimension.label, tuple(texts))


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
