"""Readers and resolver together: whole transcripts and folders, the configuration of every measurement."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingest.pipeline.read import read
from ingest.records import Measurement, Warning
from ingest.tests.whole import printed_config, read_measurements

COPY = """{prompt} time cp /tank/a/x /tank/a/y

real\t0m{seconds}.000s
user\t0m0.010s
sys\t0m1.000s
"""
COPIED = "100+0 records in\n100+0 records out\n104857600 bytes (105 MB, 100 MiB) copied, {} s, 1 MB/s\n"
LINUX, SUN, BSD = "[root@box ~]#", "root@box:~#", "root@box:~ #"
UNAME = {
    LINUX: "Linux box 2.6.32-431.el6.x86_64 #1 SMP Wed Feb 12 00:41:43 UTC 2014 x86_64 x86_64 x86_64 GNU/Linux",
    SUN: "SunOS box 5.11 oi_151a9 i86pc i386 i86pc Solaris",
    BSD: "FreeBSD box 10.0-RELEASE FreeBSD 10.0-RELEASE #0 r260789: Thu Jan 16 22:34:59 UTC 2014     r@x:/usr  amd64",
}


def turn(prompt: str, *parts: str) -> str:
    """A visit to one system: uname, import, what is done there, export."""
    opening = f"{prompt} uname -a\n{UNAME[prompt]}\n{prompt} zpool import tank\n"
    return opening + "".join(parts) + f"{prompt} zpool export tank\n"


def show(prompt: str, value: str) -> str:
    return f"{prompt} zfs get compression tank/a\nNAME    PROPERTY     VALUE     SOURCE\ntank/a  compression  {value}       local\n"


def configurations(root: Path, **files: str) -> tuple[dict[tuple[str, float], dict], list[Warning]]:
    """(file, value) -> configuration of every elapsed time, and the contradictions."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    records = list(read([root]))
    found = {
        (r.file.removeprefix(f"{root}/"), r.value): printed_config(r)
        for r in records
        if isinstance(r, Measurement) and r.metric.endswith(".elapsed")
    }
    return found, [r for r in records if isinstance(r, Warning) and r.code == "conflict"]


def test_three_systems_by_turns(tmp_path):
    log = "A report in prose. The pool is a mirror on three systems.\n" + "".join(
        (
            turn(SUN, COPY.format(prompt=SUN, seconds=11)),
            turn(BSD, COPY.format(prompt=BSD, seconds=12)),
            turn(LINUX, COPY.format(prompt=LINUX, seconds=13)),
            "Now with compression.\n",
            turn(SUN, show(SUN, "off"), f"{SUN} zfs set compression=lz4 tank/a\n", COPY.format(prompt=SUN, seconds=14)),
            turn(BSD, show(BSD, "lz4"), COPY.format(prompt=BSD, seconds=15)),
            turn(LINUX, COPY.format(prompt=LINUX, seconds=16)),
        )
    )
    got, conflicts = configurations(tmp_path, **{"log.txt": log})
    assert not conflicts
    by_time = {value: config for (_, value), config in got.items()}
    assert [by_time[n]["os.family"] for n in range(11, 17)] == ["SunOS", "FreeBSD", "Linux"] * 2
    # What `zfs get` shows in the fourth turn holds back to the beginning; what `zfs set` sets holds from there on.
    assert [by_time[n]["pool.compression"] for n in range(11, 17)] == ["off"] * 3 + ["lz4"] * 3
    # The kernel of el6 is that of several distributions: the name is absent, and OpenIndiana's does not reach over.
    assert [by_time[n].get("os.name") for n in range(11, 14)] == ["OpenIndiana", "FreeBSD", None]
    assert {config["pool.name"] for config in by_time.values()} == {"tank"}
    assert {config["host"] for config in by_time.values()} == {"box"}


SWEEP = "tank  compression  gzip-9  local\ntank  atime  off  local\ntank  recordsize  128K  default\n"


def test_labels_of_a_sweep_win_over_a_dump_taken_after_it(tmp_path):
    text = "".join(f"compression={name}\n{COPIED.format(n)}" for n, name in enumerate(("off", "lz4", "gzip"), 1))
    got, conflicts = configurations(tmp_path, **{"dd.txt": text, "zfs-get-all.txt": SWEEP})
    assert not conflicts
    assert {config["pool.compression"] for config in got.values()} == {"off", "lz4", "gzip-6"}
    assert {config["pool.atime"] for config in got.values()} == {"off"}
    assert {config["pool.recordsize"] for config in got.values()} == {131072}


