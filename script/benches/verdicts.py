"""Error rates of claims: simulated pages in the code that judges them, beside the pooling of all repetitions.

Repetitions of a session share its effect: a factor with the spread *between* sessions; those of a machine share the machine's,
with 20 %. Noise within a session is 3 %. A page on which nothing differs is false where any of its claims says that something
does: among equal configurations that share each session (a claim of these sessions) or have sessions of their own. The share of
such pages must not exceed 5 % and two standard errors. A row above that is run again with ten times the pages, and counts by
those: of rows that err exactly as often as they may, one in 44 lies above by chance.

Where runs drift or the first one of a session is slow, and one side runs first more often, no test can tell that from a
difference. There a claim with the doubt *drift not excluded* is true, and one without it is false; the share of pages with one
without it has the same limit. With an order that takes turns the claims that are found are those without the doubt.

*Pooled* is Welch's test over all repetitions as if they were independent, on the same pages.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy

from webapp.claims import statistics
from webapp.claims.judge import judge
from webapp.claims.observations import (
    ABOVE,
    AS_THEY_STAND,
    CONTROLLED,
    DRIFT,
    GEOMETRIC,
    MACHINES,
    MEDIAN,
    NO_DIFFERENCE,
    SESSION,
    SESSIONS,
    SYSTEM,
    SYSTEMS,
    Contrast,
    Observation,
    Sample,
)

SMALL = ("--trials", "20")
BETWEEN = (0.0, 0.02, 0.05, 0.1)
"""Spreads between sessions, of the logarithms."""
NOISE = 0.03
MACHINE_SPREAD = 0.2
AGAIN = 10


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)


def limit(trials: int) -> float:
    """5 % and two standard errors."""
    return 0.05 + 2 * math.sqrt(0.05 * 0.95 / trials)


@dataclass(frozen=True)
class Row:
    """A kind of page. `sessions`: (machine, repetitions of the sample, of the baseline) of each session."""

    scope: str
    name: str
    sessions: tuple[tuple[int, int, int], ...]
    design: str = CONTROLLED
    stat: str = GEOMETRIC
    spreads: tuple[float, float] = (NOISE, NOISE)
    heavy: bool = False
    """Student's distribution with 3 degrees of freedom in place of the normal one, with the same spread."""
    tests: int = 1
    rounds: bool = False
    bound: float = math.inf
    doubts: frozenset[str] = frozenset()
    varying: float = 0.0
    """The spread of the effect itself over machines, with a mean of none."""
    order: str = ""
    """One of `ORDERS`; empty where the order is unknown."""
    drift: float = 0.0
    """The logarithm changes so much from the first to the last run of a session."""
    cold: float = 0.0
    """The first run of a session is slower by so much."""

    @property
    def is_doubted(self) -> bool:
        """Whether claims with the doubt about drift are true here: only those without it count."""
        return bool(self.order)


WHOLLY, FIRST, SWAPPED, RANDOM = "wholly first", "always first", "swapped", "random order"
ORDERS = (WHOLLY, FIRST, SWAPPED, RANDOM)
"""The sample before the baseline; by turns, the sample first in each; by turns, who is first changes; each order as likely."""


def places(draw: numpy.random.Generator, row: Row, counts: Sequence[int], session: int) -> list[list[int]]:
    """The places of the runs of both sides in a session."""
    if row.order == WHOLLY:
        sides = [0] * counts[0] + [1] * counts[1]
    else:
        pairs = [[0, 1] if row.order == FIRST or (at + session) % 2 == 0 else [1, 0] for at in range(max(counts))]
        left, sides = list(counts), []
        for side in (side for pair in pairs for side in pair):
            if left[side]:
                left[side] -= 1
                sides.append(side)
    if row.order == RANDOM:
        draw.shuffle(sides)
    return [[at for at, side in enumerate(sides) if side == which] for which in (0, 1)]


def both(sessions: int, n: int, m: int = 0) -> tuple[tuple[int, int, int], ...]:
    """Sessions of one machine that hold both sides."""
    return ((0, n, m or n),) * sessions


