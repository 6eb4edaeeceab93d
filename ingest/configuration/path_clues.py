"""Clues in the names of a file and its folders, by the readers' `read_name`."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache

from ingest.context.labels._setting_words import EXTRA_FILE_SYSTEMS, FILE_SYSTEM_WORDS
from ingest.detect import detect
from ingest.lazy_regex import lazy
from ingest.records import Clue

_NO_LEVELS = (
    *sorted(FILE_SYSTEM_WORDS),
    *EXTRA_FILE_SYSTEMS,
    "off",
    "none",
    "lz4",
    "lzjb",
    "zle",
    "lzo",
    "on",
    "uncompressed",
    "raw",
)
_LEVEL = lazy(r"(?i)(?<![A-Za-z0-9])(gzip|zstd|zlib)[-_ ](\d{1,2})(?![A-Za-z0-9])")
_WITHOUT_LEVEL = lazy(rf"(?i)(?<![A-Za-z0-9])({'|'.join(_NO_LEVELS)})[-_ ](\d{{1,2}})(?![A-Za-z0-9])")


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


def drop_repetitions(clues_by_path: Mapping[str, list[tuple[int, Clue]]]) -> dict[str, list[tuple[int, Clue]]]:
    """The clues without levels that number repetitions: siblings that can have no level (`ext4-1`, `lz4-1`) bear the number too.

    Numbers that follow each other from the first on count as a whole, others only where the siblings bear each of them.
    """
    levels: dict[tuple[str, ...], set[int]] = {}
    others: dict[tuple[str, ...], set[int]] = {}
    if not any(_LEVEL.search(path) for path in clues_by_path):
        return dict(clues_by_path)
    for prefix in {path[:end] for path in clues_by_path for end in _ends_of_parts(path)}:
        folder, _, part = prefix.rpartition("/")
        for pattern, numbers in ((_LEVEL, levels), (_WITHOUT_LEVEL, others)):
            for match in pattern.finditer(part):
                place = folder, part[: match.start()], part[match.end() :]
                numbers.setdefault((*place, match[1].lower()) if numbers is levels else place, set()).add(int(match[2]))
    repeated = {key for key, own in levels.items() if _are_repetitions(own, others.get(key[:3], set()))}
    if not repeated:
        return dict(clues_by_path)
    return {
        path: [(depth, _without_level(path, depth, clue, repeated)) for depth, clue in clues]
        for path, clues in clues_by_path.items()
    }


def _ends_of_parts(path: str) -> Iterator[int]:
    yield from (place for place, letter in enumerate(path) if letter == "/")
    yield len(path)


def _are_repetitions(numbers: set[int], of_siblings: set[int]) -> bool:
    follow = max(numbers) - min(numbers) < len(numbers) and min(numbers) <= 1
    return numbers <= of_siblings or (follow and len(numbers) > 1 and not numbers.isdisjoint(of_siblings))


def _without_level(path: str, depth: int, clue: Clue, repeated: Collection[tuple[str, ...]]) -> Clue:
    parts = path.split("/")
    folder, part = "/".join(parts[:depth]), parts[depth]
    for match in _LEVEL.finditer(part) if clue.key == "pool.compression" else ():
        algorithm = match[1].lower()
        if (
            folder,
            part[: match.start()],
            part[match.end() :],
            algorithm,
        ) in repeated and clue.value == f"{algorithm}-{int(match[2])}":
            return replace(clue, value=algorithm)
    return clue
