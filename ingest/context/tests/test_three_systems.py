"""One pool carried through three systems by turns: the configuration of each of 24 timings, reasoned line by line.

The transcript has the form of a report that was published: prose between commands, copies first, then reads, then the
properties of pool and data set, then archives unpacked and removed without compression, and once more with it.
"""

from __future__ import annotations

import pytest

from ingest.keys import KEYS
from ingest.tests.whole import printed_config, read_measurements

SUN, BSD, LINUX = "root@box:~#", "root@box:~ #", "[root@box ~]#"
UNAME = {
    SUN: "SunOS box 5.11 oi_151a9 i86pc i386 i86pc Solaris",
    BSD: "FreeBSD box 10.0-RELEASE FreeBSD 10.0-RELEASE #0 r260789: Thu Jan 16 22:34:59 UTC 2014     r@x:/usr/obj  amd64",
    LINUX: "Linux box 2.6.32-431.5.1.el6.x86_64 #1 SMP Wed Feb 12 00:41:43 UTC 2014 x86_64 x86_64 x86_64 GNU/Linux",
}
FOLDER = {SUN: "root@box:/tank/data#", BSD: "root@box:/tank/data #", LINUX: "[root@box data]#"}
# What `uname -a` tells. That the Linux is CentOS stands in prose only, so no distribution is told for it.
SYSTEM = {
    SUN: {"os.family": "SunOS", "os.name": "OpenIndiana", "os.version": "151a9", "kernel": "5.11 oi_151a9", "arch": "i86pc"},
    BSD: {"os.family": "FreeBSD", "os.name": "FreeBSD", "os.version": "10.0-RELEASE", "kernel": "10.0-RELEASE", "arch": "amd64"},
    LINUX: {"os.family": "Linux", "kernel": "2.6.32-431.5.1.el6.x86_64", "arch": "x86_64"},
}
# The pool: `zpool status` shows two disks in one mirror, without log and cache; `zpool get all` its ashift. It is the same
# pool on every system, so this holds through every export and import, and backwards to the first copy.
POOL = {
    "pool.name": "tank",
    "fs.type": "zfs",
    "pool.layout": "mirror(2)",
    "disk.count": 2,
    "pool.log": "off",
    "pool.cache": "off",
    "pool.ashift": 12,
}
# `zfs get all tank/data` is shown once, after the reads: what a command shows holds in both directions.
DATA = {"pool.recordsize": 131072, "pool.sync": "standard", "pool.copies": 1, "pool.dedup": "off", "pool.atime": "off"}

PROPERTIES = """{prompt} zpool get all tank
NAME  PROPERTY  VALUE  SOURCE
tank  size      368G   -
tank  ashift    12     local
{prompt} zfs get all tank/data
NAME       PROPERTY     VALUE       SOURCE
tank/data  type         filesystem  -
tank/data  recordsize   128K        default
tank/data  mountpoint   /tank/data  default
tank/data  compression  off         local
tank/data  atime        off         local
tank/data  copies       1           default
tank/data  dedup        off         default
tank/data  sync         standard    default
"""


class Log:
    """Writes the transcript and remembers which timing stands for what."""

    def __init__(self) -> None:
        self.text = "A comparison of three systems (CentOS among them) on one machine.\n"
        self.expected: list[tuple[str, str, str]] = []
        self.seconds = 10

    def say(self, *lines: str) -> None:
        self.text += "".join(f"{line}\n" for line in lines)

    def arrive(self, prompt: str) -> None:
        self.say(f"{prompt} uname -a", UNAME[prompt], f"{prompt} zpool import tank")

    def leave(self, prompt: str) -> None:
        self.say(f"{FOLDER[prompt]} cd", f"{prompt} zpool export tank", "A remark in prose.")

    def status(self, prompt: str) -> None:
        self.say(
            f"{prompt} zpool status tank",
            "  pool: tank",
            " state: ONLINE",
            "config:",
            "",
            " NAME        STATE     READ WRITE CKSUM",
            " tank        ONLINE       0     0     0",
            "   mirror-0  ONLINE       0     0     0",
            "     c5t3d0  ONLINE       0     0     0",
            "     c5t1d0  ONLINE       0     0     0",
            "",
            "errors: No known data errors",
        )

    def timed(self, prompt: str, command: str, compression: str) -> None:
        """A timed command: bash's words, or the one line of csh."""
        self.seconds += 1
        self.say(f"{FOLDER[prompt]} time {command}")
        self.say(
            f"0.007u 4.455s 0:{self.seconds}.50 1.7% 21+174k 70801+2io 0pf+0w"
            if prompt == BSD
            else f"\nreal 0m{self.seconds}.500s\nuser 0m0.056s\nsys 0m6.702s"
        )
        self.expected.append((prompt, command.split()[0], compression))

    def read(self, prompt: str, name: str) -> None:
        self.seconds += 1
        self.say(
            f"{prompt} dd if=/tank/data/{name} of=/dev/null bs=1M",
            "100+0 records in",
            "100+0 records out",
            f"104857600 bytes transferred in {self.seconds}.500000 secs (1000000 bytes/sec)"
            if prompt == BSD
            else f"104857600 bytes (105 MB) copied, {self.seconds}.5 s, 1.0 MB/s",
        )
        self.expected.append((prompt, "dd", "off"))


