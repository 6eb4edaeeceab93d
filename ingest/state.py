"""The state of a machine before a run: open keys of the namespace `state`, which are never part of a configuration.

One table says how the values of a key are classed, how long a reading holds, and why. What was so before a run counts; what
runs raise themselves (`by_runs`) is to be shown where they may have caused a difference, but decides nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ingest.toml_tables import read_table

PREFIX = "state."
CACHES_DROPPED = "state.caches_dropped"
CREATED = "state.created"
OF_FILE_SYSTEMS = frozenset(f"{PREFIX}{name}" for name in ("capacity", "fragmentation", "scrub", "balance", "degraded", "created"))
"""Keys that describe a file system or pool, and nothing of a bare disk."""
OF_ONE_DEVICE = frozenset(f"{PREFIX}{name}" for name in ("created", "erased", "trimmed", "thin", "encrypted"))
"""Keys that say nothing of other devices of the machine; those of the others slow down, or warm, all."""
AFTER_RUNS = re.compile(r"(?i)(?:\A|[-_. ])(?:after|post|end|final|afterwards|danach|nachher)(?=[-_. ]|\Z)")
"""In names of files: what was recorded once the runs were over."""
YES, NO = "yes", "no"

AFTERWARDS, ALWAYS, ONCE = "afterwards", "always", "once"
"""How long a reading holds: for the runs after it up to the next one; for all runs of its transcript, also before it; for the
next run alone."""


@dataclass(frozen=True, slots=True)
class StateKey:
    """What is known of one key.

    `label`: a noun phrase for the middle of a sentence; `clause`: what is said of runs with the value `yes`, after which may
    follow *before every run of off*; `amount`: the same of a number, for which `{}` stands. Values are classed by `bounds` (of a
    number: a class below, between and above them), by `tolerance` (medians further apart than that are unlike), else by their
    text, of which only some keys know `yes` and `no` (`clause` is set). `absent`: the value of a run about which nothing is
    recorded, where another run has one; '' if unknown. `follows_os`: unlike values follow an axis of kernels or operating systems
    (see `may_follow`).
    """

    name: str
    label: str
    reason: str
    clause: str = ""
    amount: str = ""
    bounds: Sequence[float] = ()
    tolerance: float | None = None
    unit: str = ""
    holds: str = AFTERWARDS
    by_runs: bool = False
    absent: str = ""
    follows_os: bool = False


KEYS = {f"{PREFIX}{name}": StateKey(f"{PREFIX}{name}", **table) for name, table in read_table(__file__).items()}
DEFAULTS = {"state.mitigations": "auto"}
"""Key -> its value by default."""


def is_state(key: str) -> bool:
    """Whether the open key is one of the state of a run."""
    return key.startswith(PREFIX)


def holds_before(key: str) -> bool:
    """Whether a reading also holds for what was before it in its transcript: of any key but those of a moment."""
    known = KEYS.get(key.partition("@")[0])  # without the device
    return known.holds == ALWAYS if known else not is_state(key)


_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?")


def number_of(value: Any) -> float | None:
    """The number that a value begins with; None without one."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    match = _NUMBER.match(str(value))
    return float(match[0]) if match else None


def badness(key: str, value: Any) -> float:
    """A number that is higher the more a value can slow a run down: of several devices the worst counts."""
    number = number_of(value)
    return number if number is not None else float(class_of(key, value) == YES)


def class_of(key: str, value: Any) -> str | float | None:
    """The class of a value: `50 to 80 %`, `yes`, a name; the number itself of keys with a tolerance. None: unknown.

    A run that has no value (None) is in the class of `StateKey.absent`.
    """
    known = KEYS.get(key)
    if known is None:
        return None if value is None else str(value)
    if value is None:
        return known.absent or None
    if known.tolerance is not None:
        return number_of(value)
    if known.bounds:
        number = number_of(value)
        return None if number is None else _class_of_number(known, number)
    text = str(value).lower()
    return (NO if text in (NO, "off", "none", "0") else YES) if known.clause else text


def _class_of_number(key: StateKey, number: float) -> str:
    unit = f" {key.unit}" if key.unit else ""
    bounds = key.bounds
    if number < bounds[0]:
        return f"below {bounds[0]:g}{unit}"
    if number > bounds[-1]:
        return f"above {bounds[-1]:g}{unit}"
    above = next(at for at, bound in enumerate(bounds) if number < bound or bound == bounds[-1])
    return f"{bounds[above - 1]:g} to {bounds[above]:g}{unit}"


def are_alike(key: str, first: Any, second: Any) -> bool | None:
    """Whether two values are in one class, or within the tolerance; None where one is unknown."""
    one, other = class_of(key, first), class_of(key, second)
    if one is None or other is None:
        return None
    if isinstance(one, float) and isinstance(other, float):
        return abs(one - other) <= (KEYS[key].tolerance or 0)
    return one == other


def may_follow(key: str, value: Any) -> bool:
    """Whether the value may follow a kernel or operating system: of such a key, and not set by a person."""
    known = KEYS.get(key)
    return known is not None and known.follows_os and DEFAULTS.get(key, value) == value
