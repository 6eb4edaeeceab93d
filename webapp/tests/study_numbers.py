"""Every number of the five studies, typed from their pages by hand and not made from the fixtures.

Each line: tool, metric, origin, what the configuration and workload must say (`key=value`, joined with `&`), and the
numbers in the unit that heads the block. Times are written as the pages print them.
"""

OPERATING_SYSTEMS = """
unit s
cp copy.elapsed measured os.name=OpenIndiana&os.version=151a9&pool.compression=off | 3m44.857s
cp copy.user measured os.name=OpenIndiana&pool.compression=off | 0m0.056s
cp copy.sys measured os.name=OpenIndiana&pool.compression=off | 0m16.702s
cp copy.elapsed measured os.name=FreeBSD&os.version=10.0-RELEASE&pool.compression=off | 4:14.75
cp copy.user measured os.name=FreeBSD&pool.compression=off | 0.007
cp copy.sys measured os.name=FreeBSD&pool.compression=off | 4.455
cp copy.elapsed measured os.name=CentOS&os.version=6.5&pool.compression=off | 3m29.308s
cp copy.user measured os.name=CentOS&pool.compression=off | 0m0.038s
cp copy.sys measured os.name=CentOS&pool.compression=off | 0m6.764s
dd read.elapsed measured os.name=OpenIndiana&pool.compression=off | 106.582 115.16 114.334
dd read.elapsed measured os.name=FreeBSD&pool.compression=off | 105.113849 114.760721 113.732792
dd read.elapsed measured os.name=CentOS&pool.compression=off | 64.9959 71.2292 72.7268
tar extract.elapsed measured os.name=OpenIndiana&pool.compression=off | 4m2.966s
tar extract.user measured os.name=OpenIndiana&pool.compression=off | 0m4.219s
tar extract.sys measured os.name=OpenIndiana&pool.compression=off | 1m8.711s
rm remove.elapsed measured os.name=OpenIndiana&pool.compression=off | 0m27.575s
rm remove.user measured os.name=OpenIndiana&pool.compression=off | 0m0.495s
rm remove.sys measured os.name=OpenIndiana&pool.compression=off | 0m7.178s
tar extract.elapsed measured os.name=FreeBSD&pool.compression=off | 5:08.18
tar extract.user measured os.name=FreeBSD&pool.compression=off | 3.651
tar extract.sys measured os.name=FreeBSD&pool.compression=off | 29.506
rm remove.elapsed measured os.name=FreeBSD&pool.compression=off | 1:09.05
rm remove.user measured os.name=FreeBSD&pool.compression=off | 0.336
rm remove.sys measured os.name=FreeBSD&pool.compression=off | 12.340
tar extract.elapsed measured os.name=CentOS&pool.compression=off | 3m51.565s
tar extract.user measured os.name=CentOS&pool.compression=off | 0m3.033s
tar extract.sys measured os.name=CentOS&pool.compression=off | 0m46.419s
rm remove.elapsed measured os.name=CentOS&pool.compression=off | 2m1.249s
rm remove.user measured os.name=CentOS&pool.compression=off | 0m0.471s
rm remove.sys measured os.name=CentOS&pool.compression=off | 0m16.205s
tar extract.elapsed measured os.name=OpenIndiana&pool.compression=lz4 | 2m40.653s
tar extract.user measured os.name=OpenIndiana&pool.compression=lz4 | 0m4.100s
tar extract.sys measured os.name=OpenIndiana&pool.compression=lz4 | 0m50.868s
rm remove.elapsed measured os.name=OpenIndiana&pool.compression=lz4 | 0m15.588s
rm remove.user measured os.name=OpenIndiana&pool.compression=lz4 | 0m0.425s
rm remove.sys measured os.name=OpenIndiana&pool.compression=lz4 | 0m6.385s
tar extract.elapsed measured os.name=FreeBSD&pool.compression=lz4 | 3:11.58
tar extract.user measured os.name=FreeBSD&pool.compression=lz4 | 3.772
tar extract.sys measured os.name=FreeBSD&pool.compression=lz4 | 29.051
rm remove.elapsed measured os.name=FreeBSD&pool.compression=lz4 | 0:42.61
rm remove.user measured os.name=FreeBSD&pool.compression=lz4 | 0.446
rm remove.sys measured os.name=FreeBSD&pool.compression=lz4 | 11.615
tar extract.elapsed measured os.name=CentOS&pool.compression=lz4 | 2m15.379s
tar extract.user measured os.name=CentOS&pool.compression=lz4 | 0m3.018s
tar extract.sys measured os.name=CentOS&pool.compression=lz4 | 0m44.704s
rm remove.elapsed measured os.name=CentOS&pool.compression=lz4 | 1m18.267s
rm remove.user measured os.name=CentOS&pool.compression=lz4 | 0m0.318s
rm remove.sys measured os.name=CentOS&pool.compression=lz4 | 0m13.814s
unit B/s
dd read.throughput measured os.name=OpenIndiana | 9207209203/106.582 9207209203/115.16 9207209203/114.334
dd read.throughput measured os.name=FreeBSD | 87592732 80229621 80954745
dd read.throughput measured os.name=CentOS | 9207209203/64.9959 9207209203/71.2292 9207209203/72.7268
"""

