"""Tables of `zpool list` (with `-v` also the layout) and `zfs list`, with any columns of `-o`.

Form: a title line NAME and columns of these commands (`_COLUMNS`), with rows of as many cells below it, and rows of vdevs.

Source: zpool-list(8), zfs-list(8); column heads from zfs_prop.c and zpool_prop.c of libzfs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ingest.context._clues import line_clue, members_of_pool
from ingest.context.zfs._property_names import VDEV_SECTIONS, VdevTree, pool_name, spell_property, without_boot_pools
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue, Member
from ingest.text.lines import Text

_HEAD = lazy(r"^[ \t]*NAME(?:[ \t]+[A-Z][A-Z0-9_%]*)+[ \t]*$", re.MULTILINE)
_COLUMNS = {
    "ALLOC",
    "CAP",
    "HEALTH",
    "ALTROOT",
    "AVAIL",
    "REFER",
    "MOUNTPOINT",
    "COMPRESS",
    "RECSIZE",
    "DEDUP",
    "ATIME",
    "SYNC",
    "RATIO",
    "USED",
    "COPIES",
    "ASHIFT",
}
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


READER = Reader("zfs list", 5, Anchor(_HEAD, "name"), read, "zpool-list(8), zfs-list(8)")
