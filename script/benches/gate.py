"""Error rates of the regression gate: simulated nights in the code that judges them, beside a plain threshold.

Each page is one new session of a machine against earlier ones, in one or several metrics. Repetitions of a session share its
effect: a factor with the spread *between* sessions; noise within a session is 3 %. The gate alarms where a metric is *worse than
before* and the near end of its interval lies beyond `--worse-by`. The share of pages with an alarm where nothing differs must not
exceed 5 % and two standard errors; a row above that is run again with ten times the pages, as in `script/bench verdicts`. A loss
is one in a single metric of the page, the others do not differ.

*Plain* is the rule that most gates have: the mean of three runs lies more than 10 % below that of the three runs before.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from statistics import fmean

import numpy
from benches.verdicts import AGAIN, BETWEEN, NOISE, limit

from webapp.claims.judge import judge
from webapp.claims.observations import CONTROLLED, Contrast, Observation, Sample

SMALL = ("--trials", "10")
WORSE = "worse than before"
MARGINS = (0.0, 0.1)
"""Values of `--worse-by`; the last one is the threshold of the plain rule."""
NIGHT = 86400.0
GOAL = 0.9


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)


@dataclass(frozen=True)
class NightRow:
    """A kind of page. `earlier`: sessions before the new one, of `n` repetitions; `new`: repetitions of the new one."""

    earlier: int
    metrics: int = 1
    n: int = 3
    new: int = 3
    heavy: bool = False
    """Student's distribution with 3 degrees of freedom in place of the normal one, with the same spreads."""

    def __str__(self) -> str:
        counts = f", {self.n} and {self.new} repetitions" if (self.n, self.new) != (3, 3) else ""
        metrics = f"{self.metrics} metric{'s' if self.metrics > 1 else ''}"
        return f"{self.earlier} earlier, {metrics}{counts}{', heavy tails' if self.heavy else ''}"


SIZES = (4, 8, 16)
NULLS = (*map(NightRow, SIZES), NightRow(8, n=10, new=1), NightRow(8, n=1, new=10), NightRow(8, heavy=True))
"""Pages of one metric, with each spread between sessions."""
MANY = (*(NightRow(earlier, 8) for earlier in SIZES), NightRow(8, 30))
"""Pages of several metrics, with 2 % between sessions."""
POWERS = (*map(NightRow, SIZES), *MANY)
USUAL, LOSS = 0.02, 0.2


def page(draw: numpy.random.Generator, row: NightRow, between: float, loss: float = 0.0) -> list[Contrast]:
    """The questions of one page; the first metric is lower by `loss` in the new session."""

    def noise(spread: float, n: int) -> numpy.ndarray:
        return draw.standard_t(3, n) * spread / math.sqrt(3) if row.heavy else draw.normal(0, spread, n)

    counts = [row.n] * row.earlier + [row.new]
    questions = []
    for metric in range(row.metrics):
        levels = noise(between, len(counts))
        levels[-1] += math.log(1 - loss) if metric == 0 else 0.0
        sessions = [
            [
                Observation(value, 0, session, started=session * NIGHT + 60.0 * at)
                for at, value in enumerate((100 * numpy.exp(level + noise(NOISE, n))).tolist())
            ]
            for session, (n, level) in enumerate(zip(counts, levels, strict=True))
        ]
        base = tuple(one for session in sessions[:-1] for one in session)
        questions.append(Contrast(Sample(tuple(sessions[-1])), Sample(base), CONTROLLED, is_later=True))
    return questions


def alarms(questions: Sequence[Contrast]) -> list[set[int]]:
    """For each of `MARGINS` the metrics with an alarm: claims of the page, intervals of the metric alone."""
    worse = [at for at, answer in enumerate(judge(questions)) if answer.claim == WORSE]
    highs = {at: judge([questions[at]])[0].high for at in worse}
    return [{at for at in worse if highs[at] < 1 - margin} for margin in MARGINS]


def plain(questions: Sequence[Contrast]) -> set[int]:
    """The metrics in which the last three runs are on average 10 % below the three before them."""
    found = set()
    for at, question in enumerate(questions):
        new, before = ([one.value for one in side.observations[-3:]] for side in (question.sample, question.base))
        if fmean(new) < (1 - MARGINS[-1]) * fmean(before):
            found.add(at)
    return found


@dataclass(frozen=True)
class AskedLine:
    """A line of the table: pages of a kind with a spread between sessions, and a loss."""

    row: NightRow
    between: float
    loss: float = 0.0


NULL_LINES = (
    *(AskedLine(row, between) for row in NULLS for between in BETWEEN),
    *(AskedLine(row, USUAL) for row in MANY),
    AskedLine(MANY[-1], 0.05),
)
LOSS_LINES = tuple(AskedLine(row, USUAL, LOSS) for row in POWERS)


def rates(trials: int, seed: Sequence[int], asked: AskedLine) -> list[float]:
    """Shares of pages with an alarm, for each of `MARGINS` and by the plain rule; with a loss, with one in that metric."""
    draw = numpy.random.default_rng(list(seed))
    counts = [0] * (len(MARGINS) + 1)
    for _ in range(trials):
        questions = page(draw, asked.row, asked.between, asked.loss)
        for at, found in enumerate((*alarms(questions), plain(questions))):
            counts[at] += 0 in found if asked.loss else bool(found)
    return [count / trials for count in counts]


def line(trials: int, seed: Sequence[int], asked: AskedLine) -> tuple[list[float], int]:
    """(`rates`, pages) of a line; with ten times the pages where nothing differs and the share is above the limit."""
    found = rates(trials, seed, asked)
    if asked.loss or found[0] <= limit(trials):
        return found, trials
    return rates(trials * AGAIN, [*seed, AGAIN], asked), trials * AGAIN


def run(args: argparse.Namespace) -> dict[str, object]:
    """Shares of pages with an alarm, and how many rows miss their goal."""
    figures: dict[str, object] = {}
    missed, output = 0, sys.stderr
    names = [*(f"worse by {margin:.0%}" for margin in MARGINS), "plain"]
    every = (*NULL_LINES, *LOSS_LINES)
    print(f"{args.trials} pages a row. False alarms; goal: at most {limit(args.trials):.1%}", file=output)
    with ProcessPoolExecutor() as pool:
        shares = pool.map(line, [args.trials] * len(every), [[args.seed, at] for at in range(len(every))], every)
        for at, (asked, (found, pages)) in enumerate(zip(every, shares, strict=True)):
            if at == len(NULL_LINES):
                print(f"Losses of {LOSS:.0%} in one metric that are found; goal: {GOAL:.0%} with 8 earlier sessions", file=output)
            few = asked.loss and asked.row.earlier == 8 and found[0] < GOAL
            many = not asked.loss and found[0] > limit(pages)
            missed += bool(few or many)
            kind, spread = "found" if asked.loss else "false", f"{asked.between:.0%} between"
            figures |= {f"{kind}, {asked.row}, {spread}, {name}": share for name, share in zip(names, found, strict=True)}
            words = "  ".join(f"{name} {share:6.1%}" for name, share in zip(names, found, strict=True))
            again = f"  of {pages} pages" if pages > args.trials else ""
            verdict = "  TOO FEW" if few else "  TOO MANY" if many else ""
            print(f"  {asked.row!s:44} {spread:>11}  {words}{again}{verdict}", file=output)
    figures["goals missed"] = missed
    return figures
