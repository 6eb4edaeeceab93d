"""Reading stored archives again: which ones an older parser has read, and what changes."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Sum

import ingest
from ingest import keys
from webapp.accounts import public_log
from webapp.archives import queries
from webapp.formatting import numbers as shown
from webapp.formatting.visible_text import make_visible
from webapp.models import Archive, Rereading

MAX_LINES = 1000
"""Changes of a reading of which a sentence is kept, of values and of configurations each."""
MAX_COMPARED = 300_000
"""Values of an archive up to which its readings are compared: some 400 MB of memory."""
DEFAULT_SECONDS, FIXED_SECONDS = 2e-4, 0.2
"""Time for a value, and for an archive, before any reading was timed."""
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


def describe_outdated() -> str:
    """How many archives were last read under older rules, and what to do: by an older version of a parser or reader, or before runs
    had machines and sessions. Empty without any."""
    count = queries.count_outdated(ingest.versions())
    return (
        f"{shown.count(count)} archive{' was' if count == 1 else 's were'} read under older rules: manage.py reread"
        if count
        else ""
    )


def _flatten(configuration: tuple) -> dict[str, Any]:
    """The flat configuration of `queries.read_values`."""
    exact, open_values, *columns = configuration
    known = {name: column for name, column in zip(keys.KEYS, columns, strict=True) if column is not None}
    return known | json.loads(open_values) | json.loads(exact)


def name_values(rows: Iterable[tuple]) -> dict[ValueKey, StoredValue]:
    values: dict[ValueKey, StoredValue] = {}
    positions: Counter = Counter()
    configs: dict[tuple, dict[str, Any]] = {}
    for configuration, path, line, metric, native, stat, value, raw in rows:
        if configuration not in configs:
            configs[configuration] = _flatten(configuration)
        printed = (path, line, metric, native, stat)
        values[*printed, positions[printed]] = StoredValue(value, raw, configs[configuration])
        positions[printed] += 1
    return values


def compare_values(old: dict[ValueKey, StoredValue], new: dict[ValueKey, StoredValue]) -> Iterator[ReparseDifference]:
    """Values whose number or text changed, that appeared or vanished, in the order of files and lines."""
    for key in sorted(old.keys() | new.keys(), key=_order):
        before, after = old.get(key), new.get(key)
        if before is None or after is None or (before.value, before.raw) != (after.value, after.raw):
            yield ReparseDifference(key, before, after)


def describe_configuration_changes(old: dict[ValueKey, StoredValue], new: dict[ValueKey, StoredValue]) -> Iterator[str]:
    """`_describe_changes` of the values that are in both."""
    return _describe_changes((old[key].config, new[key].config, *key[:2]) for key in old.keys() & new.keys())


def _describe_changes(pairs: Iterable[tuple[dict[str, Any], dict[str, Any], str, str]]) -> Iterator[str]:
    """A sentence for each change of a configuration key: key, old and new value, number of values, the first of them. Of each value
    the configurations before and after, path and line; equal configurations are mostly one object."""
    groups: dict[tuple[int, int], tuple[dict[str, Any], dict[str, Any], Counter]] = {}
    for before, after, path, line in pairs:
        groups.setdefault((id(before), id(after)), (before, after, Counter()))[2][path, line] += 1
    counts: Counter = Counter()
    first: dict[tuple, tuple[str, str]] = {}
    for before, after, places in groups.values():
        for key in sorted(before.keys() | after.keys()) if before != after else ():
            if before.get(key) != after.get(key):
                change = key, str(before.get(key, "unknown")), str(after.get(key, "unknown"))
                counts[change] += places.total()
                first[change] = min([*places, *([first[change]] if change in first else ())], key=_order)
    for change, count in sorted(counts.items()):
        key, old_text, new_text = change
        path, line = first[change]
        yield f"{key}: {old_text} -> {new_text}, of {count} value{'' if count == 1 else 's'} from {path}:{line} onwards"


def compare_readings(archive: Archive, old: list[tuple] | None, seconds: float) -> Rereading:
    """What a reading changed, kept with the archive. `old`: of `read_values_before`."""
    if old is None:
        values = Archive.objects.values_list("measurements", flat=True).get(pk=archive.pk)
        return Rereading.objects.create(archive=archive, seconds=seconds, values=values, is_compared=False)
    new = queries.read_values(archive.pk)
    changes, configuration_changes = _compare_rows(old, new)
    with transaction.atomic():
        made = Rereading.objects.create(
            archive=archive,
            seconds=seconds,
            values=len(new),
            changed=sum(change.old is not None and change.new is not None for change in changes),
            appeared=sum(change.old is None for change in changes),
            vanished=sum(change.new is None for change in changes),
            configuration_changes=len(configuration_changes),
            lines=[make_visible(str(line)) for line in (*changes[:MAX_LINES], *configuration_changes[:MAX_LINES])],
        )
        if (changes or configuration_changes) and public_log.is_known_outside(archive):
            public_log.append(public_log.Kind.CORRECT, f"archives/{archive.pk}", archive.sha256, reason=_describe_rereading(made))
    return made


def _describe_rereading(made: Rereading) -> str:
    """`Read again: 3 of 120 values changed, 1 vanished, 2 changes of configurations.`"""
    counts = [(made.changed, "changed"), (made.appeared, "appeared"), (made.vanished, "vanished")]
    parts = [f"{count} value{'' if count == 1 else 's'} {what}" for count, what in counts if count]
    if made.configuration_changes:
        parts.append(f"{made.configuration_changes} change{'' if made.configuration_changes == 1 else 's'} of configurations")
    return f"Read again: {', '.join(parts)}; {made.values} values now."


def _compare_rows(old: list[tuple], new: list[tuple]) -> tuple[list[ReparseDifference], list[str]]:
    """The changes of values, and sentences about those of configurations, between two of `queries.read_values`."""
    if old == new:  # as mostly
        return [], []
    if [row[1:] for row in old] == [row[1:] for row in new]:
        flat = {id(row[0]): row[0] for row in (*old, *new)}
        configs = {one: _flatten(configuration) for one, configuration in flat.items()}
        pairs = ((configs[id(before[0])], configs[id(after[0])], *after[1:3]) for before, after in zip(old, new, strict=True))
        return [], list(_describe_changes(pairs))
    before, after = name_values(old), name_values(new)
    return list(compare_values(before, after)), list(describe_configuration_changes(before, after))


def read_values_before(archive: Archive) -> list[tuple] | None:
    """The values to compare with those of the next reading; None where there are more than `MAX_COMPARED`."""
    return queries.read_values(archive.pk) if archive.measurements <= MAX_COMPARED else None


def estimate_reread(archives: Iterable[Archive]) -> tuple[float, int]:
    """(seconds, bytes of disk): reading again takes as long as earlier readings did for each value, 0.2 ms where there was none;
    the rows of the largest archive are there twice until the database reuses their space."""
    values = [archive.measurements for archive in archives]
    read = Rereading.objects.filter(values__gt=0).aggregate(seconds=Sum("seconds"), values=Sum("values"))
    rate = read["seconds"] / read["values"] if read["values"] else DEFAULT_SECONDS
    return sum(values) * rate + len(values) * FIXED_SECONDS, max(values, default=0) * queries.bytes_per_value()


def _order(key: ValueKey | tuple[str, str]) -> tuple:
    path, line, *rest = key
    return path, not line.isdecimal(), int(line) if line.isdecimal() else 0, line, *rest
