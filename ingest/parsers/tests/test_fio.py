"""fio: units of every format, directions, percentiles, the same run in several formats."""

from __future__ import annotations

import json

import pytest

from ingest.parsers.fio import fio
from ingest.records import Doubt, Value
from ingest.tests.samples import FOLDER
from ingest.text.lines import Text

OPTIONS = "j: (g=0): rw={rw}, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=libaio, iodepth=16\n"
JOB = "j: (groupid=0, jobs=2): err= 0: pid=1: Sat Nov 21 04:39:20 2026\n"
STATUS = "Run status group 0 (all jobs):\n"


def read(body: str) -> tuple[list[Value], list[Doubt]]:
    items = list(fio.parse(Text("t", body.split("\n"), body)))
    return [i for i in items if isinstance(i, Value)], [i for i in items if isinstance(i, Doubt)]


@pytest.mark.parametrize(
    ("line", "rate", "throughput"),
    [
        # fio documentation, "Interpreting the output": 3.x prints IEC units first, SI in parentheses; k of IOPS is 1000
        ("  write: IOPS=28.2k, BW=221MiB/s (231MB/s)(32.0MiB/145msec); 0 zone resets", 28200.0, 221 * 2**20),
        ("  write: IOPS=1, BW=819KiB/s (839kB/s)(32.0MiB/40sec)", 1.0, 819 * 1024),
        ("  write: IOPS=1.1M, BW=4.3GiB/s (4.6GB/s)(32.0GiB/7450msec)", 1.1e6, 4.3 * 2**30),
        ("  write: IOPS=10, BW=512B/s (512B/s)(1024B/2000msec)", 10.0, 512.0),
        # 2.x, HOWTO "Normal output": KB is 1024 bytes (kb_base=1024 is the default)
        ("  write: io=32640KB, bw=33580KB/s, iops=8395, runt=   972msec", 8395.0, 33580 * 1024),
        ("  write: io=1024.0MB, bw=1.5MB/s, iops=12, runt= 10000msec", 12.0, 1.5 * 2**20),
        # 1.x and 2.0: a blank behind a figure without suffix, figures below 1 KB in bytes (num2str in fio's source)
        ("  write: io=131072KB, bw=864318 B/s, iops=211 , runt=155287msec", 211.0, 864318.0),
        ("  write: io=1,024MiB, bw=11,288KiB/s, iops=1,176, runt= 92891msec", 1176.0, 11288 * 1024),
        # --client: "All clients" without the unit's B/s; 96.0GiB/158.26s are 621 MiB/s
        ("  write: IOPS=4969, BW=621Mi (651M)(96.0GiB/158260msec); 0 zone resets", 4969.0, 621 * 2**20),
        ("  write: IOPS=30.1k, BW=29.4Gi (31.6G)(8822GiB/300044msec)", 30100.0, 29.4 * 2**30),
        # kb_base=1000 prints SI units first, unit_base=1 bits (fio documentation, "Units")
        ("  write: IOPS=12, BW=300MB/s (286MiB/s)(8389kB/6msec)", 12.0, 300e6),
        ("  write: IOPS=12, BW=11.2Gbit/s (10.4Gibit/s)(8389kB/6msec)", 12.0, 11.2e9 / 8),
        ("  write: IOPS=12, BW=512Kibit/s (524kbit/s)(8389kB/6msec)", 12.0, 512 * 1024 / 8),
    ],
)
def test_units_of_normal_output(line: str, rate: float, throughput: float) -> None:
    values, doubts = read(OPTIONS.format(rw="write") + JOB + line + "\n" + STATUS)
    assert {v.metric: v.value for v in values} == {"write.rate": rate, "write.throughput": throughput}
    assert doubts == []


