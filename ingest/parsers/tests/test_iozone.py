"""iozone: units, placement of columns, damage."""

from __future__ import annotations

import itertools

import pytest

from ingest.parsers.iozone import iozone
from ingest.parsers.iozone._operation_names import COLUMNS, LOWER_TITLES
from ingest.parsers.iozone.iozone import PARSER
from ingest.records import Doubt, Value
from ingest.tests import reading
from ingest.text.lines import Text

KIB = 1024
ABOVE = "                                                              random    random     bkwd    record    stride"
TITLES = (
    "              kB  reclen    write  rewrite    read    reread    read     write     read   rewrite      read"
    "   fwrite frewrite    fread  freread"
)
WIDTHS = (9, 9, 9, 9, 9, 9, 9, 10, 10, 9, 9, 9, 9)


def read(body: str) -> tuple[list[Value], list[Doubt]]:
    lines = body.split("\n")
    items = list(iozone.parse(Text("t", lines, body)))
    return [i for i in items if isinstance(i, Value)], [i for i in items if isinstance(i, Doubt)]


def row(*figures: object) -> str:
    cells = "".join(("" if f is None else str(f)).rjust(w) for f, w in zip(figures, WIDTHS, strict=False))
    return f"{16384:16d}{4:8d}{cells}"


def table(*rows: str) -> str:
    return "\n".join([ABOVE, TITLES, *rows, ""])


@pytest.mark.parametrize(
    ("announced", "metric", "value", "unit"),
    [
        # iozone documentation: "Output is in kBytes/sec" (1024), -O "results in operations per second",
        # -N "results in microseconds per operation"
        ("\tOutput is in kBytes/sec", "write.throughput", 1000 * KIB, "B/s"),
        ("\tOutput is in Kbytes/sec", "write.throughput", 1000 * KIB, "B/s"),
        ("\tOPS Mode. Output is in operations per second.", "write.rate", 1000, "1/s"),
        ("\tMicroseconds/op Mode. Output is in microseconds per operation.", "write.latency", 0.001, "s"),
    ],
)
def test_units_of_the_table(announced: str, metric: str, value: float, unit: str) -> None:
    values, _ = read(announced + "\n" + table(row(1000)))
    assert [(v.metric, v.value, v.unit) for v in values] == [(metric, value, unit)]


@pytest.mark.parametrize(
    ("printed", "metric", "value"),
    [("kB/sec", "write.throughput", 1536.0), ("KB/sec", "write.throughput", 1536.0), ("ops/sec", "write.rate", 1.5)],
)
def test_units_of_throughput_mode(printed: str, metric: str, value: float) -> None:
    values, doubts = read(f"\tChildren see throughput for  4 initial writers \t=       1.50 {printed}\n")
    assert [(v.metric, v.value, v.params["processes"]) for v in values] == [(metric, value, 4)]
    assert doubts == []


def test_an_unknown_unit_is_doubted() -> None:
    values, doubts = read("\tChildren see throughput for  4 initial writers \t=       1.50 furlongs\n")
    assert values == []
    assert [d.code for d in doubts] == ["unknown-unit"]


@pytest.mark.parametrize("tests", [c for n in (1, 2, 3) for c in itertools.combinations(range(13), n)][::7])
def test_blank_columns_keep_the_others_in_place(tests: tuple[int, ...]) -> None:
    figures = [1000 + i if i in tests else None for i in range(13)]
    values, doubts = read(table(row(*figures)))
    assert {(v.metric.split(".")[0], v.raw) for v in values} == {(COLUMNS[i], str(1000 + i)) for i in tests}
    assert doubts == []


def test_all_thirteen_columns_have_an_operation() -> None:
    assert len(LOWER_TITLES) == len(COLUMNS) == len(set(COLUMNS)) == 13


def test_rows_without_blanks_are_read_by_the_tests_of_the_command() -> None:
    command = "\tCommand line used: ./iozone -a -i 0 -i 2 -f x"
    values, doubts = read("\n".join([command, ABOVE, TITLES, "16384 4 1 2 3 4", ""]))
    assert [v.metric.split(".")[0] for v in values] == ["write", "rewrite", "random_read", "random_write"]
    assert doubts == []


def test_a_row_that_fits_no_way_is_refused_not_shifted() -> None:
    values, doubts = read(table("16384 4 11 22 33"))
    assert values == []
    assert [d.code for d in doubts] == ["ambiguous"]


