"""The reports of sysstat's sar, mpstat and pidstat: their columns, by the one that names the subject.

Sources: sar(1), mpstat(1), pidstat(1); pr_stats.c, mpstat.c, pidstat.c of sysstat. kB and MB are powers of 1024; sectors and
blocks are 512 bytes; pages are of the machine's size, which is not printed, and so stay pages.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from ingest.lazy_regex import lazy
from ingest.points import PointColumn
from ingest.series._outputs import parse_columns
from ingest.series_catalogue import COUNTER_GROUPS

_CPU = (
    "%user=cpu.user %usr=cpu.user %nice=cpu.nice %system=cpu.system %sys=cpu.system %iowait=cpu.iowait %steal=cpu.steal "
    "%irq=cpu.irq %soft=cpu.softirq %guest=cpu.guest %gnice=cpu.guest_nice %idle=cpu.idle intr/s=interrupt.rate"
)
_SOFTNET = (
    "total/s=softnet.packet.rate dropd/s=softnet.drop.rate squeezd/s=softnet.squeeze.rate rx_rps/s=softnet.rps.rate "
    "flw_lim/s=softnet.flow_limit.rate blg_len=softnet.backlog"
)
_MEMORY = (
    "kbmemfree=memory.free*1024 kbavail=memory.available*1024 kbmemused=memory.used*1024 %memused=memory.used.share "
    "kbbuffers=memory.buffers*1024 kbcached=memory.cached*1024 kbcommit=memory.committed*1024 %commit=memory.committed.share "
    "kbactive=memory.active*1024 kbinact=memory.inactive*1024 kbdirty=memory.dirty*1024 kbanonpg=memory.anonymous*1024 "
    "kbslab=memory.slab*1024 kbkstack=memory.kernel_stack*1024 kbpgtbl=memory.page_tables*1024 kbvmused=memory.vmalloc*1024 "
    "kbmemshrd=memory.shared*1024 frmpg/s=memory.free.change.rate bufpg/s=memory.buffers.change.rate "
    "campg/s=memory.cached.change.rate"
)
_SWAP = (
    "kbswpfree=swap.free*1024 kbswpused=swap.used*1024 %swpused=swap.used.share kbswpcad=swap.cached*1024 "
    "%swpcad=swap.cached.share pswpin/s=swap.in.rate pswpout/s=swap.out.rate"
)
_HUGE = (
    "kbhugfree=memory.huge.free*1024 kbhugused=memory.huge.used*1024 %hugused=memory.huge.used.share "
    "kbhugrsvd=memory.huge.reserved*1024 kbhugsurp=memory.huge.surplus*1024"
)
_PAGING = (
    "pgpgin/s=paging.in.throughput*1024 pgpgout/s=paging.out.throughput*1024 fault/s=paging.fault.rate "
    "majflt/s=paging.fault.major.rate pgfree/s=paging.free.rate pgscank/s=paging.scan.kswapd.rate "
    "pgscand/s=paging.scan.direct.rate pgsteal/s=paging.steal.rate %vmeff=paging.reclaim.share pgprom/s=paging.promote.rate "
    "pgdem/s=paging.demote.rate"
)
_ALL_DISKS = (
    "tps=block.rate rtps=block.read.rate wtps=block.write.rate dtps=block.discard.rate bread/s=block.read.throughput*512 "
    "bwrtn/s=block.write.throughput*512 bdscd/s=block.discard.throughput*512"
)
_KERNEL = (
    "dentunusd=kernel.dentry.unused.count file-nr=kernel.file.count file-sz=kernel.file.count inode-nr=kernel.inode.count "
    "inode-sz=kernel.inode.count pty-nr=kernel.pty.count"
)
_QUEUE = (
    "runq-sz=process.running plist-sz=process.count ldavg-1=load.1 ldavg-5=load.5 ldavg-15=load.15 blocked=process.blocked "
    "proc/s=process.create.rate cswch/s=switch.rate"
)
_PRESSURE = " ".join(
    f"%{letter}{of}{'-' + span if span else ''}=pressure.{name}.{kind}{'.' + span if span else ''}"
    for of, name in (("cpu", "cpu"), ("io", "io"), ("mem", "memory"))
    for letter, kind in (("s", "some"), ("f", "full"))
    for span in ("10", "60", "300", "")
    if (of, letter) != ("cpu", "f")
)
_SOCKETS = (
    "totsck=socket.count tcpsck=socket.tcp.count udpsck=socket.udp.count rawsck=socket.raw.count ip-frag=socket.fragment.count "
    "tcp-tw=socket.tcp.time_wait.count"
)
_SOCKETS6 = "tcp6sck=socket6.tcp.count udp6sck=socket6.udp.count raw6sck=socket6.raw.count ip6-frag=socket6.fragment.count"
_DISK = (
    "tps=disk.rate rkB/s=disk.read.throughput*1024 wkB/s=disk.write.throughput*1024 dkB/s=disk.discard.throughput*1024 "
    "rMB/s=disk.read.throughput*1048576 wMB/s=disk.write.throughput*1048576 rd_sec/s=disk.read.throughput*512 "
    "wr_sec/s=disk.write.throughput*512 dc_sec/s=disk.discard.throughput*512 avgrq-sz=disk.request.size*512 "
    "areq-sz=disk.request.size*1024 avgqu-sz=disk.queue aqu-sz=disk.queue await=disk.latency/1000 "
    "svctm=disk.service.time/1000 %util=disk.util"
)
_NET = (
    "rxpck/s=net.receive.packet.rate txpck/s=net.transmit.packet.rate rxkB/s=net.receive.throughput*1024 "
    "txkB/s=net.transmit.throughput*1024 rxbyt/s=net.receive.throughput txbyt/s=net.transmit.throughput "
    "rxcmp/s=net.receive.compressed.rate txcmp/s=net.transmit.compressed.rate rxmcst/s=net.receive.multicast.rate "
    "%ifutil=net.util rxerr/s=net.receive.error.rate txerr/s=net.transmit.error.rate coll/s=net.collision.rate "
    "rxdrop/s=net.receive.drop.rate txdrop/s=net.transmit.drop.rate txcarr/s=net.transmit.carrier.rate "
    "rxfram/s=net.receive.frame.rate rxfifo/s=net.receive.fifo.rate txfifo/s=net.transmit.fifo.rate"
)
_FS = (
    "MBfsfree=fs.free*1048576 MBfsused=fs.used*1048576 %fsused=fs.used.share %ufsused=fs.used.unprivileged.share "
    "Ifree=fs.inode.free.count Iused=fs.inode.used.count %Iused=fs.inode.used.share"
)
_TTY = (
    "rcvin/s=tty.receive.rate xmtin/s=tty.transmit.rate framerr/s=tty.framing_error.rate prtyerr/s=tty.parity_error.rate "
    "brk/s=tty.break.rate ovrun/s=tty.overrun.rate"
)
_PROCESS = (
    "%usr=cpu.user %user=cpu.user %system=cpu.system %guest=cpu.guest %wait=cpu.wait %CPU=cpu.busy CPU=process.cpu.number "
    "minflt/s=paging.fault.minor.rate majflt/s=paging.fault.major.rate VSZ=memory.virtual*1024 RSS=memory.resident*1024 "
    "%MEM=process.memory.share kB_rd/s=process.read.throughput*1024 kB_wr/s=process.write.throughput*1024 "
    "kB_ccwr/s=process.write.cancelled.throughput*1024 cswch/s=process.switch.voluntary.rate "
    "nvcswch/s=process.switch.involuntary.rate StkSize=process.stack.size*1024 StkRef=process.stack.used*1024 "
    "threads=process.threads fd-nr=process.files iodelay=process.io.wait.time/100"
)
_FIBRE_CHANNEL = (
    "fch_rxf/s=fc.receive.rate fch_txf/s=fc.transmit.rate fch_rxw/s=fc.receive.word.rate fch_txw/s=fc.transmit.word.rate"
)
_SENSORS = (
    "rpm=sensor.fan drpm=sensor.fan.drop degC=sensor.temperature %temp=sensor.temperature.share inV=sensor.voltage "
    "%in=sensor.voltage.share"
)


def _counters(prefix: str) -> str:
    """The columns of a group of counters: the catalogue has them by their names."""
    return " ".join(f"{name}/s={prefix}.{name}.rate" for name in COUNTER_GROUPS[prefix][1].split())


# (columns that name the subject, columns of numbers). Of sections with the same subject the one with most of the columns.
_SECTIONS: tuple[tuple[str, str], ...] = (
    *(("CPU", text) for text in (_CPU, _SOFTNET, "MHz=cpu.frequency*1000000", "wghMHz=cpu.frequency.weighted*1000000")),
    ("NODE", _CPU), ("CORE", _CPU), ("INTR", "intr/s=interrupt.rate all=interrupt.rate"),
    *(("", text) for text in (_MEMORY + " " + _SWAP, _SWAP, _HUGE, _PAGING, _ALL_DISKS, _KERNEL, _QUEUE, _SOCKETS, _SOCKETS6)),
    ("", _PRESSURE), *(("", prefix) for prefix in COUNTER_GROUPS), ("DEV", _DISK), ("IFACE", _NET), ("FILESYSTEM", _FS),
    ("MOUNTPOINT", _FS), ("TTY", _TTY), ("FCHOST", _FIBRE_CHANNEL),
    *((f"{label} DEVICE", _SENSORS) for label in ("FAN", "TEMP", "IN")), ("PID Command", _PROCESS),
    ("TGID TID Command", _PROCESS),
)  # fmt: skip
_IGNORED = frozenset(("UID", "USER"))
_PART = lazy(r"(?:CPU\d{1,5}|[\w-]{1,20}/s)\Z")


class SysstatSection(NamedTuple):
    """The layout of a header: positions of the subject's cells, of the ignored ones, and of each column that is read."""

    names: tuple[str, ...]
    subjects: tuple[int, ...]
    columns: tuple[PointColumn, ...]
    positions: tuple[int, ...]
    unknown: tuple[str, ...]

    @property
    def has_trailing_name(self) -> bool:
        """Whether the subject stands at the end and may have blanks: a command, a file system."""
        return (
            bool(self.subjects)
            and self.subjects[-1] == len(self.names) - 1
            and self.names[-1] in ("Command", "FILESYSTEM", "DEVICE")
        )


