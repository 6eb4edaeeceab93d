"""IO500, filebench, StorageBench, zpool iostat, results tables: units and what is refused."""

from __future__ import annotations

import pytest

from ingest.parsers import results_table
from ingest.parsers.disks import zpool_iostat
from ingest.parsers.ior import io500
from ingest.parsers.suites import filebench, storagebench
from ingest.records import Doubt, Value
from ingest.text.lines import Text


def read(parser: object, body: str) -> tuple[list[Value], list[Doubt]]:
    items = list(parser.parse(Text("t", body.split("\n"), body)))  # type: ignore[attr-defined]
    return [i for i in items if isinstance(i, Value)], [i for i in items if isinstance(i, Doubt)]


@pytest.mark.parametrize(
    ("phase", "operation"),
    [
        ("ior-easy-write", "write"),
        ("ior_hard_read", "read"),
        ("ior-rnd4K-easy-read", "random_read"),
        ("find", "list"),
        ("find-easy", "list"),
        ("mdtest-easy-write", "file_create"),
        ("mdtest_hard_stat", "file_stat"),
        ("mdtest-hard-read", "file_read"),
        ("mdtest-easy-delete", "file_remove"),
        ("timestamp", None),
        ("ior-easy", None),
    ],
)
def test_phases_of_io500(phase: str, operation: str | None) -> None:
    assert io500.find_operation(phase) == operation


@pytest.mark.parametrize(
    ("unit", "value", "codes"),
    # io500-dev's shell scripts divide MiB/s by 1024 and print GB/s
    [
        ("GiB/s", 1.5 * 2**30, []),
        ("GB/s", 1.5 * 2**30, ["mislabelled-unit"]),
        ("kIOPS", 1500.0, []),
        ("TiB/s", None, ["unknown-unit"]),
    ],
)
def test_units_of_io500(unit: str, value: float | None, codes: list[str]) -> None:
    values, doubts = read(io500, f"[RESULT]       ior-easy-write        1.500000 {unit} : time 300.500 seconds\n")
    assert [v.value for v in values] == ([value, 300.5] if value else [])
    assert [d.code for d in doubts] == codes


@pytest.mark.parametrize(("head", "tail"), [("[RESULT-invalid]", ""), ("[RESULT]", " [INVALID]")])
def test_invalid_phases_of_io500_are_doubted(head: str, tail: str) -> None:
    values, doubts = read(io500, f"{head} BW   phase 1   ior_easy_write  1.500 GiB/s : time 30.5 seconds{tail}\n")
    assert [v.raw for v in values] == ["1.500", "30.5"]
    assert [d.code for d in doubts] == ["failed-run"]


def test_scores_of_io500_are_checked() -> None:
    lines = [
        f"[RESULT] ior-{kind}  {n}.000000 GiB/s : time 1.000 seconds"
        for kind, n in (("easy-write", 1), ("hard-write", 2), ("easy-read", 4), ("hard-read", 8))
    ]
    score = "[SCORE ] Bandwidth {} GiB/s : IOPS 1.000000 kiops : TOTAL 1.0"
    _, right = read(io500, "\n".join([*lines, score.format("2.828427")]))
    values, wrong = read(io500, "\n".join([*lines, score.format("3.5")]))
    assert (right, [d.code for d in wrong]) == ([], ["disagree"])
    assert len(values) == 8


def test_filebench_mb_is_binary_and_ms_are_per_operation() -> None:
    # filebench, stats.c: bytes / FB_MB (1024 * 1024)
    values, doubts = read(
        filebench,
        "0.0: Varmail Version 3.0 personality successfully loaded\n"
        "60.0: IO Summary: 40650 ops 677.467 ops/s 61/123 rd/wr  16.1mb/s 1.2ms/op\n",
    )
    assert [(v.metric, v.value) for v in values] == [
        ("mixed.rate", 677.467),
        ("mixed.throughput", 16.1 * 2**20),
        ("mixed.latency", 0.0012),
    ]
    assert values[0].params["pattern"] == "varmail"
    assert doubts == []


@pytest.mark.parametrize(
    ("personality", "operation"),
    [
        ("Single Stream Write", "write"),
        ("Multi Stream Read", "read"),
        ("Random Read", "random_read"),
        ("Random RW", "mixed"),
        ("OLTP", "transaction"),
        ("FileServer", "mixed"),
        ("Web-server", "mixed"),
        ("FileMicro-SeqWrite", "write"),
        ("FileMicro-WriteFsync", "sync_write"),
    ],
)
def test_operation_of_a_personality(personality: str, operation: str) -> None:
    values, _ = read(
        filebench,
        f"0.0: {personality} Version 2.2 personality successfully loaded\n"
        "9.0: IO Summary: 10 ops, 1.5 ops/s, (1/2 r/w), 3.5mb/s,    413us cpu/op,  62.5ms latency\n",
    )
    assert {v.metric.split(".")[0] for v in values} == {operation}