def apart(ones: int, others: int, n: int, machine: int = 0) -> tuple[tuple[int, int, int], ...]:
    """Sessions of one side each; the baseline's are on `machine`."""
    return ((0, n, 0),) * ones + ((machine, 0, n),) * others


def each(machines: int, n: int, m: int = 0) -> tuple[tuple[int, int, int], ...]:
    return tuple((at, n, m or n) for at in range(machines))


def each_apart(machines: int, n: int) -> tuple[tuple[int, int, int], ...]:
    return tuple(session for at in range(machines) for session in ((at, n, 0), (at, 0, n)))


UNEQUAL = ((0, 1, 8), (0, 5, 2), (0, 10, 3))
TURNS = ((0, 2, 1), (0, 1, 2))
LONG_TURNS = ((0, 10, 1), (0, 1, 10))
UNEVEN = (NOISE, 5 * NOISE)
TURNED = (5 * NOISE, NOISE)
_SYSTEMS = {"design": AS_THEY_STAND}

ORDERED = (
    Row(SESSION, "3 a side", both(1, 3)),
    Row(SESSION, "10 a side", both(1, 10)),
    Row(SESSION, "3 rounds", both(1, 3), rounds=True),
    Row(SESSION, "6 rounds", both(1, 6), rounds=True),
    Row(SESSIONS, "from memory, 3 x 3", both(3, 3), doubts=frozenset(("cached",))),
    Row(SESSIONS, "from memory, 3 x 3 rounds", both(3, 3), doubts=frozenset(("cached",)), rounds=True),
    Row(SESSION, "median, 6 a side", both(1, 6), stat=MEDIAN),
    Row(SYSTEM, "3 sessions x 1", both(3, 1)),
    Row(SYSTEM, "3 sessions x 3", both(3, 3)),
    Row(SYSTEM, "6 sessions x 1", both(6, 1)),
    Row(SYSTEM, "10 sessions x 3", both(10, 3)),
    Row(MACHINES, "4 machines x 3", each(4, 3)),
)
"""Kinds of pages with a known order."""

