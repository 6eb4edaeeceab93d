"""Archives that could mislead, and plain ones: small files as people upload them, each with a question."""

from __future__ import annotations

from dataclasses import dataclass, field

from webapp.comparison.tests.result_files import (
    DEBIAN,
    EPYC,
    FREEBSD,
    I5,
    OMNIOS,
    XEON,
    bonnie,
    bonnie_103,
    bonnie_report,
    dd,
    fdtree,
    ior,
    iozone,
    mdtest,
    mount,
    rsync,
    shell,
    system,
    zfs_get,
)

WRITE = "metric=write.throughput"
READ = "metric=read.throughput"
COMPRESSION = "x=compression&baseline=off"
SYSTEM = {"system.txt": system()}
IOZONE = iozone("2026-11-02 06", 100, 101, 99)
DISK_IMAGE = "NAME MODEL          SIZE TYPE MOUNTPOINT\nsda  QEMU HARDDISK  400G disk /tank\n"
OS_RELEASE = 'NAME="Debian GNU/Linux"\nVERSION_ID="12"\nID=debian\n'
PAPER = (
    "tool,tool_version,metric,value,unit,params.file_size,params.record_size,config.host,config.fs.type,config.pool.compression,"
    "source_note\n"
)
COLD_READ = "dd if=/tank/f of=/dev/null bs=1M"
DAYS = ("2026-11-02 09", "2026-11-03 14", "2026-11-06 20")


@dataclass(frozen=True)
class Case:
    """What is uploaded, and what is asked of these archives alone."""

    name: str
    archives: tuple[dict[str, str], ...]
    address: str
    stated: dict[str, str] = field(default_factory=dict)
    """Keys that the owner enters for the folder `b` on the review page."""


def labelled(**texts: str) -> dict[str, str]:
    """One file for each compression, named and labelled by it; SYSTEM beside them."""
    named = {name.replace("_", "-"): text for name, text in texts.items()}
    return SYSTEM | {f"zfs-{name}.csv": f"compression={name}\n{text}" for name, text in named.items()}


def around(rate: float, n: int = 3, spread: float = 0.01, reading: float = 2) -> list[tuple[float, float]]:
    """(write, read) of n runs that differ a little."""
    factors = (0.0, 1.0, -1.0, 0.4, -0.6, 0.8)
    return [(rate * (1 + spread * factors[at % 6]), reading * rate * (1 + spread * factors[(at + 1) % 6])) for at in range(n)]


def days(*rates: tuple[str, float], count: int = 3) -> dict[str, str]:
    """Three days, on each three runs of every compression, an hour apart at most from one to the next."""
    files = {}
    for at, day in enumerate(DAYS[:count]):
        for number, (setting, rate) in enumerate(rates):
            hour = int(day[11:]) + number
            values = [rate * (1 + 0.01 * at) * x for x in (1, 1.004, 0.997)]
            files[f"{day[:10]}/{setting}/zfs-{setting}.txt"] = iozone(f"{day[:10]} {hour:02}", *values)
    return files