@pytest.mark.parametrize(
    ("rw", "metric", "mix"),
    [
        ("read", "read", None),
        ("randread", "random_read", None),
        ("rw", "read", "rw"),
        ("randrw", "random_read", "randrw"),
        ("readwrite", "read", "rw"),
    ],
)
def test_directions(rw: str, metric: str, mix: str | None) -> None:
    values, _ = read(OPTIONS.format(rw=rw) + JOB + "  read: IOPS=10, BW=40.0KiB/s (41.0kB/s)(40KiB/1000msec)\n" + STATUS)
    assert {v.metric for v in values} == {f"{metric}.rate", f"{metric}.throughput"}
    assert values[0].params.get("mix") == mix
    assert (values[0].params["block_size"], values[0].params["iodepth"], values[0].params["processes"]) == (4096, 16, 2)


def test_without_options_the_pattern_is_unknown() -> None:
    values, doubts = read(JOB + "  read: IOPS=10, BW=40.0KiB/s (41.0kB/s)(40KiB/1000msec)\n" + STATUS)
    assert values[0].params["pattern"] == "unknown"
    assert [d.code for d in doubts] == ["no-command"]


@pytest.mark.parametrize(("unit", "factor"), [("nsec", 1e-9), ("usec", 1e-6), ("msec", 1e-3), ("sec", 1.0)])
def test_latencies_and_percentiles(unit: str, factor: float) -> None:
    body = (
        OPTIONS.format(rw="read")
        + JOB
        + f"""  read: IOPS=10, BW=40.0KiB/s (41.0kB/s)(40KiB/1000msec)
    slat ({unit}): min=1, max=2, avg= 1.50, stdev= 0.50
    clat ({unit}): min=10, max=20, avg=15.00, stdev= 5.00
     lat ({unit}): min=11, max=22, avg=16.50, stdev= 5.50
    clat percentiles ({unit}):
     |  1.00th=[   11], 50.00th=[   14], 99.00th=[   19], 99.90th=[   20]
  cpu          : usr=1.41%, sys=17.96%, ctx=4103, majf=0, minf=16
"""
        + STATUS
    )
    values, doubts = read(body)
    found = {(v.params.get("part"), v.stat): v.value for v in values if v.metric == "read.latency"}
    assert found[("submission", "mean")] == pytest.approx(1.5 * factor)
    assert found[("completion", "max")] == pytest.approx(20 * factor)
    assert found[(None, "stddev")] == pytest.approx(5.5 * factor)
    assert {stat: found[("completion", stat)] / factor for stat in ("p1", "p50", "p99", "p99.9")} == pytest.approx(
        {"p1": 11, "p50": 14, "p99": 19, "p99.9": 20}
    )
    assert {(v.params["part"], v.value) for v in values if v.metric == "read.cpu"} == {
        ("user", 1.41),
        ("system", 17.96),
    }
    assert doubts == []


def test_a_start_line_that_was_cut_takes_no_version_for_its_rest() -> None:
    result = JOB + "  write: IOPS=10, BW=40.0KiB/s (41.0kB/s)(32.0MiB/40sec)\n"
    values, _ = read(f"fio-3.33\nj: (g=0): rw=\nfio-3.36\n{result}")
    assert {value.tool_version for value in values} == {"3.36"}


def test_latencies_of_a_lost_direction_are_not_given_to_another() -> None:
    latency = "    clat (usec): min={0}, max={0}, avg={0}, stdev= 0.00\n"
    body = (
        OPTIONS.format(rw="rw")
        + JOB
        + "  read: IOPS=10, BW=40.0KiB/s (41.0kB/s)(40KiB/1000msec)\n"
        + latency.format(1)
        + latency.format(2)
        + STATUS
    )
    values, doubts = read(body)
    assert {v.raw for v in values if v.metric.endswith("latency")} == {"1", "0.00"}
    assert [d.code for d in doubts] == ["no-header"]


