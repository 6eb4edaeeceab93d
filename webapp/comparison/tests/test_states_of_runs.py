"""Archives with a true difference and state that is alike on both sides, and archives whose difference may be one of state."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest
from django.test import Client

from webapp.comparison.tests.result_files import bonnie, dd, dd_output, ior, iozone, mount, shell, system, zfs_get
from webapp.storage import load
from webapp.tests import samples

ROUNDS = ("r1", "r2", "r3")
DAYS = ("2026-11-02 09", "2026-11-03 14", "2026-11-06 20")
SIDES = {"off": 100.0, "lz4": 125.0}
COMPRESSION = "metric=write.throughput&x=compression&baseline=off"
FILE_SYSTEMS = "metric=write.throughput&x=fs&baseline=ext4"
NOISE = (1, 1.012, 0.991)


def pool(capacity: int = 40, fragmentation: int = 10, scan: str = "none requested") -> str:
    """`zpool list` and `zpool status`."""
    return shell(
        "tank",
        (
            "zpool list",
            "NAME   SIZE  ALLOC   FREE  CKPOINT  EXPANDSZ   FRAG    CAP  DEDUP    HEALTH  ALTROOT\n"
            f"tank  3.62T  1.45T  2.17T        -         -    {fragmentation}%    {capacity}%  1.00x    ONLINE  -\n",
        ),
        (
            "zpool status tank",
            f"  pool: tank\n state: ONLINE\n  scan: {scan}\nconfig:\n\n\tNAME        STATE     READ WRITE CKSUM\n"
            "\ttank        ONLINE       0     0     0\n\t  sda       ONLINE       0     0     0\n\nerrors: No known data errors\n",
        ),
    )


SCRUB = (
    "scrub in progress since Mon Nov  2 09:01:13 2026\n\t1.21T scanned at 512M/s, 310G issued at 131M/s, 3.10T total\n"
    "\t0B repaired, 9.77% done, 06:12:41 to go"
)
RESILVER = (
    "resilver in progress since Mon Nov  2 09:01:13 2026\n\t1.21T scanned at 512M/s, 310G issued at 131M/s, 3.10T total\n"
    "\t310G resilvered, 9.77% done, 06:12:41 to go"
)


def fio(rate: float, timestamp: int, **options: str) -> str:
    """fio's JSON of one job that writes 8 GiB."""
    size = 8 * 2**30
    milliseconds = int(size / rate / 2**20 * 1000)
    written = {"io_bytes": size, "bw_bytes": int(rate * 2**20), "bw": int(rate * 1024), "runtime": milliseconds, "total_ios": 65536}
    nothing = dict.fromkeys(written, 0)
    job = {
        "jobname": "w",
        "groupid": 0,
        "error": 0,
        "elapsed": milliseconds // 1000 + 1,
        "job options": {"name": "w", "rw": "write", "bs": "128k", "size": "8g", "filename": "/tank/f", "end_fsync": "1"} | options,
        "read": nothing,
        "write": written | {"iops": rate * 8},
        "trim": nothing,
    }
    return json.dumps({"fio version": "fio-3.33", "timestamp": timestamp, "time": _printed(timestamp), "jobs": [job]}, indent=1)


def rounds(state: Callable[[str, int], str] = lambda side, at: "", first: tuple[str, str] = ("off", "lz4")) -> dict[str, str]:
    """fio in three rounds of one session, both sides in each; `state` is what a shell says before a run."""
    files = {"system.txt": system("tank")}
    for at, name in enumerate(ROUNDS):
        for place, side in enumerate(first):
            files[f"{name}/{side}/zfs.txt"] = zfs_get(compression=f"{side}/local") + state(side, at)
            files[f"{name}/{side}/fio.json"] = fio(SIDES[side] * NOISE[at], 1_772_442_600 + 1200 * at + 600 * place)
    return files


def days(output: Callable[[str, str, float], str], rates: dict[str, float], folder: Callable[[str, int], str]) -> dict[str, str]:
    """Three days, on each both sides an hour apart, in the other order on the second day."""
    files = {"system.txt": system("tank")}
    for at, day in enumerate(DAYS):
        sides = list(rates.items())[:: -1 if at % 2 else 1]
        for number, (side, rate) in enumerate(sides):
            began = f"{day[:10]} {int(day[11:]) + number:02}"
            files[f"day{at + 1}/{side}.txt"] = folder(side, at) + output(began, side, rate * (1 + 0.01 * at))
    return files


def dated_dd(began: str, side: str, rate: float) -> str:
    """Three runs of dd after `date`."""
    del side
    command = "dd if=/dev/urandom of=/tank/f bs=1M count=8192 conv=fdatasync"
    date = _began(began).strftime("%a %b %e %H:%M:%S UTC %Y\n")
    return shell("tank", ("date", date), *((command, dd_output(rate * noise)) for noise in NOISE))


