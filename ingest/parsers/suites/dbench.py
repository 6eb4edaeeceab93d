"""dbench: the throughput of a recorded load of a file server, as clients replay it.

    Throughput 492.324 MB/sec (sync open)  4 clients  4 procs  max_latency=35.936 ms

Version 3 prints `Throughput 240.9 MB/sec 4 procs`. tbench, which replays the network traffic of that load alone, prints the
same lines: they are no figures of storage.

Shapes of dbench (name | versions | units | traps):
    result | 3.0 to 4.0 | MB = 10^6 B, ms | tbench prints the same; rows of progress are no results

Source: dbench.c of 3.04 and 4.00: 1.0e-6 * total_bytes / t; options by dbench --help
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ingest.lazy_regex import lazy
from ingest.options import open_params
from ingest.parsers._figures import PrintedFigure, shown_options
from ingest.plugin_api import Anchor, Parser
from ingest.records import FAILED, Doubt, Found, MissingValue
from ingest.text.lines import Text

_NUMBER = r"(\d{1,9}(?:\.\d{1,6})?(?:e[+-]\d\d)?)"
_VERSION = lazy(r"^[\s>|]{0,16}dbench version (\d[\w.]{0,10})")
_LOAD = lazy(r"^[\s>|]{0,16}Running for (\d{1,6}) seconds with load '([^'\n]{1,200})' and minimum warmup (\d{1,6}) secs")
_RESULT = lazy(
    rf"^[\w\s>|:]{{0,24}}Throughput {_NUMBER} MB/sec((?: \(sync [a-z]{{1,5}}\)){{0,2}}) +(?:(\d{{1,6}}) clients +)?"
    rf"(\d{{1,6}}) procs(?: +max_latency=(?:{_NUMBER} ms)?|\s*$)"
)
_BEGUN = lazy(
    r"^[\s>|]{0,16}Throughput \d[\d.]{0,12} MB/sec(?: {1,2}\(sync [a-z]{1,5}\)?| {1,2}\d{1,6} {0,2}[clientsproc]{0,7}|\s*$)"
)
_LATENCIES = lazy(r"^[\s>|]{0,16}Operation +Count +AvgLat +MaxLat")
_TOOL = lazy(r"\bdbench\b(?! version)")
_THROUGHPUT, _LATENCY = PrintedFigure("mixed.throughput", "MB/sec", 1e6), PrintedFigure("mixed.latency", "ms", 1e-3, "max")


def parse(text: Text) -> Iterator[Found]:
    """The throughput and the greatest latency of every run."""
    version: str | None = None
    options, depends, begun = dict[str, str](), list[int](), 0
    for number, line in enumerate(text.lines, 1):
        if "dbench version" in line and (head := _VERSION.match(line)):
            version, options, depends, begun = head[1], {}, [number], number
        elif "minimum warmup" in line and (load := _LOAD.match(line)):
            options = {"timelimit": load[1], "loadfile": load[2].rpartition("/")[2], "warmup": load[3]}
            if int(load[3]) == int(load[1]) // 5:
                del options["warmup"]  # the default
            depends.append(number)
        elif "AvgLat" in line and _LATENCIES.match(line):
            yield Doubt(number, "unread", "the latencies of dbench's single operations, in ms, are not read")
        elif "Throughput" in line and (result := _RESULT.match(line)):
            yield from _values(text, number, result, {"version": version, "options": options, "depends": depends})
            version, options, depends, begun = None, {}, [], 0
        elif "Throughput" in line and _BEGUN.match(line):
            yield Doubt(number, "cut", "this line of dbench's result is cut off")
    if begun:
        yield Doubt(begun, "cut", "dbench began here; its result is missing")


def _values(text: Text, number: int, result: re.Match[str], run: dict[str, Any]) -> Iterator[Found]:
    command = text.command_for(number)
    words = command.text if command else text.body
    if "tbench" in words and not _TOOL.search(words):
        yield Doubt(number, "unread", "tbench measures the network, not storage")
        return
    throughput, syncs, clients, processes, latency = result.groups()
    shown = shown_options(text, number, "dbench")
    options = run["options"] | {f"sync-{word}": "1" for word in re.findall(r"\(sync (\w+)", syncs)}
    if clients and int(clients) > int(processes) > 0:
        options["clients-per-process"] = str(int(clients) // int(processes))
    params = {"processes": int(processes), **shown.params, **open_params("dbench", options)}
    depends = (*shown.depends, *run["depends"])
    fields = {"tool": "dbench", "tool_version": run["version"], "run": number, "params": params, "depends": depends}
    for figure, native, raw in ((_THROUGHPUT, "Throughput", throughput), (_LATENCY, "max_latency", latency)):
        value = figure.value(number, native, raw, **fields) if raw else None
        if value and float(throughput) == 0:
            yield MissingValue.instead_of(value, FAILED)
        elif value:
            yield value
    if float(throughput) == 0:
        yield Doubt(number, "failed-run", "dbench moved nothing")


PARSER = Parser(
    name="dbench",
    version=1,
    anchor=Anchor(lazy(r"\bThroughput \d[\d.]*|\bdbench version \d"), "throughput 0|dbench version"),
    parse=parse,
)
