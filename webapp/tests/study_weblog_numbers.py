"""The numbers of the weblog of storage controllers, typed from its page; the form is that of study_numbers."""

_HEADS = (
    "host=Sun Storage 7410&cpu.cores=16&pool.layout=mirror",
    "host=Sun Storage 7310&cpu.cores=8&pool.layout=43 x mirror(2)",
    "host=Sun Storage 7210&cpu.cores=8&pool.layout=mirror",
    "host=Sun Storage 7110&cpu.cores=8&pool.layout=3 x raidz1(4)",
)


def _heads(metric: str, more: str, values: str, origin: str = "reported") -> str:
    return "\n".join(
        f"filebench {metric} {origin} {head}&{more} | {value}" for head, value in zip(_HEADS, values.split(), strict=True)
    )


_TESTS = {  # ZFS, UFS in MB/s
    "1 write": "486.01572 145.94098",
    "2 sync_write": "4.5637 0.86565",
    "3 write": "27.3327 50.09027",
    "4 read": "674.77396 612.92737",
    "5 read": "1756.57637 17.53705",
    "6 rewrite": "2.20641 0.85497",
    "7 rewrite": "204.31557 257.22829",
    "8 mixed": "698.18182 298.25243",
    "9 random_write": "42.75208 100.35258",
    "10 random_write": "0.117925 0.116375",
    "11 random_write": "0.42673 0.07391",
    "12 mixed": "264.84151 266.78044",
    "13 pread": "75.98432 0.11684",
    "14 pread": "56.38486 386.70305",
}


def _tests() -> str:
    lines = []
    for test, values in _TESTS.items():
        number, operation = test.split()
        for fs, value in zip(("zfs", "ufs"), values.split(), strict=True):
            lines.append(
                f"zfs-ufs-unit-tests {operation}.throughput reported part=test {number}&fs.type={fs}"
                f"&os.version=build 25&disk.count=300 | {value}"
            )
    return "\n".join(lines)


