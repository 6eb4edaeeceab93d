"""The whole kit as a plain user: it works, says what root would add, and its archive lacks what root's would alone."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from client.tests.running import KIT, SHELLS, Stage, manifest_of, unpack
from ingest import read
from ingest.records import Measurement
from ingest.tests.thinning import some

USER = 65534 if os.geteuid() == 0 else os.geteuid()
ROOT_TOOLS = {"dmidecode": ["dmidecode -t memory"], "nvme": ["nvme list"], "lvs": ["lvs -o +devices"]}
OPTIONS = ("-n", "2", "--blocks", "--set", "true compression=lz4", "--set", "true compression=off", "--beside", "1", "--mask")


@pytest.fixture(params=some(SHELLS, 2))
def stage(request) -> Iterator[Stage]:
    """A folder of the plain user's, with programs that need root: each says that it was called."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        made = Stage(folder, request.param)
        made.kit = folder / KIT.name
        shutil.copy(KIT, made.kit)
        for tool in (*ROOT_TOOLS, "dumpe2fs", "btrfs"):
            made.program(tool, f"echo called {tool}")
        if os.geteuid() == 0:
            for path in (folder, *folder.rglob("*")):
                os.chown(path, USER, USER)
        yield made


def _of_mounted() -> list[str]:
    """What the file systems that are mounted here need root for, as the kit asks."""
    asked = []
    for line in Path("/proc/mounts").read_text().splitlines():
        device, mounted, kind, *_ = line.split()
        if device in ("cgroup", "proc", "sysfs", "tmpfs"):
            continue
        asked += [f"dumpe2fs -h {device}"] if kind in ("ext2", "ext3", "ext4") else []
        asked += [f"btrfs filesystem show {mounted}"] if kind == "btrfs" else []
    return asked


@pytest.mark.skipif(not Path("/proc/mounts").exists(), reason="the commands are those of Linux")
def test_a_plain_user_captures_all_that_needs_no_root_and_is_told_the_rest(stage):
    user = str(USER) if os.geteuid() == 0 else ""
    said = stage.run("--out", "plain", *OPTIONS, "--run", "/bin/dd if=/dev/zero of=data bs=1M count=4", as_user=user)
    archive = stage.folder / "plain.tar.gz"
    wanted = [command for commands in ROOT_TOOLS.values() for command in commands] + _of_mounted()
    told = said.split("as root it would also have recorded:\n")[1].splitlines()
    assert {line.strip() for line in told} >= set(wanted)
    assert manifest_of(archive)["capture"]["needs_root"] == [line.strip() for line in told]
    runs = manifest_of(archive)["runs"]
    assert [run["status"] for run in runs] == [0] * 4
    assert {run["caches"] for run in runs} == {"not dropped: that needs root"}
    recorded = "".join(path.read_text() for path in unpack(archive).glob("session-1/*.txt"))
    assert "called" not in recorded.replace("called btrfs", "", recorded.count("$ btrfs filesystem usage"))
    assert {path.stat().st_uid for path in (stage.folder / "plain").rglob("*")} == {USER}
    measured = [record for record in read([archive]) if isinstance(record, Measurement)]
    assert len({record.file for record in measured if record.tool == "dd"}) == 4


@pytest.mark.skipif(os.geteuid() != 0, reason="compares with root")
def test_root_records_what_the_plain_user_was_told_and_the_configuration_is_the_same(stage):
    command = ("--run", "/bin/dd if=/dev/zero of=data bs=1M count=4")
    stage.run("--out", "plain", *OPTIONS, *command, as_user=str(USER))
    stage.run("--out", "all", *OPTIONS, "--no-drop", *command)
    plain, whole = stage.folder / "plain.tar.gz", stage.folder / "all.tar.gz"
    told = manifest_of(plain)["capture"]["needs_root"]
    assert "needs_root" not in manifest_of(whole)["capture"]
    recorded = "".join(path.read_text() for path in unpack(whole).glob("session-1/*.txt"))
    assert [f"\n$ {command}\n" in f"\n{recorded}" for command in told] == [True] * len(told)
    known, of_root = (
        {key for record in read([archive]) if isinstance(record, Measurement) for key in record.config}
        for archive in (plain, whole)
    )
    assert known <= of_root and {"os.name", "kernel", "cpu.model", "memory"} <= known
    assert {key.split(".")[0] for key in of_root - known} <= {"sysctl"}, "some of these are for root's eyes"
