"""Versions of tools from which on a number means something else, or is wrong: what lies on both sides is not compared.

`version_changes.tsv` has a row for each: `what` is true of versions from `first` up to, but not including, `before`; each has a
`source`. A row counts where the metric and the kind of number match a pattern (none: all), and where the run was given one of
`needs`: an option (`fio.ramp_time`), or a parameter with its value (`direct=on`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache, lru_cache
from itertools import zip_longest
from pathlib import Path
from typing import Any

from ingest.lazy_regex import lazy
from ingest.records import NO_PARAMS

_ROWS = Path(__file__).with_suffix(".tsv")
_PARTS = lazy(r"\d+|rc|alpha|beta|[a-z](?![a-z])")
_BESIDE = lazy(r"\A[a-z+]+[-_ ](?:v(?=\d))?|[-+]g?[0-9a-f]{6,40}\b.*|\+dev.*|-dirty.*")
"""The tool's name before a version, and what marks a build of it."""


@dataclass(frozen=True, slots=True)
class VersionChange:
    """`what` holds for versions of `tool` from `first` (empty: from the beginning) up to `before`."""

    tool: str
    metrics: tuple[str, ...]
    stats: tuple[str, ...]
    needs: tuple[str, ...]
    first: str
    before: str
    what: str
    source: str

    def holds_for(self, version: str) -> bool:
        """Whether it is true of a version."""
        return not _is_older(version, self.first) and _is_older(version, self.before)

    def is_met(self, params: Mapping[str, Any]) -> bool:
        """Whether it changes numbers of a run with these parameters."""
        return not self.needs or any(_is_given(need, params) for need in self.needs)


@cache
def version_changes() -> tuple[VersionChange, ...]:
    """Every row."""
    _, *rows = _ROWS.read_text().splitlines()
    cells = (row.split("\t") for row in rows)
    return tuple(
        VersionChange(tool, tuple(metrics.split()), tuple(stats.split()), tuple(needs.split()), first, before, what, source)
        for tool, metrics, stats, needs, first, before, what, source in cells
    )


def changes_of(tool: str, metric: str, stat: str = "sample", params: Mapping[str, Any] = NO_PARAMS) -> list[VersionChange]:
    """The changes that concern such numbers."""
    return [change for change in _changes_of_numbers(tool, metric, stat) if change.is_met(params)]


@lru_cache(10_000)
def _changes_of_numbers(tool: str, metric: str, stat: str) -> tuple[VersionChange, ...]:
    """Whatever the parameters are: they differ from run to run, these do not."""
    return tuple(
        change
        for change in version_changes()
        if change.tool == tool and _matches(metric, change.metrics) and _matches(stat, change.stats)
    )


def _matches(text: str, patterns: tuple[str, ...]) -> bool:
    return not patterns or any(fnmatchcase(text, pattern) for pattern in patterns)


def _is_given(need: str, params: Mapping[str, Any]) -> bool:
    name, equals, value = need.partition("=")
    given = params.get(name)
    return given is not None and (not equals or str(given).lower() == value.lower())


def _is_older(version: str, other: str) -> bool:
    """Whether a version comes before another one: 1.03e < 1.92, 4.0.0rc1 < 4.0.0; nothing comes before an empty one."""
    if not other:
        return False
    return next((a < b for a, b in zip_longest(_key(version), _key(other), fillvalue=0) if a != b), False)


@lru_cache(2000)
def _key(version: str) -> tuple[int, ...]:
    parts = _PARTS.findall(_BESIDE.sub("", version.lower()))
    return tuple(int(part) if part.isdigit() else -1 if len(part) > 1 else ord(part) - ord("a") + 1 for part in parts)
