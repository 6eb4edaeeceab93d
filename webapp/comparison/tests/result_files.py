"""Small result files as tools print them, for archives that are read as an upload is. Rates in MiB/s, sizes in MiB."""

from __future__ import annotations

from collections.abc import Sequence

MIB = 2**20
XEON, I5, EPYC = "Intel(R) Xeon(R) CPU E5-1620 v2 @ 3.70GHz", "Intel(R) Core(TM) i5-2500K CPU @ 3.30GHz", "AMD EPYC 7302P"
DEBIAN = "Linux {host} 6.1.0-13-amd64 #1 SMP PREEMPT_DYNAMIC Debian 6.1.55-1 (2023-09-29) x86_64 GNU/Linux"
FREEBSD = (
    "FreeBSD {host} 14.0-RELEASE FreeBSD 14.0-RELEASE #0 releng/14.0-n265380-f9716eee8ab4: Fri Nov 10 05:57:23 UTC 2023     "
    "root@releng1.nyi.freebsd.org:/usr/obj/usr/src/amd64.amd64/sys/GENERIC amd64"
)
OMNIOS = "SunOS {host} 5.11 omnios-r151046-1a7f1fb9b0 i86pc i386 i86pc illumos"


def shell(host: str, *commands: tuple[str, str]) -> str:
    """A terminal transcript of (command, output)."""
    return "".join(f"root@{host}:~# {command}\n{output.rstrip()}\n" for command, output in commands)


def system(host: str = "tank", cpu: str = XEON, memory: int = 1024, uname: str = DEBIAN) -> str:
    """What tells the system of a host: uname, lscpu, free -m."""
    return shell(
        host,
        ("uname -a", uname.format(host=host)),
        ("lscpu", f"Architecture:        x86_64\nCPU(s):              4\nModel name:          {cpu}\n"),
        (
            "free -m",
            "               total        used        free      shared  buff/cache   available\n"
            f"Mem:{memory:>16}         127         700           1         138         800\n",
        ),
    )


def bonnie(*runs: tuple[float | None, float | None], size: int = 8192, host: str = "tank", version: str = "1.98,2.00a") -> str:
    """A line of bonnie++'s CSV for each (block write, block read); None for `+++++`, faster than it can measure."""
    lines = []
    for write, read in runs:
        cells = [_bonnie_cells(write), _bonnie_cells(read)]
        lines.append(f"{version},{host},1,0,{size}M,,8192,5,,,{cells[0]},,,,,{cells[1]},212.4,4{',' * 29}\n")
    return "".join(lines)


def _bonnie_cells(rate: float | None) -> str:
    return "+++++,+++" if rate is None else f"{rate * 1024:.0f},9"


def bonnie_report(write: float, read: float, size: int = 8192, host: str = "tank") -> str:
    """The report for people, as bonnie++ 1.03 prints it, and the CSV line below."""
    kib = f"{write * 1024:.0f}", f"{read * 1024:.0f}"
    return (
        "Version  1.03       ------Sequential Output------ --Sequential Input- --Random-\n"
        "                    -Per Chr- --Block-- -Rewrite- -Per Chr- --Block-- --Seeks--\n"
        "Machine        Size K/sec %CP K/sec %CP K/sec %CP K/sec %CP K/sec %CP  /sec %CP\n"
        f"{host:<14}{size // 1024:>3}G {20123:>5}  66 {kib[0]:>5}  12 {15321:>5}   4 {21432:>5}  55 {kib[1]:>5}   5 188.3   0\n"
    )


def bonnie_103(write: float, read: float, size: int = 8192, host: str = "tank") -> str:
    """A CSV line of bonnie++ 1.03."""
    return f"{host},{size // 1024}G,20123,66,{write * 1024:.0f},12,15321,4,21432,55,{read * 1024:.0f},5,188.3,0,,,,,,,,,,,,,\n"


def dd(*rates: float, size: int = 8192, host: str = "tank", command: str = "dd if=/dev/urandom of=/tank/f bs=1M") -> str:
    """A terminal transcript of one dd for each rate."""
    return shell(host, *((f"{command} count={size}", dd_output(rate, size)) for rate in rates))


def dd_output(rate: float, size: int = 8192) -> str:
    amount = size * MIB
    return (
        f"{size}+0 records in\n{size}+0 records out\n{amount} bytes ({amount / 1e9:.1f} GB, {amount / 2**30:.1f} GiB) copied, "
        f"{size / rate:.4f} s, {_speed(rate * MIB)}\n"
    )


def _speed(rate: float) -> str:
    """As GNU dd prints it, in powers of 1000 with at least two digits."""
    unit, factor = next(pair for pair in (("GB/s", 1e9), ("MB/s", 1e6), ("kB/s", 1e3)) if rate >= pair[1])
    return f"{rate / factor:.1f} {unit}" if rate < 10 * factor else f"{rate / factor:.0f} {unit}"


def iozone(began: str, *writes: float, size: int = 8192, path: str = "/tank/iozone.tmp") -> str:
    """A run of iozone for each rate of writing, begun one after another; reading is twice as fast. `began`: `2026-11-02 09`."""
    day, hour = began.split()
    month = {"11": "Nov", "12": "Dec"}[day[5:7]]
    text = ""
    for at, write in enumerate(writes):
        text += (
            "\tIozone: Performance Test of File I/O\n\t        Version $Revision: 3.471 $\n\t\tCompiled for 64 bit mode.\n"
            f"\t\tBuild: linux-AMD64 \n\n\tRun began: Mon {month} {day[8:]} {hour}:{at * 5:02}:00 {day[:4]}\n\n"
            f"\tFile size set to {size * 1024} kB\n\tRecord Size 1024 kB\n"
            f"\tCommand line used: iozone -s {size}m -r 1m -i 0 -i 1 -f {path}\n\tOutput is in kBytes/sec\n"
            "                                                              random    random     bkwd    record    stride        \n"
            "              kB  reclen    write  rewrite    read    reread    read     write     read   rewrite      read   \n"
            f"{size * 1024:>16}    1024 {write * 1024:>8.0f} {write * 1000:>8.0f} {write * 2048:>8.0f} {write * 2000:>8.0f}\n\n"
            "iozone test complete.\n"
        )
    return text


