"""Configuration that a person states about the files of an upload, by scope."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Any

from ingest.detect.findings import FileFindings
from ingest.keys import is_key
from ingest.records import ARCHIVE, FILE, FOLDER, RUNS, MissingValue, StatedFact, Value


class StatementIndex:
    """Statements in the order in which they were made: of two about one key and scope the later one is valid."""

    def __init__(self, stated: Iterable[StatedFact]) -> None:
        valid = [fact for fact in stated if is_key(fact.key)]
        self.of_archive: dict[str, Any] = {fact.key: fact.value for fact in valid if fact.reach == ARCHIVE}
        # The nearest last: folders before files, shallow folders before deep ones.
        self.of_places = sorted((fact for fact in valid if fact.reach in (FOLDER, FILE)), key=_depth)
        self.of_runs: dict[str, list[StatedFact]] = {}
        for fact in valid:
            if fact.reach == RUNS:
                self.of_runs.setdefault(fact.path, []).append(fact)
        self._runs: dict[str, dict[int | str, set[Any]]] = {}

    def of_scope(self, scope: str, path: str) -> dict[str, Any]:
        """Key -> value stated in that scope of the file `path`: `file`, or `folder:` for the upload itself."""
        if scope == "folder:":
            return self.of_archive
        if scope != "file":
            return {}
        return {fact.key: fact.value for fact in self.of_places if _reaches(fact, path)}

    def of_run(self, findings: FileFindings, value: Value | MissingValue) -> dict[str, Any]:
        """Key -> value stated for the run of the value."""
        stated = self.of_runs.get(findings.path)
        if not stated:
            return {}
        runs = self._runs.get(findings.path)
        if runs is None:
            runs = self._runs[findings.path] = {}
            for item in chain[Value | MissingValue](findings.values, findings.missing):
                runs.setdefault(item.line, set()).add((item.tool, item.run))
        run = (value.tool, value.run)
        return {item.key: item.value for item in stated if any(run in runs.get(line, ()) for line in item.lines)}


def _depth(fact: StatedFact) -> tuple[bool, int]:
    return fact.reach == FILE, fact.path.count("/")


def _reaches(fact: StatedFact, path: str) -> bool:
    return path == fact.path if fact.reach == FILE else path.startswith(fact.path.rstrip("/") + "/")
