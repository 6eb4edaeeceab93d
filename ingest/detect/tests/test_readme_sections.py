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


def test_a_comment_in_a_fence_is_no_heading(tmp_path: Path) -> None:
    readme = TWO.replace("* CPU: Core", "```sh\n# xeon\nmake\n```\n* CPU: Core")
    assert configured(tmp_path, readme)[0]["i5/dd.txt"] == ("Core i5-2500K", 8)


def test_two_machines_in_a_text_with_results_tell_nothing_of_them(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text(NEAR + "\n" + DD)
    records = list(read([tmp_path]))
    assert [r.config.get("memory") for r in records if isinstance(r, Measurement)] == [None, None]
