"""Systems told by the form of an output, by kernels built for one appliance, and by lines that name only a processor."""

from __future__ import annotations

import pytest

from ingest.tests.context_reading import read_clue_values
from ingest.tests.whole import read_measurements

DD = "1024+0 records in\n1024+0 records out\n1073741824 bytes (1.1 GB) copied, {} s, 268 MB/s\n"
MAC = "/dev/disk2 (external, physical):\n   #:                       TYPE NAME                    SIZE       IDENTIFIER\n"
BSD = "FreeBSD nas 13.1-RELEASE-p2 FreeBSD 13.1-RELEASE-p2 n245412-484f039b1d0 {} amd64\n"
XEON = "Intel(R) Xeon(R) Platinum 8124M CPU @ 3.00GHz"


@pytest.mark.parametrize(
    ("line", "family"),
    [
        ("\tBuild: linux-AMD64 \n", "Linux"),
        ("    Build: macosx \n", "Darwin"),
        ("Build: freebsd \n", "FreeBSD"),
        ("Build: Solaris10gcc-64 \n", "SunOS"),
        ("Build: Windows \n", None),
        ("Build: linux kernel modules\n", None),
        (MAC, "Darwin"),
        (MAC + "$ sudo hdparm -t /dev/sda\n", None),
    ],
)
def test_what_an_output_was_built_for(line, family):
    assert read_clue_values(line).get("os.family") == family


def test_what_a_system_says_of_itself_is_nearer_than_how_a_tool_was_built():
    [config] = {
        repr(m.config.get("os.family"))
        for m in read_measurements({"a.txt": "Linux a 6.1.0 #1 SMP x86_64 GNU/Linux\n\tBuild: linux \n" + DD.format(4)})
    }
    assert config == "'Linux'"


@pytest.mark.parametrize(
    ("line", "name"),
    [
        (BSD.format("TRUENAS"), "TrueNAS"),
        (BSD.format("root@x:/freenas/FreeNAS.amd64"), "FreeNAS"),
        (BSD.format("GENERIC"), "FreeBSD"),
        ("Linux nas 6.1.55-production+truenas #2 SMP PREEMPT_DYNAMIC Wed Oct 11 2023 x86_64 GNU/Linux\n", "TrueNAS"),
        ("Linux truenas 6.1.0-13-amd64 #1 SMP PREEMPT_DYNAMIC Debian 6.1.55-1 (2023-09-29) x86_64 GNU/Linux\n", None),
    ],
)
def test_kernels_of_appliances(line, name):
    assert read_clue_values(line, only="uname").get("os.name") == name


def test_a_distribution_with_its_version_in_both_rows():
    table = "Type | Version/Name\n--- | ---\nDistribution Name | CentOS 7\nDistribution Version | 7.7 1908\nLinux Kernel | 5.4.19\n"
    assert {"os.name": "CentOS", "os.version": "7.7"}.items() <= read_clue_values(table).items()


@pytest.mark.parametrize(
    ("row", "kind"),
    [
        ("tank/a  recordsize  1M  local\n", "zfs"),
        ("tank/a  mountpoint  /tank/a  default\n", "zfs"),
        ("tank/a  mountpoint  none  local\n", None),
        ("tank/vm-1  volblocksize  16K  default\n", None),
        ("tank/vm-1  compression  lz4  local\n", None),  # a volume has that as well
    ],
)
def test_properties_that_only_a_file_system_has(row, kind):
    assert read_clue_values("NAME  PROPERTY  VALUE  SOURCE\n" + row).get("fs.type") == kind


@pytest.mark.parametrize(
    ("heading", "family"),
    [
        ("## ext4 with Linux", "Linux"),
        ("## See https://linux.die.net/man/1/dd and ext4", None),
        ("## ext4 (from linux.die.net)", None),
    ],
)
def test_an_address_in_a_heading_tells_no_system(heading, family):
    assert {m.config.get("os.family") for m in read_measurements({"a.md": heading + "\n" + DD.format(4)})} == {family}


@pytest.mark.parametrize(
    ("sheet", "expected"),
    [
        (f"## CPU Information\n\n- **Model:** {XEON}\n- **Threads:** 8\n", {"cpu.model": "Xeon Platinum 8124M"}),
        ("### 2. Memory\n- **Total**: 64 GB\n", {"memory": 64 << 30}),
        (f"## Disk\n\n- **Model:** {XEON}\n", {}),
        (f"## CPU\n\n## Disk\n- **Model:** {XEON}\n", {}),
        (f"- {XEON}\n", {"cpu.model": "Xeon Platinum 8124M"}),
        (f"- {XEON}\n- Intel(R) Core(TM) i7-2620M CPU @ 2.70GHz\n", {}),
        ("- Intel graphics are slow\n", {}),
    ],
)
def test_rows_that_their_section_explains(sheet, expected):
    assert read_clue_values(sheet, only="spec sheets") == expected


def test_prompts_in_a_row_are_no_quotes():
    shell = "> zpool create tank mirror /dev/sda /dev/sdb\n> zfs set compression=lz4 tank\n> zfs set atime=off tank\n"
    [config] = {
        repr(m.config.get("pool.layout"))
        for m in read_measurements({"a.txt": shell + "> dd if=/dev/zero of=/tank/x bs=1M count=1024\n" + DD.format(4)})
    }
    assert config == "'mirror(2)'"
