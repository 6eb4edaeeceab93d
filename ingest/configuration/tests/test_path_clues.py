"""Numbers behind an algorithm in names: levels, or repetitions that siblings without levels bear too."""

from __future__ import annotations

import pytest

from ingest.configuration.path_clues import clues_of_path, drop_repetitions


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ("fio-w-zstd-1.json fio-w-zstd-2.json fio-w-zstd-3.json fio-w-ext4-1.json fio-w-xfs-1.json", "zstd zstd zstd"),
        ("gzip-1/a gzip-2/a gzip-3/a off-1/a off-2/a off-3/a lz4-1/a", "gzip gzip gzip lz4"),
        ("zstd_1.txt zstd_3.txt none_1.txt none_2.txt none_3.txt", "zstd zstd"),
        ("gzip-1.txt gzip-6.txt gzip-9.txt", "gzip-1 gzip-6 gzip-9"),
        ("gzip-1-rep1 gzip-1-rep2 gzip-9-rep1 off-rep1 off-rep2", "gzip-1 gzip-1 gzip-9"),
        ("gzip-6-1.txt gzip-6-2.txt ext4-1.txt ext4-2.txt", "gzip-6 gzip-6"),
        ("gzip-1.txt gzip-6.txt gzip-9.txt lz4-1.txt", "gzip-1 gzip-6 gzip-9 lz4"),
        ("a/zstd-1.txt a/zstd-3.txt b/ext4-1.txt b/ext4-3.txt", "zstd-1 zstd-3"),
        ("read-zstd-1.txt write-ext4-1.txt", "zstd-1"),
    ],
)
def test_a_number_that_siblings_without_levels_bear_too_is_no_level(names, expected):
    clues = drop_repetitions({path: clues_of_path(path) for path in names.split()})
    found = [clue.value for of_path in clues.values() for _, clue in of_path if clue.key == "pool.compression"]
    assert found == expected.split()
