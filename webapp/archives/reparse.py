"""Reading stored archives again: which ones an older parser has read, and what changes."""

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
"""Path, line, metric, native name, stat, and the position among values equal in these: identifies a value across readings."""


@dataclass(frozen=True, slots=True)
class StoredValue:
    """A value in its base unit, its text as printed, and its flat configuration."""

    value: float
    raw: str
    config: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ReparseDifference:
    """A value before and after; None where there is none."""

    key: ValueKey
    old: StoredValue | None
    new: StoredValue | None

    def __str__(self) -> str:
        path, line, metric, native, _, _ = self.key
        name = f"{path}:{line} {metric} {native}"
        if self.new is None:
            return f"{name}: vanished" + (f", was {self.old.value!r} ({self.old.raw})" if self.old else "")
        before = "appeared," if self.old is None else f"{self.old.value!r} ->"
        return f"{name}: {before} {self.new.value!r} ({self.new.raw})"


def find_outdated_archives(parser: str | None = None) -> list[int]:
    """Ids of archives with a file that an older version of its parser read (of that parser, where one is named)."""
    current = ingest.versions()
    return queries.find_read_by_older_parsers({parser: current[parser]} if parser else current)


def read_stored_values(archive: Archive) -> dict[ValueKey, StoredValue]:
    """Every value of the archive in the database."""
    values: dict[ValueKey, StoredValue] = {}
    positions: Counter = Counter()
    configs: dict[int, dict[str, Any]] = {}
    for run, exact, path, line, metric, native, stat, value, raw, open_values, *columns in queries.read_values(archive.pk):
        if run not in configs:
            known = {name: column for name, column in zip(keys.KEYS, columns, strict=True) if column is not None}
            configs[run] = known | json.loads(open_values) | json.loads(exact)
        printed = (path, line, metric, native, stat)
        values[*printed, positions[printed]] = StoredValue(value, raw, configs[run])
        positions[printed] += 1
    return values


def compare_values(old: dict[ValueKey, StoredValue], new: dict[ValueKey, StoredValue]) -> Iterator[ReparseDifference]:
    """Values whose number or text changed, that appeared or vanished, in the order of files and lines."""
    for key in sorted(old.keys() | new.keys(), key=_order):
        before, after = old.get(key), new.get(key)
        if before is None or after is None or (before.value, before.raw) != (after.value, after.raw):
            yield ReparseDifference(key, before, after)


def describe_configuration_changes(old: dict[ValueKey, StoredValue], new: dict[ValueKey, StoredValue]) -> Iterator[str]:
    """A sentence for each change of a configuration key: key, old and new value, number of values, the first of them."""
    counts: Counter = Counter()
    first: dict[tuple, ValueKey] = {}
    for value_key in sorted(old.keys() & new.keys(), key=_order):
        before, after = old[value_key].config, new[value_key].config
        for key in sorted(before.keys() | after.keys()) if before != after else ():
            if before.get(key) != after.get(key):
                change = key, str(before.get(key, "not told")), str(after.get(key, "not told"))
                counts[change] += 1
                first.setdefault(change, value_key)
    for change, count in sorted(counts.items()):
        key, old_text, new_text = change
        path, line, *_ = first[change]
        yield f"{key}: {old_text} -> {new_text}, of {count} value{'' if count == 1 else 's'} from {path}:{line} on"


def _order(key: ValueKey) -> tuple:
    path, line, *rest = key
    return path, not line.isdecimal(), int(line) if line.isdecimal() else 0, line, *rest
