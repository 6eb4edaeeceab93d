"""Workload parameters that a person states: they fill what no output shows, and never override it."""

from __future__ import annotations

from pathlib import Path

import pytest

import ingest
from ingest import spill
from ingest.keys import spell_value
from ingest.records import ARCHIVE, FILE, RUNS, STATED, Measurement, StatedFact, Warning

DD = "64+0 records in\n64+0 records out\n67108864 bytes (67 MB, 64 MiB) copied, {seconds} s, {rate} MB/s\n"


@pytest.fixture(autouse=True, params=[spill.MAX_IN_MEMORY, 0], ids=["in memory", "put aside"])
def _memory(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The values of an upload are given the same where memory does not hold them."""
    monkeypatch.setattr(spill, "MAX_IN_MEMORY", request.param)


def _read(folder: Path, *facts: StatedFact) -> list[object]:
    (folder / "a.txt").write_text(DD.format(seconds="1.04735", rate="64.1") + "\n" + DD.format(seconds="1.4", rate="47.9"))
    (folder / "b.txt").write_text(DD.format(seconds="1.5", rate="44.7"))
    return list(ingest.read([folder], facts))


def _of(records: list[object], path: str, line: int = 0) -> list[Measurement]:
    return [one for one in records if isinstance(one, Measurement) and one.file == path and line in (0, one.line)]


def test_a_stated_parameter_is_named_as_such(tmp_path: Path) -> None:
    records = _read(tmp_path, StatedFact("block_size", 1 << 20, FILE, "a.txt"))
    assert all(one.params["block_size"] == 1 << 20 and one.params_from == {"block_size": STATED} for one in _of(records, "a.txt"))
    assert all("block_size" not in one.params for one in _of(records, "b.txt"))


def test_a_parameter_of_runs_is_of_those_alone(tmp_path: Path) -> None:
    records = _read(tmp_path, StatedFact("dd.oflag", "append", RUNS, "a.txt", frozenset([3])))
    assert {one.params.get("dd.oflag") for one in _of(records, "a.txt", 3)} == {"append"}
    assert {one.params.get("dd.oflag") for one in _of(records, "a.txt", 7)} == {None}


def test_what_an_output_shows_is_kept(tmp_path: Path) -> None:
    records = _read(tmp_path, StatedFact("file_size", 5, ARCHIVE))
    assert all(one.params["file_size"] == 67108864 and not one.params_from for one in _of(records, "a.txt"))
    assert [one.code for one in records if isinstance(one, Warning) and "file_size" in one.message] == ["disagree"] * 2


def test_options_of_another_tool_do_not_count(tmp_path: Path) -> None:
    records = _read(tmp_path, StatedFact("fio.zero_buffers", "1", ARCHIVE))
    assert all(not one.params_from for one in _of(records, "a.txt"))


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("file_size", "4 GiB", 4 << 30),
        ("threads", "8", 8),
        ("threads", "many", None),
        ("direct", "on", "on"),
        ("fio.nrfiles", "4", "4"),
        ("fio.nrfiles", "1", None),
        ("fio.output", "x", None),
        ("nothing.known", "1", None),
        ("words", "1", None),
    ],
)
def test_spelling_of_parameters(name: str, text: str, value: object) -> None:
    assert spell_value(name, text) == value
