"""A constructed study for browser tests: three operating systems, three compressions, three tools. Its numbers are made up."""

from __future__ import annotations

from pathlib import Path

STUDY = "constructed-three-systems"
MANIFEST = f"""title = "Constructed: three systems"
study = "{STUDY}"
caveat = "Constructed for a test: nobody measured these numbers."
[files."debian/"]
os.family = "Linux"
os.name = "Debian"
cpu.model = "Xeon E3110"
cpu.cores = 2
memory = "8 GiB"
disk.count = 2
[files."freebsd/"]
os.family = "FreeBSD"
os.name = "FreeBSD"
cpu.model = "Xeon E5-2620"
cpu.cores = 12
memory = "16 GiB"
disk.count = 4
[files."omnios/"]
os.family = "SunOS"
os.name = "OmniOS"
cpu.model = "Opteron 6128"
cpu.cores = 8
memory = "64 GiB"
"""
BONNIE = "1.98,2.00,{host},1,0,128G,,8192,5,,,{write},15,{rewrite},9,,,{read},20,812.5,3,16" + "," * 28
DD = (
    "root@{host}:~# dd if=/dev/zero of=/tank/f bs=1M count=1024\n1024+0 records in\n1024+0 records out\n"
    "1073741824 bytes (1.1 GB, 1.0 GiB) copied, {seconds} s, {rate} MB/s\n"
)
IOZONE = """    Iozone: Performance Test of File I/O
            Version $Revision: 3.471 $
    Compiled for 64 bit mode.
    Auto Mode
    Command line used: iozone -a -i 0 -i 1
    Output is in kBytes/sec
              kB  reclen    write  rewrite     read   reread
"""
SYSTEMS = {"debian": 100_000, "freebsd": 120_000, "omnios": 90_000}
"""Host -> KiB/s that its first run writes without compression."""
FACTOR = {"off": 1.0, "lz4": 1.5, "gzip-9": 0.25}


def kib_per_second(host: str, compression: str) -> list[int]:
    """What three repetitions write; they rewrite at half of it, and read at twice."""
    return [int(SYSTEMS[host] * FACTOR[compression]) + 640 * at for at in range(3)]


def make(folder: Path) -> Path:
    """The study's files in that folder."""
    (folder / "poolmark.toml").write_text(MANIFEST)
    for host in SYSTEMS:
        place = folder / host
        place.mkdir(parents=True)
        lines = []
        for compression in FACTOR:
            for write in kib_per_second(host, compression):
                lines.append(f"atime=off dedup=off compression={compression}")
                lines.append(BONNIE.format(host=host, write=write, rewrite=write // 2, read=write * 2))
        (place / "bench.csv").write_text("\n".join(lines) + "\n")
        (place / "dd.txt").write_text(
            "".join(DD.format(host=host, seconds=seconds, rate=round(1073.741824 / seconds)) for seconds in (2.5, 2.6, 2.7))
        )
    rows = [
        f"{size:>16}{record:>8}{100_000 + size + record:>9}{110_000 + size:>9}{200_000 + record:>9}{210_000:>9}\n"
        for size in (65536, 131072)
        for record in (4, 64, 1024)
    ]
    (folder / "debian" / "iozone.txt").write_text(IOZONE + "".join(rows) + "\niozone test complete.\n")
    return folder
