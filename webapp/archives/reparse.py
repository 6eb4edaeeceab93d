"""Reading stored archives again: which ones are behind today's parsers, and what a reading changed."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import ingest
from ingest import keys
from webapp.archives import queries
from webapp.models import Archive

ValueKey = tuple[str, str, str, str, str, int]
"""Path, line, metric, native name, stat, and the place among those alike: what a value is known by."""


@dataclass(frozen=True, slots=True)
class StoredValue:
    """What was read: the value in its base unit, the text as printed, and the flat configuration."""

    value: float
    raw: str
    config: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ReparseDifference:
    """A value before and after; None where it was not there."""

    mark: ValueKey
    old: StoredValue | None
    new: StoredValue | None

    def __str__(self) -> str:
        path, line, metric, native, _, _ = self.mark
        what = f"{path}:{line} {metric} {native}"
        if self.new is None:
            return f"{what}: vanished" + (f", was {self.old.value!r} ({self.old.raw})" if self.old else "")
        before = "appeared," if self.old is None else f"{self.old.value!r} ->"
        return f"{what}: {before} {self.new.value!r} ({self.new.raw})"


def find_outdated_archives(parser: str | None = None) -> list[int]:
    """Ids of archives with a file that an older version of its parser read (of that parser, where one is named)."""
    current = ingest.versions()
    return queries.find_read_by_older_parsers({parser: current[parser]} if parser else current)


def read_stored_values(archive: Archive) -> dict[ValueKey, StoredValue]:
    """Every value of the archive, as the database has it now."""
    found: dict[ValueKey, StoredValue] = {}
    seen: Counter = Counter()
    configs: dict[int, dict[str, Any]] = {}
    for run, exact, path, line, metric, native, stat, value, raw, *columns in queries.read_values(archive.pk):
        if run not in configs:
            told = {name: one for name, one in zip(keys.KEYS, columns, strict=True) if one is not None}
            configs[run] = told | json.loads(exact)
        alike = (path, line, metric, native, stat)
        found[*alike, seen[alike]] = StoredValue(value, raw, configs[run])
        seen[alike] += 1
    return found


def compare_values(old: dict[ValueKey, StoredValue], new: dict[ValueKey, StoredValue]) -> Iterator[ReparseDifference]:
    """Values that are another number or text now, appeared or vanished, in the order of files and lines."""
    for mark in sorted(old.keys() | new.keys(), key=_order):
        before, after = old.get(mark), new.get(mark)
        if before is None or after is None or (before.value, before.raw) != (after.value, after.raw):
            yield ReparseDifference(mark, before, after)


def describe_configuration_changes(old: dict[ValueKey, StoredValue], new: dict[ValueKey, StoredValue]) -> Iterator[str]:
    """A sentence for each key of the configuration that changed alike: key, old -> new, of how many values, the first."""
    counts: Counter = Counter()
    first: dict[tuple, ValueKey] = {}
    for mark in sorted(old.keys() & new.keys(), key=_order):
        before, after = old[mark].config, new[mark].config
        for key in sorted(before.keys() | after.keys()) if before != after else ():
            if before.get(key) != after.get(key):
                what = key, str(before.get(key, "not told")), str(after.get(key, "not told"))
                counts[what] += 1
                first.setdefault(what, mark)
    for (key, was, now), count in sorted(counts.items()):
        mark = first[key, was, now]
        yield f"{key}: {was} -> {now}, of {count} value{'' if count == 1 else 's'} from {mark[0]}:{mark[1]} on"


def _order(mark: ValueKey) -> tuple:
    path, line, *rest = mark
    return path, not line.isdecimal(), int(line) if line.isdecimal() else 0, line, *rest