def dated_ior(began: str, side: str, rate: float) -> str:
    """Three repetitions of IOR."""
    del side
    return ior(_began(began).ctime(), [rate * noise for noise in NOISE], [2 * rate * noise for noise in NOISE], "/tank/ior", "tank")


def _began(text: str) -> datetime:
    return datetime.strptime(text, "%Y-%m-%d %H").replace(tzinfo=UTC)


def _printed(timestamp: int) -> str:
    return datetime.fromtimestamp(timestamp, UTC).ctime()


def zfs_day(**more: str) -> Callable[[str, int], str]:
    return lambda side, at: zfs_get(compression=f"{side}/local") + pool() + "".join(more.values())


def mounted(side: str, at: int) -> str:
    del at
    return mount("/dev/sdb1", "rw,relatime", side)


def machines(*hosts: str) -> dict[str, str]:
    return {
        f"{host}/{name}": text
        for at, host in enumerate(hosts)
        for name, text in {
            "system.txt": system(host),
            **{
                f"{side}.txt": zfs_get(host, compression=f"{side}/local")
                + dd(*(rate * (1 + at / 5) * noise for noise in NOISE), host=host)
                for side, rate in SIDES.items()
            },
        }.items()
    }


def kernels(cmdline: dict[str, str]) -> dict[str, str]:
    """Three days of each kernel, by turns, with its microcode."""
    files = {}
    for at in range(6):
        kernel, microcode = (("6.1.0-13-amd64", "0x42e"), ("6.9.7-amd64", "0x430"))[at % 2]
        uname = f"Linux {{host}} {kernel} #1 SMP PREEMPT_DYNAMIC Debian x86_64 GNU/Linux"
        files[f"2026-11-{at + 2:02}/log.txt"] = (
            system("tank", uname=uname)
            + shell(
                "tank",
                ("cat /proc/cmdline", f"BOOT_IMAGE=/boot/vmlinuz-{kernel} root=/dev/sdc1 ro quiet{cmdline.get(kernel, '')}\n"),
            )
            + shell("tank", ("grep -m1 microcode /proc/cpuinfo", f"microcode\t: {microcode}\n"))
            + mount("/dev/sdb1", "rw,relatime")
            + dated_dd(f"2026-11-{at + 2:02} {9 + at:02}", "", (100, 125)[at % 2] * (1 + at / 100))
        )
    return files


@dataclass(frozen=True)
class Case:
    """`claim`: words of the claim, or of the mean over machines; empty where there must be none. `said`: stands at the figure."""

    name: str
    files: dict[str, str]
    claim: str
    said: str = ""
    address: str = COMPRESSION


