"""Limits of one upload, and how much of them is used."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from ingest.containers.paths import UniquePaths, inner_path, shorten_path
from ingest.containers.skip_noise import NoiseTest
from ingest.errors import TooLarge
from ingest.records import Doubt


@dataclass(frozen=True, slots=True)
class Limits:
    """What one upload may unpack to. Sizes in bytes; `ratio` is unpacked to packed, tested beyond `ratio_from`."""

    total: int = 8 << 30
    file: int = 1 << 30
    ratio: int = 1000
    ratio_from: int = 64 << 20
    count: int = 100_000
    depth: int = 3
    path: int = 2400  # bytes of UTF-8; an index of PostgreSQL takes 2,704; a longer path is shortened in its middle
    paths: int = 100 << 20  # characters of all paths


@dataclass(slots=True)
class Budget:
    """What one upload has used of its limits."""

    limits: Limits
    packed: int
    make_noise_test: Callable[[str], NoiseTest] | None = None
    streams: bool = False
    total: int = 0
    count: int = 0
    characters: int = 0
    names: UniquePaths = field(default_factory=UniquePaths)
    wanted: Collection[str] = ()

    def path(self, within: str, name: str) -> tuple[str, list[Doubt]]:
        """(path of a member of the container at `within` ('' for the outermost), doubts about its name). Raises TooLarge."""
        inner, renamed = inner_path(name)
        requested = f"{within}/{inner}" if within else inner
        path = self.names.claim(shorten_path(requested, self.limits.path))
        self.characters += len(path)
        if self.characters > self.limits.paths:
            raise TooLarge(f"The file names in the archive add up to more than {self.limits.paths >> 20} million characters.", path)
        if path == requested and not renamed:
            return path, []
        addition = (
            "; another entry has the same path"
            if path != requested and shorten_path(requested, self.limits.path) == requested
            else ""
        )
        return path, [Doubt(1, "renamed-entry", f"Its name in the archive is {name[:200]!r}{addition}.")]

    def add_bytes(self, size: int, path: str) -> None:
        """Count unpacked bytes. Raises TooLarge."""
        self.total += size
        if self.total > self.limits.total:
            raise TooLarge(f"The archive unpacks to more than {self.limits.total >> 20} MiB.", path)
        if self.total > self.limits.ratio_from and self.total > self.limits.ratio * max(self.packed, 1):
            raise TooLarge(f"The archive unpacks to more than {self.limits.ratio} times its size.", path)

    def count_file(self, path: str) -> None:
        """Count a file. Raises TooLarge."""
        self.count += 1
        if self.count > self.limits.count:
            raise TooLarge(f"The archive holds more than {self.limits.count} files.", path)
