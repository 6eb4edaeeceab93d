"""Every command line of docs/recipes.md runs as printed, on small sizes; programs that make file systems or pools are stood in
for."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from client.tests.running import KIT, Stage, manifest_of
from ingest import read
from ingest.records import Measurement

RECIPES = Path(__file__).parents[2] / "docs" / "recipes.md"
BLOCKS = re.findall(r"```sh\n(.*?)```", RECIPES.read_text(), re.DOTALL)
STOOD_IN_FOR = ("zfs", "zpool", "mount", "umount", "mkfs.ext4", "mkfs.xfs")
TOOLS = {"bonnie++", "fio", "iozone", "ior", "mdtest", "dd", "rsync"}
SMALL = {
    "64G": "1M",
    "64g": "1m",
    "count=65536": "count=1",
    "--runtime=60": "--runtime=1",
    "-n 10000": "-n 10",
    "-s 1m -n 128": "-s 0 -n 1",
}


def _name(block: str) -> str:
    return re.findall(r"--(?:out|resume) (\S+)", block)[0]


def test_the_recipes_are_found():
    assert len(BLOCKS) == 11
    assert {tool for tool in TOOLS if any(re.search(rf"\b{re.escape(tool)}", block) for block in BLOCKS)} == TOOLS


@pytest.mark.thorough
@pytest.mark.parametrize("block", [block for block in BLOCKS if "--resume" not in block], ids=_name)
def test_a_recipe_runs_and_its_archive_is_read(tmp_path, block):
    stage = Stage(tmp_path)
    stage.turn_clock()
    shutil.copy(KIT, tmp_path)
    bench = tmp_path / "data"
    (bench / "source").mkdir(parents=True)
    (bench / "source/file").write_bytes(bytes(100))
    tools = {tool for tool in TOOLS if re.search(rf"(?:'|-- |; ){re.escape(tool)} ", block)}
    for program in (*STOOD_IN_FOR, *(tool for tool in tools if shutil.which(tool) is None)):
        stage.program(program, "exit 0")
    command = re.sub(r"/(?:tank|srv|mnt)/bench", str(bench), block)
    for printed, small in SMALL.items():
        command = command.replace(printed, small)
    command = command.replace("bonnie++ -d", "bonnie++ -u root -d").replace("grep ", "echo ").replace("df -T", "echo")
    command = command.replace("sh poolmark-capture.sh", "sh poolmark-capture.sh --no-evidence --no-drop")
    environment = {**stage.environment, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    done = subprocess.run(
        ["sh", "-ec", command], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    if "--reboot-between" in block:
        assert f"--resume {tmp_path}/{_name(block)}" in done.stderr
        subprocess.run(["sh", str(KIT), "--pack", _name(block)], cwd=tmp_path, env=environment, check=True, capture_output=True)
    archive = tmp_path / f"{_name(block)}.tar.gz"
    runs = manifest_of(archive)["runs"]
    assert {run["status"] for run in runs} == {0}
    rounds = int(re.findall(r"-n (\d)", block)[0])
    sessions = 1 if "--reboot-between" in block else int((re.findall(r"--sessions (\d)", block) or ["1"])[0])
    assert len(runs) == rounds * sessions * max(block.count("--set "), 1) * max(block.count("--run "), 1)
    if all(shutil.which(tool) for tool in tools):
        measured = {record.tool for record in read([archive]) if isinstance(record, Measurement)}
        assert tools - measured <= {"bonnie++"}, "each tool's figures are read"
