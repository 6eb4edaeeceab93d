"""Numbers behind an algorithm in names: levels, or repetitions that siblings without levels bear too."""

from __future__ import annotations

import pytest

from ingest.configuration.path_clues import NumbersInNames, clues_of_path


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ("fio-w-zstd-1.json fio-w-zstd-2.json fio-w-zstd-3.json fio-w-ext4-1.json fio-w-xfs-1.json", "zstd-3 zstd-3 zstd-3"),
        ("gzip-1/a gzip-2/a gzip-3/a off-1/a off-2/a off-3/a lz4-1/a", "gzip-6 gzip-6 gzip-6 off off off lz4"),
        ("zstd_1.txt zstd_3.txt none_1.txt none_2.txt none_3.txt", "zstd-3 zstd-3 off off off"),
        ("dd_zstd1 dd_zstd2 dd_zstd3 dd_ext41 dd_ext42 dd_ext43", "zstd-3 zstd-3 zstd-3"),
        ("gzip1/a gzip2/a lz41/a lz42/a xfs1/a", "gzip-6 gzip-6 lz4 lz4"),
        ("zstd1 zstd4 nfs3 nfs4", "zstd-1 zstd-4"),
        ("gzip1.txt gzip6.txt gzip9.txt ext41.txt ext42.txt", "gzip-1 gzip-6 gzip-9"),
        ("gzip-1.txt gzip-6.txt gzip-9.txt", "gzip-1 gzip-6 gzip-9"),
        ("gzip-1-rep1 gzip-1-rep2 gzip-9-rep1 off-rep1 off-rep2", "gzip-1 gzip-1 gzip-9 off off"),
        ("gzip-6-1.txt gzip-6-2.txt ext4-1.txt ext4-2.txt", "gzip-6 gzip-6"),
        ("gzip-1.txt gzip-6.txt gzip-9.txt lz4-1.txt", "gzip-1 gzip-6 gzip-9 lz4"),
        ("a/zstd-1.txt a/zstd-3.txt b/ext4-1.txt b/ext4-3.txt", "zstd-1 zstd-3"),
        ("read-zstd-1.txt write-ext4-1.txt", "zstd-1"),
    ],
)
def test_a_number_that_siblings_without_levels_bear_too_is_no_level(names, expected):
    assert compressions(names) == expected.split()


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ("nas1/off/1/b.csv nas1/lz4/1/b.csv nas1/zstd/1/b.csv", "off lz4 zstd-3"),
        ("nas1_off_1.csv nas1_gzip-6_1.csv", "off gzip-6"),
        ("none.txt zle.txt", "off zle"),
        ("off-1.txt off-2.txt off-3.txt lz4-1.txt", "off off off lz4"),
        ("a/off.txt b/lz4.txt", "lz4"),
        ("off.txt on.txt", ""),
        ("dedup-off.txt lz4.txt", "lz4"),
        ("off.txt ext4.txt", ""),
        ("off/lz4/a off/zstd/a", "lz4 zstd-3"),
    ],
)
def test_off_where_siblings_have_an_algorithm_is_compression_off(names, expected):
    assert compressions(names) == expected.split()


def compressions(names, shown=()):
    numbers, paths = NumbersInNames(names.split(), shown), names.split()
    clues = [clue for path in paths for _, clue in numbers.without_levels(path, clues_of_path(path))]
    return [clue.value for clue in clues if clue.key == "pool.compression"]


@pytest.mark.parametrize(
    ("names", "shown", "title"),
    [
        ("zstd-1.json zstd-2.json zstd-3.json", (), "zstd-1.json ... zstd-3.json"),
        ("a/gzip-1/x a/gzip-1/y a/gzip-2/x", (), "gzip-1 ... gzip-2"),
        ("zstd-1 zstd-2 gzip-1 gzip-2", (), "gzip-1 ... gzip-2, zstd-1 ... zstd-2"),
        ("zstd_1.txt zstd_2.txt b/off.txt", ("off",), "zstd_1.txt ... zstd_2.txt"),
        ("zstd1.json zstd2.json", (), "zstd1.json ... zstd2.json"),
        ("zstd1.json zstd2.json ext4.json", (), ""),
        ("zstd-1.json", (), ""),
        ("zstd-3.json zstd-19.json", (), ""),
        ("zstd-1.json zstd-3.json", (), ""),
        ("zstd-1.json zstd-2.json", ("zstd-2",), ""),
        ("zstd-1.json zstd-2.json off.json", (), ""),
        ("zstd-1.json zstd-2.json off-1.json off-2.json", (), ""),
        ("zstd-1.json zstd-2.json gzip-6.json gzip-9.json", (), ""),
        ("rep1/zstd-1 rep1/zstd-2 rep2/zstd-1 rep2/zstd-2", (), ""),
        ("zstd-1-a1.txt zstd-2-a1.txt zstd-1-a2.txt zstd-2-a2.txt", (), ""),
        (" ".join(f"gzip-{level}" for level in range(1, 10)), (), ""),
    ],
)
def test_numbers_that_may_be_levels_or_repetitions_are_neither_and_asked_about(names, shown, title):
    questions = NumbersInNames(names.split(), shown).questions.values()
    assert ", ".join(sorted(question.title for question in questions)) == title
    if title:
        assert {"zstd", "gzip"}.issuperset({*compressions(names, shown)} - {"off"})
