"""Promises of the readers: no exception, the same twice, raw text on its line, sizes and layouts that round-trip."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingest import normalise
from ingest.context.labels.path_words import READER as PATHS
from ingest.detect.detect import readers
from ingest.keys import COUNT, KEYS, SIZE, WORD, is_key
from ingest.open_keys import namespace_of, spell_open_value
from ingest.records import Clue
from ingest.tests.context_reading import read_clue_values, read_items
from ingest.tests.samples import FOLDER
from ingest.tests.thinning import examples

SAMPLES = FOLDER / "context"
LINES = [line for path in sorted(SAMPLES.iterdir()) for line in path.read_text().split("\n")[:60]]
ABOUT = {"title", "authors", "licence", "doi"}
WORDS = [
    "zpool create tank",
    "mirror",
    "raidz2",
    "sda",
    "zfs set",
    "compression=lz4",
    "compression=$c",
    "tank/a",
    "mount -o",
    "compress=zstd:3",
    "/dev/sdb",
    "/mnt",
    "mkfs.xfs",
    "root@vm:~#",
    "pool: tank",
    "config:",
    "NAME STATE READ WRITE CKSUM",
    "ONLINE 0 0 0",
    "########## ON",
    "uname -a",
    "Linux",
    "SunOS",
    "5.11",
    "{a,b",
    "'",
    '"',
    "vdev_tree:",
    "children[0]:",
    "type: 'mirror'",
    '"blockdevices": [',
    "Mem:",
    "1e999",
    "/sys/block/sda/queue/scheduler:[none] kyber",
    "==> /proc/sys/vm/dirty_ratio <==",
    "sysctl -a",
    "vm.dirty_ratio = 20",
    "write-caching =  1 (on)",
    "smartctl 7.2",
    "Write cache is:   Enabled",
    "set zfs:zil_disable=1",
    "hdparm -W0 /dev/sda",
]
texts = st.one_of(
    st.text(max_size=400),
    st.lists(st.sampled_from(LINES), max_size=40).map("\n".join),
    st.lists(st.sampled_from(WORDS + LINES[:40]), max_size=60).flatmap(
        lambda words: st.lists(st.sampled_from([" ", "\n", "\n  ", "\t", "="]), min_size=len(words), max_size=len(words)).map(
            lambda gaps: "".join(word + gap for word, gap in zip(words, gaps, strict=True))
        )
    ),
)
quick = settings(max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.too_slow])


def allowed(clue: Clue) -> bool:
    """Whether the value is of the type that the registry gives its key."""
    if clue.effect == "ends":
        return clue.value is None
    if namespace_of(clue.key):
        return clue.value is None or clue.value == spell_open_value(clue.key, clue.value)  # None: a listing without it
    key = KEYS[clue.key]
    if key.type in (SIZE, COUNT):
        return isinstance(clue.value, int) and not isinstance(clue.value, bool) and clue.value >= (key.low or 0)
    return isinstance(clue.value, str) and clue.value != "" and (key.type != WORD or clue.value == clue.value.lower())


@quick
@given(texts)
def test_any_text_is_read_without_an_exception_into_registered_keys(text):
    for one in read_items(text, "poolmark.toml"):
        if isinstance(one, Clue) and one.key not in ABOUT:
            assert is_key(one.key) and allowed(one), one


@quick
@given(st.binary(max_size=600))
def test_any_bytes_are_read_without_an_exception(data):
    read_items(data)


@quick
@given(texts)
def test_reading_is_pure_and_raw_text_stands_on_its_line(text):
    once = read_items(text)
    assert read_items(text) == once
    lines = text.split("\n")
    for one in once:
        assert 1 <= one.line <= len(lines)


@quick
@given(st.text(max_size=120))
def test_any_name_is_read_without_an_exception(name):
    for clue in PATHS.read_name(name):
        assert clue.kind == "name" and allowed(clue)


@quick
@given(st.sampled_from(sorted(p.name for p in SAMPLES.iterdir())), st.integers(0, 80))
def test_evidence_before_a_cut_stays(name, kept):
    """A dump cut after any line tells nothing that the whole one does not (but for counts: a cut makes them less)."""
    lines = (SAMPLES / name).read_text().split("\n")
    whole = read_clue_values("\n".join(lines), name)
    for key, value in read_clue_values("\n".join(lines[:kept]), name).items():
        if key == "disk.model":  # of unlike disks all models are told, and a cut leaves the first of them
            assert set(value.split(" + ")) <= set(whole[key].split(" + "))
        elif key not in ("pool.layout", "disk.count", "cpu.cores", "fs.type"):
            assert value == whole[key]


@quick
@given(st.text(max_size=50))
def test_spelling_is_total(text):
    for spell in (
        normalise.parse_size,
        normalise.compression,
        normalise.vdev_kind,
        normalise.cpu_model,
        normalise.os_name,
        normalise.os_family,
        normalise.file_system_type,
    ):
        spell(text)


@quick
@given(
    st.sampled_from(["gzip", "zlib", "zstd", "lz4", "lzjb", "off", "on", "zle", "zstd-fast"]),
    st.sampled_from(["", "-1", ":3", "9"]),
)
def test_compression_is_spelled_once_and_for_all(name, level):
    spelled = normalise.compression(name + level)
    assert spelled is None or normalise.compression(spelled) == spelled


vdevs = st.lists(st.tuples(st.sampled_from(["mirror", "raidz1", "raidz2", "raidz3"]), st.integers(2, 12)), min_size=1, max_size=6)


@quick
@given(vdevs, st.integers(0, 3))
def test_zpool_status_and_zpool_create_agree_on_the_layout(pool, singles):
    rows, words, disk = [], [], 0
    for number, (kind, disks) in enumerate([*pool, *[("disk", 1)] * singles]):
        members = [f"d{disk + n}" for n in range(disks)]
        disk += disks
        rows += (
            [f"\t  {kind}-{number}  ONLINE 0 0 0", *(f"\t    {one}  ONLINE 0 0 0" for one in members)]
            if kind != "disk"
            else [f"\t  {one}  ONLINE 0 0 0" for one in members]
        )
        words += [kind, *members] if kind != "disk" else []
    status = (
        "  pool: t\n state: ONLINE\nconfig:\n\n\tNAME STATE READ WRITE CKSUM\n\tt ONLINE 0 0 0\n"
        + "\n".join(rows)
        + "\n\nerrors: none\n"
    )
    shown = read_clue_values(status, only="zpool status")
    assert shown["disk.count"] == disk
    assert shown["pool.layout"] == normalise.spell_layout([*pool, *[("disk", 1)] * singles])
    if not singles:
        assert (
            read_clue_values(f"root@vm:~# zpool create t {' '.join(words)}\n", only="command history")["pool.layout"]
            == shown["pool.layout"]
        )


def test_every_reader_names_itself_and_its_source_is_told_where_there_is_one():
    assert len({reader.name for reader in readers()}) == len(readers())


@pytest.mark.thorough
@pytest.mark.parametrize(
    "unit", ["a=b ", "/", "zfs ", "-", " ", "tank\t", "{", "Linux x 1 ", "####", "a:", "[", "NAME ", "Model: "]
)
def test_a_very_long_line_is_read_in_time_that_grows_with_its_length(unit):
    """A pattern that backtracks over the whole line for each of its places would not end here."""
    read_items(unit * (400_000 // len(unit)))
