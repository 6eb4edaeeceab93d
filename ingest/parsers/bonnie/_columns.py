"""What the CSV and the report of bonnie++ have in common: columns, cells, runs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ingest import units
from ingest.lazy_regex import lazy
from ingest.records import NO_PARAMS, Doubt, Value

TOOL = "bonnie++"
MAX_DEPENDS = 100  # lines of a long comparison that each of its runs tells to depend on

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
# What machines are called after as well: with a word of machines beside it (`nfs-worker1`) it names one.
_SERVED = lazy(
    r"zfs\w*|nfs\w*|smb\d?|cifs|gluster\w*|ceph\w*|beegfs|lustre|drbd|iscsi|disks?\d*|drives?\d*|tests?\d*|"
    r"bench(?:mark\w*|ing)?\d*"
)
_MACHINE = lazy(
    r"(?:adm|admin|bastion|box|client|cluster|compute|desktop|gateway|gw|head|host|laptop|login|machine|master|monitor|mgmt|nas"
    r"|node|notebook|osd|pc|server|srv|storage|store|vm|vps|web|worker|workstation)s?\d*"
)
_DOMAIN = lazy(  # endings that only whole names of hosts have
    r"[a-z][a-z0-9-]*(?:\.[a-z0-9-]+)*\.(?:com|net|org|edu|gov|mil|info|local|lan|localdomain|localnet|internal|intern|home|corp)"
)
_VERSION = lazy(r"(?:\A|[.-])\d+\.\d+(?:[.-]|\Z)")
_MARK = lazy(r"(?:#+|//+)\s*(?=\w)")
_PLUS = lazy(r"\+{3,}\Z")
VALUE_LIKE = lazy(r"(?:\d{1,15}(?:\.\d{1,6})?[kmgt]?|\+{3,})\Z")
LATENCY_LIKE = lazy(r"(?:\d{1,12}(?:ns|us|ms|s)|\+{3,})\Z")


@dataclass(slots=True)
class BonnieRun:
    """One execution of bonnie++ as one CSV line or one report shows it. `beside`: lines of the titles and rows it stands among."""

    line: int
    name: str
    version: str | None
    csv: bool
    params: dict[str, Any] = field(default_factory=dict)
    cells: list[Value] = field(default_factory=list)
    fast: list[tuple[int, str]] = field(default_factory=list)
    doubts: list[Doubt] = field(default_factory=list)
    depends: tuple[int, ...] = ()
    beside: tuple[list[int], ...] = ()
    last: int = 0
    hosts: bool = True
    name_line: int = 0

    def told(self) -> dict[str, tuple[str, int]]:
        """The host, where the machine's name can be one: bonnie++ prints that of uname unless -m gives a label."""
        return {"host": (self.name, self.name_line or self.line)} if self.hosts and is_host(self.name) else {}

    def rate(self, line: int, column: tuple[str, str, str, bool], raw: str, per_second: int) -> None:
        """Adds a throughput or rate; `per_second`: bytes that a number without suffix means (1024: K/sec)."""
        operation, short, long, is_bytes = column
        native = short if self.csv else long
        if not raw or (raw[0] == "+" and _PLUS.match(raw)):
            if raw:
                self.fast.append((line, native))
            return
        number, suffix = raw, ""
        if not (raw.isdecimal() and raw.isascii() and len(raw) < 16):
            found = _RATE.match(raw)
            if not found or (found[2] and per_second != 1):
                self.doubts.append(Doubt(line, "bad-number", f"{native}: {raw[:40]!r} is no number"))
                return
            number, suffix = found[1].replace(",", "."), found[2]
        factor = units.BONNIE_RATE[suffix] * per_second if is_bytes or suffix else 1
        unit = RATE_UNIT.get(per_second, "/sec") if is_bytes else "/sec"
        metric, base = METRICS[operation][0 if is_bytes else 1], "B/s" if is_bytes else "1/s"
        self._add(line, metric, native, float(number) * factor, base, raw, unit)

    def cpu(self, line: int, column: tuple[str, str, str, bool], raw: str) -> None:
        """Adds a %CP field."""
        native = column[1] + "_cpu" if self.csv else column[2] + " %CP"
        if not raw or (raw[0] == "+" and _PLUS.match(raw)):
            return
        if not _CPU.match(raw):
            self.doubts.append(Doubt(line, "bad-number", f"{native}: {raw[:40]!r} is no number"))
            return
        self._add(line, METRICS[column[0]][2], native, float(raw), "%", raw, "%")

    def latency(self, line: int, column: tuple[str, str, str, bool], raw: str) -> None:
        """Adds a latency such as `23450us`."""
        native = column[1] + "_latency" if self.csv else "Latency " + column[2]
        if not raw or (raw[0] == "+" and _PLUS.match(raw)):
            if raw:
                self.fast.append((line, native))
            return
        found = _LATENCY.match(raw)
        if not found:
            self.doubts.append(Doubt(line, "bad-number", f"{native}: {raw[:40]!r} is no latency"))
            return
        self._add(line, METRICS[column[0]][3], native, int(found[1]) / _PER_SECOND[found[2]], "s", raw, found[2])

    def _add(self, line: int, metric: str, native: str, value: float, unit: str, raw: str, raw_unit: str) -> None:
        self.cells.append(
            Value(line, TOOL, metric, native, value, unit, raw, raw_unit, self.line, None, "sample", self.params, NO_PARAMS)
        )

    def sizes(self, text: str) -> None:
        """Reads `8G`, `300M:64k`, `2G:64k:8192:5`: file size, chunk, seeks, seekers; 2.00 itself prints `2G:64k::8192`."""
        size, *rest = text.split(":")
        if len(rest) == 3 and not rest[1]:
            del rest[1]
        self.set("file_size", units.parse_bonnie_size(size))
        for key, part in zip(("chunk_size", "seeks", "seekers"), rest, strict=False):
            self.set(key, parse_size(part) if key == "chunk_size" else parse_count(part))

    def file_counts(self, text: str) -> None:
        """Reads `16`, `16:1000:100/10`, `16:max:min:dirs`, `64:1000:10/7:4096`: the first is in units of 1024 files."""
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
        """A field behind the number of files; links are told by a word in the place of the largest size (bonnie++.8, -n)."""
        if text in ("link", "symlink"):
            self.set("pattern", text)
        else:
            self.set(key, parse_count(text) if key == "dirs" else parse_size(text))

    def set(self, key: str, value: Any) -> None:
        """A parameter, where the output tells one."""
        if value is not None:
            self.params[key] = value

    def stands(self, *others: BonnieRun) -> tuple[int, ...]:
        """Every line that tells of the run and of the others that show it, which all of its values depend on."""
        if self.csv and not others:
            return self.depends
        lines = {0}
        for run in (self, *others):
            cells = (cell.line for cell in run.cells if isinstance(cell.line, int))
            lines.update((run.line, run.name_line), run.depends, *run.beside, cells)
        return tuple(sorted(lines - {0}))

    def values(self, twin: BonnieRun | None = None) -> Iterator[Value | Doubt]:
        """The run as records; `twin`: the run that shows the same figures better."""
        shown = {cell.metric: cell.line for cell in twin.cells} if twin else {}
        params = {**self.params, **twin.params} if twin else self.params
        told = (twin or self).told()
        depends = self.stands(*((twin,) if twin else ()))
        for cell in self.cells:
            cell.tool_version, cell.params, cell.depends, cell.printed_config = self.version, params, depends, told
            if twin:
                cell.same_as = shown.get(cell.metric)
        yield from self.cells
        yield from self.doubts
        if self.fast and twin is None:
            by_line: dict[int, list[str]] = {}
            for line, native in self.fast:
                by_line.setdefault(line, []).append(native)
            for line, names in by_line.items():
                yield Doubt(line, "too-fast", f"+++++ instead of a value: {', '.join(names)}")


