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


IOR = """IOR-{version}: MPI Coordinated Test of Parallel I/O

Began: Tue Aug 28 12:04:46 2018
Command line used: {command}
Machine: Linux node7

Test 0 started: Tue Aug 28 12:04:46 2018
Summary:
\tapi                = POSIX
\tclients            = 2 (2 per node)
{options}
Max Write: 946.25 MiB/sec (992.21 MB/sec)
"""
IOR_DEFAULTS = {"block_size": 1048576, "segments": 1, "transfer_size": 262144}


def _sizes(found, names=IOR_DEFAULTS):
    """Parameters with their values, those that are implied, and the line from which each of these follows."""
    params = {name: found.params[name] for name in names if name in found.params}
    return params, sorted(found.implied), {found.config_from[name] for name in found.implied}


@pytest.mark.parametrize("version", ["2.10.3", "3.0.1", "3.3.0", "4.1.0+dev"])
@pytest.mark.parametrize(
    ("command", "given"),
    [
        ("ior -w -o /data/x", {}),
        ("ior -w -F -o /data/x -k", {}),
        ("ior -w -t 1m -o /data/x", {"transfer_size": 1048576}),
        ("ior -w -b 4m -o /data/x", {"block_size": 4194304}),
        ("ior -w -b 4m -t 1m -o /data/x", {"block_size": 4194304, "transfer_size": 1048576}),
        ("ior -w -b4m -t1m", {"block_size": 4194304, "transfer_size": 1048576}),
        ("ior -w -vvt 1m -O blockSize=4m", {"block_size": 4194304, "transfer_size": 1048576}),
        ("ior -w -O TRANSFERSIZE=1m,segmentCount=2", {"transfer_size": 1048576, "segments": 2}),
    ],
)
def test_sizes_that_an_ior_command_does_not_set(version, command, given):
    found = _read(IOR.format(version=version, command=command, options=""))
    implied = sorted(IOR_DEFAULTS.keys() - given.keys())
    assert _sizes(found) == (IOR_DEFAULTS | given, implied, {"log.txt:4"})


def test_what_ior_prints_is_not_implied():
    options = "\txfersize           = 4 MiB\n\tblocksize          = 8 MiB\n\tpattern            = strided (3 segments)\n"
    found = _read(IOR.format(version="3.0.1", command="ior -w", options=options))
    assert _sizes(found) == ({"block_size": 8388608, "segments": 3, "transfer_size": 4194304}, [], set())


@pytest.mark.parametrize(
    ("version", "command"),
    [
        ("2.8.1", "ior -w"),  # an unknown version
        ("3.0.1", "ior -w -f script"),
        ("3.0.1", "ior -w -o /da..."),
        ("3.0.1", "ior -w -o"),
        ("3.0.1", "ior -w\nsome other words of it:"),  # not all of it was read
    ],
)
def test_nothing_is_implied_without_version_and_whole_command(version, command):
    found = _read(IOR.format(version=version, command=command, options=""))
    assert not found.implied and not IOR_DEFAULTS.keys() & found.params.keys()


def test_no_size_is_implied_for_an_ior_without_command():
    text = IOR.format(version="3.0.1", command="ior -w", options="").replace("Command line used: ior -w\n", "")
    assert not _read(text).implied


def test_every_rule_is_in_the_document():
    with open("docs/evidence.md") as document:
        text = document.read()
    assert all(rule.source in text for rule in RULES)
