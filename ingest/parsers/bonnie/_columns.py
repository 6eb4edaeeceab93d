"""Columns, cells and runs, common to the CSV and the report of bonnie++."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from ingest import units
from ingest.lazy_regex import lazy
from ingest.options import command_params
from ingest.records import ABOVE, NO_PARAMS, TOO_FAST, Doubt, Found, MissingValue, Value

TOOL = "bonnie++"
MIN_TIME = 0.5  # s; what took less is printed as +++++ (MinTime in bonnie.h)
MAX_DEPENDS = 100  # lines of a long comparison that each of its runs depends on

# Operation, CSV name, name in the report (two header lines joined), and whether it counts bytes: the manual's order.
IO_COLUMNS = (
    ("write_char", "putc", "Sequential Output Per Chr", True),
    ("write", "put_block", "Sequential Output Block", True),
    ("rewrite", "rewrite", "Sequential Output Rewrite", True),
    ("read_char", "getc", "Sequential Input Per Chr", True),
    ("read", "get_block", "Sequential Input Block", True),
    ("seek", "seeks", "Random Seeks", False),
)
FILE_COLUMNS = (
    ("create_seq", "seq_create", "Sequential Create Create", False),
    ("stat_seq", "seq_stat", "Sequential Create Read", False),
    ("delete_seq", "seq_del", "Sequential Create Delete", False),
    ("create_rand", "ran_create", "Random Create Create", False),
    ("stat_rand", "ran_stat", "Random Create Read", False),
    ("delete_rand", "ran_del", "Random Create Delete", False),
)

_RATE = lazy(r"(\d{1,15}(?:\.\d{1,6}|,\d)?)([kmgt]?)\Z")  # a comma: a spreadsheet's of seeks, which have one decimal
_CPU = lazy(r"\d{1,7}(?:\.\d{1,3})?\Z")
_LATENCY = lazy(r"(\d{1,12})(ns|us|ms|s)\Z")
RATE_UNIT = {1024: "K/sec", 2**20: "M/sec"}
_PER_SECOND = {"ns": 1e9, "us": 1e6, "ms": 1e3, "s": 1.0}
METRICS = {c[0]: tuple(f"{c[0]}.{q}" for q in ("throughput", "rate", "cpu", "latency")) for c in IO_COLUMNS + FILE_COLUMNS}
_HOST = lazy(r"(?=.*[A-Za-z])[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})(?:\.[A-Za-z0-9-]{1,63}){0,8}")
_LABEL = lazy(
    r"ext[234]\w*|xfs|btrfs|ufs\d?|jfs|ntfs|reiser\w*|bcachefs|raid\w*|mirror\w*|strip\w*|ssd\w*|hdd\w*|nvme\w*|"
    r"sata\d?|sas\d?|usb\d?|e?mmc|md\d*|lvm\d?|luks\w*|crypt\w*|"
    r"lz4|lzjb|lzo|gzip\d?|zstd\d*|compress\w*|dedup\w*|atime|noatime|a?sync|cache\w*|"
    r"runs?\d*|baseline|default\w*|before|after|on|off|\d+[kmgt]i?b?"
)
# Words that machines are named after as well: with a word for machines (`nfs-worker1`) they name a host.
_SERVED = lazy(
    r"zfs\w*|nfs\w*|smb\d?|cifs|gluster\w*|ceph\w*|beegfs|lustre|drbd|iscsi|disks?\d*|drives?\d*|tests?\d*|"
    r"bench(?:mark\w*|ing)?\d*"
)
_MACHINE = lazy(
    r"(?:adm|admin|bastion|box|client|cluster|compute|desktop|gateway|gw|head|host|laptop|login|machine|master|monitor|mgmt|nas"
    r"|node|notebook|osd|pc|server|srv|storage|store|vm|vps|web|worker|workstation)s?\d*"
)
_DOMAIN = lazy(  # endings of full host names alone
    r"[a-z][a-z0-9-]*(?:\.[a-z0-9-]+)*\.(?:com|net|org|edu|gov|mil|info|local|lan|localdomain|localnet|internal|intern|home|corp)"
)
_VERSION = lazy(r"(?:\A|[.-])\d+\.\d+(?:[.-]|\Z)")
_MARK = lazy(r"(?:#+|//+)\s*(?=\w)")
_PLUS = lazy(r"\+{3,}\Z")
VALUE_LIKE = lazy(r"(?:\d{1,15}(?:\.\d{1,6})?[kmgt]?|\+{3,})\Z")
LATENCY_LIKE = lazy(r"(?:\d{1,12}(?:ns|us|ms|s)|\+{3,})\Z")


@dataclass(slots=True)
class BonnieRun:
    """One execution of bonnie++ in a CSV line or a report. `context_lines`: those of the titles and rows around it.

    `has_host`: the name may be that of a host. `too_fast`: the values that took too short a time to be measured.
    """

    line: int
    name: str
    version: str | None
    csv: bool
    params: dict[str, Any] = field(default_factory=dict)
    cells: list[Value] = field(default_factory=list)
    too_fast: list[MissingValue] = field(default_factory=list)
    doubts: list[Doubt] = field(default_factory=list)
    depends: tuple[int, ...] = ()
    context_lines: tuple[list[int], ...] = ()
    last: int = 0
    has_host: bool = True
    name_line: int = 0
    command: str = ""
    command_line: int = 0

    def configuration(self) -> dict[str, tuple[str, int]]:
        """The host, where the name of the machine can be one: it is that of uname unless -m set a label."""
        return {"host": (self.name, self.name_line or self.line)} if self.has_host and is_host(self.name) else {}

    def rate(self, line: int, column: tuple[str, str, str, bool], raw: str, per_second: int) -> None:
        """Add a throughput or rate; `per_second`: factor in bytes of a number without suffix (1024: K/sec)."""
        operation, short, long, is_bytes = column
        native = short if self.csv else long
        if not raw or (raw[0] == "+" and _PLUS.match(raw)):
            if raw:
                self.rate_too_fast(line, column, raw)
            return
        number, suffix = raw, ""
        if not (raw.isdecimal() and raw.isascii() and len(raw) < 16):
            found = _RATE.match(raw)
            if not found or (found[2] and per_second != 1):
                self.doubts.append(Doubt(line, "bad-number", f"{native}: {raw[:40]!r} is not a number"))
                return
            number, suffix = found[1].replace(",", "."), found[2]
        factor = units.BONNIE_RATE[suffix] * per_second if is_bytes or suffix else 1
        unit = RATE_UNIT.get(per_second, "/sec") if is_bytes else "/sec"
        metric, base = METRICS[operation][0 if is_bytes else 1], "B/s" if is_bytes else "1/s"
        self._add(line, metric, native, value=float(number) * factor, unit=base, raw=raw, raw_unit=unit)

    def rate_too_fast(self, line: int, column: tuple[str, str, str, bool], raw: str) -> None:
        """Add a throughput or rate that took less than `MIN_TIME`; `raw` as printed, since some pages have a 0."""
        operation, short, long, is_bytes = column
        metric, unit = METRICS[operation][0 if is_bytes else 1], "B/s" if is_bytes else "1/s"
        self._add_too_fast(line, metric, short if self.csv else long, unit, raw)

    def cpu(self, line: int, column: tuple[str, str, str, bool], raw: str) -> None:
        """Add a %CP field."""
        native = column[1] + "_cpu" if self.csv else column[2] + " %CP"
        if not raw or (raw[0] == "+" and _PLUS.match(raw)):
            if raw:
                self._add_too_fast(line, METRICS[column[0]][2], native, "%", raw)
            return
        if not _CPU.match(raw):
            self.doubts.append(Doubt(line, "bad-number", f"{native}: {raw[:40]!r} is not a number"))
            return
        self._add(line, METRICS[column[0]][2], native, value=float(raw), unit="%", raw=raw, raw_unit="%")

    def latency(self, line: int, column: tuple[str, str, str, bool], raw: str) -> None:
        """Add a latency such as `23450us`."""
        native = column[1] + "_latency" if self.csv else "Latency " + column[2]
        if not raw or (raw[0] == "+" and _PLUS.match(raw)):
            if raw:
                self._add_too_fast(line, METRICS[column[0]][3], native, "s", raw)
            return
        found = _LATENCY.match(raw)
        if not found:
            self.doubts.append(Doubt(line, "bad-number", f"{native}: {raw[:40]!r} is not a latency"))
            return
        seconds = int(found[1]) / _PER_SECOND[found[2]]
        self._add(line, METRICS[column[0]][3], native, value=seconds, unit="s", raw=raw, raw_unit=found[2])

    def _add(self, line: int, metric: str, native: str, *, value: float, unit: str, raw: str, raw_unit: str) -> None:
        self.cells.append(
            Value(
                line,
                TOOL,
                metric,
                native,
                value,
                unit,
                raw=raw,
                raw_unit=raw_unit,
                run=self.line,
                params=self.params,
                printed_config=NO_PARAMS,
            )
        )

    def _add_too_fast(self, line: int, metric: str, native: str, unit: str, raw: str) -> None:
        self.too_fast.append(MissingValue(line, TOOL, metric, native, unit, raw, run=self.line, reason=TOO_FAST))

    def sizes(self, text: str) -> None:
        """Read `8G`, `300M:64k`, `2G:64k:8192:5`: file size, chunk, seeks, seekers; 2.00 itself prints `2G:64k::8192`."""
        size, *rest = text.split(":")
        if len(rest) == 3 and not rest[1]:
            del rest[1]
        self.set("file_size", units.parse_bonnie_size(size))
        for key, part in zip(("chunk_size", "seeks", "seekers"), rest, strict=False):
            self.set(key, parse_size(part) if key == "chunk_size" else parse_count(part))

    def file_counts(self, text: str) -> None:
        """Read `16`, `16:1000:100/10`, `16:max:min:dirs`, `64:1000:10/7:4096`: the first is in units of 1024 files."""
        sizes, _, dirs = text.partition("/")
        number, *rest = sizes.split(":")
        if (files := parse_count(number)) is not None:
            self.set("files", files * 1024)
        for key, part in zip(("file_size_max", "file_size_min", "dirs"), rest, strict=False):
            self.file_shape(key, part)
        if dirs:
            folders, _, chunk = dirs.partition(":")
            self.set("dirs", parse_count(folders))
            self.set("file_chunk_size", parse_count(chunk))

    def file_shape(self, key: str, text: str) -> None:
        """Set a field after the number of files; `link` or `symlink` stands in place of the largest size (bonnie++.8, -n)."""
        if text in ("link", "symlink"):
            self.set("pattern", text)
        else:
            self.set(key, parse_count(text) if key == "dirs" else parse_size(text))

    def set(self, key: str, value: Any) -> None:
        """Set a parameter unless its value is None."""
        if value is not None:
            self.params[key] = value

    def lines(self, *others: BonnieRun) -> tuple[int, ...]:
        """The lines of the run and of the others that show it, which all of its values depend on."""
        if self.csv and not others:
            return tuple(dict.fromkeys((*self.depends, self.command_line))) if self.command_line else self.depends
        lines = {0, self.command_line}
        for run in (self, *others):
            cells = (cell.line for cell in run.cells if isinstance(cell.line, int))
            lines.update((run.line, run.name_line), run.depends, *run.context_lines, cells)
        return tuple(sorted(lines - {0}))

    def values(self, twin: BonnieRun | None = None) -> Iterator[Found]:
        """Values and warnings of the run; `twin`: a run with the same figures at higher precision."""
        shown = {cell.metric: cell.line for cell in twin.cells} if twin else {}
        params = {**self.params, **(twin.params if twin else {}), **self._options()}
        configuration = (twin or self).configuration()
        depends = self.lines(*((twin,) if twin else ()))
        for cell in self.cells:
            cell.tool_version, cell.params, cell.depends, cell.printed_config = self.version, params, depends, configuration
            if twin:
                cell.same_as = shown.get(cell.metric)
        yield from self.cells
        yield from self.doubts
        yield from self._too_fast(twin, shown, params, configuration)

    def _options(self) -> dict[str, str]:
        """The options that have no parameter of ours: of the command, and -f where the tests of single characters are left out."""
        options = dict(command_params(TOOL, self.command, self.version))
        metrics = {item.metric.partition(".")[0] for item in chain[Value | MissingValue](self.cells, self.too_fast)}
        if {"write", "rewrite", "read"} <= metrics and metrics.isdisjoint(("write_char", "read_char")) and not self._is_damaged():
            options["bonnie++.-f"] = "1"
        return {"command": self.command, **options} if self.command else options

    def _is_damaged(self) -> bool:
        return any(doubt.code in ("bad-number", "short-row", "cut") for doubt in self.doubts)

    def _too_fast(
        self,
        twin: BonnieRun | None,
        shown: Mapping[str, int | str],
        params: Mapping[str, Any],
        configuration: Mapping[str, tuple[str, int]],
    ) -> Iterator[MissingValue | Doubt]:
        """What was too fast, but for what the twin shows (`shown`: metric -> line); a warning about each line unless the twin has
        one."""
        twin_lines = {missing.metric: missing.line for missing in twin.too_fast} if twin else {}
        by_line: dict[int | str, list[str]] = {}
        for missing in self.too_fast:
            if missing.metric in shown:
                continue
            missing.tool_version, missing.params, missing.printed_config = self.version, params, configuration
            missing.same_as = twin_lines.get(missing.metric)
            amount = _amount(missing.metric, params)
            if amount is not None:
                missing.bound, missing.side = amount / MIN_TIME, ABOVE
            if missing.unit != "%":
                by_line.setdefault(missing.line, []).append(missing.native)
            yield missing
        for line, names in by_line.items() if twin is None else ():
            yield Doubt(line, "too-fast", f"+++++ instead of a value: {', '.join(names)}")


def _amount(metric: str, params: Mapping[str, Any]) -> int | None:
    """Bytes, files or seeks that bonnie++ divides by the time for this metric; None where the output does not tell."""
    operation, _, quantity = metric.partition(".")
    if quantity == "throughput":
        return params.get("file_size")
    if quantity == "rate":
        return params.get("seeks" if operation == "seek" else "files")
    return None


def is_host(name: str) -> bool:
    """Whether a name can be that of a host (RFC 1123) and has no word for storage or the test.

    Numbers of hosts are allowed (`ip-10-0-3-7`, `node-12`), but not in front (`4-disks`) nor as a version.
    """
    name = name.lower()
    words = re.split(r"[.-]", name)
    if not _HOST.fullmatch(name) or words[0].isdecimal() or _VERSION.search(name):
        return False
    if _DOMAIN.fullmatch(name):
        return True
    served = not any(_MACHINE.fullmatch(word) for word in words) and any(_SERVED.fullmatch(word) for word in words)
    return not served and not any(_LABEL.fullmatch(word) for word in words)


def _resolution(cell: Value) -> float:
    """The resolution of the printed value, in its base unit."""
    shown = int("".join(c for c in cell.raw if c.isdecimal()) or 0)
    return abs(cell.value) / shown if shown else 0.0


def strip_comment_mark(name: str) -> str:
    """The name of a machine without the mark of a comment before it."""
    return _MARK.sub("", name)


def parse_count(text: str) -> int | None:
    """A plain integer; None for another text."""
    return int(text) if re.fullmatch(r"\d{1,15}", text) else None


def parse_size(text: str) -> int | None:
    """Bytes of a chunk or file size: a number without suffix is in bytes (bonnie++.8, -s size:chunk-size, -n number:max:min)."""
    found = re.fullmatch(r"(\d{1,15})([kKmMgG]?)", text)
    return int(found[1]) * {"": 1, "k": units.K, "m": units.M, "g": units.G}[found[2].lower()] if found else None


def is_same_run(report: BonnieRun, csv: BonnieRun) -> bool:
    """Whether a report has the figures of a CSV line: machine, sizes, every shared value at printed precision."""
    if report.name and csv.name and not (csv.name.startswith(report.name) or report.name.startswith(csv.name)):
        return False
    if any(csv.params.get(key, value) != value for key, value in report.params.items() if key in ("file_size", "files")):
        return False
    other = {cell.metric: cell for cell in csv.cells}
    shared = [(cell, other[cell.metric]) for cell in report.cells if cell.metric in other]
    named = bool(report.name) or "file_size" in report.params  # without a row, cells that were too fast prove nothing
    return all(_same(a, b) for a, b in shared) and bool(shared or (named and report.too_fast and csv.too_fast))


def _same(a: Value, b: Value) -> bool:
    """Whether two values are equal, within the last digit of the coarser one where their digits differ."""
    fine, coarse = sorted((_resolution(a), _resolution(b)))
    slack = 1.01 * coarse if coarse > 1.5 * fine else 0.0
    return abs(a.value - b.value) <= slack + 1e-9 * abs(a.value)
