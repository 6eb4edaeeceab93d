"""The clues of one file by line: which of them is valid where.

A clue with the effect `ends` and a key `zfs.*` ends every open key of that namespace about its subject and what is below it
(`zpool destroy` ends all properties of a pool, whichever they were).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise, permutations

from ingest.configuration.devices import scoped_key
from ingest.configuration.places import MEMBERS, MeasuredPlace
from ingest.configuration.subjects import holds, matching_subjects
from ingest.lazy_regex import lazy
from ingest.records import Clue
from ingest.state import CACHES_DROPPED, CREATED, holds_before
from ingest.text.sections import Section, Sections

KINDS = {"stated": 0, "dump": 1, "command": 2, "label": 3, "name": 4}
_HOST_KEYS = ("os.", "kernel", "host")
_NEAREST = 200  # clues of one key, before and after a line, among which the valid one is sought in texts with sections


@dataclass(slots=True)
class ClueTimeline:
    """Clues of each key in line order. `at` returns the valid one for a line. `_ends`: namespace -> clues that end all its keys."""

    keys: dict[str, list[Clue]] = field(default_factory=dict)
    labels: dict[str, list[Clue]] = field(default_factory=dict)
    _label_ends: dict[int, int] = field(default_factory=dict)
    _sections: Mapping[int, Section] = field(default_factory=dict)
    """By the line of a label: the section of which it speaks, if that is not the whole text."""
    _ends: dict[str, list[Clue]] = field(default_factory=dict)
    _system_lines: list[int] = field(default_factory=list)
    """The lines on which `uname` prints another kernel than before."""
    _subjects: dict[str, KeySubjects] = field(default_factory=dict)
    """By key, for keys that were asked for."""
    _equal: dict[frozenset[str], frozenset[str]] = field(default_factory=dict)
    """Equal sets of subjects of several keys, as one object each, which a cache finds without comparing them."""

    @classmethod
    def of(cls, clues: Iterable[Clue], sections: Mapping[int, Section] | None = None) -> ClueTimeline:
        timeline = cls(_sections=sections or {})
        ordered = sorted(clues, key=lambda clue: clue.line)
        for clue in ordered:
            if clue.effect == "ends" and clue.key.endswith(".*"):
                timeline._ends.setdefault(clue.key[:-2], []).append(clue)
                continue
            clues_by_key = (
                timeline.labels if clue.effect == "labels" or (clue.effect, clue.kind) == ("ends", "label") else timeline.keys
            )
            clues_by_key.setdefault(scoped_key(clue), []).append(clue)
        for key, labels in timeline.labels.items():  # a line of a tool's listing, which has a subject, is no label
            listed = {clue.line for clue in timeline.keys.get(key, ()) if clue.kind == "dump" and clue.subject}
            timeline.labels[key] = [clue for clue in labels if clue.line not in listed] if listed else labels
        timeline._find_label_ends()
        timeline._add_host_ends()
        return timeline

    def _find_label_ends(self) -> None:
        """A label line ends at the next one that has any of its keys, and with its section."""
        lines: dict[int, set[str]] = {}
        for clues in self.labels.values():
            for clue in clues:
                lines.setdefault(clue.line, set()).add(clue.key)
        numbers = sorted(lines)
        for index, number in enumerate(numbers):
            following = next((later for later in numbers[index + 1 :] if lines[later] & lines[number]), 1 << 60)
            self._label_ends[number] = min(following, self._sections[number].end if number in self._sections else following)

    def _add_host_ends(self) -> None:
        """Clues about an operating system and its host end where `uname` prints another kernel."""
        kernels = [clue for clue in self.keys.get("kernel", []) if clue.effect == "shows"]
        changes = [later for earlier, later in pairwise(kernels) if earlier.value != later.value]
        if not changes:
            return
        self._system_lines = [turn.line for turn in changes]
        for key, clues in self.keys.items():
            if key == "kernel" or not key.startswith(_HOST_KEYS):
                continue
            lines = {clue.line for clue in clues}
            ends = [Clue(turn.line, key, None, turn.raw, turn.kind, "ends") for turn in changes if turn.line not in lines]
            self.keys[key] = sorted(clues + ends, key=lambda clue: clue.line)

    def changes(self) -> list[int]:
        """The lines on which the result of `at` may change, for keys of the configuration: emptied caches are known by run."""
        of_keys = (clues for kept in (self.keys, self.labels) for key, clues in kept.items() if key != CACHES_DROPPED)
        lines = {clue.line for clues in (*of_keys, *self._ends.values()) for clue in clues}
        ends = {line for section in self._sections.values() for line in (section.line, section.end)}
        return sorted(lines.union(self._label_ends.values(), ends))

    def mounts(self) -> Iterator[Clue]:
        """The clues that tell what is mounted where, and the devices of pools and arrays."""
        keys = ("fs.type", "mount.rw", "zfs.mountpoint", MEMBERS)
        yield from chain.from_iterable(clues for key, clues in self.keys.items() if key.startswith(keys))

    def has_created(self, line: int, place: MeasuredPlace) -> bool:
        """Whether a command above the line created the file system or pool of the place."""
        created = (clue for key, clues in self.keys.items() if key.startswith(CREATED) for clue in clues if clue.line < line)
        return any(clue.effect == "sets" and holds(clue.subject, place) for clue in created)

    def at(self, key: str, line: int, place: MeasuredPlace) -> Clue | None:
        """The clue that is valid for a value on that line and place."""
        return self._both_at(key, line, place)[0]

    def overruled_at(self, key: str, line: int, place: MeasuredPlace) -> Clue | None:
        """The clue that would be valid there without the label, or the label, whichever `at` does not return."""
        return self._both_at(key, line, place)[1] if key in self.labels and key in self.keys else None

    def _both_at(self, key: str, line: int, place: MeasuredPlace) -> tuple[Clue | None, Clue | None]:
        """The valid clue, and the other one of a label and a clue of another kind."""
        label = self._label_at(key, line)
        clue = self._event_at(key, line, place)
        if label is None or clue is None:
            return label or clue, None
        is_inside = label.line <= clue.line < self._label_ends[label.line]
        return (clue, label) if is_inside and KINDS[clue.kind] < KINDS["label"] else (label, clue)

    def _label_at(self, key: str, line: int) -> Clue | None:
        clues = self.labels.get(key)
        if not clues:
            return None
        index = bisect_right(clues, line, key=lambda clue: clue.line) - 1
        if index < 0 or clues[index].effect == "ends" or line >= self._label_ends[clues[index].line]:
            return None
        return clues[index]

    def _event_at(self, key: str, line: int, place: MeasuredPlace) -> Clue | None:
        clues = self.keys.get(key)
        if not clues:
            return None
        of_key = self._subjects.get(key)
        if of_key is None:
            of_key = self._subjects[key] = KeySubjects(key, clues)
            of_key.named = self._equal.setdefault(of_key.named, of_key.named)
        clues = of_key.clues_about(place)
        if self._sections:
            clues = self._speaking(clues, line)
        index = bisect_right(clues, line, key=lambda clue: clue.line) - 1
        if index >= 0:
            first = _best_of_line(clues, index)
            if first.effect != "ends" and not self._is_ended(first, first.line, line):
                return first
            # Clues before a new system are void; clues shown after a pool was created are valid from its creation on.
            if key.startswith(_HOST_KEYS):
                return None
        # No clue before: one shown later is valid here too, unless the value changed in between, or is one of a moment.
        later = index + 1
        if (
            later == len(clues)
            or not holds_before(key)
            or clues[later].effect != "shows"
            or self._is_ended(clues[later], line, clues[later].line)
        ):
            return None
        if key.startswith(_HOST_KEYS) and self._has_other_system(line, clues[later].line):
            return None
        return _best_of_line(clues, later)

    def _speaking(self, clues: list[Clue], line: int) -> list[Clue]:
        """The clues near a line, without labels that speak of another section."""
        index = bisect_right(clues, line, key=lambda clue: clue.line)
        return [clue for clue in clues[max(index - _NEAREST, 0) : index + _NEAREST] if self._speaks(clue, line)]

    def _speaks(self, clue: Clue, line: int) -> bool:
        section = self._sections.get(clue.line) if clue.kind == "label" else None
        return section is None or section.line <= line < section.end

    def _has_other_system(self, line: int, later: int) -> bool:
        """Whether another system was booted between two lines, so that what the later one shows was not so at the first."""
        return bisect_right(self._system_lines, line) < bisect_right(self._system_lines, later)

    def _is_ended(self, clue: Clue, after: int, upto: int) -> bool:
        """Whether all keys of the clue's namespace and subject end on one of the lines `after` + 1 to `upto`."""
        ends = self._ends.get(clue.key.partition(".")[0], ())
        for end in ends[bisect_right(ends, after, key=lambda clue: clue.line) :]:
            if end.line > upto:
                break
            if clue.subject == end.subject or clue.subject.startswith(f"{end.subject}/") or not clue.subject:
                return True
        return False


