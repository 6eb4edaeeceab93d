"""Where a label, a name, a README or a person contradicts a dump, a warning shows both."""

from __future__ import annotations

import pytest

from ingest.records import FILE, RUNS, StatedFact, Warning
from ingest.tests.whole import read_measurements, read_upload


def _output_of_dd(seconds: int = 4) -> str:
    rate = 1073.741824 / seconds
    return f"1024+0 records in\n1024+0 records out\n1073741824 bytes (1.1 GB) copied, {seconds} s, {rate:.0f} MB/s\n"


ZFS = "NAME  PROPERTY     VALUE  SOURCE\ntank  compression  {}    local\n"
UNAME = "Linux nas 6.1.0 #1 SMP x86_64 GNU/Linux\n"


def _disagreements(files: dict[str, str], stated=None) -> list[tuple[str, int | str | None, str]]:
    return [(w.file, w.line, w.message) for w in read_upload(files, stated) if isinstance(w, Warning) and w.code == "disagree"]


def _said(key: str, first: tuple[str, str], second: tuple[str, str]) -> str:
    return f"{key} is {first[0]} ({first[1]}) and {second[0]} ({second[1]}); the first was used."


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        pytest.param(
            {"zfs-get.txt": ZFS.format("lz4"), "dd.txt": f"compression=gzip-6\n{_output_of_dd(4)}"},
            [("dd.txt", 1, _said("pool.compression", ("gzip-6", "dd.txt:1"), ("lz4", "zfs-get.txt:2")))],
            id="label against dump",
        ),
        pytest.param(
            {"zfs-get.txt": ZFS.format("lz4"), "dd-gzip-6.txt": _output_of_dd(4)},
            [("dd-gzip-6.txt", 1, _said("pool.compression", ("gzip-6", "dd-gzip-6.txt:0"), ("lz4", "zfs-get.txt:2")))],
            id="file name against dump",
        ),
        pytest.param(
            {"zfs-get.txt": ZFS.format("lz4"), "gzip-6/dd.txt": _output_of_dd(4)},
            [("gzip-6/dd.txt", 1, _said("pool.compression", ("gzip-6", "gzip-6/dd.txt:0"), ("lz4", "zfs-get.txt:2")))],
            id="folder name against dump",
        ),
        pytest.param(
            {"README.md": "compression: gzip-6\n", "zfs-get.txt": ZFS.format("lz4"), "dd.txt": _output_of_dd(4)},
            [("zfs-get.txt", 2, _said("pool.compression", ("lz4", "zfs-get.txt:2"), ("gzip-6", "README.md:1")))],
            id="README against dump",
        ),
        pytest.param(
            {"README.md": "compression: gzip-6\n", "dd-lz4.txt": _output_of_dd(4)},
            [("dd-lz4.txt", 1, _said("pool.compression", ("lz4", "dd-lz4.txt:0"), ("gzip-6", "README.md:1")))],
            id="README against file name",
        ),
        pytest.param(
            {"poolmark.toml": '[configuration]\npool.compression = "gzip-6"\n', "zfs-get.txt": ZFS.format("lz4")}
            | {"dd.txt": _output_of_dd(4)},
            [("poolmark.toml", 2, _said("pool.compression", ("gzip-6", "poolmark.toml:2"), ("lz4", "zfs-get.txt:2")))],
            id="manifest against dump",
        ),
        pytest.param(
            {"dd.txt": f"compression=gzip-6\n{_output_of_dd(4)}\n{ZFS.format('lz4')}"},
            [("dd.txt", 7, _said("pool.compression", ("lz4", "dd.txt:7"), ("gzip-6", "dd.txt:1")))],
            id="label against a dump below it",
        ),
        pytest.param(
            {"zfs-get.txt": ZFS.format("lz4"), "dd-lz4.txt": _output_of_dd(4), "README.md": "compression: lz4\n"},
            [],
            id="all agree",
        ),
        pytest.param({"zfs-get.txt": ZFS.format("gzip-6"), "dd-gzip.txt": _output_of_dd(4)}, [], id="the name tells less"),
        pytest.param(
            {"zfs-get.txt": ZFS.format("lz4"), "a/zfs-get.txt": ZFS.format("off"), "a/dd.txt": _output_of_dd(4)},
            [],
            id="the dump of a folder is nearer than that of the archive",
        ),
        pytest.param(
            {
                "t.txt": f"# zfs set compression=lz4 tank\n# dd if=/dev/zero of=/tank/f\n{_output_of_dd(4)}"
                f"# zfs set compression=off tank\n# dd if=/dev/zero of=/tank/f\n{_output_of_dd(5)}"
            },
            [],
            id="a command changes the value",
        ),
        pytest.param(
            {"dd.txt": f"compression=lz4\n{_output_of_dd(4)}\ncompression=off\n{_output_of_dd(5)}"},
            [],
            id="labels of different runs",
        ),
        pytest.param(
            {"uname.txt": UNAME, "dd.txt": f"root@other:~# dd if=/dev/zero of=/x\n{_output_of_dd(4)}"}, [], id="names of hosts"
        ),
    ],
)
def test_both_places_are_shown(files, expected):
    assert _disagreements(files) == expected


def test_labels_of_one_file_give_one_warning_against_one_dump():
    labels = ("off", "gzip-6", "lz4")
    runs = [f"compression={label}\n{_output_of_dd(seconds)}\n" for seconds, label in enumerate(labels, 4)]
    files = {"zfs-get.txt": ZFS.format("lz4"), "dd.txt": "".join(runs)}
    assert tuple(m.config["pool.compression"] for m in read_measurements(files) if m.metric.endswith(".throughput")) == labels
    assert [(file, line) for file, line, _ in _disagreements(files)] == [("dd.txt", 1)]


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        pytest.param(
            [StatedFact("kernel", "5.4.0")],
            [("uname.txt", 1, _said("kernel", ("5.4.0", "entered by hand"), ("6.1.0", "uname.txt:1")))],
            id="for the archive",
        ),
        pytest.param(
            [StatedFact("kernel", "5.4.0", FILE, "dd.txt")],
            [("uname.txt", 1, _said("kernel", ("5.4.0", "entered by hand"), ("6.1.0", "uname.txt:1")))],
            id="for a file",
        ),
        pytest.param(
            [StatedFact("kernel", "5.4.0", RUNS, "dd.txt", frozenset([3]))],
            [("uname.txt", 1, _said("kernel", ("5.4.0", "entered by hand"), ("6.1.0", "uname.txt:1")))],
            id="for a run",
        ),
        pytest.param([StatedFact("kernel", "6.1.0")], [], id="what was read"),
    ],
)
def test_statements_of_the_review_against_what_was_read(stated, expected):
    assert _disagreements({"uname.txt": UNAME, "dd.txt": _output_of_dd(4)}, stated) == expected
