"""What a person states beside the files takes its place among the scopes."""

from __future__ import annotations

import pytest

from ingest.records import ARCHIVE, FILE, FOLDER, RUNS, StatedFact
from ingest.tests.whole import read_measurements

DD = "1024+0 records in\n1024+0 records out\n1073741824 bytes (1.1 GB) copied, {} s, 429 MB/s\n"
COMMAND = "root@tank:~# dd if=/dev/zero of=/tank/f bs=1M count=1024\n"
LSCPU = "Architecture: x86_64\nCPU(s): 4\nModel name: Intel(R) Xeon(R) CPU E3110 @ 3.00GHz\n"
FILES = {
    "a/one.txt": COMMAND + DD.format(2),
    "a/b/two.txt": COMMAND + DD.format(3) + COMMAND + DD.format(4),
    "c.txt": COMMAND + DD.format(5),
}


def carried(stated, key="cpu.model", files=FILES):
    """(file, line) -> (value, from) of every throughput that has the key."""
    return {
        (m.file, m.line): (m.config[key], m.config_from[key])
        for m in read_measurements(files, stated)
        if m.metric.endswith("throughput") and key in m.config
    }


@pytest.mark.parametrize(
    ("reach", "path", "lines", "expected"),
    [
        (ARCHIVE, "", (), {("a/b/two.txt", 4), ("a/b/two.txt", 8), ("a/one.txt", 4), ("c.txt", 4)}),
        (FOLDER, "a", (), {("a/b/two.txt", 4), ("a/b/two.txt", 8), ("a/one.txt", 4)}),
        (FOLDER, "a/b", (), {("a/b/two.txt", 4), ("a/b/two.txt", 8)}),
        (FILE, "a/one.txt", (), {("a/one.txt", 4)}),
        (RUNS, "a/b/two.txt", (8,), {("a/b/two.txt", 8)}),
        (RUNS, "a/b/two.txt", (7,), set()),
    ],
)
def test_it_holds_where_it_was_said_to_hold(reach, path, lines, expected):
    found = carried([StatedFact("cpu.model", "Xeon", reach, path, frozenset(lines))])
    assert found == dict.fromkeys(expected, ("Xeon", "stated"))


@pytest.mark.parametrize(
    ("stated", "left"),
    [
        pytest.param([], {"a/one.txt", "a/b/two.txt", "c.txt"}, id="nothing stated"),
        pytest.param([StatedFact("cpu.model", None)], set(), id="archive"),
        pytest.param([StatedFact("cpu.model", None, FOLDER, "a")], {"c.txt"}, id="folder"),
        pytest.param([StatedFact("cpu.model", None, FILE, "c.txt")], {"a/one.txt", "a/b/two.txt"}, id="file"),
        pytest.param([StatedFact("cpu.model", None, RUNS, "a/one.txt", frozenset([8]))], {"a/b/two.txt", "c.txt"}, id="run"),
        pytest.param([StatedFact("cpu.model", None), StatedFact("cpu.model", "Xeon", FILE, "c.txt")], {"c.txt"}, id="nearer value"),
        pytest.param(
            [StatedFact("cpu.model", None, FILE, "c.txt"), StatedFact("cpu.model", "Xeon", FILE, "c.txt")], None, id="later"
        ),
    ],
)
def test_a_key_is_ignored_whatever_stands_how_near(stated, left):
    shown = "root@tank:~# lscpu\n" + LSCPU + COMMAND
    files = {**FILES, "a/one.txt": shown + DD.format(2), "system.txt": LSCPU}
    found = {path for path, _ in carried(stated, files=files)}
    assert found == ({"a/one.txt", "a/b/two.txt", "c.txt"} if left is None else left)
    for m in read_measurements(files, stated):
        assert m.file in found or m.config_from["cpu.model"] == "stated"


def test_what_follows_from_a_key_is_ignored_with_it_or_by_itself():
    files = {"a.txt": "root@tank:~# mkfs.ext4 /dev/sdb\n" + COMMAND + DD.format(2)}
    assert carried([], "pool.dedup", files) and not carried([StatedFact("pool.dedup", None)], "pool.dedup", files)
    assert not carried([StatedFact("fs.type", None)], "pool.dedup", files)


def test_the_nearest_holds_and_of_one_place_the_later():
    stated = [
        StatedFact("memory", 5, FILE, "a/one.txt"),
        StatedFact("memory", 1),
        StatedFact("memory", 2),
        StatedFact("memory", 4, FOLDER, "a/b"),
        StatedFact("memory", 3, FOLDER, "a"),
        StatedFact("memory", 6, RUNS, "a/b/two.txt", frozenset((4,))),
    ]
    assert {place: value for place, (value, _) in carried(stated, "memory").items()} == {
        ("a/b/two.txt", 4): 6,
        ("a/b/two.txt", 8): 4,
        ("a/one.txt", 4): 5,
        ("c.txt", 4): 2,
    }


def test_a_dump_nearer_than_the_whole_archive_wins_and_one_beside_it_does_not():
    near = FILES | {"a/lscpu.txt": LSCPU}
    assert carried([StatedFact("cpu.model", "Xeon")], files=near)["a/one.txt", 4] == ("Xeon E3110", "a/lscpu.txt:3")
    assert carried([StatedFact("cpu.model", "Xeon")], files=FILES | {"lscpu.txt": LSCPU})["c.txt", 4] == ("Xeon", "stated")
    assert carried([StatedFact("cpu.model", "Xeon", FOLDER, "a")], files=near)["a/one.txt", 4] == ("Xeon", "stated")


def test_a_run_is_told_over_the_lines_of_its_own_file():
    files = {"x.txt": "root@tank:~# zfs set compression=lz4 tank\n" + COMMAND + DD.format(2)}
    assert carried([], "pool.compression", files)["x.txt", 5][0] == "lz4"
    assert carried([StatedFact("pool.compression", "off", FILE, "x.txt")], "pool.compression", files)["x.txt", 5][0] == "lz4"
    stated = [StatedFact("pool.compression", "off", RUNS, "x.txt", frozenset((5,)))]
    assert carried(stated, "pool.compression", files)["x.txt", 5] == ("off", "stated")


def test_what_a_person_states_on_the_page_is_newer_than_the_manifest():
    files = FILES | {"poolmark.toml": '[configuration]\ncpu.model = "Opteron"\n'}
    assert carried([], files=files)["c.txt", 4] == ("Opteron", "poolmark.toml:2")
    assert carried([StatedFact("cpu.model", "Xeon")], files=files)["c.txt", 4] == ("Xeon", "stated")


def test_unknown_keys_are_no_statements():
    assert carried([StatedFact("cpu.colour", "red")], "cpu.colour") == {}
