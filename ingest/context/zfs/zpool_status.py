"""`zpool status`: name, layout, number of disks, log and cache devices of every pool.

Source: zpool-status(8); cmd/zpool/zpool_main.c, print_status_config (a vdev stands two blanks below its parent).
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from ingest.context._disk_models import parse_by_id_name
from ingest.context.zfs._property_names import OMITTED_ROWS, VdevTree, without_boot_pools
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue, Doubt
from ingest.text.lines import Text

# In a configuration in YAML `pool: data` may stand, too, with words in small letters below (`state: present`), or `config:` that
# holds keys; here another field of the listing follows.
_POOL = lazy(
    r"^[ \t`#]*pool:[ \t]+(\S+)[ \t]*\n(?:[ \t#]*\n)?[ \t#]*(?=(?:state|status|action|errors):[ \t]+[A-Z]"
    r"|(?:see|scan|scrub):[ \t]+\S|config:[ \t]*\n(?:[ \t#]*\n)?[ \t#]*NAME[ \t]+STATE)",
    re.MULTILINE,
)
_HEAD = lazy(r"^[ \t#]*NAME[ \t]+STATE[ \t]+READ[ \t]+WRITE[ \t]+CKSUM", re.MULTILINE)
_SHORT = lazy(r"[ \t#]*NAME[ \t]+STATE(?:[ \t]+READ[ \t]+WRITE[ \t]+CKSUM|[ \t]*\Z)")  # its figures were cut off
_ANCHOR = lazy(rf"^[ \t`#]*pool:[ \t]+\S|{_HEAD.pattern}", re.MULTILINE)
_STATES = "ONLINE|DEGRADED|FAULTED|OFFLINE|UNAVAIL|REMOVED|AVAIL|INUSE|SPLIT"
_ROW = lazy(rf"([ \t]*)(\S+)(?:[ \t]+(?:{_STATES})(?:[ \t].*)?)?[ \t]*\Z")
_STATE = lazy(rf"\s(?:{_STATES})(?:\s|\Z)")
_OTHER = lazy(r"[ \t`#]*pool:[ \t]+\S+[ \t]*\Z")
_COMMENTED = lazy(r"\A([ \t]*)#")  # an answer that was kept as a comment below its command
_FARTHEST = 60  # lines between `pool:` and the table: status and action texts are short
_BARE = {"logs", "log", "cache", "spares", "special", "dedup"}


def read(text: Text) -> Iterator[Clue | Doubt]:
    """Clues of every pool that the text shows."""
    found = [(match[1], text.line_at(match.start())) for match in _POOL.finditer(text.body)]
    found += _bare(text, [line for _, line in found])  # in order of lines: it looks for the next one above
    wanted = without_boot_pools(name for name, _ in found)
    for name, line in sorted(found, key=lambda pool: pool[1]):
        if name in wanted:
            yield from _pool(text, name, line)


def _bare(text: Text, named: list[int]) -> list[tuple[str, int]]:
    """Tables without the lines above them, where people copied only the table: the first row is the pool's."""
    found = []
    for head in _HEAD.finditer(text.body):
        line = text.line_at(head.start())
        row = _ROW.match(_COMMENTED.sub(r"\1 ", text.lines[line])) if line < len(text.lines) else None
        if row and _STATE.search(text.lines[line]) and not _is_below_pool_line(named, line):
            found.append((row[2], line + 1))
    return found


def _is_below_pool_line(named: list[int], line: int) -> bool:
    above = bisect_left(named, line)
    return above > 0 and line - named[above - 1] <= _FARTHEST


def _pool(text: Text, name: str, line: int) -> Iterator[Clue | Doubt]:
    yield Clue(line, "pool.name", name, text.lines[line - 1].strip(), subject=name, group=line)
    yield Clue(line, "fs.type", "zfs", text.lines[line - 1].strip(), subject=name, group=line)
    rows, ended = _table(text, name, line)
    if len(rows) < 2:
        return
    tree = VdevTree(rows[0][0], [(indent, word) for indent, word, _ in rows[1:]])
    first = rows[1][2]
    raw = text.lines[first - 1].strip()
    last = rows[-1][2]
    few = any(kind != "disk" and count < 2 for kind, count in tree.vdevs.get("data", ()))  # a row was not understood
    if last < len(text.lines) and (few or OMITTED_ROWS.match(text.lines[last])):
        yield Doubt(last + 1, "cut", f"Rows of the listing of pool {name} were left out.")
        kinds = {kind for kind, _ in tree.vdevs.get("data", ())}
        if len(kinds) == 1 and (kind := kinds.pop()) != "disk":
            yield Clue(first, "pool.layout", kind, raw, subject=name, group=line)
        return
    if not ended:
        yield Doubt(last, "cut", f"The listing of pool {name} ends with the file; vdevs may be missing.")
    leaves = [tree.standing.get(leaf, [leaf]) for leaf in tree.leaves.get("data", ())]
    models = {model.pop() if len(model) == 1 else "" for disks in leaves for model in [{parse_by_id_name(disk) for disk in disks}]}
    if models and "" not in models:
        yield Clue(first, "disk.model", " + ".join(sorted(models)), raw, subject=name, group=line)
    for key, value in (("pool.layout", tree.layout()), ("disk.count", tree.disks())):
        if value is not None:
            yield Clue(first, key, value, raw, subject=name, group=line)
    if ended:
        yield from _helpers(text, tree, name, rows, line)


def _helpers(text: Text, tree: VdevTree, name: str, rows: list[tuple[int, str, int]], group: int) -> Iterator[Clue]:
    """Log and cache: a complete listing without the section tells that there is none, spelled `off`."""
    lines = {word: line for _, word, line in rows}
    for key, part, words in (("pool.log", "log", ("logs", "log")), ("pool.cache", "cache", ("cache",))):
        at = next((lines[word] for word in words if word in lines), rows[0][2])
        yield Clue(at, key, tree.layout(part) or "off", text.lines[at - 1].strip(), subject=name, group=group)


def _table(text: Text, name: str, line: int) -> tuple[list[tuple[int, str, int]], bool]:
    """Rows (indent, name, line) from that of the pool on, and whether something follows them."""
    at = line - 2 if line > 1 and _HEAD.match(text.lines[line - 2]) else line
    while at < len(text.lines) and at < line + _FARTHEST and not _SHORT.match(text.lines[at]):
        if _OTHER.match(text.lines[at]):
            return [], True
        at += 1
    rows: list[tuple[int, str, int]] = []
    for number in range(at + 2, len(text.lines) + 1):
        shown = _COMMENTED.sub(r"\1 ", text.lines[number - 1]).expandtabs(8)
        row = _ROW.match(shown)
        if not row or row[2].startswith("errors:"):
            return rows if rows and rows[0][1] == name else [], bool(rows)
        if not rows and row[2] != name:
            return [], True
        if row[2] not in _BARE and not _STATE.search(shown):
            return rows, True
        rows.append((len(row[1]), row[2], number))
    return rows, False


READER = Reader("zpool status", 8, Anchor(_ANCHOR, "pool:", "cksum"), read, "zpool-status(8)")