def test_the_folder_of_a_file_tells_what_the_archive_does_not(tmp_path):
    got, _ = configurations(
        tmp_path,
        **{
            "freebsd/lz4/run1.txt": COPIED.format(1),
            "linux/zfs-gzip-6/run1.txt": COPIED.format(2),
            "poolmark.toml": '[configuration]\ncpu.model = "AMD EPYC"\n[files."linux/"]\nos.name = "Debian"\n',
        },
    )
    assert {config["cpu.model"] for config in got.values()} == {"AMD EPYC"}
    one, other = got["freebsd/lz4/run1.txt", 1.0], got["linux/zfs-gzip-6/run1.txt", 2.0]
    assert (one["os.name"], one["pool.compression"]) == ("FreeBSD", "lz4")
    assert (other["os.name"], other["os.family"], other["pool.compression"]) == ("Debian", "Linux", "gzip-6")


DD = "root@vm:~# dd if=/dev/zero of={path} bs=1M\n" + COPIED.replace("{}", "{seconds}")


def test_a_pool_made_anew_starts_without_the_settings_of_the_old_one(tmp_path):
    log = (
        "root@vm:~# zpool create -O compression=gzip tank mirror sdb sdc\n"
        + DD.format(path="/tank/x", seconds=1)
        + "root@vm:~# zpool destroy tank\nroot@vm:~# mkfs.btrfs -d raid1 /dev/sdb /dev/sdc\n"
        + "root@vm:~# mount -o compress=zstd:3 /dev/sdb /mnt/b\n"
        + DD.format(path="/mnt/b/x", seconds=2)
        + "root@vm:~# umount /mnt/b\nroot@vm:~# zpool create tank sdb sdc\n"
        + DD.format(path="/tank/x", seconds=3)
        + "root@vm:~# zfs get atime tank\nNAME  PROPERTY  VALUE  SOURCE\ntank  atime     on     default\n"
    )
    got, conflicts = configurations(tmp_path, **{"log.txt": log})
    assert not conflicts
    keys = ("fs.type", "pool.layout", "pool.compression", "pool.atime")
    by_time = {value: tuple(config.get(key) for key in keys) for (_, value), config in got.items()}
    assert by_time[1.0][:3] == ("zfs", "mirror(2)", "gzip-6")
    assert by_time[2.0][:3] == ("btrfs", "raid1(2)", "zstd-3")
    assert by_time[3.0] == ("zfs", "stripe(2)", None, "on")


@pytest.mark.parametrize("gone", ["uname.txt", "status.txt"])
def test_without_an_evidence_file_exactly_its_keys_are_absent(tmp_path, gone):
    files = {
        "dd.txt": COPIED.format(1),
        "uname.txt": UNAME[LINUX] + "\n",
        "status.txt": "  pool: tank\n state: ONLINE\nconfig:\n\n\tNAME  STATE  READ WRITE CKSUM\n\ttank  ONLINE 0 0 0\n"
        "\t  sda  ONLINE 0 0 0\n\nerrors: No known data errors\n",
    }
    only = {
        "uname.txt": {"host", "os.family", "kernel", "arch"},
        "status.txt": {
            "pool.name",
            "fs.type",
            "pool.layout",
            "disk.count",
            "pool.log",
            "pool.cache",
            "state.scrub",
            "state.resilver",
        },
    }
    whole, _ = configurations(tmp_path / "whole", **files)
    less, _ = configurations(tmp_path / "less", **{name: text for name, text in files.items() if name != gone})
    (one,), (other,) = whole.values(), less.values()
    assert set(one) - set(other) == only[gone]
    assert {key: one[key] for key in other} == other


def test_a_fuller_version_contradicts_no_shorter_one(tmp_path):
    """FreeBSD's uname says 13.2-RELEASE-p4 and amd64 where its os-release says 13.2 and another tool x86_64."""
    got, conflicts = configurations(
        tmp_path,
        **{
            "uname.txt": "FreeBSD node01 13.2-RELEASE-p4 FreeBSD 13.2-RELEASE-p4 GENERIC amd64\n",
            "os-release": 'NAME=FreeBSD\nVERSION="13.2-RELEASE"\nVERSION_ID="13.2"\nID=freebsd\n',
            "lscpu.txt": "Architecture:        x86_64\nCPU(s):              16\nModel name:          Xeon E3110\n",
            "dd.txt": "# dd if=/tank/f of=/dev/null bs=1m\n1024+0 records in\n1024+0 records out\n"
            "1073741824 bytes transferred in 2.000000 secs (536870912 bytes/sec)\n",
        },
    )
    assert not conflicts
    (config,) = got.values()
    assert (config["os.version"], config["arch"]) == ("13.2-RELEASE-p4", "x86_64")


