"""Processor, memory and disks as lshw lists them, as a tree of nodes or with `-short`.

Source: lshw(1); src/core/print.cc of lshw: a node is `*-ID`, its attributes stand below it (`product: `, `size: `); in the
short form the columns are `H/W path  Device  Class  Description`.

Source of network: ibstat(8), ethtool(8), ifconfig(8), ip-link(8)
Source of lshw: lshw(1)
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

# The network: `ibstat`, `ethtool`, media lines of BSD's `ifconfig`, `ip link`; active ports only.
#
# Source: ibstat(8), ethtool(8), ifconfig(8), ip-link(8). `ip link` prints no rate: the one kind of all links that are up is a
# label, which any listing with a rate takes precedence over.

_IB = lazy(
    r"^[ \t]*State: Active[ \t]*\n(?:[ \t]*[^\n]*\n){0,3}?[ \t]*Rate: (\d{1,4})[ \t]*\n(?:[ \t]*[^\n]*\n){0,8}?"
    r"[ \t]*Link layer: (InfiniBand|Ethernet)",
    re.MULTILINE,
)
_ETHTOOL = lazy(r"^[ \t]*Speed: (\d{2,7})Mb/s[ \t]*$", re.MULTILINE)
_MEDIA = lazy(
    r"^[ \t]+media: Ethernet (?:autoselect \()?(\d{2,5})(G?)base[\w-]*(?: <[^\n>]*>)?\)?[ \t]*\n[ \t]+status: active",
    re.MULTILINE | re.IGNORECASE,
)
_IP = lazy(
    r"^[ \t]*\d+: (?P<name>[^:\n@]+)(?:@[^:\n]+)?: <[^>\n]*\bUP\b[^>\n]*>[^\n]*\bstate UP\b[^\n]*\n"
    r"[ \t]+link/(?P<kind>ether|infiniband) ",
    re.MULTILINE,
)
_VIRTUAL = lazy(r"(?:docker|veth|br-|virbr|vnet|tap|tun|bond|team|vlan|cali|flannel|cni)")
_KINDS = {"ether": "Ethernet", "infiniband": "InfiniBand"}
_NETWORK_ANCHOR = lazy(r"\bRate: \d|Speed: \d+Mb/s|media: Ethernet|link/(?:ether|infiniband)")


def read_network(text: Text) -> Iterator[Clue]:
    """`InfiniBand 56 Gb/s`, `Ethernet 10 Gb/s`: one clue for each active port."""
    for match in _IB.finditer(text.body):
        yield line_clue(text, text.line_at(match.start(1)), "network", f"{match[2]} {int(match[1])} Gb/s")
    for match in _ETHTOOL.finditer(text.body):
        yield line_clue(text, text.line_at(match.start(1)), "network", f"Ethernet {_rate(int(match[1]))}")
    for match in _MEDIA.finditer(text.body):
        rate = _rate(int(match[1]) * (1000 if match[2] else 1))
        yield line_clue(text, text.line_at(match.start(1)), "network", f"Ethernet {rate}")
    up = [match for match in _IP.finditer(text.body) if not _VIRTUAL.match(match["name"])]
    if len({match["kind"] for match in up}) == 1:
        line = text.line_at(up[0].start("kind"))
        yield Clue(line, "network", _KINDS[up[0]["kind"]], text.lines[line - 1].strip(), kind="label", group=line)


def _rate(megabits: int) -> str:
    return f"{megabits / 1000:g} Gb/s" if megabits >= 1000 else f"{megabits} Mb/s"


NETWORK = Reader("network", 2, Anchor(_NETWORK_ANCHOR, "rate: 0|speed: 0|media: ethernet|link/ether|link/infiniband"), read_network)


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


READER = Reader("lshw", 2, Anchor(_ANCHOR, "*-cpu|*-memory|*-disk|h/w path"), read)
