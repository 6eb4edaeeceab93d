"""The reason that is given for what is not drawn is the difference that was found, from the upload to the page."""

from __future__ import annotations

import json

import pytest

from webapp.tests import samples
from webapp.tests.dd_text import UNAME

pytestmark = pytest.mark.django_db
HOST = "nas"
ZFS = {"compression": "off", "recordsize": "128K", "logbias": "latency"}


def _listing(host: str, settings: dict[str, str]) -> str:
    lines = "".join(f"tank  {name}  {value}  local\n" for name, value in settings.items())
    return f"{UNAME.replace('tank', host)}\nroot@{host}:~# zfs get all tank\nNAME  PROPERTY  VALUE  SOURCE\n{lines}"


def _fio(options: dict[str, str], number: int) -> str:
    """What fio prints of one job, the statistics of its intervals too; an option without a value is not given."""
    given = {"rw": "write", "bs": "128k", "size": "40g", "iodepth": "16", "direct": "1", "ioengine": "libaio"} | options
    write = {
        "io_bytes": 42949672960,
        "bw_bytes": 400_000_000 + number,
        "bw": 390625,
        "iops": 3051.7,
        "runtime": 107374,
        "total_ios": 327680,
    }
    write |= {"bw_min": 300_000, "bw_max": 450_000, "bw_mean": 390_000.0, "bw_dev": 2000.0, "bw_samples": 214}
    job = {"jobname": "w", "groupid": 0, "error": 0, "write": write}
    job["job options"] = {"name": "w", "filename": "/tank/f"} | {name: text for name, text in given.items() if text}
    return json.dumps({"fio version": "fio-3.33", "timestamp": 1772443200, "time": "Mon Mar  2 09:20:00 2026", "jobs": [job]})


def _compared(client, files: dict[str, str], query: str):
    """Places by x, with what they have, and flags by id."""
    archive = samples.received(samples.tar({path: text.encode() for path, text in files.items()}))
    compared = client.get(f"/compare.json?{query}&archive={archive.pk}").json()
    page = client.get(f"/compare?{query}&archive={archive.pk}").content.decode()
    places = {group["x"]: group["empty"] for panel in compared["panels"] for group in panel["groups"] if group["empty"]}
    return places, {flag["id"]: flag["sentence"] for flag in compared["flags"]}, page


@pytest.mark.parametrize(
    ("options", "told", "reason", "label"),
    [
        ({"iodepth": "4"}, {}, "not run with this workload", "queue depth 4"),
        ({"bs": "4k"}, {}, "not run with this workload", "block size 4\N{NO-BREAK SPACE}KiB"),
        ({"direct": ""}, {}, "run but not drawn", "direct I/O not stated"),
        ({"thinktime": "100"}, {}, "not run without thinktime", "thinktime=100us"),
        ({"nobody_heard_of": "7"}, {}, "not run without nobody_heard_of", "nobody_heard_of=7"),
        ({"size": ""}, {}, "run but not drawn", "file size unknown: each run counts alone"),
        ({}, {"recordsize": "1M"}, "run but not drawn", "Record size of the data set 1\N{NO-BREAK SPACE}MiB"),
        ({}, {"logbias": "throughput"}, "run but not drawn", "zfs.logbias throughput"),
    ],
)
def test_the_third_of_three_fio_runs_says_in_what_it_differs(client, options, told, reason, label):
    files = {}
    for compression in ("off", "lz4", "zstd"):
        changed = compression == "zstd"
        files[f"{compression}/zfs.txt"] = _listing(HOST, ZFS | (told if changed else {}) | {"compression": compression})
        files[f"{compression}/fio.json"] = _fio(options if changed else {}, len(files))
    places, flags, page = _compared(client, files, "metric=write.throughput&x=compression")
    [[has]] = places.values()
    assert (has["workload"], has["runs"]) == (label, 1)
    assert f"{reason}; has " in page
    assert "another kind" in flags["kinds"] and "elsewhere" in flags if told else "elsewhere" not in flags


