"""iostat of sysstat: reports of CPU and devices, in all layouts of Linux.

Sources: iostat(1), iostat.c of sysstat. kB and MB are powers of 1024; Blk and sectors are 512 bytes; avgrq-sz is in sectors,
areq-sz in kB; await and svctm are milliseconds.

Shapes of iostat (name | versions | units | traps):
    reports with and without -x, -t, -k, -m, -p, -h, -s | sysstat 5 to 12 | kB is 1024 bytes, a block or sector 512; await and
        svctm ms | the first report is the average since boot unless -y was given; without -t or the command there are no times

Source: iostat(1), iostat.c of sysstat
"""

from __future__ import annotations

from collections.abc import Mapping

from ingest.lazy_regex import lazy
from ingest.plugin_api import NOT_OWN, OWN, SHARED, Anchor, SeriesContext, SeriesReader
from ingest.points import PointColumn
from ingest.series._clock import LETTERS, columns_of, parse_date, parse_stamp
from ingest.series._outputs import ReportReader, Reports, parse_columns
from ingest.series._sysstat_text import Banner, parse_banner

CPU_COLUMNS = "%user=cpu.user %nice=cpu.nice %system=cpu.system %sys=cpu.system %iowait=cpu.iowait %steal=cpu.steal %idle=cpu.idle"
DEVICE_COLUMNS = (
    "tps=disk.rate kB_read/s=disk.read.throughput*1024 kB_wrtn/s=disk.write.throughput*1024 "
    "kB_dscd/s=disk.discard.throughput*1024 MB_read/s=disk.read.throughput*1048576 MB_wrtn/s=disk.write.throughput*1048576 "
    "MB_dscd/s=disk.discard.throughput*1048576 Blk_read/s=disk.read.throughput*512 Blk_wrtn/s=disk.write.throughput*512 "
    "Blk_dscd/s=disk.discard.throughput*512 kB_read=disk.read.amount*1024 kB_wrtn=disk.write.amount*1024 "
    "kB_dscd=disk.discard.amount*1024 MB_read=disk.read.amount*1048576 MB_wrtn=disk.write.amount*1048576 "
    "MB_dscd=disk.discard.amount*1048576 Blk_read=disk.read.amount*512 Blk_wrtn=disk.write.amount*512 "
    "Blk_dscd=disk.discard.amount*512 rrqm/s=disk.read.merge.rate wrqm/s=disk.write.merge.rate drqm/s=disk.discard.merge.rate "
    "%rrqm=disk.read.merge.share %wrqm=disk.write.merge.share %drqm=disk.discard.merge.share r/s=disk.read.rate "
    "w/s=disk.write.rate d/s=disk.discard.rate f/s=disk.flush.rate rsec/s=disk.read.throughput*512 "
    "wsec/s=disk.write.throughput*512 dsec/s=disk.discard.throughput*512 rkB/s=disk.read.throughput*1024 "
    "wkB/s=disk.write.throughput*1024 dkB/s=disk.discard.throughput*1024 rMB/s=disk.read.throughput*1048576 "
    "wMB/s=disk.write.throughput*1048576 dMB/s=disk.discard.throughput*1048576 avgrq-sz=disk.request.size*512 "
    "areq-sz=disk.request.size*1024 rareq-sz=disk.read.request.size*1024 wareq-sz=disk.write.request.size*1024 "
    "dareq-sz=disk.discard.request.size*1024 avgqu-sz=disk.queue aqu-sz=disk.queue await=disk.latency/1000 "
    "r_await=disk.read.latency/1000 w_await=disk.write.latency/1000 d_await=disk.discard.latency/1000 "
    "f_await=disk.flush.latency/1000 svctm=disk.service.time/1000 %util=disk.util kB/s=disk.throughput*1024 "
    "MB/s=disk.throughput*1048576 sec/s=disk.throughput*512 rqm/s=disk.merge.rate %rqm=disk.read.merge.share"
)


