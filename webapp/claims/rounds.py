"""Rounds of a session: which values of several sides were measured in one pass over all of them, and in which order. Pure.

A round has a value of several sides, such as `rep2/lz4.txt` and `rep2/off.txt`, or each pass of the order A B C A B C. What changes
slowly during a session (temperature, how full the pool is) is nearly the same in one round.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import groupby, pairwise

from webapp.claims.observations import Observed
from webapp.formatting.printed_times import TimeInterval, find_time

MIN_ROUNDS = 2
"""Fewer passes are no rounds."""
_NO_ROUND = " none"
"""Ends the name of a round that is known to be none."""
_NUMBER = re.compile(r"[0-9]+")
_DATE = re.compile(r"(?<![0-9])((?:19|20)[0-9]{2})[-_.]?(0[1-9]|1[0-2])[-_.]?(0[1-9]|[12][0-9]|3[01])(?![0-9])")
_Numbered = Mapping[str, Mapping[int, int]]
"""Template of a part of a path, with `#` for a number -> index of a value -> its number there."""


def find_rounds(sides: Sequence[Sequence[Observed]]) -> list[list[str | None]]:
    """The name of the round of each value of each side, None where it is in none. All values are of one session.

    As a manifest states it of all values, else from numbers in their paths where these pair the sides up and neither printed times
    nor dates in the paths contradict, else from a cycle of the sides in a known order.
    """
    stated = [[value.round for value in side] for side in sides]
    is_none = any(name and name.endswith(_NO_ROUND) for side in stated for name in side)
    if all(map(all, stated)) and not is_none:
        return stated
    of_paths = None if is_none else _rounds_of_paths(sides)
    if of_paths is not None and _are_contradicted(sides, of_paths):
        of_paths = None
    return of_paths or _rounds_of_cycle(sides) or [[None] * len(side) for side in sides]


def find_positions(sides: Sequence[Sequence[Observed]]) -> list[list[int | None]]:
    """The position of each value of each side in time, from 0 on: by printed times, else by lines of one file.

    None where its time is not known, and everywhere where the order of values with equal times is not.
    """
    values = [value for side in sides for value in side]
    order = iter(_order(values))
    return [[next(order) for _ in side] for side in sides]


def _time_of(value: Observed) -> TimeInterval | None:
    """When it began; the day alone orders values only where it was printed."""
    time = find_time(value.started_at, value.path)
    return time if time is None or value.started_at is not None or time.earliest == time.latest else None


def _order(values: Sequence[Observed]) -> list[int | None]:
    positions: list[int | None] = [None] * len(values)
    indices = [index for index, value in enumerate(values) if _time_of(value) is not None]
    keys = _time_keys(values, indices)
    lines_known = len({value.path for value in values}) == 1 and all(value.line.isdecimal() for value in values)
    if lines_known and (keys is None or len(indices) < len(values)):
        indices, keys = list(range(len(values))), [(int(value.line),) for value in values]
    if keys is None or len(set(keys)) < len(keys):  # of equal ones no order is known
        return positions
    for position, (_, index) in enumerate(sorted(zip(keys, indices, strict=True))):
        positions[index] = position
    return positions


def _time_keys(values: Sequence[Observed], indices: Sequence[int]) -> list[tuple] | None:
    """Sort keys of the values with a time. None where times are of both kinds, or no line distinguishes equal ones."""
    times = [_time_of(values[index]) for index in indices]
    known = [time for time in times if time is not None]
    if not known or len({time.has_offset for time in known}) > 1:
        return None
    chosen = [values[index] for index in indices]
    numbered = [int(value.line) if value.line.isdecimal() else 0 for value in chosen]
    in_order = sorted(zip(known, chosen, strict=True), key=lambda pair: pair[0])
    for (time, value), (later_time, later) in pairwise(in_order):
        overlap = later_time.earliest < time.latest or later_time == time
        if overlap and not (value.path == later.path and value.line.isdecimal() and later.line.isdecimal()):
            return None
    return [(time, value.path, line) for time, value, line in zip(known, chosen, numbered, strict=True)]


def _rounds_of_paths(sides: Sequence[Sequence[Observed]]) -> list[list[str | None]] | None:
    """Rounds from numbers in paths; None where no number pairs up the sides."""
    numbered = [_numbers_of_paths(side) for side in sides]
    templates = sorted({template for side in numbered for template in side})
    # The same part of the path on every side (rep#), else the most numbered part of each side (lz4-#.txt, off-#.txt).
    candidates = [[template] * len(sides) for template in templates]
    candidates.append([max(sorted(side), key=lambda name: _count(side[name]), default="") for side in numbered])
    found = []
    for chosen in candidates:
        numbers = [side.get(template, {}) for side, template in zip(numbered, chosen, strict=True)]
        shared = _shared_numbers(numbers)
        if len(shared) >= MIN_ROUNDS:
            values = sum(number in shared for side in numbers for number in side.values())
            found.append((len(shared), values, chosen, numbers, shared))
    if not found:
        return None
    _, _, chosen, numbers, shared = max(found, key=lambda one: one[:2])
    name = chosen[0] if len(set(chosen)) == 1 else "#"
    return [[_name(name, own.get(index), shared) for index in range(len(side))] for side, own in zip(sides, numbers, strict=True)]


def _are_contradicted(sides: Sequence[Sequence[Observed]], rounds: Sequence[Sequence[str | None]]) -> bool:
    """Whether one round began before another had ended, by printed times, or has paths with unlike dates."""
    spans: dict[str, list[TimeInterval]] = {}
    dates: dict[str, set[frozenset[str]]] = {}
    for side, names in zip(sides, rounds, strict=True):
        for value, name in zip(side, names, strict=True):
            if name is None:
                continue
            if (time := _time_of(value)) is not None:
                spans.setdefault(name, []).append(time)
            if found := frozenset("".join(match.groups()) for match in _DATE.finditer(value.path)):
                dates.setdefault(name, set()).add(found)
    if any(len(of_round) > 1 for of_round in dates.values()):
        return True
    times = [time for of_round in spans.values() for time in of_round]
    if len({time.has_offset for time in times}) != 1:
        return False
    ordered = sorted(
        (min(time.latest for time in of_round), max(time.earliest for time in of_round)) for of_round in spans.values()
    )
    return any(begin < end for (_, end), (begin, _) in pairwise(ordered))


def _count(numbers: Mapping[int, int]) -> int:
    return len(set(numbers.values()))


def _name(template: str, number: int | None, shared: set[int]) -> str | None:
    return template.replace("#", str(number)) if number is not None and number in shared else None


def _shared_numbers(numbers: Sequence[Mapping[int, int]]) -> set[int]:
    """The numbers that at least two sides have."""
    counts = Counter(number for side in numbers for number in set(side.values()))
    return {number for number, count in counts.items() if count > 1}


def _numbers_of_paths(side: Sequence[Observed]) -> _Numbered:
    """The numbered parts of the paths of a side of which at least two numbers occur."""
    numbered: dict[str, dict[int, int]] = {}
    for index, value in enumerate(side):
        for template, number in _templates(value.path):
            numbered.setdefault(template, {}).setdefault(index, number)
    return {template: numbers for template, numbers in numbered.items() if _count(numbers) >= MIN_ROUNDS}


@lru_cache(5_000)
def _templates(path: str) -> tuple[tuple[str, int], ...]:
    """(part of the path with `#` for one of its numbers, that number), the last part first. Every page asks of the same paths."""
    return tuple(
        (f"{part[: match.start()]}#{part[match.end() :]}", int(match[0][:18]))
        for part in reversed(path.split("/"))
        for match in _NUMBER.finditer(part)
    )


def _rounds_of_cycle(sides: Sequence[Sequence[Observed]]) -> list[list[str | None]] | None:
    """Rounds from the order of all values, where it is a cycle of the sides; None where it is none."""
    positions = find_positions(sides)
    places = [(position, side, index) for side, of_side in enumerate(positions) for index, position in enumerate(of_side)]
    if any(position is None for position, _, _ in places):
        return None
    passes = [list(group) for _, group in groupby(sorted(places), key=lambda place: place[1])]
    size = len({side for _, side, _ in places})
    labels = [group[0][1] for group in passes]
    if len(labels) < MIN_ROUNDS * size or any(label != labels[at % size] for at, label in enumerate(labels)):
        return None
    rounds: list[list[str | None]] = [[None] * len(side) for side in sides]
    for at, group in enumerate(passes):
        for _, side, index in group:
            rounds[side][index] = f"round {at // size + 1}"
    return rounds
