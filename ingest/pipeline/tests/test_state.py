"""The state before a run: what was printed or done before it, as people paste it, and nothing that came after."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from ingest import read
from ingest.records import Measurement

AT = "root@nas:~# "
DD = "40960+0 records in\n40960+0 records out\n42949672960 bytes (43 GB, 40 GiB) copied, {}.5 s, 419 MB/s\n"
WRITE = AT + "dd if=/dev/zero of=/tank/f bs=1M count=40960\n" + DD
READ = AT + "dd if=/tank/f of=/dev/null bs=1M count=40960\n" + DD
DROP = AT + "sync; echo 3 > /proc/sys/vm/drop_caches\n"
ZPOOL_LIST = (
    "NAME   SIZE  ALLOC   FREE  CKPOINT  EXPANDSZ   FRAG    CAP  DEDUP    HEALTH  ALTROOT\n"
    "tank  3.62T  3.37T  0.25T        -         -    {frag}%    {cap}%  1.00x    {health}  -\n"
)
ZPOOL_STATUS = (
    "  pool: tank\n state: ONLINE\n{scan}config:\n\n\tNAME        STATE     READ WRITE CKSUM\n"
    "\ttank        ONLINE       0     0     0\n\t  sda       ONLINE       0     0     0{trim}\n\nerrors: No known data errors\n"
)


def status(scan: str = "", trim: str = "") -> str:
    return ZPOOL_STATUS.format(scan=f"  scan: {scan}\n" if scan else "", trim=trim)


def full(cap: int, frag: int = 1, health: str = "ONLINE") -> str:
    return ZPOOL_LIST.format(cap=cap, frag=frag, health=health)


def states(folder: Path, **files: str) -> list[dict[str, object]]:
    """The state before each run, in the order of the files and lines; a name has `__` for a slash."""
    for name, content in files.items():
        path = folder / f"{name.replace('__', '/')}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    runs = dict[tuple[str, object], dict[str, object]]()
    for one in read([folder]):
        if isinstance(one, Measurement):
            runs[one.file, one.run] = {key.removeprefix("state."): value for key, value in one.config.items() if "state." in key}
    return list(runs.values())


def only(states: list[dict[str, object]], key: str) -> list[object]:
    return [state.get(key) for state in states]


def test_the_nearest_reading_before_a_run_counts_and_none_after_it(tmp_path):
    log = (
        WRITE.format(1) + AT + "zpool list\n" + full(60, 5) + WRITE.format(2) + WRITE.format(3) + AT + "zpool list\n" + full(93, 71)
        + WRITE.format(4) + AT + "zpool list\n" + full(95, 80)
    )  # fmt: skip
    got = states(tmp_path, log=log)
    assert only(got, "capacity") == [None, 60, 60, 93] and only(got, "fragmentation") == [None, 5, 5, 71]


def test_caches_were_dropped_before_the_next_run_alone(tmp_path):
    got = states(tmp_path, log=DROP + READ.format(1) + READ.format(2) + DROP + READ.format(3))
    assert only(got, "caches_dropped") == ["dropped", None, "dropped"]


def test_a_transcript_knows_better_than_a_script_what_was_dropped(tmp_path):
    got = states(
        tmp_path,
        prepare="$ echo 3 > /proc/sys/vm/drop_caches\n$ true\n",
        a=READ.format(1),
        b="\n".join(READ.split("\n")[1:]).format(2),
    )
    assert only(got, "caches_dropped") == [None, "dropped"]


def test_a_file_beside_outputs_speaks_of_the_runs_in_its_folder(tmp_path):
    got = states(
        tmp_path, all=AT + "zpool list\n" + full(10), a__out=WRITE.format(1), a__list=AT + "zpool list\n" + full(93),
        b__out=WRITE.format(2),
    )  # fmt: skip
    assert only(got, "capacity") == [93, 10]


@pytest.mark.parametrize("name", ["zpool_list_after", "after-list", "list.post", "status-end"])
def test_what_was_recorded_after_the_runs_says_nothing_of_them(tmp_path, name):
    got = states(
        tmp_path, **{"out": WRITE.format(1), name: AT + "zpool list\n" + full(95), "before": AT + "zpool list\n" + full(40)}
    )
    assert only(got, "capacity") == [40]


def test_of_several_files_without_an_order_the_worst_counts(tmp_path):
    got = states(
        tmp_path,
        out=WRITE.format(1),
        s1=AT + "zpool status\n" + status(),
        s2=AT + "zpool status\n" + status("scrub in progress since now"),
    )
    assert only(got, "scrub") == ["yes"]


def test_an_erased_device_is_that_of_the_next_pool_alone(tmp_path):
    new = AT + "zpool create -f tank {} && zfs set atime=off tank\n"
    erase, destroy = AT + "blkdiscard -f /dev/sda\n", AT + "zpool destroy tank\n"
    log = (
        erase + new.format("mirror sda sdb") + WRITE.format(1) + WRITE.format(2) + destroy + new.format("sda sdb")
        + WRITE.format(3) + destroy + AT + "nvme format /dev/nvme0n1 -s 1\n" + new.format("nvme0n1p1") + WRITE.format(4)
    )  # fmt: skip
    got = states(tmp_path, log=log)
    assert only(got, "erased") == ["blkdiscard", "blkdiscard", None, "nvme format"]
    assert only(got, "created") == ["yes"] * 4


def test_a_file_system_on_an_erased_disk(tmp_path):
    one = AT + "mkfs.{0} /dev/sdb1\n" + AT + "mount /dev/sdb1 /tank\n" + WRITE.format(1) + AT + "umount /tank\n"
    got = states(tmp_path, log=AT + "hdparm --user-master u --security-erase p /dev/sdb\n" + one.format("ext4") + one.format("xfs"))
    assert only(got, "erased") == ["ATA secure erase", None] and only(got, "created") == ["yes", "yes"]


READINGS = re.findall(
    r"^\$ (.+)\n((?:.*\n)*?)=> (.+)$", (Path(__file__).parent / "state_readings.txt").read_text(encoding="utf-8"), re.MULTILINE
)


def test_there_are_readings():
    assert len(READINGS) > 45


@pytest.mark.parametrize(
    ("command", "printed", "expected"), READINGS, ids=[f"{at} {command}" for at, (command, _, _) in enumerate(READINGS)]
)
def test_reading_at_a_prompt_and_in_a_file_beside(tmp_path, command, printed, expected):
    """What state_readings.txt has below each command, as people paste it."""
    shown = f"{AT}{command}\n{printed}"
    [at_prompt] = states(tmp_path / "a", log=shown + WRITE.format(1))
    [beside] = states(tmp_path / "b", out="\n".join(WRITE.split("\n")[1:]).format(1), shown=f"{shown}{AT}true\n")
    assert at_prompt == beside == json.loads(expected)


def test_thin_volumes_are_found_by_what_is_mounted(tmp_path):
    mounted = AT + "mount\n/dev/mapper/vg0-{} on /tank type xfs (rw,relatime)\n"
    lvs = (
        AT
        + "lvs\n  LV   VG  Attr       LSize Pool Origin Data%\n"
        + "  data vg0 Vwi-aotz-- 1.00t pool0        0.10\n  root vg0 -wi-ao---- 1.00t\n"
    )
    got = states(
        tmp_path,
        a__m=mounted.format("data"),
        a__lvs=lvs,
        a__out=WRITE.format(1),
        b__m=mounted.format("root"),
        b__lvs=lvs,
        b__out=WRITE.format(2),
    )
    assert only(got, "thin") == ["yes", "no"]


def test_the_state_tells_no_two_configurations_apart_and_counts_on(tmp_path):
    log = WRITE.format(1) + AT + "zpool scrub tank\n" + WRITE.format(2)
    (tmp_path / "log.txt").write_text(log)
    found = [one for one in read([tmp_path]) if isinstance(one, Measurement) and one.metric == "write.elapsed"]
    assert [one.repetition for one in found] == [1, 2] and [one.config.get("state.scrub") for one in found] == [None, "yes"]
    assert not any(key.startswith("state.") for one in found for key in one.chosen)


ROW = "sdb             8:16   0  1.8T  0 disk  {}\n"
CRYPT = "└─luks-data   254:0    0  1.8T  0 crypt /tank\n"
LSBLK = AT + "lsblk\nNAME          MAJ:MIN RM  SIZE RO TYPE  MOUNTPOINTS\n"


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        (LSBLK + ROW.format("") + CRYPT, "yes"),
        (LSBLK + ROW.format("/tank") + CRYPT.replace("/tank", "/"), "no"),
        (AT + "mount\n/dev/mapper/luks-0a1b-2c3d on /tank type ext4 (rw,relatime)\n", "yes"),
        (AT + "mount\n/dev/mapper/luks-0a1b-2c3d on / type ext4 (rw)\n/dev/sdb1 on /tank type ext4 (rw)\n", None),
        (
            AT + "mount\n/dev/mapper/vault on /tank type ext4 (rw,relatime)\n" + AT + "cryptsetup status vault\n"
            "/dev/mapper/vault is active and is in use.\n  type:    LUKS2\n  cipher:  aes-xts-plain64\n",
            "yes",
        ),
        (AT + "mount\n/dev/ada1p1.eli on /tank (ufs, local, soft-updates)\n", "yes"),
    ],
)  # fmt: skip
def test_a_device_is_encrypted_if_the_run_is_on_it(tmp_path, shown, expected):
    assert only(states(tmp_path, log=shown + WRITE.format(1)), "encrypted") == [expected]


def test_the_kernel_s_own_line_of_the_load(tmp_path):
    log = AT + "cat /proc/loadavg\n9.10 5.40 2.20 3/900 1234\n" + WRITE.format(1)
    assert only(states(tmp_path, log=log), "load") == ["9.10"]
