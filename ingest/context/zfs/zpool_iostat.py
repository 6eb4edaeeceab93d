"""`zpool iostat -v`: the pools and what each is built of. The figures themselves are a parser's.

Source: zpool-iostat(8); cmd/zpool/zpool_main.c, print_vdev_stats: a vdev stands two blanks below its parent, logs and cache
below a row of their own. Before 2010 logs had no such row: there a disk beside vdevs may be one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

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


def read(text: Text) -> Iterator[Clue | Doubt]:
    """Clues of every pool, each by the first report that shows it."""
    seen: set[str] = set()
    for title in _TITLE.finditer(text.body):
        head = text.line_at(title.start())
        first = next((row[2] for line in text.lines[head : head + 2] if (row := _ROW.match(line))), "")
        if first in seen:
            continue  # the next report of a log
        pools, whole = _pools(text, head)
        wanted = without_boot_pools(rows[0][1] for rows in pools)
        for rows in pools:
            if rows[0][1] in wanted - seen:
                yield from _pool(text, rows, head, whole)
        last = pools[-1][-1][2] if pools else 0
        if last == len(text.lines) and len(pools[-1]) > 1:
            yield Doubt(last, "cut", f"The report of pool {pools[-1][0][1]} ends with the file; vdevs may be missing.")
        seen |= {rows[0][1] for rows in pools}


def _pools(text: Text, head: int) -> tuple[list[list[tuple[int, str, int]]], bool]:
    """Rows (indent, name, line) of each pool of a report, its own row first; and whether none of them was left out."""
    pools: list[list[tuple[int, str, int]]] = []
    line = ""
    for number in range(head + 1, min(head + _MOST, len(text.lines)) + 1):
        line = text.lines[number - 1].rstrip()
        if _RULE.match(line):
            continue
        row = _ROW.match(line.expandtabs() if line[:1] == "\t" else line)
        if not row:
            if line.strip(" >|#") or pools:
                break
            continue
        indent, name = len(row[1]), row[2]
        if not pools or (indent <= pools[-1][0][0] and name not in VDEV_SECTIONS):
            if any(rows[0][1] == name for rows in pools):
                break  # the next report
            pools.append([])
        pools[-1].append((indent, name, number))
    return pools, not OMITTED_ROWS.match(line.lstrip(" >|#"))


def _pool(text: Text, rows: list[tuple[int, str, int]], group: int, whole: bool) -> Iterator[Clue]:
    indent, name, line = rows[0]
    for key, told in (("pool.name", name), ("fs.type", "zfs")):
        yield Clue(line, key, told, text.lines[line - 1].strip(), subject=name, group=group)
    tree = VdevTree(indent, [(deeper, word) for deeper, word, _ in rows[1:]])
    vdevs, sections = set(tree.vdevs.get("data", ())), tree.vdevs.keys() - {"data"}
    if not whole or not vdevs or any(kind != "disk" and count < 2 for kind, count in vdevs) or (len(vdevs) > 1 and not sections):
        return
    first = rows[1][2]
    models = {parse_by_id_name(disk) for disk in tree.leaves.get("data", ())}
    for key, found in (
        ("pool.layout", tree.layout()),
        ("disk.count", tree.disks()),
        ("pool.log", tree.layout("log")),
        ("pool.cache", tree.layout("cache")),
        ("disk.model", " + ".join(sorted(models)) if "" not in models and not tree.standing else None),
    ):
        if found is not None:
            yield Clue(first, key, found, text.lines[first - 1].strip(), subject=name, group=group)


READER = Reader("zpool iostat", 2, Anchor(_TITLE, "alloc", "used"), read, "zpool-iostat(8)")