ROWS = (
    Row(SESSION, "3 repetitions a side", both(1, 3)),
    Row(SESSION, "10 repetitions a side", both(1, 10)),
    Row(SESSION, "3 rounds", both(1, 3), rounds=True),
    Row(SESSION, "3 rounds, spread 1:5", both(1, 3), rounds=True, spreads=UNEVEN),
    Row(SESSION, "8 tests, 3 a side", both(1, 3), tests=8),
    Row(SESSION, "3 and 10 repetitions", both(1, 3, 10)),
    Row(SESSION, "3 and 30 repetitions", both(1, 3, 30)),
    Row(SESSION, "spread 1:5, 3 a side", both(1, 3), spreads=UNEVEN),
    Row(SESSION, "spread 1:5, 3 and 10", both(1, 3, 10), spreads=UNEVEN),
    Row(SESSION, "spread 5:1, 3 and 10", both(1, 3, 10), spreads=TURNED),
    Row(SESSION, "heavy tails, 3 a side", both(1, 3), heavy=True),
    Row(SESSION, "heavy tails, 3 and 10", both(1, 3, 10), heavy=True),
    Row(SESSION, "median, 6 a side", both(1, 6), stat=MEDIAN),
    Row(SESSION, "bounded values, 5 a side", both(1, 5), bound=102),
    Row(SESSION, "each side its own session, 5 a side", apart(1, 1, 5)),
    Row(SESSIONS, "2 sessions x 3", both(2, 3)),
    Row(SESSIONS, "2 sessions x 3, spread 1:5", both(2, 3), spreads=UNEVEN),
    Row(SESSIONS, "2 sessions x 3, heavy tails", both(2, 3), heavy=True),
    Row(SESSIONS, "2 sessions of 3 rounds", both(2, 3), rounds=True),
    Row(SESSIONS, "3 and 1 repetitions", ((0, 3, 3), (0, 1, 1))),
    Row(SESSIONS, "2 and 1 repetitions, turned", TURNS),
    Row(SESSIONS, "2 and 1, turned, spread 1:5", TURNS, spreads=UNEVEN),
    Row(SESSIONS, "10 and 1 repetitions, turned", LONG_TURNS),
    Row(SESSIONS, "10 and 1, turned, spread 1:5", LONG_TURNS, spreads=UNEVEN),
    Row(SESSIONS, "10 and 1, turned, heavy tails", LONG_TURNS, heavy=True),
    Row(SESSIONS, "8 tests, 2 sessions x 3", both(2, 3), tests=8),
    Row(SESSIONS, "3 sessions x 3, from memory", both(3, 3), doubts=frozenset(("cached",))),
    Row(SESSIONS, "6 sessions x 1, from memory", both(6, 1), doubts=frozenset(("cached",))),
    Row(SESSIONS, "median, 2 sessions x 5 and 7", both(2, 5, 7), stat=MEDIAN),
    Row(SESSIONS, "bounded values, 2 sessions x 4", both(2, 4), bound=102),
    Row(SYSTEM, "3 sessions x 3", both(3, 3)),
    Row(SYSTEM, "5 sessions x 3", both(5, 3)),
    Row(SYSTEM, "3 sessions a side x 3", apart(3, 3, 3)),
    Row(SYSTEM, "3 and 10 sessions a side x 3", apart(3, 10, 3)),
    Row(SYSTEM, "8 tests, 3 sessions x 3", both(3, 3), tests=8),
    Row(SYSTEM, "unequal repetitions", UNEQUAL),
    Row(SYSTEM, "unequal repetitions, spread 1:5", UNEQUAL, spreads=UNEVEN),
    Row(SYSTEM, "spread 1:5, 3 sessions x 3", both(3, 3), spreads=UNEVEN),
    Row(SYSTEM, "spread 1:5, 3 sessions a side x 1", apart(3, 3, 1), spreads=UNEVEN),
    Row(SYSTEM, "heavy tails, 3 sessions x 3", both(3, 3), heavy=True),
    Row(SYSTEM, "heavy tails, 3 sessions a side x 3", apart(3, 3, 3), heavy=True),
    Row(SYSTEM, "median, 6 sessions x 3", both(6, 3), stat=MEDIAN),
    Row(SYSTEM, "bounded values, 4 sessions a side x 3", apart(4, 4, 3), bound=102),
    Row(MACHINES, "4 machines x 3", each(4, 3)),
    Row(MACHINES, "4 machines x 3, sessions of their own", each_apart(4, 3)),
    Row(MACHINES, "4 machines, effect varies by 20 %", each(4, 3), varying=0.2),
    Row(MACHINES, "6 machines x 1 and 5", each(6, 1, 5)),
    Row(MACHINES, "8 tests, 4 machines x 3", each(4, 3), tests=8),
    Row(MACHINES, "spread 1:5, 4 machines x 3", each(4, 3), spreads=UNEVEN),
    Row(MACHINES, "heavy tails, 4 machines x 3", each(4, 3), heavy=True),
    Row(MACHINES, "median, 6 machines x 3", each(6, 3), stat=MEDIAN),
    Row(SYSTEMS, "3 sessions a side x 3", apart(3, 3, 3, 1), **_SYSTEMS),
    Row(SYSTEMS, "3 and 10 sessions a side x 3", apart(3, 10, 3, 1), **_SYSTEMS),
    Row(SYSTEMS, "spread 1:5, 3 sessions a side x 1", apart(3, 3, 1, 1), spreads=UNEVEN, **_SYSTEMS),
    Row(SYSTEMS, "heavy tails, 3 sessions a side x 3", apart(3, 3, 3, 1), heavy=True, **_SYSTEMS),
    *(
        replace(row, name=f"{row.name}, {order}, {words}", order=order, drift=drift, cold=cold)
        for row in ORDERED
        for order in ORDERS
        for words, drift, cold in (("drift of 10 %", 0.1, 0.0), ("first run 20 % slow", 0.0, 0.2))
    ),
)
"""Nothing differs. Two systems as they stand are of one speed here, or a claim would be true."""

