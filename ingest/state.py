"""The state of a machine before a run: open keys of the namespace `state`, which are never part of a configuration.

One table says how the values of a key are classed, how long a reading holds, and why. What was so before a run counts; what
runs raise themselves (`by_runs`) is to be shown where they may have caused a difference, but decides nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

PREFIX = "state."
CACHES_DROPPED = "state.caches_dropped"
CREATED = "state.created"
OF_FILE_SYSTEMS = frozenset(f"{PREFIX}{name}" for name in ("capacity", "fragmentation", "scrub", "balance", "degraded", "created"))
"""Keys that describe a file system or pool, and nothing of a bare disk."""
OF_ONE_DEVICE = frozenset(f"{PREFIX}{name}" for name in ("created", "erased", "trimmed", "thin"))
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
    bounds: tuple[float, ...] = ()
    tolerance: float | None = None
    unit: str = ""
    holds: str = AFTERWARDS
    by_runs: bool = False
    absent: str = ""
    follows_os: bool = False


KEYS = {
    key.name: key
    for key in (
        StateKey(
            "state.capacity",
            "how full the pool or file system is",
            "Allocation gets slower as free space runs out: ZFS changes its allocator per metaslab, ext4 and xfs search longer.",
            bounds=(50, 80, 90),
            unit="%",
            amount="the pool or file system was {} full",
        ),
        StateKey(
            "state.fragmentation",
            "how fragmented the free space is",
            "Writes are split over small free segments (zpoolprops(7), fragmentation); 15 points are more than a benchmark adds.",
            tolerance=15,
            unit="%",
            amount="free space was {} fragmented",
        ),
        StateKey("state.scrub", "scrub", "Reads all data beside the run (zpool-scrub(8), btrfs-scrub(8)).", "a scrub ran"),
        StateKey(
            "state.resilver",
            "resilver or rebuild",
            "Reads and writes a whole disk beside the run (zpool-status(8), md(4)).",
            "a resilver or rebuild ran",
            absent=NO,
        ),
        StateKey("state.trim", "TRIM", "The device erases blocks beside the run (zpool-trim(8), fstrim(8)).", "a TRIM ran"),
        StateKey(
            "state.check", "check of the array", "Reads all disks of the array beside the run (md(4)).", "a check of the array ran"
        ),
        StateKey(
            "state.balance",
            "balance or reshape",
            "Rewrites data beside the run (btrfs-balance(8), mdadm(8), zpool-attach(8)).",
            "a balance or reshape ran",
            absent=NO,
        ),
        StateKey(
            "state.degraded",
            "missing device",
            "A pool or array without one of its devices reconstructs what it reads.",
            "a device of the pool or array was missing",
            absent=NO,
        ),
        StateKey(
            "state.temperature",
            "temperature of the drive",
            "Drives slow down near their limit, some 70 to 85 °C for flash; runs heat them themselves.",
            tolerance=15,
            unit="°C",
            by_runs=True,
            amount="the drive had {}",
        ),
        StateKey(
            "state.cpu_temperature",
            "temperature of the CPU",
            "A hot CPU has less turbo; runs heat it themselves.",
            tolerance=20,
            unit="°C",
            by_runs=True,
            amount="the CPU had {}",
        ),
        StateKey(
            "state.throttling",
            "thermal throttling",
            "The drive or the CPU had slowed down to cool off (NVMe base specification, SMART log; Intel SDM, thermal monitor).",
            "a drive or CPU was throttling",
            absent=NO,
        ),
        StateKey(
            "state.critical_warning",
            "critical warning of the drive",
            "A drive that warns may be read only, too hot, or without spare blocks (NVMe base specification, SMART log).",
            "a drive had a critical warning",
            absent=NO,
        ),
        StateKey(
            "state.wear",
            "wear of the drive",
            "Worn flash takes longer to program and to correct; within 20 points of rated endurance no drive is known to differ.",
            tolerance=20,
            unit="%",
            amount="the drive had used up {} of its rated endurance",
        ),
        StateKey(
            "state.resets",
            "resets and errors of the device",
            "A link that was reset or a command that timed out stalls the run (kernel log).",
            "the kernel had reported resets or errors of a device",
            absent=NO,
        ),
        StateKey(
            "state.erased",
            "erased device",
            "A device whose blocks were all erased writes without garbage collection until it was filled once.",
            "the device had been erased",
            absent=NO,
        ),
        StateKey(
            "state.trimmed",
            "trimmed free space",
            "Free blocks that were erased are written without garbage collection (fstrim(8), zpool-trim(8)).",
            "free space had been trimmed",
            absent=NO,
        ),
        StateKey(
            "state.created",
            "newly created pool or file system",
            "What was just created is empty and unfragmented, and its tables may still be written (mke2fs(8), lazy_itable_init).",
            "the pool or file system had just been created",
            absent=NO,
        ),
        StateKey(
            CACHES_DROPPED,
            "emptied caches",
            "A first read comes from the device, later ones from memory.",
            "caches were dropped",
            holds=ONCE,
            absent=NO,
        ),
        StateKey(
            "state.load",
            "load average",
            "Other work takes CPU and disks; below 1 a machine is idle but for the login. Runs raise it for minutes themselves.",
            bounds=(1, 4),
            by_runs=True,
            amount="the load average was {}",
        ),
        StateKey(
            "state.hypervisor",
            "hypervisor",
            "A virtual machine has devices, caches and neighbours of its own.",
            holds=ALWAYS,
        ),
        StateKey(
            "state.thin",
            "thin volume",
            "A thin volume allocates at the first write, and reads of what was never written touch no disk (lvmthin(7)).",
            "the volume was thin-provisioned",
        ),
        StateKey(
            "state.microcode",
            "microcode",
            "Updates switch mitigations on, which cost system calls.",
            holds=ALWAYS,
            follows_os=True,
        ),
        StateKey(
            "state.mitigations",
            "CPU mitigations",
            "They cost system calls and interrupts (Linux Documentation, kernel-parameters, mitigations=).",
            holds=ALWAYS,
            follows_os=True,
        ),
        StateKey(
            "state.clock_set",
            "a clock that was set",
            "Times printed from there on are not on the scale of those before.",
            "the clock had been set",
            absent=NO,
        ),
    )
}

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