MISLEADING = [
    Case(
        "2 GiB beside 256 MiB",
        (labelled(off=bonnie(*around(900), size=256), lz4=bonnie(*around(110), size=2048), gzip_6=bonnie(*around(60), size=2048)),),
        f"{WRITE}&x=compression",
    ),
    Case(
        "an axis without a named workload",
        (
            labelled(
                off=bonnie(*around(100), size=2048) + bonnie(*around(900, 6), size=256),
                lz4=bonnie(*around(110), size=2048) + dd(*(800, 801, 803, 799)),
            ),
        ),
        "x=compression",
    ),
    Case(
        "one CPU spelt twice",
        (
            {"a/system.txt": system("alpha"), "a/alpha.csv": bonnie(*around(100), host="alpha")}
            | {"b/system.txt": system("beta", "Xeon E5-1620 v2"), "b/beta.csv": bonnie(*around(150), host="beta")},
        ),
        f"{WRITE}&x=cpu",
    ),
    Case(
        "two of three runs too fast to measure",
        (labelled(off=bonnie(*around(100)), lz4=bonnie((100, 2900), (101, None), (102, None))),),
        f"{READ}&{COMPRESSION}",
    ),
    Case(
        "two machines of which nothing is known",
        ({"zfs-off.csv": bonnie(*around(100), host="alpha"), "zfs-lz4.csv": bonnie(*around(150), host="beta")},),
        f"{WRITE}&{COMPRESSION}",
    ),
    Case(
        "three reads of a cached file",
        (
            {
                "system.txt": system(memory=16384),
                "zfs-off.txt": dd(2000, 2010, 1990, size=256, command="dd if=/tank/f of=/dev/null bs=1M"),
                "zfs-lz4.txt": dd(4000, 4030, 3990, size=256, command="dd if=/tank/f of=/dev/null bs=1M"),
            },
        ),
        f"{READ}&{COMPRESSION}",
    ),
    Case(
        "six runs at 20 and six at 900, hours apart",
        (
            SYSTEM
            | {
                "morning/zfs-lz4.txt": iozone("2026-11-02 06", 20, 21, 20, 19, 20, 21),
                "evening/zfs-lz4.txt": iozone("2026-11-02 20", 900, 910, 905, 890, 903, 911),
            },
        ),
        f"{WRITE}&x=compression",
    ),
    Case(
        "29 times slower in every run, but few runs",
        (labelled(off=bonnie(*around(290)), gzip_9=bonnie((10, 290), (10.1, 291))),),
        f"{WRITE}&{COMPRESSION}",
    ),
    Case(
        "29 times slower in every run, three each",
        (SYSTEM | {"zfs-off.txt": dd(290, 291, 289), "zfs-gzip-9.txt": dd(10, 10.1, 10.05)},),
        f"{WRITE}&{COMPRESSION}",
    ),
    Case(
        "three repetitions of one session",
        (labelled(off=bonnie(*around(100)), lz4=bonnie(*around(120))),),
        f"{WRITE}&{COMPRESSION}",
    ),
    *(
        Case(
            f"Simpson's paradox over hosts{name}",
            (
                {
                    f"{host}/{path}": text
                    for host, cpu, off, lz4 in (
                        ("alpha", XEON, around(330), around(300, 6)),
                        ("beta", I5, around(55, 6), around(50)),
                    )
                    for path, text in (
                        ("system.txt", system(host, cpu)),
                        ("zfs-off.csv", bonnie(*off, host=host)),
                        ("zfs-lz4.csv", bonnie(*lz4, host=host)),
                    )
                },
            ),
            f"{WRITE}&{COMPRESSION}{query}",
        )
        for name, query in (("", ""), (", each by itself", "&series=host"))
    ),
    Case(
        "unlike sizes in two archives",
        (labelled(off=bonnie(*around(100), size=8192)), labelled(lz4=bonnie(*around(200), size=2048))),
        f"{WRITE}&{COMPRESSION}",
    ),
    Case(
        "an outlier session",
        (
            SYSTEM
            | {f"{day[:10]}/zfs-off.txt": iozone(day, *(100 + 0.3 * at + x for x in (0, 1, -1))) for at, day in enumerate(DAYS)}
            | {
                f"{day[:10]}/zfs-lz4.txt": iozone(day[:11] + f"{int(day[11:]) + 1:02}", *(rate * x for x in (1, 1.01, 0.99)))
                for day, rate in zip(DAYS, (120, 121, 12), strict=True)
            },
        ),
        f"{WRITE}&{COMPRESSION}",
    ),
    Case(
        "each side on a day of its own",
        (
            SYSTEM
            | {
                "monday/zfs-off.txt": iozone("2026-11-02 09", 100, 101, 99),
                "tuesday/zfs-lz4.txt": iozone("2026-11-03 09", 130, 131, 129),
            },
        ),
        f"{WRITE}&{COMPRESSION}",
    ),
    *(
        Case(
            name,
            (SYSTEM | {"zfs-off.txt": dd(100, 101, 400), "zfs-lz4.txt": dd(200, 201, 199)},),
            f"{WRITE}&{COMPRESSION}&{query}",
        )
        for name, query in (
            ("a mean that one run makes", "stat=mean"),
            ("a median of three", "stat=median"),
            ("uncontrolled on request", "control=off"),
        )
    ),
    Case(
        "sizes pooled that each side has alone",
        (SYSTEM | {"zfs-off.txt": dd(100, 101, 99), "zfs-lz4.txt": dd(200, 201, 199, size=4096)},),
        f"{WRITE}&{COMPRESSION}&pool=file_size",
    ),
    Case(
        "sizes pooled that both sides have",
        (
            SYSTEM
            | {
                f"zfs-{setting}.txt": dd(rate, rate + 1, rate - 1) + dd(3 * rate, 3 * rate + 1, 3 * rate - 1, size=4096)
                for setting, rate in (("off", 100), ("lz4", 200))
            },
        ),
        f"{WRITE}&{COMPRESSION}&pool=file_size",
    ),
    Case(
        "atime off under one system only",
        (
            {
                "linux/log.txt": system() + shell("tank", ("zfs set atime=off tank", "")) + dd(130, 131, 129),
                "freebsd/log.txt": system(uname=FREEBSD) + shell("tank", ("zfs set atime=on tank", "")) + dd(100, 101, 99),
                "linux/os-release": OS_RELEASE,
            },
        ),
        f"{WRITE}&x=os",
    ),
    Case(
        "systems that uname alone names",
        (
            {
                "blog.txt": "".join(
                    system("laptop", I5, uname=uname) + dd(*rates, host="laptop")
                    for uname, rates in ((DEBIAN, (100, 101, 99)), (FREEBSD, (120, 121, 122)))
                )
            },
        ),
        f"{WRITE}&x=os_family&baseline=Linux",
    ),
    Case(
        "kB/s beside MB/s",
        (
            SYSTEM
            | {
                "zfs-off.txt": dd(0.9, 0.91, 0.89),
                "zfs-lz4.txt": dd(9.1, 9.0, 9.2),
            },
        ),
        f"{WRITE}&{COMPRESSION}",
    ),
    Case(
        "the same file twice",
        (
            labelled(off=bonnie(*around(100)), lz4=bonnie((120, 240)))
            | {
                "copy/zfs-lz4.csv": "compression=lz4\n" + bonnie((120, 240)),
                "zfs-lz4 (1).csv": "compression=lz4\n" + bonnie((120, 240)),
            },
        ),
        f"{WRITE}&{COMPRESSION}",
    ),
    Case(
        "the report beside its CSV line",
        (
            SYSTEM
            | {
                "zfs-off.txt": bonnie_report(100, 200) + bonnie_103(100, 200),
                "zfs-lz4.txt": bonnie_report(120, 220) + bonnie_103(120, 220),
            },
        ),
        f"{WRITE}&{COMPRESSION}",
    ),
    Case(
        "zeros written by dd",
        (
            SYSTEM
            | {
                f"zfs-{setting}.txt": dd(*rates, command="dd if=/dev/zero of=/tank/f bs=1M")
                for setting, rates in (("off", (100, 101, 99)), ("lz4", (3000, 3010, 2990)))
            },
        ),
        f"{WRITE}&{COMPRESSION}",
    ),
    Case(
        "less data than memory",
        ({"system.txt": system(memory=16384)} | {f"zfs-{c}.csv": bonnie(*around(r)) for c, r in (("off", 900), ("lz4", 1800))},),
        f"{WRITE}&{COMPRESSION}",
    ),
    *(
        Case(
            f"less data than memory, read {name}",
            (
                {"system.txt": system(memory=16384)}
                | {
                    f"{fs}.txt": mount("/dev/sda1", "rw,relatime", fs)
                    + "".join(f"root@tank:~# {done}\n" + dd(rate + run, command=COLD_READ) for run in range(3))
                    for fs, rate in (("ext4", 100), ("xfs", 200))
                },
            ),
            f"{READ}&x=fs&baseline=ext4",
        )
        for name, done in (("after caches were dropped", "sync; echo 3 > /proc/sys/vm/drop_caches"), ("at once", "sync"))
    ),
    Case(
        "memory unknown",
        ({f"zfs-{c}.csv": bonnie(*around(r)) for c, r in (("off", 100), ("lz4", 180))},),
        f"{WRITE}&{COMPRESSION}",
    ),
    Case(
        "every value beyond what can be measured",
        (labelled(off=bonnie(*[(100, None)] * 4), lz4=bonnie(*[(101, None)] * 4)),),
        f"{READ}&{COMPRESSION}",
    ),
    Case(
        "one side beyond what can be measured",
        (labelled(off=bonnie(*around(100, 4)), lz4=bonnie(*[(101, None)] * 4)),),
        f"{READ}&{COMPRESSION}",
    ),
    *(
        Case(
            f"compression stated for one side{name}",
            (SYSTEM | {"off/zfs-off.txt": IOZONE, "b/result.txt": iozone("2026-11-02 07", *rates)},),
            f"{WRITE}&{COMPRESSION}{query}",
            stated={"fs.type": "zfs", "pool.compression": "lz4"},
        )
        for name, query, rates in (("", "", (300, 302, 299)), (", and left out", "&stated=no", (310, 312, 309)))
    ),
    *(
        Case(
            f"removed in less than a second, against {baseline}",
            (
                SYSTEM
                | {
                    f"{fs}/fdtree{run}.txt": mount("/dev/sda1", "rw,relatime", fs)
                    + fdtree(create + run, remove and remove + run, f"Sat Nov 21 {hour}:{run}0:{{:02}} UTC 2026")
                    for fs, create, remove, hour in (("ext4", 11, 3, "04"), ("xfs", 30, 0, "05"))
                    for run in (1, 2, 3, 4)
                },
            ),
            f"metric=file_remove.rate&x=fs&baseline={baseline}",
        )
        for baseline in ("ext4", "xfs")
    ),
    Case(
        "compression stated in poolmark.toml, and left out",
        (
            SYSTEM
            | {"off/zfs-off.txt": IOZONE, "b/result.txt": iozone("2026-11-02 07", 320, 322, 319)}
            | {"poolmark.toml": '[files."b/"]\nfs.type = "zfs"\npool.compression = "lz4"\n'},
        ),
        f"{WRITE}&{COMPRESSION}&stated=no",
    ),
    Case(
        "localhost in two archives",
        ({"zfs-off.csv": bonnie(*around(100), host="localhost")}, {"zfs-lz4.csv": bonnie(*around(150), host="localhost")}),
        f"{WRITE}&{COMPRESSION}",
    ),
    Case(
        "two folders of machines without names",
        (
            {"dell/system.txt": system("localhost"), "dell/zfs-off.csv": bonnie(*around(100), host="localhost")}
            | {"hp/system.txt": system("localhost", EPYC), "hp/zfs-lz4.csv": bonnie(*around(150), host="localhost")},
        ),
        f"{WRITE}&{COMPRESSION}",
    ),
    Case(
        "properties dumped on one side only",
        (
            SYSTEM
            | days(("off", 100), ("lz4", 130))
            | {
                f"{day[:10]}/lz4/zfs-get.txt": zfs_get(primarycache="metadata/local", logbias="latency", compression="lz4/local")
                for day in DAYS
            },
        ),
        f"{WRITE}&{COMPRESSION}",
    ),
    Case(
        "a counter recorded on one side only",
        (
            SYSTEM
            | days(("off", 100), ("lz4", 140))
            | {f"{day[:10]}/lz4/zfs-get.txt": zfs_get(used="1.21G/-", available="917G/-", guid="123456789/-") for day in DAYS},
        ),
        f"{WRITE}&{COMPRESSION}",
    ),
    Case(
        "a property that was set under one system only",
        (
            {
                "linux/system.txt": system(),
                "linux/zfs-lz4.txt": shell("tank", ("zfs set primarycache=all tank", "")) + dd(*(100, 101, 99)),
                "freebsd/system.txt": system(uname=FREEBSD),
                "freebsd/zfs-lz4.txt": shell("tank", ("zfs set primarycache=metadata tank", "")) + dd(*(130, 131, 129)),
            },
        ),
        f"{WRITE}&x=os",
    ),
    Case(
        "bonnie++ 1.03 beside 2.00",
        (labelled(off="".join(bonnie_103(*pair) for pair in around(100)), lz4=bonnie(*around(150))),),
        f"{WRITE}&{COMPRESSION}",
    ),
    Case(
        "versions of a tool that measure otherwise",
        (SYSTEM | {"zfs-off.txt": IOZONE.replace("3.471", "2.112"), "zfs-lz4.txt": iozone("2026-11-02 07", 150, 151, 149)},),
        f"{WRITE}&{COMPRESSION}",
    ),
    Case(
        "20 GB/s to an image file of a virtual machine",
        (
            {
                f"{fs}/dd.txt": system("guest", "QEMU Virtual CPU version 2.5+")
                + shell("guest", ("lsblk -o NAME,MODEL,SIZE,TYPE,MOUNTPOINT", DISK_IMAGE))
                + mount("/dev/sda", "rw,relatime", fs, host="guest")
                + dd(*rates, host="guest")
                for fs, rates in (("ext4", (150, 151, 149)), ("xfs", (19000, 19100, 19050, 160, 161, 162)))
            },
        ),
        f"{WRITE}&x=fs&baseline=ext4",
    ),
    Case(
        "a run that was cut off",
        (SYSTEM | {"zfs-off.txt": IOZONE, "zfs-lz4.txt": iozone("2026-11-02 07", 150, 152, 151, 390)[:-90]},),
        f"{WRITE}&{COMPRESSION}",
    ),
    Case(
        "failed runs on one side",
        (
            SYSTEM
            | {
                "zfs-off.txt": dd(100, 101, 102),
                "zfs-lz4.txt": dd(150, 152, 151)
                + shell(
                    "tank", ("dd if=/dev/urandom of=/tank/f bs=1M count=8192", "dd: failed to open '/tank/f': Input/output error")
                ),
            },
        ),
        f"{WRITE}&{COMPRESSION}",
    ),
    Case(
        "reported beside measured",
        (
            SYSTEM
            | {
                "zfs-off.txt": IOZONE,
                "paper.csv": PAPER
                + "".join(
                    f'iozone,3.471,write.throughput,{rate},MiB/s,8GiB,1MiB,tank,zfs,lz4,"Table 3"\n' for rate in (300, 301, 299)
                ),
            },
        ),
        f"{WRITE}&{COMPRESSION}",
    ),
    Case(
        "noatime on one side only",
        (
            {
                "a/system.txt": system() + mount("/dev/sda1", "rw,noatime"),
                "a/ext4.csv": bonnie(*around(150)),
                "b/system.txt": system() + mount("/dev/sda1", "rw,relatime", "xfs"),
                "b/xfs.csv": bonnie(*around(100)),
            },
        ),
        f"{WRITE}&x=fs",
    ),
    *(
        Case(
            f"{name} on one side only",
            (
                {
                    "a/system.txt": system() + mount("/dev/sda1", options),
                    "a/ext4.csv": bonnie(*around(150, 4)),
                    "b/system.txt": system() + mount("/dev/sda1", "rw,relatime,attr2,inode64,noquota", "xfs"),
                    "b/xfs.csv": bonnie(*around(100)),
                },
            ),
            f"{WRITE}&x=fs",
        )
        for name, options in (
            ("barriers off", "rw,relatime,nobarrier"),
            ("discard", "rw,relatime,discard"),
            ("lazytime", "rw,relatime,lazytime"),
        )
    ),
    Case(
        "two tools beside each other",
        (SYSTEM | {"zfs-off-iozone.txt": IOZONE, "zfs-off.txt": dd(300, 301, 302)},),
        f"{WRITE}&x=tool",
    ),
    *(
        Case(
            f"four machines of which two have both sides{name}",
            (
                {
                    f"{host}/{path}": text
                    for at, host in enumerate(("alpha", "beta", "gamma", "delta"))
                    for path, text in (
                        ("system.txt", system(host)),
                        *((("zfs-off.txt", dd(*(100 + 20 * at + x for x in (0, 1, -1)), host=host)),) if host != "delta" else ()),
                        *((("zfs-lz4.txt", dd(*(200 + 39 * at + x for x in (0, 2, -2)), host=host)),) if host != "gamma" else ()),
                    )
                },
            ),
            f"{WRITE}&{COMPRESSION}{query}",
        )
        for name, query in ((", one each", "&series=host"), ("", ""))
    ),
]