@pytest.mark.parametrize(
    ("host", "told", "reason"),
    [
        (HOST, {"recordsize": "1M"}, "other record size of the data set (1)"),
        (HOST, {"logbias": "throughput"}, "other zfs.logbias (1)"),
        (HOST, {"compression": ""}, "compression not recorded (1)"),
        ("other", {}, "another machine (1)"),
    ],
)
def test_what_is_left_out_of_the_workload_says_why(client, host, told, reason):
    files = {}
    for name, at in (("off", HOST), ("lz4", HOST), ("third", host)):
        listed = ZFS | {"compression": "zstd" if name == "third" else name} | (told if name == "third" else {})
        files[f"{name}/run.txt"] = _listing(at, {key: text for key, text in listed.items() if text})
        files[f"{name}/fio.json"] = _fio({}, len(files))
    flags = _compared(client, files, "metric=write.throughput&x=compression")[1]
    assert flags["elsewhere"] == f"1 run of this workload is left out: {reason}."


def _bare_dd(seconds: float) -> str:
    """dd's summary without its command: the block size is unknown."""
    return f"1024+0 records in\n1024+0 records out\n1073741824 bytes (1.1 GB, 1.0 GiB) copied, {seconds} s, 500 MB/s\n"


def _bare_tar(seconds: float) -> str:
    return f"root@nas:~# time tar xf /src/linux.tar -C /tank\n\nreal\t0m{seconds:.3f}s\nuser\t0m1.000s\nsys\t0m1.000s\n"


def test_runs_of_unknown_size_are_one_reason_with_their_number(client):
    files = {}
    for compression in ("off", "lz4"):
        for number, seconds in enumerate((2.0, 2.1, 2.2), 1):
            files[f"{compression}/dd-{number}.txt"] = _listing(HOST, ZFS | {"compression": compression}) + _bare_dd(seconds)
    places, flags, page = _compared(client, files, "metric=transfer.throughput&x=compression")
    [[has]] = places.values()
    assert (has["workload"], has["runs"]) == ("block size unknown: each run counts alone", 3)
    assert flags["unknown-size"].startswith("5 runs are left out: block size unknown") and "workload" not in flags
    assert "other parameters" not in page


def test_runs_of_one_command_are_repetitions_whatever_their_size(client):
    files = {}
    for compression in ("off", "lz4"):
        for number, seconds in enumerate((2.0, 2.1, 2.2), 1):
            files[f"{compression}/tar-{number}.txt"] = _listing(HOST, ZFS | {"compression": compression}) + _bare_tar(seconds)
    places, flags, _ = _compared(client, files, "metric=extract.elapsed&x=compression")
    assert not places and "unknown-size" not in flags and "single" not in flags


@pytest.mark.parametrize("query", ["metric=write.throughput&x=compression", "metric=write.throughput", "x=compression", ""])
def test_an_archive_of_copies_says_where_its_outputs_count(client, query):
    """The same outputs beside another note: other bytes of the archive, the same of its files."""
    files = {f"{number}.txt": samples.dd(1.5 + number) for number in range(3)}
    first = samples.received(samples.tar(files))
    first.title = "The first upload"
    first.save()
    second = samples.received(samples.tar(files | {"note.txt": b"again\n"}), "again.tar")
    told = client.get(f"/compare.json?{query}&archive={second.pk}").json()
    [flag] = [flag for flag in told["flags"] if flag["id"] == "copies"]
    assert flag["sentence"] == f"The outputs are copies of those in archive {first.pk} (The first upload), and count there."
    page = client.get(f"/compare?{query}&archive={second.pk}").text
    assert "are copies of those in archive" in page and "Not measured yet" not in page
    assert f"archive={first.pk}" in page and "Compare the originals" in page


def test_copies_of_what_the_reader_does_not_see_are_not_named(client):
    files = {"a.txt": samples.dd(1.5, 2.5)}
    first = samples.received(samples.tar(files))
    second = samples.received(samples.tar(files | {"note.txt": b"again\n"}), "again.tar")
    first.published_at = None
    first.save()
    told = client.get(f"/compare.json?metric=write.throughput&archive={second.pk}").json()
    assert not [flag for flag in told["flags"] if flag["id"] == "copies"]
