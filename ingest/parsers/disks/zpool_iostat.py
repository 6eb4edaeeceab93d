"""`zpool iostat [-v] [-y] [INTERVAL]`: operations and bandwidth of pools and vdevs per interval.

Operations are per second, bandwidth bytes per second; K, M, G are powers of 1024, of operations too (zpool-iostat(8);
zfs_nicenum in libzutil divides by 1024); the decimal point is the locale's (`1,34T`). The first report shows the average
since boot unless -y is given: it is kept apart as such. What the pool was doing meanwhile is not told: `pattern: unknown`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from sys import intern
from typing import Any

from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Parser, Shape
from ingest.records import Doubt, Value
from ingest.text.line_wrap import WideLine
from ingest.text.lines import Text

_B = r"[^\S\n]+"
_TITLE = lazy(rf"^[ \t>|#]*(?:pool|name){_B}(?:alloc|used){_B}(?:free|avail){_B}read{_B}write{_B}read{_B}write\b")
_HISTOGRAM = lazy(rf"^[ \t>|#]*(?:latency{_B}read{_B}write|req_size{_B}ind{_B}agg)\b")
ANCHOR = (
    Anchor(lazy(_TITLE.pattern, re.M), "alloc", "used")
    | Anchor(lazy(_HISTOGRAM.pattern, re.M), "latency", "req_size")
    | Anchor(lazy(r"\bzpool iostat[^\S\n][^\n]{0,100}?(?:-[a-zA-Z]{0,6}H|\|[ \t]?(?:[ef]?grep|tail|sed)\b)"), "zpool iostat")
)
_COMMAND = lazy(r"\bzpool iostat\b(.*)$")
_MOST, _ENOUGH = 50, 3
_COMMAND_ENDS = 400  # characters: what stands behind them is of no command that somebody typed
_PICKED = lazy(r"\|\s*(?:[ef]?grep|tail|sed)\b")  # rows, without their titles
_LAST = lazy(r"\s\d+(?:\.\d+)?(?:\s+(\d+))?\s*\|(?!.*\b(?:head|sed)\b).*\btail\s+(?:-n ?|--lines=|-)1(?:\s|\Z)")
_GROUPS = lazy(r"^[\s>|#]*capacity\s+operations\s+bandwidth((?:\s+\w+){0,12})\s*$")
_BARE = lazy(r"^ *(\S[^\t\n]{0,200})\t(\S+)\t(\S+)\t(\S+)\t(\S+)\t(\S+)\t(\S+)((?:\t\S+){0,30})$")
_GLUED = lazy(r"\s{2,}(capacity\s+operations\s+bandwidth(?:\s+\w+){0,12})\s*$")  # the break behind the command was lost
_BETWEEN = lazy(
    r"^[\s>|]*(?:capacity\s+operations\s+bandwidth|(?:logs|cache|special|dedup|spares)(?:\s+-){0,6}$)"
    r"|(?=[^\n]{0,60}\b(?:19|20)\d\d\b)[^\n]{0,60}\d:\d\d:\d\d|^1\d{9}$"  # the time of a report (-T d, -T u)
)
_RULED = lazy(r"^[\s>|]*-{3,}$")  # what a page makes of the rule below the titles
_RULE = lazy(r"^[\s>|#]*-{2,}(?:\s+-+){6}")
_DASHES = str.maketrans("\u2013\u2014", "--")  # what typesetters make of two hyphens, and of one
_ROW = lazy(r"^(?:[>|#]+ ?)?( *)([^\s>|#]\S*)\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)((?:\s+\S+){0,30})\s*$")
_INDENT = lazy(r"^[>|#]+ ?")
_FIGURE = lazy(r"(\d+(?:[.,]\d{1,2})?)([KMGTPE]?)\Z")
_CAPACITY = lazy(r"(?:-|0|\d+(?:[.,]\d{1,2})?[KMGTPE])\Z")
_FIGURES = lazy(r"(?:[^\S\n]+(?:-|\d+(?:[.,]\d{1,2})?[KMGTPE]?)){4}(?=\s|\Z)")  # the titles may stand far above a row
_WAIT = lazy(r"(\d+(?:[.,]\d+)?)(ns|us|ms|s)?\Z")
_SECONDS = {"ns": 1e9, "us": 1e6, "ms": 1e3, "s": 1.0, None: 1e9}  # what divides; -p prints nanoseconds
_POWER = {letter: 1024**at for at, letter in enumerate(["", "K", "M", "G", "T", "P", "E"])}
_MEANT = {(letter, unit): f"{letter}i{unit.removeprefix('1')}" if letter else unit for letter in _POWER for unit in ("1/s", "B/s")}
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
    histogram: bool = False  # of -w and -r: counts since boot, no rates
    title: int = 0
    report: int = 0
    pools: set[str] = field(default_factory=set)
    pool: str = ""
    indent: int = 0  # of the titles: what stands further in is a vdev
    rows: int = 0
    scripted: bool = False  # -H: tabs, no titles
    named: frozenset[str] = frozenset()  # words of a command without -v: any other name in a row is a pool's
    picked: bool = False  # by grep: no titles
    waits: list[tuple[str, str]] = field(default_factory=list)  # -l: metric and part of each column of waiting times
    groups: int = 0
    first: list[int] = field(default_factory=list)  # lines by which the first report is told from later ones
    # What rows have alike is made once, so that of a long log each figure costs little more than itself.
    params: dict[tuple[str, ...], dict[str, Any]] = field(default_factory=dict)
    depends: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())
    run: tuple[int, int] = (0, 0)


def parse(text: Text) -> Iterator[Value | Doubt]:
    """Every figure of every report, in line order. `-` is a figure that does not exist."""
    state = _State()
    for number, line in enumerate(map(str.rstrip, text.lines), 1):
        if line[:1] == "\t" and not state.scripted:
            line = line.expandtabs()  # a listing that was moved in
        if not line.isascii():
            line = line.translate(_DASHES)
        if command := _COMMAND.search(line):
            last = _LAST.search(command[1][:_COMMAND_ENDS])  # of several reports the last row; of one it is the average since boot
            quiet = bool(re.search(r"\s-[a-zA-Z]*y", command[1]) or (last and last[1] != "1"))
            state = _State("zpool iostat" + command[1], number, quiet)
            state.scripted = bool(re.search(r"\s-[a-zA-Z]*H", command[1]))
            if state.scripted and not re.search(r"\s-[a-zA-Z]*v", command[1]):
                state.named = frozenset(command[1].split()) | {""}
            state.picked = not state.scripted and bool(_PICKED.search(command[1]))
            if (glued := _GLUED.search(command[1])) and (groups := _GROUPS.match(glued[1])):
                state.command = "zpool iostat" + command[1][: glued.start()]
                yield from _take_groups(state, groups[1].split(), number)
        elif state.scripted and "\t" in line and (bare := _BARE.match(line)) and _is_row(bare.groups()[1:7]):
            yield from _scripted(state, bare, number)
        elif state.picked and (row := _picked(line)):
            yield from _scripted(state, row, number, 4)
        elif _HISTOGRAM.match(line):
            state.inside, state.histogram = False, True
            yield Doubt(number, "unread", "a histogram of zpool iostat (-w, -r) counts requests; its rows are not recorded")
        elif groups := _GROUPS.match(line):
            yield from _take_groups(state, groups[1].split(), number)
        elif _TITLE.match(line):
            _remember(state, number)
            state.inside, state.title, state.pool, state.histogram, state.picked = True, number, "", False, False
            state.indent = len(_INDENT.sub("", line[: line.index(line.lstrip(" >|#"))]))
            if state.rows or not state.report:
                _next_report(state)
        elif not state.histogram and _RULE.match(line):
            _remember(state, number)
            state.inside, state.pool = True, ""  # closes a pool; another one, or the next report, follows
        elif state.inside and line and not _BETWEEN.match(line) and not _RULED.match(line):
            yield from _line(state, line, number)
        elif line and not _BETWEEN.match(line):
            state.picked = False


def _picked(line: str) -> re.Match[str] | None:
    """The row of a pool or vdev in the line, where nothing but figures tells it."""
    row = _ROW.match(line)
    fits = row and not row[9] and all(map(_CAPACITY.match, row.groups()[2:4])) and all(map(_FIGURE.match, row.groups()[4:8]))
    return row if fits else None


def _take_groups(state: _State, names: list[str], number: int) -> Iterator[Doubt]:
    """The waiting times of -l: two columns, read and write, for each group, one for scrub, trim and rebuild."""
    state.waits, state.groups = [], number if names else 0
    for name in names:
        if name.endswith("_wait"):
            part = "" if name == "total_wait" else name.replace("_", " ")
            state.waits += [("read.latency", part), ("write.latency", part)]
        elif name in ("scrub", "trim", "rebuild"):
            state.waits.append((f"{'trim' if name == 'trim' else 'read'}.latency", f"{name} wait"))
        else:
            state.waits += [("", name)] * 2  # pend, activ
    if any(not metric for metric, _ in state.waits):
        yield Doubt(number, "unread", "lengths of queues (-q) are not recorded")


def _scripted(state: _State, row: re.Match[str], number: int, first: int = 3) -> Iterator[Value | Doubt]:
    """A row without titles: of -H, where no indentation tells a vdev from a pool, or as grep left it. `first`: its first rate."""
    name = row[first - 2]
    inner = first == 4 and bool(row[1] or row[3] == "-")  # a pool has a capacity, also where a page lost the indentation
    _remember(state, number)
    if not inner and (not state.report or name in state.pools):
        _next_report(state)
        state.pool = name
    elif not inner and (first == 4 or (state.named and name not in state.named)):
        state.pool = name
    state.pools.add(name)
    state.rows += 1
    if not state.pool:
        yield Doubt(number, "no-header", f"{name}: a row of zpool iostat without the row of its pool")
        return
    yield from _cells(state, ("" if name == state.pool else name, name), row.groups()[first:], number)


def _remember(state: _State, number: int) -> None:
    if state.report < 2 and len(state.first) < _MOST:
        state.first.append(number)


def _next_report(state: _State) -> None:
    state.report += 1
    state.pools, state.rows = set(), 0


def _line(state: _State, line: str, number: int) -> Iterator[Value | Doubt]:
    row = _ROW.match(line)
    if not row or not _is_row(row.groups()[2:8]):
        words = line.split()
        if len(words) in (5, 6) and _is_row(words[1:]):
            yield Doubt(number, "short-row", f"a row that does not have seven columns: {line.strip()[:60]!r}")
        else:
            state.inside, state.title = False, 0
        return
    if len(row[1]) <= state.indent:
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


def _is_row(cells: Sequence[str]) -> bool:
    """Whether so many cells are figures, and so few words, that the others may be damaged ones: in a log other lines follow."""
    return sum([cell == "-" or _FIGURE.match(cell) is not None for cell in cells]) >= _ENOUGH and sum(map(str.isalpha, cells)) < 2


def _row(state: _State, row: re.Match[str], number: int) -> Iterator[Value | Doubt]:
    yield from _cells(state, (row[2] if len(row[1]) > state.indent else "", row[2]), row.groups()[4:], number)


def _cells(state: _State, names: tuple[str, str], cells: tuple[str, ...], number: int) -> Iterator[Value | Doubt]:
    """The figures of a row: four cells, then the waiting times; `names`: the vdev ('' for a pool), the row's own."""
    parts = [] if state.skipped or state.report > 1 else ["since boot"]
    if names[0]:
        parts.append(names[0])
    params, place = _params(state, *parts), (number, {"pool.name": (state.pool, number)})
    for (metric, unit, native), raw in zip(_COLUMNS, cells[:4], strict=True):
        if raw == "-":
            continue
        found = _FIGURE.match(raw)
        if not found:
            yield Doubt(number, "bad-number", f"{names[1]} {native}: {raw[:40]!r} is not a number")
            continue
        figure = (float(found[1].replace(",", ".")) * _POWER[found[2]], unit, raw, _MEANT[found[2], unit])
        yield _value(state, (metric, native, "sample"), figure, params, place)
    waits = cells[4].split()
    if waits and len(waits) != len(state.waits):
        yield Doubt(number, "no-header", f"{names[1]}: {len(waits)} cells more whose titles are missing or not known")
        return
    for (metric, part), raw in zip(state.waits, waits, strict=False):
        if not metric:
            continue
        found = _WAIT.match(raw)
        if raw != "-" and not found:
            yield Doubt(number, "bad-number", f"{names[1]} {part}: {raw[:40]!r} is no time")
        elif found:
            figure = (float(found[1].replace(",", ".")) / _SECONDS[found[2]], "s", raw, found[2] or "ns")
            native = intern(f"{part or 'total wait'} {metric.split('.')[0]}")
            params = _params(state, *parts, *([part] if part else []))
            yield _value(state, (metric, native, "mean"), figure, params, place)


