"""What mdtest keeps of each rank, in the folders of IO500: read as its own, and by nobody else."""

from __future__ import annotations

from ingest.parsers.bonnie.bonnie_plus_plus import PARSER as BONNIE
from ingest.parsers.ior.mdtest import PARSER
from ingest.tests.reading import read

TITLES = "rank,items,rate-File creation,time-File creation,rate-File stat,time-File stat"
TITLES += ",rate-Tree removal,time-Tree removal" * 2
ALL = "all,400,1.2500000000e+02,3.2000000000e+00,,,,,,"
RANKS = ("0,,6.4000000000e+01,3.1250000000e+00,,", "1,,6.2500000000e+01,3.2000000000e+00,,")


def table(*rows: str) -> str:
    return "\n".join([TITLES, *rows]) + "\n"


def test_all_ranks_together_are_one_figure_and_each_of_them_another():
    values, doubts = read(PARSER, table(ALL, *RANKS))
    assert [(v.metric, v.stat, v.params.get("part"), v.value) for v in values] == [
        ("file_create.rate", "mean", None, 125.0),
        ("file_create.elapsed", "mean", None, 3.2),
        ("file_create.rate", "sample", "rank 0", 64.0),
        ("file_create.elapsed", "sample", "rank 0", 3.125),
        ("file_create.rate", "sample", "rank 1", 62.5),
        ("file_create.elapsed", "sample", "rank 1", 3.2),
    ]
    assert not doubts


def test_of_several_iterations_the_row_of_all_is_one_of_them_and_is_not_taken():
    values, doubts = read(PARSER, table(ALL, *RANKS, *RANKS))
    assert len(values) == 8 and all("rank" in v.params for v in values)
    assert [doubt.code for doubt in doubts] == ["unread"]


def test_a_damaged_row_says_so():
    values, doubts = read(PARSER, table(RANKS[0], RANKS[1].replace("e+00", "e+0"), RANKS[1][:-1]))
    assert len(values) == 3
    assert [doubt.code for doubt in doubts] == ["bad-number", "short-row"]


def test_they_are_no_rows_of_bonnie():
    rows = "0,,,,,,,,,,,,5.3401791794e+02,3.0006483793e+02,,,,,,"
    assert read(BONNIE, f"{TITLES}\n{rows}\n{rows}\n") == ([], [])
