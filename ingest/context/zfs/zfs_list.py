"""`zpool list` (with `-v` the layout too) and `zfs list`, with whatever columns `-o` asks for.

Source: zpool-list(8), zfs-list(8); column heads from zfs_prop.c and zpool_prop.c of libzfs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest.context.zfs._property_names import PROPERTY_KEYS, VDEV_SECTIONS, VdevTree, parse_property, pool_name, without_boot_pools
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue
from ingest.text.lines import Text

_HEAD = lazy(r"^[ \t]*NAME(?:[ \t]+[A-Z][A-Z0-9_%]*)+[ \t]*$", re.MULTILINE)
_HEADS = {
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
_SURE = {"ALTROOT", "REFER", "COMPRESS", "RECSIZE", "ASHIFT", "RATIO", "DEDUP"}
_VDEV = lazy(r"(?:-|[\d.]+(?:[KMGTPE]|%|x)?|ONLINE|DEGRADED|FAULTED|OFFLINE|UNAVAIL|REMOVED|AVAIL|INUSE)\Z")  # a vdev's cell


def read(text: Text) -> Iterator[Clue]:
    """Clues of every listing."""
    for head in _HEAD.finditer(text.body):
        columns = head[0].split()
        if (len(_HEADS & set(columns)) >= 2 and _SURE & set(columns)) or set(columns[1:]) & {"COMPRESS", "RECSIZE"}:
            yield from _listing(text, columns, text.line_at(head.start()))


def _listing(text: Text, columns: list[str], head: int) -> Iterator[Clue]:
    rows: list[tuple[int, list[str], int]] = []
    for number in range(head + 1, len(text.lines) + 1):
        shown = text.lines[number - 1].expandtabs(8)
        cells = shown.split()
        indent = len(shown) - len(shown.lstrip())
        if (len(cells) != len(columns) and not (rows and cells and _below(rows[0][0], indent, cells))) or cells == columns:
            break
        rows.append((indent, cells, number))
    if not rows:
        return
    base = rows[0][0]
    tops = [at for at, (indent, cells, _) in enumerate(rows) if indent <= base and cells[0] not in VDEV_SECTIONS]
    wanted = without_boot_pools(pool_name(rows[at][1][0]) for at in tops)
    for at, until in zip(tops, [*tops[1:], len(rows)], strict=True):
        name = rows[at][1][0]
        if pool_name(name) in wanted and "@" not in name and re.match(r"[A-Za-z]", name):
            yield from _row(text, columns, rows[at], head)
            yield from _vdevs(text, rows[at:until], head)


def _below(base: int, indent: int, cells: list[str]) -> bool:
    """Whether a row with fewer cells is one of `zpool list -v`: of a section, or of a vdev, which has no alternate root."""
    return cells[0] in VDEV_SECTIONS or (indent > base and len(cells) > 1 and all(map(_VDEV.match, cells[1:])))


def _row(text: Text, columns: list[str], row: tuple[int, list[str], int], group: int) -> Iterator[Clue]:
    _, cells, line = row
    raw, name = text.lines[line - 1].strip(), cells[0]
    yield Clue(line, "pool.name", pool_name(name), raw, subject=pool_name(name), group=group)
    shown = dict(zip(columns, cells, strict=False))
    if "HEALTH" in shown or shown.get("MOUNTPOINT", "-") not in ("-", "none"):
        yield Clue(line, "fs.type", "zfs", raw, subject=name, group=group)
    for column, printed in shown.items():
        prop = column.lower()
        if prop == "dedup" and re.fullmatch(r"[\d.]+x", printed):
            continue  # in a list of pools DEDUP is the ratio
        if prop in PROPERTY_KEYS and (spelled := parse_property(prop, printed)) is not None:
            yield Clue(line, PROPERTY_KEYS[prop], spelled, raw, subject=name, group=group)


def _vdevs(text: Text, rows: list[tuple[int, list[str], int]], group: int) -> Iterator[Clue]:
    if len(rows) < 2:
        return
    name, first = rows[0][1][0], rows[1][2]
    tree = VdevTree(rows[0][0], [(indent, cells[0]) for indent, cells, _ in rows[1:]])
    for key, found in (
        ("pool.layout", tree.layout()),
        ("disk.count", tree.disks()),
        ("pool.log", tree.layout("log")),
        ("pool.cache", tree.layout("cache")),
    ):
        if found is not None:
            yield Clue(first, key, found, text.lines[first - 1].strip(), subject=name, group=group)


READER = Reader("zfs list", 3, Anchor(_HEAD, "name"), read, "zpool-list(8), zfs-list(8)")
