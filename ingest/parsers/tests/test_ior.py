"""IOR: units, repetitions against aggregates, damage."""

from __future__ import annotations

import pytest

from ingest.parsers.ior import ior
from ingest.records import Doubt, Value
from ingest.tests import reading
from ingest.text.lines import Text

MIB = 2**20
NEW = "access    bw(MiB/s)  IOPS       Latency(s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   close(s)   total(s)   iter"
OLD = "access    bw(MiB/s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   close(s)   total(s)   iter"
ROW = "write     100.00     101.00     0.002000    65536      1024.00    0.0001     1.20       0.0200     1.28       0   "
OLD_ROW = "write     100.00     65536      1024.00    0.0001     1.20       0.0200     1.28       0   "


def read(parser: object, body: str) -> tuple[list[Value], list[Doubt]]:
    items = list(parser.parse(Text("t", body.split("\n"), body)))  # type: ignore[attr-defined]
    return [i for i in items if isinstance(i, Value)], [i for i in items if isinstance(i, Doubt)]


@pytest.mark.parametrize(
    ("header", "row", "expected"),
    [
        # IOR user documentation: bandwidth in MiB (2^20) per second, sizes in KiB, times in seconds
        (
            NEW,
            ROW,
            [
                ("write.throughput", 100 * MIB, None),
                ("write.rate", 101.0, None),
                ("write.latency", 0.002, None),
                ("write.elapsed", 0.0001, "open"),
                ("write.elapsed", 1.2, "access"),
                ("write.elapsed", 0.02, "close"),
                ("write.elapsed", 1.28, "total"),
            ],
        ),
        (
            OLD,
            OLD_ROW,
            [
                ("write.throughput", 100 * MIB, None),
                ("write.elapsed", 0.0001, "open"),
                ("write.elapsed", 1.2, "access"),
                ("write.elapsed", 0.02, "close"),
                ("write.elapsed", 1.28, "total"),
            ],
        ),
    ],
)
def test_a_row_is_a_repetition(header: str, row: str, expected: list[tuple[str, float, str | None]]) -> None:
    values, doubts = read(ior, f"{header}\n{row}\n")
    assert [(v.metric, v.value, v.params.get("part")) for v in values] == expected
    assert {v.stat for v in values} == {"sample"}
    assert values[0].params["block_size"] == 65536 * 1024
    assert doubts == []


def test_random_offsets_are_random() -> None:
    values, _ = read(ior, f"IOR-4.0.0: MPI Coordinated Test of Parallel I/O\nordering in a file  : random\n{NEW}\n{ROW}\n")
    assert {v.metric.split(".")[0] for v in values} == {"random_write"}


def test_the_option_access_is_no_table() -> None:
    values, _ = read(ior, f"access              : file-per-process\naccess    = file-per-process\n{NEW}\n{ROW}\n")
    assert values[0].params["access"] == "file-per-process"


@pytest.mark.parametrize(("printed", "doubts"), [("100.00", []), ("150.00", ["disagree"])])
def test_a_maximum_is_checked_and_not_recorded(printed: str, doubts: list[str]) -> None:
    decimal = f"{float(printed) * MIB / 1e6:.2f}"
    values, found = read(ior, f"{NEW}\n{ROW}\nMax Write: {printed} MiB/sec ({decimal} MB/sec)\n")
    assert len(values) == 7
    assert [d.code for d in found] == doubts


def test_mb_are_decimal_beside_mib() -> None:
    _, doubts = read(ior, "Max Write: 100.00 MiB/sec (100.00 MB/sec)\n")
    assert [d.code for d in doubts] == ["disagree"]


def test_without_a_table_the_aggregates_are_recorded_as_such() -> None:
    body = """IOR-2.10.3: MPI Coordinated Test of Parallel I/O
Operation  Max (MiB)  Min (MiB)  Mean (MiB)   Std Dev  Max (OPs)  Min (OPs)  Mean (OPs)   Std Dev  Mean (s)  Op grep
write         580.78     547.52      565.95     13.81     580.78     547.52      565.95     13.81   0.22630   2 2 3 1
Max Write: 580.78 MiB/sec (608.99 MB/sec)
"""
    values, doubts = read(ior, body)
    assert [(v.stat, v.raw) for v in values if v.metric == "write.throughput"] == [
        ("max", "580.78"),
        ("min", "547.52"),
        ("mean", "565.95"),
        ("stddev", "13.81"),
        ("max", "580.78"),
    ]
    assert values[-1].same_as == 3
    assert doubts == []


