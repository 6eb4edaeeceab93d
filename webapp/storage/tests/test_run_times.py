"""How long a run took."""

from __future__ import annotations

from dataclasses import replace

import pytest

import ingest
from ingest.records import Measurement
from ingest.tests import samples
from webapp.storage.batch import Batch
from webapp.tests import making

GIB = 2**30


def seconds_of(*values):
    """(metric, value[, statistic, descriptive parameters]) of one run -> its seconds."""
    made = list(making.file_records("a", "a", [value[1] for value in values], started_at="2024-05-01T10:00"))
    records = [
        replace(record, metric=metric, run=1, stat=(*more, "sample")[0], params=record.params | (more[1] if len(more) > 1 else {}))
        for record, (metric, _, *more) in zip(made, values, strict=False)
    ]
    [file] = Batch.from_records(records, 1).files.values()
    return file.times[0].seconds


def spread(metric, *, low, mean, high, **params):
    """A summary of a tool that prints minimum, mean, maximum and deviation."""
    stats = {"min": low, "max": high, "mean": mean, "stddev": high - mean}
    return [(metric, value, stat, params) for stat, value in stats.items()]


@pytest.mark.parametrize(
    ("values", "seconds"),
    [
        pytest.param(
            [("write.throughput", GIB / 9), *spread("write.throughput", low=GIB / 90, mean=GIB / 9.1, high=GIB / 3)],
            9.0,
            id="statistics beside the value",
        ),
        pytest.param(spread("write.throughput", low=GIB / 90, mean=GIB / 10, high=GIB / 3), 10.0, id="statistics alone"),
        pytest.param(spread("write.elapsed", low=1.0, mean=2.0, high=9.0), 2.0, id="of a time"),
        pytest.param(spread("write.elapsed", low=1.0, mean=2.0, high=9.0, repetitions=5), 10.0, id="a mean of five passes"),
        pytest.param(spread("write.elapsed", low=1.0, mean=2.0, high=9.0)[:2], None, id="neither a value nor a mean"),
        pytest.param([("write.throughput", GIB, "sample", {"runtime": 60.0})], 60.0, id="the run time that was printed"),
        pytest.param([("write.elapsed", 7.0, "sample", {"runtime": 60.0})], 60.0, id="a run time and an elapsed time"),
        pytest.param([("write.elapsed", 7.0, "sample", {"runtime": 60.0, "seconds": 65})], 65.0, id="as a manifest states it"),
        pytest.param(
            [("read.throughput", 1.0, "sample", {"runtime": 60.0}), ("write.throughput", 1.0, "sample", {"runtime": 59.5})],
            60.0,
            id="reads and writes side by side",
        ),
        pytest.param([("write.elapsed", 7.0, "sample", {"runtime": -1.0})], 7.0, id="no run time"),
        pytest.param(
            [("write.elapsed", 7.0), ("write.elapsed", 6.0, "sample", {"part": "first done"})], 7.0, id="a part beside the whole"
        ),
        pytest.param(
            [
                ("write.elapsed", length, "sample", {"part": part})
                for part, length in (("open", 0.5), ("access", 6.0), ("total", 7.0))
            ],
            7.0,
            id="steps and their total",
        ),
        pytest.param(
            [(f"{name}.elapsed", length, "sample", {"part": "total"}) for name, length in (("write", 7.0), ("read", 3.0))],
            10.0,
            id="totals of two phases",
        ),
        pytest.param(
            [("write.throughput", GIB / 7, "sample", {"record_size": size}) for size in (4096, 8192)], 14.0, id="two sizes"
        ),
    ],
)
def test_a_run_took_as_long_as_its_tool_says_once(values, seconds):
    assert seconds_of(*values) == pytest.approx(seconds)


@pytest.mark.parametrize("sample", [path for path in samples.outputs() if path.parent.name == "fio"], ids=lambda path: path.name)
def test_jobs_of_fio_took_their_run_time(sample):
    """However many statistics fio prints, and with its formats side by side."""
    records = [record for record in ingest.read([sample]) if isinstance(record, Measurement)]
    printed: dict[int, float] = {}
    for record in records:
        if record.started_at and "runtime" in record.params:
            printed[record.run] = max(printed.get(record.run, 0), record.params["runtime"])
    for file in Batch.from_records(records, 1).files.values():
        known = {time.seconds for time in file.times.values()}
        assert set(printed.values()) <= known