@pytest.mark.parametrize(
    ("one", "other", "agreed"), [("13.2", "13.1", None), ("11", "1", None), ("22.04", "22.04.3", "22.04.3"), ("11.7", "11", "11.7")]
)
def test_versions_agree_where_one_is_the_other_with_more_behind_it(tmp_path, one, other, agreed):
    got, conflicts = configurations(
        tmp_path,
        **{
            "a-os-release": f'NAME=Ubuntu\nVERSION_ID="{one}"\nID=ubuntu\n',
            "z-os-release": f'NAME=Ubuntu\nVERSION_ID="{other}"\nID=ubuntu\n',
            "dd.txt": "1024+0 records in\n1024+0 records out\n1073741824 bytes (1.1 GB) copied, 2 s, 537 MB/s\n",
        },
    )
    (config,) = got.values()
    assert (config.get("os.version"), bool(conflicts)) == (agreed, agreed is None)


A_GIB = "1024+0 records in\n1024+0 records out\n1073741824 bytes (1.1 GB, 1.0 GiB) copied, 1.25 s, 859 MB/s\n"
TWO_PLACES = """$ mkfs.ext4 -F /dev/sdb
$ mount /dev/sdb /mnt
$ df -hT /mnt /root
Filesystem     Type  Size  Used Avail Use% Mounted on
/dev/sdb       ext4  1.8T  1.1G  1.7T   1% /mnt
/dev/sda1      xfs   100G   10G   90G  10% /
"""
POOL = "$ zpool create tank raidz1 sda sdb sdc\n$ zfs set compression=lz4 tank\n"


@pytest.mark.parametrize(
    ("before", "path", "expected"),
    [
        (TWO_PLACES, "/mnt/x", {"fs.type": "ext4"}),
        (TWO_PLACES, "/root/x", {"fs.type": "xfs"}),
        (POOL, "/tmp/x", {}),
        (POOL.replace("tank", "rpool"), "/tmp/x", {"pool.compression": "lz4"}),
        (POOL, "/data/x", {"pool.compression": "lz4"}),
    ],
)
def test_a_device_or_a_pool_holds_no_path_of_the_system_itself(before, path, expected):
    found = read_measurements({"log.txt": f"{before}$ dd if=/dev/zero of={path} bs=1M count=1024\n{A_GIB}"})
    assert {key: found[0].config.get(key) for key in ("fs.type", "pool.compression") if key in expected or not expected} == (
        expected or {"fs.type": None, "pool.compression": None}
    )


def test_users_whose_names_are_numbers(tmp_path):
    log = "[121090184@node01 ~]$ time cp a b\nreal\t0m1.000s\nuser\t0m0.010s\nsys\t0m1.000s\n"
    found, _ = configurations(tmp_path, log=log)
    assert found == {("log", 1.0): {"host": "node01"}}


@pytest.mark.parametrize(
    ("told", "path", "fs"),
    [
        ("$ zfs set compression=lz4 tank/a\n", "/tank/a/x", "zfs"),
        (
            "$ zfs get compression tank/a\nNAME    PROPERTY     VALUE  SOURCE\ntank/a  compression  lz4    local\n",
            "/tank/a/x",
            "zfs",
        ),
        ("$ zfs set compression=lz4 tank/a\n", "/mnt/x", None),
        ("$ zfs set compression=lz4 tank/a\n", "/dev/zvol/tank/a", None),  # a volume
        ("$ zfs set compression=lz4 tank/a\n", "/tank/abc/x", None),
    ],
)
def test_a_data_set_that_a_path_names_is_no_volume(tmp_path, told, path, fs):
    found, _ = configurations(tmp_path, log=f"{told}$ time cp /b {path}\nreal\t0m1.000s\nuser\t0m0.010s\nsys\t0m1.000s\n")
    assert found["log", 1.0].get("fs.type") == fs


def test_what_uname_prints_does_not_hold_for_the_system_before_it(tmp_path):
    bsd = (
        "FreeBSD box 14.0-RELEASE FreeBSD 14.0-RELEASE #0 releng/14.0: Fri Nov 10 05:57:23 UTC 2023 root@a:/usr/obj/GENERIC amd64\n"
    )
    linux = "Linux box 6.1.0-13-amd64 #1 SMP PREEMPT_DYNAMIC Debian 6.1.55-1 (2023-09-29) x86_64 GNU/Linux\n"
    ask = "root@box:~# uname -a\n"
    log = ask + linux + COPY.format(prompt="root@box:~#", seconds=11) + ask + bsd + COPY.format(prompt="root@box:~#", seconds=12)
    by_time = {value: config for (_, value), config in configurations(tmp_path, **{"log.txt": log})[0].items()}
    assert (by_time[11]["os.family"], by_time[11].get("os.name"), by_time[11].get("os.version")) == ("Linux", None, None)
    assert (by_time[12]["os.family"], by_time[12]["os.name"], by_time[12]["os.version"]) == ("FreeBSD", "FreeBSD", "14.0-RELEASE")
    # Where the first system is not printed, the later one is taken to be it, as without any other.
    log = log.removeprefix(ask + linux)
    by_time = {value: config for (_, value), config in configurations(tmp_path, **{"log.txt": log})[0].items()}
    assert {config["os.name"] for config in by_time.values()} == {"FreeBSD"}
