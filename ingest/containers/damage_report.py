"""Doubts about damaged containers: where the damage is, and how many results were read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ingest.containers.decompress import TRUNCATED
from ingest.records import Doubt

if TYPE_CHECKING:
    from ingest.containers.zip import ZipReader


_REST = "upload a complete copy to get the rest"


@dataclass(slots=True)
class DamageDoubt(Doubt):
    """A doubt whose message is completed by the number of results read.

    `within`: the path of the container ('' for the upload); None if the doubt is about a single file.
    """

    within: str | None = None
    whole: int = 0
    total: int | None = None
    """Number of files that the container's directory lists, None without one, and of those that are `whole`."""

    def complete(self, results: int, files: int = 0, cut: int = 0) -> Doubt:
        """The doubt with the whole message. `files`: that were read of a container, `cut` of them in part."""
        if self.within is None:
            return Doubt(self.line, self.code, f"{self.message}. {_results(results)} could be read from it; {_REST}.")
        if self.total is not None:
            read = f"{self.whole} of {self.total} files could be read"
        elif files:
            read = f"{files} file{'' if files == 1 else 's'} could be read{f', {cut} of them in part' if cut else ''}"
        else:
            read = "No file could be read"
        counted = f" ({_results(results).lower()})" if files else ""
        return Doubt(self.line, self.code, f"{self.message}. {read}{counted}; {_REST}.")

    def covers(self, path: str) -> bool:
        """Whether a file of that path is in the container."""
        return not self.within or path == self.within or path.startswith(f"{self.within}/")


def damage_doubt(within: str | None, damage: str, offset: int = 0, whole: int = 0, total: int | None = None) -> DamageDoubt:
    """`damage`: TRUNCATED or a reason, '' where files of it are; `offset`: bytes of the container before it, 0 if unknown."""
    noun = "file" if within is None else "archive"
    if damage == TRUNCATED:
        message = f"The {noun} is truncated{_after(offset)}"
    else:
        message = f"The {noun} is damaged{f' ({damage})' if damage else ''}"
    return DamageDoubt(1, "broken-archive", message, within, whole, total)


def zip_damage_doubt(within: str, reader: ZipReader, damaged: int) -> DamageDoubt:
    """Of a zip archive that is damaged, or has damaged files. `damaged`: how many of its files are not intact."""
    whole = (reader.total or 0) - damaged - reader.missing
    return damage_doubt(within, reader.damage, reader.offset if reader.damage == TRUNCATED else 0, whole, reader.total)


def _after(size: int) -> str:
    if not size:
        return ""
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("KB", 10**3)):
        if size >= factor:
            return f" after {size / factor:.3g} {unit}" if size < 100 * factor else f" after {size // factor} {unit}"
    return f" after {size} bytes"


def _results(count: int) -> str:
    return "No result" if not count else "1 result" if count == 1 else f"{count} results"
