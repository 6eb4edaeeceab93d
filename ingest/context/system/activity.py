"""What a machine is and does beside the work: hypervisor, load, temperatures, throttling, resets; scrubs and balances of btrfs.

Forms: the line of uptime, w and top; rows of sensors; systemd-detect-virt and virt-what below their prompt, or alone in a file of
that name; hostnamectl; dmidecode; lines of the kernel's log; `vcgencmd get_throttled`; `btrfs scrub status` and `balance status`.
Evidence: the tools' output. Mentions: none.
Source: uptime(1), sensors(1), systemd-detect-virt(1), virt-what(1), hostnamectl(1); Linux arch/x86/kernel/cpu/hypervisor.c,
drivers/thermal/intel/therm_throt.c, drivers/nvme/host/pci.c, drivers/ata/libata-eh.c; btrfs-scrub(8), btrfs-balance(8).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from ingest.context._clues import hypervisor, line_clue
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue
from ingest.text.lines import Text
from ingest.toml_tables import expand_fragments, read_table

_TABLES = read_table(__file__)
_FRAGMENTS = _TABLES["fragments"]
_AVERAGE, _VIRTUAL = _FRAGMENTS["AVERAGE"], _FRAGMENTS["VIRTUAL"]
_FORMS = [(lazy(expand_fragments(form["expression"], _FRAGMENTS), re.M), form["key"], form["value"]) for form in _TABLES["forms"]]
_VALUES: dict[str, Callable[[re.Match[str]], Any]] = {
    "load": lambda match: match["at"].replace(",", "."),
    "degrees": lambda match: int(match["degrees"]),
    "name": lambda match: hypervisor(match["name"]),
    "maker": lambda match: hypervisor(match["name"].removesuffix(" Corporation")),
    "above": lambda match: "yes" if match["what"].startswith("above") else "no",
    "bits": lambda match: "yes" if int(match["bits"], 16) & 0b1110 else "no",
    "crypt": lambda match: "yes" if match["at"] == "crypt" else "no",
    "yes": lambda match: "yes",
    "scrub": lambda match: "yes" if "running" in match[0] else "no",
    "balance": lambda match: "yes" if match["what"] == "running" else "no",
}
_SCRUB = lazy(r"^[ \t]*(?:UUID:[ \t]+[0-9a-f-]{36}|scrub status for )", re.MULTILINE)
_ASKED = lazy(
    r"(?:(?:sudo|doas|pfexec|run0)[ \t]+)?(?:/usr/s?bin/)?(?:systemd-detect-virt(?:[ \t]+(?:-v|--vm))?|virt-what)[ \t]*\Z"
)
_VIRT = lazy(rf"[ \t]*({_VIRTUAL})[ \t]*\Z")
_NAMED = lazy(r"(?i)(?:systemd-)?detect-virt(?:\.\w+)?\Z|virt-what(?:\.\w+)?\Z")
_MOUNTED = lazy(r"(/\S+)[ \t]*\Z")
_ANCHOR = (
    Anchor(lazy(rf"\b{_AVERAGE}[ \t]?:"), "load average|durchschnittslast|charge moyenne|carga promedio|carico medio|de carga")
    | Anchor(
        lazy(r"^[ \t]*(?:Package id|Physical id|Tctl|Tdie|Composite|CPU|cpu_thermal|k\d\dtemp)[\w ]*:[ \t]+\+?\d", re.MULTILINE),
        "package id|physical id|tctl|tdie|composite|cpu|k00temp",
    )
    | Anchor(
        lazy(r"Hypervisor detected|Virtualization:|Product Name:|Manufacturer:"),
        "hypervisor|virtualization|product name|manufacturer",
    )
    | Anchor(lazy(r"temperature (?:above|/speed)|throttled=0x"), "temperature |throttled=")
    | Anchor(
        lazy(r"nvme nvme\d|ata\d+(?:\.\d\d)?: |I/O error|medium error, dev|(?:device|bus|host) reset"),
        "nvme nvme|ata0|i/o error|medium error|device reset|bus reset|host reset",
    )
    | Anchor(lazy(r"scrub status for|^[ \t]*Status:[ \t]+[a-z]|Balance on '", re.MULTILINE), "scrub status|status:|balance on")
    | Anchor(lazy(r"loadavg|[ \t]crypt[ \t]|/dev/mapper/|\.eli\b"), "loadavg|crypt|/dev/mapper/|.eli")
    | Anchor(lazy(r"detect-virt|virt-what"), "detect-virt|virt-what")
)


def read(text: Text) -> Iterator[Clue]:
    """Clues of every such line; of btrfs with the folder that the command names."""
    has_scrub = _SCRUB.search(text.body) is not None
    for form, key, value in _FORMS:
        for match in form.finditer(text.body) if key != "state.scrub" or has_scrub else ():
            line = text.line_at(match.start("at" if "at" in match.groupdict() and match["at"] else match.lastindex or 0))
            subject = match.groupdict().get("subject") or (_folder(text, line) if "btrfs" in text.body else "")
            yield line_clue(text, line, key, _VALUES[value](match), subject=subject)
    yield from _detected(text)


def _folder(text: Text, line: int) -> str:
    """The folder that the command `btrfs ... status FOLDER` names."""
    command = text.command_for(line)
    named = _MOUNTED.search(command.text) if command and "btrfs" in command.text else None
    return named[1] if named else ""


def _detected(text: Text) -> Iterator[Clue]:
    """The word that systemd-detect-virt prints; virt-what prints nothing without a hypervisor."""
    for command in text.commands:
        if _ASKED.match(command.text):
            printed = text.lines[command.first - 1] if command.first <= command.last else ""
            if word := _VIRT.match(printed):
                yield line_clue(text, command.first, "state.hypervisor", hypervisor(word[1]))
    if not text.commands and _NAMED.search(text.name) and (word := _VIRT.match(text.body.strip("\n"))):
        yield line_clue(text, 1, "state.hypervisor", hypervisor(word[1]))


READER = Reader("activity", 2, _ANCHOR, read)
