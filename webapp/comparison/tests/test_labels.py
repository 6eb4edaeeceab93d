"""Workload and shared configuration of a figure in words."""

from __future__ import annotations

import pytest

from webapp.comparison.model import Group
from webapp.comparison.sets import workloads

NBSP = "\N{NO-BREAK SPACE}"


@pytest.mark.parametrize(
    ("workload", "versions", "title", "label"),
    [
        ((), (), "", ""),
        ((("tool", "dd"),), ("8.32", "9.1"), "dd 8.32 and 9.1", "dd 8.32 and 9.1"),
        ((("tool", "dd"),), ("5", "6", "7", "8"), "dd 5 and 6 and 7 and 8", "dd 5 and 6 and 7 and 8"),
        ((("tool", "dd"),), ("5", "6", "7", "8", "9"), "dd in 5 versions", "dd in 5 versions"),
        ((("tool", "dd"), ("file_size", str(2**31))), (), "dd, 2 GiB", "dd, 2 GiB"),
        ((("tool", "dd"), ("file_size", "~"), ("threads", "~")), (), "dd", "dd"),
        ((("tool", "dd"), ("threads", "1")), (), "dd", "dd, 1 thread"),
        ((("tool", "fio"), ("processes", "1"), ("iodepth", "1")), (), "fio", "fio, 1 process, queue depth 1"),
        ((("tool", "fio"), ("contents", "random"), ("direct", "on")), (), "fio", "fio, random data, direct I/O on"),
        ((("tool", "fio"), ("processes", "2")), (), "fio, 2 processes", "fio, 2 processes"),
        ((("tool", "dd"), ("threads", "4")), (), "dd, 4 threads", "dd, 4 threads"),
        ((("tool", "dd"), ("fsync", "fdatasync")), (), "dd", "dd, fdatasync"),
        ((("tool", "ior"), ("fsync", "on")), (), "ior", "ior, fsync on"),
        ((("tool", "fio"), ("aggregate", "p99"), ("origin", "reported")), (), "fio, p99, reported", "fio, p99, reported"),
        ((("tool", "fio"), ("aggregate", "sample"), ("origin", "measured")), (), "fio", "fio"),
        ((("aggregate", "sample"), ("size", str(2**30))), (), "1 GiB", "1 GiB"),
        ((("tool", "fio"), ("fio.-e", "1"), ("fio.a", "2")), (), "fio", "fio, -e, a=2"),
    ],
)
def it_names_the_workload(workload, versions, title, label):
    assert workloads.workload_title(workload, versions).replace(NBSP, " ") == title
    assert workloads.workload_label(workload, versions).replace(NBSP, " ") == label


@pytest.mark.parametrize(("options", "title"), [("a", "a=1"), ("abc", "a=1, b=1, c=1"), ("abcde", "a=1, b=1, c=1, 2 more options")])
def it_names_the_first_options_in_which_other_workloads_differ(options, title):
    names = [f"fio.{name}" for name in options]
    workload = (("tool", "fio"), ("file_size", str(2**30)), *((name, "1") for name in names), ("fio.z", "1"))
    assert workloads.workload_title(workload, (), names).replace(NBSP, " ") == f"fio, 1 GiB, {title}"


def group(runs: int) -> Group:
    return Group("a", "", "", "write.throughput", runs, 1, 1.0, None, None, "none", [])


@pytest.mark.parametrize(
    ("fixed", "axes", "runs", "text"),
    [
        ((("fs", "ext4"), ("cpu", "Xeon")), ("os",), (3, 3), "Xeon · ext4 · n = 3 each"),
        ((("fs", "ext4"), ("cpu", "Xeon")), ("fs",), (3,), "Xeon · n = 3"),
        ((("fs", "zfs"), ("compression", "off")), (), (3,), "zfs · compression off · n = 3"),
        ((("fs", "zfs"), ("compression", "lz4")), (), (3,), "zfs · lz4 · n = 3"),
        ((("fs", "ext4"),), (), (2, 5, 3), "ext4 · n = 2 to 5"),
        ((("os", "Debian"), ("os_version", "12")), (), (), "Debian 12"),
        ((("os", "Debian"), ("os_version", "12")), ("os",), (), "OS version 12"),
        ((("os_version", "12"),), (), (), "OS version 12"),
        ((), (), (), ""),
    ],
)
def it_names_what_groups_share_and_their_runs(fixed, axes, runs, text):
    assert workloads.subtitle(fixed, axes, [group(n) for n in runs]).replace(NBSP, " ") == text
