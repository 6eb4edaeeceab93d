"""What every form of ioping's output shares: its runs, and what the command line tells of them (ioping.1)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ingest.lazy_regex import lazy
from ingest.records import Value

# Letters may stand together, the last with its argument: `-DWs64k`. -S is the working set, -s the request.
_LETTERS = lazy(r"-([ABCDGJLNRWYkq]{0,14})(?:[abceilrtTsSowpPI](?:\d\S{0,20})?)?")
_OF_COMMAND = lazy(
    r"(?:^|\s)(?:--?size|-[ABCDGJLNRWYkq]{0,14}s(?![a-z]))[ =]?(?:(\d+)((?i:k|m|g|t|sector|page|))(?i:i?b)?(?:\s|\Z))?"
)
_DEFAULT, _LINEAR = 4096, 256 * 1024  # bytes of a request (ioping.1, -s and -L)
_ARGUMENT = {"": 1, "k": 1024, "m": 1024**2, "g": 1024**3, "t": 1024**4, "sector": 512, "page": 4096}
SPREAD_STATS = ("min", "mean", "max", "stddev")


@dataclass(slots=True)
class IopingRun:
    """One execution: its requests so far; `printed` although all of them may have been for warming up."""

    start: int
    command: str | None = None
    command_line: int = 0
    directions: set[str] = field(default_factory=set)
    printed: bool = False
    times: list[float] = field(default_factory=list)
    params: dict[str, Any] = field(default_factory=dict)
    told: dict[str, tuple[Any, int]] = field(default_factory=dict)
    direction: str | None = None
    completed: int = 0
    since: int = 0

    def operation(self, direction: str) -> str:
        """The operation of the catalogue for a direction; sequential and unknown patterns are told by a parameter."""
        return f"random_{direction}" if self.params.get("pattern") == "random" and direction in ("read", "write") else direction


def begin_run(number: int, command: str | None, command_line: int) -> IopingRun:
    """A run that begins on that line, with what its command tells, if one is shown."""
    run = IopingRun(number, command, command_line)
    words = (command or "").split()
    if command is None:
        run.params["pattern"] = "unknown"
        return run
    letters = "".join(found[1] for word in words if (found := _LETTERS.fullmatch(word)))
    run.params |= {"command": f"ioping {command}", "pattern": "sequential" if "L" in letters or "-linear" in words else "random"}
    size = _OF_COMMAND.search(command)
    if size and size[1]:
        run.params["block_size"] = int(size[1]) * _ARGUMENT[size[2].lower()]
    elif not size:
        run.params["block_size"] = _LINEAR if run.params["pattern"] == "sequential" else _DEFAULT
    for letter, option, name, value in (
        ("D", "-direct", "direct", "on"),
        ("C", "-cached", "access", "cached"),
        ("Y", "-sync", "sync_mode", "sync"),
    ):
        if letter in letters or option in words:
            run.params[name] = value
    run.direction = None if "G" in letters or "-read-write" in words else "write" if "W" in letters or "-write" in words else "read"
    return run


def value(
    run: IopingRun,
    direction: str,
    quantity: str,
    native: str,
    figure: tuple[float, str, str, str],
    number: int,
    stat: str = "sample",
) -> Value:
    """A value of the run. `figure`: value in the base unit, that unit, the text as printed, the unit that it means."""
    number_, unit, raw, meant = figure
    depends = {run.command_line, run.start, run.completed, *(line for _, line in run.told.values())} - {0, number}
    return Value(
        line=number,
        tool="ioping",
        metric=f"{run.operation(direction)}.{quantity}",
        native=native,
        value=number_,
        unit=unit,
        raw=raw,
        raw_unit=meant,
        run=run.start,
        stat=stat,
        params=dict(run.params),
        printed_config=dict(run.told),
        depends=tuple(sorted(depends)),
    )
