"""hdparm -t and -T: reads from the disk and from the cache. Its MB are 2^20 bytes.

Shapes of hdparm (name | versions | units | traps):
    -t and -T | 4 to 9 | MB = 2^20 B, kB = 1024 B | old versions print no space after =

Source: hdparm.c, time_device and time_cache: bytes / (1024 * 1024) under the name MB
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ingest import units
from ingest.lazy_regex import lazy
from ingest.numbers import parse_plain_number
from ingest.plugin_api import Anchor, Parser
from ingest.records import FAILED, NOT_FINISHED, Doubt, Found, MissingValue, Value
from ingest.text.lines import Text

ANCHOR = lazy(r"Timing (?:O_DIRECT )?(?:buffer|cached|disk)|^(?:[^\S\n]|[>|]){0,16}Timing (?:[A-Zbcd][\w ]{0,12})?$", re.M)
_TIMING = lazy(
    r"\bTiming ((?:O_DIRECT )?(?:cached|buffer-cache|buffered disk|disk) reads)(?: \(offset ([^()\n]{1,20})\))?:\s*"
    r"(\d{1,9}(?:[.,]\d{1,3})?) ?([kMG]B) in\s+(\d{1,6}[.,]\d{1,3}) seconds"
    r"\s*=(?:3D)?\s*(\d{1,9}(?:[.,]\d{1,3})?) ?([kKMG]B)/sec"
)
# In prose, words follow `Timing buffered disk reads`.
_TIMING_START = lazy(r"\bTiming (?:O_DIRECT )?(?:cached|buffer-cache|buffered disk|disk) reads(?=\s*(?:[:(]|\Z))")
_READ_NAMES = ("cached", "buffer-cache", "buffered disk", "disk")
_TIMING_TITLES = tuple(f"Timing {mode}{name} reads" for mode in ("", "O_DIRECT ") for name in _READ_NAMES)
_DEVICE = lazy(r"^[\s>|]{0,16}(/dev/[\w/.-]{1,60}):\s*(?:\([^()\n]{1,60}\)\s*)?(?:\Z|(?=Timing ))")
_COMMAND_DEVICE = lazy(r"\bhdparm(?:[ \t]+-[\w-]{1,20}){1,4}[ \t]+(/dev/[\w/.-]{1,60})[ \t`]*\Z")  # a command with one device
_VERSION = lazy(r"\bhdparm v?(\d{1,3}\.\d{1,3})\b")


class _Context(NamedTuple):
    """What the lines above a timing give. `run`: the last line of a device or command, `version_line`: that of the version."""

    device: str | None = None
    run: int = 0
    version: str | None = None
    version_line: int = 0


def parse(text: Text) -> Iterator[Found]:
    """Every timing line of the text; the device is a parameter."""
    context = _Context()
    for number, line in enumerate(text.lines, 1):
        if "hdparm" in line and (version := _VERSION.search(line)):
            context = context._replace(version=version[1], version_line=number)
        if "/dev/" in line:
            heading = _DEVICE.match(line)
            if heading or "hdparm" in line:
                device = heading or _COMMAND_DEVICE.search(line)  # hdparm repeats it as a heading, which an excerpt may lack
                context = context._replace(device=device[1] if device else None, run=number)
        if "Timing" in line:
            next_line = text.lines[number] if number < len(text.lines) else ""
            for start in _TIMING_START.finditer(line):
                yield from _timing((line, next_line), start.start(), number, context)
            if number == len(text.lines) and _is_cut_title(line):
                yield Doubt(number, "cut", "a timing of hdparm is cut off on this line")


def _is_cut_title(line: str) -> bool:
    begin = line.strip(" \t>|")
    return "reads" not in line and any(title.startswith(begin) for title in _TIMING_TITLES)


def _timing(lines: tuple[str, str], start: int, number: int, context: _Context) -> Iterator[Found]:
    """The timing that begins at offset `start` of the first line; it may be wrapped into the second.

    Several stand on one line where line feeds were lost.
    """
    line, next_line = lines
    if timing := _TIMING.match(line, start):
        yield from _values(timing, (number, number), context)
    elif "Timing" not in next_line and (timing := _TIMING.match(f"{line.rstrip()} {next_line.lstrip(' >|')}", start)):
        is_rate_below = timing.start(6) >= len(line.rstrip())
        yield from _values(timing, (number + 1, number) if is_rate_below else (number, number + 1), context)
    else:
        code = "cut" if "failed" not in line and "EOF" not in line else "failed-run"
        yield _without_result(line[start:], number, FAILED if code == "failed-run" else NOT_FINISHED, context)
        yield Doubt(number, code, "a timing of hdparm without its result")


def _without_result(timing: str, number: int, reason: str, context: _Context) -> MissingValue:
    """The rate of a timing whose line ends before it. `timing`: the line from its title on."""
    operation, option = ("cached_read", "-T") if "cache" in timing else ("read", "-t")
    params = {"command": f"hdparm {option}"} | ({"path": context.device} if context.device else {})
    raw, run = timing.strip()[:80], context.run or number
    native = raw.partition(":")[0]
    return MissingValue(number, "hdparm", f"{operation}.throughput", native, "B/s", raw, run=run, reason=reason, params=params)


def _values(timing: re.Match[str], lines: tuple[int, int], context: _Context) -> Iterator[Found]:
    """The rate, compared with amount and time. `lines`: the one of the rate, then the other one of a wrapped timing."""
    line, other_line = lines
    name, offset, raw_amount, unit, raw_seconds, raw_rate, rate_unit = timing.groups()
    rate, amount, seconds = parse_plain_number(raw_rate), parse_plain_number(raw_amount), parse_plain_number(raw_seconds)
    if rate is None or amount is None or seconds is None:
        return
    throughput, amount_factor = rate * units.HDPARM[rate_unit], units.HDPARM[unit]
    if seconds and abs(amount * amount_factor / seconds - throughput) > 0.02 * throughput + 1.5 * amount_factor / seconds:
        yield Doubt(line, "disagree", f"{raw_amount} {unit} in {raw_seconds} seconds are not {raw_rate} {rate_unit}/sec")
    is_cached = "cache" in name
    params: dict[str, object] = {"command": "hdparm -T" if is_cached else "hdparm -t"}
    if name.startswith("O_DIRECT"):
        params.update(direct="on", command=f"{params['command']} --direct")
    if offset:
        params["pattern"] = f"offset {offset.strip()}"
    if context.device:
        params["path"] = context.device
    yield Value(
        line=line,
        tool="hdparm",
        metric="cached_read.throughput" if is_cached else "read.throughput",
        native=f"Timing {name}",
        value=throughput,
        unit="B/s",
        raw=raw_rate,
        raw_unit=f"{rate_unit}/sec",
        run=context.run or line,
        tool_version=context.version,
        params=params,
        depends=tuple(sorted({context.run, context.version_line, other_line} - {line, 0})),
    )


PARSER = Parser(brief=True, name="hdparm", version=9, anchor=Anchor(ANCHOR, "timing "), parse=parse)
