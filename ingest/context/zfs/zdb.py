"""`zdb -C`: the configuration of a pool as it is stored on its disks.

Source: zdb(8); lib/libnvpair, dump_nvlist: names with a colon, nested lists four blanks deeper.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ingest.context._clues import line_clue
from ingest.context._disk_models import parse_by_id_name
from ingest.context.zfs._property_names import spell_devices, spell_pool_layout
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue
from ingest.text.lines import Text

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


def read(text: Text) -> Iterator[Clue]:
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


READER = Reader("zdb", 4, Anchor(_TREE, "vdev_tree:"), read, "zdb(8)")
