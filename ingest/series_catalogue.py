"""The metrics of series: numbers over time, as system statistics tools and logs of benchmarks print them.

Apart from `ingest.catalogue`, since they are no results of a benchmark and are never compared with any.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SeriesMetric:
    """Name, base unit (B/s, 1/s, s, B, 1, %) and label."""

    name: str
    unit: str
    label: str


_UNITS = {
    "throughput": "B/s", "rate": "1/s", "latency": "s", "time": "s", "size": "B", "amount": "B", "frequency": "1/s",
    "share": "%", "util": "%", "count": "1",
}  # fmt: skip
"""The unit of a name that ends so, unless its row gives one."""

# Name, unit where the last part of the name does not imply it, label.
_ROWS = """
cpu.user|%|CPU time in user code
cpu.nice|%|CPU time in user code of lowered priority
cpu.system|%|CPU time in the kernel
cpu.iowait|%|CPU idle while I/O was outstanding
cpu.steal|%|CPU time taken by the hypervisor
cpu.irq|%|CPU time in interrupts
cpu.softirq|%|CPU time in soft interrupts
cpu.guest|%|CPU time of virtual machines
cpu.guest_nice|%|CPU time of virtual machines of lowered priority
cpu.idle|%|CPU idle
cpu.busy|%|CPU not idle
cpu.wait|%|Waiting for a CPU
cpu.frequency||CPU clock
cpu.frequency.weighted|1/s|CPU clock, weighted
disk.read.throughput||Read throughput of a device
disk.write.throughput||Write throughput of a device
disk.discard.throughput||Discard throughput of a device
disk.throughput||Throughput of a device
disk.read.rate||Reads of a device
disk.write.rate||Writes of a device
disk.discard.rate||Discards of a device
disk.flush.rate||Flushes of a device
disk.rate||Transfers of a device
disk.read.merge.rate||Reads merged
disk.write.merge.rate||Writes merged
disk.discard.merge.rate||Discards merged
disk.merge.rate||Requests merged
disk.read.merge.share||Share of reads merged
disk.write.merge.share||Share of writes merged
disk.discard.merge.share||Share of discards merged
disk.read.latency||Time of a read
disk.write.latency||Time of a write
disk.discard.latency||Time of a discard
disk.flush.latency||Time of a flush
disk.other.latency||Time of other requests
disk.latency||Time of a request
disk.service.time||Service time of a request
disk.wait.time||Time of a request in the queue
disk.read.request.size||Size of a read
disk.write.request.size||Size of a write
disk.discard.request.size||Size of a discard
disk.request.size||Size of a request
disk.queue|1|Requests in flight
disk.queue.waiting|1|Requests waiting
disk.queue.active|1|Requests being served
disk.util||Share of time that a device was busy
disk.wait.share||Share of time in which requests waited
disk.read.amount||Read in the interval
disk.write.amount||Written in the interval
disk.discard.amount||Discarded in the interval
disk.error.soft.count||Soft errors
disk.error.hard.count||Hard errors
disk.error.transport.count||Transport errors
disk.error.count||Errors
disk.read.time.share||Share of time in reads
disk.write.time.share||Share of time in writes
block.read.throughput||Read from all block devices
block.write.throughput||Written to all block devices
block.discard.throughput||Discarded on all block devices
block.read.rate||Reads of all block devices
block.write.rate||Writes of all block devices
block.discard.rate||Discards of all block devices
block.rate||Transfers of all block devices
pool.allocated|B|Allocated in a pool or vdev
pool.free|B|Free in a pool or vdev
pool.read.wait.disk|s|Time of a read at the disk
pool.write.wait.disk|s|Time of a write at the disk
pool.read.wait.sync|s|Time of a read in the synchronous queue
pool.write.wait.sync|s|Time of a write in the synchronous queue
pool.read.wait.async|s|Time of a read in the asynchronous queue
pool.write.wait.async|s|Time of a write in the asynchronous queue
pool.wait.scrub|s|Time in the scrub queue
pool.wait.trim|s|Time in the trim queue
pool.wait.rebuild|s|Time in the rebuild queue
pool.read.sync.pending|1|Synchronous reads pending
pool.read.sync.active|1|Synchronous reads active
pool.write.sync.pending|1|Synchronous writes pending
pool.write.sync.active|1|Synchronous writes active
pool.read.async.pending|1|Asynchronous reads pending
pool.read.async.active|1|Asynchronous reads active
pool.write.async.pending|1|Asynchronous writes pending
pool.write.async.active|1|Asynchronous writes active
pool.scrub.pending|1|Scrub reads pending
pool.scrub.active|1|Scrub reads active
pool.trim.pending|1|Trims pending
pool.trim.active|1|Trims active
pool.rebuild.pending|1|Rebuild writes pending
pool.rebuild.active|1|Rebuild writes active
io.read.throughput||Read throughput of a job
io.write.throughput||Write throughput of a job
io.trim.throughput||Trim throughput of a job
io.read.rate||Reads of a job
io.write.rate||Writes of a job
io.trim.rate||Trims of a job
io.read.latency||Time of a read of a job
io.write.latency||Time of a write of a job
io.trim.latency||Time of a trim of a job
io.read.submission.latency||Time to submit a read
io.write.submission.latency||Time to submit a write
io.trim.submission.latency||Time to submit a trim
io.read.completion.latency||Time from submission to completion of a read
io.write.completion.latency||Time from submission to completion of a write
io.trim.completion.latency||Time from submission to completion of a trim
net.receive.throughput||Received
net.transmit.throughput||Transmitted
net.receive.packet.rate||Packets received
net.transmit.packet.rate||Packets transmitted
net.receive.compressed.rate||Compressed packets received
net.transmit.compressed.rate||Compressed packets transmitted
net.receive.multicast.rate||Multicast packets received
net.receive.error.rate||Receive errors
net.transmit.error.rate||Transmit errors
net.receive.drop.rate||Packets dropped on receipt
net.transmit.drop.rate||Packets dropped on transmission
net.collision.rate||Collisions
net.transmit.carrier.rate||Carrier errors
net.receive.frame.rate||Frame alignment errors
net.receive.fifo.rate||Receive overruns
net.transmit.fifo.rate||Transmit overruns
net.util||Use of an interface
memory.free|B|Memory free
memory.available|B|Memory available
memory.used|B|Memory used
memory.used.share||Share of memory used
memory.buffers|B|Memory in buffers
memory.cached|B|Memory in the page cache
memory.committed|B|Memory committed
memory.committed.share||Share of memory committed
memory.active|B|Memory active
memory.inactive|B|Memory inactive
memory.dirty|B|Memory waiting to be written
memory.anonymous|B|Anonymous memory
memory.slab|B|Memory of kernel slabs
memory.kernel_stack|B|Memory of kernel stacks
memory.page_tables|B|Memory of page tables
memory.vmalloc|B|Virtual memory of the kernel used
memory.virtual|B|Virtual memory
memory.resident|B|Resident memory
memory.free.change.rate||Pages freed
memory.buffers.change.rate||Pages of buffers added
memory.cached.change.rate||Pages of the cache added
memory.huge.free|B|Huge pages free
memory.huge.used|B|Huge pages used
memory.huge.used.share||Share of huge pages used
memory.huge.reserved|B|Huge pages reserved
memory.huge.surplus|B|Huge pages in surplus
memory.shared|B|Memory shared
memory.wired|B|Memory wired
memory.map|B|Memory mapped
swap.free|B|Swap free
swap.used|B|Swap used
swap.used.share||Share of swap used
swap.cached|B|Swap cached in memory
swap.cached.share||Share of used swap cached
swap.in.rate||Pages swapped in
swap.out.rate||Pages swapped out
swap.in.throughput||Swapped in
swap.out.throughput||Swapped out
paging.in.throughput||Paged in
paging.out.throughput||Paged out
paging.in.rate||Pages paged in
paging.out.rate||Pages paged out
paging.fault.rate||Page faults
paging.fault.major.rate||Page faults that needed a disk
paging.fault.minor.rate||Page faults that needed no disk
paging.free.rate||Pages freed
paging.free.throughput||Memory freed by paging
paging.scan.kswapd.rate||Pages scanned in the background
paging.scan.direct.rate||Pages scanned directly
paging.scan.rate||Pages scanned
paging.steal.rate||Pages reclaimed
paging.reclaim.rate||Pages reclaimed from the free list
paging.deficit|B|Anticipated shortfall of memory
paging.reclaim.share||Efficiency of page reclaim
paging.promote.rate||Pages promoted
paging.demote.rate||Pages demoted
process.create.rate||Processes created
process.count||Processes
process.running|1|Processes running or waiting for a CPU
process.blocked|1|Processes waiting for I/O
process.swapped|1|Processes swapped out
process.io.wait.time||Time of a process waiting for I/O
process.switch.voluntary.rate||Voluntary context switches
process.switch.involuntary.rate||Involuntary context switches
process.read.throughput||Read by a process
process.write.throughput||Written by a process
process.write.cancelled.throughput||Writes of a process that were cancelled
process.stack.size||Stack of a process
process.stack.used|B|Stack of a process used
process.threads|1|Threads of a process
process.files|1|Files open in a process
process.memory.share||Share of memory of a process
process.cpu.number|1|CPU that a process ran on
switch.rate||Context switches
interrupt.rate||Interrupts
trap.rate||Traps
syscall.rate||System calls
load.1|1|Load over 1 minute
load.5|1|Load over 5 minutes
load.15|1|Load over 15 minutes
kernel.dentry.unused.count||Unused directory entries in the cache
kernel.file.count||File handles in use
kernel.inode.count||Inodes in use
kernel.pty.count||Pseudo-terminals in use
softnet.packet.rate||Packets handled by a CPU
softnet.drop.rate||Packets dropped, queue full
softnet.squeeze.rate||Times that the budget ran out
softnet.rps.rate||Times that a CPU was woken for packets
softnet.flow_limit.rate||Times that the flow limit was reached
softnet.backlog|1|Packets in the backlog
softirq.rate||Soft interrupts
fs.free|B|Space free
fs.used|B|Space used
fs.used.share||Share of space used
fs.used.unprivileged.share||Share of space used, as users see it
fs.inode.free.count||Inodes free
fs.inode.used.count||Inodes used
fs.inode.used.share||Share of inodes used
pressure.cpu.some.10|%|Time with a task stalled on CPU, 10 s
pressure.cpu.some.60|%|Time with a task stalled on CPU, 60 s
pressure.cpu.some.300|%|Time with a task stalled on CPU, 300 s
pressure.cpu.some|%|Time with a task stalled on CPU
pressure.io.some.10|%|Time with a task stalled on I/O, 10 s
pressure.io.some.60|%|Time with a task stalled on I/O, 60 s
pressure.io.some.300|%|Time with a task stalled on I/O, 300 s
pressure.io.some|%|Time with a task stalled on I/O
pressure.io.full.10|%|Time with all tasks stalled on I/O, 10 s
pressure.io.full.60|%|Time with all tasks stalled on I/O, 60 s
pressure.io.full.300|%|Time with all tasks stalled on I/O, 300 s
pressure.io.full|%|Time with all tasks stalled on I/O
pressure.memory.some.10|%|Time with a task stalled on memory, 10 s
pressure.memory.some.60|%|Time with a task stalled on memory, 60 s
pressure.memory.some.300|%|Time with a task stalled on memory, 300 s
pressure.memory.some|%|Time with a task stalled on memory
pressure.memory.full.10|%|Time with all tasks stalled on memory, 10 s
pressure.memory.full.60|%|Time with all tasks stalled on memory, 60 s
pressure.memory.full.300|%|Time with all tasks stalled on memory, 300 s
pressure.memory.full|%|Time with all tasks stalled on memory
sensor.fan|1|Fan, revolutions a minute
sensor.fan.drop|1|Fan, revolutions a minute above its limit
sensor.temperature|1|Temperature in degrees Celsius
sensor.temperature.share||Temperature as a share of its limit
sensor.voltage|1|Voltage in volts
sensor.voltage.share||Voltage as a share of its range
tty.receive.rate||Characters received
tty.transmit.rate||Characters transmitted
tty.framing_error.rate||Frame errors
tty.parity_error.rate||Parity errors
tty.break.rate||Breaks
tty.overrun.rate||Overruns
socket.count||Sockets in use
socket.tcp.count||TCP sockets in use
socket.udp.count||UDP sockets in use
socket.raw.count||Raw sockets in use
socket.fragment.count||IP fragments in queue
socket.tcp.time_wait.count||TCP sockets in TIME_WAIT
socket6.tcp.count||TCP sockets of IPv6 in use
socket6.udp.count||UDP sockets of IPv6 in use
socket6.raw.count||Raw sockets of IPv6 in use
socket6.fragment.count||IPv6 fragments in queue
fc.receive.rate||Fibre Channel frames received
fc.transmit.rate||Fibre Channel frames transmitted
fc.receive.word.rate||Fibre Channel words received
fc.transmit.word.rate||Fibre Channel words transmitted
arc.read.rate||ARC: reads
arc.hit.rate||ARC: hits
arc.miss.rate||ARC: misses
arc.hit.share||ARC: share of hits
arc.miss.share||ARC: share of misses
arc.demand.read.rate||ARC, on demand: reads
arc.demand.hit.rate||ARC, on demand: hits
arc.demand.miss.rate||ARC, on demand: misses
arc.demand.hit.share||ARC, on demand: share of hits
arc.demand.miss.share||ARC, on demand: share of misses
arc.prefetch.read.rate||ARC, prefetch: reads
arc.prefetch.hit.rate||ARC, prefetch: hits
arc.prefetch.miss.rate||ARC, prefetch: misses
arc.prefetch.hit.share||ARC, prefetch: share of hits
arc.prefetch.miss.share||ARC, prefetch: share of misses
arc.metadata.read.rate||ARC, metadata: reads
arc.metadata.hit.rate||ARC, metadata: hits
arc.metadata.miss.rate||ARC, metadata: misses
arc.metadata.hit.share||ARC, metadata: share of hits
arc.metadata.miss.share||ARC, metadata: share of misses
arc.l2.read.rate||L2ARC: reads
arc.l2.hit.rate||L2ARC: hits
arc.l2.miss.rate||L2ARC: misses
arc.l2.hit.share||L2ARC: share of hits
arc.l2.miss.share||L2ARC: share of misses
arc.size||Size of the ARC
arc.target.size||Target size of the ARC
arc.available|B|Memory available to the ARC
arc.mfu.rate||Hits in the list of frequently used blocks
arc.mru.rate||Hits in the list of recently used blocks
arc.mfu.ghost.rate||Hits in the ghost list of frequently used blocks
arc.mru.ghost.rate||Hits in the ghost list of recently used blocks
arc.demand.data.read.rate||ARC, data on demand: reads
arc.demand.data.hit.share||ARC, data on demand: share of hits
arc.demand.metadata.read.rate||ARC, metadata on demand: reads
arc.demand.metadata.hit.share||ARC, metadata on demand: share of hits
arc.l2.size||Size of the L2ARC
arc.l2.allocated.size||Space that the L2ARC takes
arc.l2.read.throughput||Read from the L2ARC
perf.event.count||Events counted in the interval
perf.event.time||Time counted in the interval
nfs.mount.rate||Operations of an NFS mount
nfs.mount.read.rate||Reads of an NFS mount
nfs.mount.write.rate||Writes of an NFS mount
nfs.mount.read.throughput||Read throughput of an NFS mount
nfs.mount.write.throughput||Write throughput of an NFS mount
nfs.mount.read.request.size||Size of a read of an NFS mount
nfs.mount.write.request.size||Size of a write of an NFS mount
nfs.mount.read.round_trip.latency||Round trip of a read of an NFS mount
nfs.mount.write.round_trip.latency||Round trip of a write of an NFS mount
nfs.mount.read.latency||Time of a read of an NFS mount
nfs.mount.write.latency||Time of a write of an NFS mount
nfs.mount.read.queue.latency||Time of a read in the queue of an NFS mount
nfs.mount.write.queue.latency||Time of a write in the queue of an NFS mount
lock.contention.total|1|Lock contentions since the reset
lock.contention.bounce.total|1|Lock contentions from another CPU since the reset
lock.acquisition.total|1|Lock acquisitions since the reset
lock.acquisition.bounce.total|1|Lock acquisitions from another CPU since the reset
lock.wait.time||Time waited for a lock since the reset
lock.wait.least.time||Shortest wait for a lock since the reset
lock.wait.greatest.time||Longest wait for a lock since the reset
lock.wait.average.time||Mean wait for a lock since the reset
lock.hold.time||Time that a lock was held since the reset
lock.hold.least.time||Shortest hold of a lock since the reset
lock.hold.greatest.time||Longest hold of a lock since the reset
lock.hold.average.time||Mean hold of a lock since the reset
lock.spin.rate||Spins on a lock
lock.spin.count||Spins on a lock in the report
lock.spin.latency||Spins on a lock, mean time
lock.block.rate||Sleeps on a lock
lock.block.count||Sleeps on a lock in the report
lock.block.latency||Sleeps on a lock, mean time
lock.hold.rate||Holds of a lock
lock.hold.count||Holds of a lock in the report
lock.hold.latency||Holds of a lock, mean time
lock.event.rate||Events of a lock
lock.event.count||Events of a lock in the report
lock.event.latency||Events of a lock, mean time
nfs.operation.count||Calls of an NFS operation in the interval
nfs.operation.total|1|Calls of an NFS operation since boot
pool.read.wait.total.count||Reads by their time in all
pool.write.wait.total.count||Writes by their time in all
pool.read.wait.disk.count||Reads by their time at the disk
pool.write.wait.disk.count||Writes by their time at the disk
pool.read.wait.sync.count||Reads by their time in the synchronous queue
pool.write.wait.sync.count||Writes by their time in the synchronous queue
pool.read.wait.async.count||Reads by their time in the asynchronous queue
pool.write.wait.async.count||Writes by their time in the asynchronous queue
pool.wait.scrub.count||Requests by their time in the scrub queue
pool.wait.trim.count||Requests by their time in the trim queue
pool.wait.rebuild.count||Requests by their time in the rebuild queue
"""
# Counters of protocols per second: `PREFIX.NAME.rate`, where NAME is the tool's column without `/s`.
COUNTER_GROUPS = {
    "nfs": ("NFS client", "call retrans read write access getatt"),
    "nfsd": ("NFS server", "scall badcall packet udp tcp hit miss sread swrite saccess sgetatt"),
    "ip": ("IP", "irec fwddgm idel orq asmrq asmok fragok fragcrt"),
    "ip.error": ("IP errors", "ihdrerr iadrerr iukwnpr idisc odisc onort asmf fragf"),
    "icmp": ("ICMP", "imsg omsg iech iechr oech oechr itm itmr otm otmr iadrmk iadrmkr oadrmk oadrmkr"),
    "icmp.error": ("ICMP errors", "ierr oerr idstunr odstunr itmex otmex iparmpb oparmpb isrcq osrcq iredir oredir"),
    "tcp": ("TCP", "active passive iseg oseg"),
    "tcp.error": ("TCP errors", "atmptf estres retrans isegerr orsts"),
    "udp": ("UDP", "idgm odgm noport idgmerr"),
    "ip6": ("IPv6", "irec6 fwddgm6 idel6 orq6 asmrq6 asmok6 imcpck6 omcpck6 fragok6 fragcr6"),
    "ip6.error": ("IPv6 errors", "ihdrer6 iadrer6 iukwnp6 i2big6 idisc6 odisc6 inort6 onort6 asmf6 fragf6 itrpck6"),
    "icmp6": (
        "ICMPv6",
        "imsg6 omsg6 iech6 iechr6 oechr6 igmbq6 igmbr6 ogmbr6 igmbrd6 ogmbrd6 irtsol6 ortsol6 irtad6 inbsol6 onbsol6 inbad6 onbad6",
    ),
    "icmp6.error": ("ICMPv6 errors", "ierr6 idtunr6 odtunr6 itmex6 otmex6 iprmpb6 oprmpb6 iredir6 oredir6 ipck2b6 opck2b6"),
    "udp6": ("UDPv6", "idgm6 odgm6 noport6 idgmer6"),
}


def _rows() -> dict[str, SeriesMetric]:
    metrics = {}
    for row in filter(None, _ROWS.split("\n")):
        name, unit, label = row.split("|")
        metrics[name] = SeriesMetric(name, unit or _UNITS[name.rpartition(".")[2]], label)
    for prefix, (label, counters) in COUNTER_GROUPS.items():
        for counter in counters.split():
            name = f"{prefix}.{counter}.rate"
            metrics[name] = SeriesMetric(name, "1/s", f"{label}: {counter}")
    return metrics


SERIES_METRICS: dict[str, SeriesMetric] = _rows()
