"""`lscpu` and /proc/cpuinfo: architecture, CPU model, physical cores of all sockets.

Source: lscpu(1); Linux arch/x86/kernel/cpu/proc.c. `lscpu` in other languages is not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest import names
from ingest.records import Clue
from ingest.roles import Reader
from ingest.text import Text

_FIELD = re.compile(
    r"^[ \t]*(Architecture|Model name|Core\(s\) per socket|Core\(s\) per cluster|Socket\(s\)|Cluster\(s\)|Model"
    r"|Thread\(s\) per core|CPU\(s\)):[ \t]+(\S[^\n]*?)[ \t]*$",
    re.MULTILINE,
)
_INFO = re.compile(
    r"^[ \t]*(processor|model name|physical id|cpu cores|siblings)[ \t]*:[ \t]*(\S[^\n]*?)[ \t]*$", re.MULTILINE
)
_ANCHOR = re.compile(r"^[ \t]*(?:Architecture:[ \t]+\S|Model name:[ \t]+\S|model name[ \t]*: )", re.MULTILINE)


def read(text: Text) -> Iterator[Clue]:
    """Clues of every listing; a field that comes again begins the next one."""
    for block in _blocks(_FIELD, text):
        if {"Architecture", "CPU(s)"} <= set(block) or {"Model name", "Socket(s)"} <= set(block):
            yield from _lscpu(block)
    yield from _cpuinfo(text)


def _blocks(pattern: re.Pattern[str], text: Text) -> Iterator[dict[str, tuple[str, int, str]]]:
    block: dict[str, tuple[str, int, str]] = {}
    for match in pattern.finditer(text.body):
        if match[1] in block:
            yield block
            block = {}
        block[match[1]] = (match[2], text.line_at(match.start()), match[0].strip())
    yield block


def _lscpu(block: dict[str, tuple[str, int, str]]) -> Iterator[Clue]:
    group = min(line for _, line, _ in block.values())
    if "Architecture" in block:
        value, line, raw = block["Architecture"]
        yield Clue(line, "arch", value, raw, group=group)
    yield from _model(block.get("Model name"), group)
    per = block.get("Core(s) per socket") or block.get("Core(s) per cluster")
    units = block.get("Socket(s)")
    if units and units[0] == "-":  # ARM: cores come in clusters
        units = block.get("Cluster(s)")
    if per and units and per[0].isdecimal() and units[0].isdecimal():
        yield from _cores(int(per[0]) * int(units[0]), per, group)


def _model(told: tuple[str, int, str] | None, group: int) -> Iterator[Clue]:
    model = names.cpu(told[0]) if told else None
    if told and model:
        yield Clue(told[1], "cpu.model", model, told[2], group=group)


def _cores(count: int, told: tuple[str, int, str], group: int) -> Iterator[Clue]:
    if 1 <= count <= 100_000:
        yield Clue(told[1], "cpu.cores", count, told[2], group=group)


def _cpuinfo(text: Text) -> Iterator[Clue]:
    """Cores are told as `cpu cores` of every `physical id`; the model once."""
    sockets: dict[str, tuple[int, tuple[str, int, str]]] = {}
    model = None
    at = "0"
    for match in _INFO.finditer(text.body):
        told = (match[2], text.line_at(match.start()), match[0].strip())
        if match[1] == "model name":
            model = model or told
        elif match[1] == "physical id":
            at = match[2]
        elif match[1] == "cpu cores" and match[2].isdecimal() and len(match[2]) < 7:
            sockets.setdefault(at, (int(match[2]), told))
    if model:
        yield from _model(model, model[1])
        if sockets:
            yield from _cores(sum(count for count, _ in sockets.values()), next(iter(sockets.values()))[1], model[1])


READER = Reader("lscpu", 1, _ANCHOR, read, "lscpu(1), proc_cpuinfo(5)")
