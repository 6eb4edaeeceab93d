"""The table with which Storage.sh of PiBenchmarks ends: what hdparm, dd, fio and iozone printed, and a score.

The script runs `hdparm -Tt` (with --direct where that works), `dd bs=4k conv=fsync`, `fio --bs=4k --iodepth=64 --direct=1` and
`iozone -e -I -r 4k`; how large their files are differs between its versions. It copies figures and units: hdparm's MB are
2^20 bytes, dd's 10^6, the KB of fio's terse output and of iozone 2^10. The score adds figures of all kinds up.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ingest import units
from ingest.lazy_regex import lazy
from ingest.parsers._printed_number import PrintedNumber
from ingest.records import FAILED, Doubt, Found, MissingValue, Value

ROW_PATTERN = r"^[ \t>|]*(?:HDParm|DD|FIO|IOZone)[ \t|]+(?:Cached )?(?:Disk (?:Read|Write)|\dk (?:random )?(?:read|write))[ \t|]"
_ROW = lazy(
    r"[\s>|]*(HDParm|DD|FIO|IOZone)[ \t|]+((?:Cached )?Disk Read|Disk Write|4k (?:random )?(?:read|write))[ \t|]+(\S.*?)[ \t|]*\Z"
)
_ROW_START = lazy(ROW_PATTERN)
_FIRST_ROW = lazy(r"[\s>|]*HDParm[ \t|]+Disk ")
_MAX_DISTANCE = 2  # lines from one row of a table to the next
_RATE = lazy(r"(\d{1,9}(?:\.\d{1,3})?) ([kKMG]B)/s(?:ec)?\Z")
_IOPS_AND_RATE = lazy(r"(\d{1,9}(?:\.\d{1,3})?) IOPS \((\d{1,9}(?:\.\d{1,3})?) KB/s\)\Z")
_TOOLS = {
    "HDParm": ("hdparm", units.HDPARM, {}),
    "DD": ("dd", units.DD_GNU, {"block_size": 4096, "fsync": "fsync"}),
    "FIO": ("fio", {"KB": 1024}, {"block_size": 4096, "iodepth": 64, "direct": "on"}),
    "IOZone": ("iozone", {"KB": 1024}, {"record_size": 4096, "direct": "on", "fsync": "on"}),
}
_OPERATIONS = {
    "Disk Read": "read",
    "Cached Disk Read": "cached_read",
    "Disk Write": "write",
    "4k read": "read",
    "4k write": "write",
    "4k random read": "random_read",
    "4k random write": "random_write",
}
# Lines of those tools above the table, with the same figure, where the whole log was kept.
_TOOL_LINES = {
    "HDParm": r"Timing [^\n]{0,40} reads:[^\n]*= *%s [kMG]B/sec",
    "DD": r"\bcopied,[^\n]* %s [kMG]B/s",
    "FIO": r"\biops *= *%s\b",
    "IOZone": r"^ *\d+ +4 +(?:\d+ +)*%s(?: |$)",
}
_MAX_LOG = 120  # lines of the longest log


def read_rows(lines: Sequence[str]) -> Iterator[Found]:
    """The figures of every such table."""
    first_line = last_line = 0
    for number, line in enumerate(lines, 1):
        if ("Disk " in line or "4k " in line) and _ROW_START.match(line):
            is_of_same_table = number - last_line <= _MAX_DISTANCE and not _FIRST_ROW.match(line)
            first_line, last_line = first_line if is_of_same_table else number, number
            yield from _row(lines, number, first_line)


def _row(lines: Sequence[str], number: int, first_line: int) -> Iterator[Found]:
    """The values of a row; `first_line`: of its table. What the tool itself printed above is the same measurement."""
    row = _ROW.match(lines[number - 1])
    label, name, result = row.groups() if row else ("", "", "")
    rate, iops_and_rate = _RATE.match(result), _IOPS_AND_RATE.match(result)
    tool, factors, tool_params = _TOOLS.get(label, ("", {}, {}))
    iops = None
    if label == "FIO" and iops_and_rate:
        iops, raw, unit = iops_and_rate[1], iops_and_rate[2], "KB"
    elif label != "FIO" and rate and rate[2] in factors:
        raw, unit = rate[1], rate[2]
    else:
        code = "bad-number" if re.search(r"\d", result) else "unmeasured"
        if code == "unmeasured" and tool and result:
            metric, native, run = f"{_OPERATIONS[name]}.throughput", f"{label} {name}", (first_line, tool)
            params = {**tool_params, "command": "PiBenchmarks"}
            yield MissingValue(number, tool, metric, native, "B/s", result, run, FAILED, params=params)
        yield Doubt(
            number, code, f"{name or 'a row of PiBenchmarks'}: {result[:40]!r} is not a value of its test; nothing was recorded"
        )
        return
    log_line = _find_log_line(lines, first_line, label, iops or raw)
    native, operation = f"{label} {name}", _OPERATIONS[name]
    figures = [(f"{operation}.throughput", native, PrintedNumber(float(raw) * factors[unit], "B/s", raw, _raw_unit(label, unit)))]
    if iops:
        figures.append((f"{operation}.rate", f"{native} IOPS", PrintedNumber(float(iops), "1/s", iops, "ops/s")))
    params = {**tool_params, "command": "PiBenchmarks"}
    for metric, native_name, figure in figures:
        yield Value(
            line=number,
            tool=tool,
            metric=metric,
            native=native_name,
            value=figure.value,
            unit=figure.unit,
            raw=figure.raw,
            raw_unit=figure.raw_unit,
            run=(first_line, tool),
            params=params,
            same_as=log_line,
            depends=(log_line,) if log_line else (),
        )


def _raw_unit(label: str, unit: str) -> str:
    return f"{unit}/s" if label == "DD" else f"{unit}/sec" if label == "HDParm" else "KiB/s"


def _find_log_line(lines: Sequence[str], first_line: int, label: str, raw: str) -> int | None:
    """The nearest line above the table on which the tool itself printed that figure, None if there is none."""
    pattern = re.compile(_TOOL_LINES[label] % re.escape(raw).replace(r"\.", "[.,]"), re.I)  # dd prints the locale's decimal mark
    spellings = (raw, raw.replace(".", ",")) if label == "DD" else (raw,)
    for number in range(first_line - 1, max(0, first_line - _MAX_LOG), -1):
        line = lines[number - 1]
        if any(map(line.__contains__, spellings)) and pattern.search(line):
            return number
    return None
