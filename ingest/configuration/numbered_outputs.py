"""Numbered outputs beside a log of labels: `out3.xls` belongs to the third label of `bench.csv`.

A sweep appends a label and a result to a log in each step, and writes the output of another tool to a file with the number of
the step. That the N-th file belongs to the N-th label is proven by equal counts, if there are at least three, or by a script
around the files that writes both in one step. Where it is only likely, a warning says what may belong together.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from ingest.configuration.clues import LocatedClue
from ingest.detect.findings import FileFindings
from ingest.detect.sweep_scripts import Sweep, split_at_numbers
from ingest.records import Clue, Doubt
from ingest.text.mentions import is_prose_name

TAKEN, OFFERED = "numbered-labels", "numbered-outputs"
"""Codes of the warnings about a log: its labels apply to numbered outputs, or may apply to them."""
_MIN_COUNT = 3  # two outputs beside two labels are often two runs of one configuration
_MAX_LOGS = 8  # where more files of a folder have labels, they are results with labels of their own

LabelLines = Mapping[int, list[Clue]]


@dataclass(frozen=True, slots=True)
class NumberedSeries:
    """Files of one folder whose names differ in a number only. `paths`: by place from 0; the first number is 0 or 1."""

    folder: str
    prefix: str
    suffix: str
    paths: Mapping[int, str]

    @property
    def size(self) -> int:
        """The number of files that there are if none is missing before the last."""
        return max(self.paths) + 1

    @property
    def title(self) -> str:
        """`out1.xls ... out12.xls`."""
        return " ... ".join(_name(self.paths[place]) for place in (min(self.paths), max(self.paths)))


@dataclass(frozen=True, slots=True)
class _LabelLog:
    """A log of labels. `answered`: labels with a result before the next one; `is_alternating`: all are, and no result is first."""

    path: str
    lines: LabelLines
    answered: int
    is_alternating: bool

    @property
    def settings(self) -> list[dict[str, Any]]:
        return [{clue.key: clue.value for clue in clues} for clues in self.lines.values()]


def find_series(paths: Iterable[str]) -> list[NumberedSeries]:
    """The numbered series among the files of one folder, by name. Files that may be in several are in none."""
    groups: dict[tuple[str, str], dict[int, list[str]]] = {}
    for path in sorted(paths):
        for prefix, number, suffix in split_at_numbers(_name(path)):
            groups.setdefault((prefix, suffix), {}).setdefault(number, []).append(path)
    groups = {name: numbers for name, numbers in groups.items() if len(numbers) > 1}
    uses: dict[str, int] = {}
    for path in (path for numbers in groups.values() for same in numbers.values() for path in same):
        uses[path] = uses.get(path, 0) + 1
    series = []
    for (prefix, suffix), numbers in sorted(groups.items()):
        first = 0 if 0 in numbers else 1
        if all(len(same) == 1 and uses[same[0]] == 1 for same in numbers.values()):
            by_place = {number - first: same[0] for number, same in sorted(numbers.items())}
            series.append(NumberedSeries(_folder(by_place[min(by_place)]), prefix, suffix, by_place))
    return series


class NumberedOutputs:
    """The label that applies to each numbered output of an upload. `logs`: those whose labels apply to numbered outputs;
    `doubts`: (path of a log, warning)."""

    def __init__(self, findings_list: Sequence[FileFindings], labels: Mapping[str, Mapping[str, list[Clue]]]) -> None:
        """`labels`: path -> key -> clues of the label lines, for the files that have any."""
        self.logs: set[str] = set()
        self.doubts: list[tuple[str, Doubt]] = []
        self._clues: dict[str, dict[str, LocatedClue]] = {}
        self._sweeps = [(_folder(findings.path), sweep) for findings in findings_list for sweep in findings.sweeps]
        lines_by_path = {path: _label_lines(by_key) for path, by_key in labels.items()}
        lines_by_path = {path: lines for path, lines in lines_by_path.items() if len(lines) > 1}
        folders: dict[str, list[FileFindings]] = {_folder(path): [] for path in lines_by_path}
        for findings in findings_list if folders else ():
            if (folder := _folder(findings.path)) in folders:
                folders[folder].append(findings)
        for files in folders.values():
            self._read_folder(files, lines_by_path)

    def clues_of(self, path: str) -> dict[str, LocatedClue]:
        """Key -> clue of the label that belongs to the output."""
        return self._clues.get(path, {})

    def _read_folder(self, files: list[FileFindings], lines_by_path: Mapping[str, LabelLines]) -> None:
        measured = {findings.path for findings in files if findings.values}
        series_list = [
            series
            for series in find_series(findings.path for findings in files)
            if not measured.isdisjoint(series.paths.values()) and lines_by_path.keys().isdisjoint(series.paths.values())
        ]
        labelled = [findings for findings in files if findings.path in lines_by_path and not is_prose_name(_name(findings.path))]
        if not series_list or len(labelled) > _MAX_LOGS:
            return
        logs = [_label_log(findings, lines_by_path[findings.path]) for findings in sorted(labelled, key=attrgetter("path"))]
        for series in series_list:
            self._pair(series, logs)

    def _pair(self, series: NumberedSeries, logs: list[_LabelLog]) -> None:
        equal = [log for log in logs if len(log.lines) == len(series.paths) == series.size]
        scripted = [log for log in equal if self._is_written_with(series, log)]
        proven = scripted or [log for log in equal if log.is_alternating and series.size >= _MIN_COUNT]
        if proven and all(log.settings == proven[0].settings for log in proven):
            self._take(series, proven[0], "one script writes both" if scripted else f"there are {series.size} of each")
            return
        for log in proven or [log for log in logs if _is_likely(series, log)]:
            self._offer(series, log, proven)

    def _is_written_with(self, series: NumberedSeries, log: _LabelLog) -> bool:
        """Whether a script in the folder of the files, or above it, writes both in one step."""
        looped = Sweep(_name(log.path), series.prefix, series.suffix)
        return any(
            (not folder or series.folder == folder or series.folder.startswith(folder + "/"))
            and sweep._replace(numbers=()) == looped
            and len(sweep.numbers) in (0, series.size)
            for folder, sweep in self._sweeps
        )

    def _take(self, series: NumberedSeries, log: _LabelLog, reason: str) -> None:
        self.logs.add(log.path)
        for place, clues in enumerate(log.lines.values()):
            self._clues[series.paths[place]] = {clue.key: LocatedClue(log.path, clue) for clue in clues}
        message = f"{series.title}: output N was given label N of {_name(log.path)}, because {reason}."
        self.doubts.append((log.path, Doubt(min(log.lines), TAKEN, message)))

    def _offer(self, series: NumberedSeries, log: _LabelLog, others: Collection[_LabelLog]) -> None:
        counts = f"{len(series.paths)} outputs and {len(log.lines)} labels"
        names = ", ".join(_name(other.path) for other in others if other is not log)
        reason = f"{counts}, but {names} has as many." if names else f"{counts}."
        message = f"{series.title} may match the labels of {_name(log.path)}, in order: {reason}"
        self.doubts.append((log.path, Doubt(min(log.lines), OFFERED, message)))


def _label_lines(labels: Mapping[str, list[Clue]]) -> LabelLines:
    """The clues of each label line, in line order."""
    lines: dict[int, list[Clue]] = {}
    for clue in sorted((clue for clues in labels.values() for clue in clues if clue.effect == "labels"), key=attrgetter("line")):
        lines.setdefault(clue.line, []).append(clue)
    return lines


def _label_log(findings: FileFindings, lines: LabelLines) -> _LabelLog:
    starts = list(lines)
    result_lines = {value.line for value in findings.values if isinstance(value.line, int)}.difference(starts)
    answered = {bisect_right(starts, line) for line in result_lines}  # the number of labels above each result
    return _LabelLog(findings.path, lines, len(answered - {0}), answered == set(range(1, len(starts) + 1)))


def _is_likely(series: NumberedSeries, log: _LabelLog) -> bool:
    """Whether more than half of the labels have a result, and more than half of outputs and labels a partner."""
    labels, outputs = len(log.lines), len(series.paths)
    return 2 * log.answered > labels and 2 * min(labels, outputs) > max(labels, series.size)


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _folder(path: str) -> str:
    return path.rpartition("/")[0]