NEW_KERNEL = {"6.9.7-amd64": " mitigations=off"}
TRUE = (
    Case("fio in rounds, the pool alike", rounds(lambda side, at: pool(40 + at)), "faster in this session"),
    Case(
        "fio in rounds, caches dropped before every run",
        rounds(lambda side, at: shell("tank", ("echo 3 > /proc/sys/vm/drop_caches", ""))),
        "faster in this session",
    ),
    Case(
        "fio in rounds, a drive that the runs heat",
        rounds(
            lambda side, at: shell(
                "tank", ("uptime", f" 09:00:00 up 3 days, 1 user,  load average: {at + (side == 'lz4')}.10, 0.4, 0.2\n")
            )
        ),
        "faster in this session",
    ),
    Case("dd of random data on three days", days(dated_dd, SIDES, zfs_day()), "faster on this system"),
    Case(
        "iozone on two file systems on three days",
        days(lambda began, side, rate: iozone(began, *(rate * noise for noise in NOISE)), {"ext4": 100.0, "xfs": 125.0}, mounted),
        "faster on this system",
        address=FILE_SYSTEMS,
    ),
    Case(
        "dd on four machines", machines("alpha", "beta", "gamma", "delta"), "faster on these machines", "scrub, thermal throttling"
    ),
    Case(
        "IOR on two file systems on three days",
        days(dated_ior, {"ext4": 1000.0, "xfs": 1250.0}, mounted),
        "faster on this system",
        address=FILE_SYSTEMS,
    ),
    Case(
        "bonnie++ on two file systems",
        {"system.txt": system("tank")}
        | {
            f"{fs}.txt": mount("/dev/sdb1", "rw,relatime", fs) + bonnie(*((rate * noise, 200) for noise in NOISE), host="tank")
            for fs, rate in (("ext4", 100), ("xfs", 125))
        },
        "faster in this session",
        address=FILE_SYSTEMS,
    ),
    Case(
        "two kernels, each with its microcode",
        kernels({}),
        "faster on this system",
        address="metric=write.throughput&x=kernel&baseline=6.1.0-13-amd64",
    ),
)
MISLEADING = (
    Case(
        "a scrub under one side",
        rounds(lambda side, at: pool(scan=SCRUB if side == "off" else "none requested")),
        "",
        "cannot tell: a scrub ran under every run of off",
    ),
    Case(
        "a resilver under one side",
        rounds(lambda side, at: pool(scan=RESILVER if side == "lz4" else "none requested")),
        "",
        "cannot tell: a resilver or rebuild ran under every run of lz4",
    ),
    Case(
        "an encrypted device under one side",
        {"system.txt": system("tank")}
        | {
            f"r{at}/{fs}.txt": mount(device, "rw,relatime", fs) + dated_dd(f"2026-11-02 {9 + at}", fs, rate)
            for at in range(3)
            for fs, rate, device in (("ext4", 100, "/dev/mapper/luks-0a1b"), ("xfs", 125, "/dev/sdb1"))
        },
        "",
        "the device was encrypted under every run of ext4",
        FILE_SYSTEMS,
    ),
    Case(
        "a full pool under one side",
        rounds(lambda side, at: pool(93 if side == "off" else 4)),
        "",
        "93 % full under every run of off, 4 % under lz4",
    ),
    Case(
        "a fragmented pool under one side",
        rounds(lambda side, at: pool(40, 65 if side == "off" else 3)),
        "",
        "65 % fragmented under every run of off",
    ),
    Case(
        "caches dropped before one side",
        rounds(lambda side, at: shell("tank", ("sync; echo 3 > /proc/sys/vm/drop_caches", "")) if side == "off" else ""),
        "",
        "caches were dropped before every run of off only",
    ),
    Case(
        "another load under the side that ran first",
        rounds(
            lambda side, at: shell(
                "tank", ("uptime", f" 09:00:00 up 3 days, 1 user,  load average: {9 if side == 'off' else 0}.10, 5.4, 2.2\n")
            )
        ),
        "",
        "the load average was 9.10 under every run of off",
    ),
    Case(
        "mitigations switched off under one kernel",
        kernels(NEW_KERNEL),
        "",
        "CPU mitigations off under every run of 6.9.7-amd64",
        address="metric=write.throughput&x=kernel&baseline=6.1.0-13-amd64",
    ),
    Case(
        "a check of the array under one side",
        rounds(
            lambda side, at: shell(
                "tank",
                (
                    "cat /proc/mdstat",
                    "Personalities : [raid1]\nmd0 : active raid1 sdb1[1] sda1[0]\n      976630464 blocks super 1.2 [2/2] [UU]\n"
                    + (
                        "      [==>..................]  check = 12.6% (123456/976630464) finish=127.5min speed=112640K/sec\n"
                        if side == "off"
                        else ""
                    )
                    + "\nunused devices: <none>\n",
                ),
            )
        ),
        "",
        "a check of the array ran under every run of off",
    ),
    Case(
        "a scrub on one of three days",
        days(
            dated_dd,
            SIDES,
            lambda side, at: zfs_get(compression=f"{side}/local") + pool(scan=SCRUB if at == 1 else "none requested"),
        ),
        "faster in these 3 sessions",
        "a scrub ran under 3 of 9 runs of lz4 and 3 of 9 runs of off",
    ),
    Case(
        "how full the pool is recorded of one side",
        days(
            dated_dd,
            SIDES,
            lambda side, at: (
                zfs_get(compression=f"{side}/local") + (pool().partition("root@tank:~# zpool status")[0] if side == "off" else "")
            ),
        ),
        "faster in these 3 sessions",
        "not recorded for lz4: how full the pool or file system is",
    ),
    Case(
        "data of unknown contents on three days",
        days(lambda began, side, rate: iozone(began, *(rate * noise for noise in NOISE)), SIDES, zfs_day()),
        "faster in these 3 sessions",
        "contents of the data unknown",
    ),
)


@pytest.mark.django_db
@pytest.mark.parametrize("case", [*TRUE, *MISLEADING], ids=lambda case: case.name)
def test_claims_go_as_far_as_states_and_contents_let_them(case):
    row = samples.received(samples.tar({path: text.encode() for path, text in case.files.items()}), f"{case.name}.tar")
    load.accept(row.pk, "")
    for address in (case.address, ""):
        page = json.loads(Client().get(f"/compare.json?{address}&archive={row.pk}").content)
        groups = [group for panel in page["panels"] for group in panel["groups"]]
        claims = [group["claim"] for group in groups if group["claim"]]
        claims += [whole["claim"] for panel in page["panels"] for whole in panel["overall"] if whole["claim"]]
        said = json.dumps([[group["doubts"], group["withheld"]] for group in groups] + [flag["sentence"] for flag in page["flags"]])
        if case.claim == "":
            assert not [claim for claim in claims if re.search("faster|slower", claim)], said
        elif address:
            assert case.claim in claims, (claims, said, [group["n"] for group in groups])
        if address:
            assert case.said in said
