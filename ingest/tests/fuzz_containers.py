"""What script/fuzz runs for the target `containers`: archives built from fuzzed names and contents, then cut or damaged.

python -m ingest.tests.fuzz_target containers FOLDER [options of libFuzzer]
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from ingest.tests.hostile import build, containers
from ingest.tests.hostile.content import bonnie, dd

NAME = "containers"
INSTRUMENTED = ["ingest.containers"]
_BEGIN = [b"a.log", b"../a.log", b"/a", b"a//b", b"\xff", b"a\nb", b"", b".", b"n" * 300]


class Draws:
    """Numbers and bytes from the fuzzer's input; zeros once it is used up."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def bytes(self, count: int) -> bytes:
        """The next bytes, fewer at the end."""
        self._at += count
        return self._data[self._at - count : self._at]

    def number(self, below: int) -> int:
        """The next number."""
        return int.from_bytes(self.bytes(2), "big") % below


def container(draws: Draws, depth: int = 0) -> bytes:
    """An archive of a few members, packed or not, and perhaps damaged."""
    members = [(_name(draws), _content(draws, depth)) for _ in range(draws.number(5))]
    kind = draws.number(4)
    if kind < 2:
        made = build.tar(*members, end=bool(kind))
    else:
        made = build.zipped(*members, method=(0, 8)[draws.number(2)], streamed=kind == 3)
    if (packer := draws.number(6)) < 4:
        made = list(containers.PACKERS.values())[packer](made)
    return _damaged(draws, made)


def _name(draws: Draws) -> bytes:
    at = draws.number(2 * len(_BEGIN))
    return _BEGIN[at] if at < len(_BEGIN) else draws.bytes(draws.number(40))


def _content(draws: Draws, depth: int) -> bytes:
    kind = draws.number(5)
    if kind == 0 and depth < 3:
        return container(draws, depth + 1)
    return (dd(draws.number(9000)), bonnie(draws.number(99)), draws.bytes(draws.number(200)), b"", dd(1, 2, 3))[kind]


def _damaged(draws: Draws, made: bytes) -> bytes:
    for _ in range(draws.number(4)):
        at = draws.number(1 << 16) % (len(made) + 1)
        kind = draws.number(5)
        made = (
            made[:at],
            made[at:],
            made[:at] + draws.bytes(4) + made[at + 4 :],
            made[:at] + draws.bytes(9) + made[at:],
            made[:at] + made[at + 7 :],
        )[kind]
    return made


def check(data: bytes) -> None:
    """Raises where reading raises, or a file has no path of its own, or is not opened under the path it was read as."""
    from ingest import read
    from ingest.containers import archive
    from ingest.records import FileReport, Warning
    from ingest.warning_codes import CODES

    with tempfile.NamedTemporaryFile(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as file:
        file.write(container(Draws(data)))
        file.flush()
        records = list(read([file.name], names={file.name: "a.tar.gz"}))
        reported = [record.file for record in records if isinstance(record, FileReport)]
        if len(set(reported)) < len(reported):
            raise AssertionError(f"two files of one path: {sorted(reported)}")
        for path in reported:
            if {"", ".", ".."} & set(path.split("/")) or "\0" in path or not path.encode():
                raise AssertionError(f"{path!r} is no path")
        if unknown := {record.code for record in records if isinstance(record, Warning)} - CODES.keys():
            raise AssertionError(f"warnings {unknown} are not in the closed list")
        opened = {path for path, stream in archive.open_files(file.name, "a.tar.gz", reported) if stream.read() is not None}
        if opened != set(reported):
            raise AssertionError(f"not opened: {set(reported) - opened}")


def seeds(folder: Path) -> None:
    """Inputs of every length, without a structure of their own: what they mean is drawn."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(40):
        (folder / str(number)).write_bytes(bytes([(7 * number + at * at) % 256 for at in range(10 * number)]))