EVALUATION = """
unit B/s
rsync copy.throughput measured pool.compression=off&pool.dedup=off | 78518648.64
rsync copy.throughput measured pool.compression=lz4&pool.dedup=off | 75183312.62
rsync copy.throughput measured pool.compression=gzip-6&pool.dedup=off | 76257479.83
rsync copy.throughput measured pool.compression=off&pool.dedup=on | 34750882.27
rsync copy.throughput measured pool.compression=lz4&pool.dedup=on | 31004799.72
unit s
rsync copy.elapsed measured,reported pool.compression=off&pool.dedup=off | 217m30.527s
rsync copy.user measured pool.compression=off&pool.dedup=off | 133m42.304s
rsync copy.sys measured pool.compression=off&pool.dedup=off | 68m23.729s
rsync copy.elapsed measured,reported pool.compression=lz4&pool.dedup=off | 227m10.272s
rsync copy.user measured pool.compression=lz4&pool.dedup=off | 133m11.690s
rsync copy.sys measured pool.compression=lz4&pool.dedup=off | 68m3.047s
rsync copy.elapsed measured,reported pool.compression=gzip-6&pool.dedup=off | 223m58.709s
rsync copy.user measured pool.compression=gzip-6&pool.dedup=off | 111m13.986s
rsync copy.sys measured pool.compression=gzip-6&pool.dedup=off | 60m11.878s
rsync copy.elapsed measured,reported pool.compression=off&pool.dedup=on | 491m28.573s
rsync copy.user measured pool.compression=off&pool.dedup=on | 133m56.572s
rsync copy.sys measured pool.compression=off&pool.dedup=on | 68m37.262s
rsync copy.elapsed measured,reported pool.compression=lz4&pool.dedup=on | 550m51.974s
rsync copy.user measured pool.compression=lz4&pool.dedup=on | 128m27.895s
rsync copy.sys measured pool.compression=lz4&pool.dedup=on | 67m45.197s
unit MiB
rsync copy.size measured,reported pool.compression=off&pool.dedup=off | 978621
rsync copy.size measured,reported pool.compression=lz4&pool.dedup=off | 627305
rsync copy.size measured,reported pool.compression=gzip-6&pool.dedup=off | 469593
rsync copy.size measured,reported pool.compression=off&pool.dedup=on | 978622
rsync copy.size measured,reported pool.compression=lz4&pool.dedup=on | 627311
unit MiB/s
rsync copy.throughput reported pool.compression=off&pool.dedup=off | 74.88
rsync copy.throughput reported pool.compression=lz4&pool.dedup=off | 71.70
rsync copy.throughput reported pool.compression=gzip-6&pool.dedup=off | 72.72
rsync copy.throughput reported pool.compression=off&pool.dedup=on | 33.14
rsync copy.throughput reported pool.compression=lz4&pool.dedup=on | 29.57
unit 1
rsync copy.compressratio reported pool.compression=lz4&pool.dedup=off | 1.56 1.51
rsync copy.compressratio reported pool.compression=gzip-6&pool.dedup=off | 2.08 2.03
rsync copy.compressratio derived,reported pool.compression=lz4&pool.dedup=on | 1.54
rsync copy.dedupratio reported pool.compression=off&pool.dedup=on | 1.04
rsync copy.dedupratio derived pool.compression=off&pool.dedup=on | 1.22
rsync copy.dedupratio derived,reported pool.compression=lz4&pool.dedup=on | 1.26
bonnie++ write.compressratio reported fs.stack=lustre/zfs&pool.compression=lz4 | 115
ior write.compressratio reported fs.stack=lustre/zfs&pool.compression=lz4 | 3.9
"""

FLASH = """
unit MB/s
dd write.throughput reported disk.model=SAMSUNG HD204UI&disk.count=10&pool.layout=raidz2(10)&fs.type=zfs | 207
dd write.throughput reported disk.model=Corsair Force GT 60 GB | 198
dd write.throughput reported disk.model=Transcend JetFlash 700 8 GB | 8.6
dd write.throughput reported os.family=Linux&fs.type=ext4 | 316
dd read.throughput reported disk.model=SAMSUNG HD204UI&pool.layout=raidz2(10)&os.name=OpenSolaris | 283
dd read.throughput reported disk.model=Corsair Force GT 60 GB | 529
dd read.throughput reported disk.model=Transcend JetFlash 700 8 GB | 32.5
dd read.throughput reported os.family=Linux&fs.type=ext4 | 352
"""

