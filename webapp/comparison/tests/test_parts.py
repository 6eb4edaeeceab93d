"""The whole is drawn before its parts, and parts on request alone."""

from __future__ import annotations

import pytest

from ingest.keys import is_share
from webapp.tests.compared import compare_rows
from webapp.tests.rows import row

JOB = {"tool": "fio", "file_size": 2**30, "block_size": 4096, "processes": 4}
MANY = (50.0, 51.0, 49.0, 50.5, 49.5)


def sides(*values, n_sides=("off", "lz4"), **told):
    return [row(*values, compression=name, **told) for name in n_sides]


@pytest.mark.parametrize(
    ("parts", "drawn"),
    [
        (("job 1", "job 2", "~"), "~"),
        (("host node01", "host node02", "~"), "~"),
        (("max process", "min process", "~"), "~"),
        (("rank 3", "access"), "access"),
        (("job 1",), "job 1"),  # nothing else is known
    ],
)
def it_draws_the_whole_though_parts_have_more_runs(parts, drawn):
    rows = [one for part in parts for one in sides(*(MANY if is_share(part) else MANY[:3]), part=part, **JOB)]
    found = compare_rows("metric=write.throughput&x=compression", rows)
    assert dict(found.chosen.workload)["part"] == drawn


def it_draws_parts_on_request():
    rows = [one for part in ("job 1", "~") for one in sides(*MANY[:3], part=part, **JOB)]
    found = compare_rows("metric=write.throughput&x=compression&part=job 1", rows)
    assert dict(found.chosen.workload)["part"] == "job 1"


@pytest.mark.parametrize("workers", ["processes", "threads"])
def it_draws_what_iozone_s_parent_saw(workers):
    """Children's rates added up are not all bytes over the wall time."""
    told = {"tool": "iozone", "file_size": 2**30, "record_size": 2**20, workers: 4}
    rows = [one for part in ("~", "parent", "max process", "min process") for one in sides(*MANY, part=part, **told)]
    found = compare_rows("metric=write.throughput&x=compression", rows)
    assert dict(found.chosen.workload)["part"] == "parent"


def it_draws_children_where_more_systems_have_them():
    told = {"tool": "iozone", "file_size": 2**30, "record_size": 2**20, "processes": 4}
    rows = [*sides(*MANY, n_sides=("off", "lz4", "zstd"), part="~", **told), *sides(*MANY, part="parent", **told)]
    assert dict(compare_rows("metric=write.throughput&x=compression", rows).chosen.workload)["part"] == "~"
