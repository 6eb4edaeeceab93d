"""The network: `ibstat`, `ethtool`, media lines of BSD's `ifconfig`; active ports only.

Source: ibstat(8), ethtool(8), ifconfig(8). `ip link` prints no rate, so it tells nothing here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest.records import Clue
from ingest.roles import Reader
from ingest.text import Text

_IB = re.compile(
    r"^[ \t]*State: Active[ \t]*\n(?:[ \t]*[^\n]*\n){0,3}?[ \t]*Rate: (\d{1,4})[ \t]*\n(?:[ \t]*[^\n]*\n){0,8}?"
    r"[ \t]*Link layer: (InfiniBand|Ethernet)",
    re.MULTILINE,
)
_ETHTOOL = re.compile(r"^[ \t]*Speed: (\d{2,7})Mb/s[ \t]*$", re.MULTILINE)
_MEDIA = re.compile(
    r"^[ \t]+media: Ethernet (?:autoselect \()?(\d{2,5})(G?)base[\w-]*(?: <[^\n>]*>)?\)?[ \t]*\n[ \t]+status: active",
    re.MULTILINE | re.IGNORECASE,
)
_ANCHOR = re.compile(r"\bRate: \d|Speed: \d+Mb/s|media: Ethernet")


def read(text: Text) -> Iterator[Clue]:
    """`InfiniBand 56 Gb/s`, `Ethernet 10 Gb/s`: one clue for each active port."""
    for match in _IB.finditer(text.body):
        yield _clue(text, match, 1, f"{match[2]} {int(match[1])} Gb/s")
    for match in _ETHTOOL.finditer(text.body):
        yield _clue(text, match, 1, f"Ethernet {_rate(int(match[1]))}")
    for match in _MEDIA.finditer(text.body):
        yield _clue(text, match, 1, f"Ethernet {_rate(int(match[1]) * (1000 if match[2] else 1))}")


def _rate(megabits: int) -> str:
    return f"{megabits / 1000:g} Gb/s" if megabits >= 1000 else f"{megabits} Mb/s"


def _clue(text: Text, match: re.Match[str], group: int, value: str) -> Clue:
    line = text.line_at(match.start(group))
    return Clue(line, "network", value, text.lines[line - 1].strip(), group=line)


READER = Reader("network", 1, _ANCHOR, read, "ibstat(8), ethtool(8), ifconfig(8)")
