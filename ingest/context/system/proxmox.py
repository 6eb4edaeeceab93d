"""Versions of Proxmox VE: `pveversion -v`, the summary of a node in its web pages (with and without colons), and the kernel
that `pveversion` names (the rest of its line is read with the other files and commands that name a distribution).

Source: pveversion(1): `pve-manager/8.1.3/b46aac3b (running kernel: 6.5.11-7-pve)`, and with -v a line for each package.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest import normalise
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue
from ingest.text.lines import Text

_MANAGER = lazy(
    r"^[ \t]*(?:pve-manager: |(?:PVE )?Manager Version:?[ \t]+pve-manager/)(?P<version>\d+\.\d[\d.-]*)"
    r"(?:/[0-9a-f]{6,40}|(?: \(running version: [^\s()]{2,80}\)))?[ \t]*$",
    re.MULTILINE,
)
_KERNEL = lazy(
    r"^[ \t]*(?:proxmox-ve(?:-2\.6\.32)?: \S+|pve-manager/\S+) \(running kernel: (?P<kernel>\d[\w.+~-]{2,60})\)[ \t]*$",
    re.MULTILINE,
)
_NODE = lazy(
    r"^[ \t]*(?:Kernel Version(?:[ \t]+|[ \t]*\n[ \t]*)Linux (?P<kernel>\d[\w.+~-]{2,60})(?: [^\n]*)?"
    r"|CPU\(s\)(?:[ \t]+|[ \t]*\n[ \t]*)\d{1,4} x (?P<cpu>[A-Z][^\n]{4,80}?) \(\d{1,3} Sockets?\))[ \t]*$",
    re.MULTILINE,
)
_ANCHOR = lazy(r"^[ \t]*(?:(?:PVE )?Manager Version:?[ \t]+)?pve-manager(?:/|: )\d", re.MULTILINE)


def read(text: Text) -> Iterator[Clue]:
    """The system, its version and its kernel, of every listing."""
    for match in _MANAGER.finditer(text.body):
        line = text.line_at(match.start("version"))
        for key, value in (("os.name", "Proxmox VE"), ("os.family", "Linux"), ("os.version", match["version"])):
            yield Clue(line, key, value, match[0].strip(), group=line)
    for match in _KERNEL.finditer(text.body):
        line = text.line_at(match.start("kernel"))
        yield Clue(line, "kernel", match["kernel"], match[0].strip(), group=line)
    for match in _NODE.finditer(text.body):
        line, model = text.line_at(match.start(match.lastgroup or 0)), normalise.cpu_model(match["cpu"] or "")
        if value := match["kernel"] or model:
            yield Clue(line, "cpu.model" if match["cpu"] else "kernel", value, match[0].strip(), group=line)


READER = Reader("proxmox", 2, Anchor(_ANCHOR, "pve-manager"), read, "pveversion(1)")