def test_a_list_of_maxima_is_a_list_of_runs() -> None:
    values, doubts = read(
        ior,
        "blocksize =2 MiB\nMax Write: 10.00 MiB/sec\nblocksize =4 MiB\nMax Write: 20.00 MiB/sec\nMax Write: 30.00 MiB/sec\n",
    )
    assert [(v.raw, v.stat, v.params.get("block_size")) for v in values] == [
        ("10.00", "max", 2 * MIB),
        ("20.00", "max", 4 * MIB),
        ("30.00", "max", None),
    ]
    assert doubts == []


@pytest.mark.parametrize("cell", ["inf", "nan", "-nan"])
def test_what_is_no_number_is_refused(cell: str) -> None:
    values, doubts = read(ior, f"{NEW}\n{ROW.replace('100.00', cell.ljust(6), 1)}\n")
    assert len(values) == 6
    assert [d.code for d in doubts] == ["bad-number"]


def test_a_row_cut_short_gives_nothing() -> None:
    values, doubts = read(ior, f"{NEW}\n{ROW[:40]}")
    assert values == []
    assert [d.code for d in doubts] == ["short-row"]


def test_rows_without_titles_give_the_bandwidth_and_a_warning() -> None:
    values, doubts = read(ior, f"{OLD_ROW}\n{OLD_ROW}\n")
    assert [v.metric for v in values] == ["write.throughput"] * 2
    assert [d.code for d in doubts] == ["no-header"]


def test_the_maximum_of_rows_that_were_left_out_is_taken() -> None:
    maxima = "Max Write: 99.71 MiB/sec (104.55 MB/sec)\nMax Read:  2767.75 MiB/sec (2902.19 MB/sec)\n"
    row = "read      2767.75    262144     32768      0.001141   0.091311   0.000018   0.092494   1\n"
    values, _ = read(ior, row + maxima)
    assert [(v.metric, v.raw, v.stat) for v in values] == [
        ("read.throughput", "2767.75", "sample"),
        ("write.throughput", "99.71", "max"),
    ]
    values, _ = read(ior, f"{NEW}\n{ROW}\n{maxima.replace('Max Read:  2767.75 MiB/sec (2902.19', 'Max Read:  0.00 MiB/sec (0.00')}")
    assert {v.stat for v in values} == {"sample"}


def test_fewer_rows_than_repetitions_warn() -> None:
    head = "IOR-4.0.0: MPI Coordinated Test of Parallel I/O\nTestID              : 0\nrepetitions         : 3\n"
    _, doubts = read(ior, f"{head}{NEW}\n{ROW}\n")
    assert [d.code for d in doubts] == ["cut"]


def test_csv_of_the_summary() -> None:
    values, _ = read(
        ior,
        "access,bw(MiB/s),IOPS,Latency,block(KiB),xfer(KiB),open(s),wr/rd(s),close(s),total(s),numTasks,iter\n"
        "read,2.5,10.0,0.5,131072.0000,1024.0000,0.1,0.2,0.3,0.4,48,0\n",
    )
    assert [(v.metric, v.value) for v in values][:3] == [
        ("read.throughput", 2.5 * MIB),
        ("read.rate", 10.0),
        ("read.latency", 0.5),
    ]
    assert values[0].params["processes"] == 48


def test_ranks_are_no_repetitions() -> None:
    values, _ = read(
        ior,
        "access,rank,runtime-with-openclose,runtime,throughput-withopenclose,throughput\n"
        "read,0,2.0e+00,1.0e+00,5.0e+08,6.0e+08\nread,1,2.0e+00,1.0e+00,5.0e+08,6.0e+08\n",
    )
    assert {v.params["part"].split(",")[0] for v in values} == {"rank 0", "rank 1"}
    assert values[3].value == 6e8


def test_json_has_lines_and_printed_text() -> None:
    body = """{
  "Version": "4.0.0",
  "Began": "Sat Nov 21 04:39:02 2026",
  "tests": [ { "TestID": 0, "Parameters": { "randomOffset": 1 },
    "Options": { "api": "MPIIO", "xfersize": "47008 bytes", "tasks": 2 },
    "Results": [
      { "access": "read",
        "bwMiB": 10.5000, "totalTime": 0.2500 } ] } ],
  "summary": [ { "operation": "read", "TestID": 0, "bwMaxMIB": 99.0 } ]
}"""
    values, doubts = read(ior, body)
    assert [(v.line, v.metric, v.raw, v.value) for v in values] == [
        (8, "random_read.throughput", "10.5000", 10.5 * MIB),
        (8, "random_read.elapsed", "0.2500", 0.25),
    ]
    assert values[0].params["transfer_size"] == 47008
    assert values[0].started_at == "2026-11-21T04:39:02"
    assert [d.code for d in doubts] == ["disagree"]


