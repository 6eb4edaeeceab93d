"""hdparm -t and -T: reads from the disk and from the cache. Its MB are 2^20 bytes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ingest import units
from ingest.lazy_regex import lazy
from ingest.numbers import parse_plain_number
from ingest.plugin_api import Anchor, Parser, Shape
from ingest.records import Doubt, Value
from ingest.text.lines import Text

ANCHOR = lazy(r"Timing (?:O_DIRECT )?(?:buffer|cached|disk)|^(?:[^\S\n]|[>|]){0,16}Timing (?:[A-Zbcd][\w ]{0,12})?$", re.M)
_LINE = lazy(
    r"\bTiming ((?:O_DIRECT )?(?:cached|buffer-cache|buffered disk|disk) reads)(?: \(offset ([^()\n]{1,20})\))?:\s*"
    r"(\d{1,9}(?:[.,]\d{1,3})?) ?([kMG]B) in\s+(\d{1,6}[.,]\d{1,3}) seconds"
    r"\s*=(?:3D)?\s*(\d{1,9}(?:[.,]\d{1,3})?) ?([kKMG]B)/sec"
)
# Prose that speaks of `Timing buffered disk reads` goes on in words.
_BEGUN = lazy(r"\bTiming (?:O_DIRECT )?(?:cached|buffer-cache|buffered disk|disk) reads(?=\s*(?:[:(]|\Z))")
_READS = ("cached", "buffer-cache", "buffered disk", "disk")
_TITLES = tuple(f"Timing {how}{what} reads" for how in ("", "O_DIRECT ") for what in _READS)
_DEVICE = lazy(r"^[\s>|]{0,16}(/dev/[\w/.-]{1,60}):\s*(?:\([^()\n]{1,60}\)\s*)?(?:\Z|(?=Timing ))")
_ASKED = lazy(r"\bhdparm(?:[ \t]+-[\w-]{1,20}){1,4}[ \t]+(/dev/[\w/.-]{1,60})[ \t`]*\Z")  # a command with one device
_VERSION = lazy(r"\bhdparm v?(\d{1,3}\.\d{1,3})\b")


class _Setting(NamedTuple):
    """What the lines above a timing tell. `run`: where the device was named or left out, `versioned`: where the version stands."""

    device: str | None = None
    run: int = 0
    version: str | None = None
    versioned: int = 0


def parse(text: Text) -> Iterator[Value | Doubt]:
    """Every timing line of the text; the device is a parameter."""
    setting = _Setting()
    for at, line in enumerate(text.lines, 1):
        if "hdparm" in line and (found := _VERSION.search(line)):
            setting = setting._replace(version=found[1], versioned=at)
        if "/dev/" in line:
            found = _DEVICE.match(line)
            if found or "hdparm" in line:
                asked = found or _ASKED.search(line)  # what follows names it again, but not where a person left that out
                setting = setting._replace(device=asked[1] if asked else None, run=at)
        if "Timing" in line:
            after = text.lines[at] if at < len(text.lines) else ""
            for begun in _BEGUN.finditer(line):
                yield from _timing((line, after), begun.start(), at, setting)
            if at == len(text.lines) and any(title.startswith(line.strip(" \t>|")) for title in _TITLES) and "reads" not in line:
                yield Doubt(at, "cut", "a timing of hdparm breaks off in this line")


def _timing(lines: tuple[str, str], start: int, at: int, setting: _Setting) -> Iterator[Value | Doubt]:
    """The timing that begins there, wrapped into the next line perhaps; several stand on one line where breaks were lost."""
    line, after = lines
    if found := _LINE.match(line, start):
        yield from _values(found, (at, at), setting)
    elif "Timing" not in after and (found := _LINE.match(f"{line.rstrip()} {after.lstrip(' >|')}", start)):
        split = found.start(6) >= len(line.rstrip())
        yield from _values(found, (at + 1, at) if split else (at, at + 1), setting)
    else:
        code = "cut" if "failed" not in line and "EOF" not in line else "failed-run"
        yield Doubt(at, code, "a timing of hdparm without its result")


def _values(found: re.Match[str], lines: tuple[int, int], setting: _Setting) -> Iterator[Value | Doubt]:
    """`lines`: the one on which the rate stands, then the other one where the timing was wrapped."""
    at, other = lines
    name, offset, amount, unit, seconds, rate, per = found.groups()
    read, size, took = parse_plain_number(rate), parse_plain_number(amount), parse_plain_number(seconds)
    if read is None or size is None or took is None:
        return
    factor = units.HDPARM[per]
    if took and abs(size * units.HDPARM[unit] / took - read * factor) > 0.02 * read * factor + 1.5 * units.HDPARM[unit] / took:
        yield Doubt(at, "disagree", f"{amount} {unit} in {seconds} seconds are not {rate} {per}/sec")
    cached = "cache" in name
    params: dict[str, object] = {"command": "hdparm -T" if cached else "hdparm -t"}
    if name.startswith("O_DIRECT"):
        params.update(direct="on", command=f"{params['command']} --direct")
    if offset:
        params["pattern"] = f"offset {offset.strip()}"
    if setting.device:
        params["path"] = setting.device
    yield Value(
        at,
        "hdparm",
        f"{'cached_read' if cached else 'read'}.throughput",
        f"Timing {name}",
        read * factor,
        "B/s",
        rate,
        f"{per}/sec",
        setting.run or at,
        setting.version,
        params=params,
        depends=tuple(sorted({setting.run, setting.versioned, other} - {at, 0})),
    )


PARSER = Parser(
    brief=True,
    name="hdparm",
    version=8,
    anchor=Anchor(ANCHOR, "timing "),
    parse=parse,
    shapes=(Shape("-t and -T", "4 to 9", "MB = 2^20 B, kB = 1024 B", "old versions print no blank after ="),),
    source="hdparm.c, time_device and time_cache: bytes / (1024 * 1024) under the name MB",
)
