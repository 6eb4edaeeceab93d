"""iozone: the reports of -R, the sheets of -b, and what became of both in other programs."""

from __future__ import annotations

import struct

import pytest

from ingest.parsers.iozone import iozone_sheet
from ingest.parsers.iozone.iozone import PARSER
from ingest.parsers.tests.test_iozone import KIB, read, row, table
from ingest.records import Doubt, Value
from ingest.tests import reading


def test_the_excel_report_repeats_the_table() -> None:
    body = (
        table(row(100, 200)) + '\n"Writer report"\n        "4"\n"16384"   100 \n\n"Re-writer report"\n        "4"\n"16384"   201 \n'
    )
    values, doubts = read(body)
    assert [(v.raw, v.same_as) for v in values] == [("100", None), ("200", None), ("100", 3)]
    assert "disagree" in [d.code for d in doubts]


def record(kind: int, body: bytes) -> bytes:
    return struct.pack("<HH", kind, len(body)) + body


def label(row_: int, text: str) -> bytes:
    return record(4, struct.pack("<HH3xB", row_, 0, len(text)) + text.encode())


def number(row_: int, column: int, value: float) -> bytes:
    return record(3, struct.pack("<HH3xd", row_, column, value))


def sheet(figure: bytes) -> bytes:
    head = bytes.fromhex("0900040002001000")
    body = label(0, "./iozone -a -s 64m -b x.xls ") + label(3, "Writer Report") + number(4, 1, 4.0) + number(5, 0, 65536.0)
    return head + body + figure + record(10, b"")


def test_the_binary_sheet() -> None:
    items = list(iozone_sheet.parse_bytes("x.xls", sheet(number(5, 1, 162365.0))))
    assert [(i.line, i.metric, i.value, i.raw) for i in items if isinstance(i, Value)] == [
        ("Sheet 1!B6", "write.throughput", 162365.0 * KIB, "162365")
    ]
    assert len(items) == 1


def test_whole_number_cells_may_have_wrapped() -> None:
    items = list(iozone_sheet.parse_bytes("x.xls", sheet(record(2, struct.pack("<HH3xH", 5, 1, 31293)))))
    assert [i.code for i in items if isinstance(i, Doubt)] == ["wrapped"]


@pytest.mark.parametrize("length", range(8, 140, 3))
def test_a_cut_sheet_says_so(length: int) -> None:
    whole = sheet(number(5, 1, 162365.0))
    items = list(iozone_sheet.parse_bytes("x.xls", whole[:length]))
    assert any(isinstance(i, Doubt) for i in items) or length >= len(whole)
    assert all(i.raw == "162365" for i in items if isinstance(i, Value))


def test_no_compound_document_raises() -> None:
    items = list(iozone_sheet.parse_bytes("x.xls", bytes.fromhex("d0cf11e0a1b11ae1") + b"\x00" * 600))
    assert [i.code for i in items] == ["bad-number"]


def test_a_grid_has_no_figure_for_a_record_larger_than_its_file() -> None:
    grid = '"Writer report"\n        "4"  "8"  "16"\n"8"   100  20 5\n"16"   300  400  500\n'
    values, doubts = reading.read(PARSER, grid)
    assert [v.raw for v in values] == ["300", "400", "500"]
    assert [(d.line, d.code) for d in doubts][:1] == [(3, "long-row")]


def test_sheets_side_by_side_need_their_sizes_below_their_own_titles() -> None:
    values, _ = read("Writer Report\t\t\tReader Report\n\t4\t8\t4\t8\n64\t100\t200\t64\t300\t400\n")
    assert not values
    values, _ = read("Writer Report\t\t\tReader Report\n\t4\t8\t\t4\t8\n64\t100\t200\t64\t300\t400\n\t\t\t128\t500\t600\n")
    assert [(value.metric, value.raw) for value in values] == [
        ("write.throughput", "100"),
        ("write.throughput", "200"),
        ("read.throughput", "300"),
        ("read.throughput", "400"),
        ("read.throughput", "500"),
        ("read.throughput", "600"),
    ]


_FOLDED = """"Writer report"
        "4"  "8"  "16"  "32"
"64"
"32"   100  200
300  400
"64"   500  600  700
800  900
"""


def test_a_report_that_a_mailer_folded_is_whole_again_and_a_row_that_lost_its_end_gives_what_is_left() -> None:
    values, doubts = read(_FOLDED)
    assert [(v.raw, v.line, v.params["record_size"] // KIB) for v in values] == [
        ("100", 4, 4),
        ("200", 4, 8),
        ("300", 5, 16),
        ("400", 5, 32),
        ("500", 6, 4),
        ("600", 6, 8),
        ("700", 6, 16),
        ("800", 7, 32),
        ("900", 7, 64),
    ]
    assert not doubts
    values, _ = read(_FOLDED.replace("300  400\n", ""))
    assert [v.raw for v in values] == ["100", "200", "500", "600", "700", "800", "900"]
    values, doubts = read(_FOLDED.replace('"64"\n', "", 1))
    assert [v.raw for v in values][:4] == ["100", "200", "300", "400"] and "900" not in {v.raw for v in values}


def test_a_sheet_pasted_with_blanks_for_its_tabs_needs_every_figure_of_a_row() -> None:
    values, doubts = read("Writer Report\n4 8 16\n8 100 200\n16 300 400 500\n32 0 0 600\n64 700 800\n")
    assert [(v.raw, v.params["record_size"] // KIB, v.params["file_size"] // KIB) for v in values if v.value] == [
        ("100", 4, 8),
        ("200", 8, 8),
        ("300", 4, 16),
        ("400", 8, 16),
        ("500", 16, 16),
        ("600", 16, 32),
    ]
    assert [(d.line, d.code) for d in doubts] == [(6, "short-row")]
    assert not read("Writer Report\n4 8 12\n8 100 200\n")[0] and not read("Weather Report\n4 8 16\n8 100 200\n")[0]