def ior(began: str, writes: Sequence[float], reads: Sequence[float], path: str, host: str = "node01", block: int = 16384) -> str:
    """IOR's report of some repetitions. `began`: as `date` prints it."""
    rows = ""
    for at, (write, read) in enumerate(zip(writes, reads, strict=True)):
        for name, rate in (("write", write), ("read", read)):
            rows += f"{name:<9} {rate:<10.2f} {rate:<10.2f} 0.0024  {block * 1024}  1024.00  "
            rows += f"0.0001  1.0  0.0078  {block / rate:.4f}  {at}\n"
    return f"""IOR-4.0.0: MPI Coordinated Test of Parallel I/O
Began               : {began}
Command line        : ior -t 1m -b {block}m -i {len(writes)} -o {path}
Machine             : Linux {host}
TestID              : 0
StartTime           : {began}
Path                : {path}

Options:
api                 : POSIX
test filename       : {path}
access              : single-shared-file
type                : independent
segments            : 1
nodes               : 1
tasks               : 1
clients per node    : 1
repetitions         : {len(writes)}
xfersize            : 1 MiB
blocksize           : {block} MiB
aggregate filesize  : {block} MiB

Results:

access    bw(MiB/s)  IOPS       Latency(s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   close(s)   total(s)   iter
------    ---------  ----       ----------  ---------- ---------  --------   --------   --------   --------   ----
{rows}Finished            : {began}
"""


def rsync(*seconds: float, host: str = "tank", megabytes: int = 16000) -> str:
    """A transcript of `time rsync` for each number of seconds."""
    sent = megabytes * 10**6
    return shell(
        host,
        *(
            (
                "time rsync -a --stats /srv/src/ /tank/src/",
                f"\nNumber of files: 3,709 (reg: 3,060, dir: 283, link: 366)\nNumber of regular files transferred: 3,060\n"
                f"Total file size: {sent:,} bytes\nTotal transferred file size: {sent:,} bytes\n\n"
                f"sent {sent:,} bytes  received 61,025 bytes  {sent / time:,.2f} bytes/sec\n"
                f"total size is {sent:,}  speedup is 1.00\n\nreal\t{int(time // 60)}m{time % 60:.3f}s\n"
                "user\t0m9.090s\nsys\t0m5.744s\n",
            )
            for time in seconds
        ),
    )


def fdtree(create: int, remove: int, date: str = "Sat Nov 21 04:20:{:02} UTC 2026", path: str = "/tank/fdt") -> str:
    """fdtree's output; times in seconds for 5,850 files."""
    first, created, removed = date.format(0), date.format(create), date.format(create + remove)
    return f"""fdtree-1.0.2: starting at {path}/LEVEL0.vm.8238/
\tcreating/deleting 3 directory levels with 8 directories at each level
\tfor a total of 585 directories
\twith 10 files of size 8KiB per directory
\tfor a total of 5850 files and 46800KiB
{first}
{first}
DIRECTORY CREATE TIME IN, OUT, TOTAL = 0, 0, 0
\tDirectory creates per second =  0
{first}
{created}
FILE CREATE TIME IN, OUT, TOTAL      = 0, {create}, {create}
\tFile creates per second      =  {5850 // create}
\tKiB per second               =  {46800 // create}
{created}
{removed}
FILE REMOVE TIME IN, OUT, TOTAL      = {create}, {create + remove}, {remove}
\tFile removals per second     =  {5850 // remove if remove else 0}
"""


def mdtest(*creates: float, path: str = "/tank/mdt") -> str:
    """mdtest 3.3's summary of the rates of creating files, the highest, lowest and mean of three iterations."""
    highest, lowest, mean = creates
    return f"""-- started at 11/21/2026 04:39:10 --

mdtest-3.3.0 was launched with 2 total task(s) on 1 node(s)
Command line used: mdtest '-n' '500' '-i' '3' '-d' '{path}'
Path: /tank
FS: 3.9 GiB   Used FS: 2.5%   Inodes: 7.6 Mi   Used Inodes: 0.0%

Nodemap: 11
2 tasks, 1000 files/directories

SUMMARY rate: (of 3 iterations)
   Operation                      Max            Min           Mean        Std Dev
   ---------                      ---            ---           ----        -------
   File creation             :     {highest:>10.3f}     {lowest:>10.3f}     {mean:>10.3f}        122.445
-- finished at 11/21/2026 04:39:11 --
"""


def mount(device: str, options: str, fs: str = "ext4", path: str = "/tank", host: str = "tank") -> str:
    """A transcript of `mount`."""
    return shell(host, ("mount", f"{device} on {path} type {fs} ({options})\n"))


def zfs_get(host: str = "tank", pool: str = "tank", **properties: str) -> str:
    """`zfs get all`: value, or `value/local` where a person set it."""
    rows = ["NAME  PROPERTY              VALUE                  SOURCE"]
    for name, text in properties.items():
        value, _, source = text.partition("/")
        rows.append(f"{pool:<5} {name:<21} {value:<22} {source or 'default'}")
    return shell(host, (f"zfs get all {pool}", "\n".join(rows) + "\n"))
