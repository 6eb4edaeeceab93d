"""What a person states beside the files of an upload, by its place among the scopes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ingest.detect.detect import FileFindings
from ingest.keys import KEYS
from ingest.records import ARCHIVE, FILE, FOLDER, RUNS, StatedFact, Value


class StatementIndex:
    """Statements in the order in which they were made: of two about one key and place the later holds."""

    def __init__(self, stated: Iterable[StatedFact]) -> None:
        known = [one for one in stated if one.key in KEYS]
        self.of_archive: dict[str, Any] = {one.key: one.value for one in known if one.reach == ARCHIVE}
        # The nearest last: a file before the folders around it, a deep folder before a shallow one.
        self.of_places = sorted((one for one in known if one.reach in (FOLDER, FILE)), key=_depth)
        self.of_runs: dict[str, list[StatedFact]] = {}
        for one in known:
            if one.reach == RUNS:
                self.of_runs.setdefault(one.path, []).append(one)
        self._runs: dict[str, dict[int | str, set[Any]]] = {}

    def of_scope(self, word: str, own: str) -> dict[str, Any]:
        """Key -> value of what is stated in that scope of the file `own`: `file`, or `folder:` for the upload itself."""
        if word == "folder:":
            return self.of_archive
        if word != "file":
            return {}
        return {one.key: one.value for one in self.of_places if _reaches(one, own)}

    def of_run(self, findings: FileFindings, value: Value) -> dict[str, Any]:
        """Key -> value of what is stated for the run that the value belongs to."""
        stated = self.of_runs.get(findings.path)
        if not stated:
            return {}
        runs = self._runs.get(findings.path)
        if runs is None:
            runs = self._runs[findings.path] = {}
            for one in findings.values:
                runs.setdefault(one.line, set()).add((one.tool, one.run))
        mine = (value.tool, value.run)
        return {one.key: one.value for one in stated if any(mine in runs.get(line, ()) for line in one.lines)}


def _depth(one: StatedFact) -> tuple[bool, int]:
    return one.reach == FILE, one.path.count("/")


def _reaches(one: StatedFact, own: str) -> bool:
    return own == one.path if one.reach == FILE else own.startswith(one.path.rstrip("/") + "/")
