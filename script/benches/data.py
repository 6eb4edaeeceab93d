"""Synthetic archives from a seed: bonnie++, dd, iozone and fdtree with files that describe the configuration. A larger set
of the same seed begins with the runs of a smaller one."""

from __future__ import annotations

import io
import random
import tarfile
from collections.abc import Iterator
from pathlib import Path

CPUS = (
    "Xeon E5-2620 v4",
    "Xeon E5-2680 v3",
    "Xeon Gold 6130",
    "EPYC 7302",
    "EPYC 7543",
    "Opteron 6276",
    "Atom C3758",
    "Core i5-6500",
)
SYSTEMS = (
    ("Linux", "Debian GNU/Linux", "12", "6.1.0-18-amd64"),
    ("Linux", "Debian GNU/Linux", "11", "5.10.0-23-amd64"),
    ("Linux", "Ubuntu", "22.04", "5.15.0-91-generic"),
    ("FreeBSD", "FreeBSD", "13.2", "13.2-RELEASE"),
    ("FreeBSD", "FreeBSD", "14.0", "14.0-RELEASE"),
)
COMPRESSION = ("off", "lz4", "lzjb", "gzip-1", "gzip-6", "gzip-9", "zstd-3")
RECORDS = ("8K", "16K", "128K", "1M")
ATIME = ("on", "off")
VALUES = {"bonnie++": 17, "dd": 2, "fdtree": 9, "iozone": 91}
"""About how many measurements one repetition of each tool gives."""


def archives(out: Path, measurements: int, each: int = 20_000, seed: int = 1, tail: float = 0.6) -> list[Path]:
    """Write archives of about `each` measurements, about `measurements` together. `tail`: with 0.15 in the place of 0.6 half of the
    runs have a configuration of their own."""
    out.mkdir(parents=True, exist_ok=True)
    runs, found = _runs(seed, tail), []
    while measurements > 0:
        path = out / f"batch{len(found):05d}.tar.gz"
        left = min(each, measurements)
        with tarfile.open(path, "w:gz", compresslevel=1) as archive:
            while left > 0:
                number, files, count = next(runs)
                left, measurements = left - count, measurements - count
                for name, text in files.items():
                    _add(archive, f"{number % 97:02d}/run{number:07d}/{name}", text)
        found.append(path)
    return found


def some_runs(path: Path, runs: int, seed: int) -> Path:
    """Write one archive of that many runs."""
    made = _runs(seed)
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "w:gz", compresslevel=1) as archive:
        for _ in range(runs):
            number, files, _ = next(made)
            for name, text in files.items():
                _add(archive, f"{number % 97:02d}/run{number:07d}/{name}", text)
    return path


def _add(archive: tarfile.TarFile, path: str, text: str) -> None:
    info = tarfile.TarInfo(path)
    data = text.encode()
    info.size = len(data)
    archive.addfile(info, io.BytesIO(data))


def _runs(seed: int, tail: float = 0.6) -> Iterator[tuple[int, dict[str, str], int]]:
    dice, number = random.Random(seed), 0
    while True:
        number += 1
        # A few configurations are measured often, most of them rarely.
        chosen = random.Random(int(dice.paretovariate(tail)) % (2000 if tail == 0.6 else 10**6))
        tool = dice.choice(tuple(_TOOLS))
        repetitions = dice.choice((3, 4, 5))
        speed = (0.5 + chosen.random()) * dice.lognormvariate(0, 0.05)
        files = _context(chosen)
        files[f"{tool}.txt"] = "\n".join(_TOOLS[tool](dice, speed) for _ in range(repetitions)) + "\n"
        yield number, files, VALUES[tool] * repetitions


def _context(chosen: random.Random) -> dict[str, str]:
    family, name, version, kernel = chosen.choice(SYSTEMS)
    cpu, host = chosen.choice(CPUS), f"node{chosen.randrange(40):02d}"
    properties = {"compression": chosen.choice(COMPRESSION), "recordsize": chosen.choice(RECORDS), "atime": chosen.choice(ATIME)}
    return {
        "uname.txt": f"{family} {host} {kernel} #1 SMP x86_64\n"
        if family == "Linux"
        else f"FreeBSD {host} {kernel} FreeBSD {kernel} GENERIC amd64\n",
        "os-release": f'NAME="{name}"\nVERSION_ID="{version}"\nPRETTY_NAME="{name} {version}"\n',
        "lscpu.txt": f"Architecture:        x86_64\nCPU(s):              16\nModel name:          {cpu}\n",
        "zfs-get.txt": "NAME  PROPERTY     VALUE  SOURCE\n"
        + "".join(f"tank  {name:<11}  {value:<7}  local\n" for name, value in properties.items()),
    }


