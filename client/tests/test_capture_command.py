"""`poolmark capture`: the kit as the client runs it, from its own package."""

from __future__ import annotations

import hashlib
import os
import subprocess
import tarfile
import zipfile
from pathlib import Path

import pytest

from client.tests.running import KIT, unpack

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".venv" / "programs" / "bin" / "python"
QUICK = ("--no-evidence", "--no-drop")


def _capture(folder: Path, *arguments: str, source: Path = ROOT / "client" / "src", **more: str):
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "PYTHONPATH": str(source), **more}
    words = [PYTHON, "-m", "poolmark", "capture", *arguments]
    return subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """The folder of the package that a wheel installs."""
    folder = tmp_path_factory.mktemp("wheel")
    words = [PYTHON, "-m", "build", "--no-isolation", "--wheel", "--outdir", folder, ROOT / "client"]
    subprocess.run(words, check=True, capture_output=True)
    [made] = folder.glob("*.whl")
    with zipfile.ZipFile(made) as packed:
        packed.extractall(folder / "site")
    return folder / "site"


def test_the_wheel_brings_the_kit(wheel: Path, tmp_path: Path) -> None:
    brought = (wheel / "poolmark" / KIT.name).read_bytes()
    assert hashlib.sha256(brought).digest() == hashlib.sha256(KIT.read_bytes()).digest()
    done = _capture(
        tmp_path, "--out", "c", *QUICK, "-n", "2", "--set", "echo a=1", "--set", "echo a=2", "--run", "echo x", source=wheel
    )
    assert done.returncode == 0, done.stderr
    manifest = (unpack(tmp_path / "c.tar.gz") / "poolmark.toml").read_text()
    assert "made = 4\n" in manifest


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("--version",), 0, "poolmark-capture 2"),
        (("--help",), 0, "--push               push the archive"),
        (("--colour", "red"), 2, "not an option"),
        (("--out", "c", *QUICK, "--set", "exit 3", "--run", "echo x"), 1, "exit status 3"),
        (("--push", "--out", "c", *QUICK, "--run", "echo x"), 2, "No server is known"),
        (("--label", "branch", "--run", "x"), 2, "NAME=VALUE"),
        (("--server",), 2, "lacks its value"),
    ],
)
def test_exit_codes_are_passed_on(tmp_path: Path, arguments: tuple[str, ...], code: int, said: str) -> None:
    done = _capture(tmp_path, *arguments)
    assert done.returncode == code, done.stderr
    assert said in done.stdout + done.stderr


def test_words_for_the_kit_and_for_the_command_are_passed_through(tmp_path: Path) -> None:
    """Own options that stand as a value of the kit's, or behind --, are no own options."""
    done = _capture(tmp_path, "--out", "c", *QUICK, "--title", "--push", "--", "echo", "--push", "--wait", "a b")
    assert done.returncode == 0, done.stderr
    with tarfile.open(tmp_path / "c.tar.gz") as tar:
        texts = {name: tar.extractfile(name).read().decode() for name in tar.getnames() if name.endswith((".toml", ".txt"))}
    assert 'title = "--push"' in texts["c/poolmark.toml"]
    assert "--push --wait a b\n" in texts["c/session-1/round-1/1-setting-1/transcript.txt"]
