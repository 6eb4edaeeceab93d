"""fio: options as parameters, equal ones in one spelling; what the buffers hold, what the target is, what ran beside a job."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ingest.parsers.fio import fio
from ingest.parsers.fio._options import merge_params, parse_options
from ingest.records import Value
from ingest.text.lines import Text


def _params(given: str, **more: Any) -> dict[str, Any]:
    pairs = (pair.partition("=") for pair in given.split())
    return parse_options({option: value for option, _, value in pairs}, **more).params


@pytest.mark.parametrize(
    ("one", "other"),
    [
        # fio documentation, "Parameter types": k is 1024 and KiB 1000, unless kb_base is 1000; units of time
        ("size=1g", "size=1048576k"),
        ("size=4KiB", "size=4000"),
        ("size=4KiB kb_base=1000", "size=4096"),
        ("size=4k kb_base=1000 runtime=1m", "size=4000 runtime=60"),
        ("runtime=1m", "timeout=60s"),
        ("thinktime=1ms", "thinktime=1000"),
        ("time_based=", "time_based=1"),
        ("norandommap=0", ""),
        ("buffered=0", "direct=1"),
        ("buffered=1", "direct=0"),
        ("rw=randrw rwmixwrite=30", "rw=randrw rwmixread=70"),
        ("rw=randrw rwmixread=50", "rw=randrw"),
        ("rw=readwrite", "rw=rw"),
        ("sync=sync", "sync=1"),
        ("verify=0", ""),
        # "Block size": a value holds for those behind it, unless it ends in a comma; the default is 4096
        ("rw=read bs=4k,64k", "rw=read bs=4k"),
        ("rw=write bs=,64k", "rw=write bs=64k"),
        ("rw=randrw bs=8k,8k,", "rw=randrw bs=8k"),
        ("rw=randrw bs=4k,64k", "rw=randrw bs=4096,65536,65536"),
        ("rw=rw bsrange=1k:4k", "rw=rw bsrange=1024-4096,1k-4k"),
        ("rate=1m,500k", "rate=1048576,512000,512000"),
        # another draw, names, paths
        ("randseed=7", ""),
        ("filename=/mnt/a", "filename=/mnt/b"),
        ("filename_format=/a/$jobnum.$filenum", ""),
        ("read_iolog=/a/trace.log", "read_iolog=/b/trace.log"),
        ("mem=mmaphuge:/huge/a", "mem=mmaphuge:/huge/b"),
        # all buffers are filled alike: init.c makes 100 % compressible data zeros
        ("buffer_compress_percentage=100", "zero_buffers=1"),
        ("buffer_pattern=0x00", "zero_buffers"),
    ],
)
def test_the_same_load_has_the_same_parameters(one: str, other: str) -> None:
    def identity(given: str) -> object:
        options = parse_options(dict((*pair.split("=", 1), "")[:2] for pair in given.split()))
        return options.pattern, {name: value for name, value in options.params.items() if name != "path"}

    assert identity(one) == identity(other)


@pytest.mark.parametrize(
    ("given", "contents"),
    [
        ("rw=write", "random"),
        ("rw=write scramble_buffers=1", "random"),
        ("rw=write refill_buffers", "random, refilled"),
        ("rw=write verify=crc32c", "random, refilled"),
        ("rw=write scramble_buffers=0", "random, repeated"),
        ("rw=write zero_buffers", "zeros"),
        ("rw=read zero_buffers=1", "zeros"),
        ("rw=read", None),
        ("rw=write buffer_pattern=0xdeadbeef", "repeated pattern"),
        ("rw=write verify=pattern verify_pattern=0x5a", "repeated pattern"),
        ("rw=write buffer_compress_percentage=50", "compressible 50 %"),
        ("rw=write buffer_compress_percentage=50 refill_buffers=0", "compressible 50 %, repeated"),
        ("rw=write dedupe_percentage=30", "duplicated 30 %"),
        ("rw=write buffer_compress_percentage=50 dedupe_percentage=30 zero_buffers", "compressible 50 %, duplicated 30 %"),
        ("rw=write buffer_compress_percentage=$P", "random"),
    ],
)
def test_what_the_buffers_hold(given: str, contents: str | None) -> None:
    assert _params(given, whole=1).get("contents") == contents
    assert ("contents" in parse_options({"rw": "write"}, whole=1).implied) and not parse_options({"rw": "write"}).implied


@pytest.mark.parametrize(
    ("given", "target", "targets"),
    [
        ("filename=/dev/sda", "device", None),
        ("filename=/dev/sda:/dev/sdb", "device", "2"),
        (r"filename=/dev/dsk/foo@3,0\:c", "device", None),
        (r"filename=\\.\PhysicalDrive1", "device", None),
        ("filename=/dev/shm/x", None, None),
        ("filename=/mnt/a filetype=block", "device", None),
        ("directory=/a:/b:/c", None, "3"),
        ("filename=/mnt/a numjobs=4", "one file for all processes", None),
        ("directory=/mnt numjobs=4", None, None),
        ("opendir=/mnt", "files of a directory", None),
    ],
)
def test_what_the_target_is(given: str, target: str | None, targets: str | None) -> None:
    params = _params(given)
    assert (params.get("fio.target"), params.get("fio.targets")) == (target, targets)


@pytest.mark.parametrize(
    ("given", "fsync"),
    [
        ("fsync=1", "every 1"),
        ("fdatasync=32", "fdatasync every 32"),
        ("end_fsync=1", "on"),
        ("fsync=8 end_fsync=1", "every 8, at the end"),
        ("fsync=0 fdatasync=0 end_fsync=0", None),
    ],
)
def test_when_data_are_flushed(given: str, fsync: str | None) -> None:
    assert _params(given).get("fsync") == fsync


def test_defaults_hold_where_all_options_are_known() -> None:
    options = parse_options({"rw": "randread"}, "3.33", whole=5)
    assert options.params == {"block_size": 4096, "iodepth": 1, "processes": 1, "engine": "psync"}
    assert options.implied == dict.fromkeys(options.params, 5)
    assert parse_options({"rw": "randread"}, "3.33").params == {}


def test_jobs_that_differ_in_an_option_keep_both_values() -> None:
    jobs = [{"iodepth": 1, "fio.rate_iops": "100"}, {"iodepth": 1}, {"iodepth": 2, "fio.rate_iops": "200"}]
    assert merge_params(jobs) == {"fio.rate_iops": "100 / 200 / not given"}
    assert merge_params([merge_params(jobs[:2]), jobs[2]]) == merge_params(jobs)


def _document(*jobs: tuple[str, str, int]) -> str:
    side = {"io_bytes": 2**30, "bw_bytes": 2**20, "bw": 1024, "iops": 256.0, "runtime": 60000, "total_ios": 9}
    nodes = [
        {
            "jobname": name,
            "groupid": group,
            "error": 0,
            "job options": {"rw": rw, "bs": "4k", "size": "1g"},
            "read" if "read" in rw else "write": side,
        }
        for name, rw, group in jobs
    ]
    return json.dumps({"fio version": "fio-3.33", "time": "Mon Mar  2 09:20:00 2026", "jobs": nodes}, indent=1)


def _report(*jobs: tuple[str, str, int]) -> str:
    size = "4096B-4096B"
    heads = [
        f"{name}: (g={group}): rw={rw}, bs=(R) {size}, (W) {size}, (T) {size}, ioengine=psync, iodepth=1"
        for name, rw, group in jobs
    ]
    results = [
        f"{name}: (groupid={group}, jobs=1): err= 0: pid=3: Mon Jul  3 22:30:33 2023\n"
        f"  {rw.removeprefix('rand')}: IOPS=256, BW=1024KiB/s (1049kB/s)(60.0MiB/60000msec)"
        for name, rw, group in jobs
    ]
    return "\n".join([*heads, "fio-3.33", *results, "Run status group 0 (all jobs):", ""])


@pytest.mark.parametrize("form", [_document, _report])
@pytest.mark.parametrize(
    ("others", "beside"),
    [
        ((), None),
        ((("w", "randwrite", 1),), None),
        ((("w", "randwrite", 0),), "randwrite"),
        ((("w", "randwrite", 0), ("v", "randwrite", 0)), "2 x randwrite"),
    ],
)
def test_what_ran_at_the_same_time_is_part_of_the_load(form: Any, others: tuple[Any, ...], beside: str | None) -> None:
    body = form(("r", "randread", 0), *others)
    values = [item for item in fio.parse(Text("t", body.split("\n"), body)) if isinstance(item, Value)]
    reads = [value for value in values if value.metric == "random_read.throughput" and value.same_as is None]
    assert [value.params.get("fio.beside") for value in reads] == [beside]


@pytest.mark.parametrize(
    ("command", "counted"),
    [
        ("fio --name=j --rw=read --thread j.fio", {"fio.thread": "1"}),
        ("sudo taskset -c 0 fio --name=j --rw=read", {"fio.under": "taskset -c 0"}),
        ("fio --name=j --rw=read --hipri | tee out.txt --append", {"fio.hipri": "1"}),
        ("fio --name=j --rw=read --nice=-5 > out 2>&1 # --loops=2", {"fio.nice": "-5"}),
        ("fio --name=j --rw=read --filename=<file> --loops=2", {"fio.loops": "2"}),
        ('fio --name="j" -rw read --zonemode "zbd" --hugepage-size=2m', {"fio.zonemode": "zbd", "fio.hugepage-size": "2097152"}),
        ("fio --name=j --rw=read --cpus_allowed=$(seq -s, 0 3) --ss_dur=10", {
            "fio.cpus_allowed": "$(seq -s, 0 3)",
            "fio.steadystate_duration": "10s",
        }),
        ("fio --output-format=json --eta=never --name=j --rw=read --write_bw_log=x --log_avg_msec=1000", {}),
    ],
)  # fmt: skip
def test_options_of_command_lines(command: str, counted: dict[str, str]) -> None:
    body = f"$ {command}\n{_report(('j', 'read', 0))}"
    [value, *_] = [item for item in fio.parse(Text("t", body.split("\n"), body)) if isinstance(item, Value)]
    assert {name: text for name, text in value.params.items() if name.startswith("fio.")} == counted
