"""Order and names of the values of a dimension."""

from __future__ import annotations

import random

import pytest

from webapp.comparison.dimensions import DIMENSIONS, named_value, parse_quantity, value_label, value_sort_key


@pytest.mark.parametrize(
    ("dimension", "expected"),
    [
        (
            "compression",
            ["off", "on", "lz4", "lzjb", "lzo", "zle", "gzip-1", "gzip-6", "gzip-9", "zlib-3", "zstd-1", "zstd-3", "zstd-19", "~"],
        ),
        ("memory", ["1073741824", "8589934592", "17179869184", "~"]),
        ("os", ["Debian", "FreeBSD", "illumos", "Ubuntu", "~"]),
        ("os_version", ["9", "10", "12.1", "12.10", "~"]),
        ("layout", ["mirror(2)", "mirror(10)", "raidz2(7)", "~"]),
        ("host", ["BEEGFS", "BeeGFS", "Beegfs", "beegfs", "~"]),
    ],
)
def it_orders_values_as_people_do(dimension, expected):
    mixed = list(expected)
    random.Random(1).shuffle(mixed)
    assert sorted(mixed, key=lambda text: value_sort_key(DIMENSIONS[dimension], text)) == expected


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("record_size", "4096", "record size 4\xa0KiB"),
        ("compression", "lz4", "lz4"),
        ("api", "MPIIO", "API MPIIO"),
        ("cores", "16", "cores 16"),
        ("fio.fdatasync", "1", "fdatasync=1"),
    ],
)
def it_names_what_a_value_alone_does_not_say(name, text, words):
    assert named_value(name, text) == words


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("64GiB", 64 * 2**30),
        ("128K", 131072),
        ("10MB", 10**7),
        ("7", 7),
        ("1.5T", 1.5 * 2**40),
        ("", None),
        ("x", None),
        ("-3", None),
        ("8 GiB", 8 * 2**30),
        ("1e3", None),
    ],
)
def it_reads_sizes(text, number):
    assert parse_quantity(text) == number


@pytest.mark.parametrize(
    ("dimension", "text", "label"),
    [
        ("memory", "17179869184", "16\u00a0GiB"),
        ("memory", "~", "unknown"),
        ("memory", "8GiB..", "8GiB to any"),
        ("compression", "gzip-6", "gzip-6"),
        ("threads", "4", "4"),
    ],
)
def it_names_values(dimension, text, label):
    assert value_label(DIMENSIONS[dimension], text) == label


@pytest.mark.parametrize(
    ("name", "label"), [("x.year", "Year"), ("x.file_system_name", "File system name"), ("zfs.primarycache", "zfs.primarycache")]
)
def it_names_the_key_of_a_person_in_words(name, label):
    assert DIMENSIONS[name].label == label