def _near(dice: random.Random, middle: float) -> float:
    return middle * dice.lognormvariate(0, 0.03)


def _bonnie(dice: random.Random, speed: float) -> str:
    rates = [int(_near(dice, speed * rate)) for rate in (900, 180000, 95000, 2100, 320000, 420)]
    files = [int(_near(dice, speed * rate)) for rate in (16000, 90000, 21000, 15000, 88000, 19000)]
    cells = ["1.98", "1.98", "node", "1", str(dice.randrange(10**9)), "16G", "", "8192", "5"]
    for rate in rates:
        cells += [str(rate), str(dice.randrange(5, 99))]
    cells += ["16", "", "", "", ""]
    for rate in files:
        cells += [str(rate), str(dice.randrange(5, 99))]
    return ",".join(cells + [f"{dice.randrange(100, 9999)}us" for _ in range(12)])


def _dd(dice: random.Random, speed: float) -> str:
    lines = []
    for command, rate in (("dd if=/dev/zero of=/tank/f bs=1M count=16384", 4e8), ("dd if=/tank/f of=/dev/null bs=1M", 6e8)):
        seconds = 16384 * 2**20 / _near(dice, speed * rate)
        lines.append(
            f"$ {command}\n16384+0 records in\n16384+0 records out\n17179869184 bytes (17 GB, 16 GiB) copied, "
            f"{seconds:.4f} s, {17179869.184 / seconds / 1000:.0f} MB/s"
        )
    return "\n".join(lines)


def _fdtree(dice: random.Random, speed: float) -> str:
    def took(middle: float) -> int:
        return max(1, int(_near(dice, middle / speed)))

    create, files, remove, gone = took(40), took(300), took(90), took(30)
    return "\n".join(
        (
            "fdtree-1.0.2: starting at ./LEVEL0.node.77/",
            "\tcreating/deleting 4 directory levels with 10 directories at each level",
            "\tfor a total of 11111 directories",
            "\twith 10 files of size 40KiB per directory",
            "\tfor a total of 111110 files and 4444400KiB",
            f"DIRECTORY CREATE TIME IN, OUT, TOTAL = 0, {create}, {create}",
            f"\tDirectory creates per second =  {11111 // create}",
            f"FILE CREATE TIME IN, OUT, TOTAL      = 0, {files}, {files}",
            f"\tFile creates per second      =  {111110 // files}",
            f"\tKiB per second               =  {4444400 // files}",
            f"FILE REMOVE TIME IN, OUT, TOTAL      = 0, {remove}, {remove}",
            f"\tFile removals per second     =  {111110 // remove}",
            f"DIRECTORY REMOVE TIME IN, OUT, TOTAL = 0, {gone}, {gone}",
            f"\tDirectory removals per second =  {11111 // gone}",
            "",
        )
    )


def _iozone(dice: random.Random, speed: float) -> str:
    heads = (
        "                                                              random    random     bkwd    record    stride",
        "              kB  reclen    write  rewrite    read    reread    read     write     read   rewrite      read"
        "   fwrite frewrite    fread  freread",
    )
    rows = []
    for record in (4, 16, 64, 256, 1024, 4096, 16384):
        cells = [
            int(_near(dice, speed * rate))
            for rate in (310000, 330000, 620000, 640000, 90000, 60000, 210000, 400000, 150000, 300000, 320000, 610000, 630000)
        ]
        rows.append(f"{65536:>16}{record:>8}" + "".join(f"{cell:>9}" for cell in cells))
    return "\n".join(
        (
            "\tIozone: Performance Test of File I/O",
            "\t        Version $Revision: 3.506 $",
            "\tOutput is in kBytes/sec",
            "",
            *heads,
            *rows,
            "",
            "iozone test complete.",
        )
    )


_TOOLS = {"bonnie++": _bonnie, "dd": _dd, "fdtree": _fdtree, "iozone": _iozone}
