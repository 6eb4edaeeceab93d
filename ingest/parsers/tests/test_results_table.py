"""Results tables as spreadsheets, editors and people write them."""

from __future__ import annotations

import pytest

from ingest.parsers.results_table import parse
from ingest.records import Doubt, Value
from ingest.text.lines import Text


def _read(text: str) -> tuple[list[tuple[int, float]], list[tuple[int, str]]]:
    """(line, value in MB/s) of each value, and (line, code) of each warning."""
    records = list(parse(Text("t.csv", text.split("\n"), text)))
    return (
        [(record.line, record.value / 1e6) for record in records if isinstance(record, Value)],
        [(record.line, record.code) for record in records if isinstance(record, Doubt)],
    )


ROW = "write.throughput,81.2,MB/s"


@pytest.mark.parametrize(
    ("text", "values"),
    [
        (f"metric,value,unit,,\n{ROW},,\n,,,,\n{ROW},,", [(2, 81.2), (4, 81.2)]),  # empty columns and rows of a sheet
        (f"Metric,Value,Unit\n{ROW}", [(2, 81.2)]),
        (f"metric,value,unit\n\n{ROW}\n\n{ROW}", [(3, 81.2), (5, 81.2)]),
        ('metric,value,source_note\nwrite.throughput,8e6,"Table 3,\npage 12"\nread.throughput,9e6,x', [(2, 8), (4, 9)]),
        ("| metric | value | unit |\n|---|---:|---|\n| write.throughput | 81.2 | MB/sec |\n\nprose", [(3, 81.2)]),
        ("metric;value;unit;stat\nwrite.throughput;81,2;MB/s;Mean", [(2, 81.2)]),
        ("metric,value,unit,config.pool.recordsize\nwrite.throughput,81.2,MB/s,128k", [(2, 81.2)]),
    ],
)
def it_reads_tables_of_spreadsheets_and_people(text, values):
    assert _read(text) == (values, [])


@pytest.mark.parametrize(
    ("text", "values", "warnings"),
    [
        ("metric,value,unit\nwrite.throughput,-5,MB/s", [], [(2, "bad-number")]),
        (f"metric,value,unit,\n{ROW},7", [], [(2, "bad-manifest")]),  # a number in a column without a title
        (f'metric,value,unit\nwrite.throughput,81.2,"MB/s\n{ROW}', [(3, 81.2)], [(2, "short-row")]),  # a quote that nothing closes
        (f"metric,value,unit\n{ROW}\n\nsome,other,words\n{ROW}", [(2, 81.2)], []),  # the table ended
        (
            f"metric,value,unit\n{ROW}\n" + "words\n" * 25 + ROW,
            [(2, 81.2)],
            [*((at, "short-row") for at in range(3, 23)), (22, "cut")],
        ),
        (f"metric,value,unit\n{ROW}\n" + "words\n" * 19 + ROW, [(2, 81.2), (22, 81.2)], [(at, "short-row") for at in range(3, 22)]),
    ],
)
def it_leaves_out_what_is_ambiguous(text, values, warnings):
    assert _read(text) == (values, warnings)
