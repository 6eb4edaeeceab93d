"""What a person states of runs: those of a manifest (`[[runs]]`), and workload parameters.

A run of a manifest holds for the files that its `file` names, from its `line` on up to the next run that names a line of the same
file; without a line for the whole file. What it states about times wins over what the output prints, which is often without a time
zone; the rest are parameters for display, never part of a workload's identity.
"""

from __future__ import annotations

import copy
import json
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from ingest.configuration.scopes import StatementIndex, matches_glob
from ingest.context.manifest import CHAIN_KEY, RUN_KEY
from ingest.detect.findings import FileFindings
from ingest.keys import RUN_BOOT, RUN_SECONDS, is_identity
from ingest.options import is_option
from ingest.records import NO_PARAMS, STATED, Clue, Doubt, MissingValue, StatedFact, Value
from ingest.spill import SpilledValues

SHOWN = {
    "session": "session",
    "round": "round",
    "setting": "setting",
    "status": "exit_status",
    "caches": "caches",
    "seconds": RUN_SECONDS,
    "boot": RUN_BOOT,
}
"""Of a stated run: key of the manifest -> parameter for display."""
_KILLED = 128  # exit statuses above are those of commands that a signal ended
_Item = TypeVar("_Item", Value, MissingValue)


class StatedRun(NamedTuple):
    """`line`: the first of its lines, 0 for the whole file; `place`: FILE:LINE in the manifest; `error`: how it ended."""

    line: int
    place: str
    started_at: str | None
    status: int
    error: str
    params: Mapping[str, Any]


class StatedRuns:
    """The stated runs of one upload."""

    def __init__(self, findings_list: Iterable[FileFindings]) -> None:
        self._by_name: dict[str, list[StatedRun]] = {}
        self._by_glob: list[tuple[str, StatedRun]] = []
        for findings in findings_list:
            base = findings.path.rpartition("/")[0]
            for clue in findings.clues:
                if is_stated_run(clue) and clue.key != CHAIN_KEY:
                    run, name = _make_run(findings.path, clue), f"{base}/{clue.subject}" if base else clue.subject
                    if any(letter in name for letter in "*?["):
                        self._by_glob.append((name, run))
                    else:
                        self._by_name.setdefault(name.rstrip("/"), []).append(run)

    def apply(self, findings: FileFindings) -> None:
        """Give the values of a file the times and parameters of their runs; with doubts about those that failed.

        Files with more values than memory holds keep what they print.
        """
        runs = self._runs_of(findings.path)
        if not runs or isinstance(findings.values, SpilledValues):
            return
        facts = _RunFacts(runs)
        findings.values = facts.apply(findings.values)
        findings.missing = facts.apply(findings.missing)
        if failed := list(_doubts(facts)):
            findings.doubts = [*findings.doubts, *failed]

    def _runs_of(self, path: str) -> list[StatedRun]:
        """Those that name the file, else a folder of it, the nearest first, else those whose glob matches."""
        parts = path.split("/")
        names = ("/".join(parts[:count]) for count in range(len(parts), 0, -1))
        runs = next((self._by_name[name] for name in names if name in self._by_name), None)
        if runs is None:
            runs = [run for glob, run in self._by_glob if matches_glob(path, glob)]
        return sorted(runs, key=lambda run: run.line)

    def separate(self, findings_list: Sequence[FileFindings]) -> list[list[FileFindings]]:
        """The files in groups of which one may repeat what another says. Outputs of two runs do not, however equal they are.

        A file of stated runs is alone, but for files without such beside it; all others are together.
        """
        if not (self._by_name or self._by_glob):
            return [list(findings_list)]
        stated = {findings.path for findings in findings_list if self._runs_of(findings.path)}
        counts = Counter(map(_folder_of, stated))
        groups: dict[tuple[str, str], list[FileFindings]] = {}
        for findings in findings_list:
            folder = _folder_of(findings.path)
            alone = findings.path in stated and counts[folder] > 1
            key = ("file", findings.path) if alone else ("folder", folder) if counts[folder] == 1 else ("", "")
            groups.setdefault(key, []).append(findings)
        return list(groups.values())


def is_stated_run(clue: Clue) -> bool:
    return clue.kind == "stated" and clue.key.startswith(RUN_KEY)


def _folder_of(path: str) -> str:
    return path.rpartition("/")[0]


