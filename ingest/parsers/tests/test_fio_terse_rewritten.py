"""fio's terse lines as spreadsheets and scripts write them again: other separators, quotes, decimal commas."""

from __future__ import annotations

import pytest

from ingest.parsers.fio import fio
from ingest.records import Doubt, Value
from ingest.text.lines import Text


def read(body: str) -> tuple[list[Value], list[Doubt]]:
    items = list(fio.parse(Text("t", body.split("\n"), body)))
    return [i for i in items if isinstance(i, Value)], [i for i in items if isinstance(i, Doubt)]


TERSE = "3;fio-3.33;job;0;0;" + ";".join(
    [
        "4096",
        "2048",
        "512",
        "2000",
        *["1.500000"] * 8,
        *["50.000000%=7", *["0%=0"] * 19],
        *["2.500000"] * 9,
        *["0"] * 41,
        "1.250000%",
        "0.500000%",
        "12",
        "0",
        "7",
    ]
)


@pytest.mark.parametrize(
    "dressed",
    [
        TERSE.replace(";", ","),
        TERSE.replace(";", "\t"),
        '"' + TERSE.replace(";", '";"') + '"',
        "a label," + TERSE,
        "12: " + TERSE,
        '"' + TERSE.replace(".5", ",5").replace(".25", ",25").replace(".000", ",000").replace(";", '","') + '"',
        TERSE.replace(".5", ",5").replace(".25", ",25").replace(".000", ",000"),
    ],
)
def test_terse_as_spreadsheets_and_scripts_write_it_again(dressed: str) -> None:
    plain, _ = read(TERSE + "\n")
    values, doubts = read(dressed + "\n")
    assert [(v.metric, v.value, v.stat, v.params) for v in values] == [(v.metric, v.value, v.stat, v.params) for v in plain]
    assert len(plain) > 15 and {d.code for d in doubts} == {"no-command"}
    assert all(v.raw in dressed for v in values)


@pytest.mark.parametrize(
    "damaged",
    [TERSE.replace(";", ",")[:200], TERSE.replace(";", ",").replace("1.5", "1,5"), TERSE.replace(";", ",").replace("0%=0,", "", 1)],
)
def test_terse_with_other_separators_that_lost_or_gained_cells_gives_nothing(damaged: str) -> None:
    values, doubts = read(damaged + "\n")
    assert not values and doubts