_SEVEN = (
    "fs.stack=beegfs/xfs&network=QDR InfiniBand",
    "fs.stack=beegfs/xfs&network=",
    "fs.stack=beegfs/zfs&network=QDR InfiniBand",
    "fs.stack=beegfs/zfs&network=",
    "fs.type=zfs&pool.copies=",
    "fs.type=xfs",
    "fs.type=zfs&pool.copies=2",
)


def _seven(start: str, more: str, values: str) -> str:
    return "\n".join(f"{start} reported {where}&{more} | {value}" for where, value in zip(_SEVEN, values.split(), strict=True))


CLUSTER = "\n".join(
    (
        "unit MiB/s",
        _seven("dd write.throughput", "file_size=8589934592", "223 181 222 226 89.35 171 39.55"),
        _seven("dd read.throughput", "file_size=8589934592", "1000 1000 1000 1000 113 170 643.5"),
        _seven("cp file_create.throughput", "files=100000", "0.17 0.16 0.18 0.19 0.17 0.19 0.19"),
        _seven("cp file_read.throughput", "files=100000", "0.19 0.18 0.20 0.16 0.17 0.22 0.18"),
        _seven("dd write.throughput", "file_size=17179869184", "142.33 175 140 104.5 86.8 147 70.4"),
        _seven("dd read.throughput", "file_size=17179869184", "361 194 1000 106 102 113 109"),
        _seven("dd write.throughput", "file_size=137438953472", "88.8 100 117 38.5 81.5 95.5 38.6"),
        "dd read.throughput reported file_size=137438953472&fs.type= | 100.75 98.1 95.9 93.8 98.2",
        "dd write.throughput reported file_size=838860800000&fs.type= | 74.8 87.20 73.5 92.2 164",
        "dd read.throughput reported file_size=838860800000&fs.type= | 88.70 92.80 180.00",
        "ior write.throughput measured pool.layout=4 x raidz1(9)&api=POSIX | 1057.38",
        "hdparm read.throughput reported disk.model=ST3000VX000 | 198",
        "hdparm read.throughput reported disk.model=MK1001TRKB | 140",
        "unit files/s",
        _seven("cp file_create.rate", "files=100000", "173.71 159.38 193.51 186.80 169.08 201.76 189.04"),
        "cp file_create.rate reported pool.layout=4 x raidz1(9)&pool.log=off | 115",
        "cp file_create.rate reported pool.layout=4 x raidz1(9)&pool.log=ssd&pool.cache=ssd | 150",
        "cp file_read.rate reported pool.layout=4 x raidz1(9)&pool.log=off | 173",
        "cp file_read.rate reported pool.layout=4 x raidz1(9)&pool.log=ssd | 169.5",
        "unit kB/s",
        "cp file_create.throughput reported pool.layout=4 x raidz1(9)&pool.log=off | 110",
        "cp file_create.throughput reported pool.layout=4 x raidz1(9)&pool.log=ssd | 115",
        "cp file_read.throughput reported pool.layout=4 x raidz1(9)&pool.log=off | 170",
        "cp file_read.throughput reported pool.layout=4 x raidz1(9)&pool.log=ssd | 170",
        "unit MB/s",
        "storagebench write.throughput reported pool.layout=4 x raidz1(9)&file_size=2147483648 | 3207",
        "storagebench write.throughput reported fs.stack=beegfs/zfs&file_size=4294967296 | 2605",
        "storagebench write.throughput reported fs.stack=beegfs/zfs&file_size=6442450944 | 2613",
        "storagebench write.throughput reported fs.stack=beegfs/zfs&file_size=17179869184 | 2202",
        "storagebench write.throughput reported fs.stack=beegfs/zfs&file_size=68719476736 | 2234",
        "storagebench write.throughput reported fs.stack=beegfs/zfs&file_size=137438953472 | 2259",
        "unit GB/s",
        "dd write.throughput reported pool.layout=raid0(9)&fs.stack=beegfs/xfs | 3.6",
        "dd read.throughput reported pool.layout=raid0(9)&fs.stack=beegfs/xfs | 3.6",
        "dd read.throughput reported pool.layout=raidz1(9)&disk.count=36 | 2.7 3.4",
        "dd write.throughput reported pool.layout=raidz1(9)&disk.count=36 | 2.2",
        "dd write.throughput reported pool.layout=4 x raidz1(9)&disk.count=36 | 2.3",
        "unit 1",
        "rsync copy.compressratio reported fs.type=zfs&os.version=6.5 | 1.49",
        "rsync copy.dedupratio reported pool.dedup=on&os.version=6.5 | 1.08",
    )
)