def test_run_status_repeats_a_single_job_and_sums_several() -> None:
    line = "  write: IOPS=10, BW={0}MiB/s (1MB/s)(1MiB/100msec)\n"
    total = "  WRITE: bw={0}MiB/s (1MB/s), 10MiB/s-20MiB/s (1MB/s-1MB/s), io=1MiB (1MB), run=1-1msec\n"
    one, _ = read(OPTIONS.format(rw="write") + JOB + line.format(10) + STATUS + total.format(10))
    two, _ = read(OPTIONS.format(rw="write") + JOB + line.format(10) + JOB + line.format(20) + STATUS + total.format(30))
    assert (one[-1].same_as, one[-1].params.get("part")) == (3, None)
    assert (two[-1].same_as, two[-1].params.get("part"), two[-1].raw) == (None, "group", "30")


RESULT = "  {0}: IOPS=10, BW=40.0KiB/s (41.0kB/s)(40KiB/1000msec)\n"
CPU, ISSUED = "  cpu          : usr=0.31%, sys=0.12%, ctx=2, majf=0, minf=1\n", "     issued rwts: total=10,0,0,0 short=0,0,0,0\n"


@pytest.mark.parametrize(
    ("pattern", "text", "is_cut"),
    [
        ("read", JOB + RESULT.format("read"), False),  # results picked out
        ("read", JOB + RESULT.format("read") + CPU + ISSUED, False),
        ("read", JOB + RESULT.format("read") + CPU, True),
        ("read", JOB, True),
        ("read", JOB + RESULT.format("read") + CPU + ISSUED + JOB + RESULT.format("read"), True),
        ("read", JOB + RESULT.format("read") + "\n$ df -h\n", False),
        ("rw", JOB + RESULT.format("read"), True),
        ("rw", JOB + RESULT.format("read") + RESULT.format("write"), False),
        ("rw", JOB + RESULT.format("mixed"), False),
        ("read", "Starting 3 processes\n" + JOB + RESULT.format("read"), True),
        ("read", "Starting 3 processes\n" + 2 * (JOB + RESULT.format("read")), False),
        ("read", "Starting 3 processes\n" + JOB + RESULT.format("read") + STATUS, False),
    ],
)
def test_a_report_without_its_run_status_is_cut_off_unless_its_jobs_are_whole(pattern: str, text: str, is_cut: bool) -> None:
    _, doubts = read(OPTIONS.format(rw=pattern) + text)
    assert [d.code for d in doubts if d.code == "cut"] == ["cut"] * is_cut


JSON = """{
  "fio version" : "%s",
  "time" : "Sat Nov 21 04:39:20 2026",
  "global options" : { "bs" : "8k", "ioengine" : "libaio" },
  "jobs" : [
    { "jobname" : "j", "groupid" : 0, "error" : 0,
      "job options" : { "rw" : "randwrite", "size" : "16M", "numjobs" : "2" },
      "write" : { "io_bytes" : 33554432, %s
        "iops" : 28248.275862, "runtime" : 145,
        %s } } ] }"""


def test_json_of_3() -> None:
    body = JSON % (
        "fio-3.33",
        '"bw_bytes" : 231409875, "bw" : 225986,',
        '"clat_ns" : { "min" : 18378, "max" : 2230735, "N" : 9, "percentile" : { "99.000000" : 168960 } }',
    )
    values, doubts = read(body)
    assert [(v.line, v.metric, v.stat, v.value, v.raw) for v in values] == [
        (8, "random_write.throughput", "sample", 231409875.0, "231409875"),
        (9, "random_write.rate", "sample", 28248.275862, "28248.275862"),
        (10, "random_write.latency", "min", 18378 / 1e9, "18378"),
        (10, "random_write.latency", "max", 2230735 / 1e9, "2230735"),
        (10, "random_write.latency", "p99", 168960 / 1e9, "168960"),
    ]
    assert (values[0].params["block_size"], values[0].params["processes"], values[0].tool_version) == (8192, 2, "3.33")
    assert values[0].started_at == "2026-11-21T04:39:19"  # a run of 1 s before the printed time
    assert doubts == []


def test_json_of_2_has_kib_and_microseconds() -> None:
    values, _ = read(JSON % ("fio-2.2.10", '"bw" : 100,', '"clat" : { "min" : 3, "max" : 9 }'))
    assert {(v.metric, v.stat): v.value for v in values} == {
        ("random_write.throughput", "sample"): 102400.0,
        ("random_write.rate", "sample"): 28248.275862,
        ("random_write.latency", "min"): 3e-6,
        ("random_write.latency", "max"): 9e-6,
    }


