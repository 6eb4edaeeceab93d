"""What the state of a machine before its runs does to a claim. Pure: comparison of the states of two sides, key by key.

A state that goes with the side explains a difference as well as what is compared, so nothing is claimed. One that varies within
sides, or is recorded of one alone, is a doubt. What runs raise themselves decides nothing where it may be their doing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean, median
from typing import Any

from ingest import state
from ingest.state import StateKey
from webapp.formatting import numbers

OF_MACHINES = frozenset(f"{state.PREFIX}{name}" for name in ("thin", "encrypted", "wear", "degraded")) | {
    key.name for key in state.KEYS.values() if key.holds == state.ALWAYS
}
"""Keys of what a machine is rather than how it was found: they are of the systems where whole machines are compared."""
WIDE = ("state.capacity", "state.scrub", "state.throttling", "state.load")
"""Keys that a claim beyond its sessions names where nothing recorded them."""
MAX_REASONS = 3


@dataclass(frozen=True, slots=True)
class RunState:
    """The state before one run, with its session, and its place in time there (None: unknown)."""

    values: Mapping[str, Any]
    session: int
    position: float | None = None


@dataclass(frozen=True, slots=True)
class Side:
    """The runs of one side by the name of what is compared (`lz4`)."""

    name: str
    runs: Sequence[RunState]


@dataclass(frozen=True, slots=True)
class Confounding:
    """`reason`: why a difference cannot be judged, empty where it can; `doubts`: what caps a claim at its sessions; `shown`:
    what runs may have raised themselves."""

    reason: str = ""
    doubts: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()


def compare_states(sample: Side, base: Side, *, follows_os: bool = False, whole_systems: bool = False) -> Confounding:
    """What the states of two sides say about a claim. `follows_os`: whether kernels or operating systems are compared;
    `whole_systems`: whether the sides may be machines of their own."""
    names = {name for side in (sample, base) for run in side.runs for name in run.values}
    reasons, doubts, shown = list[str](), list[str](), list[str]()
    for name in sorted(names, key=lambda one: (_position(one), one)):
        if whole_systems and name in OF_MACHINES:
            continue
        if follows_os and all(state.may_follow(name, value) for side in (sample, base) for value in _values(side, name)):
            continue
        _compare(name, sample, base, (reasons, doubts, shown))
    more = len(reasons) - MAX_REASONS
    said = [*reasons[:MAX_REASONS], *([f"{more} more"] if more > 0 else ())]
    return Confounding(f"cannot tell: {'; '.join(said)}" if said else "", tuple(doubts), tuple(shown))


def name_unrecorded(states: Iterable[Mapping[str, Any]], on_file_system: bool = True) -> list[str]:
    """The labels of what matters for wide claims and is recorded before none of the runs."""
    recorded = {name for values in states for name in values}
    keys = [state.KEYS[name] for name in WIDE if name not in recorded]
    return [key.label for key in keys if on_file_system or key.name not in state.OF_FILE_SYSTEMS]


def _position(name: str) -> int:
    return next((at for at, known in enumerate(state.KEYS) if known == name), len(state.KEYS))


def _key(name: str) -> StateKey:
    return state.KEYS.get(name) or StateKey(name, name.removeprefix(state.PREFIX).replace("_", " "), "")


def _values(side: Side, name: str) -> list[Any]:
    return [run.values[name] for run in side.runs if run.values.get(name) is not None]


def _compare(name: str, sample: Side, base: Side, found: tuple[list[str], list[str], list[str]]) -> None:
    """Add what one key says to the reasons, the doubts, and what is only shown."""
    reasons, doubts, shown = found
    key, sides = _key(name), (sample, base)
    classes = [[state.class_of(name, run.values.get(name)) for run in side.runs] for side in sides]
    known = [[one for one in of_side if one is not None] for of_side in classes]
    missing = [side.name for side, of_side in zip(sides, known, strict=True) if not of_side]
    if missing:
        if len(missing) == 1 and not key.by_runs:
            doubts.append(f"not recorded for {missing[0]}: {key.label}")
        return
    if _is_apart(key, sides, known):
        reason = _say(key, sides, "every run of ")
        caused = _may_be_caused(name, sample, base) if key.by_runs else False
        (shown if caused else doubts if caused is None else reasons).append(reason)
    elif _is_varied(key, sides, known):
        (shown if key.by_runs or _grows(key, sides) else doubts).append(_say_varied(key, sides, known))
    elif sum(map(len, known)) < sum(map(len, classes)) and not key.by_runs:
        doubts.append(f"not recorded for every run: {key.label}")


def _numbers(key: StateKey, side: Side) -> list[float]:
    """The numbers of a key that is one; empty for others."""
    if not key.bounds and key.tolerance is None:
        return []
    return [number for value in _values(side, key.name) if (number := state.number_of(value)) is not None]


def _is_apart(key: StateKey, sides: Sequence[Side], known: Sequence[Sequence[Any]]) -> bool:
    """Whether the state goes with the side: no class on both; of numbers medians in unlike classes, and ranges apart."""
    ones, others = (_numbers(key, side) for side in sides)
    if ones and others:
        unlike = state.are_alike(key.name, median(ones), median(others)) is False
        return unlike and (max(ones) < min(others) or max(others) < min(ones))
    return set(known[0]).isdisjoint(known[1])


def _is_varied(key: StateKey, sides: Sequence[Side], known: Sequence[Sequence[Any]]) -> bool:
    if key.tolerance is not None:
        every = [number for side in sides for number in _numbers(key, side)]
        return bool(every) and max(every) - min(every) > key.tolerance
    return len(set().union(*known)) > 1


def _may_be_caused(name: str, sample: Side, base: Side) -> bool | None:
    """Whether the side with the higher numbers ran later in every session, so that the runs before may have raised them; None where
    the order is not known."""
    sides = sorted((sample, base), key=lambda side: fmean(state.badness(name, value) for value in _values(side, name)))
    later = []
    for session in {run.session for run in sample.runs} & {run.session for run in base.runs}:
        places = [[run.position for run in side.runs if run.session == session] for side in sides]
        if None in places[0] or None in places[1]:
            return None
        low, high = (fmean(place for place in of_side if place is not None) for of_side in places)
        later.append(high > low)
    return all(later) if later else None


def _grows(key: StateKey, sides: Sequence[Side]) -> bool:
    """Whether the numbers only rise in the course of each session in which both sides took turns: runs raise them."""
    if not all(_numbers(key, side) for side in sides):
        return False
    runs = [(run.session, run.position, at, run.values.get(key.name)) for at, side in enumerate(sides) for run in side.runs]
    if any(position is None or value is None for _, position, _, value in runs):
        return False
    runs.sort(key=lambda run: run[:2])
    turns = sum(one[2] != other[2] for one, other in pairwise(runs))
    return turns > 1 and all(
        (state.number_of(one[3]) or 0) <= (state.number_of(other[3]) or 0) for one, other in pairwise(runs) if one[0] == other[0]
    )


def _say(key: StateKey, sides: Sequence[Side], of: str) -> str:
    """`a scrub ran under every run of off`, `the pool was 93 % full under every run of lz4, 4 % under off`."""
    texts = [_amounts(key, side) for side in sides]
    if key.clause:
        at = 0 if any(state.class_of(key.name, value) == state.YES for value in _values(sides[0], key.name)) else 1
        return f"{key.clause} {_preposition(key)} {of}{sides[at].name} only"
    worst = max(range(2), key=lambda at: max((state.badness(key.name, one) for one in _values(sides[at], key.name)), default=0))
    first, second = worst, 1 - worst
    said = key.amount.format(texts[first]) if key.amount else f"{key.label} {texts[first]}"
    return f"{said} under {of}{sides[first].name}, {texts[second]} under {sides[second].name}"


def _say_varied(key: StateKey, sides: Sequence[Side], known: Sequence[Sequence[Any]]) -> str:
    """`a scrub ran under 1 of 3 runs of off`, `hypervisor none or kvm under off, none under lz4`."""
    if key.clause:
        counts = [sum(one == state.YES for one in of_side) for of_side in known]
        parts = [f"{n} of {len(side.runs)} runs of {side.name}" for n, side in zip(counts, sides, strict=True) if n]
        return f"{key.clause} {_preposition(key)} {' and '.join(parts)}"
    return f"{key.label} {', '.join(f'{_amounts(key, side)} under {side.name}' for side in sides)}"


def _preposition(key: StateKey) -> str:
    return "before" if key.holds == state.ONCE or " had " in f" {key.clause} " else "under"


def _amounts(key: StateKey, side: Side) -> str:
    """`93 %`, `10 to 60 %`, `kvm or none`."""
    found = _numbers(key, side)
    unit = f" {key.unit}" if key.unit else ""
    if found:
        ends = dict.fromkeys(numbers.number(end) for end in (min(found), max(found)))
        return f"{' to '.join(ends)}{unit}"
    return " or ".join(sorted({str(value) for value in _values(side, key.name)}))