WEBLOG = "\n".join(
    (
        "unit MB/s",
        _heads("read.throughput", "threads=1&phase=cold", "915 685 719 378"),
        _heads("read.throughput", "threads=1&phase=warm", "1074 751 894 416"),
        _heads("read.throughput", "threads=20&phase=cold", "959 598 752 329"),
        _heads("read.throughput", "threads=10&phase=warm", "1030 620 792 386"),
        _heads("write.throughput", "threads=1", "480 507 490 226"),
        _heads("write.throughput", "threads=20", "447 526 481 224"),
        _tests(),
        "analytics write_char.throughput reported fs.type=nfs | 87",
        "analytics write.throughput reported fs.type=nfs | 113",
        "analytics rewrite.throughput reported fs.type=nfs | 100",
        "analytics read_char.throughput reported fs.type=nfs | 73",
        "analytics read.throughput reported fs.type=nfs | 118",
        "unit IOPS",
        _heads("sync_write.rate", "threads=128&record_size=8192", "22383 8527 10184 1179"),
        _heads("file_create.rate", "threads=8", "5162 4909 4613 162"),
        _heads("random_read.rate", "threads=20&part=", "28559 5686 4006 1043"),
        _heads("random_read.rate", "threads=128&part=", "36478 7107 4584 1486"),
        _heads("random_read.rate", "threads=20&part=per disk", "104 76 91 86"),
        _heads("random_read.rate", "threads=128&part=per disk", "134 94 104 123"),
        _heads("random_read.rate", "threads=20&part=per disk", "28559/272 5686/86 4006/44 1043/12", "derived"),
        _heads("random_read.rate", "threads=128&part=per disk", "36478/272 7107/86 4584/44 1486/12", "derived"),
        "analytics create_seq.rate reported files=16384 | 744",
        "analytics delete_seq.rate reported files=16384 | 1591",
        "file-creator file_create.rate reported files=23823805 | 5721",
        "find file_stat.rate reported files=23823805 | 7777",
        "scrub scrub.rate reported disk.model=FUJITSU MAP3367N | 4200",
        "dtrace file_create.rate reported fs.type=zfs | 214643/60 215409/60 212797/60 211545/60",
        "bonnie++ seek.rate measured fs.type=nfs | 2636 2635.7",
        "bonnie++ create_seq.rate measured files=16384 | 687 687",
        "bonnie++ delete_seq.rate measured files=16384 | 1517 1517",
        "bonnie++ create_rand.rate measured files=16384 | 647 647",
        "bonnie++ delete_rand.rate measured files=16384 | 1569 1569",
        "model random_read.rate model pool.layout=raidz1(100) | 200",
        "model random_read.rate model pool.layout=2 x raidz1(50) | 400",
        "model random_read.rate model pool.layout=5 x raidz1(20) | 1000",
        "model random_read.rate model pool.layout=10 x raidz1(10) | 2000",
        "model random_read.rate model pool.layout=20 x raidz1(5) | 4000",
        "model random_read.rate model pool.layout=33 x raidz1(3) | 6600",
        "model random_read.rate model pool.layout=50 x mirror(2) | 20000",
        "model random_read.rate model pool.layout=stripe(100) | 20000",
        "unit GB",
        "model store.capacity model pool.layout=raidz1(100) | 9900",
        "model store.capacity model pool.layout=2 x raidz1(50) | 9800",
        "model store.capacity model pool.layout=5 x raidz1(20) | 9500",
        "model store.capacity model pool.layout=10 x raidz1(10) | 9000",
        "model store.capacity model pool.layout=20 x raidz1(5) | 8000",
        "model store.capacity model pool.layout=33 x raidz1(3) | 6600",
        "model store.capacity model pool.layout=50 x mirror(2) | 5000",
        "model store.capacity model pool.layout=stripe(100) | 10000",
        "unit KiB/s",
        "bonnie++ write_char.throughput measured file_size=8589934592 | 81160 81160",
        "bonnie++ write.throughput measured file_size=8589934592 | 109588 109588",
        "bonnie++ rewrite.throughput measured file_size=8589934592 | 89987 89987",
        "bonnie++ read_char.throughput measured file_size=8589934592 | 69763 69763",
        "bonnie++ read.throughput measured file_size=8589934592 | 113613 113613",
        "unit %",
        "bonnie++ write_char.cpu measured fs.stack=nfs/zfs | 92 92",
        "bonnie++ write.cpu measured fs.stack=nfs/zfs | 38 38",
        "bonnie++ rewrite.cpu measured fs.stack=nfs/zfs | 67 67",
        "bonnie++ read_char.cpu measured fs.stack=nfs/zfs | 88 88",
        "bonnie++ read.cpu measured fs.stack=nfs/zfs | 36 36",
        "bonnie++ seek.cpu measured fs.stack=nfs/zfs | 67 67",
        "bonnie++ create_seq.cpu measured fs.stack=nfs/zfs | 10 10",
        "bonnie++ delete_seq.cpu measured fs.stack=nfs/zfs | 9 9",
        "bonnie++ create_rand.cpu measured fs.stack=nfs/zfs | 10 10",
        "bonnie++ delete_rand.cpu measured fs.stack=nfs/zfs | 8 8",
        "unit s",
        "find list.elapsed measured fs.type=zfs&disk.model=FUJITSU MAP3367N | 51:26.697",
        "find list.user measured fs.type=zfs | 1:16.596",
        "find list.sys measured fs.type=zfs | 25:27.416",
        "file-creator file_create.elapsed reported fs.type=zfs | 1:09:20.558",
        "file-creator file_create.user reported fs.type=zfs | 9:20.236",
        "file-creator file_create.sys reported fs.type=zfs | 2:52:53.624",
        "scrub scrub.elapsed reported fs.type=zfs | 1:34:00",
        "tar extract.elapsed reported fs.type=tmpfs | 0.077",
        "tar extract.elapsed reported fs.type=ufs | 0.25",
        "tar extract.elapsed reported fs.type=zfs | 0.12",
        "tar extract.elapsed reported fs.stack=nfs/ufs&block.write_cache=on | 7",
        "tar extract.elapsed reported fs.stack=nfs/zfs&block.write_cache=on&system.zfs.zil_disable=1 | 4.2",
        "tar extract.elapsed reported fs.stack=nfs/zfs&block.write_cache=off&system.zfs.zil_disable=1 | 4.7",
        "tar extract.elapsed reported fs.stack=nfs/ufs&block.write_cache=off | 17",
        "tar extract.elapsed reported fs.stack=nfs/zfs&block.write_cache=off&system.zfs.zil_disable=0 | 12",
        "tar extract.elapsed reported fs.stack=nfs/zfs&block.write_cache=on&system.zfs.zil_disable=0 | 7",
        "unit 1",
        "oltp-net transaction.score reported fs.type=ufs&part=UFS, direct I/O&disk.count=130 | 42.5",
        "oltp-net transaction.score reported fs.type=zfs&os.version=10 Update 2&pool.recordsize=8192 | 11.0 22.0 0.50 0.25",
        "oltp-net transaction.score reported fs.type=zfs&os.version=Nevada build 44&cpu.cores=8 | 33.0 0.75",
        "oltp-net transaction.score reported fs.type=ufs&part=direct I/O, of the best | 1.00",
    )
)