@pytest.mark.parametrize(
    "row", ["write,30.3,30.4,1.5,1310,72.0,1024.0,15.0,202.2,35.1,202.7,48,0", "write,30.3,30.4,1.5,131072.0,1024.0,15.0"]
)
def test_a_row_of_csv_with_more_or_fewer_cells_than_titles_is_refused(row: str) -> None:
    titles = "access,bw(MiB/s),IOPS,Latency,block(KiB),xfer(KiB),open(s),wr/rd(s),close(s),total(s),numTasks,iter"
    values, doubts = reading.read(ior.PARSER, titles + "\n" + row + "\n")
    assert not values and {d.code for d in doubts} & {"long-row", "short-row"}


@pytest.mark.parametrize(
    ("text", "lines", "code"),
    [
        ("read 22660 2097152 4.00 0.011624 4.34 2.70\n4.34 0", [1], "no-header"),  # mail wrapped it
        ("read 22660 2097152 4.00 0.011624 4.34 2.70\nand so on", [], "no-header"),
        (
            "write,30.3,30.4,1.5,131072.0,1024.0,15.0,202.2,35.1,202.7,48,0\nread,2012.0,2026.8,0.1,131072.0,1024.0,0,0,0,0,48,0",
            [],
            "no-header",
        ),
    ],
)
def test_rows_without_titles_give_the_bandwidth_at_most_and_a_warning(text: str, lines: list[int], code: str) -> None:
    assert ior.PARSER.anchor.search(text)
    values, doubts = reading.read(ior.PARSER, text)
    assert [v.line for v in values] == lines
    assert [d.code for d in doubts] == [code]


def test_a_blank_line_between_rows_of_csv_ends_no_table() -> None:
    titles = "access,rank,runtime-with-openclose,runtime,throughput-withopenclose,throughput\n"
    row = "read,{},2.9e+02,2.8e+02,7.7e+08,7.8e+08\n"
    values, _ = reading.read(ior.PARSER, titles + row.format(0) + "\n" + row.format(1) + "\nread,2,\n")
    assert {v.line for v in values} == {2, 4}


WRAPPED = """IOR-3.3.0: MPI Coordinated Test of Parallel I/O
Command line        : /home/me/ior/src/ior -a POSIX -F -t 2m -b 4g
-i 1 -o /mnt/beegfs/datafiles/ior_easy/ior_file_easy -e -O
stoneWallingStatusFile=/mnt/beegfs/stonewall
Machine             : Linux node1
"""


def test_a_command_that_mail_wrapped_is_whole_again() -> None:
    row = "write     865.20     865.20     0.001      4194304    2048.00    0.002      4.73       0.001      4.73       0"
    values, _ = reading.read(ior.PARSER, f"{WRAPPED}{NEW}\n{row}\n")
    assert {v.params["command"][-11:] for v in values} == {"s/stonewall"}
    assert {v.params["fsync"] for v in values} == {"on"}
    assert {v.printed_config["host"][0] for v in values} == {"node1"}


_OWN = (
    "write 7371.96 6541.26 6838.97 377.74 3685.98 3270.63 3419.49 188.87 76.88 NA NA 0 8 8 3 1 1 1 0 0 1 68719476736 2097152 "
    "524288.0 POSIX 0"
)
_OTHER = _OWN.replace("7371.96", "9371.96").replace(" 8 8 3 ", " 16 8 3 ")


def test_rows_gathered_above_the_logs_that_print_them_are_read_once() -> None:
    titles = (
        "Operation Max(MiB) Min(MiB) Mean(MiB) StdDev Max(OPs) Min(OPs) Mean(OPs) StdDev Mean(s) Stonewall(s) Stonewall(MiB) "
        "Test# #Tasks tPN reps fPP reord reordoff reordrand seed segcnt blksiz xsize aggs(MiB) API RefNum"
    )
    values, doubts = read(ior.PARSER, f"{_OTHER}\n{_OWN}\n\nSummary of all tests:\n{titles}\n{_OWN}\n")
    maxima = [v for v in values if v.stat == "max" and v.metric == "write.throughput"]
    assert [(v.line, v.params["processes"]) for v in maxima] == [(1, 16), (6, 8)]
    assert [(d.line, d.code) for d in doubts] == [(1, "no-header")]
    values, _ = read(ior.PARSER, f"{_OWN}\nquoted:\n{_OWN}\n\n{titles}\n{_OTHER}\n")
    assert {v.line for v in values} == {1, 6}


def test_rows_gathered_by_operation_are_joined_with_none() -> None:
    rows = [f"{access} {row}" for access in ("write", "read") for row in (_OWN[6:], _OWN[6:].replace("7371.96", "9371.96"))]
    assert len({v.run for v in read(ior.PARSER, "\n".join(rows))[0]}) == 4
    assert len({v.run for v in read(ior.PARSER, "\n".join(rows[at] for at in (0, 2, 1, 3)))[0]}) == 2


