"""Clues in the names of a file and its folders, by the readers' `read_name`."""

from __future__ import annotations

from functools import lru_cache

from ingest.detect import detect
from ingest.records import Clue


def clues_of_path(path: str) -> list[tuple[int, Clue]]:
    """(depth, clue) for each part of a path; the last part is the file name."""
    folder, slash, name = path.rpartition("/")
    return (
        _clues_of_folder(folder) + [(path.count("/"), clue) for clue in _clues_of_name(name)] if slash else _clues_of_folder(name)
    )


@lru_cache(10_000)
def _clues_of_folder(path: str) -> list[tuple[int, Clue]]:
    return [(depth, clue) for depth, part in enumerate(path.split("/")) for clue in _clues_of_name(part)]


@lru_cache(10_000)
def _clues_of_name(part: str) -> tuple[Clue, ...]:
    return tuple(clue for reader in detect.readers() if reader.read_name is not None for clue in reader.read_name(part))