POWERS = (
    (Row(SYSTEM, "3 sessions x 3", both(3, 3)), 1.2, 0.95),
    (Row(SYSTEM, "3 sessions x 3", both(3, 3)), 1.1, 0.75),
    (Row(MACHINES, "4 machines x 3", each(4, 3)), 2.0, 0.95),
    (Row(SYSTEM, "5 sessions x 3", both(5, 3)), 1.1, 0.0),
    (Row(SESSION, "3 repetitions a side", both(1, 3)), 1.2, 0.0),
    (Row(SESSION, "3 rounds", both(1, 3), rounds=True), 1.2, 0.0),
    (Row(SESSIONS, "2 sessions x 3", both(2, 3)), 1.2, 0.0),
    (Row(SESSIONS, "2 and 1 repetitions, turned", TURNS), 1.2, 0.0),
    (Row(SYSTEM, "3 sessions a side x 3", apart(3, 3, 3)), 1.2, 0.0),
    (Row(SYSTEM, "3 sessions a side x 3", apart(3, 3, 3)), 1.1, 0.0),
    (Row(SYSTEMS, "3 sessions a side x 3", apart(3, 3, 3, 1), **_SYSTEMS), 1.2, 0.0),
    (Row(MACHINES, "4 machines x 3", each(4, 3)), 1.2, 0.0),
    (Row(MACHINES, "4 machines, effect varies by 20 %", each(4, 3), varying=0.2), 2.0, 0.0),
    (Row(SESSION, "3 repetitions a side, swapped", both(1, 3), order=SWAPPED), 1.2, 0.0),
    (Row(SESSION, "3 rounds, swapped", both(1, 3), rounds=True, order=SWAPPED), 1.2, 0.0),
    (Row(SYSTEM, "3 sessions x 3, swapped", both(3, 3), order=SWAPPED), 1.2, 0.95),
    (Row(SYSTEM, "3 sessions x 3, swapped", both(3, 3), order=SWAPPED), 1.1, 0.75),
    (Row(MACHINES, "4 machines x 3, swapped", each(4, 3), order=SWAPPED), 2.0, 0.95),
)
"""(page, true ratio, share of pages on which it must be found with 2 % between sessions; 0: shown only)."""


def page(draw: numpy.random.Generator, row: Row, between: float, ratio: float = 1.0) -> list[Contrast]:
    """The questions of one page, all against one baseline."""

    def noise(spread: float, n: int):
        return draw.standard_t(3, n) * spread / math.sqrt(3) if row.heavy else draw.normal(0, spread, n)

    machines = {at: 0.0 if row.design == AS_THEY_STAND else draw.normal(0, MACHINE_SPREAD) for at, _, _ in row.sessions}
    effects = {at: math.log(ratio) + draw.normal(0, row.varying) for at in machines}
    levels = [machines[at] + noise(between, 1)[0] for at, _, _ in row.sessions]
    ordered = [places(draw, row, counts, at) for at, (_, *counts) in enumerate(row.sessions)] if row.order else []

    def side(number: int, shifted: bool) -> Sample:
        runs = []
        for session, (level, (machine, *counts)) in enumerate(zip(levels, row.sessions, strict=True)):
            shift = level + (effects[machine] if shifted else 0.0)
            for at, log in enumerate(noise(row.spreads[number], counts[number])):
                place = ordered[session][number][at] if ordered else None
                if place is not None:
                    log += row.drift * place / max(sum(counts) - 1, 1) + (math.log(1 - row.cold) if place == 0 else 0)
                named = f"rep{at}" if row.rounds else None
                runs.append(Observation(100 * math.exp(shift + log), machine, session, named, place))
        cut = [replace(one, value=row.bound, censored=ABOVE) if one.value > row.bound else one for one in runs]
        return Sample(tuple(cut), doubts=row.doubts)

    base = side(1, shifted=False)
    return [Contrast(side(0, shifted=True), base, row.design) for _ in range(row.tests)]


def claims(questions: Sequence[Contrast], stat: str, *, undoubted: bool = False) -> list[str]:
    """The claims of a page that something differs; only those without a doubt about drift, where that is asked for."""
    found = [one for one in judge(questions, stat) if one.claim not in (None, NO_DIFFERENCE)]
    return [one.claim or "" for one in found if not undoubted or not any(doubt.endswith(DRIFT) for doubt in one.doubts)]


