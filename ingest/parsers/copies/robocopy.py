"""robocopy: the speed in the summary of a copy. Its first line is the measurement; the second, in MB per minute, checks it.

Shapes of robocopy (name | versions | units | traps):
    summary | Windows Vista to 11 | Bytes/sec; MegaBytes = 2^20 B | times are summed up over threads

Source: Robocopy in the reference of Windows commands (learn.microsoft.com), job header and summary as it prints them;
MegaBytes/min = Bytes/sec * 60 / 2^20
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ingest.lazy_regex import lazy
from ingest.numbers import parse_integer, parse_plain_number
from ingest.plugin_api import Anchor, Parser
from ingest.records import ZERO_TIME, Doubt, Found, MissingValue, Value
from ingest.text.lines import Text

ANCHOR = lazy(r"^[ \t>|]{0,12}Speed :[ \t]+\d[\d.,]*[ \t]+(?:Bytes|MegaBytes)/", re.M)
_EXACT = lazy(r"[ \t>|]{0,12}Speed :[ \t]+(\d[\d.,' ]{0,24}?)[ \t]+Bytes/sec\.?[ \t]*\Z")
_MINUTE = lazy(r"[ \t>|]{0,12}Speed :[ \t]+(\d{1,12}(?:[.,]\d{1,3})?)[ \t]+MegaBytes/min\.?[ \t]*\Z")
_BEGUN = lazy(r"[ \t>|]{0,12}Speed :[ \t]+\d[\d.,]*[ \t]+(?:B|M)")
_TITLE = lazy(r"\bROBOCOPY[ \t]+::[ \t]+Robust File Copy")
_HEADER = lazy(r"[ \t>|]{0,12}(Source|Dest|Options) [:=][ \t]+(\S[^\n]{0,300}?)[ \t]*\Z")
_COMMAND = lazy(r"(?i)(?:^|[>$#;&|][ \t]*)(robocopy(?:\.exe)?[ \t]+\S[^\n]{0,300})")
_NAMES = {"Source": "source", "Dest": "path", "Options": "options"}
_MEGA, _MINUTES = 2**20, 60


@dataclass
class _Job:
    """One job: its parameters and their lines, the exact speed once read, and whether the summary was reached."""

    params: dict[str, object] = field(default_factory=dict)
    depends: list[int] = field(default_factory=list)
    command_line: int = 0
    speed: Value | None = None
    ended: bool = False


def parse(text: Text) -> Iterator[Found]:
    """The speed of every job; its summary is the last part of its output."""
    job = _Job()
    for number, line in enumerate(text.lines, 1):
        command = _COMMAND.search(line) if "robocopy" in line.lower() else None
        header = _HEADER.match(line)
        if command:
            job = _Job({"command": command[1].strip()}, [number], number)
            continue
        if (job.ended and header) or ("ROBOCOPY" in line and _TITLE.search(line) and _is_other_job(job)):
            job = _Job(command_line=job.command_line)
        if header:
            job.params[_NAMES[header[1]]] = header[2]
            job.depends.append(number)
        elif "Speed :" in line:
            job.ended = True
            yield from _read_speed(line, number, job)


def _is_other_job(job: _Job) -> bool:
    """Whether a title line cannot belong to the job: it has more than its command already."""
    return bool(job.depends) and (job.ended or job.depends != [job.command_line])


def _read_speed(line: str, number: int, job: _Job) -> Iterator[Found]:
    """The measurement of an exact speed, or what is doubtful about a line of the summary."""
    if exact := _EXACT.match(line):
        rate = parse_integer(exact[1])
        job.speed = _make_value(job, number, float(rate), exact[1]) if rate else None
        if job.speed:
            yield job.speed
        else:
            if rate is not None:
                yield MissingValue.instead_of(_make_value(job, number, 0.0, exact[1]), ZERO_TIME)
            yield Doubt(number, "bad-number" if rate is None else "unmeasured", f"a speed of {exact[1]!r} is not a rate")
    elif minute := _MINUTE.match(line):
        parsed = parse_plain_number(minute[1])
        if job.speed is None:
            yield Doubt(number, "cut", "the speed in megabytes per minute, without the exact one above it, was not recorded")
        elif parsed is not None and abs(parsed * _MEGA / _MINUTES - job.speed.value) > 0.001 * _MEGA + 1:
            yield Doubt(number, "disagree", f"{minute[1]} MegaBytes/min are not {job.speed.raw} Bytes/sec")
    elif _BEGUN.match(line):
        yield Doubt(number, "cut", "this line of robocopy's speed is cut off")


def _make_value(job: _Job, number: int, rate: float, raw: str) -> Value:
    """The speed on a line, in bytes per second."""
    return Value(
        number,
        "robocopy",
        "copy.throughput",
        "Speed",
        rate,
        "B/s",
        raw=raw,
        raw_unit="Bytes/sec",
        run=number,
        params=dict(job.params),
        depends=tuple(job.depends),
    )


PARSER = Parser(brief=True, name="robocopy", version=2, anchor=Anchor(ANCHOR, "speed :"), parse=parse)
