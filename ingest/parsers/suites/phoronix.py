"""Phoronix Test Suite: composite.xml, the results of storage tests on one system or several.

    <Identifier>pts/fio-2.1.0</Identifier> ... <Scale>MB/s</Scale><Proportion>HIB</Proportion>
    <Entry><Identifier>name of the system</Identifier><Value>2011</Value><RawString>2010:2012:2011</RawString></Entry>

A test's profile says how its scale comes from what the benchmark prints; tests and scales without a line below are not read.

Shapes of Phoronix Test Suite (name | versions | units | traps):
    composite.xml | 5 to 10.8 | MB/s: MiB/s of fio, iozone and hdparm, 10^6 B/s of dbench; 1/s, s | repetitions are recorded,
        their mean only where they are missing

Source: results-definition.xml of the test profiles fio-2.1.0, iozone-1.9.6, hdparm-read-1.0.0, dbench, fs-mark, postmark
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import Any

from ingest.catalogue import LESS, METRICS
from ingest.lazy_regex import lazy
from ingest.numbers import parse_plain_number
from ingest.parsers._figures import PrintedFigure
from ingest.plugin_api import Anchor, Parser
from ingest.records import Doubt, Found
from ingest.text.lines import Text

_OF_RESULT = ("AppVersion", "Arguments", "Description", "Scale", "Proportion")
_TAG = lazy(
    r"<(?P<open>System|Result|Entry)>|(?P<close></Entry>)|<(?P<name>Identifier|Hardware|Software|AppVersion|Arguments|Description|Scale"
    r"|Proportion|Value|RawString)>(?P<text>[^<\n]{0,4000})</"
)
_PROFILE = lazy(r"(?:pts|system|local)/([a-z][a-z-]{1,40}?)(-\d[\d.]{0,12})\Z")
_OPERATION = lazy(r"\b(Random |Sequential )?(Read|Write)\b(?! (?:Cache|Ratio))")
_BLOCK = lazy(r"\b(Block|Record) Size: (\d{1,6}) ?([KM])i?B", re.I)
_MIB, _FACTORS = PrintedFigure("throughput", "MiB/s", 2.0**20), {"K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
_TESTS = {
    ("fio", "MB/s"): _MIB,  # what fio prints in KiB/s, below 10 MiB/s, is divided by 1000 (fio-2.1.0)
    ("fio", "IOPS"): PrintedFigure("rate", "IOPS"),
    ("iozone", "MB/s"): _MIB,  # kB/s / 1024 (iozone-1.9.6)
    ("hdparm-read", "MB/s"): _MIB.of("read"),  # as hdparm prints
    ("dbench", "MB/s"): PrintedFigure("mixed.throughput", "MB/s", 1e6),  # as dbench prints
    ("fs-mark", "Files/s"): PrintedFigure("file_create.rate", "1/s"),
    ("postmark", "TPS"): PrintedFigure("transaction.rate", "1/s"),
    ("sqlite", "Seconds"): PrintedFigure("transaction.elapsed", "s"),
    ("unpack-linux", "Seconds"): PrintedFigure("extract.elapsed", "s"),
}
_OLD_FIO = lazy(r"-(?:0|1\.(?:\d|1[0-3])(?!\d))")  # of other forms of output
_Tags = dict[str, tuple[str, int]]  # name -> text and line
_NO = ("", 0)
_FACTS = (
    ("cpu.model", lazy(r"\bProcessor: (?:\d x )?([^,@(]{3,80}?)(?: @ [\d.]+GHz)?(?: \(|,|\Z)")),
    ("cpu.cores", lazy(r"\bProcessor: [^,]{3,100}\((\d{1,4}) Cores?")),
    ("memory", lazy(r"\bMemory: ((?:\d{1,3} x )?\d{1,6} ?[MGT]B)")),
    ("disk.model", lazy(r"\bDisk: (?:\d{1,3} x )?[\d.]{1,8} ?[GT]B ([^,+]{3,60}?)(?:,|\Z)")),  # of several kinds it is unknown
    ("os.name", lazy(r"\bOS: ([A-Za-z][A-Za-z/! -]{1,40}?)(?: [\d.]+)?(?:,|\Z)")),
    ("os.version", lazy(r"\bOS: [^,\d]{2,40} (\d[\w.]{0,12})")),
    ("kernel", lazy(r"\bKernel: ([^\s,(]{3,80})")),
    ("arch", lazy(r"\bKernel: [^,(]{3,80} \((\w{3,12})\)")),
    ("fs.type", lazy(r"\bFile-System: ([a-z0-9]{2,16})\b")),
)


def parse(text: Text) -> Iterator[Found]:
    """Every repetition of every test that is read, with the hardware and software of its system."""
    systems = dict[str, _Tags]()
    system, result, entry = _Tags(), _Tags(), _Tags()
    scope = ""
    for tag in _TAG.finditer(text.body):
        number, name, content = text.line_at(tag.start()), tag["name"], unescape(tag["text"] or "").strip()
        if tag["open"]:
            scope, entry = tag["open"], {"open": ("", number)}
            system, result = (entry, result) if scope == "System" else (system, entry) if scope == "Result" else (system, result)
        elif tag["close"]:
            entry["close"] = ("", number)
            yield from _entry(result, entry, systems.get(entry.get("Identifier", _NO)[0], {}))
            scope, entry = "", {}
        elif scope == "Entry":
            entry[name] = (content, number)
        elif scope == "System":
            system = {} if name == "Identifier" and name in system else system
            system[name] = (content, number)
            systems[system.get("Identifier", _NO)[0]] = system
        elif scope == "Result" or name in _OF_RESULT:
            result = {**(result if scope else {}), name: (content, number)}  # below an entry another result has begun


def _facts(system: _Tags) -> Iterator[tuple[str, tuple[Any, int]]]:
    """What hardware and software of a system say."""
    for content, number in (system.get("Hardware", _NO), system.get("Software", _NO)):
        for key, pattern in _FACTS:
            if not (found := pattern.search(content)):
                continue
            value: Any = found[1].strip()
            if key == "memory":
                count, _, size = value.rpartition(" x ")
                value = int(count or 1) * int(size.rstrip("MGTB ")) * _FACTORS[size[-2]]
            yield key, (int(value) if key == "cpu.cores" else value, number)


def _entry(result: _Tags, entry: _Tags, system: _Tags) -> Iterator[Found]:
    """The repetitions of one test on one system; their mean, where they are not there."""
    (raws, raw_line), (printed, line) = entry.get("RawString", _NO), entry.get("Value", _NO)
    test, scale, description = (result.get(name, _NO)[0] for name in ("Identifier", "Scale", "Description"))
    profile, what = _PROFILE.match(test), _OPERATION.search(description)
    figure = _TESTS.get((profile[1], scale)) if profile else None
    is_known = figure and not (profile and profile[1] == "fio" and _OLD_FIO.match(profile[2])) and ("." in figure.metric or what)
    if not (figure and profile and is_known and printed and raw_line and "Identifier" in entry):
        if line or raw_line:
            yield Doubt(
                line or raw_line, "unread" if printed else "unmeasured", f"{test or '?'} in {scale or '?'} has no known figure here"
            )
        return
    if what and "." not in figure.metric:
        figure = figure.of(("random_" if what[1] == "Random " else "") + what[2].lower())
    if result.get("Proportion", _NO)[0] != ("LIB" if METRICS[figure.metric].better == LESS else "HIB"):
        yield Doubt(line, "disagree", f"{description}: the test says that the other direction is better; nothing was recorded")
        return
    params: dict[str, Any] = {"command": result.get("Arguments", _NO)[0], "pattern": description.partition(" - Disk Target:")[0]}
    if block := _BLOCK.search(description):
        params[f"{block[1].lower()}_size"] = int(block[2]) * _FACTORS[block[3].upper()]
    depends = tuple({number for tags in (result, entry, system) for _, number in tags.values()})
    version = result.get("AppVersion", (None, 0))[0]
    fields: dict[str, Any] = {"tool": f"pts/{profile[1]}", "tool_version": version, "params": params}
    fields |= {"depends": depends, "printed_config": dict(_facts(system))}
    for index, raw in enumerate(raws.split(":") if raws else [printed]):
        number = parse_plain_number(raw)
        if profile[1] == "fio" and figure.unit != "IOPS" and number is not None:
            figure = figure._replace(unit="1000 KiB/s" if number < 10 else "MiB/s", factor=1024e3 if number < 10 else 2.0**20)
        figure = figure._replace(stat="sample" if raws else "mean")
        if value := figure.value(raw_line if raws else line, description, raw, run=(line, index), **fields):
            yield value


PARSER = Parser(
    name="Phoronix Test Suite",
    version=1,
    anchor=Anchor(lazy(r"<PhoronixTestSuite>|<RawString>"), "<phoronixtestsuite>|<rawstring>"),
    parse=parse,
)
