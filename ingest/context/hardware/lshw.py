"""Processor, memory and disks as lshw lists them, as a tree of nodes or with `-short`.

Source: lshw(1); src/core/print.cc of lshw: a node is `*-ID`, its attributes stand below it (`product: `, `size: `); in the
short form the columns are `H/W path  Device  Class  Description`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest import normalise
from ingest.context._clues import line_clue
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
    r"(?P<description>\S[^\n]{2,80}?)[ \t]*$",
    re.MULTILINE,
)
_SHORT_HEAD = lazy(r"^H/W path[ \t]+Device[ \t]+Class[ \t]+Description[ \t]*$", re.MULTILINE)
_SIZE = lazy(r"(\d{1,7})([KMGT])iB\b")
_ANCHOR = lazy(r"^[ \t]*\*-(?:cpu|memory|disk)|^H/W path[ \t]+Device[ \t]", re.MULTILINE)


_Attributes = dict[str, tuple[str, int]]  # name -> value, line
_NONE = ("", 0)


def read(text: Text) -> Iterator[Clue]:
    """Clues of the tree and of the short form."""
    disks: list[Disk] = []
    for node in _NODE.finditer(text.body):
        if node["claim"]:
            continue
        attributes = {
            match["name"]: (match["value"], text.line_at(node.start("block") + match.start("name")))
            for match in _ATTRIBUTE.finditer(node["block"])
        }
        if node["id"] == "disk":
            product, line = attributes.get("product", _NONE)
            if line and "size" in attributes:
                disks.append(Disk(clean_model(product), line, parse_device(attributes.get("logical name", _NONE)[0])))
        else:
            yield from _cpu_or_memory(node["id"], attributes, text)
    if _SHORT_HEAD.search(text.body):
        yield from _short(text, disks)
    if disks:
        yield from disk_clues(text, disks, disks[0].line)


def _cpu_or_memory(kind: str, attributes: _Attributes, text: Text) -> Iterator[Clue]:
    """The model of a processor is its product; the memory is the size of `System Memory`, not of a cache or a module."""
    product, line = attributes.get("product", _NONE)
    if kind == "cpu" and (model := normalise.cpu_model(product) if product else None):
        yield line_clue(text, line, "cpu.model", model)
    size, line = attributes.get("size", _NONE)
    described = attributes.get("description", ("System Memory", 0))[0]
    if kind == "memory" and described == "System Memory" and (amount := _SIZE.match(size)):
        yield line_clue(text, line, "memory", normalise.parse_size(amount[1] + amount[2]))


def _short(text: Text, disks: list[Disk]) -> Iterator[Clue]:
    """Clues of `lshw -short`; its disks are added to the list."""
    for row in _SHORT.finditer(text.body):
        line, description = text.line_at(row.start()), row["description"]
        if row["kind"] == "disk" and row["device"]:
            disks.append(Disk(clean_model(re.sub(r"^\d{1,5}[KMGT]B ", "", description)), line, row["device"]))
        elif row["kind"] == "processor" and (model := normalise.cpu_model(description)):
            yield line_clue(text, line, "cpu.model", model)
        elif row["kind"] == "memory" and description.endswith("System Memory") and (amount := _SIZE.match(description)):
            yield line_clue(text, line, "memory", normalise.parse_size(amount[1] + amount[2]))


READER = Reader("lshw", 2, Anchor(_ANCHOR, "*-cpu|*-memory|*-disk|h/w path"), read, "lshw(1)")