def is_host(name: str) -> bool:
    """Whether a name can be that of a host (RFC 1123) and holds no word that speaks of storage or of the test.

    A number is that of one of several hosts (`ip-10-0-3-7`, `node-12`), but not in front (`4-disks`) nor in a version.
    """
    name = name.lower()
    words = re.split(r"[.-]", name)
    if not _HOST.fullmatch(name) or words[0].isdecimal() or _VERSION.search(name):
        return False
    if _DOMAIN.fullmatch(name):
        return True
    served = not any(_MACHINE.fullmatch(word) for word in words) and any(_SERVED.fullmatch(word) for word in words)
    return not served and not any(_LABEL.fullmatch(word) for word in words)


def step(cell: Value) -> float:
    """What the last printed digit of a value is worth, in its base unit."""
    shown = int("".join(c for c in cell.raw if c.isdecimal()) or 0)
    return abs(cell.value) / shown if shown else 0.0


def strip_comment_mark(name: str) -> str:
    """The name of a machine without the mark of the comment that its line stands in."""
    return _MARK.sub("", name)


def parse_count(text: str) -> int | None:
    """A plain integer, None where it is none."""
    return int(text) if re.fullmatch(r"\d{1,15}", text) else None


def parse_size(text: str) -> int | None:
    """Bytes of a chunk or file size: a bare number is bytes (bonnie++.8, -s size:chunk-size and -n number:max:min)."""
    found = re.fullmatch(r"(\d{1,15})([kKmMgG]?)", text)
    return int(found[1]) * {"": 1, "k": units.K, "m": units.M, "g": units.G}[found[2].lower()] if found else None


def is_same_run(report: BonnieRun, csv: BonnieRun) -> bool:
    """Whether a report shows the figures of a CSV line: machine, sizes, every shared value at printed precision."""
    if report.name and csv.name and not (csv.name.startswith(report.name) or report.name.startswith(csv.name)):
        return False
    if any(csv.params.get(key, value) != value for key, value in report.params.items() if key in ("file_size", "files")):
        return False
    other = {cell.metric: cell for cell in csv.cells}
    shared = [(cell, other[cell.metric]) for cell in report.cells if cell.metric in other]
    named = bool(report.name) or "file_size" in report.params  # of a report whose row is lost, what was too fast tells nothing
    return all(_same(a, b) for a, b in shared) and bool(shared or (named and report.fast and csv.fast))


def _same(a: Value, b: Value) -> bool:
    """Equal where both print the same digits, else within the last digit of the coarser."""
    fine, coarse = sorted((step(a), step(b)))
    slack = 1.01 * coarse if coarse > 1.5 * fine else 0.0
    return abs(a.value - b.value) <= slack + 1e-9 * abs(a.value)
