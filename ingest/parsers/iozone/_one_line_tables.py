"""iozone's automatic table on one line, where a page or its reader lost the line ends and the blanks with them.

`iozone -a -s 1000M -r 4k -r 16k -i 0 -i 1 ... kB reclen write rewrite ... freread 1024000 4 13957 ... 1024000 16 47494 ...`: how
many figures a row has is told by the titles or, where iozone left columns blank, by the tests of the command. Taken only where
every row begins as a row does, with one file size and record sizes that grow in powers of two.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from ingest.lazy_regex import lazy
from ingest.parsers.iozone._operation_names import COLUMNS, LOWER_TITLES, NATIVE_NAMES, TEST_OPERATIONS
from ingest.parsers.iozone._run_header import KIB, IozoneRun, find_command, read_header_line, set_command
from ingest.parsers.iozone._throughput_mode import LINE_START
from ingest.records import Doubt, Value

_TABLE = lazy(r"\b[kK][bB]\s+reclen\s+(write\s+rewrite(?:\s+f?(?:re)?(?:read|write))*)((?:\s+\d{1,12}(?![\w.])){4,4000})")
_COMMAND = lazy(r"\biozone(?=\s+-)")
_LEAST = 2  # rows by which the make of a table is sure, where no command tells its tests, or the sizes of a single one


def read_tables(line: str, number: int, above: IozoneRun) -> Iterator[Value | Doubt]:
    """The figures of every table on the line. `above`: the run whose command stands on a line before it."""
    begun = 0
    for at, found in enumerate(_TABLE.finditer(line)):
        run = _run(line[begun : found.start()], number, at, above)
        rows = _rows(found[2].split(), tuple(found[1].split()), run)
        if not rows:
            yield Doubt(number, "ambiguous", "a table of iozone whose line ends were lost; none of its figures was taken")
        for columns, (size, record, *figures) in rows:
            params = {"file_size": int(size) * KIB, "record_size": int(record) * KIB}
            for operation, raw in zip(columns, figures, strict=True):
                if raw.strip("0"):
                    yield run.value(number, operation, NATIVE_NAMES.get(operation, operation), raw, params)
                else:
                    yield Doubt(number, "unmeasured", f"{NATIVE_NAMES.get(operation, operation)}: iozone printed 0")
        begun = found.end()


def _run(before: str, number: int, at: int, above: IozoneRun) -> IozoneRun:
    """The run of a table, with the last command before it."""
    run = IozoneRun(number)
    run.start = (number, at)  # several stand on one line
    named = [found.start() for found in _COMMAND.finditer(before)]
    for part in LINE_START.split(before) if "Run began:" in before else ():
        read_header_line(run, part, number)
    if named and (command := find_command(before[named[-1] :].strip())):
        set_command(run, re.sub(r"\s+(?:random|bkwd|record|stride)\b.*", "", command), number)
    elif not named and not above.used and not above.complete:
        run.version, run.started, run.unit, run.tests = above.version, above.started, above.unit, above.tests
        run.params, run.sizes, run.depends = above.params, above.sizes, above.depends
    return run


def _rows(words: list[str], titles: tuple[str, ...], run: IozoneRun) -> list[tuple[tuple[str, ...], list[str]]]:
    """(columns, words) of each row; nothing where the words do not make rows of one length."""
    tests = run.tests
    if titles != LOWER_TITLES[: len(titles)]:
        return []
    shown = COLUMNS[: len(titles)]
    filled = {operation for test in tests for operation in TEST_OPERATIONS.get(test, ())}
    columns = tuple(operation for operation in shown if operation in filled) if tests else shown
    wide = len(columns) + 2
    rows = [words[at : at + wide] for at in range(0, len(words), wide)]
    asked = run.sizes.get("file_size")
    sure = tests or len(rows) >= _LEAST or (asked and run.sizes.get("record_size") == int(words[1]) * KIB)
    if not (columns and sure) or len(words) % wide or not _are_rows(rows):
        return []
    return [(columns, row) for row in rows] if not asked or all(int(row[0]) * KIB == asked for row in rows) else []


def _are_rows(rows: list[list[str]]) -> bool:
    """Whether each begins with file and record size as iozone goes through them."""
    heads = [(int(row[0]), int(row[1])) for row in rows]
    fit = all(0 < record <= size and record & (record - 1) == 0 for size, record in heads)
    return fit and all(one < other for one, other in pairwise(heads))
