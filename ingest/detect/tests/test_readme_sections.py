"""Headings of a README that name the folders beside it: what stands below one holds for that folder's results."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingest import read
from ingest.records import Measurement, Warning

DD = "1073741824 bytes (1.1 GB, 1.0 GiB) copied, 2.5 s, 429 MB/s\n"
TWO = """# Two machines

## i5

* CPU: Core i5-2500K
* RAM: 8GB

### Results

* `one` - first

## `Xeon/`

* CPU: Xeon E5-2620 v3
* RAM: 64GB
"""


def configured(folder: Path, readme: str, paths: tuple[str, ...] = ("i5/dd.txt", "xeon/run/dd.txt")) -> tuple[dict, list[str]]:
    for path in paths:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(DD)
    (folder / "README.md").write_text(readme)
    records = list(read([folder]))
    told = {r.file: (r.config.get("cpu.model"), r.config.get("memory", 0) >> 30) for r in records if isinstance(r, Measurement)}
    return told, [r.code for r in records if isinstance(r, Warning)]


UNDERLINED = TWO.replace("## i5", "i5\n---").replace("## `Xeon/`", "Xeon\n----").replace("### Results", "Results")
NEAR = TWO.replace("### Results\n\n* `one` - first\n\n", "")


@pytest.mark.parametrize("readme", [TWO, UNDERLINED, NEAR])
def test_each_section_holds_for_its_folder(tmp_path: Path, readme: str) -> None:
    told, codes = configured(tmp_path, readme)
    assert told == {"i5/dd.txt": ("Core i5-2500K", 8), "xeon/run/dd.txt": ("Xeon E5-2620 v3", 64)}
    assert "conflict" not in codes


def test_what_a_section_tells_is_nearer_than_what_the_file_tells_of_all(tmp_path: Path) -> None:
    readme = "# All\n\n* CPU: Xeon E5-2620 v3\n* RAM: 64GB\n\n## i5\n\n* CPU: Core i5-2500K\n* RAM: 8GB\n"
    told, codes = configured(tmp_path, readme)
    assert told == {"i5/dd.txt": ("Core i5-2500K", 8), "xeon/run/dd.txt": ("Xeon E5-2620 v3", 64)}
    assert "conflict" not in codes


def test_headings_that_name_no_folder_with_results_part_nothing(tmp_path: Path) -> None:
    told, codes = configured(tmp_path, TWO, ("a/dd.txt", "b/dd.txt"))
    assert told == {"a/dd.txt": (None, 0), "b/dd.txt": (None, 0)}
    assert codes.count("conflict") == 2


def of_runs(folder: Path, readme: str, *names: str) -> list[object]:
    """The file system of the results of each name."""
    for number, name in enumerate(names, 3):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(DD.replace("2.5 s, 429", f"{number}.5 s, {1074 / (number + 0.5):.0f}"))  # no duplicates
    (folder / "README.md").write_text(readme)
    told = {r.file: r.config.get("fs.type") for r in read([folder]) if isinstance(r, Measurement)}
    return [told[name] for name in names]


NEWFS = "```sh\n$ doas newfs -U /dev/ada1p1\n$ doas mount /dev/ada1p1 /bench/\n```\n"


@pytest.mark.parametrize(
    ("first", "second", "names", "expected"),
    [
        ("### 2016-10-13 internal disk", "### 2016-10-31 tray disk", ("2016-10-13-a.txt", "2016-10-31-b.txt"), [None, "ufs"]),
        ("### 13.10.2016 intern", "### 31.10.2016 Einschub", ("20161013.txt", "20161031.txt"), [None, "ufs"]),
        ("**Oct 13, 2016**", "**Oct 31, 2016**", ("2016-10-13.log", "2016-10-31.log"), [None, "ufs"]),
        ("== 13 octobre 2016 ==", "== 31 octobre 2016 ==", ("dd_2016_10_13.log", "dd_2016_10_31.log"), [None, "ufs"]),
        ("## Run 1", "## Run #2", ("run1.txt", "run2.txt"), [None, "ufs"]),
        ("## Versuch 1", "## Versuch 2: neu", ("versuch-1/dd.txt", "versuch-2/dd.txt"), [None, "ufs"]),
        ("internal disk\n-------------", "tray disk\n---------", ("internal-disk.txt", "tray-disk.txt"), [None, "ufs"]),
        ("## a", "## b", ("a/dd.txt", "b/dd.txt"), [None, "ufs"]),
        ("## `one.txt`", "## `two.txt`", ("one.txt", "two.txt"), [None, "ufs"]),
        ("### 2016-10-13 internal", "### 2016-10-31 tray", ("2016-10-13.txt",), [None]),  # whose file is not here
        ("## Setup", "## Disks", ("one.txt", "two.txt"), ["ufs", "ufs"]),
    ],
)
def test_a_section_of_a_run_speaks_of_the_results_that_its_heading_names(tmp_path, first, second, names, expected):
    readme = f"Runs of dd\n==========\n\n{first}\n\nThe disk inside.\n\n{second}\n\n{NEWFS}"
    assert of_runs(tmp_path, readme, *names) == expected


def test_a_run_of_iozone_is_not_filed_under_the_disk_of_the_next(tmp_path):
    report = (
        "\tIozone: Performance Test of File I/O\n\t        Version $Revision: 3.420 $\n\t\tBuild: freebsd\n"
        "\tCommand line used: iozone -i 0 -s 4g -r 1m\n\tOutput is in Kbytes/sec\n"
        "              KB  reclen   write rewrite\n         4194304    1024   {}000   42000\n"
    )
    (tmp_path / "2016-10-13-internal_disk-results.txt").write_text(report.format(41))
    (tmp_path / "2016-10-31-tray_disk_ufs-results.txt").write_text(report.format(37))
    inside = "### 2016-10-13 internal disk\n\n* Encrypted ZFS root pool, benchmarking on zroot/bench\n"
    (tmp_path / "README.md").write_text(f"# iozone runs\n\n{inside}\n### 2016-10-31 tray disk ufs\n\n{NEWFS}\n")
    configs = {r.file[:10]: r.config for r in read([tmp_path]) if isinstance(r, Measurement)}
    assert configs["2016-10-13"].get("fs.type") in ("zfs", None) and configs["2016-10-31"]["fs.type"] == "ufs"
    assert not {"pool.compression", "mount.soft-updates"} & configs["2016-10-13"].keys()


def test_sections_that_contradict_each_other_speak_of_nothing_that_they_do_not_name(tmp_path):
    zfs = "```\n# zpool create tank /dev/ada2\n# zfs set compression=lz4 tank\n```\n"
    readme = f"# Runs\n\n## The desktop\n\n{zfs}\n## The tray\n\n{NEWFS}\n"
    assert of_runs(tmp_path, readme, "one.txt", "two.txt", "tray.txt") == [None, None, "ufs"]


def test_a_comment_in_a_fence_is_no_heading(tmp_path: Path) -> None:
    readme = TWO.replace("* CPU: Core", "```sh\n# xeon\nmake\n```\n* CPU: Core")
    assert configured(tmp_path, readme)[0]["i5/dd.txt"] == ("Core i5-2500K", 8)


@pytest.mark.parametrize(("heading", "expected"), [("## Results\n\n", [None, None]), ("", [64 << 30, 64 << 30])])
def test_of_two_machines_in_a_text_that_above_the_results_is_the_measured_one(tmp_path: Path, heading: str, expected: list) -> None:
    (tmp_path / "README.md").write_text(f"{NEAR}\n{heading}{DD}")
    records = list(read([tmp_path]))
    assert [r.config.get("memory") for r in records if isinstance(r, Measurement)] == expected
