"""Where memory ends a file costs itself: what was found before is kept, and the other files are read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import ingest
from ingest.detect import detect
from ingest.pipeline import read
from ingest.records import FileReport, Measurement, Warning

_DD = "1024+0 records in\n1024+0 records out\n1073741824 bytes (1.1 GB, 1.0 GiB) copied, 2.5 s, 429 MB/s\n"


def _read(folder: Path, *files: str) -> tuple[dict[str, int], list[tuple[str, str]], dict[str, str]]:
    """Number of values of each file, (file, code) of each warning but of commands, status of each file."""
    for name in files:
        (folder / name).write_text(f"dd if=/dev/zero of=/tank/{name} bs=1M count=1024\n{_DD}")
    records = list(ingest.read([folder]))
    values = {name: sum(isinstance(one, Measurement) and one.file == name for one in records) for name in files}
    return (
        values,
        [(one.file, one.code) for one in records if isinstance(one, Warning)],
        {one.file: one.status for one in records if isinstance(one, FileReport)},
    )


def _few_of(one: detect.Parser) -> Callable:
    """A parser that meets the end of memory in `b` behind its first value."""

    def parse(text):
        for at, item in enumerate(one.parse(text)):
            if at and text.path == "b":
                raise MemoryError
            yield item

    return parse


def test_a_parser_without_memory_keeps_what_it_had_found(tmp_path, monkeypatch):
    everybody, prefilter = detect._prefilter()
    short = tuple(replace(one, parse=_few_of(one)) if one.name == "dd" else one for one in everybody)
    monkeypatch.setattr(detect, "_prefilter", lambda: (short, prefilter))
    values, warnings, status = _read(tmp_path, "a", "b", "c")
    assert values["a"] == values["c"] > values["b"] == 1
    assert warnings == [("b", "limit")]
    assert status == {"a": "parsed", "b": "partial", "c": "parsed"}


@pytest.mark.parametrize("room", ["read_text", "collect_findings"])
def test_a_file_that_cannot_be_held_costs_itself(tmp_path, monkeypatch, room):
    place = read if room == "read_text" else detect
    usual = getattr(place, room)

    def given(*arguments):
        told = usual(*arguments)
        if "b" in (arguments[0], getattr(arguments[0], "path", None)):
            raise MemoryError
        return told

    monkeypatch.setattr(place, room, given)
    values, warnings, status = _read(tmp_path, "a", "b", "c")
    assert values["a"] == values["c"] > values["b"] == 0
    assert warnings == [("b", "limit")]
    assert status == {"a": "parsed", "b": "partial", "c": "parsed"}