SETTINGS = ("off", "lz4", "lzjb", *(f"gzip-{level}" for level in range(1, 10)), "zle", "zstd", "zstd-19")


def student(rounds: int) -> dict[str, str]:
    """Fifteen folders with a `bench.csv` of one run each, in each round."""
    files = dict(SYSTEM)
    for number in range(1, rounds + 1):
        for at, setting in enumerate(SETTINGS):
            rate = 100 + 5 * at + (0.5, -0.4, 0.1)[(number + at) % 3]
            folder = f"rep{number}/" if rounds > 1 else ""
            files[f"{folder}zfs-{setting}/bench.csv"] = f"compression={setting}\n" + bonnie((rate, 2 * rate))
    return files


PLAIN = [
    Case(
        "the defaults of two file systems",
        (
            {
                "system.txt": system(uname=DEBIAN.replace("6.1.0-13", "6.6.13")),
                "a.txt": mount("/dev/sda1", "rw,relatime") + dd(150, 151, 149),
                "b.txt": mount("/dev/sda1", "rw,relatime,ssd,discard=async,space_cache=v2,subvolid=5,subvol=/", "btrfs")
                + dd(100, 101, 99),
            },
        ),
        f"{WRITE}&x=fs",
    ),
    Case(
        "rates of mdtest",
        (
            SYSTEM
            | {
                f"{fs}/mdtest.txt": mount("/dev/sda1", "rw,relatime", fs) + mdtest(*rates)
                for fs, rates in (("ext4", (9300, 6100, 7900)), ("xfs", (4100, 4050, 3990)))
            },
        ),
        "metric=file_create.rate&x=fs",
    ),
    Case("fifteen folders with one run each", (student(1),), f"{WRITE}&{COMPRESSION}"),
    Case("fifteen folders in three rounds", (student(3),), f"{WRITE}&{COMPRESSION}"),
    Case(
        "three systems on one laptop, one after another",
        (
            {
                "blog.txt": "".join(
                    system("laptop", I5, uname=uname)
                    + (shell("laptop", ("cat /etc/os-release", OS_RELEASE)) if uname == DEBIAN else "")
                    + dd(*rates, host="laptop")
                    for uname, rates in ((DEBIAN, (100, 101, 99)), (FREEBSD, (120, 121, 122)), (OMNIOS, (90, 91, 90)))
                )
            },
        ),
        f"{WRITE}&x=os",
    ),
    Case(
        "IOR on two file systems of a cluster",
        (
            {
                "system.txt": system("node01", EPYC),
                "lustre/ior.txt": mount("10.0.0.1@o2ib:/scratch", "rw,flock", "lustre", "/lustre", "node01")
                + ior("Sat Nov 21 04:39:02 2026", (900, 910, 905), (1100, 1110, 1120), "/lustre/ior"),
                "beegfs/ior.txt": mount("beegfs_nodev", "rw", "beegfs", "/beegfs", "node01")
                + ior("Sat Nov 21 05:09:02 2026", (700, 705, 709), (1000, 1004, 1007), "/beegfs/ior"),
            },
        ),
        f"{WRITE}&x=fs",
    ),
    Case(
        "five repetitions, interleaved",
        (
            {
                "log.txt": system()
                + "".join(
                    shell("tank", (f"zfs set compression={setting} tank", "")) + dd(rate + at * step)
                    for at, step in enumerate((0.0, 0.3, -0.2, 0.4, 0.1))
                    for setting, rate in (("off", 100), ("lz4", 130))
                )
            },
        ),
        f"{WRITE}&{COMPRESSION}",
    ),
    Case("three sessions on three days with both sides", (SYSTEM | days(("off", 100), ("lz4", 130)),), f"{WRITE}&{COMPRESSION}"),
    Case(
        "two sessions on two days with both sides", (SYSTEM | days(("off", 100), ("lz4", 130), count=2),), f"{WRITE}&{COMPRESSION}"
    ),
    Case(
        "two days with both sides and one with one side",
        (SYSTEM | days(("off", 100), ("lz4", 130), count=2) | {"c/zfs-lz4.txt": iozone(f"{DAYS[2][:10]} 07", 130, 131, 129)},),
        f"{WRITE}&{COMPRESSION}",
    ),
    *(
        Case(
            f"four machines with both sides, by {series}",
            (
                {
                    f"{host}/{name}": text
                    for at, host in enumerate(("alpha", "beta", "gamma", "delta"))
                    for name, text in (
                        ("system.txt", system(host)),
                        ("zfs-off.txt", dd(*(100 + 20 * at + x for x in (0, 1, -1)), host=host)),
                        ("zfs-lz4.txt", dd(*(200 + 39 * at + x for x in (0, 2, -2)), host=host)),
                    )
                },
            ),
            f"{WRITE}&{COMPRESSION}&series={series}",
        )
        for series in ("host", "machine")
    ),
    Case(
        "two hosts as they stand, three sessions each",
        (
            {f"{host}/system.txt": system(host, cpu) for host, cpu in (("alpha", XEON), ("beta", EPYC))}
            | {
                f"{host}/{day[:10]}.txt": shell(host, ("cat zfs-lz4.txt", iozone(day, *(rate + at + x for x in (0, 0.4, -0.3)))))
                for host, rate in (("alpha", 100), ("beta", 170))
                for at, day in enumerate(DAYS)
            },
        ),
        f"{WRITE}&x=host&baseline=alpha",
    ),
    Case(
        "a sweep of gzip's levels",
        (
            SYSTEM
            | {
                f"zfs-{setting}.txt": rsync(*(seconds + x for x in (0, 0.5, -0.4)))
                for setting, seconds in (("off", 100), ("gzip-1", 120), ("gzip-6", 160), ("gzip-9", 300))
            },
        ),
        f"metric=copy.elapsed&{COMPRESSION}",
    ),
    Case(
        "rates of metadata",
        (
            SYSTEM
            | {
                f"{fs}/fdtree{run}.txt": mount("/dev/sda1", "rw,relatime", fs)
                + fdtree(create + run, remove + run % 2, f"Sat Nov 21 {hour}:{run}0:{{:02}} UTC 2026")
                for fs, create, remove, hour in (("ext4", 11, 6, "04"), ("xfs", 30, 20, "05"))
                for run in (1, 2, 3)
            },
        ),
        "metric=file_create.rate&x=fs",
    ),
]