@cache
def _known() -> dict[str, list[dict[str, PointColumn]]]:
    sections: dict[str, list[dict[str, PointColumn]]] = {}
    for subject, text in _SECTIONS:
        parsed = parse_columns(text if "=" in text else _counters(text))
        sections.setdefault(subject, []).append(parsed)
    return sections


@cache
def section_columns(name: str) -> dict[str, PointColumn]:
    """All columns of the section that has this one, or whose subject this is."""
    sections = _known()
    found = sections.get(name) or [next(columns for of_subject in sections.values() for columns in of_subject if name in columns)]
    return {key: column for columns in found for key, column in columns.items()}


@cache
def known_names() -> frozenset[str]:
    """Every name of a column or subject: a header has one of them."""
    names = {name for subject, sections in _known().items() for columns in sections for name in (*columns, *subject.split())}
    return (frozenset(names) | _IGNORED) - {"", "all"}  # the subject of most rows


def find_section(names: tuple[str, ...]) -> SysstatSection | None:
    """The layout of a header; None if it is none that these tools print."""
    best, best_columns, best_count = "", dict[str, PointColumn](), 0.0
    for subject, sections in _known().items():
        if not set(subject.split()) <= set(names):
            continue
        for columns in sections:
            count = sum(name in columns for name in names) + len(subject.split()) / 10
            if count > best_count and not (subject == "" and names[0] in ("CPU", "DEV", "IFACE")):
                best, best_columns, best_count = subject, columns, count
    if names[0] in ("CPU", "INTR") and best_count < 1:
        best, best_columns = names[0], {}
    elif best_count < 1:
        return None
    subjects = tuple(index for index, name in enumerate(names) if name in best.split())
    found, positions, unknown = list[PointColumn](), list[int](), list[str]()
    for index, name in enumerate(names):
        if index in subjects or name in _IGNORED:
            continue
        column = best_columns.get(name) or _part_column(names[0], name)
        if column is None:
            unknown.append(name)
        else:
            found.append(column)
            positions.append(index)
    return SysstatSection(names, subjects, tuple(found), tuple(positions), tuple(unknown))


def _part_column(first: str, name: str) -> PointColumn | None:
    """A column whose name is a part of the subject: a CPU of `INTR`, an interrupt or soft interrupt of `CPU`."""
    if not _PART.match(name):
        return None
    if first == "INTR":
        return PointColumn("interrupt.rate", name, suffix=name)
    if first == "CPU":
        part = name.removesuffix("/s")
        is_soft = re.fullmatch(r"HI|TIMER|NET_[TR]X|BLOCK|(?:IRQ|BLOCK_IO)_?POLL|TASKLET|SCHED|HRTIMER|RCU", part)
        return PointColumn("softirq.rate" if is_soft else "interrupt.rate", name, suffix=part)
    return None
