"""A key of a machine that was read once holds for all runs of that host in the archive, and for no other's."""

from __future__ import annotations

import pytest

from ingest.configuration.host_names import identifies, same_host, short_name
from ingest.records import StatedFact
from ingest.tests.whole import read_measurements

DD = "1024+0 records in\n1024+0 records out\n1073741824 bytes (1.1 GB) copied, {} s, 268 MB/s\n"
RUN = "root@{}:~# dd if=/dev/zero of=/x bs=1M count=1024\n" + DD
UNAME = "Linux {} {} #1 SMP x86_64\n"
CPU = "Model name: {}\n"
FREE = "MemTotal:       {} kB\n"


def _lscpu(model: str) -> str:
    return f"Architecture:        x86_64\nCPU(s):              4\nOn-line CPU(s) list: 0-3\nModel name:          {model}\n"


def _told(files, key, stated=None):
    return {m.file: m.config.get(key) for m in read_measurements(files, stated)}


def test_what_one_file_of_a_host_tells_holds_for_its_other_files():
    files = {
        "one/log.txt": "root@node1:~# uname -r\n6.1.0\n" + RUN.format("node1", 4),
        "two/log.txt": RUN.format("NODE1.cluster.local", 5),
        "three/log.txt": RUN.format("node2", 6),
    }
    assert _told(files, "kernel") == {"one/log.txt": "6.1.0", "two/log.txt": "6.1.0", "three/log.txt": None}
    (source,) = {m.config_from["kernel"] for m in read_measurements(files) if m.file == "two/log.txt"}
    assert source == "one/log.txt:2"


def test_a_file_without_a_host_belongs_to_the_host_of_its_folder():
    files = {
        "a/uname.txt": UNAME.format("node1", "6.1.0"),
        "a/lscpu.txt": _lscpu("Xeon E5-1620"),
        "b/log.txt": RUN.format("node1", 4),
        "c/log.txt": RUN.format("node2", 5),
    }
    assert _told(files, "cpu.model") == {"b/log.txt": "Xeon E5-1620", "c/log.txt": None}


def test_a_key_that_changed_is_not_filled():
    files = {
        "rep1/uname.txt": UNAME.format("node1", "6.1.0"),
        "rep2/uname.txt": UNAME.format("node1", "6.2.0"),
        **{f"rep{n}/log.txt": RUN.format("node1", n) for n in (1, 2, 3)},
    }
    assert _told(files, "kernel") == {"rep1/log.txt": "6.1.0", "rep2/log.txt": "6.2.0", "rep3/log.txt": None}
    assert _told(files, "os.family")["rep3/log.txt"] == "Linux"


def test_an_archive_without_hosts_is_one_machine():
    files = {"rep1/lscpu.txt": _lscpu("Xeon E5-1620"), "rep1/dd.txt": DD.format(4), "rep2/dd.txt": DD.format(5)}
    assert _told(files, "cpu.model") == {"rep1/dd.txt": "Xeon E5-1620", "rep2/dd.txt": "Xeon E5-1620"}


def test_names_of_installers_are_no_hosts():
    files = {
        "rep1/uname.txt": UNAME.format("debian", "6.1.0"),
        "rep1/dd.txt": DD.format(4),
        "rep2/dd.txt": RUN.format("localhost", 5),
    }
    assert _told(files, "kernel")["rep2/dd.txt"] == "6.1.0"


@pytest.mark.parametrize("other", [{"b/lscpu.txt": _lscpu("Xeon X5677")}, {"b/uname.txt": UNAME.format("node2", "6.2.0")}])
def test_where_something_shows_several_machines_only_a_folder_is_one(other):
    files = {
        "top/a/sub/lscpu.txt": _lscpu("Xeon E5-1620"),
        "top/a/sub/uname.txt": UNAME.format("node1", "6.1.0"),
        "top/a/dd.txt": DD.format(4),
        "top/b/sub/dd.txt": DD.format(5),
        "top/c/dd.txt": DD.format(6),
        "top/dd.txt": DD.format(7),
    } | {f"top/{path}": text for path, text in other.items()}
    assert _told(files, "kernel") == {
        "top/a/dd.txt": "6.1.0",
        "top/b/sub/dd.txt": other.get("b/uname.txt") and "6.2.0",
        "top/c/dd.txt": None,
        "top/dd.txt": None,
    }


def test_what_a_person_states_of_one_folder_shows_two_machines_and_is_not_spread():
    files = {"a/lscpu.txt": _lscpu("Xeon E5-1620"), "a/dd.txt": DD.format(4), "b/dd.txt": DD.format(5), "c/dd.txt": DD.format(6)}
    stated = [StatedFact("cpu.model", "Xeon X5677", "folder", "b")]
    assert _told(files, "cpu.model", stated) == {"a/dd.txt": "Xeon E5-1620", "b/dd.txt": "Xeon X5677", "c/dd.txt": None}


def test_another_system_of_the_same_machine_takes_nothing_of_this_one():
    files = {
        "a/uname.txt": UNAME.format("node1", "6.1.0"),
        "a/dd.txt": RUN.format("node1", 4),
        "b/uname.txt": "FreeBSD node1 14.0-RELEASE FreeBSD 14.0-RELEASE GENERIC amd64\n",
        "b/dd.txt": RUN.format("node1", 5),
        "c/dd.txt": RUN.format("node1", 6),
    }
    assert _told(files, "kernel")["c/dd.txt"] is None and _told(files, "os.family")["c/dd.txt"] is None


def test_disks_and_rows_that_somebody_typed_are_those_of_their_run():
    row = "metric,value,unit,config.memory,config.disk.model\nwrite.throughput,81.2,MB/s,{},{}\nread.throughput,82.2,MB/s,,\n"
    files = {"a/dd.txt": DD.format(4), "b/table.csv": row.format("8G", "ST3000VX000")}
    assert {(m.file, m.line): (m.config.get("memory"), m.config.get("disk.model")) for m in read_measurements(files)} == {
        ("a/dd.txt", 3): (None, None),
        ("b/table.csv", 2): (8 * 2**30, "ST3000VX000"),
        ("b/table.csv", 3): (None, None),
    }


@pytest.mark.parametrize(
    ("first", "second", "are_one"),
    [
        ("node1", "NODE1", True),
        ("node1", "node1.cluster.local", True),
        ("node1", "node2", False),
        ("10.0.0.1", "10.0.0.2", False),
    ],
)
def test_names_of_one_host(first, second, are_one):
    assert same_host(first, second) is are_one
    assert (short_name(first) == short_name(second)) is are_one


@pytest.mark.parametrize(("host", "tells"), [("node1", True), ("localhost.localdomain", False), ("Ubuntu", False), ("", False)])
def test_which_names_identify_a_host(host, tells):
    assert identifies(host) is tells
