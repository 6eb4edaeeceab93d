"""CrystalDiskMark: sequential and random reads and writes, as its text export has them.

    Random Read 4KiB (Q= 32,T= 1) :   404.016 MB/s [ 98636.7 IOPS]               3 to 6
    SEQ    1MiB (Q=  8, T= 1):  3560.532 MB/s [   3395.6 IOPS] <  2353.44 us>    7 and later, under [Read], [Write], [Mix]

Of several runs of a test, `(x5)`, the greatest rate and the least latency are printed.

Shapes of CrystalDiskMark (name | versions | units | traps):
    text export | 3 to 6 | MB/s = 10^6 B/s, KB and KiB = 2^10 B | sequential rows do not print their block size
    text export | 7 to 9 | MB/s = 10^6 B/s, KiB = 2^10 B, us | of several runs the best is printed

Source: DiskMarkDlg.cpp (SaveText, GetResultString) and DiskBench.cpp (maxScore, minLatency) of CrystalDiskMark
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ingest.lazy_regex import lazy
from ingest.parsers._figures import PrintedFigure
from ingest.plugin_api import Anchor, Parser
from ingest.records import NOT_FINISHED, Doubt, Found, MissingValue
from ingest.text.lines import Text

_EDGE = r"^[\s>|*#]{0,24}"
_HEADER = lazy(_EDGE + r"CrystalDiskMark (\d[\w.]{0,10})")
_SECTION = lazy(_EDGE + r"\[(Read|Write|Mix)\](?: Read (\d{1,3})%)?")
_NAME = r"(Sequential|Random|SEQ|RND|Seq)(?: (Read|Write|Mix))?(?: +(\d{1,5}) ?([KM])i?B)?(?: ?\(([QDT=, \d]{3,16})\))? ?: +"
_FIGURE = r"(\d{1,6}\.\d{3}) MB/s(?: \[ *(\d{1,9}\.\d) IOPS\](?: < *(\d{1,9}\.\d\d) us>)?)?\s*$"
_ROW, _BEGUN = lazy(_EDGE + _NAME + _FIGURE), lazy(_EDGE + _NAME + r"\d{1,6}(?:\.\d{0,3})?(?: |\s*$)")
_FOOTER = lazy(
    _EDGE + r"(?:Test ?: (\d{1,6}) ?([MG])i?B\b|Mode ?:|Date ?: (\d{4})/(\d\d)/(\d\d) +(\d\d?:\d\d:\d\d)"
    r"|OS ?: (Windows [^[\n]{1,60}?) +\[(\d{1,2}\.\d) Build (\d{3,6})\])"
)
_BYTES = {"K": 2**10, "M": 2**20, "G": 2**30}
_FIGURES = (
    PrintedFigure("throughput", "MB/s", 1e6, "max"),
    PrintedFigure("rate", "IOPS", 1.0, "max"),
    PrintedFigure("latency", "us", 1e-6, "min"),
)


@dataclass(slots=True)
class _Export:
    """One export. `rows`: line, row and section with its line; `params`: what stands below them."""

    version: str | None = None
    depends: list[int] = field(default_factory=list)
    rows: list[tuple[int, re.Match[str], re.Match[str] | None, int]] = field(default_factory=list)
    params: dict[str, Any] = field(default_factory=dict)
    config: dict[str, tuple[str, int]] = field(default_factory=dict)
    started_at: str | None = None
    is_single: bool = False


def parse(text: Text) -> Iterator[Found]:
    """The rows of every export."""
    export, section, section_line = _Export(), None, 0
    for number, line in enumerate(text.lines, 1):
        if "MB/s" in line and (row := _ROW.match(line)):
            if export.params:  # the head is lost
                yield from _values(export)
                export = _Export()
            export.rows.append((number, row, section, section_line))
        elif "Crystal" in line and (head := _HEADER.match(line)):
            yield from _values(export)
            export, section = _Export(head[1], [number]), None
        elif "[" in line and (found := _SECTION.match(line)):
            section, section_line = found, number
        elif export.rows and ":" in line and (footer := _FOOTER.match(line)):
            _read_footer(export, number, footer)
        elif ":" in line and _BEGUN.match(line):
            yield Doubt(number, "cut", "this row of CrystalDiskMark is cut off; nothing in it was recorded")
    yield from _values(export)


def _read_footer(export: _Export, number: int, footer: re.Match[str]) -> None:
    size, unit, year, month, day, clock, system, release, build = footer.groups()
    export.depends.append(number)
    if size:
        export.params["total_size"] = int(size) * _BYTES[unit]
        export.is_single = "(x1)" in footer.string
    if year:
        export.started_at = f"{year}-{month}-{day}T{clock.zfill(8)}"
    if system:
        export.config = {"os.family": ("Windows_NT", number), "os.name": (system, number), "kernel": (f"{release}.{build}", number)}
    if "<0Fill>" in footer.string:
        export.params["contents"] = "zeros"


def _values(export: _Export) -> Iterator[Found]:
    for number, row, section, section_line in export.rows:
        kind, direction, size, unit, queues, throughput = row.groups()[:6]
        direction = direction or (section[1] if section else None)
        if direction is None:
            yield Doubt(number, "no-header", "a row of CrystalDiskMark without [Read], [Write] or [Mix] above it")
            continue
        operation = "mixed" if direction == "Mix" else f"random_{direction.lower()}" if kind[0] == "R" else direction.lower()
        params = export.params | ({"block_size": int(size) * _BYTES[unit]} if size else {})
        for name, letter in (("iodepth", "Q"), ("threads", "T")):
            if count := re.search(rf"{letter}D?= *(\d{{1,4}})", queues or ""):
                params[name] = int(count[1])
        if direction == "Mix":
            params |= {"access": "random" if kind[0] == "R" else "sequential", "mix": section[2] if section else None}
        native = " ".join(row[0].partition(":")[0].strip(" >|*#").split())
        depends = (*export.depends, section_line) if section else tuple(export.depends)
        fields: dict[str, Any] = {"tool": "CrystalDiskMark", "tool_version": export.version, "run": export.rows[0][0]}
        fields |= {"params": params, "started_at": export.started_at, "printed_config": export.config, "depends": depends}
        for figure, raw in zip(_FIGURES, row.groups()[5:], strict=True):
            stat = "sample" if export.is_single else figure.stat
            if raw and (value := figure.of(operation)._replace(stat=stat).value(number, native, raw, **fields)):
                yield value if float(throughput) else MissingValue.instead_of(value, NOT_FINISHED)
        if not float(throughput):
            yield Doubt(number, "unmeasured", f"{native}: this test was not run")


PARSER = Parser(
    name="CrystalDiskMark",
    version=1,
    anchor=Anchor(lazy(r"(?:Sequential|Random|SEQ|RND|Seq) .{1,60}: +\d+\.\d+ MB/s|CrystalDiskMark \d"), "mb/s|crystaldiskmark 0"),
    parse=parse,
)
