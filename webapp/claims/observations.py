"""What a claim is made from, and what is answered: plain data. Knows neither Django nor figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from ingest.catalogue import MORE
from ingest.records import NO_PARAMS

ABOVE, BELOW = "above", "below"
"""The true value lies above, or below, the one that stands there."""
CONTROLLED, AS_THEY_STAND, OPEN = "controlled", "as_they_stand", "open"
"""The three designs of a figure."""
SESSION, SESSIONS, SYSTEM, MACHINES, SYSTEMS = "session", "sessions", "system", "machines", "systems"
"""How far a claim goes: the runs of one session, or of several; this machine; these machines and others like them; these two
systems."""
BEFORE = "before"
"""A claim about one new session of a machine against its earlier ones."""
GEOMETRIC, MEDIAN = "geometric", "median"
"""The two statistics that can carry a claim."""
DOUBTS = {
    "from-memory": "from memory",
    "cached": "from memory",
    "maybe-cached": "maybe from memory",
    "zeros": "of zeros, which compress to nothing",
    "options": "options not recorded",
    "compressible": "of data that compress or repeat",
    "contents": "contents of the data unknown",
}
"""The words of each doubt that a sample can have."""
DRIFT = "drift not excluded"
NO_DIFFERENCE = "no difference seen"


@dataclass(frozen=True, slots=True)
class Observation:
    """One repetition. `value`: in the metric's base unit; of a bounded one the bound."""

    value: float
    machine: int
    session: int
    """Its session's id, which no session of another machine has."""
    round: str | None = None
    """The round within the session (`rep2/`); None where it is unknown."""
    position: float | None = None
    """Its place in time within the session, in any unit that grows with time; None where it is unknown."""
    censored: str = ""
    """`ABOVE` or `BELOW` where the true value lies beyond `value`."""
    started: float | None = None
    """When it started: seconds on a clock that goes on over sessions, and is that of the place modulo a day; None where unknown."""


@dataclass(frozen=True, slots=True)
class Sample:
    """The repetitions of one group of a figure."""

    observations: tuple[Observation, ...]
    failed: int = 0
    """Runs that failed or did not finish, and have no bound: with any there is no claim."""
    doubts: frozenset[str] = frozenset()
    """Keys of `DOUBTS`: with any there is at most a claim about these sessions."""
    error: str = ""
    """In which error those runs ended, in a few words, where that is known."""


@dataclass(frozen=True, slots=True)
class Contrast:
    """How does a sample differ from its baseline?"""

    sample: Sample
    base: Sample
    design: str
    as_far_as_known: bool = False
    """Controlled, but for a key that is known on one side only: at most a claim about these sessions. Without effect as they
    stand."""
    better: str = MORE
    """Direction in which a value is better: `MORE`, `LESS` or `NEITHER` of `ingest.catalogue`."""
    name: str = "what is compared"
    """What the sample has that the baseline has not (`lz4`), for the sentence why there is no claim."""
    unlike: str = ""
    """Why an open question is one, where the figure is not: the sides did unlike work."""
    stat: str = ""
    """The statistic that is drawn of both sides; empty for that of the page."""
    base_name: str = "the baseline"
    notes: tuple[str, ...] = ()
    """What is said beside the doubts and caps nothing."""
    reboots: bool = False
    """Whether a reboot lies between both sides wherever they are measured (a kernel, a CPU), so that no session holds both."""
    is_later: bool = False
    """Whether it may be asked if one session of the sample is worse than earlier sessions of the baseline: one system, one load."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What may be claimed, from which test, or why nothing may be.

    The interval is that of `ratio` at `level`, and holds 1 exactly where `claim` is `NO_DIFFERENCE` (of the median: the
    interval belongs to the test; the ratio is that of the medians as drawn, and may lie outside).
    """

    claim: str | None = None
    scope: str = ""
    """`SESSION`, `SESSIONS`, `SYSTEM`, `MACHINES`, `SYSTEMS`, `BEFORE`; empty without a claim."""
    test: str = ""
    """The test by its name, with what it compares; empty without one."""
    ratio: float | None = None
    """Sample / baseline; None where it cannot be said."""
    ratio_bound: str = ""
    """`ABOVE` or `BELOW` where the true ratio lies beyond `ratio`."""
    low: float | None = None
    high: float | None = None
    p: float | None = None
    """Two-sided, of the one test, not adjusted: there is a difference where p < 1 - level."""
    level: float | None = None
    """That of this test's step of Holm's procedure."""
    too_wide: bool = False
    """The interval goes beyond a factor of 10 to either side of the ratio: printed as too few."""
    blocks: int = 0
    """Sessions, rounds or machines with both sides that the test compares within; 0 where it compares sessions of their own."""
    sessions: int = 0
    machines: int = 0
    left_out: int = 0
    """Repetitions that the test cannot use, since their block has one side only."""
    tests: int = 0
    """Holm's m: the tests of the whole page."""
    doubts: tuple[str, ...] = ()
    withheld: str = ""
    """Why there is no claim, and what is missing; empty with a claim."""
    earlier: int | None = None
    """Sessions of the baseline before the only one of the sample; None where it is not asked if that one is worse than before."""
    needed: int | None = None
    """About so many sessions a side (for `MACHINES` so many machines) in all would decide; None where it cannot be said."""


class Observed(NamedTuple):
    """Where and when a value was measured: ids of its session, machine, archive and run, file and line, when the run started as
    printed, whether a person stated any key of its configuration, and whether the run did not end or wrote zeros.

    Of archives that were read before machines and sessions were known both are minus the id of the archive.
    """

    session: int
    machine: int
    archive: int
    run: int
    path: str
    line: str
    started_at: str | None
    stated: bool
    partial: bool = False
    zeros: bool = False
    round: str | None = None
    """The round that a manifest states, within its session."""
    error: str = ""
    """The error in which the run ended, in a few words."""
    target: tuple[str, ...] = ()
    """The devices, or the likely mount points, that the run read and wrote, as far as its command or output names them."""
    unanswered: str = ""
    """Its name, where a number in it may be a level of compression or that of a repetition."""
    from_memory: Mapping[str, str] = NO_PARAMS
    """Where caches had been emptied of what an operation reads, whether it came from memory: `no` or `maybe`."""
    options_unknown: bool = False
    """Whether the options of its tool are unknown, beyond what the tool prints in any case."""
    state: Mapping[str, Any] = NO_PARAMS
    """What was so before the run, by keys of `ingest.state`."""
