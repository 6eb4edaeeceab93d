"""Tables of `zpool list` (with `-v` also the layout) and `zfs list`, with any columns of `-o`.

Form: a title line NAME and columns of these commands (`_COLUMNS`), with rows of as many cells below it, and rows of vdevs.

Source: zpool-list(8), zfs-list(8); column heads from zfs_prop.c and zpool_prop.c of libzfs.

Source of zpool iostat: zpool-iostat(8)
Source of zfs list: zpool-list(8), zfs-list(8)
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ingest.context._clues import line_clue, members_of_pool
from ingest.context._disk_models import parse_by_id_name
from ingest.context.zfs._property_names import (
    OMITTED_ROWS,
    VDEV_SECTIONS,
    VdevTree,
    fill_of_pool,
    pool_name,
    pool_state,
    spell_property,
    without_boot_pools,
)
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue, Doubt, Member
from ingest.text.lines import ShownCommand, Text

# `zpool iostat -v`: the pools and their vdevs. The figures are read by a parser.
#
# Form: a title line `pool alloc free read write read write`, also quoted or commented, and rows of seven cells or more below
# it.
#
# Source: zpool-iostat(8); cmd/zpool/zpool_main.c, print_vdev_stats: a vdev stands two blanks below its parent, logs and cache
# below a row of their own. Before 2010 logs had no such row, so that a disk beside other vdevs may be one.

_TITLE = lazy(
    r"^[ \t>|#]*(?:pool|name)[ \t]+(?:alloc|used)[ \t]+(?:free|avail)[ \t]+read[ \t]+write[ \t]+read[ \t]+write\b", re.MULTILINE
)
_CELL = r"(?:-|\d+(?:[.,]\d{1,2})?[KMGTPE]?)"
_ROW = lazy(rf"(?:[>|#]+ ?)?( *)([^\s>|#]\S*)(?:\s+{_CELL}){{6}}(?:\s+\S+){{0,30}}\s*\Z")
_RULE = lazy(r"[\s>|#]*-{3,}")
_MOST = 600  # rows of one report


class _IostatRow(NamedTuple):
    indent: int
    name: str
    line: int


def read_iostat(text: Text) -> Iterator[Clue | Doubt]:
    """Clues of every pool, by the first report that shows it; a doubt where a report ends with the file."""
    read_pools: set[str] = set()
    for title in _TITLE.finditer(text.body):
        head = text.line_at(title.start())
        first = next((row[2] for line in text.lines[head : head + 2] if (row := _ROW.match(line))), "")
        if first in read_pools:
            continue  # the next report of a log
        pools, complete = _pools(text, head)
        wanted = without_boot_pools(rows[0].name for rows in pools)
        for rows in pools:
            if rows[0].name in wanted - read_pools:
                yield from _pool_clues(text, rows, head, complete)
        last = pools[-1][-1].line if pools else 0
        if last == len(text.lines) and len(pools[-1]) > 1:
            yield Doubt(
                last, "cut", f"The file ends with the report of pool {pools[-1][0].name}; the report may be cut off and lack vdevs."
            )
        read_pools |= {rows[0].name for rows in pools}


def _pools(text: Text, head: int) -> tuple[list[list[_IostatRow]], bool]:
    """Rows of each pool of the report below a title line, its own row first; and whether the report is complete: no
    `...` follows it.
    """
    pools: list[list[_IostatRow]] = []
    line = ""
    for number in range(head + 1, min(head + _MOST, len(text.lines)) + 1):
        line = text.lines[number - 1].rstrip()
        if _RULE.match(line):
            continue
        cells = _ROW.match(line.expandtabs() if line[:1] == "\t" else line)
        if not cells:
            if line.strip(" >|#") or pools:
                break
            continue
        row = _IostatRow(len(cells[1]), cells[2], number)
        if not pools or (row.indent <= pools[-1][0].indent and row.name not in VDEV_SECTIONS):
            if any(rows[0].name == row.name for rows in pools):
                break  # the next report
            pools.append([])
        pools[-1].append(row)
    return pools, not OMITTED_ROWS.match(line.lstrip(" >|#"))


def _pool_clues(text: Text, rows: list[_IostatRow], group: int, complete: bool) -> Iterator[Clue]:
    """Name and type of a pool; of a complete report whose vdevs are unambiguous also what it consists of."""
    indent, name, line = rows[0]
    yield line_clue(text, line, "pool.name", name, subject=name, group=group)
    yield line_clue(text, line, "fs.type", "zfs", subject=name, group=group)
    tree = VdevTree(indent, [(row.indent, row.name) for row in rows[1:]])
    vdevs, sections = set(tree.vdevs.get("data", ())), tree.vdevs.keys() - {"data"}
    if not complete or not vdevs or any(kind != "disk" and count < 2 for kind, count in vdevs) or (len(vdevs) > 1 and not sections):
        return
    models = {parse_by_id_name(disk) for disk in tree.leaves.get("data", ())}
    for key, value in (
        ("pool.layout", tree.layout()),
        ("disk.count", tree.disk_count()),
        ("pool.log", tree.devices("log")),
        ("pool.cache", tree.devices("cache")),
        ("disk.model", " + ".join(sorted(models)) if "" not in models and not tree.stand_ins else None),
    ):
        if value is not None:
            yield line_clue(text, rows[1].line, key, value, subject=name, group=group)


IOSTAT = Reader("zpool iostat", 3, Anchor(_TITLE, "alloc|used"), read_iostat)


_HEAD = lazy(r"^[ \t]*NAME(?:[ \t]+[A-Z][A-Z0-9_%]*)+[ \t]*$", re.MULTILINE)
_COLUMNS = set("ALLOC CAP HEALTH ALTROOT AVAIL REFER MOUNTPOINT COMPRESS RECSIZE DEDUP ATIME SYNC RATIO USED COPIES ASHIFT".split())
_UNMISTAKABLE = {"ALTROOT", "REFER", "COMPRESS", "RECSIZE", "ASHIFT", "RATIO", "DEDUP"}
_OF_ZFS_ALONE = {  # only listings of ZFS have them
    "COMPRESS",
    "RECSIZE",
    "PRIMARYCACHE",
    "SECONDARYCACHE",
    "LOGBIAS",
    "REDUND_MD",
    "DNSIZE",
    "VOLBLOCK",
    "SPECIAL_SMALL_BLOCKS",
    "AUTOTRIM",
}
_WITHOUT_HEAD = lazy(
    r"\bzpool[ \t]+list(?=[^|;&\n]*[ \t]-\w*H)(?:[ \t]+-[Hpv]+(?=[ \t]|\Z)|[ \t]+-[Hp]*o[ \t]+(?P<columns>[\w,]+))*"
    r"(?P<pool>(?:[ \t]+[A-Za-z][\w.:-]*)?)[ \t]*(?:[|;&]|\Z)"
)
_DEFAULT_COLUMNS = "name,frag,cap,dedup,health,altroot"  # of zpool list, without those that not every version has
_OF_POOLS = {"HEALTH", "CAP", "FREE", "ALLOC", "ALTROOT", "ASHIFT", "AUTOTRIM", "FRAG"}  # columns of `zpool list`
_VDEV = lazy(r"(?:-|[\d.]+(?:[KMGTPE]|%|x)?|ONLINE|DEGRADED|FAULTED|OFFLINE|UNAVAIL|REMOVED|AVAIL|INUSE)\Z")  # a cell of a vdev


class _Row(NamedTuple):
    indent: int
    cells: list[str]
    line: int


def read(text: Text) -> Iterator[Clue | Member]:
    """Clues of every listing."""
    for head in _HEAD.finditer(text.body):
        columns = head[0].split()
        if (len(_COLUMNS & set(columns)) >= 2 and _UNMISTAKABLE & set(columns)) or _OF_ZFS_ALONE & set(columns[1:]):
            yield from _listing(text, columns, text.line_at(head.start()))
    for command in text.commands:
        asked = _WITHOUT_HEAD.search(command.text) if "zpool" in command.text else None
        if asked:
            names = str(asked["columns"] or _DEFAULT_COLUMNS).upper().split(",")
            yield from _without_head(text, command, names, "".join(asked["pool"].split()))


def _without_head(text: Text, command: ShownCommand, columns: list[str], pool: str) -> Iterator[Clue]:
    """The state of each pool below `zpool list -H`; columns that a version adds to the default ones stand before FRAG."""
    for line in range(command.first, min(command.last, command.first + _MOST) + 1):
        cells = text.lines[line - 1].split()
        if len(cells) < len(columns) or (len(cells) > len(columns) and "ALTROOT" not in columns):
            return
        row = dict(
            zip(columns, cells[: len(columns)] if columns[-1] != "ALTROOT" else [cells[0], *cells[1 - len(columns) :]], strict=True)
        )
        for column, printed in row.items():
            for key, value in pool_state(column.lower(), printed):
                yield line_clue(text, line, key, value, subject=row.get("NAME", pool), group=command.first)


def _listing(text: Text, columns: list[str], head: int) -> Iterator[Clue | Member]:
    rows: list[_Row] = []
    for number in range(head + 1, len(text.lines) + 1):
        printed = text.lines[number - 1].expandtabs(8)
        cells = printed.split()
        indent = len(printed) - len(printed.lstrip())
        if (
            len(cells) != len(columns) and not (rows and cells and _is_vdev_row(rows[0].indent, indent, cells))
        ) or cells == columns:
            break
        rows.append(_Row(indent, cells, number))
    if not rows:
        return
    base = rows[0].indent
    starts = [index for index, row in enumerate(rows) if row.indent <= base and row.cells[0] not in VDEV_SECTIONS]
    wanted = without_boot_pools(pool_name(rows[start].cells[0]) for start in starts)
    for start, end in zip(starts, [*starts[1:], len(rows)], strict=True):
        name = rows[start].cells[0]
        if pool_name(name) in wanted and "@" not in name and re.match(r"[A-Za-z]", name):
            yield from _row_clues(text, columns, rows[start], head)
            yield from _vdev_clues(text, rows[start:end], head)


def _is_vdev_row(base: int, indent: int, cells: list[str]) -> bool:
    """Whether a row with fewer cells than the title is one of `zpool list -v`: of a section, or of a vdev (no ALTROOT cell)."""
    return cells[0] in VDEV_SECTIONS or (indent > base and len(cells) > 1 and all(map(_VDEV.match, cells[1:])))


def _row_clues(text: Text, columns: list[str], row: _Row, group: int) -> Iterator[Clue]:
    name = row.cells[0]
    yield line_clue(text, row.line, "pool.name", pool_name(name), subject=pool_name(name), group=group)
    cells = dict(zip(columns, row.cells, strict=False))
    if "HEALTH" in cells or cells.get("MOUNTPOINT", "-") not in ("-", "none"):
        yield line_clue(text, row.line, "fs.type", "zfs", subject=name, group=group)
    of_pool = not _OF_POOLS.isdisjoint(cells)
    for column, printed in cells.items():
        key, value = spell_property(column.lower(), printed, of_pool)
        if value is not None and column != "NAME":
            yield line_clue(text, row.line, key, value, subject=name, group=group)
        for key, value in pool_state(column.lower(), printed) if of_pool else ():
            yield line_clue(text, row.line, key, value, subject=name, group=group)
    for key, value in fill_of_pool(name, cells.get("USED", ""), cells.get("AVAIL", "")) if not of_pool else ():
        yield line_clue(text, row.line, key, value, subject=name, group=group)


def _vdev_clues(text: Text, rows: list[_Row], group: int) -> Iterator[Clue | Member]:
    """Layout, number of disks, log and cache of a pool, from its own row and those of its vdevs."""
    if len(rows) < 2:
        return
    name, first = rows[0].cells[0], rows[1].line
    tree = VdevTree(rows[0].indent, [(row.indent, row.cells[0]) for row in rows[1:]])
    for key, value in (
        ("pool.layout", tree.layout()),
        ("disk.count", tree.disk_count()),
        ("pool.log", tree.devices("log")),
        ("pool.cache", tree.devices("cache")),
    ):
        if value is not None:
            yield line_clue(text, first, key, value, subject=name, group=group)
    if tree.disk_count():
        yield from members_of_pool(name, tree.places, {row.cells[0]: row.line for row in rows})


READER = Reader("zfs list", 6, Anchor(_HEAD, "name") | Anchor(lazy(r"\bzpool[ \t]+list[ \t][^\n]*-\w*H"), "zpool"), read)
