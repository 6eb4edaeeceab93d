"""States of a running job in JSON (--status-interval): each document contains the one before it, and more.

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
_TOLERANCE, _COARSE_TOLERANCE = 0.2, 1.5  # seconds, of `timestamp_ms` and of `timestamp`
_MIN_PROGRESS = 0.05  # seconds


class _RunState(NamedTuple):
    """One document. `jobs`: names, groups and options; `time`, `tolerance`, `runtime`, `planned`: seconds, `runtime` and
    `planned` the longest of the jobs; `moved`: bytes by job and direction."""

    jobs: tuple[object, ...]
    time: float
    tolerance: float
    runtime: float
    moved: tuple[float, ...]
    planned: float


def find_superseded(documents: Sequence[LocatedDocument]) -> list[int]:
    """The indexes of documents that the next one contains."""
    if len(documents) < 2:
        return []
    states = [_run_state(document.root) for document in documents]
    return [
        index
        for index, (earlier, later) in enumerate(itertools.pairwise(states))
        if earlier and later and _is_progress(earlier, later)
    ]


def _is_progress(earlier: _RunState, later: _RunState) -> bool:
    """Whether the later document is a state of the same run."""
    tolerance = max(earlier.tolerance, later.tolerance)
    is_same = earlier.jobs == later.jobs and abs((earlier.time - earlier.runtime) - (later.time - later.runtime)) <= tolerance
    is_longer = later.runtime >= earlier.runtime + _MIN_PROGRESS and earlier.runtime > tolerance
    is_complete = earlier.planned and earlier.runtime >= 0.97 * earlier.planned and later.runtime <= 1.03 * earlier.runtime
    if not is_same or not is_longer or is_complete or len(earlier.moved) != len(later.moved) or earlier.moved == later.moved:
        return False
    return all(before <= after for before, after in zip(earlier.moved, later.moved, strict=True))


def _run_state(root: LocatedValue) -> _RunState | None:
    jobs = (root.get("jobs") or LocatedValue(0, "", [])).items()
    exact, coarse = _whole_number(root.text("timestamp_ms")), _whole_number(root.text("timestamp"))
    if not jobs or not (exact or coarse):
        return None
    names: list[object] = [root.text("fio version")]
    planned = [_whole_number(root.text("global options", "runtime"))]
    runtimes, moved = [0.0], []
    for job in jobs:
        names.append((job.text("jobname"), job.text("groupid"), job.text("hostname"), _options(job.get("job options"))))
        planned.append(_whole_number(job.text("job options", "runtime")))
        for direction in _DIRECTIONS:
            section = job.get(direction) or LocatedValue(0, "", {})
            runtimes.append(_whole_number(section.text("runtime")))
            moved.append(_whole_number(section.text("io_bytes") or section.text("io_kbytes")))
    return _RunState(
        jobs=tuple(names),
        time=exact / 1000 or coarse,
        tolerance=_TOLERANCE if exact else _COARSE_TOLERANCE,
        runtime=max(runtimes) / 1000,
        moved=tuple(moved),
        planned=max(planned),
    )


def _options(node: LocatedValue | None) -> tuple[tuple[str, object], ...]:
    return tuple((key, value.value) for key, value in node.value.items()) if node and isinstance(node.value, dict) else ()


def _whole_number(text: str | None) -> float:
    """The number if it is digits only, else 0 (nothing, `60s`, `1.5`)."""
    return float(text) if text and text.isdecimal() and len(text) < 20 else 0.0