def _best_of_line(clues: Sequence[Clue], index: int) -> Clue:
    """The best of the clues on the line of the one at `index`, in line order; the first of equal ones."""
    line, start = clues[index].line, index
    while start and clues[start - 1].line == line:
        start -= 1
    end = index + 1
    while end < len(clues) and clues[end].line == line:
        end += 1
    return min(clues[start:end], key=lambda clue: KINDS[clue.kind])


class KeySubjects:
    """The clues of one key by subject, so that those about a path are found without looking at all of them each time."""

    def __init__(self, key: str, clues: list[Clue]) -> None:
        self._key, self._all = key, clues
        self._places: dict[str, list[int]] = {}
        for at, clue in enumerate(clues):
            self._places.setdefault(clue.subject, []).append(at)
        self.named = frozenset(self._places)
        self._chosen: dict[frozenset[str], list[Clue]] = {}

    def clues_about(self, place: MeasuredPlace) -> list[Clue]:
        """The clues whose subject fits the place, in line order, and ends of what is above it."""
        if len(self.named) <= 1 and (self.named == {""} or (place.path is None and not place.mount)):
            return self._all
        fitting = matching_subjects(self._key, self.named, place)
        chosen = self._chosen.get(fitting)
        if chosen is None:
            places = [at for subject in fitting for at in self._places.get(subject, ())]
            # The end of a pool ends its data sets.
            above = {path[:cut] for path in fitting for cut, letter in enumerate(path) if letter == "/"} - fitting
            places += [at for subject in above for at in self._places.get(subject, ()) if self._all[at].effect == "ends"]
            chosen = self._chosen[fitting] = [self._all[at] for at in sorted(places)]
        return chosen


