"""What one upload may unpack to, and how much of it is used up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from ingest.containers.paths import UniquePaths, inner_path, shorten_path
from ingest.containers.skip_noise import NoiseTest
from ingest.errors import TooLarge
from ingest.records import Doubt


@dataclass(frozen=True, slots=True)
class Limits:
    """What one upload may unpack to. Sizes in bytes; `ratio` is unpacked to packed, judged beyond `ratio_from`."""

    total: int = 8 << 30
    file: int = 1 << 30
    ratio: int = 1000
    ratio_from: int = 64 << 20
    count: int = 100_000
    depth: int = 3
    path: int = 2400  # bytes of UTF-8, which an index of PostgreSQL can hold (2,704 at most); a longer one loses its middle
    paths: int = 100 << 20  # characters of all paths


@dataclass(slots=True)
class Budget:
    """What is used up of the limits over the whole upload."""

    limits: Limits
    packed: int
    judges: Callable[[], NoiseTest] | None = None
    streams: bool = False
    total: int = 0
    count: int = 0
    characters: int = 0
    names: UniquePaths = field(default_factory=UniquePaths)

    def path(self, within: str, name: str) -> tuple[str, list[Doubt]]:
        """The path of a member of the container with that path ('' for the outermost), and what is to be said of it."""
        inner, renamed = inner_path(name)
        asked = f"{within}/{inner}" if within else inner
        path = self.names.own(shorten_path(asked, self.limits.path))
        self.characters += len(path)
        if self.characters > self.limits.paths:
            raise TooLarge(f"The names in the archive have more than {self.limits.paths >> 20} million characters.", path)
        if path == asked and not renamed:
            return path, []
        again = "; there is another of that path" if path != asked and shorten_path(asked, self.limits.path) == asked else ""
        return path, [Doubt(1, "renamed-entry", f"Its name in the archive is {name[:200]!r}{again}.")]

    def take(self, size: int, place: str) -> None:
        self.total += size
        if self.total > self.limits.total:
            raise TooLarge(f"The archive unpacks to more than {self.limits.total >> 20} MiB.", place)
        if self.total > self.limits.ratio_from and self.total > self.limits.ratio * max(self.packed, 1):
            raise TooLarge(f"The archive unpacks to more than {self.limits.ratio} times its size.", place)

    def one_more(self, place: str) -> None:
        self.count += 1
        if self.count > self.limits.count:
            raise TooLarge(f"The archive holds more than {self.limits.count} files.", place)