@pytest.mark.parametrize(("unit", "factor"), [("KiB/s", 1024), ("MiB/s", 2**20), ("GiB/s", 2**30)])
def test_storagebench(unit: str, factor: int) -> None:
    values, doubts = read(
        storagebench,
        f"Read benchmark results:\nMin throughput:   10  {unit}   nodeID: a [ID: 1], targetID: 3\n"
        f"Avg throughput:   15  {unit}\nAggregate throughput:   30  {unit}\n",
    )
    assert [(v.metric, v.value, v.params.get("part")) for v in values] == [
        ("read.throughput", 10 * factor, "min target"),
        ("read.throughput", 30 * factor, None),
    ]
    assert doubts == []


def test_storagebench_without_its_title_is_refused() -> None:
    values, doubts = read(storagebench, "Aggregate throughput:   30  KiB/s\n")
    assert (values, [d.code for d in doubts]) == ([], ["no-header"])


@pytest.mark.parametrize(("printed", "value"), [("812", 812), ("1.5K", 1536), ("101M", 101 * 2**20), ("1.02G", 1.02 * 2**30)])
def test_units_of_zpool_iostat(printed: str, value: float) -> None:
    # zpool-iostat(8): K, M, G are powers of 1024 (libzutil, zfs_nicenum)
    body = f"""# zpool iostat -y tank 5 1
pool         alloc   free   read  write   read  write
-----------  -----  -----  -----  -----  -----  -----
tank         1.31G  2.66G      0      1      2  {printed}
"""
    values, doubts = read(zpool_iostat, body)
    assert [v.metric for v in values] == ["read.rate", "write.rate", "read.throughput", "write.throughput"]
    assert values[-1].value == value
    assert "part" not in values[-1].params
    assert doubts == []


def test_the_first_report_of_zpool_iostat_is_since_boot() -> None:
    report = """pool         alloc   free   read  write   read  write
-----------  -----  -----  -----  -----  -----  -----
tank         1.31G  2.66G      1      2      3  4
tank         1.31G  2.66G      5      6      7  8
"""
    values, _ = read(zpool_iostat, report)
    assert [v.params.get("part") for v in values] == ["since boot"] * 4 + [None] * 4


TITLES = "tool,metric,value,unit,stat,params.file_size,params.processes,config.memory,config.pool.compression,started_at\n"


@pytest.mark.parametrize(
    ("line", "code", "column"),
    [
        ("t,writ.throughput,1,MiB/s,mean,1GiB,1,8GiB,lz4,", "bad-manifest", "metric"),
        ("t,write.throughput,,MiB/s,mean,1GiB,1,8GiB,lz4,", "bad-manifest", "value"),
        ("t,write.throughput,fast,MiB/s,mean,1GiB,1,8GiB,lz4,", "bad-number", "value"),
        ("t,write.throughput,1,MiB,mean,1GiB,1,8GiB,lz4,", "unknown-unit", "unit"),
        ("t,write.throughput,1,MiB/s,average,1GiB,1,8GiB,lz4,", "bad-manifest", "stat"),
        ("t,write.throughput,1,MiB/s,mean,1 heap,1,8GiB,lz4,", "bad-manifest", "params.file_size"),
        ("t,write.throughput,1,MiB/s,mean,1GiB,1.5,8GiB,lz4,", "bad-manifest", "params.processes"),
        ("t,write.throughput,1,MiB/s,mean,1GiB,1,8 Gbit,lz4,", "bad-manifest", "config.memory"),
        ("t,write.throughput,1,MiB/s,mean,1GiB,1,8GiB,lz4,yesterday", "bad-manifest", "started_at"),
    ],
)
def test_errors_of_a_results_table_name_line_and_column(line: str, code: str, column: str) -> None:
    values, doubts = read(results_table, TITLES + line + "\nt,write.throughput,2,MiB/s,mean,1GiB,1,8GiB,LZ4,\n")
    assert [v.value for v in values] == [2 * 2**20]
    assert [(d.line, d.code) for d in doubts] == [(2, code)]
    assert repr(column) in doubts[0].message


