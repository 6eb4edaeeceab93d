"""iozone's automatic table on one line, where a page or its extraction lost line ends and blanks.

`iozone -a -s 1000M -r 4k -r 16k -i 0 -i 1 ... kB reclen write rewrite ... freread 1024000 4 13957 ... 1024000 16 47494 ...`: the
number of figures in a row follows from the titles or, where iozone left columns blank, from the tests of the command. A table is
read only where every row begins with the file size and record sizes that increase in powers of two.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from ingest.lazy_regex import lazy
from ingest.parsers.iozone._operation_names import COLUMNS, LOWER_TITLES, NATIVE_NAMES, TEST_OPERATIONS
from ingest.parsers.iozone._run_header import KIB, IozoneRun, find_command, read_header_line, set_command
from ingest.parsers.iozone._throughput_mode import LINE_START
from ingest.records import ZERO_TIME, Doubt, Found, MissingValue

_TABLE = lazy(r"\b[kK][bB]\s+reclen\s+(write\s+rewrite(?:\s+f?(?:re)?(?:read|write))*)((?:\s+\d{1,12}(?![\w.])){4,4000})")
_COMMAND = lazy(r"\biozone(?=\s+-)")
_LEAST = 2  # rows that confirm the width of a table, where the command has neither tests nor the sizes of its only row


def read_tables(line: str, number: int, above: IozoneRun) -> Iterator[Found]:
    """The figures of every table on the line. `above`: the run whose command stands on a line before it."""
    end = 0
    for index, table in enumerate(_TABLE.finditer(line)):
        run = _run(line[end : table.start()], number, index, above)
        rows = _rows(table[2].split(), tuple(table[1].split()), run)
        if not rows:
            yield Doubt(number, "ambiguous", "a table of iozone that lost its line ends; nothing in it was recorded")
        for columns, (size, record, *figures) in rows:
            params = {"file_size": int(size) * KIB, "record_size": int(record) * KIB}
            for operation, raw in zip(columns, figures, strict=True):
                value = run.value(number, operation, NATIVE_NAMES.get(operation, operation), raw, params)
                if raw.strip("0"):
                    yield value
                else:
                    yield MissingValue.instead_of(value, ZERO_TIME)
                    yield Doubt(number, "unmeasured", f"{NATIVE_NAMES.get(operation, operation)}: iozone printed 0")
        end = table.end()


def _run(before: str, number: int, index: int, above: IozoneRun) -> IozoneRun:
    """The run of a table, with the last command before it on the line, else of the run above."""
    run = IozoneRun(number)
    run.start = (number, index)  # several stand on one line
    commands = [command.start() for command in _COMMAND.finditer(before)]
    for part in LINE_START.split(before) if "Run began:" in before else ():
        read_header_line(run, part, number)
    if commands and (command := find_command(before[commands[-1] :].strip())):
        set_command(run, re.sub(r"\s+(?:random|bkwd|record|stride)\b.*", "", command), number)
    elif not commands and not above.has_values and not above.complete:
        run.version, run.started, run.unit, run.tests = above.version, above.started, above.unit, above.tests
        run.params, run.sizes, run.depends = above.params, above.sizes, above.depends
    return run


def _rows(words: list[str], titles: tuple[str, ...], run: IozoneRun) -> list[tuple[tuple[str, ...], list[str]]]:
    """Columns and words of each row; empty where the words do not divide into rows of one length."""
    tests = run.tests
    if titles != LOWER_TITLES[: len(titles)]:
        return []
    shown = COLUMNS[: len(titles)]
    filled = {operation for test in tests for operation in TEST_OPERATIONS.get(test, ())}
    columns = tuple(operation for operation in shown if operation in filled) if tests else shown
    width = len(columns) + 2
    rows = [words[start : start + width] for start in range(0, len(words), width)]
    file_size = run.sizes.get("file_size")
    is_certain = tests or len(rows) >= _LEAST or (file_size and run.sizes.get("record_size") == int(words[1]) * KIB)
    if not (columns and is_certain) or len(words) % width or not _are_rows(rows):
        return []
    return [(columns, row) for row in rows] if not file_size or all(int(row[0]) * KIB == file_size for row in rows) else []


def _are_rows(rows: list[list[str]]) -> bool:
    """Whether the rows begin with file and record sizes in the order in which iozone tests them."""
    heads = [(int(row[0]), int(row[1])) for row in rows]
    fit = all(0 < record <= size and record & (record - 1) == 0 for size, record in heads)
    return fit and all(head < next_head for head, next_head in pairwise(heads))
