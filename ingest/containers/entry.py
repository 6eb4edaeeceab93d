"""The result of unpacking: one file, or doubts about a path."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import BinaryIO

from ingest.records import Doubt


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