def _params(state: _State, *parts: str) -> dict[str, Any]:
    known = state.params.get((state.pool, *parts))
    if known is None:
        known = {"pattern": "unknown", "pool": state.pool} | ({"part": ", ".join(parts)} if parts else {})
        if state.command:
            known["command"] = state.command
        state.params[state.pool, *parts] = known
    return known


def _depends(state: _State) -> tuple[int, ...]:
    """The lines without which a row would read otherwise."""
    of = (state.command_line, state.title, state.groups, len(state.first))
    if state.depends[0] != of:
        state.depends = of, tuple(sorted({*of[:3], *state.first} - {0}))
    return state.depends[1]


def _value(
    state: _State,
    names: tuple[str, str, str],
    figure: tuple[float, str, str, str],
    params: dict[str, Any],
    place: tuple[int, dict[str, tuple[Any, int]]],
) -> Value:
    (metric, native, stat), (value, unit, raw, meant), (number, told) = names, figure, place
    if state.run != (state.command_line, state.report):
        state.run = state.command_line, state.report
    return Value(
        number,
        "zpool iostat",
        metric,
        native,
        value,
        unit,
        raw,
        meant,
        state.run,
        None,
        stat,
        params,
        told,
        "measured",
        None,
        None,
        None,
        _depends(state),
    )


