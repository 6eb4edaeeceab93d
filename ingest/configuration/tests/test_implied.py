"""What follows from a line that does not print it."""

import pytest

from ingest.configuration.implied import RULES
from ingest.tests.whole import read_measurements

DD = "$ dd if=/dev/zero of=/data/a bs=1M count=1000{}\n1048576000 bytes (1.0 GB, 1000 MiB) copied, 5.5 s, 190 MB/s\n"
UNAME = "$ uname -a\nLinux box {} #1 SMP Fri Nov 22 03:15:09 UTC 2013 x86_64 x86_64 x86_64 GNU/Linux\n"


def _read(text, **files):
    return read_measurements({"log.txt": text, **files})[0]


@pytest.mark.parametrize(
    ("options", "fsync", "implied"),
    [
        ("", "none", ("fsync",)),
        (" conv=notrunc", "none", ("fsync",)),
        (" conv=fdatasync", "fdatasync", ()),
        (" conv=notrunc,fsync", "fsync", ()),
        (" oflag=dsync", None, ()),
        (" oflag=direct", None, ()),
    ],
)
def test_dd_without_options_of_synchronisation(options, fsync, implied):
    found = _read("\n" + DD.format(options))
    assert (found.params.get("fsync"), found.implied) == (fsync, implied)
    assert found.config_from.get("fsync") == ("log.txt:2" if implied else None)


def test_a_reading_dd_synchronises_nothing():
    found = _read(DD.format("").replace("if=/dev/zero of=/data/a", "if=/data/a of=/dev/null"))
    assert found.metric.startswith("read.") and not found.implied and "fsync" not in found.params


def test_without_its_command_nothing_is_known_of_a_dd():
    assert not _read(DD.format("").partition("\n")[2]).implied


@pytest.mark.parametrize("kind", ["ext2", "ext3", "ext4", "xfs"])
def test_file_systems_that_cannot_compress(kind):
    mount = f"/dev/sda1 on /data type {kind} (rw,relatime)\n"
    found = _read(DD.format(" oflag=direct"), **{"mount.txt": mount})
    assert (found.config["pool.compression"], found.config["pool.dedup"]) == ("off", "off")
    assert found.implied == ("pool.compression", "pool.dedup") and found.config_from["pool.dedup"] == "mount.txt:1"


@pytest.mark.parametrize(
    "evidence",
    [
        "tank/v on /data type zfs (rw,xattr)\n",
        "/dev/sda1 on /data type btrfs (rw,relatime,compress=zstd:3)\n",
        "/dev/sda1 on /data type ext4 (rw)\ncompression: lz4\n",
    ],
)
def test_others_can(evidence):
    assert not _read(DD.format(" oflag=direct"), **{"notes.txt": evidence}).implied


@pytest.mark.parametrize(
    ("kernel", "name", "version"),
    [
        ("2.6.32-431.el6.x86_64", "Enterprise Linux", "6"),
        ("5.14.0-427.13.1.el9_4.x86_64", "Enterprise Linux", "9"),
        ("3.19.8-100.fc20.x86_64", "Fedora", "20"),
        ("4.14.336-257.562.amzn2.x86_64", "Amazon Linux", "2"),
        ("6.1.0-13-amd64", None, None),
        ("5.15.0-generic", None, None),
    ],
)
def test_the_distribution_of_a_kernel(kernel, name, version):
    found = _read(UNAME.format(kernel) + DD.format(" oflag=direct"))
    assert (found.config.get("os.name"), found.config.get("os.version")) == (name, version)
    assert found.implied == (("os.name", "os.version") if name else ())
    assert found.config_from.get("os.name") == ("log.txt:2" if name else None)


def test_a_named_distribution_wins():
    release = 'NAME="CentOS"\nVERSION_ID="6.5"\nID=centos\n'
    found = _read(UNAME.format("2.6.32-431.el6.x86_64") + DD.format(" oflag=direct"), **{"os-release": release})
    assert found.config["os.name"] == "CentOS" and not found.implied


def test_every_rule_is_in_the_document():
    with open("docs/implied.md") as document:
        text = document.read()
    assert all(rule.source in text for rule in RULES)