def test_summaries_of_several_runs_each_with_its_titles() -> None:
    titles = (
        "Operation Max(MiB) Min(MiB) Mean(MiB) StdDev Mean(s) Test# #Tasks tPN reps fPP reord reordoff reordrand seed segcnt "
        "blksiz xsize aggsize API RefNum"
    )
    row = "{0}  {1}.20  {1}.11  {1}.15  6.20  9.54782 0 {2} 8 3 1 1 1 0 0 1 1073741824 1048576 17179869184 POSIX 0"
    runs = [[titles, row.format("write", rate, tasks), row.format("read", rate, tasks)] for rate, tasks in ((865, 16), (965, 32))]
    values, doubts = reading.read(ior.PARSER, "\n--\n".join("\n".join(run) for run in runs))
    assert [(v.metric, v.value / MIB, v.params["processes"]) for v in values if v.stat == "max"] == [
        (f"{access}.throughput", rate, tasks) for rate, tasks in ((865.2, 16), (965.2, 32)) for access in ("write", "read")
    ]
    assert len(values) == 20 and len({v.run for v in values}) == 2 and not doubts


def test_rows_without_titles_below_a_summary_are_none_of_it() -> None:
    titles = (
        "Operation Max(MiB) Min(MiB) Mean(MiB) StdDev Mean(s) Test# #Tasks tPN reps fPP reord reordoff reordrand seed segcnt "
        "blksiz xsize aggsize API RefNum"
    )
    row = "write 865.20 865.11 865.15 6.20 9.54782 0 16 8 3 1 1 1 0 0 1 1073741824 1048576 17179869184 POSIX 0"
    later = "write 8000.00 1048576 8192 0.003 40.0 0.002 40.1 0"
    values, _ = reading.read(ior.PARSER, f"Summary of all tests:\n{titles}\n{row}\n\nand with 16 nodes:\n\n{later}\n")
    assert {v.line for v in values if v.stat in {"max", "min"}} == {3}
    assert all(v.raw == "8000.00" for v in values if v.line == 7)


_SUMMARY_TITLES = "Operation   Max(MiB)   Min(MiB)  Mean(MiB)     StdDev"


@pytest.mark.parametrize(
    ("exact", "rounded", "is_same"),
    [
        ("1234.56", "1234.6", True),
        ("1234.56", "1235", True),
        ("1234.56", "1234.56", True),
        ("1234.50", "1234.5", True),
        ("12345.65", "12345.7", True),
        ("1234.56", "1234.7", False),
        ("1234.56", "1234.60", False),
        ("1234.56", "1334", False),
    ],
)
@pytest.mark.parametrize("order", ["maximum first", "summary first"])
def test_a_rounded_maximum_is_a_duplicate_of_the_exact_one(exact: str, rounded: str, is_same: bool, order: str) -> None:
    maximum = f"Max Write: {exact} MiB/sec ({float(exact) * MIB / 1e6:.2f} MB/sec)\n"
    row = f"{_SUMMARY_TITLES}\nwrite {rounded} 1000.5 1100.25 50.00\n\n"
    values, doubts = read(ior, maximum + row if order == "maximum first" else row + maximum)
    maxima = [(v.raw, v.same_as is None) for v in values if v.stat == "max"]
    if is_same:
        record = next(v.line for v in values if v.stat == "max" and v.same_as is None)
        assert sorted(maxima) == sorted([(exact, True), (rounded, False)])
        assert {v.same_as for v in values if v.stat == "max"} == {None, record}
        assert doubts == []
    else:  # what is printed first stands
        assert maxima == [(exact if order == "maximum first" else rounded, True)]
        assert [d.code for d in doubts] == ["disagree"]
    assert [v.raw for v in values if v.stat in ("min", "mean")] == ["1000.5", "1100.25"]


def test_the_exact_maximum_below_a_summary_has_its_workload() -> None:
    titles = (
        f"{_SUMMARY_TITLES} Mean(s) Test# #Tasks tPN reps fPP reord reordoff reordrand seed segcnt blksiz xsize aggsize API RefNum"
    )
    row = "write 1235 1000.5 1100.25 50.00 1.6 0 16 8 1 1 1 1 0 0 1 134217728 4194304 2147483648 POSIX 0"
    values, _ = read(ior, f"{titles}\n{row}\n\nMax Write: 1234.56 MiB/sec (1294.53 MB/sec)\n")
    record = next(v for v in values if v.raw == "1234.56")
    assert (record.params["processes"], record.params["transfer_size"], record.depends) == (16, 4194304, (1, 2))