def section(width: int, head: str) -> str:
    fields = (
        head
        + ";0;0;0;0"
        + ";10;20;15.5;1.5"
        + "".join(f";{p}.000000%={p}" for p in range(1, 21))
        + ";11;21;16.5;1.5"
        + ";100;300;50.0%;200.0;10.0"
    ).split(";")
    return ";".join(fields + ["0"] * (width - len(fields)))


@pytest.mark.parametrize(("version", "width", "count"), [("3", 41, 2), ("4", 41, 3), ("5", 47, 3)])
def test_terse(version: str, width: int, count: int) -> None:
    # fio documentation, "Terse output": KiB/s, IOPS, ms, then microseconds
    idle = ";".join(["0"] * width)
    body = ";".join(
        [
            version,
            "fio-3.33",
            "j",
            "0",
            "0",
            section(width, "1024;512;128;2000"),
            *[idle] * (count - 1),
            "1.5%;2.5%;1;0;1",
        ]
    )
    values, doubts = read(body + "\n")
    found = {(v.metric, v.params.get("part"), v.stat): v.value for v in values}
    assert found[("read.throughput", None, "sample")] == 512 * 1024
    assert found[("read.rate", None, "sample")] == 128
    assert found[("read.latency", "completion", "mean")] == 15.5e-6
    assert found[("read.latency", "completion", "p20")] == 20e-6
    assert found[("read.latency", None, "min")] == 11e-6
    assert found[("read.throughput", "interval", "mean")] == 200 * 1024
    assert found[("read.cpu", "system", "sample")] == 2.5
    assert values[0].params["runtime"] == 2.0
    assert [d.code for d in doubts] == ["no-command"]
    short, refused = read(body[:200] + "\n")
    assert (short, [d.code for d in refused]) == ([], ["short-row"])


def test_the_same_run_in_two_formats_counts_once() -> None:
    terse = ";".join(["3", "fio-3.33", "j", "0", "0", ";".join(["0"] * 41), section(41, "32768;225986;28248;145"), "1%;2%;1;0;1"])
    body = OPTIONS.format(rw="randwrite") + terse + "\n" + JSON % ("fio-3.33", '"bw_bytes" : 231409875,', '"x" : 1')
    values, _ = read(body)
    assert [(v.metric, v.same_as) for v in values if v.line > 2] == [
        ("random_write.throughput", 2),
        ("random_write.rate", 2),
    ]


def test_states_of_a_running_job_are_told_and_not_pooled() -> None:
    """--status-interval prints the whole report of the same processes again and again; the last one is the result."""
    line = "  write: IOPS={0}, BW={0}.0KiB/s (41.0kB/s)(40KiB/1000msec)\n"
    body = OPTIONS.format(rw="write") + JOB + line.format(10) + STATUS + "\n" + JOB + line.format(20) + STATUS
    values, doubts = read(body)
    assert [v.raw for v in values] == ["20", "20.0"]
    assert [(d.line, d.code) for d in doubts] == [(2, "progress")]


@pytest.mark.parametrize(("header", "pid"), [("fio-3.1\nStarting 1 thread\n", "1"), (OPTIONS.format(rw="write"), "1"), ("", "0")])
def test_runs_whose_processes_have_one_number_are_no_states(header: str, pid: str) -> None:
    """As after each start of a guest, or where fio could not start them."""
    line = "  write: IOPS={0}, BW={0}.0KiB/s (41.0kB/s)(40KiB/1000msec)\n"
    job = header + JOB.replace("pid=1", f"pid={pid}")
    values, doubts = read(OPTIONS.format(rw="write") + job + line.format(10) + STATUS + "\n" + job + line.format(20) + STATUS)
    assert [v.raw for v in values] == ["10", "10.0", "20", "20.0"]
    assert "progress" not in {d.code for d in doubts}


