"""DiskSpd: reads, writes or a mix of them on files and disks of Windows, as text and as XML.

    Read IO
    thread |       bytes     |     I/Os     |    MiB/s   |  I/O per s |  AvgLat  | LatStdDev |  file
    total:       83828801536 |      1279126 |    1332.13 |   21314.08 |    0.045 |     0.138

Older versions call MiB/s MB/s. XML has the bytes and operations of each thread and target, and the time they took.

Shapes of diskspd (name | versions | units | traps):
    text | 2.0 to 2.2 | MB and MiB = 2^20 B, ms | Total IO is recorded where reads and writes are mixed
    XML (-Rxml) | 2.0 to 2.2 | B, s, ms | rates are bytes and operations of all threads / TestTimeSeconds

Source: ResultParser.cpp and XmlResultParser.cpp of DiskSpd 2.2
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ingest.lazy_regex import lazy
from ingest.options import command_params, read_command
from ingest.parsers._figures import PrintedFigure
from ingest.plugin_api import Anchor, Parser
from ingest.records import Doubt, Found
from ingest.text.lines import Text

# A setting in either form has one name; of XML an underscore stands behind it.
_TOKEN = lazy(
    r"\bCommand Line: (?P<command>[^\n]{1,1000})|(?P<results><Results>)"
    r"|^[ \t]{0,16}(?:[$#>] ?|(?:PS )?[A-Z]:[^>\n]{0,200}> ?)?"
    r"(?P<command_>(?:[^\s>|]{0,200}[\\/])?(?i:diskspd)\d{0,2}(?:\.exe)? +-[^\n]{1,1000})"
    r"|\bblock size: (?P<block_size>\d{1,12}[KMGT]?)|<BlockSize>(?P<block_size_>\d{1,12})<"
    r"|outstanding I/O operations(?: per thread)?: (?P<iodepth>\d{1,6})|<RequestCount>(?P<iodepth_>[1-9]\d{0,5})<"
    r"|\bthread count:[ \t]{1,16}(?P<threads>\d{1,6})|<ThreadCount>(?P<threads_>[1-9]\d{0,5})<"
    r"|read/write ratio: \d{1,2}/(?P<mix>\d{1,2})\)|<WriteRatio>(?P<mix_>[1-9]\d?)<"
    r"|using (?P<access>random) I/O|\((?P<access_>\d{1,3}% random)\)|<(?P<access__>Random)>"
    r"|(?<!local )software cache (?P<direct>disabled)|<DisableOSCache>(?P<direct_>true)"
    r"|(?P<sync_mode>writethrough) on\b|<WriteThrough>(?P<sync_mode_>true)"
    r"|\bcomputer name: (?P<host>\S{1,60})|<ComputerName>(?P<host_>[^<\s]{1,60})<"
    r"|\bstart time: (?P<started_at>\d{4}/\d\d/\d\d \d\d:\d\d:\d\d) UTC"
    r"|<RunTime>(?P<started_at_>\d{4}/\d\d/\d\d \d\d:\d\d:\d\d) UTC|<Version>(?P<tool_version>\d[\w.]{1,12})<"
    r"|^[ \t>|]{0,16}(?P<section>Total|Read|Write) IO[ \t]*$|^[ \t>|]{0,16}thread \|(?P<titles>[^\n]{20,200})"
    r"|^[ \t>|]{0,16}total: +(?P<total>\d[\d .|N/A]{20,160})$"
    r"|^[ \t>|]{0,16}(?P<percentile>(?:min|max|\d\dth|\d-nines) *\|(?:[ \d.N/A]{4,16}\|){2}[ \d.]{4,16})$"
    r"|<TestTimeSeconds>(?P<seconds>\d{1,9}\.\d\d)<|<(?P<count>(?:Read|Write)(?:Bytes|Count)>\d{1,18})</"
    r"|<(?P<figure>(?:Average)?(?:Read|Write|Total)?(?:Milliseconds|LatencyStdev|IopsStdDev)>\d{1,9}\.\d{3})</"
    r"|<Percentile>(?P<bucket>[\d.]{1,14})<|(?P<end></TimeSpan>)",
    re.M,
)
_COLUMNS = {
    "MiB/s": PrintedFigure("throughput", "MiB/s", 2.0**20), "MB/s": PrintedFigure("throughput", "MiB/s", 2.0**20),
    "I/O per s": PrintedFigure("rate", "1/s"), "IopsStdDev": PrintedFigure("rate", "1/s", 1.0, "stddev"),
    "AvgLat": PrintedFigure("latency", "ms", 1e-3, "mean"), "LatStdDev": PrintedFigure("latency", "ms", 1e-3, "stddev"),
}  # fmt: skip
_LATENCY = _COLUMNS["AvgLat"]
_SIDES = ("Read", "Write", "Total")
_PERCENTILES = "0 25 50 75 90 95 99 99.9 99.99 99.999 99.9999 100".split()  # those of the text; XML has all
_FACTORS = {"K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


@dataclass(slots=True)
class _Run:
    """One execution. `figures`: direction, figure, line and that of its heading, name and text of each; `counts`: sums of XML."""

    fields: dict[str, Any] = field(default_factory=lambda: {"tool": "diskspd", "run": 0})
    params: dict[str, Any] = field(default_factory=dict)
    depends: list[int] = field(default_factory=list)
    figures: list[tuple[str, PrintedFigure, tuple[int, int], str, str]] = field(default_factory=list)
    heading: tuple[str, int] = ("", 0)
    titles: list[str] = field(default_factory=list)
    seconds: tuple[str, int] = ("", 0)
    counts: dict[str, int] = field(default_factory=dict)


def parse(text: Text) -> Iterator[Found]:
    """The totals of every run, by direction."""
    run = _Run()
    for token in _TOKEN.finditer(text.body):
        kind = token.lastgroup or ""
        raw, number = token[kind], text.line_at(token.start(kind))
        if kind in ("command", "command_", "results"):
            yield from _finish(run)
            params = _of_command(raw.strip()) if kind != "results" else {}
            run = _Run({"tool": "diskspd", "run": number}, params, [number])
        elif kind == "total" and not (run.heading[0] and len(run.titles) > raw.count("|") and "----" in text.lines[number - 2]):
            yield Doubt(number, "no-header", "totals of DiskSpd without Total IO, Read IO or Write IO and the titles above them")
        elif kind in ("section", "titles", "total", "percentile"):
            _read_table(run, kind, raw, number)
        elif kind in ("seconds", "count", "figure", "bucket"):
            _read_xml(run, kind, raw, number)
        elif kind == "end" and run.seconds[1]:
            yield from _finish(run)
            run.figures, run.counts, run.seconds = [], {}, ("", 0)
        elif kind != "end":
            _set(run, kind.rstrip("_"), raw, number)
    yield from _finish(run)


def _of_command(command: str) -> dict[str, Any]:
    """What the command gives; what the text prints of it replaces that."""
    words = re.sub(r"^\S*?(diskspd\S*)", "diskspd", command, flags=re.I)
    given, params = read_command("diskspd", words), dict[str, Any](command_params("diskspd", words))
    for name, option in (("iodepth", "-o"), ("threads", "-t"), ("block_size", "-b"), ("mix", "-w")):
        if number := re.fullmatch(r"(\d{1,9})([KMG]?)", given.get(option, "")):
            params[name] = int(number[1]) * _FACTORS.get(number[2], 1)
    if 0 < (writes := params.pop("mix", 0)) < 100:
        params["mix"] = str(100 - writes)
    if "-r" in given:
        params["access"] = f"{given['-r'][1:]}% random" if given["-r"].startswith("s") else "random"
    if {"h", "u"} & {*given.get("-S", "")} or "-h" in given:
        params["direct"] = "on"
    return params | {"command": command}


def _set(run: _Run, name: str, raw: str, number: int) -> None:
    """A setting."""
    run.depends.append(number)
    if name == "host":
        run.fields["printed_config"] = {"host": (raw, number)}
    elif name in ("started_at", "tool_version"):
        run.fields[name] = raw.replace("/", "-").replace(" ", "T") + "+00:00" * (name == "started_at")
    elif name == "block_size":
        run.params[name] = int(raw.rstrip("KMGT")) * _FACTORS.get(raw[-1], 1)
    elif name == "mix":
        run.params[name] = str(100 - int(raw))
    else:
        run.params[name] = int(raw) if raw.isdecimal() else {"direct": "on", "sync_mode": "writethrough"}.get(name, raw.lower())


def _read_table(run: _Run, kind: str, raw: str, number: int) -> None:
    """A line of a table of the text."""
    cells = [cell.strip() for cell in raw.split("|")]
    if kind == "section":
        run.heading, run.titles = (raw, number), []
    elif kind == "titles":
        run.titles = cells
    elif kind == "percentile":
        nines = ("p99." + "9" * (int(cells[0][0]) - 2)).rstrip(".") if "nines" in cells[0] else f"p{cells[0][:2]}"
        figure = _LATENCY._replace(stat=cells[0] if cells[0] in ("min", "max") else nines)
        run.figures += [(side, figure, (number, number), cells[0], cell) for side, cell in zip(_SIDES, cells[1:], strict=True)]
    else:
        (side, heading), run.heading = run.heading, ("", 0)
        for title, cell in zip(run.titles, cells, strict=False):
            if title in _COLUMNS and cells[1] != "0":
                run.figures.append((side, _COLUMNS[title], (number, heading), title, cell))


def _read_xml(run: _Run, kind: str, raw: str, number: int) -> None:
    """An element of the results of a time span; figures of single threads follow the first counts."""
    name, _, printed = raw.partition(">")
    side = next((one for one in _SIDES if one in name), "Total")
    if kind == "seconds":
        run.seconds = (raw, number)
    elif kind == "count":
        run.counts[name] = run.counts.get(name, 0) + int(printed)
        run.depends.append(number)
    elif kind == "bucket":
        run.heading = (raw.rstrip("0").rstrip(".") if "." in raw else raw, number)
    elif not run.counts and not name.endswith(f"{side}Milliseconds"):
        run.figures.append((side, _COLUMNS["IopsStdDev" if "Iops" in name else "LatStdDev"], (number, number), name, printed))
    elif not run.counts and (name.startswith("Average") or run.heading[0] in _PERCENTILES):
        stat = "mean" if name.startswith("Average") else {"0": "min", "100": "max"}.get(run.heading[0], f"p{run.heading[0]}")
        run.figures.append((side, _LATENCY._replace(stat=stat), (number, run.heading[1]), name, printed))
        run.heading = run.heading if side != "Total" else ("", 0)


def _finish(run: _Run) -> Iterator[Found]:
    """The values: those of a direction that did something, and those of both together where both did."""
    totals = {side: lines[0] for side, figure, lines, _, _ in run.figures if figure.metric == "throughput"}
    totals |= {name.removesuffix("Bytes"): run.seconds[1] for name, count in run.counts.items() if count}
    access = run.params.get("access", "")
    operations = {side: f"random_{side.lower()}" if access == "random" else side.lower() for side in ("Read", "Write")}
    if "mix" in run.params or {"Read", "Write"} <= totals.keys():
        operations["Total"] = "mixed"
    params = {name: value for name, value in run.params.items() if name != "access" or "%" in value}
    for side, figure, (number, heading), name, raw in run.figures:
        if side in operations and (side in totals or side == "Total"):
            depends = {*run.depends, heading, *(totals.values() if side == "Total" else ())}
            native = f"{side} {name}"
            if value := figure.of(operations[side]).value(number, native, raw, params=params, depends=tuple(depends), **run.fields):
                yield value
    params = params | {"computed": "all threads over TestTimeSeconds"}
    for name, count in run.counts.items() if float(run.seconds[0] or 0) else ():
        quantity, unit = ("throughput", "B") if name.endswith("Bytes") else ("rate", "I/Os")
        figure = PrintedFigure(f"{operations[name[:-5]]}.{quantity}", f"s for {count} {unit}")
        if count and (
            value := figure.value(run.seconds[1], name, run.seconds[0], params=params, depends=tuple(run.depends), **run.fields)
        ):
            value.value = count / value.value
            yield value
    if run.figures and not totals.keys() & {"Read", "Write"}:
        yield Doubt(run.figures[0][2][0], "no-header", "figures of DiskSpd without their totals of reads and writes")


PARSER = Parser(
    name="diskspd",
    version=1,
    anchor=Anchor(lazy(r"\bthread \| +bytes +\||<TestTimeSeconds>|\btotal: +\d+ +\|"), "thread |<testtime|total: "),
    parse=parse,
)