def written() -> Log:
    log = Log()
    for prompt in (SUN, BSD, LINUX):  # three copies; nothing is compressed, as `zfs get all` shows further below
        log.arrive(prompt)
        log.status(prompt)
        log.say(f"{prompt} cd /tank/data")
        log.timed(prompt, "cp x x-copied", "off")
        log.leave(prompt)
    for prompt in (SUN, BSD, LINUX):  # nine reads, after a reboot that only prose tells of
        log.say(f"{prompt} uname -a", UNAME[prompt])
        for name in ("x1", "x2", "x3"):
            log.read(prompt, name)
    log.say("The properties:", PROPERTIES.format(prompt=LINUX).rstrip())
    for prompt in (SUN, BSD, LINUX):  # six without compression, still
        log.arrive(prompt)
        log.say(f"{prompt} cd /tank/data")
        log.timed(prompt, "tar xf x.tar", "off")
        log.timed(prompt, "rm -rf x", "off")
        log.leave(prompt)
    for prompt in (SUN, BSD, LINUX):  # and six with it: set on the first system, carried by the pool to the others
        log.arrive(prompt)
        if prompt == SUN:
            log.say(f"{prompt} zfs set compression=lz4 tank/data")
        log.say(
            f"{prompt} zfs get compression tank/data",
            "NAME       PROPERTY     VALUE     SOURCE",
            "tank/data  compression  lz4       local",
            f"{prompt} cd /tank/data",
        )
        log.timed(prompt, "tar xf x.tar", "lz4")
        log.timed(prompt, "rm -rf x", "lz4")
        log.leave(prompt)
    return log


LOG = written()
FOUND = sorted((m for m in read_measurements({"report.txt": LOG.text}) if m.metric.endswith(".elapsed")), key=lambda m: m.line)


def test_there_are_24():
    assert len(LOG.expected) == len(FOUND) == 24


@pytest.mark.parametrize("at", range(24))
def test_the_configuration_of_each(at):
    prompt, tool, compression = LOG.expected[at]
    found = FOUND[at]
    assert (found.tool, found.value) == (tool, 11.5 + at)
    assert {key: value for key, value in printed_config(found).items() if key in KEYS} == {
        "host": "box",
        **SYSTEM[prompt],
        **POOL,
        **DATA,
        "pool.compression": compression,
    }


@pytest.mark.parametrize("at", range(24))
def test_the_line_behind_system_and_compression(at):
    """The system is the nearest `uname` above; compression is what was last shown or set above, else shown below."""
    prompt, _, compression = LOG.expected[at]
    lines, found = LOG.text.split("\n"), FOUND[at]
    above = [n for n, line in enumerate(lines[: found.line], 1) if line == UNAME[prompt]]
    assert found.config_from["os.family"] == f"report.txt:{above[-1]}"
    told = lines[int(found.config_from["pool.compression"].split(":")[1]) - 1]
    assert compression in told and "compression" in told


def test_the_caches_of_the_first_run_after_each_import_were_left_behind():
    """Exported on one system and imported on the next: the first run finds nothing of the pool in memory.

    Nothing tells so of the very first run, nor of the first tar: the export before it stands before the reads.
    """
    told = [at for at, found in enumerate(FOUND) if found.cache is not None and found.cache[0] == "reimported"]
    first = [at for at, (_, tool, _) in enumerate(LOG.expected) if tool in ("cp", "tar")]
    assert told == [at for at in first if at not in (0, 12)]
