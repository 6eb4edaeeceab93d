"""What a pass over fio's normal output remembers, and the units that it prints."""

from __future__ import annotations

from dataclasses import dataclass, field

from ingest.parsers.fio import _text_patterns as lines
from ingest.parsers.fio._command import FioCommand
from ingest.parsers.fio._job import FioJob

JobOptions = tuple[str, dict[str, object], int]  # pattern, parameters, line


@dataclass(slots=True)
class FioTextState:
    """`jobs`: options by job name, for terse lines of the same run too; `by_place`: by name and group, for names given twice.

    `superseded`: lines of jobs that were reported while they ran (--status-interval); a later report holds them.
    `picked`: the job is one whose line the text does not show; `told`: a command above told its options; `label`:
    what stands before its lines. `astray`: the line
    of a job is missing within a run, so that what follows is of nobody knows which.
    """

    version: str | None = None
    version_line: int = 0
    open: int = 0
    jobs: dict[str, JobOptions] = field(default_factory=dict)
    by_place: dict[tuple[str, str], JobOptions] = field(default_factory=dict)
    ran: bool = False
    job: FioJob | None = None
    direction: str | None = None
    directions: list[str] = field(default_factory=list)
    direction_lines: list[int] = field(default_factory=list)
    kinds: set[str] = field(default_factory=set)
    lost: bool = False
    base: tuple[int, ...] = ()
    kind: tuple[str, str] | None = None
    group: tuple[str, int] | None = None
    old: bool = False
    reports: int = 0
    running: dict[tuple[str, str], tuple[int, int]] = field(default_factory=dict)
    superseded: list[int] = field(default_factory=list)
    reported: dict[tuple[str, str], list[tuple[float, str, int]]] = field(default_factory=dict)
    by_group: dict[str, FioJob] = field(default_factory=dict)
    picked: bool = False
    told: bool = False
    astray: bool = False
    label: str = ""
    command: FioCommand = field(default_factory=FioCommand)


def unit_factor(unit: str, old: bool) -> float | None:
    """Bytes of a unit as fio prints it: Ki, Mi are powers of 1024, k, M of 1000 since 3.0 (kb_base=1000), before of 1024.

    unit_base=1 prints bits.
    """
    found = lines.UNIT.match(unit)
    if not found:
        return None
    factor: int = (1024 if found[2] or old else 1000) ** " KMGT".index(found[1].upper() or " ")
    return factor / (8 if found[3] == "bit" else 1)


def spell_unit(unit: str, old: bool) -> str:
    """The unit that fio means: what 2.x calls KB is KiB, what client mode calls Mi is MiB/s."""
    if not unit.endswith("/s"):
        return f"{unit}B/s"
    return unit[0].upper() + "iB/s" if old and len(unit) == len("KB/s") else unit