def pooled(questions: Sequence[Contrast], stat: str) -> list[str]:
    """What Welch's test on the logarithms of all repetitions claims, with p values adjusted by Holm."""
    sides = [[[one.value for one in side.observations] for side in (each.sample, each.base)] for each in questions]
    ratios = [ratio for one, other in sides if (ratio := statistics.stratified_ratio([(one, other)]))]
    adjusted = statistics.holm([ratio.p for ratio in ratios])
    words = [("faster" if ratio.ratio > 1 else "slower") for ratio in ratios]
    return [word for word, p in zip(words, adjusted, strict=True) if p < 1 - statistics.CONFIDENCE_LEVEL]


def rates(
    trials: int, seed: Sequence[int], make: Callable[[numpy.random.Generator], list[Contrast]], row: Row, word: str = ""
) -> tuple[float, float]:
    """The shares of pages on which the judge, and pooling, claim something (with `word` in it)."""
    draw = numpy.random.default_rng(list(seed))
    found = [0, 0]
    for _ in range(trials):
        questions = make(draw)
        ours = claims(questions, row.stat, undoubted=row.is_doubted)
        for at, made in enumerate((ours, pooled(questions, row.stat))):
            found[at] += any(word in claim for claim in made)
    return found[0] / trials, found[1] / trials


def false_rates(trials: int, seed: int) -> Iterator[tuple[Row, float, float, float, int]]:
    """(page, spread between sessions, share of false pages, share when pooled, pages)."""
    for at, row in enumerate(ROWS):
        for between in BETWEEN:
            pages = trials
            seeds = [seed, at, round(between * 100)]

            def make(draw, row=row, between=between):
                return page(draw, row, between)

            share, old = rates(pages, seeds, make, row)
            if share > limit(pages):
                pages *= AGAIN
                share, old = rates(pages, [*seeds, AGAIN], make, row)
            yield row, between, share, old, pages


def powers(trials: int, seed: int) -> Iterator[tuple[Row, float, float, float, float, float]]:
    """(page, true ratio, spread between sessions, share of pages on which it is found, when pooled, goal)."""
    for at, (row, ratio, goal) in enumerate(POWERS):
        for between in BETWEEN:
            share, old = rates(
                trials,
                [seed, 1000 + at, round(between * 100)],
                lambda draw, r=row, b=between, by=ratio: page(draw, r, b, by),
                row,
                "faster",
            )
            yield row, ratio, between, share, old, goal if between == 0.02 else 0.0


def run(args: argparse.Namespace) -> dict[str, object]:
    """Shares of false pages and of found differences, and how many rows miss their goal."""
    found: dict[str, object] = {}
    missed, worst, output = 0, 0.0, sys.stderr
    print(f"{args.trials} pages a row. False claims where nothing differs; goal: at most {limit(args.trials):.1%}", file=output)
    for row, between, share, old, pages in false_rates(args.trials, args.seed):
        name = f"{row.scope:8}  {row.name:51} {between:4.0%} between"
        what = "false without a doubt" if row.is_doubted else "false"
        found[f"{what}, {row.scope}, {row.name}, {between:.0%} between"] = share
        found[f"false when pooled, {row.scope}, {row.name}, {between:.0%} between"] = old
        missed += share > limit(pages)
        worst = max(worst, share)
        again = f"  of {pages} pages" if pages > args.trials else ""
        words = "  without the doubt" if row.is_doubted else ""
        words += again + ("  TOO MANY" if share > limit(pages) else "")
        print(f"  {name}  {share:6.1%}  pooled {old:6.1%}{words}", file=output)
    print("Found true differences; where the order is known, without the doubt about drift", file=output)
    for row, ratio, between, share, old, goal in powers(args.trials, args.seed):
        name = f"{row.scope:8}  {row.name:51} {between:4.0%} between, {ratio:g}x"
        found[f"found, {row.scope}, {row.name}, {between:.0%} between, {ratio:g}x"] = share
        found[f"found when pooled, {row.scope}, {row.name}, {between:.0%} between, {ratio:g}x"] = old
        missed += share < goal
        words = f"  goal {goal:.0%}{'  TOO FEW' if share < goal else ''}" if goal else ""
        print(f"  {name}  {share:6.1%}  pooled {old:6.1%}{words}", file=output)
    found["highest share of false pages"] = worst
    found["goals missed"] = missed
    return found
