"""Paths inside an archive: normalised names of members, and which members are skipped.

Nothing is written to disk, so a name is only a label: one that climbs, is absolute, too long or no text is replaced by a
path that is not.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import BinaryIO

from ingest.records import LOST, Doubt

# The result of unpacking: one file, or doubts about a path.


@dataclass(slots=True)
class ArchiveEntry:
    """One file inside the upload, or (with `data` None) only the doubts about a path in it."""

    path: str
    data: bytes | None
    doubts: list[Doubt] = field(default_factory=list)
    # If noise was skipped: those of the whole file, and the skipped lines (see `ingest.containers.skip_noise`).
    sha256: str = ""
    size: int = 0
    gaps: list[tuple[int, int]] = field(default_factory=list)
    noise_test: object = None  # the test of a long file, which may have read some of it
    cut: bool = False  # the file was longer than its bytes
    # In place of `data`: of a long file from which noise was skipped or that was requested as a stream.
    stream: BinaryIO | None = None


_PLATFORM_FILES = {".DS_Store", "Thumbs.db", "desktop.ini"}
NAMELESS = "?"


def inner_path(name: str) -> tuple[str, bool]:
    """(the path, whether it differs from the name so that the user must be informed).

    It is relative and never empty, without `.`, `..`, lone surrogates and NUL. Other characters of the name stay.
    """
    text = decode_name(name)
    parts: list[str] = []
    path, renamed = text.replace("\\", "/"), text != name or text[:1] in "/\\"
    for part in path.split("/"):
        if part == "..":
            del parts[-1:]
            renamed = True
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts) or NAMELESS, renamed or not parts


def decode_name(name: str) -> str:
    """The name with U+FFFD for NUL and for invalid UTF-8."""
    if not name.isascii():
        try:
            name = name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        except UnicodeEncodeError:  # a surrogate that stands for no byte
            name = name.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return name.replace("\0", LOST)


def shorten_path(path: str, longest: int) -> str:
    """The path, without its middle if it has more bytes of UTF-8 than `longest`."""
    if len(path) * 4 <= longest or len(data := path.encode()) <= longest:
        return path
    half = longest // 2 - 2
    return f"{data[:half].decode(errors='ignore')}…{data[-half:].decode(errors='ignore')}"


class UniquePaths:
    """Assigns unique paths to the files of an upload: `a.log`, `a.log (2)`, `a.log (3)` in the order of the container."""

    def __init__(self) -> None:
        self._next: dict[str, int] = {}

    def claim(self, path: str) -> str:
        """The path, or the path with the first free number."""
        number = self._next.get(path)
        if number is None:
            self._next[path] = 2
            return path
        while (other := f"{path} ({number})") in self._next:
            number += 1
        self._next[path], self._next[other] = number + 1, 2
        return other


def is_platform_file(path: str) -> bool:
    """Whether the file is metadata that an operating system added of itself."""
    parts = path.split("/")
    return parts[-1].startswith("._") or parts[-1] in _PLATFORM_FILES or "__MACOSX" in parts


def strip_suffix(name: str) -> str:
    """The name of a compressed file after unpacking."""
    base, dot, suffix = name.rpartition(".")
    return base if dot and suffix.lower() in ("gz", "bz2", "xz", "zst", "zstd") and base else name
