"""rados bench of Ceph: objects written, then read in the order written (seq) or at random (rand), a number of them at a time.

    Total writes made:      1200                 "total_writes_made": "1200",
    Bandwidth (MB/sec):     475.3                "bandwidth": "475.3",

Bandwidth and operations with Min, Max and Stddev are of single seconds; the rows of each second are no results.

Shapes of rados bench (name | versions | units | traps):
    summary | 0.80 to 19 | MB = 2^20 B, s | Stddev, Max and Min of bandwidth and IOPS are of seconds
    JSON (--format json) | 10 to 19 | as the summary

Source: obj_bencher.cc of Ceph: bandwidth / (1024 * 1024); rados(8)
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ingest.lazy_regex import lazy
from ingest.parsers._figures import PrintedFigure, shown_options
from ingest.plugin_api import Anchor, Parser
from ingest.records import Doubt, Found
from ingest.text.lines import Text

_FIELD = lazy(
    r"(?:^[ \t>|]{0,16}(?:\d{4}-\d\d-\d\d[ T][\d:.+]{8,24} +)?|\")"
    r"(Total[ _]time[ _]run|Total[ _](?:writes|reads)[ _]made|(?:Write|Read|Object|op)[ _]size|concurrent_ios"
    r"|(?:(?:Stddev|Max|Min)[ _])?Bandwidth|(?:Average|Stddev|Max|Min)[ _](?:IOPS|Latency))"
    r"(?: ?\((?:MB/sec|s)\))?\"?[ \t]*:[ \t]*\"?(\d{1,15}(?:\.\d{1,12})?(?:e[+-]\d\d)?)(?=[\"\s,}]|$)"
    r"|Maintaining (\d{1,6}) concurrent writes of \d",
    re.M | re.I,
)
_MODE = lazy(r"\brados\b.{0,200}?\bbench\b.{0,200}?\s(write|seq|rand)\b")
_MAX_DISTANCE = 3  # lines from one of a summary to the next
_SPREAD = (("stddev_", "stddev"), ("max_", "max"), ("min_", "min"))
_FIGURES = {
    **{f"{name}bandwidth": PrintedFigure("throughput", "MB/sec", 2.0**20, stat) for name, stat in (("", "sample"), *_SPREAD)},
    **{f"{name}iops": PrintedFigure("rate", "1/s", 1.0, stat) for name, stat in (("average_", "sample"), *_SPREAD)},
    **{f"{name}latency": PrintedFigure("latency", "s", 1.0, stat) for name, stat in (("average_", "mean"), *_SPREAD)},
}


@dataclass(slots=True)
class _Run:
    """One summary, or what stands before it. `operation`: empty as long as it is not known. `last`: its last line so far."""

    line: int = 0
    operation: str = ""
    params: dict[str, Any] = field(default_factory=dict)
    depends: list[int] = field(default_factory=list)
    implied: dict[str, int] = field(default_factory=dict)
    last: int = 0

    @property
    def fields(self) -> dict[str, Any]:
        """Those of its values that do not depend on the line."""
        depends, implied = tuple(self.depends), self.implied or None
        return {"tool": "rados", "run": self.line, "params": self.params, "depends": depends, "implied": implied}


def parse(text: Text) -> Iterator[Found]:
    """The summary of every run."""
    run = _Run()
    for found in _FIELD.finditer(text.body):
        name, raw, writes = (found[1] or "concurrent_ios").lower().replace(" ", "_"), found[2], found[3]
        number = text.line_at(found.start(2 if raw else 3))
        if name == "concurrent_ios":
            run = _Run(number, params={"iodepth": round(float(writes or raw))}, depends=[number])
        elif name == "total_time_run":
            run = _Run(number) if run.operation else run
        elif name.startswith("total_"):
            run = _Run(number) if run.operation or "reads" in name else run
            yield from _begin(text, run, number, name)
        elif name.endswith("_size"):
            run.params["file_size" if name == "object_size" else "block_size"] = round(float(raw))
            run.depends.append(number)
        elif not run.operation or number - run.last > _MAX_DISTANCE:
            yield Doubt(number, "no-header", f"{found[1]} of rados bench without the line above that tells what it did")
        elif value := _FIGURES[name].of(run.operation).value(number, found[1], raw, **run.fields):
            yield value
        if name not in _FIGURES or number - run.last <= _MAX_DISTANCE:
            run.last = number


def _begin(text: Text, run: _Run, number: int, name: str) -> Iterator[Doubt]:
    """The operation, from the line that counts its objects and from the command."""
    shown = shown_options(text, number, "rados")
    mode = _MODE.search(shown.params.get("command", ""))
    run.line = run.line or number
    run.operation = "write" if "writes" in name else "random_read" if mode and mode[1] == "rand" else "read"
    run.depends += [number, *shown.depends]
    run.params |= shown.params
    depth = shown.options.get("concurrent-ios", "16")  # rados(8), -t: 16 by default
    if shown.line and depth.isdecimal():
        run.params["iodepth"] = int(depth[:9])
        run.implied = {} if "concurrent-ios" in shown.options else {"iodepth": shown.line}
    if "reads" in name and not mode:
        yield Doubt(number, "no-command", "no command shows whether rados bench read in order (seq) or at random (rand)")


PARSER = Parser(
    name="rados bench",
    version=1,
    anchor=Anchor(
        lazy(r"\bTotal (?:writes|reads) made:|\"total_(?:writes|reads)_made\"|\bBandwidth \(MB/sec\):", re.I),
        "s made:|s_made|(mb/sec)",
    ),
    parse=parse,
)
