"""`zpool iostat [-v] [-y] [INTERVAL]`: operations and bandwidth of pools and vdevs per interval.

Operations are per second, bandwidth bytes per second; K, M, G are powers of 1024, of operations too (zpool-iostat(8);
zfs_nicenum in libzutil divides by 1024). The first report shows the average since boot unless -y is given: it is kept
apart as such. What the pool was doing meanwhile is not told: `pattern: unknown`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ingest.records import Doubt, Value
from ingest.roles import Parser, Shape
from ingest.text import Text

ANCHOR = re.compile(r"^[ \t>|]*(?:pool|name)\s+(?:alloc|used)\s+(?:free|avail)\s+read\s+write\s+read\s+write\b", re.M)
_COMMAND = re.compile(r"\bzpool iostat\b(.*)$")
_MOST = 50
_BETWEEN = re.compile(
    r"^[\s>|]*(?:capacity\s+operations\s+bandwidth|(?:logs|cache|special|dedup|spares)(?:\s+-){0,6}$)"
)
_RULE = re.compile(r"^[\s>|]*-{4,}(?:\s+-+){6}")
_ROW = re.compile(r"^(?:[>|]+ ?)?( *)([^\s>|]\S*)\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s*$")
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
    command: str | None = None
    command_line: int = 0
    skipped: bool = False
    inside: bool = False
    title: int = 0
    report: int = 0
    pools: set[str] = field(default_factory=set)
    pool: str = ""
    rows: int = 0
    first: list[int] = field(default_factory=list)  # lines by which the first report is told from later ones


def parse(text: Text) -> Iterator[Value | Doubt]:
    """Every figure of every report, in line order. `-` is a figure that does not exist."""
    state = _State()
    for number, line in enumerate(map(str.rstrip, text.lines), 1):
        if command := _COMMAND.search(line):
            quiet = bool(re.search(r"\s-[a-z]*y", command[1]))
            state = _State("zpool iostat" + command[1], number, quiet)
        elif ANCHOR.match(line):
            _remember(state, number)
            state.inside, state.title, state.pool = True, number, ""
            if state.rows or not state.report:
                _next_report(state)
        elif _RULE.match(line):
            _remember(state, number)
            state.inside, state.pool = True, ""  # closes a pool; another one, or the next report, follows
        elif state.inside and line and not _BETWEEN.match(line):
            yield from _line(state, line, number)


def _remember(state: _State, number: int) -> None:
    if state.report < 2 and len(state.first) < _MOST:
        state.first.append(number)


def _next_report(state: _State) -> None:
    state.report += 1
    state.pools, state.rows = set(), 0


def _line(state: _State, line: str, number: int) -> Iterator[Value | Doubt]:
    row = _ROW.match(line)
    if not row or not any(_FIGURE.match(cell) or cell == "-" for cell in row.groups()[4:]):
        if re.search(r"\s\d", line) and len(line.split()) in (5, 6):
            yield Doubt(number, "short-row", f"a row that does not have seven columns: {line.strip()[:60]!r}")
        else:
            state.inside, state.title = False, 0
        return
    if not row[1]:
        _remember(state, number)
        if row[2] in state.pools:
            _next_report(state)
        state.pools.add(row[2])
        state.pool = row[2]
    state.rows += 1
    if not state.title or not state.pool:
        missing = "the titles of its columns" if state.pool else "the row of its pool"
        yield Doubt(number, "no-header", f"{row[2]}: a row of zpool iostat without {missing}")
        return
    yield from _row(state, row, number)


def _row(state: _State, row: re.Match[str], number: int) -> Iterator[Value | Doubt]:
    parts = [] if state.skipped or state.report > 1 else ["since boot"]
    if row[1]:
        parts.append(row[2])
    params: dict[str, Any] = {"pattern": "unknown", "pool": state.pool} | ({"part": ", ".join(parts)} if parts else {})
    if state.command:
        params["command"] = state.command
    for (metric, unit, native), raw in zip(_COLUMNS, row.groups()[4:], strict=True):
        if raw == "-":
            continue
        found = _FIGURE.match(raw)
        if not found:
            yield Doubt(number, "bad-number", f"{row[2]} {native}: {raw[:40]!r} is not a number")
            continue
        yield Value(
            line=number,
            tool="zpool iostat",
            metric=metric,
            native=native,
            value=float(found[1]) * _POWER[found[2]],
            unit=unit,
            raw=raw,
            raw_unit=found[2] + unit,
            run=(state.command_line, state.report),
            params=params,
            told={"pool.name": (state.pool, number)},
            depends=tuple(sorted({state.command_line, state.title, *state.first} - {0})),
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
