"""The virtual environment of script/sbom and script/audit: .venv-audit/, made of requirements/audit.txt."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = ROOT / ".venv-audit" / "bin"


def set_up() -> None:
    """Makes the virtual environment where it is missing or made of another list."""
    wanted, mark = (ROOT / "requirements/audit.txt").read_text(), BIN.parent / "poolmark-ready"
    if mark.exists() and mark.read_text() == wanted:
        return
    subprocess.run([sys.executable, "-m", "venv", BIN.parent], check=True)
    install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--require-hashes"]
    subprocess.run([BIN / "python", *install, "-r", ROOT / "requirements/audit.txt"], check=True)
    mark.write_text(wanted)


def npm() -> str:
    """The machine's npm, else that of script/setup."""
    return shutil.which("npm") or str(ROOT / ".venv/bin/npm")
