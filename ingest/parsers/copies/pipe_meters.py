"""pv and mbuffer: the bytes that went through a pipe, and how long that took.

    6.06GiB 0:00:09 [ 642MiB/s] [                 <=>                 ]
    summary: 6206 MiByte in 15.2sec - average of  408 MiB/s

What pv prints as a rate is that of its last interval: of a run its last line gives the amount and whole seconds.

Shapes of pv (name | versions | units | traps):
    pv, last line | 1.2 to 1.9 | GiB = 2^30 B, whole seconds | the rate is that of the last interval
    mbuffer, summary | 2009 to 2024 | MiByte, MiB/s = 2^20 B | with several outputs the rate is that of all

Source: pv(1) of 1.9, and its display.c; mbuffer(1), and summary() and kb2str() of mbuffer.c
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ingest import units
from ingest.lazy_regex import lazy
from ingest.numbers import parse_duration, parse_plain_number
from ingest.parsers._figures import PrintedFigure, shown_options
from ingest.plugin_api import Anchor, Parser
from ingest.records import BELOW, ZERO_TIME, Doubt, Found, MissingValue, Value
from ingest.text.lines import Text

_NUMBER = r"(\d{1,6}(?:[.,]\d{1,3})?)"
_PV = lazy(
    rf"^[\s>|]{{0,16}}(?:[\w.@/-]{{1,60}}:)? *{_NUMBER} ?((?:[kKMGTP]i?)?)[BO]? +((?:\d{{1,4}}:){{2,3}}\d\d) +"
    r"[\[(] *\d{1,6}(?:[.,]\d{1,3})? ?[kKMGTPE]?i?[BO]/s ?[\])](.*)$"
)
_PERCENT = lazy(r"(\d{1,3})% *(?:ETA|\Z)")
_MBUFFER = lazy(
    rf"^[\s>|]{{0,16}}summary: +(?:(\d{{1,3}})x )? *{_NUMBER} ([kKMGT]i)Byte in +"
    rf"((?:\d{{1,4}}h )?(?:\d{{1,2}}min )?\d{{1,2}}\.\d)sec - average of +{_NUMBER} ([kKMGT]i)B/s"
)
_STATUS = lazy(r"^[\s>|]{0,16}in @ +[\d.]{1,8} [kKMGT]i?B/s, out @ ")
_FACTORS = units.SI | units.IEC | {"KiB": units.K, "KB": units.K}
# The programs on both sides of the pipe, some with their next word.
_PROGRAM = lazy(r"(?:^|\|)\s*(?:(?:sudo|time|doas)\s+)*(?:[^\s|]*/)?((?:zfs|btrfs|ssh)\s+[^\s|]+|[^\s|/]+)")


def parse(text: Text) -> Iterator[Found]:
    """Every last line of pv, and every summary of mbuffer."""
    for number, line in enumerate(text.lines, 1):
        if "/s" in line and (meter := _PV.match(line)):
            yield from _pv(text, number, meter)
        elif "out @" in line and _STATUS.match(line):
            yield Doubt(number, "progress", "a status line of mbuffer, whose rates are of the last second")
        elif "summary:" in line and (summary := _MBUFFER.match(line)):
            outputs, size, unit, clock, rate, rate_unit = summary.groups()
            options = {"mbuffer.outputs": outputs} if outputs else {}
            yield _value(text, number, PrintedFigure("transfer.elapsed", "s"), ("mbuffer", clock), _bytes(size, unit), options)
            throughput = PrintedFigure("transfer.throughput", f"{rate_unit}B/s", _FACTORS[f"{rate_unit.title()}B"])
            yield _value(text, number, throughput, ("mbuffer", rate), _bytes(size, unit), options)


def _pv(text: Text, number: int, meter: re.Match[str]) -> Iterator[Found]:
    size, clock, rest = _bytes(meter[1], meter[2]), meter[3], meter[4]
    value = _value(text, number, PrintedFigure("transfer.elapsed", "s"), ("pv", clock), size, {})
    next_line = _PV.match(text.lines[number]) if number < len(text.lines) else None
    goes_on = next_line and (parse_duration(next_line[3]) or 0) > value.value and _bytes(next_line[1], next_line[2]) >= size
    percent = _PERCENT.search(rest)
    if goes_on or (percent and int(percent[1]) < 100):
        yield Doubt(number, "progress", f"pv was not at its end after {clock}")
    elif value.value:
        yield value
    else:
        yield MissingValue.instead_of(value, ZERO_TIME, 1.0, BELOW)
        yield Doubt(number, "zero-time", "pv counts whole seconds: this took less than one")


def _value(text: Text, number: int, figure: PrintedFigure, meter: tuple[str, str], size: int, options: dict[str, Any]) -> Value:
    """A figure of a line. `meter`: the tool, and what it printed."""
    tool, raw = meter
    shown = shown_options(text, number, tool)
    params = {"total_size": size, **shown.params, **options}
    if programs := [" ".join(found.split()) for found in _PROGRAM.findall(params.get("command", "")) if found != tool]:
        params["operation"] = " | ".join(programs)  # `zfs send | zfs recv`
    value = figure.value(number, figure.metric.partition(".")[2], raw, tool=tool, run=number, params=params, depends=shown.depends)
    assert value is not None  # the patterns have numbers there
    return value


def _bytes(raw: str, prefix: str) -> int:
    return round((parse_plain_number(raw) or 0.0) * _FACTORS[f"{prefix.capitalize() if 'i' in prefix else prefix}B"])


PARSER = Parser(
    brief=True,
    name="pv",
    version=1,
    anchor=Anchor(lazy(r"\d\d:\d\d +[\[(] *\d[\d.,]* ?[kKMGTPE]?i?[BO]/s ?[\])]"), "b/s]|b/s)|b/s ]|b/s )|o/s]|o/s)|o/s ]|o/s )")
    | Anchor(lazy(r"summary: .{1,24}iByte in |, out @ "), "summary: |, out @"),
    parse=parse,
)
