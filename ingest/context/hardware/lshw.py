"""Processor, memory and disks as lshw lists them, as a tree of nodes or with `-short`.

Source: lshw(1); src/core/print.cc of lshw: a node is `*-ID`, its attributes stand below it (`product: `, `size: `); in the
short form the columns are `H/W path  Device  Class  Description`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest import normalise
from ingest.context._disk_models import Disk, clean_model, disk_clues, parse_device
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue
from ingest.text.lines import Text

_NODE = lazy(
    r"^[ \t]*\*-(?P<id>cpu|memory|disk)(?::\d{1,3})?(?P<claim>[ \t]+(?:UNCLAIMED|DISABLED))?[ \t]*$"
    r"(?P<block>(?:\n(?![ \t]*\*-)[ \t]+[a-z][^\n]*){1,40})",
    re.MULTILINE,
)
_ATTRIBUTE = lazy(r"^[ \t]+(?P<name>description|product|size|logical name): (?P<value>\S[^\n]*?)[ \t]*$", re.MULTILINE)
_SHORT = lazy(
    r"^(?P<path>/[0-9a-f./]+)[ \t]+(?P<device>/dev/\S+)?[ \t]+(?P<kind>processor|memory|disk)[ \t]+"
    r"(?P<told>\S[^\n]{2,80}?)[ \t]*$",
    re.MULTILINE,
)
_SHORT_HEAD = lazy(r"^H/W path[ \t]+Device[ \t]+Class[ \t]+Description[ \t]*$", re.MULTILINE)
_SIZE = lazy(r"(\d{1,7})([KMGT])iB\b")
_ANCHOR = lazy(r"^[ \t]*\*-(?:cpu|memory|disk)|^H/W path[ \t]+Device[ \t]", re.MULTILINE)


def read(text: Text) -> Iterator[Clue]:
    """Clues of the tree and of the short form."""
    disks: list[Disk] = []
    for node in _NODE.finditer(text.body):
        told = {
            one["name"]: (one["value"], text.line_at(node.start("block") + one.start("name")))
            for one in _ATTRIBUTE.finditer(node["block"])
        }
        if node["claim"]:
            continue
        if node["id"] == "disk":
            product, line = told.get("product", ("", 0))
            if line and "size" in told:
                disks.append(Disk(clean_model(product), line, parse_device(told.get("logical name", ("", 0))[0])))
        else:
            yield from _of_machine(node["id"], told, text)
    if _SHORT_HEAD.search(text.body):
        yield from _short(text, disks)
    if disks:
        yield from disk_clues(text, disks, disks[0][1])


def _of_machine(kind: str, told: dict[str, tuple[str, int]], text: Text) -> Iterator[Clue]:
    """A processor is named by its product; the memory of the system, not of a cache or a module, has the whole size."""
    product, line = told.get("product", ("", 0))
    if kind == "cpu" and (model := normalise.cpu_model(product) if product else None):
        yield Clue(line, "cpu.model", model, text.lines[line - 1].strip(), group=line)
    size, line = told.get("size", ("", 0))
    if kind == "memory" and told.get("description", ("System Memory", 0))[0] == "System Memory" and (found := _SIZE.match(size)):
        yield Clue(line, "memory", normalise.parse_size(found[1] + found[2]), text.lines[line - 1].strip(), group=line)


def _short(text: Text, disks: list[Disk]) -> Iterator[Clue]:
    for row in _SHORT.finditer(text.body):
        line, told = text.line_at(row.start()), row["told"]
        if row["kind"] == "disk" and row["device"]:
            disks.append(Disk(clean_model(re.sub(r"^\d{1,5}[KMGT]B ", "", told)), line, row["device"]))
        elif row["kind"] == "processor" and (model := normalise.cpu_model(told)):
            yield Clue(line, "cpu.model", model, row[0].strip(), group=line)
        elif row["kind"] == "memory" and told.endswith("System Memory") and (found := _SIZE.match(told)):
            yield Clue(line, "memory", normalise.parse_size(found[1] + found[2]), row[0].strip(), group=line)


READER = Reader("lshw", 2, Anchor(_ANCHOR, "*-cpu", "*-memory", "*-disk", "h/w path"), read, "lshw(1)")
