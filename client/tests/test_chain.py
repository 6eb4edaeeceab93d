"""Runs are numbered and chained by hash: what is dropped, changed, copied, renamed or put in another order afterwards shows."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from client.tests.running import SHELLS, Stage, unpack
from ingest import read
from ingest.analysis.run_chain import CODE
from ingest.records import CAPTURED, Evidence, Measurement, Warning
from ingest.tests.thinning import some

SETTINGS = ("--set", "echo a", "--as", "a", "--set", "echo b", "--as", "b", "--set", "echo c", "--as", "c")
BENCH = "n=$(cat runs 2>/dev/null || echo 1); echo $((n + 1)) >runs; echo '4194304 bytes (4.2 MB) copied, '0.$n' s, 9 MB/s' >&2"
QUICK = ("--no-evidence", "--no-drop", "--seed", "7", "-n", "3")
ALL_HERE = "9 runs were made, 9 are here"


@pytest.fixture(scope="module")
def captured(tmp_path_factory) -> Path:
    """The unpacked archive of nine runs, which no test changes."""
    stage = Stage(tmp_path_factory.mktemp("chain"))
    stage.turn_clock()
    stage.program("dd", BENCH)
    return unpack(stage.capture(*QUICK, *SETTINGS, "--run", "dd if=/tank/f of=/dev/null bs=1M"))


def _said(folder: Path) -> tuple[list[str], list[str]]:
    """The sentences of the archive's page, and the warnings about its runs."""
    records = list(read([folder]))
    sentences = [record.value for record in records if isinstance(record, Evidence) and record.key == CAPTURED]
    return sentences, [record.message for record in records if isinstance(record, Warning) and record.code == CODE]


def _folders(folder: Path) -> list[Path]:
    """Of the visits, by the number of their run."""
    files = re.findall(r'(?m)^file = "(.*)/transcript.txt"$', (folder / "poolmark.toml").read_text())
    assert len(files) == 9
    return [folder / file for file in files]


def _tables(folder: Path) -> list[str]:
    """The manifest's head, then each record."""
    return (folder / "poolmark.toml").read_text().split("\n[[runs]]\n")


def _write(folder: Path, tables: list[str]) -> None:
    (folder / "poolmark.toml").write_text("\n[[runs]]\n".join(tables))


def drop_files(folder: Path) -> None:
    for number in (3, 8):
        shutil.rmtree(_folders(folder)[number - 1])


def drop_records(folder: Path) -> None:
    drop_files(folder)
    tables = _tables(folder)
    _write(folder, [one for number, one in enumerate(tables) if number not in (3, 8)])


def drop_last(folder: Path) -> None:
    shutil.rmtree(_folders(folder)[8])
    _write(folder, _tables(folder)[:-1])


def edit(folder: Path) -> None:
    transcript = _folders(folder)[3] / "transcript.txt"
    text = transcript.read_text()
    transcript.write_text(text.replace("0.4 s", "0.2 s"))
    assert transcript.read_text() != text


def edit_record(folder: Path) -> None:
    tables = _tables(folder)
    tables[4] = re.sub(r'setting = ".*"', 'setting = "x"', tables[4])
    _write(folder, tables)


def edit_last_record(folder: Path) -> None:
    tables = _tables(folder)
    tables[9] = tables[9].replace("status = 0", "status = 1")
    _write(folder, tables)


def swap_outputs(folder: Path) -> None:
    second, fifth = _folders(folder)[1], _folders(folder)[4]
    second.rename(folder / "aside")
    fifth.rename(second)
    (folder / "aside").rename(fifth)


def swap_records(folder: Path) -> None:
    tables = _tables(folder)
    tables[2], tables[5] = tables[5], tables[2]
    _write(folder, tables)


def renumber(folder: Path) -> None:
    tables = _tables(folder)
    tables[2], tables[5] = tables[5].replace("number = 5", "number = 2"), tables[2].replace("number = 2", "number = 5")
    _write(folder, tables)


def copy_run(folder: Path) -> None:
    shutil.copytree(_folders(folder)[5], folder / "session-1/round-4/1-setting-1")


def copy_record(folder: Path) -> None:
    tables = _tables(folder)
    _write(folder, [*tables, tables[6]])


def rename(folder: Path) -> None:
    folders = _folders(folder)
    folders[6].rename(folder / "session-1/round-3/9-setting-9")


def add_run(folder: Path) -> None:
    (folder / "more.txt").write_text("$ dd if=/tank/f of=/dev/null\n4194304 bytes (4.2 MB) copied, 0.001 s, 9 MB/s\n")
    _write(folder, [*_tables(folder), 'file = "more.txt"\nline = 1\nsetting = "a"\n'])


