"""Runs put aside: the rows are those of runs that stay in memory, to the byte."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from itertools import groupby

import pytest

import ingest
from ingest.records import FileReport, Measurement
from ingest.tests.samples import outputs
from webapp.storage import batch, bulk_insert, machines, spill
from webapp.storage.configuration_rows import DimensionIds

pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module")
def records() -> list:
    """Of short samples, each an archive of its own, under paths that differ."""
    found = []
    for at, sample in enumerate(one for one in outputs() if one.stat().st_size < 20_000):
        for record in ingest.read([sample], names={str(sample): f"{at}/{sample.name}"}):
            found.append(record)
    assert sum(type(record) is Measurement for record in found) > 3000
    return found


def _rows(monkeypatch, records, held: int, together: int = 10**9) -> tuple[dict, dict, Counter]:
    """Table -> lines as they would go in, what counts, and how many files were put aside."""
    lines, aside = {}, Counter()
    monkeypatch.setattr(batch, "MIN_SPILLED", together)
    monkeypatch.setattr(batch, "MAX_IN_MEMORY", held)
    monkeypatch.setattr(bulk_insert, "reserve_ids", lambda **tables: [1000 * at for at, _ in enumerate(tables, 1)])
    monkeypatch.setattr(bulk_insert, "copy_lines", lambda table, _, made: lines.update({table: list(made)}))
    made = batch.Batch.from_records(records, 1)
    found = machines.find_machines(1, machines.OwnMachines(1), made.configurations, made.files.values())
    placed = sorted(one.key for one in machines.place_configurations(found, made.configurations, made.files.values()))
    known = DimensionIds(
        *(
            {name: at for at, name in enumerate(sorted(names))}
            for names in (placed, made.workloads, made.metrics, {machine for _, machine, _ in placed})
        )
    )
    rows = bulk_insert.insert(1, made, known, found)
    aside.update(
        files=sum(bool(file.spilled) for file in made.files.values()),
        values=made.measurements,
        ranks=made.rank_values,
        parts=sum(len(file.spilled) for file in made.files.values()),
    )
    return lines, dict(rows.counted) | {"keys": rows.file_keys}, aside


@pytest.mark.parametrize("held", [0, 1000])
def test_the_rows_are_the_same(monkeypatch, records, held):
    *in_memory, none = _rows(monkeypatch, records, 10**9)
    *put_aside, some = _rows(monkeypatch, records, held)
    assert put_aside == in_memory and none["files"] == 0 and some["files"] > 50
    assert len(in_memory[0]["webapp_measurement"]) == none["values"] - none["ranks"]
    assert (none["values"], none["ranks"]) == (some["values"], some["ranks"]) and none["ranks"] > 20
    assert len(in_memory[0]["webapp_compressedvalues"]) > 5


def test_the_rows_of_one_large_file_are_the_same_and_memory_holds_few(monkeypatch, records):
    runs = groupby((one for one in records if isinstance(one, Measurement)), lambda one: (one.file, one.run))
    one = [replace(record, file="one.txt", run=at) for at, (_, run) in enumerate(runs) for record in run]
    one.append(FileReport("one.txt", "", "", None, None, 1, "parsed"))
    most, put = [], spill.RunSpill.put
    monkeypatch.setattr(spill.RunSpill, "put", lambda self, runs: most.append(sum(r.count for r in runs)) or put(self, runs))
    *in_memory, _ = _rows(monkeypatch, one, 10**9)
    *put_aside, some = _rows(monkeypatch, one, 0, together=100)
    assert put_aside == in_memory and some["parts"] > 5 and max(most) < 1000
    *mixed, _ = _rows(monkeypatch, random.Random(1).sample(one, len(one)), 10**9)
    most.clear()
    *mixed_aside, _ = _rows(monkeypatch, random.Random(1).sample(one, len(one)), 0, together=100)
    assert mixed_aside == mixed and len(most) <= batch.MAX_RELOADS + 1


def test_a_file_whose_values_come_after_its_report_is_taken_back(monkeypatch, records):
    chance, late, back = random.Random(3), [], []
    for record in records:
        late.insert(max(0, len(late) - chance.randint(0, 12)) if isinstance(record, FileReport) else len(late), record)
    reload = spill.FileBatch.reload
    monkeypatch.setattr(spill.FileBatch, "reload", lambda self: back.append(self) or reload(self))
    *in_memory, _ = _rows(monkeypatch, late, 10**9)
    *put_aside, some = _rows(monkeypatch, late, 0)
    assert put_aside == in_memory and some["files"] > 5 and len(back) > 5


def test_without_room_on_the_disk_memory_holds_them(monkeypatch, records):
    *in_memory, _ = _rows(monkeypatch, records[:2000], 10**9)
    monkeypatch.setattr(ingest.SpillFile, "put", lambda self, item: None)
    *still, none = _rows(monkeypatch, records[:2000], 0)
    assert still == in_memory and none["files"] == 0


def test_what_runs_share_is_one_object_again(monkeypatch, records):
    monkeypatch.setattr(batch, "MAX_IN_MEMORY", 0)
    made = batch.Batch.from_records(records, 1)
    for file in made.files.values():
        for run in file.iterate_runs():
            first = made.configurations[run.configuration.digest]
            one = run.configuration
            assert one is first or (one.exact, one.others, one.state) != (first.exact, first.others, first.state)
            assert all(did is made.workloads[did.digest] for did, _, _ in run.parts)
    assert isinstance(file, spill.FileBatch)


def test_texts_of_many_workloads_are_let_go_and_the_rows_are_the_same(monkeypatch, records):
    *in_memory, _ = _rows(monkeypatch, records, 10**9)
    monkeypatch.setattr(batch, "MAX_TEXTS", 10)
    *put_aside, _ = _rows(monkeypatch, records, 0)
    assert put_aside == in_memory
    made = batch.Batch.from_records(records, 1)
    assert len(made._equal_workloads) < len(made.workloads) / 4 and len(made._equal_details) < len(made.workloads) / 4
