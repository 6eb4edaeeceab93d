"""The check of a bundle that somebody drops: unpacked within limits, checked by this server's own verify.py in a process of
its own, and compared with what was frozen here."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO

from webapp.models import Collection, Permalink
from webapp.permalinks import stored_files
from webapp.permalinks.bundles import manifest, permalink_bundle, verify, verify_collection

MAX_BYTES, MAX_UNPACKED, MAX_FILES = 64 * 2**20, 256 * 2**20, 10_000
_SECONDS, _MEMORY = 20, 1 << 30
_RUN = (
    f"import resource, runpy, sys; resource.setrlimit(resource.RLIMIT_AS, ({_MEMORY}, {_MEMORY})); "
    f"resource.setrlimit(resource.RLIMIT_CPU, ({_SECONDS}, {_SECONDS})); sys.argv = sys.argv[1:]; "
    "runpy.run_path(sys.argv[0], run_name='__main__')"
)


class NotABundle(Exception):
    """What was dropped is no bundle, or too large; the text says which."""


@dataclass(slots=True)
class Outcome:
    """`code`: exit code of verify.py. `lines`: what it printed. `frozen`: the permalink or collection of this server with that
    name. `is_same`: whether the bundle is the one frozen here; None where there is none to compare with."""

    code: int
    lines: list[str] = field(default_factory=list)
    frozen: Permalink | Collection | None = None
    is_same: bool | None = None


def check_dropped(file: IO[bytes], digest: str) -> Outcome:
    """Check a dropped bundle. `digest`: as typed, or '': then that of the permalink with this name here, if there is one.

    Raises NotABundle.
    """
    with tempfile.TemporaryDirectory(prefix="poolmark-verify-") as place:
        folder, tool = Path(place, "bundle"), Path(place, "tool")
        _unpack(file, folder)
        collected = (folder / "collection.json").exists()
        frozen = _find_frozen(folder / ("collection.json" if collected else "record.json"), collected)
        digests = manifest.read_digests(frozen) if frozen is not None else None
        if not (folder / manifest.NAME).exists() and frozen is not None and digests and not digests.is_bundle_cited:
            stored = stored_files.find_file(frozen.pk, manifest.NAME)
            if stored is not None:
                (folder / manifest.NAME).write_bytes(bytes(stored.data))
        _write_tool(tool, collected)
        code, lines = _run(tool / "verify.py", digest or (digests.bundle if digests else ""), folder)
        found = folder / manifest.NAME
        is_same = verify.digest_of(found) == digests.bundle and code == 0 if digests and found.exists() else None
        return Outcome(code, lines, frozen, is_same)


def _unpack(file: IO[bytes], folder: Path) -> None:
    """Unpack a zip file within the limits. Raises NotABundle."""
    try:
        with zipfile.ZipFile(file) as archive:
            files = [info for info in archive.infolist() if not info.is_dir()]
            names = [PurePosixPath(info.filename) for info in files]
            if len(files) > MAX_FILES or sum(info.file_size for info in files) > MAX_UNPACKED:
                raise NotABundle("The file unpacks to more than an evidence bundle ever does.")
            if len(set(names)) < len(names):
                raise NotABundle("A path stands twice in the file.")
            if any(name.is_absolute() or ".." in name.parts for name in names):
                raise NotABundle("The file names a path outside of its folder.")
            for info in files:
                target = folder / info.filename
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(archive.read(info))
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError, OSError, ValueError) as error:
        raise NotABundle(f"The file cannot be unpacked: {error}. An evidence bundle is the .zip file of a permalink.") from error
    if not any((folder / name).exists() for name in ("record.json", "collection.json")):
        raise NotABundle(
            "The file holds neither record.json nor collection.json. An evidence bundle is the .zip file of a permalink."
        )


def _find_frozen(path: Path, collected: bool) -> Permalink | Collection | None:
    """The permalink or collection of this server that the record names."""
    try:
        name = str(json.loads(path.read_bytes())["id"])
    except verify.UNREADABLE:
        return None
    return (Collection if collected else Permalink).objects.filter(pk=name[:16]).first()


def _write_tool(folder: Path, collected: bool) -> None:
    """verify.py and the code that it needs, from this server."""
    folder.mkdir()
    (folder / "verify.py").write_bytes(Path(str((verify_collection if collected else verify).__file__)).read_bytes())
    (folder / "verify_figure.py").write_bytes(Path(verify.__file__).read_bytes())
    for part in permalink_bundle.code_parts():
        target = folder / part.path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(part.data)


def _run(script: Path, digest: str, folder: Path) -> tuple[int, list[str]]:
    """(exit code, printed lines) of the check, limited in time and memory."""
    arguments = [sys.executable, "-I", "-S", "-c", _RUN, str(script), *([digest] if digest else []), str(folder)]
    try:
        done = subprocess.run(arguments, capture_output=True, text=True, timeout=2 * _SECONDS, cwd="/", check=False)  # noqa: S603 a fixed program, with a list of arguments
    except subprocess.TimeoutExpired:
        return verify.DIFFERS, ["The check took too long and was stopped."]
    if done.returncode not in (verify.COVERED, verify.DIFFERS, verify.ITSELF, verify.RECORD_ALONE) or done.stderr:
        return verify.DIFFERS, [*done.stdout.splitlines(), "The check was stopped: the files need too much time or memory."]
    return done.returncode, done.stdout.splitlines()
