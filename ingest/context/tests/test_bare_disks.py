"""What holds where a bare disk was measured rather than a file: its own model, no file system and no pool."""

from __future__ import annotations

import pytest

from ingest.tests.whole import read_measurements

READ = "\n{0}:\n Timing buffered disk reads: 450 MB in  3.00 seconds = 149.85 MB/sec\n"
SMART = "=== START OF INFORMATION SECTION ===\nDevice Model:     {}\nSerial Number:    X1\n"
LSBLK = """root@nas:~# lsblk -o NAME,SIZE,TYPE,MODEL
NAME    SIZE TYPE MODEL
sda     3.6T disk ACME SPIN 4000
sdb   931.5G disk ACME FLASH 970
"""
POOL = """root@nas:~# zpool create -o ashift=12 tank mirror /dev/sda /dev/sdb
root@nas:~# zfs set compression=lz4 tank
"""
FIO = """root@nas:/tank# fio --name=x --rw=write --bs=4k --size=22m --filename={0}
x: (g=0): rw=write, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=psync, iodepth=1
fio-3.33
Starting 1 process
x: (groupid=0, jobs=1): err= 0: pid={1}: Tue Jul  4 02:56:33 2023
  write: IOPS=18.6k, BW=72.8MiB/s (76.4MB/s)(22.0MiB/30{1}msec); 0 zone resets

Run status group 0 (all jobs):
  WRITE: bw=72.8MiB/s (76.4MB/s), 72.8MiB/s-72.8MiB/s (76.4MB/s-76.4MB/s), io=22.0MiB (23.1MB), run=302-302msec
"""


def _hdparm(device: str) -> str:
    return f"root@nas:~# hdparm -t {device}\n" + READ.format(device)


def _configs(content: str) -> list[dict[str, object]]:
    return [m.config for m in read_measurements({"log.txt": content}) if m.duplicate_of is None]


@pytest.mark.parametrize(
    ("asked", "model"),
    [("/dev/sda", "ACME SPIN 4000"), ("/dev/sdb", "ACME FLASH 970"), ("/dev/sdb1", "ACME FLASH 970"), ("/dev/sdc", None)],
)
def test_of_listed_disks_the_measured_one_tells_its_model(asked, model):
    [config] = _configs(LSBLK + _hdparm(asked))
    assert config.get("disk.model") == model
    assert config.get("disk.count") == (1 if model else None)


@pytest.mark.parametrize(
    "shown",
    [
        "root@nas:~# smartctl -i /dev/sda\n" + SMART.format("ACME SPIN 4000"),
        "root@nas:~# smartctl -i /dev/sda1\n" + SMART.format("ACME SPIN 4000"),
        "root@nas:~# hdparm -I /dev/sda\n\n/dev/sda:\n\nATA device, with non-removable media\n\tModel Number:  ACME SPIN 4000\n",
        "/dev/sda:\n\n Model=ACME SPIN 4000                       , FwRev=00840028, SerialNo=        X1\n Config={ Fixed }\n",
        "/dev/sda:\n\n Model=ACME SPIN 4000, FwRev=00840028, SerialNo=X1\n",
        "/dev/sda:\n multcount = 16 (on)\n IO_support = 1 (32-bit)\n using_dma = 1 (on)\n keepsettings = 0 (off)\n"
        " readonly = 0 (off)\n readahead = 8 (on)\n geometry = 4863/255/63\n\n Model=ACME SPIN 4000, FwRev=X0, SerialNo=X1\n",
        "Disk /dev/sda: 232.89 GiB, 250059350016 bytes, 488397168 sectors\nDisk model: ACME SPIN 4000\n",
        "  *-disk\n    description: ATA Disk\n    product: ACME SPIN 4000\n    logical name: /dev/sda\n    size: 232GiB (250GB)\n",
    ],
)
def test_one_disk_tells_nothing_of_another(shown):
    configs = _configs(shown + _hdparm("/dev/sda") + _hdparm("/dev/sdb"))
    assert [config.get("disk.model") for config in configs] == ["ACME SPIN 4000", None]


def test_of_a_file_all_models_are_told_since_nobody_knows_on_which_disk_it_lies():
    dd = "1024+0 records in\n1024+0 records out\n1073741824 bytes (1.1 GB) copied, 4 s, 268 MB/s\n"
    configs = _configs(LSBLK + "root@nas:~# dd if=/dev/zero of=/srv/x bs=1M count=1024\n" + dd)
    assert {config["disk.model"] for config in configs} == {"ACME FLASH 970 + ACME SPIN 4000"}


def test_disks_behind_a_controller_are_one_device_together():
    shown = "".join(f"root@nas:~# smartctl -i -d megaraid,{n} /dev/sda\n" + SMART.format(f"ACME SPIN {n}000") for n in (1, 2))
    [config] = _configs(shown + _hdparm("/dev/sda"))
    assert config["disk.model"] == "ACME SPIN 1000 + ACME SPIN 2000"


@pytest.mark.parametrize("device", ["/dev/sda", "/dev/nvme0n1p2", "/dev/disk/by-id/ata-ACME_X1"])
def test_a_bare_disk_lies_in_no_pool(device):
    inside, bare = _configs(POOL + FIO.format("/tank/x", 1) + FIO.format(device, 2))[::2]
    assert (inside["fs.type"], inside["pool.layout"], inside["pool.compression"]) == ("zfs", "mirror(2)", "lz4")
    assert not [key for key in bare if key.startswith(("fs.", "pool.", "disk."))]


def test_a_command_that_shows_a_disk_measures_none():
    shown = "# df -T /dev/sda\nFilesystem     Type  Size  Used Avail Use% Mounted on\n/dev/sda       ext4  1 1 1 1% /srv\n\n"
    assert {config["fs.type"] for config in _configs(shown + FIO.partition("\n")[2].format("", 1))} == {"ext4"}


def test_an_array_tells_of_itself_and_not_of_its_members():
    shown = "/dev/md0:\n        Version : 1.2\n     Raid Level : raid5\n   Raid Devices : 3\n"
    array, member = _configs("root@nas:~# mdadm --detail /dev/md0\n" + shown + _hdparm("/dev/md0") + _hdparm("/dev/sda"))
    assert (array["pool.layout"], array["disk.count"]) == ("raid5(3)", 3)
    assert "pool.layout" not in member and "disk.count" not in member


def test_a_volume_of_a_pool_lies_in_it():
    configs = _configs(POOL + FIO.format("/dev/zvol/tank/vol", 1))
    assert {config["pool.layout"] for config in configs} == {"mirror(2)"}
