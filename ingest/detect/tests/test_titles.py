"""Values that count as repetitions though they stand below titles that say different things: told of, once for each title."""

from __future__ import annotations

from pathlib import Path

import pytest

import ingest
from ingest.records import Measurement, Warning

_DD = (
    "$ dd if=/dev/zero of=/mnt/f bs=1M count=100\n100+0 records in\n100+0 records out\n"
    "104857600 bytes (105 MB) copied, {} s, {} MB/s\n"
)


def _text(*titles: str) -> str:
    return "\n".join(f"{title}\n{_DD.format(at + 1, 104.9 / (at + 1))}" for at, title in enumerate(titles))


def _told(tmp_path: Path, text: str) -> list[tuple[int | str, str]]:
    """Line and message of each such warning."""
    (tmp_path / "log.md").write_text(text)
    return [
        (one.line, one.message)
        for one in ingest.read([tmp_path / "log.md"])
        if isinstance(one, Warning) and one.code == "unlike-titles"
    ]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("btrfs:", "btrfs (nodatacow):"),
        ("## Pico SDIO", "## ANKER"),
        ("=== eMMC ===", "=== USB stick ==="),
        ("Without the patch:", "With the patch:"),
        ("### fio 1 on md0 ###", "### fio 2 on bcache ###"),
        ("--- Регулярная копия", "--- Reflink"),
        ("### The card of the shelf, " + "as it came out of its box with nothing changed " * 2, "### The card of the drawer"),
        ("**Schublade oben**", "**Schublade unten**"),
        ("<summary>Armoire</summary>", "<summary>Tiroir</summary>"),
        ("# Shelf\n## dd\n", "# Drawer\n## dd\n"),
        ("## Server 1\n### dd\n", "## Server 2\n### dd\n"),
        ("### Platte #1", "### Platte #2"),
        ("Pool a:", "Pool b:"),
    ],
)
def test_titles_that_say_different_things_are_told_of_at_the_later_one(tmp_path, first, second):
    [(line, message)] = _told(tmp_path, _text(first, second))
    assert (
        line == _text(first, second).split("\n").index(second.split("\n")[0]) + 1
        and "(line 1)" in message
        and message.startswith("The dd results under ")
    )


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("## Run 1", "## Run 2"),
        ("### dd, first test", "### dd, second test"),
        ("## ANKER 1", "## ANKER 2"),
        ("## Writes to the disk, 2 GB", "## Writes to the disk, 4 GB"),
        ("第一次:", "第二次:"),
        ("## ANKER", ""),
        ("## Erster Lauf", "## Zweiter Lauf"),
        ("## compression=lz4", "## compression=off"),
        ("# write bs=4k", "# write bs=1M"),
        ("## 512 MB", "## 2.5 GiB/s"),
        ("Disk stats (read/write):", "Run status group 0 (all jobs):"),
        ("$ echo Pico:", "$ echo ANKER:"),
    ],
)
def test_titles_that_only_count_or_that_are_understood_are_not(tmp_path, first, second):
    assert _told(tmp_path, _text(first, second)) == []


@pytest.mark.parametrize("title", ["## ANKER", "EDIT: After adding an Optane as SLOG and setting logbias=throughput:"])
def test_a_title_that_only_the_later_results_have_is_told_of(tmp_path, title):
    [(line, message)] = _told(tmp_path, _text("", title))
    assert (line, "those above it" in message) == (_text("", title).split("\n").index(title) + 1, True)


def test_words_beside_a_result_are_its_title(tmp_path):
    lines = [
        f"* {name}: `104857600 bytes (105 MB) copied, {at}.0 s, {104.9 / at:.1f} MB/s`\n"
        for at, name in ((2, "Pico"), (4, "ANKER"))
    ]
    [(line, _)] = _told(tmp_path, "".join(lines))
    assert line == 2


def test_a_title_right_below_a_block_of_code_is_one(tmp_path):
    text = f"Pico:\n```\n{_DD.format(1, 104.9)}```\nANKER:\n```\n{_DD.format(2, 52.4)}```\n"
    [(line, _)] = _told(tmp_path, text)
    assert text.split("\n")[line - 1] == "ANKER:"


def test_one_title_is_told_of_once_and_other_workloads_are_no_repetitions(tmp_path):
    text = _text("## Pico", "## ANKER") + _DD.format(9, 11.7) + "\n## Other size\n" + _DD.format(2, 50).replace("bs=1M", "bs=2M")
    assert [line for line, _ in _told(tmp_path, text)] == [7]


def test_a_name_far_above_is_no_title_and_a_commented_prompt_is_a_command(tmp_path):
    assert _told(tmp_path, _text("Pico:" + 7 * "\nwords of a text", "ANKER:" + 7 * "\nwords of a text")) == []
    assert _told(tmp_path, _text("root@pi:~# mount /dev/sda1 /mnt", "root@pi:~# mount /dev/sdb1 /mnt")) == []


def test_all_values_are_taken_all_the_same(tmp_path):
    (tmp_path / "log.md").write_text(_text("## Pico", "## ANKER"))
    found = [(one.metric, one.repetition) for one in ingest.read([tmp_path / "log.md"]) if isinstance(one, Measurement)]
    assert found == [("write.elapsed", 1), ("write.throughput", 1), ("write.elapsed", 2), ("write.throughput", 2)]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Before (the stick):", "Now with what came in the post:"),
        ("The shelf", "The drawer"),
        ("- STANDARD\uff1a", "- ALWAYS:"),
        ("* Oben:", "* Unten:"),
        ("Currently:", "**Update:** I took the other one out of the drawer:"),
    ],
)
def test_a_line_above_a_block_is_the_title_of_all_of_it(tmp_path, first, second):
    """However many lines a tool prints before its results."""
    margin = "  " if first[0] in "-*" else "\n"
    lines = "Maintaining 16 writes\n" * 9
    blocks = [
        f"{title}\n{margin}```\n{lines}{_DD.format(at + 1, 104.9 / (at + 1))}{margin}```\n"
        for at, title in enumerate((first, second))
    ]
    text, title = "\n".join(blocks), first.strip("-*: \uff1a")
    [(line, message)] = _told(tmp_path, text)
    assert line == text.split("\n").index(second) + 1 and f"under {title!r}" in message


