"""`zpool iostat -v`: the pools and their vdevs. The figures are read by a parser.

Form: a title line `pool alloc free read write read write`, also quoted or commented, and rows of seven cells or more below it.

Source: zpool-iostat(8); cmd/zpool/zpool_main.c, print_vdev_stats: a vdev stands two blanks below its parent, logs and cache
below a row of their own. Before 2010 logs had no such row, so that a disk beside other vdevs may be one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ingest.context._clues import line_clue
from ingest.context._disk_models import parse_by_id_name
from ingest.context.zfs._property_names import OMITTED_ROWS, VDEV_SECTIONS, VdevTree, without_boot_pools
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue, Doubt
from ingest.text.lines import Text

_TITLE = lazy(
    r"^[ \t>|#]*(?:pool|name)[ \t]+(?:alloc|used)[ \t]+(?:free|avail)[ \t]+read[ \t]+write[ \t]+read[ \t]+write\b", re.MULTILINE
)
_CELL = r"(?:-|\d+(?:[.,]\d{1,2})?[KMGTPE]?)"
_ROW = lazy(rf"(?:[>|#]+ ?)?( *)([^\s>|#]\S*)(?:\s+{_CELL}){{6}}(?:\s+\S+){{0,30}}\s*\Z")
_RULE = lazy(r"[\s>|#]*-{3,}")
_MOST = 600  # rows of one report


class _Row(NamedTuple):
    indent: int
    name: str
    line: int


def read(text: Text) -> Iterator[Clue | Doubt]:
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


def _pools(text: Text, head: int) -> tuple[list[list[_Row]], bool]:
    """Rows of each pool of the report below a title line, its own row first; and whether the report is complete: no
    `...` follows it.
    """
    pools: list[list[_Row]] = []
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
        row = _Row(len(cells[1]), cells[2], number)
        if not pools or (row.indent <= pools[-1][0].indent and row.name not in VDEV_SECTIONS):
            if any(rows[0].name == row.name for rows in pools):
                break  # the next report
            pools.append([])
        pools[-1].append(row)
    return pools, not OMITTED_ROWS.match(line.lstrip(" >|#"))


def _pool_clues(text: Text, rows: list[_Row], group: int, complete: bool) -> Iterator[Clue]:
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


READER = Reader("zpool iostat", 3, Anchor(_TITLE, "alloc|used"), read, "zpool-iostat(8)")
