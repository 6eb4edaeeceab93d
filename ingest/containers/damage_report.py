"""Doubts about damaged containers: where the damage is, and how many results were read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ingest.containers.decompress import TRUNCATED
from ingest.records import Doubt

if TYPE_CHECKING:
    from ingest.containers.zip import ZipReader


@dataclass(slots=True)
class DamageDoubt(Doubt):
    """A doubt whose message is completed by the number of results read.

    `within`: the path of the container ('' for the upload); None if the doubt is about a single file.
    """

    within: str | None = None

    def complete(self, results: int) -> Doubt:
        """The doubt with the whole message."""
        return Doubt(self.line, self.code, f"{self.message}: {_results(results)} read.")

    def covers(self, path: str) -> bool:
        """Whether a file of that path is in the container."""
        return not self.within or path == self.within or path.startswith(f"{self.within}/")


def damage_doubt(within: str | None, damage: str, offset: int = 0) -> DamageDoubt:
    """`damage`: TRUNCATED or a reason; `offset`: bytes of the container before it, 0 if unknown."""
    noun = "file" if within is None else "archive"
    if damage == TRUNCATED:
        message = f"The {noun} is truncated{_after(offset)}"
    else:
        message = f"The {noun} is damaged ({damage})"
    return DamageDoubt(1, "broken-archive", message, within)


def zip_damage_doubt(within: str, reader: ZipReader, damaged: int) -> DamageDoubt:
    """`damaged`: how many of its files are not intact."""
    if reader.damage == TRUNCATED:
        return damage_doubt(within, TRUNCATED, reader.offset)
    reasons = [reader.damage] if reader.damage else []
    if reader.total is not None:
        intact = reader.total - damaged - reader.missing
        reasons.append(f"{intact} of {reader.total} files are intact")
    return damage_doubt(within, "; ".join(reasons))


def _after(size: int) -> str:
    if not size:
        return ""
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("KB", 10**3)):
        if size >= factor:
            return f" after {size / factor:.3g} {unit}" if size < 100 * factor else f" after {size // factor} {unit}"
    return f" after {size} bytes"


def _results(count: int) -> str:
    return "no result was" if not count else "1 result was" if count == 1 else f"{count} results were"