def test_an_item_of_a_list_above_other_items_is_no_title(tmp_path):
    text = f"- Oben:\n  - links\n- Unten:\n  - rechts\n\n{_DD.format(1, 105)}\n- Mitte:\n  - da\n\n{_DD.format(2, 52)}"
    assert _told(tmp_path, text) == []


def test_the_first_cell_of_a_row_is_the_title_of_the_output_in_it(tmp_path):
    rows = "".join(
        f"| {name} | 1073741824 bytes (1.1 GB) copied, {at + 1}.1 s, {1073 / (at + 1.1):.0f} MB/s |\n"
        for at, name in enumerate(("the shelf", "the drawer"))
    )
    [(line, message)] = _told(tmp_path, "| Setup | `dd` output |\n|---|---|\n" + rows)
    assert line == 4 and "under 'the drawer'" in message


@pytest.mark.parametrize(
    ("names", "told"),
    [
        ("base-1.txt base-2.txt encryption-1.txt encryption-2.txt", ["encryption-1.txt"]),
        ("host_1 host_2 guest_1 guest_2 xen_1 xen_2", ["host_1", "xen_1"]),
        ("a/quiet1.log a/quiet2.log b/busy1.log b/busy2.log", []),  # sessions have folders of their own
        ("base-1.txt base-2.txt encryption.txt", ["encryption.txt"]),
        ("results.txt results-nocache.txt", ["results.txt"]),
        ("usb.txt sata.txt", ["usb.txt"]),
        ("run-1.txt run-2.txt test-1.txt test-2.txt", []),
        ("ext4-1.txt ext4-2.txt xfs-1.txt xfs-2.txt", []),  # of another configuration
    ],
)
def test_numbered_files_of_several_names_are_told_of(tmp_path: Path, names: str, told: list[str]) -> None:
    for at, name in enumerate(names.split()):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(_DD.format(at + 1, 104 // (at + 1)))
    found = [one for one in ingest.read([tmp_path]) if isinstance(one, Warning) and one.code == "unlike-titles"]
    assert [one.file for one in found] == told


def test_numbered_files_of_other_workloads_are_not(tmp_path: Path) -> None:
    for at, (name, size) in enumerate([("small-1", "1M"), ("small-2", "1M"), ("huge-1", "2M"), ("huge-2", "2M")]):
        (tmp_path / name).write_text(_DD.replace("bs=1M", f"bs={size}").format(at + 1, 104 // (at + 1)))
    assert not [one for one in ingest.read([tmp_path]) if isinstance(one, Warning) and one.code == "unlike-titles"]


_NAMED = (
    "usb sata|nvme hdd|internal external|stick card|raid mirror-of-two|encrypted plain|patched stock|before after|kingston sandisk|"
    "vm bare-metal|cluster standalone|shelf drawer|docker native|barriers nobarriers|hot-swap fixed|cable-red cable-blue"
)
_UNNAMED = (
    "monday tuesday|mon tue|2024-01-05 2024-01-06|20240105 20240106|january february|session1 session2|first second|week1 week2|"
    "morning evening|run1 run2|run-a run-b|a b|round-1 round-2|day1 day2|montag dienstag|try1 try2|rep1 rep2|logs results|"
    "bench fio|test-v1 test-v2|1 2|old run1|read write|lundi mardi|backup results|usb-1 usb-2|usb_monday usb_tuesday"
)


@pytest.mark.parametrize("names", _NAMED.split("|"))
@pytest.mark.parametrize("form", ["{}/out.txt", "x/{}/1/dd.log"])
def test_folders_of_unlike_names_are_told_of(tmp_path, names, form):
    assert _files_told(tmp_path, *(form.format(name) for name in names.split())) == [form.format(max(names.split()))]


@pytest.mark.parametrize("names", _UNNAMED.split("|"))
@pytest.mark.parametrize("form", ["{}/out.txt", "{}.txt"])
def test_folders_and_files_of_runs_sessions_and_contents_are_not(tmp_path, names, form):
    assert _files_told(tmp_path, *(form.format(name) for name in names.split())) == []


def test_folders_of_hosts_that_outputs_name_are_not(tmp_path):
    prompts = {f"{host}/out.txt": f"root@{host}:~# " for host in ("attic", "cellar")}
    assert _files_told(tmp_path, *prompts, prompts=prompts) == []


def test_copies_in_another_folder_are_not(tmp_path):
    for folder in ("usb", "sata"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "out.txt").write_text(_DD.format(1, 104))
    assert not [one for one in ingest.read([tmp_path]) if isinstance(one, Warning) and one.code == "unlike-titles"]


def _files_told(folder: Path, *names: str, prompts: dict[str, str] | None = None) -> list[str]:
    """The files with such a warning, of some that have a run each."""
    for at, name in enumerate(names):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(_DD.format(at + 1, 104 // (at + 1)).replace("$ ", (prompts or {}).get(name, "$ ")))
    return [one.file for one in ingest.read([folder]) if isinstance(one, Warning) and one.code == "unlike-titles"]