@pytest.mark.parametrize(
    ("tamper", "sentence", "told"),
    [
        (lambda folder: None, ALL_HERE, []),
        (drop_files, "9 runs were made, 7 are here: runs 3 and 8 are missing", ["runs 3 and 8 are missing"]),
        (drop_records, "9 runs were made, 7 are here: runs 3 and 8 are missing", ["runs 3 and 8 are missing"]),
        (drop_last, "9 runs were made, 8 are here: run 9 is missing", ["run 9 is missing"]),
        (edit, ALL_HERE, ["run 4 was changed after it was recorded"]),
        (edit_record, ALL_HERE, ["the record of run 4 was changed"]),
        (edit_last_record, ALL_HERE, ["the record of run 9 was changed"]),
        (swap_outputs, ALL_HERE, ["run 2 was changed", "run 5 was changed"]),
        (swap_records, ALL_HERE, ["another order", "another order"]),
        (renumber, ALL_HERE, ["the record of run 1 was changed", "the record of run 2 was changed"]),
        (copy_run, ALL_HERE, ["run 6 is there twice"]),
        (copy_record, ALL_HERE, ["run 6 has several records", "another order"]),
        (rename, ALL_HERE, ["run 7 was renamed"]),
        (add_run, ALL_HERE, ["more.txt is of no recorded run"]),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_tampering_shows(captured: Path, tmp_path: Path, tamper: Callable[[Path], None], sentence: str, told: list[str]) -> None:
    folder = shutil.copytree(captured, tmp_path / "copy")
    tamper(folder)
    sentences, messages = _said(folder)
    assert sentences == [sentence]
    assert bool(messages) == bool(told)
    for words in told:
        assert any(words in message for message in messages), messages
    assert len(messages) <= len(told) + 3, messages


def test_manifests_without_a_chain_are_read_as_before(captured: Path, tmp_path: Path) -> None:
    """Those of the kit's first version: the same runs, no sentence, no warning."""
    folder = shutil.copytree(captured, tmp_path / "old")
    text = (folder / "poolmark.toml").read_text()
    (folder / "poolmark.toml").write_text(re.sub(r"(?m)^(\[chain\]$|(number|outputs|before|planned|made|last) = ).*\n", "", text))
    (_folders(folder)[2] / "transcript.txt").unlink()
    sentences, messages = _said(folder)
    assert (sentences, messages) == ([], [])
    assert {one.params["round"] for one in read([folder]) if isinstance(one, Measurement)} == {1, 2, 3}


@pytest.fixture(params=some(SHELLS))
def stage(request, tmp_path):
    made = Stage(tmp_path, request.param)
    made.turn_clock()
    made.program("dd", BENCH)
    return made


DD = ("--run", "dd if=/tank/f of=/dev/null bs=1M", "--run", "dd if=/tank/storage-kiel-03 of=/dev/null")


@pytest.mark.parametrize("options", [(), ("--mask",), ("--host", "filer")], ids=["plain", "masked", "named"])
def test_a_capture_fits_its_records_in_every_shell(stage: Stage, options: tuple[str, ...]) -> None:
    archive = stage.capture(*QUICK, *SETTINGS, *DD, *options, "--run", 'echo "$(uname -n)" >"$POOLMARK_RUN/name.txt"')
    assert _said(archive) == (["27 runs were made, 27 are here"], [])


@pytest.mark.parametrize("options", [(), ("--mask",)], ids=["plain", "masked"])
def test_what_changed_in_the_folder_before_it_was_packed_shows(stage: Stage, options: tuple[str, ...]) -> None:
    archive = stage.capture(*QUICK, *SETTINGS, *DD[:2])
    data = stage.folder / "capture/data/session-1"
    edited, dropped = data / "round-2/1-setting-1", data / "round-3/1-setting-1"
    if not edited.exists():
        edited = next((data / "round-2").iterdir())
    if not dropped.exists():
        dropped = next((data / "round-3").iterdir())
    (edited / "transcript.txt").write_text("$ dd if=/tank/f\n4194304 bytes (4.2 MB) copied, 0.001 s, 9 MB/s\n")
    shutil.rmtree(dropped)
    stage.run("--pack", "capture", *options)
    [sentence], messages = _said(archive)
    assert re.fullmatch(r"9 runs were made, 8 are here: run \d is missing", sentence)
    assert len([message for message in messages if "was changed after it was recorded" in message]) == 1, messages
    assert len(messages) == 2, messages


def test_failed_and_stopped_runs_stay_in_the_chain(stage: Stage) -> None:
    """A run that ended with an error, and one that was killed with its kit, were made too."""
    stage.program("dd", f"[ -e mended ] || {{ {BENCH}; touch begun; exec /bin/sleep 30; }}\n{BENCH}")
    stage.program("broken", "exit 3")
    running = stage.start("--out", "c", *QUICK[:-2], "--run", "broken", "--run", *DD[1:2])
    while not (stage.folder / "c/work/.begun").exists() or not (stage.folder / "begun").exists():
        assert running.poll() is None
    subprocess.run(["kill", "-9", "--", f"-{running.pid}"], check=True)
    running.communicate()
    (stage.folder / "mended").touch()
    stage.run("--resume", "c")
    archive = stage.folder / "c.tar.gz"
    assert _said(archive) == (["4 runs were made, 4 are here; 1 of them was stopped before the end"], [])
    measured = [one for one in read([archive]) if isinstance(one, Measurement) and one.metric.endswith("throughput")]
    assert {"stopped-1" in one.file: one.params.get("error") for one in measured} == {False: None, True: "stopped before its end"}
    assert [one.code for one in read([archive]) if isinstance(one, Warning) and "poolmark.toml" in one.message] == ["cut"]


def test_what_was_planned_and_never_made_is_told(stage: Stage) -> None:
    stage.run("--out", "c", *QUICK[:-2], "--sessions", "2", "--reboot-between", *DD[:2])
    stage.run("--pack", "c")
    assert _said(stage.folder / "c.tar.gz") == (["2 runs were planned, 1 run was made, 1 is here"], [])
