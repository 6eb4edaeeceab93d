"""Error rates of claims: simulated pages in the code that judges them, beside the pooling of all repetitions.

Repetitions of a session share its effect: a factor with the spread *between* sessions; those of a machine share the machine's,
with 20 %. Noise within a session is 3 %. A page on which nothing differs is false where any of its claims says that something
does: among equal configurations that share each session (a claim of these sessions) or have sessions of their own. The share of
such pages must not exceed 5 % and two standard errors. A row above that is run again with ten times the pages, and counts by
those: of rows that err exactly as often as they may, one in 44 lies above by chance.

Where one side runs first in each session and the runs drift, no test can tell the drift from a difference. There a claim with the
doubt *drift not excluded* is true, and one without it is false.

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
    Observation,
    Question,
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
    drift: float = 0.0
    """The sample runs wholly first in each session, in known order, and the logarithm changes so much from first to last run."""

    @property
    def is_goal(self) -> bool:
        """No test of these runs can see a drift that goes with the sides: such rows are shown, and each claim has to say so."""
        return not self.drift


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
    Row(SESSION, "one side first, drift of 10 %", both(1, 3), drift=0.1),
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
    Row(SESSIONS, "one side first, drift of 10 %", both(2, 3), drift=0.1),
    Row(SYSTEM, "one side first, drift of 10 %", both(3, 3), drift=0.1),
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
    Row(MACHINES, "one side first, drift of 10 %", each(4, 3), drift=0.1),
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
)
"""(page, true ratio, share of pages on which it must be found with 2 % between sessions; 0: shown only)."""


def page(draw: numpy.random.Generator, row: Row, between: float, ratio: float = 1.0) -> list[Question]:
    """The questions of one page, all against one baseline."""

    def noise(spread: float, n: int):
        return draw.standard_t(3, n) * spread / math.sqrt(3) if row.heavy else draw.normal(0, spread, n)

    machines = {at: 0.0 if row.design == AS_THEY_STAND else draw.normal(0, MACHINE_SPREAD) for at, _, _ in row.sessions}
    effects = {at: math.log(ratio) + draw.normal(0, row.varying) for at in machines}
    levels = [machines[at] + noise(between, 1)[0] for at, _, _ in row.sessions]

    def side(number: int, shifted: bool) -> Sample:
        runs = []
        for session, (level, (machine, *counts)) in enumerate(zip(levels, row.sessions, strict=True)):
            shift = level + (effects[machine] if shifted else 0.0)
            for at, log in enumerate(noise(row.spreads[number], counts[number])):
                place = at + number * counts[0]
                log += row.drift * place / max(sum(counts) - 1, 1)
                named = f"rep{at}" if row.rounds else None
                runs.append(Observation(100 * math.exp(shift + log), machine, session, named, place if row.drift else None))
        cut = [replace(one, value=row.bound, censored=ABOVE) if one.value > row.bound else one for one in runs]
        return Sample(tuple(cut), doubts=row.doubts)

    base = side(1, shifted=False)
    return [Question(side(0, shifted=True), base, row.design) for _ in range(row.tests)]


def claims(questions: Sequence[Question], stat: str) -> list[str]:
    """The claims of a page that something differs."""
    return [found.claim for found in judge(questions, stat) if found.claim not in (None, NO_DIFFERENCE)]


def undoubted(row: Row, between: float, trials: int, seed: Sequence[int]) -> float:
    """The share of pages of which a claim that something differs has no doubt about drift."""
    draw, found = numpy.random.default_rng(list(seed)), 0
    for _ in range(trials):
        answers = judge(page(draw, row, between), row.stat)
        found += any(one.claim not in (None, NO_DIFFERENCE) and DRIFT not in one.doubts for one in answers)
    return found / trials


def pooled(questions: Sequence[Question], stat: str) -> list[str]:
    """What Welch's test on the logarithms of all repetitions claims, with p values adjusted by Holm."""
    sides = [[[one.value for one in side.observations] for side in (each.sample, each.base)] for each in questions]
    ratios = [ratio for one, other in sides if (ratio := statistics.welch_ratio(one, other))]
    adjusted = statistics.holm([ratio.p for ratio in ratios])
    words = [("faster" if ratio.ratio > 1 else "slower") for ratio in ratios]
    return [word for word, p in zip(words, adjusted, strict=True) if p < 1 - statistics.CONFIDENCE_LEVEL]


