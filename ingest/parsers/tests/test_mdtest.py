"""mdtest: rates and times, repetitions against aggregates, tables without their head, damage."""

from __future__ import annotations

import pytest

from ingest.parsers.ior import mdtest
from ingest.parsers.tests.test_ior import read
from ingest.tests import reading

MDTEST = """mdtest-1.9.3 was launched with 24 total task(s) on 2 node(s)
Command line used: ./mdtest -n 10 -u -F{more}
24 tasks, 240 files
{verbose}
SUMMARY{kind}: (of {count} iterations)
   Operation                      Max            Min           Mean        Std Dev
   ---------                      ---            ---           ----        -------
   File creation     :       1032.005       1000.000       1010.500          1.250
   File read         :          0.000          0.000          0.000          0.000
   Tree removal                   5.5            5.5            5.5          0.000
"""


def summary(**words: object) -> str:
    return MDTEST.format(**({"more": "", "verbose": "", "kind": "", "count": 1} | words))


def test_mdtest_rates_and_times() -> None:
    rates, _ = read(mdtest, summary())
    times, _ = read(mdtest, summary(kind=" time"))
    assert [(v.metric, v.stat, v.raw, v.unit) for v in rates][:4] == [
        ("file_create.rate", "max", "1032.005", "1/s"),
        ("file_create.rate", "min", "1000.000", "1/s"),
        ("file_create.rate", "mean", "1010.500", "1/s"),
        ("file_create.rate", "stddev", "1.250", "1/s"),
    ]
    assert (times[0].metric, times[0].unit) == ("file_create.elapsed", "s")
    assert rates[-1].metric == "tree_remove.rate"
    assert rates[0].params["processes"] == 24
    assert rates[0].params["access"] == "directory per task"


def test_mdtest_zero_is_a_phase_that_was_not_run() -> None:
    values, doubts = read(mdtest, summary(more=" -C -r"))
    assert [v.params.get("phase") for v in values if v.metric == "file_read.rate"] == ["not run"]
    assert [d.code for d in doubts] == ["unmeasured"]


def test_mdtest_iterations_are_repetitions_where_several_were_asked_for() -> None:
    line = "V-1:   File creation     :        511.091 sec,      50715.046 ops/sec"
    one, _ = read(mdtest, summary(verbose=line))
    several, _ = read(mdtest, summary(verbose=line, more=" -i 3", count=3))
    assert not [v for v in one if v.stat == "sample"]
    assert [(v.metric, v.raw) for v in several if v.stat == "sample"] == [
        ("file_create.elapsed", "511.091"),
        ("file_create.rate", "50715.046"),
    ]


def test_mdtest_titles_without_their_summary_line_are_refused() -> None:
    body = summary().replace(
        "SUMMARY: (of 1 iterations)", "SUMMARY: (of 1 iterations)\n   Operation   Max  Min  Mean  Std Dev\n", 1
    )
    values, doubts = read(mdtest, body)
    assert values == []
    assert {d.code for d in doubts} == {"no-header"}


SUMMED = """mdtest-3.4.0+dev was launched with 4 total task(s) on 1 node(s)
Command line used: /opt/io500/bin/mdtest -F -P -d ./out/mdt -n 20000000
-x ./out/stonewall -u -N 1
SUMMARY rate: (of 1 iterations)
   Operation                      Max            Min           Mean        Std Dev
   ---------                      ---            ---           ----        -------
"""


@pytest.mark.parametrize(
    ("row", "stats"),
    [
        ("   File creation               17659.771      17659.771      17659.7", ["max", "min"]),
        ("   File creation               17659.771      17659.771      17659.771", ["max", "min", "mean"]),
        ("   File creation               17659.7", []),
    ],
)
def test_of_a_row_that_is_cut_the_whole_figures_are_taken(row: str, stats: list[str]) -> None:
    values, doubts = reading.read(mdtest.PARSER, SUMMED + row)
    assert [v.stat for v in values] == stats
    assert {v.params["access"] for v in values} <= {"directory per task"}
    assert {"cut", "short-row"} & {d.code for d in doubts}


_HEADLESS = """{command}
   Operation                      Max            Min           Mean        Std Dev
   ---------                      ---            ---           ----        -------
   File creation     :     {row}
"""


@pytest.mark.parametrize(
    ("command", "row", "values", "codes"),
    [
        ("$ mpirun -np 4 mdtest -F -n 100", "20.500  10.250  15.125  1.000", 4, []),
        ("$ mpirun -np 4 mdtest -F -n 100 -P", "20.500  10.250  15.125  1.000", 0, ["no-header"]),
        ("", "20.500  10.250  15.125  1.000", 0, ["no-header"]),
        ("$ mdtest -n 100", "20,500  10,250  15,125  0,100", 4, []),
        ("$ mdtest -n 100", "20,500  10,250  15,125  1,100", 0, ["ambiguous"]),
    ],
)
def test_a_table_without_its_head_is_of_rates_where_the_command_asks_for_no_times(
    command: str, row: str, values: int, codes: list[str]
) -> None:
    body = _HEADLESS.format(command=command, row=row)
    assert mdtest.PARSER.anchor.search(body)
    found, doubts = reading.read(mdtest.PARSER, body)
    assert {v.metric for v in found} <= {"file_create.rate"} and len(found) == values
    assert [d.code for d in doubts] == codes
    assert [v.value for v in found[:1]] == [20.5] * bool(values)


def test_rows_that_were_picked_from_logs_of_mdtest_are_told_of() -> None:
    row = "   File creation     :        428.100        428.100        428.100          0.000\n"
    body = f"$ cat mdtest-* | grep creation\n{row}{row}"
    assert mdtest.PARSER.anchor.search(body)
    values, doubts = reading.read(mdtest.PARSER, body)
    assert not values and [(d.line, d.code) for d in doubts] == [(2, "no-header")]


def test_rows_whose_summary_line_is_lost_warn() -> None:
    lines = [line for line in SUMMED.split("\n") if "SUMMARY" not in line]
    values, doubts = reading.read(mdtest.PARSER, "\n".join([*lines[:-1], "   File creation    1.000   1.000   1.000   0.000", ""]))
    assert not values and "no-header" in {d.code for d in doubts}
