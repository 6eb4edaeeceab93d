"""Which of the files side by side speak for which results."""

from __future__ import annotations

from ingest.tests.whole import read_measurements, read_upload

DD = "1024+0 records in\n1024+0 records out\n1073741824 bytes (1.1 GB) copied, {} s, 268 MB/s\n"
GET = "NAME  PROPERTY    VALUE  SOURCE\ntank  recordsize  {}    local\n"


def _recordsizes(files: dict[str, str]) -> dict[str, object]:
    return {m.file.rpartition("/")[2]: m.config.get("pool.recordsize") for m in read_measurements(files)}


def test_files_named_alike_but_for_what_tells_the_results_apart_speak_for_their_own():
    results = {f"dd-{name}.txt": DD.format(n) for n, name in enumerate(("small", "large-1", "large-2"), 1)}
    shown = {
        "zfs-get-small.txt": GET.format("16K"),
        "zfs-get-large.txt": GET.format("1M"),
        "uname.txt": "Linux a 6.1.0 #1 SMP x86_64\n",
    }
    records = read_upload(results | shown)
    assert _recordsizes(results | shown) == {"dd-small.txt": 16384, "dd-large-1.txt": 1 << 20, "dd-large-2.txt": 1 << 20}
    assert {m.config["kernel"] for m in read_measurements(results | shown)} == {"6.1.0"}
    assert not [one for one in records if getattr(one, "code", "") == "conflict"]


def test_a_file_without_a_sibling_speaks_for_the_whole_folder():
    results = {"dd-2023-01-05.txt": DD.format(1), "dd-2023-01-06.txt": DD.format(2)}
    assert set(_recordsizes(results | {"zfs-get-2023-01-05.txt": GET.format("16K")}).values()) == {16384}


def test_siblings_that_no_result_is_named_after_still_contradict_each_other():
    files = {
        "dd-1.txt": DD.format(1),
        "dd-2.txt": DD.format(2),
        "zfs-get-a.txt": GET.format("16K"),
        "zfs-get-b.txt": GET.format("1M"),
    }
    assert set(_recordsizes(files).values()) == {None}
    assert [one for one in read_upload(files) if getattr(one, "code", "") == "conflict"]


def test_a_run_of_which_nothing_could_be_read_tells_its_neighbours_nothing():
    lost = "root@b:~# uname -r\n5.4.0\nroot@b:~# dd if=/dev/zero of=/x\n1024+0 records in\n1024+0 records out\n10737"
    files = {"a.txt": "root@a:~# dd if=/dev/zero of=/x bs=1M count=1024\n" + DD.format(4), "b.txt": lost}
    assert {m.config.get("kernel") for m in read_measurements(files)} == {None}
    noted = {"a.txt": files["a.txt"], "system.txt": "root@a:~# uname -r\n5.4.0\n"}
    assert {m.config.get("kernel") for m in read_measurements(noted)} == {"5.4.0"}


def test_a_folder_of_what_tells_the_machine_speaks_for_the_folder_around_it():
    files = {
        "run/a/dd.txt": DD.format(4),
        "run/sysinfo/uname.txt": "Linux a 6.1.0 #1 SMP x86_64\n",
        "other/dd.txt": DD.format(5),
        "env/free.txt": "MemTotal:       16384256 kB\n",
        "server/free.txt": "MemTotal:       4096256 kB\n",
    }
    assert {m.file: (m.config.get("kernel"), m.config.get("memory")) for m in read_measurements(files)} == {
        "run/a/dd.txt": ("6.1.0", 16384256 * 1024),
        "other/dd.txt": (None, 16384256 * 1024),
    }


def test_a_folder_with_results_of_its_own_speaks_for_them_alone():
    files = {"dd-1.txt": DD.format(4), "system/dd-2.txt": DD.format(5), "system/zfs.txt": GET.format("16K")}
    assert _recordsizes(files) == {"dd-1.txt": None, "dd-2.txt": 16384}
