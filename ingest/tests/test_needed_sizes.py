"""The sizes and counts without which a tool's numbers are of no known workload."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.catalogue import METRICS
from ingest.keys import PARAMS, SIZE, TOOL_NEEDS, missing_sizes, needed_params

GIB = 2**30


@pytest.mark.parametrize(
    ("tool", "metric", "params", "missing"),
    [
        ("bonnie++", "write.throughput", {"file_size": GIB}, ()),
        ("bonnie++", "write.throughput", {"files": 16384}, ("file_size",)),
        ("bonnie++", "create_seq.rate", {"file_size": GIB}, ("files",)),
        ("bonnie++", "seek.latency", {}, ("file_size",)),
        ("iozone", "random_read.throughput", {"file_size": GIB}, ("record_size",)),
        ("ior", "read.elapsed", {"block_size": GIB, "transfer_size": 2**20, "segments": 1, "processes": 4}, ()),
        ("ior", "read.elapsed", {"block_size": GIB, "transfer_size": 2**20, "total_size": 4 * GIB, "processes": 4}, ()),
        ("ior", "read.elapsed", {"block_size": GIB, "transfer_size": 2**20, "processes": 4}, ("segments",)),
        ("mdtest", "file_create.rate", {"processes": 4}, ("files",)),
        ("mdtest", "dir_create.rate", {"processes": 4, "dirs": 100}, ()),
        ("mdtest", "tree_create.rate", {"processes": 4}, ()),
        ("dd", "write.throughput", {"file_size": GIB}, ("block_size",)),
        ("fdtree", "file_create.rate", {"levels": 3, "dirs_per_dir": 2, "file_size": 4096}, ("files_per_dir",)),
        ("fio", "random_read.rate", {"block_size": 4096}, ("file_size",)),
        ("hdparm", "read.throughput", {}, ()),
        ("ioping", "random_read.latency", {"block_size": 4096}, ()),
        ("rsync", "copy.elapsed", {}, ("total_size",)),
        ("cp", "copy.elapsed", {"file_size": GIB}, ()),
        ("rm", "remove.elapsed", {}, ("files",)),
        ("a tool without a row", "write.throughput", {}, ("total_size",)),
        ("model", "store.capacity", {}, ()),
        ("oltp", "transaction.score", {}, ()),
    ],
)
def it_names_what_is_unknown(tool, metric, params, missing):
    assert missing_sizes(tool, metric, params) == missing


def it_needs_registered_sizes_and_counts_only():
    for tool in (*TOOL_NEEDS, "other"):
        for metric in METRICS:
            assert all(PARAMS[name].type in (SIZE, "count") for name in needed_params(tool, metric))


@given(st.sampled_from([*TOOL_NEEDS, "cp"]), st.sampled_from(list(METRICS)), st.sets(st.sampled_from(list(PARAMS))))
def it_misses_less_the_more_is_known(tool, metric, names):
    known = dict.fromkeys(names, 1)
    for name in names:
        assert set(missing_sizes(tool, metric, known)) <= set(
            missing_sizes(tool, metric, {other: 1 for other in names if other != name})
        )
    assert missing_sizes(tool, metric, dict.fromkeys(needed_params(tool, metric), 1)) == ()
