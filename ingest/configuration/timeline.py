"""The clues of one file along its lines: what holds where."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Set
from dataclasses import dataclass, field
from itertools import pairwise

from ingest.configuration.subjects import matching_subjects
from ingest.records import Clue

KINDS = {"stated": 0, "dump": 1, "command": 2, "label": 3, "name": 4}
_OF_THE_HOST = ("os.", "kernel", "host")


@dataclass(slots=True)
class ClueTimeline:
    """Clues of each key in line order. `at` gives the one that holds on a line."""

    keys: dict[str, list[Clue]] = field(default_factory=dict)
    labels: dict[str, list[Clue]] = field(default_factory=dict)
    _label_ends: dict[int, int] = field(default_factory=dict)

    @classmethod
    def of(cls, clues: Iterable[Clue]) -> ClueTimeline:
        line = cls()
        ordered = sorted(clues, key=lambda clue: clue.line)
        for clue in ordered:
            where = line.labels if clue.effect == "labels" or (clue.effect, clue.kind) == ("ends", "label") else line.keys
            where.setdefault(clue.key, []).append(clue)
        line._end_of_labels()
        line._end_of_hosts()
        return line

    def _end_of_labels(self) -> None:
        """A label line ends where the next one of its kind (one that names any of its keys) begins."""
        lines: dict[int, set[str]] = {}
        for clues in self.labels.values():
            for clue in clues:
                lines.setdefault(clue.line, set()).add(clue.key)
        numbers = sorted(lines)
        for at, number in enumerate(numbers):
            self._label_ends[number] = next((later for later in numbers[at + 1 :] if lines[later] & lines[number]), 1 << 60)

    def _end_of_hosts(self) -> None:
        """What is told of an operating system and its host ends where `uname` shows another kernel."""
        kernels = [clue for clue in self.keys.get("kernel", []) if clue.effect == "shows"]
        turns = [b for a, b in pairwise(kernels) if a.value != b.value]
        if not turns:
            return
        for key, clues in self.keys.items():
            if key == "kernel" or not key.startswith(_OF_THE_HOST):
                continue
            lines = {clue.line for clue in clues}
            ends = [Clue(turn.line, key, None, turn.raw, turn.kind, "ends") for turn in turns if turn.line not in lines]
            self.keys[key] = sorted(clues + ends, key=lambda clue: clue.line)

    def turns(self) -> list[int]:
        """The lines on which anything may change; between two of them `at` answers alike."""
        lines = {clue.line for clues in (*self.keys.values(), *self.labels.values()) for clue in clues}
        return sorted(lines.union(self._label_ends.values()))

    def at(self, key: str, line: int, path: str | None) -> Clue | None:
        """The clue that holds for a value on that line and path."""
        label = self._label_at(key, line)
        clue = self._event_at(key, line, path)
        if label is None or clue is None:
            return label or clue
        inside = label.line <= clue.line < self._label_ends[label.line]
        return clue if inside and KINDS[clue.kind] < KINDS["label"] else label

    def _label_at(self, key: str, line: int) -> Clue | None:
        clues = self.labels.get(key)
        if not clues:
            return None
        at = bisect_right(clues, line, key=lambda clue: clue.line) - 1
        if at < 0 or clues[at].effect == "ends" or line >= self._label_ends[clues[at].line]:
            return None
        return clues[at]

    def _event_at(self, key: str, line: int, path: str | None) -> Clue | None:
        clues = self.keys.get(key)
        if not clues:
            return None
        subjects = frozenset([clue.subject for clue in clues])
        if len(subjects) > 1 or (subjects != {""} and path):
            fitting = matching_subjects(key, subjects, path)
            clues = [c for c in clues if c.subject in fitting or (c.effect == "ends" and _above(c.subject, fitting))]
        at = bisect_right(clues, line, key=lambda clue: clue.line) - 1
        if at >= 0:
            first = _best([clue for clue in clues[: at + 1] if clue.line == clues[at].line])
            if first.effect != "ends":
                return first
            # A new system tells its own story; of a pool that was made anew, what is shown later holds back to here.
            clues = [] if key.startswith(_OF_THE_HOST) else clues[at + 1 :]
        # Nothing before: what is shown later holds back to here, unless a change stands between.
        if clues and clues[0].effect == "shows":
            return _best([clue for clue in clues if clue.line == clues[0].line])
        return None

    def everything(self, key: str) -> list[Clue]:
        """All clues of the key, for a file that speaks of others."""
        return [clue for clue in self.keys.get(key, []) + self.labels.get(key, []) if clue.effect != "ends"]


def _best(clues: list[Clue]) -> Clue:
    return min(clues, key=lambda clue: KINDS[clue.kind])


def _above(subject: str, fit: Set[str]) -> bool:
    """Whether one of `fit` is a data set or folder below the subject: what ends a pool ends its data sets."""
    return any(one.startswith(subject + "/") for one in fit)
