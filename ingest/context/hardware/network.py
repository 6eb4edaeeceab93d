"""The network: `ibstat`, `ethtool`, media lines of BSD's `ifconfig`, `ip link`; active ports only.

Source: ibstat(8), ethtool(8), ifconfig(8), ip-link(8). `ip link` prints no rate: the one kind of all links that are up
is a label, which any listing with a rate takes precedence over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest.context._clues import line_clue
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue
from ingest.text.lines import Text

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
_ANCHOR = lazy(r"\bRate: \d|Speed: \d+Mb/s|media: Ethernet|link/(?:ether|infiniband)")


def read(text: Text) -> Iterator[Clue]:
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


READER = Reader(
    "network",
    2,
    Anchor(_ANCHOR, "rate: 0|speed: 0|media: ethernet|link/ether|link/infiniband"),
    read,
    "ibstat(8), ethtool(8), ifconfig(8), ip-link(8)",
)