class _Iostat(ReportReader):
    def __init__(self, context: SeriesContext) -> None:
        self._reports = Reports(context, "iostat")
        self._names: tuple[str, ...] = ()
        self._columns: tuple[PointColumn, ...] = ()
        self._positions: tuple[int, ...] = ()
        self._is_cpu = False
        self._device = ""  # on a line of its own, as -h of sysstat 9 to 11 prints it
        self._banner: Banner | None = None
        self._config: dict[str, tuple[object, int]] = {}

    def leave(self) -> None:
        self._names, self._device = (), ""

    def feed(self, line: str, number: int) -> int:
        words = line.split()
        first = words[0]
        if first == "avg-cpu:":
            return self._header(tuple(words[1:]), number, is_cpu=True)
        if first in ("Device", "Device:") or words[-1] == "Device":
            return self._header(tuple(words), number, is_cpu=False)
        if first == "Linux" and (banner := parse_banner(line, number)):
            self._names, self._banner, self._config = (), banner, dict(banner.printed_config)
            self._reports.end_output()
            return SHARED
        if self._device:
            words = self._with_device(line, words, number)
        if self._names and len(words) >= len(self._names) and (self._names[-1] == "Device" or _is_figure(words[-1])):
            return self._row(words, number)
        if (stamp := parse_stamp(line.strip())) is not None:
            if stamp.date is None and self._banner and not self._reports.is_begun:
                date = parse_date(self._banner.date, is_12_hour=not line.rstrip()[-1:].isdigit())
                stamp = stamp._replace(date=date, is_ambiguous=date is None)
            self._reports.take_stamp(stamp, number)
            self._names = ()
            return OWN if self._reports.is_begun else SHARED
        return self._other(words, number)

    def _with_device(self, line: str, words: list[str], number: int) -> list[str]:
        """The words of a row whose device stood on the line before."""
        device, self._device = self._device, ""
        if line[:1].isspace() and len(words) + 1 == len(self._names):
            return [device, *words]
        self._reports.doubt(number - 1, "short-row", f"1 cell below a header of {len(self._names)}")
        return words

    def _header(self, names: tuple[str, ...], number: int, *, is_cpu: bool) -> int:
        known = parse_columns(CPU_COLUMNS if is_cpu else DEVICE_COLUMNS)
        positions = _first_of_each_metric(names, known)
        if not positions or (len(names) > 1 and is_cpu and "%idle" not in names):
            return NOT_OWN
        self._reports.begin_report_of(names, number, self._config)
        unknown = [name for name in names if name not in known and name.rstrip(":") != "Device"]
        if unknown:
            self._reports.doubt(number, "unread", f"columns that are not known: {', '.join(unknown)[:200]}")
        self._names, self._positions, self._is_cpu = names, positions, is_cpu
        self._columns = tuple(known[names[index]] for index in positions)
        return OWN

    def _row(self, words: list[str], number: int) -> int:
        names = self._names
        if self._is_cpu:
            if len(words) != len(names) or not _is_figure(words[0]):
                return NOT_OWN
            subject = "all"
        else:
            more = len(words) - len(names)
            is_last = names[-1] == "Device"
            subject = " ".join(words[-1 - more :] if is_last else words[: more + 1])
            figures = words[: len(names) - 1] if is_last else words[more + 1 :]
            if more and sum(map(_is_figure, figures)) * 2 <= len(figures):
                self._names = ()  # prose below the last report
                return NOT_OWN
            words = [*figures, subject] if is_last else [subject, *figures]
            if more and any(map(_is_figure, subject.split())):
                self._reports.doubt(number, "long-row", f"{len(words) + more} cells below a header of {len(names)}")
                return OWN
        cells = [words[index] for index in self._positions]
        columns = columns_of(cells, self._columns)
        self._reports.add((names, subject), subject, columns, number, cells)
        if self._is_cpu:
            self._names = ()
        return OWN

    def _other(self, words: list[str], number: int) -> int:
        if not self._names or not self._reports.is_begun or self._is_cpu:
            return NOT_OWN
        if len(words) > 1 and sum(map(_is_figure, words)) * 2 > len(words):
            self._reports.doubt(number, "short-row", f"{len(words)} cells below a header of {len(self._names)}")
            return OWN
        if len(words) == 1 and self._names[0].startswith("Device"):
            self._device = words[0]
            return OWN
        self._names = ()
        return NOT_OWN


def _first_of_each_metric(names: tuple[str, ...], known: Mapping[str, PointColumn]) -> tuple[int, ...]:
    """Positions of the columns to read; sysstat 4 to 7 print sectors and kB of the same transfers."""
    seen: dict[str, int] = {}
    for index, name in enumerate(names):
        if name in known:
            seen.setdefault(known[name].metric, index)
    return tuple(seen.values())


def _is_figure(word: str) -> bool:
    return word[:1].isdigit() and word.rstrip(LETTERS).replace(".", "", 1).replace(",", "", 1).isdecimal()


SERIES = SeriesReader(
    "iostat", 2, Anchor(lazy(r"avg-cpu:|\bDevice:?[ \t]+\S*(?:tps|rrqm/s|r/s)|[ \t]Device[ \t]*$", 8), "avg-cpu:|device"), _Iostat
)