@pytest.mark.parametrize(("rw", "operation"), [("trim", "trim"), ("randtrim", "random_trim"), ("trimwrite", "trim")])
def test_trims_and_syncs_have_operations_of_their_own(rw: str, operation: str) -> None:
    trim = "  trim: IOPS=10, BW=40.0KiB/s (41.0kB/s)(40KiB/1000msec)\n"
    sync = "  fsync/fdatasync/sync_file_range:\n    sync (usec): min=495, max=14773, avg=5752.46, stdev=3259.89\n"
    values, doubts = read(OPTIONS.format(rw=rw) + JOB + trim + sync + STATUS)
    assert {v.metric for v in values} == {f"{operation}.rate", f"{operation}.throughput", "fsync.latency"}
    assert doubts == []


SAMPLE = (FOLDER / "fio" / "read-json.txt").read_text()


@pytest.mark.parametrize(
    "body",
    [
        json.dumps(json.loads(SAMPLE)),
        json.dumps([json.loads(SAMPLE)]),
        json.dumps({"host": "n1", "results": [{"name": "a", "fio": json.loads(SAMPLE)}]}, indent=2),
        "fio: a warning\nresult: " + SAMPLE,
        "2026-11-21 10:00:00 INFO {id=7} fio: " + json.dumps(json.loads(SAMPLE)),
    ],
    ids=["minified", "list", "wrapped", "behind words", "behind a stamp"],
)
def test_json_is_found_wherever_it_stands(body: str) -> None:
    expected, _ = read(SAMPLE)
    values, doubts = read(body)
    told, known = ([(v.native, v.value, str(v.params)) for v in found] for found in (values, expected))
    assert sorted(told) == sorted(known)
    assert expected
    assert not doubts


@pytest.mark.parametrize(
    ("line", "metric", "value"),
    [
        ("  read: IOPS=94, BW=380KiB/s (389kB/s)(44.5MiB/120019msec)", "read.throughput", 380 * 1024),
        ("  write: io=   32MiB, bw=   666KiB/s, runt= 50320msec", "write.throughput", 666 * 1024),
        ("write: io=2048.0MB, bw=334678 KB/s, iops=83669.2 , runt=  6266 msec", "write.throughput", 334678 * 1024),
        ("   READ: io=21981MB, aggrb=187558KB/s, minb=187558KB/s, maxb=187558KB/s", "read.throughput", 187558 * 1024),
        ("  WRITE: bw=55.8MiB/s (58.5MB/s), 55.8MiB/s-55.8MiB/s", "write.throughput", 55.8 * 2**20),
    ],
)
def test_a_result_picked_out_of_an_output_is_taken_with_its_pattern_unknown(line: str, metric: str, value: float) -> None:
    values, _ = read(f"With the patch:\n{line}\n")
    assert [v.value for v in values if v.metric == metric] == [pytest.approx(value)]
    assert {v.params["pattern"] for v in values} == {"unknown"}
    assert {v.params["job"] for v in values} == {"unnamed"}


def test_percentiles_that_were_not_asked_for_are_no_figures() -> None:
    """fio 2.x fills its list of twenty percentiles up with `"0.00" : 0` (stat.c, show_ddir_status_json)."""
    data = json.loads(SAMPLE)
    section = data["jobs"][0]["read"]
    section["clat"] = section.pop("clat_ns") | {"percentile": {"50.000000": 70, "0.00": 0}}
    body = json.dumps(data, indent=2).replace('"0.00": 0', '"0.00" : 0,\n"0.00" : 0,\n"0.00" : 0')
    values, doubts = read(body)
    assert {v.stat for v in values if v.native.startswith("read clat ") and v.native[10].isdecimal()} == {"p50"}
    assert not doubts