@pytest.mark.parametrize(
    ("line", "codes"),
    [("270 MB/s is what we get here", []), ("4 KB records are slow", []), ("16384 cut", ["short-row"])],
)
def test_prose_that_begins_with_a_number_is_no_damaged_row(line: str, codes: list[str]) -> None:
    values, doubts = read(table(row(1, 2, 3, 4), "", line, row(5, 6, 7, 8)))
    assert [v.raw for v in values] == ["1", "2", "3", "4", "5", "6", "7", "8"]
    assert [d.code for d in doubts] == codes


def test_glued_figures_are_refused_not_split() -> None:
    values, doubts = read(table(row(1, 2, 3, 4).rstrip() + "123456789123456789"))
    assert not any("123456789" in v.raw for v in values)
    assert [d.code for d in doubts] == ["ambiguous"]


@pytest.mark.parametrize("prefix", ["> ", "# ", "// ", "   ", "| "])
def test_quoted_logs_are_read(prefix: str) -> None:
    values, _ = read("\n".join(prefix + line for line in table(row(5, 6)).split("\n")))
    assert [v.raw for v in values] == ["5", "6"]


def test_overflow_stars_cost_one_cell() -> None:
    values, doubts = read(table(row("********", *range(2, 14))))
    assert [v.raw for v in values] == [str(n) for n in range(2, 14)]
    assert [d.code for d in doubts] == ["bad-number"]


def test_zero_is_unmeasured() -> None:
    values, doubts = read(table(row(0, 7)))
    assert [v.raw for v in values] == ["7"]
    assert [d.code for d in doubts] == ["unmeasured"]


def test_hosts_of_pdsh_are_told_apart() -> None:
    values, _ = read(
        "node1:  Children see throughput for  1 initial writers  =  10.00 kB/sec\n"
        "node2:  Children see throughput for  1 initial writers  =  20.00 kB/sec\n"
    )
    assert [v.printed_config["host"][0] for v in values] == ["node1", "node2"]


THROUGHPUT = """\
\tThroughput test with 2 threads
\tEach process writes a 32768 kByte file in 128 kByte records

\tChildren see throughput for  2 readers \t\t=     400.00 kB/sec
\tParent sees throughput for  2 readers \t\t=     300.00 kB/sec
\tMin throughput per thread \t\t\t=     150.00 kB/sec
\tMax throughput per thread \t\t\t=     250.00 kB/sec
\tAvg throughput per thread \t\t\t=     {average} kB/sec
\tMin xfer \t\t\t\t\t=   20000.00 kB
\tCPU utilization: Wall time    2.584    CPU time    1.959    CPU utilization  75.82 %
"""


def test_throughput_mode_has_parts_and_no_average() -> None:
    values, doubts = read(THROUGHPUT.format(average="200.00"))
    assert [(v.metric, v.raw, v.params.get("part")) for v in values] == [
        ("read.throughput", "400.00", None),
        ("read.throughput", "300.00", "parent"),
        ("read.throughput", "150.00", "min process"),
        ("read.throughput", "250.00", "max process"),
        ("read.cpu", "75.82", None),
    ]
    assert values[0].params["threads"] == 2
    assert values[0].params["record_size"] == 128 * KIB
    assert doubts == []


def test_a_wrong_average_disagrees() -> None:
    _, doubts = read(THROUGHPUT.format(average="190.00"))
    assert [d.code for d in doubts] == ["disagree"]


def test_rows_without_titles_are_refused() -> None:
    values, doubts = read("102400   4  3877  5004  5184\n102400   512  29181  29630  30053\n")
    assert values == []
    assert [d.code for d in doubts] == ["no-header"]


ROWS = """     random    random
     kB  reclen    write  rewrite    read    reread
   1024       4   516937   771222   763428   764987
{}
   2048       4   416937   671222   663428   664987
"""


@pytest.mark.parametrize("foreign", ["[ 1234.5] BUG: soft lockup - CPU#3 stuck for 22s!", "slurmstepd: error: 17 of 20", "^C"])
def test_a_line_that_broke_into_a_table_does_not_end_it(foreign: str) -> None:
    values, _ = reading.read(PARSER, ROWS.format(foreign))
    assert [v.raw for v in values if v.line == 5] == ["416937", "671222", "663428", "664987"]


@pytest.mark.parametrize(
    "row", ["   ****       4   416937   671222   663428   664987", "   2048    ****   416937   671222   663428   664987"]
)
def test_a_row_whose_sizes_are_damaged_is_refused(row: str) -> None:
    values, doubts = reading.read(PARSER, ROWS.format(row))
    assert {v.line for v in values} == {3, 5}
    assert 4 in {d.line for d in doubts}


