"""pveperf of Proxmox VE: three seconds each of reads from the disk, of seeks on it, and of small files written with fsync.

BUFFERED READS:    239.96 MB/sec
AVERAGE SEEK TIME: 0.24 ms
FSYNCS/SECOND:     691.50

Shapes of pveperf (name | versions | units | traps):
    report | Proxmox VE 1 to 9 | MB = 2^20 B, ms | reads and seeks are of the device, which ZFS has none of

Source: pveperf of pve-manager: test_read (2 MiB), test_seektime (512 B), test_fsync (4001 B in one of 300 files)
"""

from __future__ import annotations

from collections.abc import Iterator

from ingest.lazy_regex import lazy
from ingest.parsers._figures import PrintedFigure, shown_options
from ingest.plugin_api import Anchor, Parser
from ingest.records import Doubt, Found
from ingest.text.lines import Text

_LINE = lazy(r"^[\s>|*]{0,16}(BUFFERED READS|AVERAGE SEEK TIME|FSYNCS/SECOND):[\s*]*(?:(\d{1,9}\.\d\d)(?: (MB/sec|ms))?[\s*]*$)?")
_DISK = lazy(r"^[\s>|*]{0,16}HD SIZE: +\d{1,12}\.\d\d GB \(([^()\s]{1,100})\)")
_FIGURES = {
    ("BUFFERED READS", "MB/sec"): (PrintedFigure("read.throughput", "MB/sec", 2**20), {"block_size": 2**21}),
    ("AVERAGE SEEK TIME", "ms"): (PrintedFigure("seek.latency", "ms", 1e-3, "mean"), {"block_size": 512}),
    ("FSYNCS/SECOND", None): (PrintedFigure("fsync.rate", "1/s"), {"file_size": 4001}),
}


def parse(text: Text) -> Iterator[Found]:
    """The three figures of every run."""
    disk, run = "", 0
    for number, line in enumerate(text.lines, 1):
        if "HD SIZE" in line and (size := _DISK.match(line)):
            disk, run = size[1], number
        elif ":" in line and (found := _LINE.match(line)):
            name, raw, unit = found.groups()
            if (name, unit) not in _FIGURES or not raw:
                yield Doubt(number, "cut", f"{name} of pveperf without its figure")
                continue
            figure, own_params = _FIGURES[name, unit]
            shown = shown_options(text, number, "pveperf")
            params = {**own_params, **shown.params} | ({"path": disk} if disk else {})
            fields = {"tool": "pveperf", "run": run or number, "params": params, "depends": (*shown.depends, *filter(None, [run]))}
            if value := figure.value(number, name, raw, **fields):
                yield value
            if name == "FSYNCS/SECOND":
                disk, run = "", 0  # the last one


PARSER = Parser(
    brief=True,
    name="pveperf",
    version=1,
    anchor=Anchor(lazy(r"BUFFERED READS:|AVERAGE SEEK TIME:|FSYNCS/SECOND:"), "buffered reads|seek time|fsyncs/second"),
    parse=parse,
)