_GENERAL = lazy(  # headings of what holds for all results
    r"(?i)\W*(?:(?:test|bench(?:mark)?\w*|my|the|our|common|used|system|host|hardware|general|overall) ?)*"
    r"(?:set-?up|hardware|systems?|machines?|environments?|specs?|specifications?|configurations?|platforms?|software|overview|intro\w*"
    r"|rig|bed|umgebung|aufbau|ausstattung|matériel|configuration|équipo|equipo)?\W*\Z"
)
_SILENT = Section(0, "", end=0)


def sections_of_labels(sections: Sections | None, clues: Iterable[Clue], results: Sequence[int]) -> dict[int, Section]:
    """The section of which each label speaks, by line, if that is not the whole text.

    That of a section without results is the one around it; where another section contradicts it, it speaks of nothing.
    """
    labels = [clue for clue in clues if clue.kind == "label"] if sections and results else []
    if sections is None or not labels:
        return {}
    own = {clue.line: sections.firm(clue.line) for clue in labels}
    of_lines = {line: sections.speaking(line, results) for line in own}
    by_key: dict[str, list[Clue]] = {}
    for clue in labels:
        if clue.effect == "shows":
            by_key.setdefault(clue.key, []).append(clue)
    silent = {
        own[one.line]
        for shown in by_key.values()
        for one, other in permutations(shown[:_NEAREST], 2)
        if one.value != other.value and own[one.line] is not own[other.line] and of_lines[one.line] is not own[one.line]
        if of_lines[other.line] is of_lines[one.line] or not _GENERAL.match(own[one.line].title)
    }
    of_lines |= {line: _SILENT for line, section in own.items() if section in silent}
    return {line: section for line, section in of_lines.items() if section.parent or section is _SILENT}
