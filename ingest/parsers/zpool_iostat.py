"""`zpool iostat [-v] [-y] [INTERVAL]`: operations and bandwidth of pools and vdevs per interval.

Operations are per second, bandwidth bytes per second; K, M, G are powers of 1024, of operations too (zpool-iostat(8);
zfs_nicenum in libzutil divides by 1024). The first report shows the average since boot unless -y is given: it is kept
apart as such. What the pool was doing meanwhile is not told: `pattern: unknown`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ingest.records import Doubt, Value
from ingest.roles import Parser, Shape
from ingest.text import Text

ANCHOR = re.compile(r"^[ \t>|]*(?:pool|name)\s+(?:alloc|used)\s+(?:free|avail)\s+read\s+write\s+read\s+write\b", re.M)
_COMMAND = re.compile(r"\bzpool iostat\b(.*)$")
_RULE = re.compile(r"^[\s>|]*-{4,}(?:\s+-+){6}")
_ROW = re.compile(r"^[\s>|]*?( *)(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s*$")
_FIGURE = re.compile(r"(\d+(?:\.\d+)?)([KMGTPE]?)\Z")
_POWER = {letter: 1024**at for at, letter in enumerate(["", "K", "M", "G", "T", "P", "E"])}
_COLUMNS = (
    ("read.rate", "1/s", "operations read"),
    ("write.rate", "1/s", "operations write"),
    ("read.throughput", "B/s", "bandwidth read"),
    ("write.throughput", "B/s", "bandwidth write"),
)


@dataclass(slots=True)
class _State:
    title: int = 0
    reports: int = 0
    skipped: bool = False
    command: str | None = None
    command_line: int = 0
    pools: set[str] = field(default_factory=set)
    pool: str = ""
    seen: bool = False


def parse(text: Text) -> Iterator[Value | Doubt]:
    """Every figure of every report, in line order. `-` is a figure that does not exist."""
    state = _State()
    for number, line in enumerate(map(str.rstrip, text.lines), 1):
        if command := _COMMAND.search(line):
            state = _State(
                command="zpool iostat" + command[1].rstrip(),
                command_line=number,
                skipped=bool(re.search(r"\s-[a-z]*y", command[1])),
            )
        elif ANCHOR.match(line):
            state.title = number
        elif state.title and not line.strip():
            state.title = 0
        elif state.title and _RULE.match(line):
            _next_report(state)
        elif (
            state.title
            and (row := _ROW.match(line))
            and row[2] not in ("capacity", "logs", "cache", "special", "dedup")
        ):
            yield from _row(state, row, number)
        elif state.title and re.search(r"\d", line):
            yield Doubt(number, "short-row", f"a row that does not have seven columns: {line.strip()[:60]!r}")


def _next_report(state: _State) -> None:
    if state.seen or not state.reports:
        state.reports += 1
        state.pools, state.seen = set(), False


def _row(state: _State, row: re.Match[str], number: int) -> Iterator[Value | Doubt]:
    indent, name, figures = row[1], row[2], row.groups()[4:]
    if not indent:
        if name in state.pools:
            _next_report(state)
        state.pools.add(name)
        state.pool = name
    state.seen = True
    parts = [] if state.skipped or state.reports > 1 else ["since boot"]
    if indent:
        parts.append(name)
    for (metric, unit, native), raw in zip(_COLUMNS, figures, strict=True):
        if raw == "-":
            continue
        found = _FIGURE.match(raw)
        if not found:
            yield Doubt(number, "bad-number", f"{name} {native}: {raw[:40]!r} is not a number")
            continue
        params = {"pattern": "unknown", "pool": state.pool} | ({"part": ", ".join(parts)} if parts else {})
        if state.command:
            params["command"] = state.command
        yield Value(
            line=number,
            tool="zpool iostat",
            metric=metric,
            native=native,
            value=float(found[1]) * _POWER[found[2]],
            unit=unit,
            raw=raw,
            raw_unit=unit if not found[2] else f"{found[2]}{unit}",
            run=(state.command_line, state.reports),
            params=params,
            told={"pool.name": (state.pool, number)},
            depends=tuple(n for n in (state.command_line, state.title) if n),
        )


PARSER = Parser(
    name="zpool-iostat",
    version=1,
    anchor=ANCHOR,
    parse=parse,
    shapes=(
        Shape(
            "reports of zpool iostat, with and without -v",
            "illumos, FreeBSD, OpenZFS",
            "K, M, G are powers of 1024",
            "the first report is the average since boot unless -y was given",
        ),
    ),
    source="zpool-iostat(8) of OpenZFS",
)
