"""`zpool status`: name, layout, number of disks, log and cache devices of every pool; what runs on it beside the work.

Forms: `pool: NAME` above another field of the listing, with the table below it; a table alone; both also commented with `#`.
Source: zpool-status(8); cmd/zpool/zpool_main.c, print_status_config (a vdev stands two blanks below its parent).

Source of zdb: zdb(8)
Source of zpool status: zpool-status(8)
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from ingest.context._clues import line_clue, member_clue, members_of_pool
from ingest.context._disk_models import parse_by_id_name
from ingest.context.zfs._property_names import OMITTED_ROWS, VdevTree, spell_devices, spell_pool_layout, without_boot_pools
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue, Doubt, Member
from ingest.text.lines import Text

# `zdb -C`: the configuration of a pool as it is stored on its disks.
#
# Source: zdb(8); lib/libnvpair, dump_nvlist: names with a colon, nested lists four blanks deeper.

_TREE = lazy(r"^([ \t]*)vdev_tree:[ \t]*$", re.MULTILINE)
_PAIR = lazy(r"([ \t]*)(\w+(?:\[\d+\])?):(?:[ \t]+(.*?))?[ \t]*\Z")
_BEFORE = 40  # lines between the pool's name and its tree


@dataclass(slots=True)
class _Vdev:
    indent: int
    pairs: dict[str, tuple[str, int]] = field(default_factory=dict)
    children: list[_Vdev] = field(default_factory=list)

    def get(self, name: str) -> str:
        """The value of a pair without quotes; '' without the pair."""
        return self.pairs.get(name, ("", 0))[0].strip("'")


def read_zdb(text: Text) -> Iterator[Clue]:
    """Name, layout, disks, ashift and log devices of every pool."""
    for match in _TREE.finditer(text.body):
        line = text.line_at(match.start())
        indent = len(match[1].expandtabs(8))
        pool, name_line = _pool_name(text, line, indent)
        top_vdevs = _tree(text, line, indent).children
        if pool and top_vdevs:
            yield line_clue(text, name_line, "pool.name", pool, subject=pool, group=line)
            yield line_clue(text, name_line, "fs.type", "zfs", subject=pool, group=line)
            for key, value, value_line in _values(top_vdevs):
                yield line_clue(text, value_line, key, value, subject=pool, group=line)


def _pool_name(text: Text, line: int, indent: int) -> tuple[str, int]:
    for number in range(line - 1, max(0, line - _BEFORE), -1):
        pair = _PAIR.match(text.lines[number - 1].expandtabs(8))
        if pair and pair[2] == "name" and len(pair[1]) == indent and pair[3]:
            return pair[3].strip("'"), number
    return "", 0


def _tree(text: Text, line: int, indent: int) -> _Vdev:
    root = _Vdev(indent)
    path = [root]
    for number in range(line + 1, len(text.lines) + 1):
        pair = _PAIR.match(text.lines[number - 1].expandtabs(8))
        if not pair or len(pair[1]) <= indent:
            break
        while len(path) > 1 and len(pair[1]) <= path[-1].indent:
            path.pop()
        if pair[2].startswith("children["):
            child = _Vdev(len(pair[1]))
            path[-1].children.append(child)
            path.append(child)
        elif pair[3] is not None:
            path[-1].pairs.setdefault(pair[2], (pair[3], number))
    return root


def _values(top_vdevs: list[_Vdev]) -> Iterator[tuple[str, object, int]]:
    """(key, value, line) of the pool that consists of these vdevs."""
    sections: dict[str, list[_Vdev]] = {"data": [], "log": []}
    for vdev in top_vdevs:
        if vdev.get("is_log") == "1":
            sections["log"].append(vdev)
        elif vdev.get("type") in ("disk", "file", "mirror", "raidz", "draid"):
            sections.setdefault(vdev.get("alloc_bias") or "data", []).append(vdev)
    data, logs = sections["data"], sections["log"]
    if not data:
        return
    data_line = data[0].pairs["type"][1]
    layout = spell_pool_layout({section: [_shape(vdev) for vdev in vdevs] for section, vdevs in sections.items()})
    if layout:
        yield "pool.layout", layout, data_line
    leaves = _leaves(data)
    if all(leaf.get("type") != "file" for leaf in leaves):
        yield "disk.count", len(leaves), data_line
    models = {parse_by_id_name(leaf.get("path")) for leaf in leaves}
    if "" not in models:
        yield "disk.model", " + ".join(sorted(models)), data_line
    shifts = {vdev.get("ashift") for vdev in data}
    if len(shifts) == 1 and re.fullmatch(r"9|1[0-6]", shift := shifts.pop()):
        yield "pool.ashift", int(shift), data[0].pairs["ashift"][1]
    yield (
        "pool.log",
        spell_devices([_shape(vdev) for vdev in logs], [leaf.get("path") for leaf in _leaves(logs)]) or "off",
        (logs[0].pairs.get("type", ("", data_line))[1] if logs else data_line),
    )


def _leaves(vdevs: list[_Vdev]) -> list[_Vdev]:
    return [leaf for vdev in vdevs for leaf in (vdev.children or [vdev])]


def _shape(vdev: _Vdev) -> tuple[str, int]:
    kind = vdev.get("type")
    if kind in ("raidz", "draid"):
        parity = vdev.get("nparity")
        kind += parity if parity in ("1", "2", "3") else "1"
    return (kind, len(vdev.children)) if vdev.children else ("disk", 1)


ZDB = Reader("zdb", 4, Anchor(_TREE, "vdev_tree:"), read_zdb)


# YAML may have `pool: data`, too, above words in small letters (`state: present`) or a `config:` with keys; here another field of
# the listing follows.
_POOL = lazy(
    r"^[ \t`#]*pool:[ \t]+(\S+)[ \t]*\n(?:[ \t#]*\n)?[ \t#]*(?=(?:state|status|action|errors):[ \t]+[A-Z]"
    r"|(?:see|scan|scrub):[ \t]+\S|config:[ \t]*\n(?:[ \t#]*\n)?[ \t#]*NAME[ \t]+STATE)",
    re.MULTILINE,
)
_HEAD = lazy(r"^[ \t#]*NAME[ \t]+STATE[ \t]+READ[ \t]+WRITE[ \t]+CKSUM", re.MULTILINE)
_SHORT = lazy(r"[ \t#]*NAME[ \t]+STATE(?:[ \t]+READ[ \t]+WRITE[ \t]+CKSUM|[ \t]*\Z)")  # without its figures
_ANCHOR = lazy(rf"^[ \t`#]*pool:[ \t]+\S|{_HEAD.pattern}", re.MULTILINE)
_STATES = "ONLINE|DEGRADED|FAULTED|OFFLINE|UNAVAIL|REMOVED|AVAIL|INUSE|SPLIT"
_ROW = lazy(rf"([ \t]*)(\S+)(?:[ \t]+(?:{_STATES})(?:[ \t].*)?)?[ \t]*\Z")
_STATE = lazy(rf"\s(?:{_STATES})(?:\s|\Z)")
_OTHER = lazy(r"[ \t`#]*pool:[ \t]+\S+[ \t]*\Z")
_COMMENTED = lazy(r"\A([ \t]*)#")  # output kept as a comment below its command
_FARTHEST = 60  # lines between `pool:` and the table: status and action texts are short
_SECTION_ROWS = {"logs", "log", "cache", "spares", "special", "dedup"}


class _Row(NamedTuple):
    indent: int
    name: str
    line: int


def read(text: Text) -> Iterator[Clue | Doubt | Member]:
    """Clues of every pool of the text; doubts where rows are missing."""
    pools = [(match[1], text.line_at(match.start())) for match in _POOL.finditer(text.body)]
    pools += _pools_without_head(text, [line for _, line in pools])
    wanted = without_boot_pools(name for name, _ in pools)
    for name, line in sorted(pools, key=lambda pool: pool[1]):
        if name in wanted:
            yield from _pool_clues(text, name, line)


def _pools_without_head(text: Text, pool_lines: list[int]) -> list[tuple[str, int]]:
    """(name, line) of tables without the lines above them, whose first row is the pool; `pool_lines` in ascending order."""
    pools = []
    for head in _HEAD.finditer(text.body):
        line = text.line_at(head.start())
        row = _ROW.match(_COMMENTED.sub(r"\1 ", text.lines[line])) if line < len(text.lines) else None
        if row and _STATE.search(text.lines[line]) and not _is_below_pool_line(pool_lines, line):
            pools.append((row[2], line + 1))
    return pools


def _is_below_pool_line(pool_lines: list[int], line: int) -> bool:
    """Whether one of the lines, in ascending order, stands at most `_FARTHEST` above the line."""
    above = bisect_left(pool_lines, line)
    return above > 0 and line - pool_lines[above - 1] <= _FARTHEST


def _pool_clues(text: Text, name: str, line: int) -> Iterator[Clue | Doubt | Member]:
    yield line_clue(text, line, "pool.name", name, subject=name, group=line)
    yield line_clue(text, line, "fs.type", "zfs", subject=name, group=line)
    rows, ended = _table(text, name, line)
    yield from _state_clues(text, name, line, rows)
    if len(rows) < 2:
        return
    tree = VdevTree(rows[0].indent, [(row.indent, row.name) for row in rows[1:]])
    first, last = rows[1].line, rows[-1].line
    data = tree.vdevs.get("data", [])
    unreadable = any(kind != "disk" and count < 2 for kind, count in data)  # a row was not understood
    if last < len(text.lines) and (unreadable or OMITTED_ROWS.match(text.lines[last])):
        yield Doubt(last + 1, "cut", f"Some rows of the listing of pool {name} are missing.")
        kinds = {kind for kind, _ in data}
        if len(kinds) == 1 and (kind := kinds.pop()) != "disk":
            yield line_clue(text, first, "pool.layout", kind, subject=name, group=line)
        return
    if not ended:
        yield Doubt(last, "cut", f"The file ends with the listing of pool {name}; the listing may be cut off and lack vdevs.")
    for key, value in (("disk.model", _models(tree)), ("pool.layout", tree.layout()), ("disk.count", tree.disk_count())):
        if value is not None:
            yield line_clue(text, first, key, value, subject=name, group=line)
    if tree.disk_count():
        yield from members_of_pool(name, tree.places, {row.name: row.line for row in rows})
    if tree.leaves["data"]:  # files too, which lie on the disks of another mount
        yield member_clue(text, first, tree.leaves["data"], name, line)
    if ended:
        yield from _log_and_cache(text, tree, name, rows, line)


_SCAN = lazy(r"[ \t#]*(?:scan|scrub):[ \t]+(?P<what>\S[^\n]*)")
_RUNS = lazy(r"(?:scrub|resilver)(?:ing)? in progress")
_MOVES = lazy(r"[ \t#]*(?:expand|remove):[ \t]+(?:expansion of \S+ in progress|Evacuation of \S+ in progress)")
_TRIMS = lazy(r"\((?:trimming|\d+% trimmed, (?:started|suspended)[^)]*)\)")
_TRIMMED = lazy(r"\((?:untrimmed|100% trimmed, completed[^)]*)\)")


def _state_clues(text: Text, name: str, line: int, rows: list[_Row]) -> Iterator[Clue]:
    """What runs on the pool. A complete listing without a line of a scan, as that of a new pool, says that none runs."""
    if len(rows) < 2:
        return
    above = range(line, rows[0].line)
    scan = next((number for number in above if _SCAN.match(text.lines[number - 1])), 0)
    scanned = _SCAN.match(text.lines[scan - 1]) if scan else None
    runs = _RUNS.match(scanned["what"].replace("scrub: ", "")) if scanned else None
    for key, word in (("state.scrub", "scrub"), ("state.resilver", "resilver")):
        is_running = runs is not None and runs[0].startswith(word)
        yield line_clue(text, scan or line, key, "yes" if is_running else "no", subject=name, group=line)
    for number in above:
        if _MOVES.match(text.lines[number - 1]):
            yield line_clue(text, number, "state.balance", "yes", subject=name, group=line)
    state = _STATE.search(text.lines[rows[0].line - 1])
    if state and state[0].strip() in ("DEGRADED", "FAULTED"):
        yield line_clue(text, rows[0].line, "state.degraded", "yes", subject=name, group=line)
    for form, value in ((_TRIMS, "yes"), (_TRIMMED, "no")):
        for row in rows:
            if form.search(text.lines[row.line - 1]):
                yield line_clue(text, row.line, "state.trim", value, subject=name, group=line)
                return


def _models(tree: VdevTree) -> str | None:
    """Models of the data disks by their names; None where the name of one has no model, or its stand-in two."""
    disks = [tree.stand_ins.get(leaf, [leaf]) for leaf in tree.leaves.get("data", ())]
    models = {model.pop() if len(model) == 1 else "" for names in disks for model in [{parse_by_id_name(name) for name in names}]}
    return " + ".join(sorted(models)) if models and "" not in models else None


def _log_and_cache(text: Text, tree: VdevTree, name: str, rows: list[_Row], group: int) -> Iterator[Clue]:
    """Log and cache of a complete listing; `off` where it has no such section."""
    lines = {row.name: row.line for row in rows}
    for key, section, words in (("pool.log", "log", ("logs", "log")), ("pool.cache", "cache", ("cache",))):
        line = next((lines[word] for word in words if word in lines), rows[0].line)
        yield line_clue(text, line, key, tree.devices(section) or "off", subject=name, group=group)


def _table(text: Text, name: str, line: int) -> tuple[list[_Row], bool]:
    """Rows from that of the pool on, and whether another line follows them; no rows where the table is not below the line."""
    index = line - 2 if line > 1 and _HEAD.match(text.lines[line - 2]) else line
    while index < len(text.lines) and index < line + _FARTHEST and not _SHORT.match(text.lines[index]):
        if _OTHER.match(text.lines[index]):
            return [], True
        index += 1
    rows: list[_Row] = []
    for number in range(index + 2, len(text.lines) + 1):
        printed = _COMMENTED.sub(r"\1 ", text.lines[number - 1]).expandtabs(8)
        cells = _ROW.match(printed)
        if not cells or cells[2].startswith("errors:"):
            return rows if rows and rows[0].name == name else [], bool(rows)
        if not rows and cells[2] != name:
            return [], True
        if cells[2] not in _SECTION_ROWS and not _STATE.search(printed):
            return rows, True
        rows.append(_Row(len(cells[1]), cells[2], number))
    return rows, False


READER = Reader("zpool status", 12, Anchor(_ANCHOR, "pool:|cksum"), read)