@pytest.mark.parametrize(
    ("line", "warns"),
    [("\tChildren see thr", True), ("\tMin throughput per process \t=  3989", True), ("Children see the light", False)],
)
def test_a_lone_line_that_is_cut_warns(line: str, warns: bool) -> None:
    assert bool(PARSER.anchor.search(line) and reading.read(PARSER, line)[1]) == warns


def test_a_command_that_mail_wrapped_is_of_the_run_above() -> None:
    text = (
        "Iozone: Performance Test of File I/O\n  Version $Revision: 3.327 $\nCommand line used:\n/opt/current/iozone -a -n 4k\n"
        + ROWS.format("")
        + "iozone test complete."
    )
    assert {v.tool_version for v in reading.read(PARSER, text)[0]} == {"3.327"}


def test_a_row_of_which_a_cell_was_deleted_gives_none_of_the_figures_that_moved() -> None:
    titles = (
        "                                                              random    random     bkwd    record    stride\n"
        "              kB  reclen    write  rewrite    read    reread    read     write     read   rewrite      read   "
        "fwrite frewrite    fread  freread\n"
    )
    row = (
        "           16384{:8}    55907    68813    43361    42502    34044    64746    33578     61774     30137   235263   "
        "233180  3905668  3824589\n"
    )
    gone, blank = row.format(8).replace("    68813", "", 1), row.format(8).replace("68813", "     ", 1)
    values, doubts = read(titles + row.format(4) + gone + row.format(16))
    assert {v.line for v in values} == {3, 5} and [d.code for d in doubts] == ["short-row"]
    values, doubts = read(titles + row.format(4) + blank + row.format(16))
    assert len(values) == 38 and [d.code for d in doubts] == ["short-row"]


def test_a_line_run_together_that_cannot_be_parted_stops_nothing() -> None:
    line = "\tChildren sees throughput for  4 {} \t=  {}.00 KB/sec"
    first, second = line.format("readers", 100), line.format("initial writers", 300)
    values, _ = reading.read(PARSER, f"{first} Min throughput of each\n{second}\n")
    assert [v.raw for v in values] == ["100.00", "300.00"]


def test_a_message_that_breaks_into_a_figure_leaves_that_one_unread() -> None:
    cut = row(4021, 4531)[:-2] + "[   61.204417] fatfs: cluster chain\n31"
    values, doubts = read("iozone -a -s 16m -i 0\n" + table(cut, row(4100, 4600)))
    assert [value.raw for value in values] == ["4021", "4100", "4600"]
    assert "bad-number" in [doubt.code for doubt in doubts]


@pytest.mark.parametrize(
    ("notice", "verify"),
    [("\tVerify Mode. Pattern 5a5a5a5a\n", "every byte"), ("\t>>> I/O Diagnostic mode enabled. <<<\n", "diagnostic")],
)
def test_figures_that_iozone_itself_calls_invalid_are_taken_with_a_warning(notice: str, verify: str) -> None:
    head = f"\tAuto Mode\n{notice}\tPerformance measurements are invalid in this mode.\n"
    values, doubts = read(head + table(row(1000)))
    assert [(v.raw, v.params["verify"]) for v in values] == [("1000", verify)]
    assert [(d.line, d.code) for d in doubts] == [(3, "invalid-mode")]
    assert "verify" not in read("\tAuto Mode\n" + table(row(1000)))[0][0].params


@pytest.mark.parametrize(("options", "verify"), [("-V 90", "every byte"), ("-+d", "diagnostic"), ("-+n", None)])
def test_the_command_tells_whether_every_byte_was_verified(options: str, verify: str | None) -> None:
    values, _ = read(f"\tCommand line used: iozone -a {options} -i 0\n" + table(row(1000)))
    assert [v.params.get("verify") for v in values] == [verify]


def test_options_of_a_command_that_is_only_explained_are_not_those_of_the_next() -> None:
    body = "$ iozone -I -N -i 2 -s 1g\n\nwrites past the cache; this one waits for the disk:\n\n$ iozone -o -i 0\n"
    values, _ = read(body + table(row(1000, 900)))
    assert [(v.metric, v.params["sync_mode"], "direct" in v.params) for v in values] == [
        ("write.throughput", "o_sync", False),
        ("rewrite.throughput", "o_sync", False),
    ]
