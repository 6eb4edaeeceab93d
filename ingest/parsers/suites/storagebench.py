"""BeeGFS StorageBench: `beegfs-ctl --storagebench --status` (`fhgfs-ctl` before 2014).

It measures streaming throughput of the storage targets on the servers themselves (BeeGFS documentation, chapter
StorageBench). The aggregate over all targets is the result; the slowest, the fastest and each single target are parts
of it; the average is checked against them. Figures are KiB/s, 1024 bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Parser, Shape
from ingest.records import Doubt, Value
from ingest.text.lines import Text

ANCHOR = lazy(r"(?:Write|Read) benchmark results|Aggregate throughput:[^\S\n]+\d+[^\S\n]+[KMG]iB/s")
_COMMAND = lazy(r"((?:beegfs|fhgfs)-ctl\s+.*--storagebench\b.*)$")
_OPTION = lazy(r"--(blocksize|size|threads)=(\d+)([kKmMgGtT]?)\b")
_STATUS = lazy(r"^[\s>|]*(Running|Finished|Finishing|Stopping|Stopped|Didn't run|Error)\s*:\s*(\d+)", re.I)
_TITLE = lazy(r"^[\s>|]*(Write|Read) benchmark results", re.I)
_LINE = lazy(r"^[\s>|]*(Min|Max|Avg|Aggregate) throughput:\s+(\S+)\s+(\S+)(?:\s+(.*))?$")
_TARGETS = lazy(r"^[\s>|]*List of all targets:")
_TARGET = lazy(r"^[\s>|]*(\d[\w-]{0,40})\s+(\d\S*)\s+(\S+B/s)\b(?:\s+(.*))?$")
_NUMBER = lazy(r"\d+(?:\.\d+)?\Z")
_UNITS = {"KiB/s": 1024, "MiB/s": 1024**2, "GiB/s": 1024**3}
_PARTS = {"Min": "min target", "Max": "max target", "Aggregate": ""}
_NAMES = {"blocksize": "block_size", "size": "file_size", "threads": "threads"}


@dataclass(slots=True)
class _State:
    params: dict[str, Any] = field(default_factory=dict)
    command_line: int = 0
    operation: str | None = None
    title: int = 0
    listing: bool = False
    targets: list[float] = field(default_factory=list)
    average: tuple[float, int] | None = None
    aggregate: float | None = None
    seen: dict[tuple[str, str], tuple[float, int]] = field(default_factory=dict)


def parse(text: Text) -> Iterator[Value | Doubt]:
    """The figures of every status report, in line order; the same status asked for again is a duplicate."""
    state = _State()
    for number, line in enumerate(map(str.rstrip, text.lines), 1):
        if command := _COMMAND.search(line):
            yield from _check(state)
            _start(state, command[1], number)
        elif (status := _STATUS.match(line)) and status[2] != "0":
            if status[1].lower() in ("running", "stopping", "finishing"):
                yield Doubt(number, "estimated", "the benchmark is still running; its figures are those so far")
            elif status[1].lower() == "error":
                yield Doubt(number, "failed-run", f"{status[2]} targets report an error")
        elif title := _TITLE.match(line):
            yield from _check(state)
            state.operation, state.title, state.listing = title[1].lower(), number, False
        elif found := _LINE.match(line):
            yield from _line(state, found, number)
        elif _TARGETS.match(line):
            state.listing = True
        elif state.listing and (target := _TARGET.match(line)):
            yield from _target(state, target, number)
        elif state.listing and line.strip():
            state.listing = False
    yield from _check(state)


def _start(state: _State, command: str, number: int) -> None:
    """A command. One that starts a benchmark makes later reports new measurements."""
    if "--status" in command:
        return
    state.params, state.command_line, state.seen = {"command": command}, number, {}
    if "--odirect" in command:
        state.params["direct"] = "on"
    for name, digits, letter in _OPTION.findall(command):
        state.params[_NAMES[name]] = int(digits) * 1024 ** " kmgt".index(letter.lower() or " ")


def _line(state: _State, found: re.Match[str], number: int) -> Iterator[Value | Doubt]:
    label, raw, unit, where = found.groups()
    if state.operation is None:
        yield Doubt(number, "no-header", f"{label} throughput without the line that tells whether it was read or written")
    elif unit not in _UNITS:
        yield Doubt(number, "unknown-unit", f"{label} throughput: {unit[:20]!r}")
    elif not _NUMBER.match(raw):
        yield Doubt(number, "bad-number", f"{label} throughput: {raw[:40]!r} is not a number")
    elif label == "Avg":
        state.average = (float(raw) * _UNITS[unit], number)
    else:
        if label == "Aggregate":
            state.aggregate = float(raw) * _UNITS[unit]
        extra = {"target": where} if where else {}
        yield _value(state, number, f"{label} throughput", raw, unit, _PARTS[label], extra)


def _target(state: _State, found: re.Match[str], number: int) -> Iterator[Value | Doubt]:
    name, raw, unit, where = found.groups()
    if state.operation is None or unit not in _UNITS or not _NUMBER.match(raw):
        yield Doubt(number, "unread", f"target {name}: {raw[:40]} {unit[:20]}")
        return
    state.targets.append(float(raw) * _UNITS[unit])
    yield _value(state, number, f"target {name}", raw, unit, f"target {name}", {"target": where} if where else {})


def _value(state: _State, number: int, native: str, raw: str, unit: str, part: str, extra: dict[str, Any]) -> Value:
    value = float(raw) * _UNITS[unit]
    key = (str(state.operation), native)
    before = state.seen.get(key)
    same = before[1] if before and before[0] == value else None
    if same is None:
        state.seen[key] = (value, number)
    return Value(
        line=number,
        tool="storagebench",
        metric=f"{state.operation}.throughput",
        native=native,
        value=value,
        unit="B/s",
        raw=raw,
        raw_unit=unit,
        run=state.title,
        same_as=same,
        params={**state.params, **extra, **({"part": part} if part else {})},
        depends=tuple(n for n in (state.command_line, state.title) if n),
    )


def _check(state: _State) -> Iterator[Doubt]:
    """The aggregate and the average against the list of targets."""
    if state.targets and state.aggregate and abs(sum(state.targets) - state.aggregate) > 0.005 * state.aggregate:
        yield Doubt(state.title, "disagree", "the targets together do not make the aggregate")
    if state.targets and state.average:
        own = sum(state.targets) / len(state.targets)
        if abs(own - state.average[0]) > 0.005 * own:
            yield Doubt(state.average[1], "disagree", "the average is not that of the targets listed")
    state.targets, state.average, state.aggregate, state.listing = [], None, None, False


PARSER = Parser(
    brief=True,
    name="storagebench",
    version=2,
    anchor=Anchor(ANCHOR, "benchmark results", "aggregate throughput:"),
    parse=parse,
    shapes=(
        Shape(
            "status report",
            "BeeGFS 2 to 7, FhGFS",
            "KiB/s = 1024 B/s",
            "Avg is only checked; a status asked again is a duplicate",
        ),
    ),
    source="BeeGFS documentation, Benchmarking a BeeGFS System, StorageBench",
)
