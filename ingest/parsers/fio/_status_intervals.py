"""States of a running job in JSON (--status-interval): each document holds what the one before it held, and more.

Two documents show one run where their jobs have the same names, groups and options, began at the same time (the
timestamp less the run time), and the later one ran longer and moved more. Runs one after the other begin apart; runs
side by side on several machines end alike, by their run time or by their size.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

from ingest.text.located_json import LocatedDocument, LocatedValue

_DIRECTIONS = ("read", "write", "trim", "mixed")
_SLACK, _COARSE_SLACK = 0.2, 1.5  # seconds, by `timestamp_ms` or by `timestamp`
_LEAST = 0.05


class _State(NamedTuple):
    """What one document tells of its run: identity, time of report, longest run time (s), bytes by job and direction."""

    names: tuple[object, ...]
    at: float
    slack: float
    runtime: float
    moved: tuple[float, ...]
    planned: float


def find_superseded(documents: Sequence[LocatedDocument]) -> list[int]:
    """The places in `documents` of those which a later document holds."""
    if len(documents) < 2:
        return []
    states = [_state(document.root) for document in documents]
    return [at for at, (one, other) in enumerate(itertools.pairwise(states)) if one and other and _grew(one, other)]


def _grew(one: _State, other: _State) -> bool:
    same = one.names == other.names and abs((one.at - one.runtime) - (other.at - other.runtime)) <= max(one.slack, other.slack)
    longer = other.runtime >= one.runtime + _LEAST and one.runtime > max(one.slack, other.slack)
    ended = one.planned and one.runtime >= 0.97 * one.planned and other.runtime <= 1.03 * one.runtime
    if not same or not longer or ended or len(one.moved) != len(other.moved) or one.moved == other.moved:
        return False
    return all(before <= after for before, after in zip(one.moved, other.moved, strict=True))


def _state(root: LocatedValue) -> _State | None:
    jobs = (root.get("jobs") or LocatedValue(0, "", [])).items()
    exact, coarse = _number(root.text("timestamp_ms")), _number(root.text("timestamp"))
    if not jobs or not (exact or coarse):
        return None
    names: list[object] = [root.text("fio version")]
    planned = [_number(root.text("global options", "runtime"))]
    runtimes, moved = [0.0], []
    for job in jobs:
        names.append((job.text("jobname"), job.text("groupid"), job.text("hostname"), _plain(job.get("job options"))))
        planned.append(_number(job.text("job options", "runtime")))
        for direction in _DIRECTIONS:
            section = job.get(direction) or LocatedValue(0, "", {})
            runtimes.append(_number(section.text("runtime")))
            moved.append(_number(section.text("io_bytes") or section.text("io_kbytes")))
    return _State(
        tuple(names), exact / 1000 or coarse, _SLACK if exact else _COARSE_SLACK, max(runtimes) / 1000, tuple(moved), max(planned)
    )


def _plain(node: LocatedValue | None) -> tuple[tuple[str, object], ...]:
    return tuple((key, value.value) for key, value in node.value.items()) if node and isinstance(node.value, dict) else ()


def _number(text: str | None) -> float:
    """The number, 0 where there is none; `60s` of an option is not read."""
    return float(text) if text and text.isdecimal() and len(text) < 20 else 0.0
