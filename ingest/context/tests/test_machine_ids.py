"""Ids of systems and serial numbers of boards and disks; none of what their makers left empty."""

from __future__ import annotations

import pytest

from ingest.tests.context_reading import read_clue_values

ID, UUID = "3f1c6a0e9d5b4c7f8a2e1d0b9c8f7a65", "4c4c4544-0042-3510-8052-b4c04f4d5931"
DMI = "System Information\n\tManufacturer: Dell Inc.\n\tSerial Number: {}\n\tUUID: {}\n"
NVME = "Node  SN  Model  Namespace Usage  Format  FW Rev\n"


def ids(text: str) -> set[str]:
    return {key.removeprefix("machine.") for key in read_clue_values(text, open_keys=True) if key.startswith("machine.")}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"   Static hostname: stor-17\n        Machine ID: {ID}\n           Boot ID: {ID[::-1]}\n", {f"id.{ID}"}),
        (f"root@stor-17:~# cat /etc/machine-id\n{ID}\nroot@stor-17:~# exit\n", {f"id.{ID}"}),
        (DMI.format("5B5RY12", UUID.upper()), {"serial.5B5RY12", f"id.{UUID}"}),
        ("root@a:~# dmidecode -s system-serial-number\n5B5RY12\n", {"serial.5B5RY12"}),
        (f"root@a:~# cat /sys/class/dmi/id/product_uuid\n{UUID}\n", {f"id.{UUID}"}),
        (f"kern.hostuuid: {UUID}\n", {f"id.{UUID}"}),
        (f'smbios.planar.serial="CN7475"\nsmbios.system.uuid="{UUID}"\n', {"serial.CN7475", f"id.{UUID}"}),
        (
            f"      Serial Number (system): C02ABC12DEF3\n      Hardware UUID: {UUID.upper()}\n",
            {"serial.C02ABC12DEF3", f"id.{UUID}"},
        ),
        ("=== START OF INFORMATION SECTION ===\nSerial Number:    WD-WCC7K0AB12CD\n", {"serial.WD-WCC7K0AB12CD"}),
        ('  "serial_number": "S3Z8NB0K123456X",\n', {"serial.S3Z8NB0K123456X"}),
        (f"{NVME}/dev/nvme0n1 S3Z8NB0K123456X  Samsung SSD 970 1  1.00  TB /   1.00  TB  512 B 2B2Q\n", {"serial.S3Z8NB0K123456X"}),
        (DMI.format("To Be Filled By O.E.M.", "03000200-0400-0500-0006-000700080009"), set()),
        (DMI.format("Not Specified", "ffffffff-ffff-ffff-ffff-ffffffffffff"), set()),
        (DMI.format("0123456789", "00000000-0000-0000-0000-000000000000"), set()),
        ("=== START OF INFORMATION SECTION ===\nSerial Number:    QM00003\n", set()),
        ("=== START OF INFORMATION SECTION ===\nSerial Number:    serial-2\n", set()),
        (f"/dev/md0:\n         UUID : {UUID}\n  Array UUID : {UUID}\n", set()),
        (f"/mnt/b\n\tName: \t\t\t<FS_TREE>\n\tUUID: \t\t\t{UUID}\n", set()),
        (f"Label:              (null)\nUUID:               {UUID}\nNode size:          16384\n", set()),
        (f"Filesystem UUID:          {UUID}\n", set()),
        ("Serial Number: none\nwrites a serial number: 42\n", set()),
    ],
)
def test_what_identifies_a_machine(text, expected):
    assert ids(text) == expected