def test_a_row_of_a_results_table() -> None:
    values, _ = read(results_table, TITLES + "iozone,write.latency,1.5,ms,p99,1GiB,4,64GiB,LZ4,2014-03-01T12:00:00+01:00\n")
    assert [(v.tool, v.value, v.unit, v.raw, v.raw_unit, v.stat, v.origin, v.started_at) for v in values] == [
        ("iozone", 0.0015, "s", "1.5", "ms", "p99", "reported", "2014-03-01T12:00:00+01:00")
    ]
    assert values[0].params == {"file_size": 2**30, "processes": 4}
    assert values[0].printed_config == {"memory": (64 * 2**30, 2), "pool.compression": ("lz4", 2)}


@pytest.mark.parametrize(("cell", "value", "codes"), [("1,5", 1.5, []), ("1,234", None, ["ambiguous"]), ("1.234,5", 1234.5, [])])
def test_decimal_commas_between_semicolons(cell: str, value: float | None, codes: list[str]) -> None:
    values, doubts = read(results_table, f"metric;value;unit\ncopy.elapsed;{cell};s\n")
    assert [v.value for v in values] == ([value] if value else [])
    assert [d.code for d in doubts] == codes


def test_a_misspelt_column_is_told() -> None:
    values, doubts = read(results_table, "tool,metric,value,config.pool.kompression\nt,write.throughput,1,lz4\n")
    assert values == []
    assert "config.pool.kompression" in doubts[0].message


@pytest.mark.parametrize("body", ["metric,value,weather\n", "the metric has a value\n"])
def test_other_texts_are_no_results_table(body: str) -> None:
    assert read(results_table, body) == ([], [])


PICKED = "tank        1.81T  2.19T     10     20   100K   200K\n    sda         -      -      3      5    25K    50K\n"


def test_rows_of_zpool_iostat_that_grep_or_tail_left() -> None:
    values, doubts = read(zpool_iostat, f"# zpool iostat -v tank 1 | grep -E 'tank|sda'\n{PICKED}\n{PICKED}# iostat\n{PICKED}")
    assert [v.params.get("part") for v in values[::4]] == ["since boot", "since boot, sda", None, "sda"] and not doubts
    assert {v.params["pool"] for v in values} == {"tank"}
    values, _ = read(zpool_iostat, f"$ zpool iostat tank 5 2 | tail -1\n{PICKED[:52]}\n")
    assert [(v.metric, v.params.get("part")) for v in values][:1] == [("read.rate", None)]


@pytest.mark.parametrize(
    "below", ["sda 10.00 20.00 30.00 40.00 50.00 60.00", "some words\n" + PICKED, PICKED.replace("1.81T", "ONLINE")]
)
def test_other_rows_below_a_picked_zpool_iostat_are_none_of_it(below: str) -> None:
    assert not read(zpool_iostat, f"# zpool iostat tank 1 | grep tank\n{below}\n")[0]


def test_zpool_iostat_in_the_comments_of_a_script() -> None:
    titles = "capacity     operations     bandwidth\npool        alloc   free   read  write   read  write\n"
    body = "\n".join(f"# {line}" for line in (titles + PICKED).splitlines())
    values, doubts = read(zpool_iostat, f"zpool iostat -v 1\n{body}\n")
    assert [v.params["part"] for v in values[::4]] == ["since boot", "since boot, sda"] and not doubts


@pytest.mark.parametrize("command", ["tank 1 1 | tail -1", "tank 5 3 | tail -20", "tank 5 3 | head -4 | tail -1"])
def test_a_tail_that_may_show_the_first_report_shows_the_average_since_boot(command: str) -> None:
    values, _ = read(zpool_iostat, f"$ zpool iostat {command}\n{PICKED[:52]}\n")
    assert {v.params.get("part") for v in values} == {"since boot"}


def test_each_row_of_a_scripted_zpool_iostat_without_vdevs_is_a_pool() -> None:
    rows = "".join(f"{name}\t1.81T\t2.19T\t10\t20\t100K\t200K\n" for name in ("tank", "data", "tank", "data"))
    for command, parts in (("-H 1 2", ("since boot", None)), ("-Hv 1 2", ("since boot, data", "data"))):
        second = [v for v in read(zpool_iostat, f"# zpool iostat {command}\n{rows}")[0] if v.line in (3, 5)]
        assert [v.params["pool"] for v in second[::4]] == (["data"] * 2 if parts[1] is None else ["tank"] * 2)
        assert tuple(v.params.get("part") for v in second[::4]) == parts


def test_a_picked_vdev_whose_indentation_was_lost_is_no_pool() -> None:
    values, _ = read(zpool_iostat, f"# zpool iostat -v tank 1 | grep -E 'tank|sda'\n{PICKED.replace('    sda', 'sda')}")
    assert {v.params["pool"] for v in values} == {"tank"}
