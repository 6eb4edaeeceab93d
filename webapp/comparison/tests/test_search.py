"""What the words of a search mean, and which rows they match."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from webapp.comparison.dimensions import UNKNOWN
from webapp.comparison.model import SearchResult
from webapp.comparison.search import (
    MAX_READINGS,
    MAX_WORDS,
    RowFilter,
    find_example,
    match_rows,
    narrow_to,
    parse_search,
    read_words,
    remove_word,
)
from webapp.comparison.selection import Selection, parse, query_pairs
from webapp.comparison.summary.columns import Columns
from webapp.tests.rows import row

GIB = 2**30
ROWS = [
    row(1.0, 2.0, os="Debian", os_family="Linux", compression="lz4", memory=64 * GIB, cpu="Xeon E5-2680"),
    row(3.0, os="FreeBSD", os_family="FreeBSD", compression="lz4", dedup="off", cpu="Xeon E3110"),
    row(4.0, 5.0, 6.0, os="FreeBSD", os_family="FreeBSD", compression="off", dedup="off", threads=8),
    row(7.0, os="Open indiana", os_family="SunOS", compression="gzip-6", cores=8, record_size=65536),
]
COLUMNS = Columns(ROWS)


def readings(q: str) -> list[tuple[str, list[tuple[str, str, int, bool]], int]]:
    return [
        (word.text, [(one.dimension, one.value, one.count, one.equal) for one in word.readings], word.count)
        for word in read_words(q, COLUMNS)
    ]


@pytest.mark.parametrize(
    ("q", "expected"),
    [
        ("", []),
        ("FreeBSD", [("FreeBSD", [("os", "FreeBSD", 4, True), ("os_family", "FreeBSD", 4, True)], 4)]),
        ("freebsd", [("freebsd", [("os", "FreeBSD", 4, True), ("os_family", "FreeBSD", 4, True)], 4)]),
        ("LZ4", [("LZ4", [("compression", "lz4", 3, True)], 3)]),
        ("off", [("off", [("dedup", "off", 4, True), ("compression", "off", 3, True)], 4)]),
        ("uncompressed", [("uncompressed", [("compression", "off", 3, True)], 3)]),
        ('"debian gnu/linux"', [("debian gnu/linux", [("os", "Debian", 2, True)], 2)]),
        ('"Open indiana"', [("Open indiana", [("os", "Open indiana", 1, True)], 1)]),
        ("64GiB", [("64GiB", [("memory", str(64 * GIB), 2, True)], 2)]),
        ('"64 gib"', [("64 gib", [("memory", str(64 * GIB), 2, True)], 2)]),
        ("65536MiB", [("65536MiB", [("memory", str(64 * GIB), 2, True)], 2)]),
        ("64K", [("64K", [("record_size", "65536", 1, True)], 1)]),
        ("xeon", [("xeon", [("cpu", "Xeon E5-2680", 2, False), ("cpu", "Xeon E3110", 1, False)], 3)]),
        ("zstd-99", [("zstd-99", [], 0)]),
        (
            "lz4 zstd-99 lz4",
            [("lz4", [("compression", "lz4", 3, True)], 3), ("zstd-99", [], 0)],
        ),
        ("~", [("~", [], 0)]),
    ],
)
def it_reads_words(q, expected):
    assert readings(q) == expected


@pytest.mark.parametrize(
    ("q", "rests"),
    [
        ("FreeBSD lz4", ["lz4", "FreeBSD"]),
        ('lz4 "Open indiana" LZ4', ['"Open indiana"', "lz4 LZ4"]),
        ("lz4", [""]),
    ],
)
def it_leaves_the_other_words(q, rests):
    assert [word.rest for word in read_words(q, COLUMNS)] == rests


def it_explains_the_first_words_only_and_lists_the_likeliest_readings():
    rows = Columns([row(float(number), cpu=f"Xeon {number}") for number in range(MAX_READINGS + 5)])
    [word] = read_words("xeon", rows)
    assert (len(word.readings), word.more, word.count) == (MAX_READINGS, 5, len(rows))
    assert len(read_words(" ".join(f"w{number}" for number in range(MAX_WORDS + 3)), COLUMNS)) == MAX_WORDS


def it_reads_only_what_the_rows_have():
    some = RowFilter(parse([("os", "FreeBSD")])).passing(COLUMNS)
    assert [(one.dimension, one.count) for one in read_words("lz4", some)[0].readings] == [("compression", 1)]
    assert read_words("debian", some)[0].count == 0


PARTS = (
    *("FreeBSD", "freebsd", "lz4", "LZ4", "off", "8", "64GiB", "64K", "uncompressed", "xeon", "e3110", "9e9", "~", ".."),
    *('"', '""', '"a', 'b"', '"Open', 'indiana"'),
)
TEXTS = st.text(max_size=60) | st.lists(st.sampled_from(PARTS), max_size=8).map(" ".join)


@given(TEXTS)
@example('"" a"')
@example('"a "b" c')
@example("²")
def it_never_fails(q):
    for word in read_words(q, COLUMNS):
        assert (word.count > 0) == bool(word.readings)
        assert all(0 < reading.count <= word.count for reading in word.readings)
        assert parse_search(word.rest) == parse_search(q) - {word.text.lower()}


@given(TEXTS)
def it_turns_a_word_of_one_reading_into_a_filter_of_the_same_rows(q):
    selection = parse([("q", q), ("origin", "measured")])
    result = SearchResult(selection, selection.q, (), 1)
    for word in read_words(selection.q, COLUMNS):
        for reading in word.readings:
            link = parse(query_pairs(narrow_to(selection, result, word, reading)))
            filtered = RowFilter(Selection().having(reading.dimension, link.values(reading.dimension))).passing(COLUMNS)
            matched = COLUMNS.take(match_rows(COLUMNS, word.text.lower()))
            assert filtered.total == reading.count
            assert set(map(id, filtered.rows)) <= set(map(id, matched.rows))
            if len(word.readings) == 1 and not word.more:
                assert filtered.rows == matched.rows
                assert RowFilter(link).passing(COLUMNS).rows == RowFilter(selection).passing(COLUMNS).rows
        assert remove_word(selection, result, word).q == word.rest


@given(st.text(min_size=1, max_size=40).map(lambda text: " ".join(text.split())).filter(lambda text: text and '"' not in text))
@example("²")
def it_finds_a_value_by_its_own_text(text):
    columns = Columns([row(1.0, os=text), row(2.0, os="none of it")])
    [word] = read_words(f'"{text}"', columns)
    assert [reading.value for reading in word.readings if reading.equal] == ([text] if text != UNKNOWN else [])


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (ROWS, "Debian lz4"),
        ([row(1.0, os="Debian")], "Debian bonnie++"),
        ([row(1.0, os="Open indiana", memory=64 * GIB)], '"Open indiana" 64GiB'),
        ([row(1.0, os='a "b"', cpu="x" * 50)], ""),
        ([], ""),
    ],
)
def it_finds_an_example_that_has_rows(rows, expected):
    columns = Columns(rows)
    q = find_example(columns)
    assert q == expected
    assert not q or len(RowFilter(parse([("q", q)])).passing(columns))
