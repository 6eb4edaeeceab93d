"""Names of runs in a figure: by what differs between them, else by their numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from webapp.curves.spans import Span
from webapp.figures import naming
from webapp.figures.plain import Series
from webapp.formatting import numbers
from webapp.models import Run

_DIMENSIONS = {
    "Operating system": lambda run: " ".join(filter(None, (run.configuration.os_name or run.configuration.os_family,))),
    "File system": lambda run: run.configuration.fs_stack or run.configuration.fs_type,
    "Layout": lambda run: run.configuration.pool_layout,
    "Compression": lambda run: run.configuration.pool_compression,
    "Deduplication": lambda run: run.configuration.pool_dedup,
    "Record size": lambda run: numbers.size(run.configuration.pool_recordsize) if run.configuration.pool_recordsize else None,
    "Disk": lambda run: run.configuration.disk_model,
    "CPU": lambda run: run.configuration.cpu_model,
    "Memory": lambda run: numbers.size(run.configuration.memory) if run.configuration.memory else None,
    "Host": lambda run: run.configuration.host,
    "Kernel": lambda run: run.configuration.kernel,
    "Tool": lambda run: run.tool,
}
_NAMED = 2
_MARKER = "dash"  # of legends: a curve has no marks
UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class RunLabels:
    """`dimension`: what the names say, the title of a legend. `bases`: by run, what differs; `groups`: what is repeated."""

    dimension: str
    bases: Mapping[int, str]
    groups: Mapping[int, str]
    with_tools: bool
    is_alone: bool

    def name(self, run: int, tool: str) -> str:
        """A run as it is named in a figure and its table."""
        base = self.bases[run]
        if sum(other == base for other in self.bases.values()) > 1:
            base = f"{base}, run {run}" if base else f"run {run}"
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
        bases = [self.bases[first[group]] for group, _ in keys]
        texts = [base if bases.count(base) == 1 else group.partition("|")[2] for base, (group, _) in zip(bases, keys, strict=True)]
        shown = [
            ", ".join(filter(None, (text, tool if self.with_tools else ""))) for text, (_, tool) in zip(texts, keys, strict=True)
        ]
        unique = [f"{text} ({at + 1})" if shown.count(text) > 1 else text for at, text in enumerate(shown)]
        return _styled(unique)


def _styled(names: Sequence[str]) -> list[Series]:
    styles = naming.series_styles(names)
    return [{"name": name, "style": styles[name], "marker": _MARKER} for name in names]


def label_runs(runs: Sequence[Run], spans: Mapping[int, Span], with_tools: bool) -> RunLabels:
    """The names of runs that are drawn together."""
    differing: list[tuple[str, list[str]]] = []
    for label, get in _DIMENSIONS.items():
        texts = [get(run) or UNKNOWN for run in runs]
        found = set(zip(*(other for _, other in differing), strict=True)) if differing else {()}
        if len(differing) < _NAMED and len(set(zip(*(other for _, other in differing), texts, strict=True))) > len(found):
            differing.append((label, texts))
        if len({run.configuration_id for run in runs}) == len(set(zip(*(other for _, other in differing), strict=True))):
            break
    bases = {run.pk: ", ".join(texts[at] for _, texts in differing) for at, run in enumerate(runs)}
    is_alone = len(runs) < 2
    titles = [label for label, _ in differing]
    dimension = titles[0] if len(titles) == 1 and len(set(bases.values())) == len(runs) else "Run"
    groups = {run.pk: f"{run.configuration_id}|{run.tool} {spans[run.pk].name}" for run in runs}
    return RunLabels("" if is_alone and not with_tools else dimension, bases, groups, with_tools, is_alone)


def describe_run(run: Run, heading: str, with_start: bool = True) -> str:
    """A run in the list of those that are drawn."""
    version = f" {run.tool_version}" if run.tool_version else ""
    started = f", {run.started_at}" if run.started_at and with_start else ""
    return f"{run.tool}{version}, {heading}{started}"
