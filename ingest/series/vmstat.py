"""vmstat of Linux (procps), FreeBSD and illumos.

Sources: vmstat(8) of procps-ng: memory in KiB unless -S, si and so of that unit a second, bi and bo KiB a second; vmstat(8) of
FreeBSD: avm and fre in KB, or with a suffix, pages a second; vmstat(8) of illumos: swap, free, pi, po, fr and de in KB.

Shapes of vmstat (name | versions | units | traps):
    procps with and without -t, -a, -w, -S | procps 2 to 4 | KiB where the command shows no -S | first row since boot
    FreeBSD | 7 to 14 | KB or with a suffix; pages a second | first row since boot
    illumos, Solaris | 10, 11, illumos | KB | first row since boot

Source: vmstat(8) of procps-ng, FreeBSD, illumos
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ingest.lazy_regex import lazy
from ingest.plugin_api import NOT_OWN, OWN, SHARED, Anchor, SeriesContext, SeriesReader
from ingest.points import Number, PointColumn, parse_number
from ingest.series._clock import ReportTime, parse_stamp
from ingest.series._outputs import ReportReader, Reports, parse_columns

_CPU = "us=cpu.user sy=cpu.system ni=cpu.nice id=cpu.idle wa=cpu.iowait wt=cpu.iowait st=cpu.steal gu=cpu.guest"
_LINUX = (
    "r=process.running b=process.blocked w=process.swapped swpd=swap.used*{unit} free=memory.free*{unit} "
    "buff=memory.buffers*{unit} cache=memory.cached*{unit} inact=memory.inactive*{unit} active=memory.active*{unit} "
    "si=swap.in.throughput*{unit} so=swap.out.throughput*{unit} bi=paging.in.throughput*1024 bo=paging.out.throughput*1024 "
    "in=interrupt.rate cs=switch.rate " + _CPU
)
_FREEBSD = (
    "r=process.running b=process.blocked w=process.swapped avm=memory.virtual*1024 fre=memory.free*1024 flt=paging.fault.rate "
    "re=paging.reclaim.rate pi=paging.in.rate po=paging.out.rate fr=paging.free.rate sr=paging.scan.rate in=interrupt.rate "
    "cs=switch.rate "
)
_ILLUMOS = (
    "r=process.running b=process.blocked w=process.swapped swap=swap.free*1024 free=memory.free*1024 "
    "re=paging.reclaim.rate mf=paging.fault.minor.rate pi=paging.in.throughput*1024 po=paging.out.throughput*1024 "
    "fr=paging.free.throughput*1024 de=paging.deficit*1024 sr=paging.scan.rate in=interrupt.rate cs=switch.rate "
)
_UNITS = {"k": 1000, "K": 1024, "m": 10**6, "M": 1 << 20}
_UNIT_OPTION = lazy(r"\s(?:-\w*S|--unit[ =])\s*([kKmM])\b")
_TITLES = lazy(r"\s{0,8}-{0,6}(?:procs|kthr)\b[-\s]*memory|\s{0,8}disk-|\s{0,8}procs\b")
_HUMAN = lazy(r"\d{1,12}(?:\.\d)?[BKMGTP]\Z")
_MIN_COLUMNS = 10
_MEMORY = ("free", "buff", "cache", "inact", "active")
_CERTAINLY_KIB = 1 << 20  # in MiB it would be a machine of 1 TiB


class _Layout(NamedTuple):
    """The columns of a header: of numbers, each with its subject and position, and how many cells a row has."""

    groups: tuple[tuple[str, tuple[PointColumn, ...], tuple[int, ...]], ...]
    width: int
    has_stamp: bool


def _parse_human(cell: str) -> Number | None:
    """`1.1G` in KB, the unit of the column; bare figures are KB."""
    if not _HUMAN.match(cell):
        return parse_number(cell)
    digits, decimals = parse_number(cell[:-1]) or (0, 0)
    power = "BKMGTP".index(cell[-1])
    if power == 0:
        return (digits, decimals) if digits == 0 else None
    return digits * 1024 ** (power - 1), decimals


class _Vmstat(ReportReader):
    def __init__(self, context: SeriesContext) -> None:
        self._reports = Reports(context, "vmstat", counted=("-c", "-n"))
        self._context = context
        self._layout: _Layout | None = None
        self._names: tuple[str, ...] = ()
        self._rows = 0  # below the last header
        self._unit_is_open = False  # of memory, as long as no command and no row shows it

    def leave(self) -> None:
        self._layout = None
        self._reports.end_output()

    def feed(self, line: str, number: int) -> int:
        words = line.split()
        if words[0] in ("r", "b") and len(words) >= _MIN_COLUMNS:
            return self._header(words, number)
        if _TITLES.match(line):
            return self._titles(words, number)
        if self._layout is None:
            if (stamp := parse_stamp(line.strip())) is not None:
                self._reports.take_stamp(stamp, number)
                return SHARED
            return NOT_OWN
        if words[0].isdecimal() or words[0] == "-":
            return self._row(self._layout, words, number)
        if (stamp := parse_stamp(line.strip())) is not None:
            self._reports.take_stamp(stamp, number)
            return OWN
        self._layout = None
        self._reports.end_output()
        return NOT_OWN

    def _titles(self, words: list[str], number: int) -> int:
        if words[0].startswith("disk-"):
            self._reports.doubt(number, "unread", "vmstat -d counts since boot: the totals of disks are not recorded")
            self._layout = None
        return OWN

    def _header(self, words: list[str], number: int) -> int:
        names = tuple(words)
        command = self._context.command(number)
        self._unit_is_open = False
        if "swpd" in names:
            unit = _UNIT_OPTION.search(f" {command}")
            self._unit_is_open = "vmstat" not in command
            layout = self._linux(names, _UNITS[unit[1]] if unit else 1024)
        elif "avm" in names and "fre" in names:
            layout = self._with_disks(names, _FREEBSD)
        elif "swap" in names and "mf" in names:
            layout = self._with_disks(names, _ILLUMOS)
        else:
            return NOT_OWN
        is_called_again = self._reports.has_stamp and (self._rows < 2 or not self._reports.has_own_stamp)  # `date; vmstat 1 2`
        if not self._reports.is_begun or names != self._names or is_called_again:
            self._reports.begin_output(number)
        self._rows = 0
        self._layout, self._names = layout, names
        return OWN

    @staticmethod
    def _linux(names: tuple[str, ...], unit: int) -> _Layout:
        known = parse_columns(_LINUX.format(unit=unit))
        has_stamp = names[-1] not in known
        zone = names[-1:] if has_stamp else ()
        names = names[: len(names) - len(zone)]
        positions = tuple(index for index, name in enumerate(names) if name in known)
        columns = tuple(known[names[index]] for index in positions)
        return _Layout((("", columns, positions),), len(names), has_stamp)

    @staticmethod
    def _with_disks(names: tuple[str, ...], text: str) -> _Layout:
        """Of BSD and illumos: disks between the paging columns and `in`; `sy` is system calls, then the system's share of CPU."""
        faults = names.index("in") if "in" in names else len(names)
        first_disk = names.index("sr") + 1 if "sr" in names else faults
        known, cpu = parse_columns(text), parse_columns(_CPU)
        columns, positions, disks = list[PointColumn](), list[int](), list[tuple[str, tuple[PointColumn, ...], tuple[int, ...]]]()
        for index, name in enumerate(names):
            if first_disk <= index < faults:
                disks.append((name, (PointColumn("disk.rate", name),), (index,)))
                continue
            column = known.get(name) if index < faults + 3 else cpu.get(name)
            if name == "sy" and index < faults + 3:
                column = PointColumn("syscall.rate", name)
            if column is not None:
                columns.append(column)
                positions.append(index)
        return _Layout((("", tuple(columns), tuple(positions)), *disks), len(names), False)

    def _row(self, layout: _Layout, words: list[str], number: int) -> int:
        count = layout.width
        stamp = None
        if layout.has_stamp and len(words) > count:
            stamp = parse_stamp(" ".join(words[count:]))
            if stamp is not None and self._names[-1] in ("UTC", "GMT"):
                stamp = ReportTime(stamp.date, stamp.seconds, "+00:00")
        if len(words) != count and stamp is None:
            if len(words) < _MIN_COLUMNS and not all(map(_is_figure, words)):
                return NOT_OWN
            code = "short-row" if len(words) < count else "long-row"
            self._reports.doubt(number, code, f"{len(words)} cells below a header of {count}")
            if not layout.has_stamp:
                self._reports.skip_report()
            return OWN
        if self._unit_is_open:
            self._unit_is_open = False
            layout = self._layout = self._with_certain_unit(layout, words, number)
        if stamp is not None:
            self._reports.take_stamp(stamp)
        self._rows += 1
        self._reports.begin_report(number)
        for subject, columns, positions in layout.groups:
            self._reports.add((self._names, subject), subject, columns, number, [words[index] for index in positions], _parse_human)
        return OWN

    def _with_certain_unit(self, layout: _Layout, words: list[str], number: int) -> _Layout:
        """Without the columns of memory where they may be KiB or MiB: no command shows the unit, and the figures are small."""
        columns = [name for name in self._names if name in _MEMORY]
        known = sum(int(word) for name, word in zip(self._names, words, strict=False) if name in columns and word.isdecimal())
        if known >= _CERTAINLY_KIB:
            return layout
        message = "The unit of memory is not shown, and so small figures may be MiB (-S M): memory and swap were not recorded."
        self._reports.doubt(number, "unknown-unit", message)
        ((subject, table, positions),) = layout.groups
        kept = [index for index, position in enumerate(positions) if self._names[position] not in (*_MEMORY, "swpd", "si", "so")]
        group = subject, tuple(table[index] for index in kept), tuple(positions[index] for index in kept)
        return layout._replace(groups=(group,))


def _is_figure(word: str) -> bool:
    return word[:1].isdigit()


SERIES = SeriesReader(
    "vmstat",
    2,
    Anchor(lazy(r"^[ \t]*r[ \t]+b[ \t]+(?:w[ \t]+)?(?:swpd|avm|swap)[ \t]|^disk-[ -]+reads", re.M), "disk-|swpd|avm|swap"),
    _Vmstat,
)
