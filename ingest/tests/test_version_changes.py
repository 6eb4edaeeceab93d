"""What numbers of tools mean something else from which version on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.catalogue import METRICS
from ingest.keys import PARAMS
from ingest.options import is_option
from ingest.parsers.bonnie import bonnie_plus_plus
from ingest.parsers.fio import fio
from ingest.parsers.ior import mdtest
from ingest.parsers.iozone import iozone
from ingest.records import NO_PARAMS
from ingest.tests.reading import read
from ingest.version_changes import VersionChange, changes_of, version_changes

CHANGES = version_changes()
PARSERS = {parser.name: parser for parser in (fio.PARSER, bonnie_plus_plus.PARSER, iozone.PARSER, mdtest.PARSER)}


def boundary_between(tool, metric, version_a, version_b, stat="sample", params=NO_PARAMS):
    """A change that is true of one of two versions alone; None if both mean the same."""
    changes = changes_of(tool, metric, stat, params)
    return next((change for change in changes if change.holds_for(version_a) != change.holds_for(version_b)), None)


def _id(change: VersionChange) -> str:
    return f"{change.tool} {change.before} {change.metrics[0]}"


@pytest.mark.parametrize("change", CHANGES, ids=_id)
def test_a_row_names_known_metrics_parameters_and_its_source(change: VersionChange) -> None:
    assert change.source and change.what and not change.what.endswith(".")
    concerned = [metric for metric in METRICS if change in changes_of(change.tool, metric, _stat(change), _params(change))]
    assert concerned
    assert all(need.partition("=")[0] in PARAMS or is_option(need) for need in change.needs)
    assert change.holds_for(change.first or "0.1") and not change.holds_for(change.before)


def test_rows_are_many_and_each_is_once() -> None:
    assert len(CHANGES) >= 25
    assert len({(c.tool, c.metrics, c.stats, c.needs, c.first, c.before, c.what) for c in CHANGES}) == len(CHANGES)


def _stat(change: VersionChange) -> str:
    return change.stats[0].replace("*", "99") if change.stats else "sample"


def _params(change: VersionChange) -> dict[str, str]:
    return {name: value or "1" for name, _, value in (need.partition("=") for need in change.needs[:1])}


@pytest.mark.parametrize(
    ("tool", "metric", "a", "b", "params", "words"),
    [
        ("fio", "random_read.latency", "2.0.8", "3.33", {}, "microseconds"),
        ("fio", "random_read.latency", "2.21", "2.99", {}, "microseconds"),
        ("fio", "random_read.latency", "3.1", "3.33", {}, None),
        ("fio", "random_read.latency", "3.11", "3.12", {"fio.ramp_time": "5"}, "ramp time"),
        ("fio", "random_read.latency", "3.11", "3.12", {}, None),
        ("fio", "write.throughput", "2.1.3", "2.2.1", {}, "scrambled"),
        ("fio", "write.throughput", "2.1.3", "2.2.2", {}, None),
        ("fio", "write.throughput", "fio-3.16-64-gfd9882f", "3.17", {"fio.fsync_on_close": "1"}, "fsync_on_close"),
        ("bonnie++", "write_char.throughput", "1.03e", "1.97", {}, "putc"),
        ("bonnie++", "seek.rate", "1.03e", "1.98", {}, "three processes"),
        ("bonnie++", "seek.rate", "1.93a", "1.93c", {}, "five seconds"),
        ("bonnie++", "read.throughput", "1.03e", "2.00a", {}, None),
        ("bonnie++", "seek.rate", "1.96", "2.00a", {}, None),
        ("ior", "write.throughput", "2.10.3", "3.3.0", {}, None),
        ("ior", "read.throughput", "2.9.4", "2.10.3", {"ior.stonewallingTime": "30"}, "whole file"),
        ("mdtest", "file_create.rate", "3.3.0+dev", "4.0.0rc1", {}, "barrier"),
        ("mdtest", "file_create.rate", "4.0.0rc1", "4.1.0+dev", {}, None),
        ("iozone", "write.throughput", "3.250", "3.489", {}, "pattern"),
        ("iozone", "read.throughput", "3.397", "3.506", {}, None),
        ("cp", "copy.elapsed", "8.32", "9.1", {}, "cloned"),
        ("rsync", "copy.elapsed", "3.1.3", "3.2.7", {}, None),
        ("elbencho", "random_write.rate", "3.0.17", "3.0.33", {}, "aligned"),
        ("elbencho", "random_write.rate", "3.0.25", "3.0.27", {}, "random enough"),
    ],
)
def test_versions_on_both_sides_of_a_change(
    tool: str, metric: str, a: str, b: str, params: dict[str, str], words: str | None
) -> None:
    found = boundary_between(tool, metric, a, b, params=params)
    assert (found and words in found.what) if words else found is None
    assert boundary_between(tool, metric, b, a, params=params) == found


VERSIONS = st.one_of(
    st.sampled_from([version for change in CHANGES for version in (change.first, change.before) if version]),
    st.from_regex(r"[0-9]\.[0-9]{1,3}(\.[0-9]{1,2})?(rc1|[a-f])?(\+dev)?", fullmatch=True),
)


@pytest.mark.hypothesis
@given(st.sampled_from(CHANGES), VERSIONS, VERSIONS, VERSIONS)
def test_meaning_alike_is_an_equivalence(change: VersionChange, a: str, b: str, c: str) -> None:
    metric = next(metric for metric in METRICS if change in changes_of(change.tool, metric, _stat(change), _params(change)))

    def alike(one: str, other: str) -> bool:
        return boundary_between(change.tool, metric, one, other, _stat(change), _params(change)) is None

    assert alike(a, a) and alike(a, b) == alike(b, a)
    assert alike(a, c) or not (alike(a, b) and alike(b, c))


OUTPUTS = {
    # an output with the version in it as `{}`, and where a record of it is
    "fio": "{'fio version' : 'fio-{}', 'jobs' : [ {'jobname' : 'j', 'error' : 0, 'job options' : {'name' : 'j', 'rw' : 'read',"
    " 'bs' : '4k', 'size' : '64m'}, 'read' : {'io_bytes' : 67108864, 'bw' : 1024, 'iops' : 256.0, 'runtime' : 64000,"
    " 'total_ios' : 16384, 'lat_ns' : {'min' : 900, 'max' : 2100, 'mean' : 1200.5, 'stddev' : 10.0}}} ]}",
    "bonnie++": "{},{},host,1,1300000000,4G,,700,90,80000,10,40000,8,3000,95,120000,9,310.5,5,16,,,,,9000,20,+++++,+++,9500,21,"
    "9100,19,+++++,+++,9400,22,11ms,500ms,900ms,12ms,90ms,700ms,1ms,1ms,1ms,1ms,1ms,1ms",
    "iozone": "\tIozone: Performance Test of File I/O\n\t        Version $Revision: {} $\n\t\tCompiled for 64 bit mode.\n\n"
    "\tCommand line used: iozone -s 65536 -r 1024 -i 0 -i 1\n\tOutput is in kBytes/sec\n\n"
    "              kB  reclen    write  rewrite    read    reread\n"
    "           65536    1024   812200   822000  901000   910000\n",
    "mdtest": "mdtest-{} was launched with 2 total task(s) on 1 node(s)\nCommand line used: mdtest '-n' '100' '-d' '/mnt/t'\n\n"
    "2 tasks, 200 files/directories\n\nSUMMARY rate: (of 1 iterations)\n"
    "   Operation                      Max            Min           Mean        Std Dev\n"
    "   ---------                      ---            ---           ----        -------\n"
    "   File creation             :      21000.100      21000.100      21000.100          0.000\n"
    "   File stat                 :      61000.100      61000.100      61000.100          0.000\n",
}


OLDEST = {"fio": "1.57", "bonnie++": "1.00a", "iozone": "3.40", "mdtest": "1.9.3"}


@pytest.mark.parametrize("tool", OUTPUTS)
def test_outputs_on_both_sides_are_read_with_their_versions(tool: str) -> None:
    """The output has the same form: the version alone tells what its numbers mean."""
    seen = 0
    for change in CHANGES:
        if change.tool != tool or change.needs or change.stats:
            continue
        old, new = (_values(tool, version) for version in (change.first or OLDEST[tool], change.before))
        for metric in old.keys() & new.keys():
            if change in changes_of(tool, metric):
                seen += 1
                assert boundary_between(tool, metric, old[metric], new[metric])
    assert seen


def _values(tool: str, version: str) -> dict[str, str]:
    """Metric -> version of the tool, as read."""
    output = OUTPUTS[tool].replace("{}", version)
    values, _ = read(PARSERS[tool], output.replace("'", '"') if tool == "fio" else output)
    return {value.metric: value.tool_version for value in values if value.tool_version}