class _RunFacts:
    """The runs of one file by line, and which of them have values."""

    def __init__(self, runs: Sequence[StatedRun]) -> None:
        self._runs, self._lines = runs, [run.line for run in runs]
        self.last_lines: dict[int, int] = {}
        self._params: dict[tuple[int, int], tuple[Mapping[str, Any], dict[str, Any]]] = {}

    def apply(self, items: Sequence[_Item]) -> list[_Item]:
        return [self._with_facts(item) for item in items]

    def _with_facts(self, item: _Item) -> _Item:
        line = item.line if isinstance(item.line, int) else 1
        index = bisect_right(self._lines, line) - 1
        if index < 0:
            return item
        run, changed = self._runs[index], copy.copy(item)
        self.last_lines[index] = max(line, self.last_lines.get(index, 0))
        changed.started_at = run.started_at or item.started_at
        changed.params = self._with_params(index, item.params)
        return changed

    def _with_params(self, index: int, params: Mapping[str, Any]) -> Mapping[str, Any]:
        """The parameters with those of the run; one object for each object, which identifies equal ones further on."""
        key = index, id(params)
        if key not in self._params:
            self._params[key] = params, {**params, **self._runs[index].params}
        return self._params[key][1]

    def failed(self) -> Iterator[tuple[StatedRun, int]]:
        """The runs with values whose command failed, and the last line with one."""
        runs = ((self._runs[index], line) for index, line in sorted(self.last_lines.items()))
        return ((run, line) for run, line in runs if run.status or run.error)


def _doubts(facts: _RunFacts) -> Iterator[Doubt]:
    for run, line in facts.failed():
        if run.error:
            yield Doubt(line, "cut", f"the run was {run.error} ({run.place}), so its output may lack its end.")
            continue
        ended = f"the command ended with exit status {run.status} ({run.place})"
        if run.status > _KILLED:
            yield Doubt(line, "cut", f"{ended}: a signal stopped it, so its output may lack its end.")
        else:
            yield Doubt(line, "failed-run", f"{ended}; the values that it printed were kept.")


def _make_run(path: str, clue: Clue) -> StatedRun:
    stated = json.loads(clue.value)
    error = "stopped before its end" if "stopped" in stated else ""
    params = {name: stated[key] for key, name in SHOWN.items() if key in stated} | ({"error": error} if error else {})
    place = f"{path}:{clue.line}"
    return StatedRun(stated.get("line", 0), place, stated.get("started_at"), stated.get("status", 0), error, params)


_Entry = Value | MissingValue
_Merged = tuple[Mapping[str, Any], Mapping[str, str] | None, Mapping[str, Any], Mapping[str, str]]


class StatedParams:
    """The statements about workload parameters of one upload."""

    def __init__(self, stated: Iterable[StatedFact]) -> None:
        facts = [fact for fact in stated if is_identity(fact.key)]
        self._index = StatementIndex(facts, is_identity)
        self._is_empty = not facts

    def apply(self, findings: FileFindings) -> None:
        """Give the values of a file what is stated of them. What their output shows stays, with a warning where it differs."""
        if self._is_empty:
            return
        of_file = {**self._index.of_scope("folder:", findings.path), **self._index.of_scope("file", findings.path)}
        doubts = dict[str, Doubt]()

        def fill(items: Iterable[_Entry]) -> None:
            merged = dict[tuple[int, int, tuple[str, Any], str], _Merged]()
            for item in items:
                stated = {**of_file, **self._index.of_run(findings, item)}
                stated = {name: value for name, value in stated.items() if not is_option(name) or name.startswith(f"{item.tool}.")}
                if not stated:
                    continue
                key = id(item.params), id(item.params_from), (item.tool, item.run), repr(stated)
                if key not in merged:
                    merged[key] = (item.params, item.params_from, *_merge(item, stated, doubts))
                _, _, item.params, item.params_from = merged[key]

        findings.change(fill)
        if doubts:
            findings.doubts = [*findings.doubts, *doubts.values()]


def _merge(item: _Entry, stated: Mapping[str, Any], doubts: dict[str, Doubt]) -> tuple[Mapping[str, Any], Mapping[str, str]]:
    """The parameters of a value with those that are stated, and where those stand that are apart from it."""
    apart = item.params_from or NO_PARAMS
    taken = {name: value for name, value in stated.items() if name not in item.params or name in apart}
    for name in stated.keys() - taken.keys():
        if item.params[name] != stated[name] and name not in doubts:
            text = f"{name} is {item.params[name]} here, and was entered by hand as {stated[name]}; what the output shows was kept."
            doubts[name] = Doubt(item.line, "disagree", text)
    return {**item.params, **taken}, {**apart, **dict.fromkeys(taken, STATED)}
