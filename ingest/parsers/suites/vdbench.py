"""vdbench: the averages of each run definition (RD), from its output, summary.html, totals.html and flatfile.html.

    10:11:12.001 Starting RD=rd1; I/O rate: Uncontrolled MAX; elapsed=60; For loops: xfersize=8k threads=32
    Dec 11, 2020  interval        i/o   MB/sec   bytes   read     resp     read    write     resp     resp queue  cpu%  cpu%
                                 rate  1024**2     i/o    pct     time     resp     resp      max   stddev depth sys+u   sys
    10:12:12.092  avg_7-37  256348.49  2002.72    8192  70.00    0.177    0.224    0.068   30.083    0.241  45.3  35.8   6.1

Rows of single intervals are no results. The flat file names its columns, and so are those of the other files named here.

Shapes of vdbench (name | versions | units | traps):
    output, summary.html, totals.html | 5.02 to 5.04.07 | MB = 2^20 B (10^6 where the titles say 1000**2), ms
    flatfile.html | 5.02 to 5.04.07 | MB = 2^20 B, ms | n/a where loops and workloads differ

Source: Report.java, FwdStats.java and Flat.java of vdbench 5.04
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ingest.lazy_regex import lazy
from ingest.numbers import parse_plain_number
from ingest.options import open_params
from ingest.parsers._figures import PrintedFigure
from ingest.plugin_api import Anchor, Parser
from ingest.records import Doubt, Found
from ingest.text.lines import Text

_START = lazy(r"\bStarting RD=([\w.()-]{1,60})(?:; (.{0,300}))?")
_BLOCK = lazy(r"\binterval +i/o +MB/sec +bytes +read +resp +read +write +(resp|read +write) +resp +queue")
_MEGABYTE = lazy(r"^ {8,}rate +(1024|1000)\*\*2 ")
_FLAT = lazy(r"\bRun +(Interval +reqrate +rate +.{10,})")
_AVERAGE = lazy(r"\b(avg_\d{1,7}-\d{1,7}) +(\S.{10,})")
_DISTRIBUTION = lazy(r"\bvdbench(\d)(\d\d)(\d\d)\b")
_OPTION = lazy(r"(?:^|[ ;])([a-z]{3,20})=([^\s;,]{1,40}?)\.?(?=[\s;,]|$)")
_DISK_NAMES = "Interval rate MB/sec bytes/io read% resp read_resp write_resp".split()
_BLOCK_NAMES = {"resp": ("resp_max",), "read write": ("read_max", "write_max")}
_FILE_OPERATIONS = {
    "Read": "read", "Write": "write", "Mkdir": "dir_create", "Rmdir": "dir_remove", "Create": "file_create", "Open": "",
    "Close": "", "Delete": "file_remove", "Getattr": "file_stat",
}  # fmt: skip
_FILE_NAMES = "rate resp cpu sys read% Read_rate Read_resp Write_rate Write_resp MB_read MB_write MB/sec Xfersize".split()
_LEAST = len(_FILE_NAMES)  # columns of files that every version has, and more than there are of disks
_FILE_NAMES += [f"{name}_{what}" for name in list(_FILE_OPERATIONS)[2:] for what in ("rate", "resp")]
_RATE, _MB, _MEAN = (
    PrintedFigure("rate", "1/s"),
    PrintedFigure("throughput", "MiB/s", 2.0**20),
    PrintedFigure("latency", "ms", 1e-3, "mean"),
)
_MAX, _DEVIATION = _MEAN._replace(stat="max"), _MEAN._replace(stat="stddev")
# Column -> what it is of, '' for all operations of the run, and the figure.
_OF_DISKS = {
    "rate": ("", _RATE), "MB/sec": ("", _MB), "resp": ("", _MEAN), "resp_max": ("", _MAX), "resp_std": ("", _DEVIATION),
    "read_resp": ("read", _MEAN), "write_resp": ("write", _MEAN), "read_max": ("read", _MAX), "write_max": ("write", _MAX),
}  # fmt: skip
_OF_FILES = {
    **{f"{name}_rate": (of, _RATE) for name, of in _FILE_OPERATIONS.items() if of},
    **{f"{name}_resp": (of, _MEAN) for name, of in _FILE_OPERATIONS.items() if of},
    "MB_read": ("read", _MB), "MB_write": ("write", _MB),
}  # fmt: skip


def parse(text: Text) -> Iterator[Found]:
    """The averages of every run."""
    names, places, version = list[str](), dict[str, int](), None
    start: re.Match[str] | None = None
    megabyte = 2.0**20
    for number, line in enumerate(text.lines, 1):
        if "avg_" in line and (average := _AVERAGE.search(line)):
            cells, before = average[0].split(), line[: average.start()].split()
            if not names or len(cells) < min(len(names), _LEAST):
                yield Doubt(number, "no-header", "averages of vdbench without the titles above them, or cut off")
                continue
            columns = dict(zip(names, cells, strict=False)) | ({"Run": before[-1]} if "reqrate" in names and before else {})
            fields = {
                "tool": "vdbench",
                "tool_version": version,
                "depends": (*places.values(),),
                "run": places.get("start", number),
            }
            yield from _values(number, columns, start, megabyte, fields)
            start, _ = None, places.pop("start", 0)
        elif "Starting RD=" in line and (found := _START.search(line)):
            yield from _cut(start, places)
            start, places["start"] = found, number
        elif "**2" in line and (found := _MEGABYTE.match(line)):
            megabyte, places["megabyte"] = float(found[1]) ** 2, number
        elif "vdbench" in line and (found := _DISTRIBUTION.search(line)):
            version, places["version"] = ".".join(found.groups()), number
        elif titles := _titles(line):
            names, places["titles"] = titles, number
    yield from _cut(start, places)


def _cut(start: re.Match[str] | None, places: Mapping[str, int]) -> Iterator[Doubt]:
    if start and "titles" in places:  # the log file has no rows at all
        yield Doubt(places["start"], "cut", f"the run {start[1]} of vdbench has no averages")


def _titles(line: str) -> list[str]:
    """The names of the columns where the line has titles."""
    if "interval" in line and (found := _BLOCK.search(line)):
        return [*_DISK_NAMES, *_BLOCK_NAMES[" ".join(found[1].split())], "resp_std"]
    if "ReqstdOps" in line:
        return ["Interval", *_FILE_NAMES]
    return found[1].split() if "reqrate" in line and (found := _FLAT.search(line)) else []


def _values(
    number: int, columns: Mapping[str, str], start: re.Match[str] | None, megabyte: float, fields: dict[str, Any]
) -> Iterator[Found]:
    numbers = {name: parse_plain_number(cell) for name, cell in columns.items()}
    reads = numbers.get("read%")
    if reads is None or not numbers.get("rate"):
        yield Doubt(number, "unmeasured", "this run of vdbench did nothing, or its row is cut off")
        return
    operation = "mixed" if 0 < round(reads) < 100 else "read" if reads else "write"
    params = _params(columns, start) | ({"mix": str(round(reads))} if operation == "mixed" else {})
    is_files = "Read_rate" in columns
    for name, (of, figure) in (_OF_FILES if is_files else _OF_DISKS).items():
        rate_of = numbers.get(f"{name.partition('_')[0]}_rate") or numbers.get(f"{name[3:].title()}_rate")
        if name not in columns or (of and not is_files and operation != "mixed") or (is_files and not rate_of):
            continue
        if figure is _MB and megabyte == 1e6:
            figure = PrintedFigure("throughput", "MB/s", 1e6)
        if value := figure.of(of or operation).value(number, name, columns[name], params=params, **fields):
            yield value


def _params(columns: Mapping[str, str], start: re.Match[str] | None) -> dict[str, Any]:
    """What the run definition, its loops and the columns give."""
    part = columns.get("Run") or (start[1] if start else None)
    options = dict(_OPTION.findall((start[2] or "") if start else ""))
    limit = re.match(r"I/O rate: (\d{1,9})\b", (start[2] or "") if start else "")
    threads = options.pop("threads", columns.get("threads", ""))
    params: dict[str, Any] = {"part": part} if part else {}
    params |= open_params("vdbench", options | ({"iorate": limit[1]} if limit else {}))
    for name, cell in (("block_size", columns.get("bytes/io") or columns.get("Xfersize", "")), ("threads", threads)):
        if count := parse_plain_number(cell):
            params[name] = round(count)
    if (seeks := parse_plain_number(columns.get("seekpct", ""))) is not None:
        params["access"] = {0: "sequential", 100: "random"}.get(round(seeks), f"{seeks:g}% random")
    return params


PARSER = Parser(name="vdbench", version=1, anchor=Anchor(lazy(r"\bavg_\d+-\d+ |\bStarting RD="), "avg_0|starting rd="), parse=parse)