# The titles of -l and -q, wider than many terminals.
_WIDE = (
    WideLine(
        lazy(r"\s*capacity\s+operations\s+bandwidth\s+(?:total_wait|syncq_read)\b"),
        lazy(
            r"\s*capacity\s+operations\s+bandwidth(?:\s+total_wait\s+disk_wait\s+syncq_wait\s+asyncq_wait\s+scrub"
            r"(?:\s+trim)?(?:\s+rebuild)?)?(?:\s+syncq_read\s+syncq_write\s+asyncq_read\s+asyncq_write\s+scrubq_read"
            r"(?:\s+trimq_write)?(?:\s+rebuildq_write)?)?\s*"
        ),
    ),
)

PARSER = Parser(
    wide=_WIDE,
    name="zpool-iostat",
    version=12,
    anchor=ANCHOR,
    parse=parse,
    shapes=(
        Shape(
            "reports of zpool iostat, with and without -v, -l, -p, -q",
            "illumos, FreeBSD, OpenZFS",
            "K, M, G are powers of 1024; waiting times ns to s, with -p ns",
            "the first report is the average since boot unless -y was given",
        ),
        Shape("rows of -H, or picked by grep", "OpenZFS", "as above", "only below their command; they have no titles"),
    ),
    brief=True,
    follows=_FIGURES,
    source="zpool-iostat(8) of OpenZFS",
)
