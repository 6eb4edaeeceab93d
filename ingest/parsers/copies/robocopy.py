"""robocopy: the speed in the summary of a copy. Its first line is exact; the second, in MB a minute, is checked against it."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator

from ingest.lazy_regex import lazy
from ingest.numbers import parse_integer, parse_plain_number
from ingest.plugin_api import Anchor, Parser, Shape
from ingest.records import Doubt, Value
from ingest.text.lines import Text

ANCHOR = lazy(r"^[ \t>|]{0,12}Speed :[ \t]+\d[\d.,]*[ \t]+(?:Bytes|MegaBytes)/", re.M)
_EXACT = lazy(r"[ \t>|]{0,12}Speed :[ \t]+(\d[\d.,' ]{0,24}?)[ \t]+Bytes/sec\.?[ \t]*\Z")
_MINUTE = lazy(r"[ \t>|]{0,12}Speed :[ \t]+(\d{1,12}(?:[.,]\d{1,3})?)[ \t]+MegaBytes/min\.?[ \t]*\Z")
_BEGUN = lazy(r"[ \t>|]{0,12}Speed :[ \t]+\d[\d.,]*[ \t]+(?:B|M)")
_TITLE = lazy(r"\bROBOCOPY[ \t]+::[ \t]+Robust File Copy")
_TOLD = lazy(r"[ \t>|]{0,12}(Source|Dest|Options) [:=][ \t]+(\S[^\n]{0,300}?)[ \t]*\Z")
_COMMAND = lazy(r"(?i)(?:^|[>$#;&|][ \t]*)(robocopy(?:\.exe)?[ \t]+\S[^\n]{0,300})")
_NAMES = {"Source": "source", "Dest": "path", "Options": "options"}
_MEGA, _MINUTES = 2**20, 60


def parse(text: Text) -> Iterator[Value | Doubt]:
    """The speed of every job; the summary of a job is the last that it prints."""
    params: dict[str, object] = {}
    told: list[int] = []
    last: Value | None = None
    ended, commanded = False, 0
    for number, line in enumerate(text.lines, 1):
        command = _COMMAND.search(line) if "robocopy" in line.lower() else None
        described = _TOLD.match(line)
        if command or (ended and described) or (told and _TITLE.search(line) and (ended or told != [commanded])):
            params, told, last, ended = {}, [], None, False
        if command:
            params["command"], told, commanded = command[1].strip(), [number], number
        elif described:
            params[_NAMES[described[1]]] = described[2]
            told.append(number)
        elif "Speed :" in line:
            ended = True
            last = yield from _speed(line, number, params, told, last)


def _speed(
    line: str, number: int, params: dict[str, object], told: list[int], last: Value | None
) -> Generator[Value | Doubt, None, Value | None]:
    if exact := _EXACT.match(line):
        rate = parse_integer(exact[1])
        if not rate:
            yield Doubt(number, "bad-number" if rate is None else "unmeasured", f"a speed of {exact[1]!r} tells no rate")
            return None
        found = Value(
            number,
            "robocopy",
            "copy.throughput",
            "Speed",
            float(rate),
            "B/s",
            exact[1],
            "Bytes/sec",
            number,
            params=dict(params),
            depends=tuple(told),
        )
        yield found
        return found
    if minute := _MINUTE.match(line):
        read = parse_plain_number(minute[1])
        if last is None:
            yield Doubt(number, "cut", "the speed in megabytes a minute without the exact one above it; it was not taken")
        elif read is not None and abs(read * _MEGA / _MINUTES - last.value) > 0.001 * _MEGA + 1:
            yield Doubt(number, "disagree", f"{minute[1]} MegaBytes/min are not {last.raw} Bytes/sec")
    elif _BEGUN.match(line):
        yield Doubt(number, "cut", "a line of robocopy's speed that breaks off")
    return last


PARSER = Parser(
    brief=True,
    name="robocopy",
    version=1,
    anchor=Anchor(ANCHOR, "speed :"),
    parse=parse,
    shapes=(Shape("summary", "Windows Vista to 11", "Bytes/sec; MegaBytes = 2^20 B", "times are summed up over threads"),),
    source="Robocopy in the reference of Windows commands (learn.microsoft.com), job header and summary as it prints them; "
    "MegaBytes/min = Bytes/sec * 60 / 2^20",
)
