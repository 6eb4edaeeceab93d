"""Paths inside an archive: what is made of the name of a member, and which members are passed over.

Nothing is written to disk, so a name is only a name: one that climbs, is absolute, too long or no text is told as a path
that does neither.
"""

from __future__ import annotations

from ingest.records import LOST

_TWINS = {".DS_Store", "Thumbs.db", "desktop.ini"}
NAMELESS = "?"


def inner_path(name: str) -> tuple[str, bool]:
    """(the path, whether a person shall be told that the name is another).

    It is relative and never empty, without `.`, `..`, lone surrogates and NUL. What else there is in a name stays.
    """
    text = decode_name(name)
    parts: list[str] = []
    path, told = text.replace("\\", "/"), text != name or text[:1] in "/\\"
    for part in path.split("/"):
        if part == "..":
            del parts[-1:]
            told = True
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts) or NAMELESS, told or not parts


def decode_name(name: str) -> str:
    """The name with U+FFFD for NUL and for what is no UTF-8."""
    if not name.isascii():
        try:
            name = name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        except UnicodeEncodeError:  # a surrogate that stands for no byte
            name = name.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return name.replace("\0", LOST)


def shorten_path(path: str, longest: int) -> str:
    """The path, without its middle where it has more bytes of UTF-8 than `longest`."""
    if len(path) * 4 <= longest or len(data := path.encode()) <= longest:
        return path
    half = longest // 2 - 2
    return f"{data[:half].decode(errors='ignore')}…{data[-half:].decode(errors='ignore')}"


class UniquePaths:
    """Gives the files of an upload paths of their own: `a.log`, `a.log (2)`, `a.log (3)` in the order of the container."""

    def __init__(self) -> None:
        self._next: dict[str, int] = {}

    def own(self, path: str) -> str:
        """The path, or that with the first number that is free."""
        number = self._next.get(path)
        if number is None:
            self._next[path] = 2
            return path
        while (other := f"{path} ({number})") in self._next:
            number += 1
        self._next[path], self._next[other] = number + 1, 2
        return other


def is_platform_file(path: str) -> bool:
    """Whether a system left the file beside others of its own accord."""
    parts = path.split("/")
    return parts[-1].startswith("._") or parts[-1] in _TWINS or "__MACOSX" in parts


def strip_suffix(name: str) -> str:
    """What a compressed file is called once it is unpacked."""
    base, dot, suffix = name.rpartition(".")
    return base if dot and suffix.lower() in ("gz", "bz2", "xz", "zst", "zstd") and base else name