def _state(seconds: float, moved: int, name: str = "st", began: float = 1000.0, options: str = '"rw" : "read"') -> str:
    at = began + seconds
    return (
        f'{{"fio version" : "fio-3.33",\n "timestamp" : {int(at)},\n "timestamp_ms" : {round(at * 1000)},\n'
        f' "jobs" : [{{"jobname" : "{name}", "groupid" : 0, "job options" : {{ {options} }},\n'
        f' "read" : {{"io_bytes" : {moved}, "bw_bytes" : {int(moved / seconds)},\n "iops" : 5.5,'
        f' "runtime" : {round(seconds * 1000)}}}}}]\n}}\n'
    )


@pytest.mark.parametrize(
    ("reports", "taken"),
    [
        ([_state(1, 1000), _state(2, 2100), _state(3, 3000)], 1),
        ([_state(1, 1000), _state(2, 2000), _state(2, 2000, began=1010)], 2),  # a state, the last, and another run
        ([_state(1, 1000), _state(1.001, 1100)], 2),  # two machines side by side
        ([_state(1, 1000), _state(2, 1000)], 2),  # the same size in another time: two runs
        ([_state(1, 1000), _state(2, 2000, name="other")], 2),
        ([_state(1, 1000), _state(2, 2000, options='"rw" : "write"')], 2),
        ([_state(60, 1000, options='"runtime" : "60"'), _state(60.5, 1900, options='"runtime" : "60"')], 2),
    ],
)
def test_json_of_a_running_job_is_a_state(reports: list[str], taken: int) -> None:
    """--status-interval prints whole documents: each holds what the one before it held."""
    values, doubts = read("".join(reports))
    assert sum(value.metric == "read.throughput" for value in values) == taken
    assert sum(doubt.code == "progress" for doubt in doubts) == len(reports) - taken


SEQUENTIAL = """a: (g=0): rw=write, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=psync, iodepth=1
b: (g=1): rw=read, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=psync, iodepth=1
fio-3.33
Starting 2 processes
a: (groupid=0, jobs=1): err= 0: pid=1: Sat Nov 21 04:40:00 2026
  write: IOPS=100, BW=400KiB/s (410kB/s)(4000KiB/10000msec)
b: (groupid=1, jobs=1): err= 0: pid=2: Sat Nov 21 04:40:00 2026
  read: IOPS=100, BW=400KiB/s (410kB/s)(12.0MiB/30100msec)

Run status group 0 (all jobs):
  WRITE: bw=400KiB/s (410kB/s), 400KiB/s-400KiB/s (410kB/s-410kB/s), io=4000KiB (4096kB), run=10000-10000msec

Run status group 1 (all jobs):
   READ: bw=400KiB/s (410kB/s), 400KiB/s-400KiB/s (410kB/s-410kB/s), io=12.0MiB (12.6MB), run=30100-30100msec
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (SEQUENTIAL, {"write.rate": "2026-11-21T04:39:19", "read.rate": "2026-11-21T04:39:29"}),
        (SEQUENTIAL.replace("groupid=1", "groupid=0"), {"write.rate": "2026-11-21T04:39:29", "read.rate": "2026-11-21T04:39:29"}),
        (SEQUENTIAL.replace("2026\n", "0001\n"), {"write.rate": "0001-11-21T04:40:00", "read.rate": "0001-11-21T04:40:00"}),
    ],
)
def test_a_printed_time_is_that_of_the_report_after_all_groups(text: str, expected: dict[str, str]) -> None:
    found = {value.metric: value.started_at for value in read(text)[0] if value.metric in expected}
    assert found == expected


@pytest.mark.parametrize(("total", "codes"), [("1KB/s", set()), ("2KB/s", set()), ("9KB/s", {"disagree"})])
def test_a_total_is_compared_within_its_last_digit(total: str, codes: set[str]) -> None:
    body = f"""j: (groupid=0, jobs=1): err= 0: pid=1
  read : io=277KB, bw=1578B/s, iops=0, runt=180008msec
{STATUS}   READ: io=277KB, aggrb={total}, minb={total}, maxb={total}, mint=180008msec, maxt=180008msec
"""
    assert {d.code for d in read(body)[1]} & {"disagree"} == codes