def rates(
    trials: int, seed: Sequence[int], make: Callable[[numpy.random.Generator], list[Question]], stat: str, word: str = ""
) -> tuple[float, float]:
    """The shares of pages on which the judge, and pooling, claim something (with `word` in it)."""
    draw = numpy.random.default_rng(list(seed))
    found = [0, 0]
    for _ in range(trials):
        questions = make(draw)
        for at, method in enumerate((claims, pooled)):
            found[at] += any(word in claim for claim in method(questions, stat))
    return found[0] / trials, found[1] / trials


def false_rates(trials: int, seed: int) -> Iterator[tuple[Row, float, float, float, int]]:
    """(page, spread between sessions, share of false pages, share when pooled, pages)."""
    for at, row in enumerate(ROWS):
        for between in BETWEEN:
            pages = trials
            seeds = [seed, at, round(between * 100)]

            def make(draw, row=row, between=between):
                return page(draw, row, between)

            share, old = rates(pages, seeds, make, row.stat)
            if share > limit(pages) and row.is_goal:
                pages *= AGAIN
                share, old = rates(pages, [*seeds, AGAIN], make, row.stat)
            yield row, between, share, old, pages


def powers(trials: int, seed: int) -> Iterator[tuple[Row, float, float, float, float, float]]:
    """(page, true ratio, spread between sessions, share of pages on which it is found, when pooled, goal)."""
    for at, (row, ratio, goal) in enumerate(POWERS):
        for between in BETWEEN:
            share, old = rates(
                trials,
                [seed, 1000 + at, round(between * 100)],
                lambda draw, r=row, b=between, by=ratio: page(draw, r, b, by),
                row.stat,
                "faster",
            )
            yield row, ratio, between, share, old, goal if between == 0.02 else 0.0


def _remark(row: Row, share: float, pages: int, trials: int, plain: float) -> str:
    if not row.is_goal:
        return f"  {plain:.1%} without the doubt{'  TOO MANY' if plain else ''}"
    again = f"  of {pages} pages" if pages > trials else ""
    return again + ("  TOO MANY" if share > limit(pages) else "")


def run(args: argparse.Namespace) -> dict[str, object]:
    """Shares of false pages and of found differences, and how many rows miss their goal."""
    found: dict[str, object] = {}
    missed, worst, output = 0, 0.0, sys.stderr
    print(f"{args.trials} pages a row. False claims where nothing differs; goal: at most {limit(args.trials):.1%}", file=output)
    for row, between, share, old, pages in false_rates(args.trials, args.seed):
        name = f"{row.scope:8}  {row.name:37} {between:4.0%} between"
        found[f"false, {row.scope}, {row.name}, {between:.0%} between"] = share
        found[f"false when pooled, {row.scope}, {row.name}, {between:.0%} between"] = old
        plain = 0.0 if row.is_goal else undoubted(row, between, pages, [args.seed, ROWS.index(row), round(between * 100)])
        if not row.is_goal:
            found[f"false without a doubt, {row.scope}, {row.name}, {between:.0%} between"] = plain
        missed += share > limit(pages) if row.is_goal else plain > 0
        worst = max(worst, share if row.is_goal else 0)
        print(f"  {name}  {share:6.1%}  pooled {old:6.1%}{_remark(row, share, pages, args.trials, plain)}", file=output)
    print("Found true differences", file=output)
    for row, ratio, between, share, old, goal in powers(args.trials, args.seed):
        name = f"{row.scope:8}  {row.name:37} {between:4.0%} between, {ratio:g}x"
        found[f"found, {row.scope}, {row.name}, {between:.0%} between, {ratio:g}x"] = share
        found[f"found when pooled, {row.scope}, {row.name}, {between:.0%} between, {ratio:g}x"] = old
        missed += share < goal
        words = f"  goal {goal:.0%}{'  TOO FEW' if share < goal else ''}" if goal else ""
        print(f"  {name}  {share:6.1%}  pooled {old:6.1%}{words}", file=output)
    found["highest share of false pages"] = worst
    found["goals missed"] = missed
    return found
