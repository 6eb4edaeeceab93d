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
from ingest.records import Doubt, Value

ROW_PATTERN = r"^[ \t>|]*(?:HDParm|DD|FIO|IOZone)[ \t|]+(?:Cached )?(?:Disk (?:Read|Write)|\dk (?:random )?(?:read|write))[ \t|]"
_ROW = lazy(
    r"[\s>|]*(HDParm|DD|FIO|IOZone)[ \t|]+((?:Cached )?Disk Read|Disk Write|4k (?:random )?(?:read|write))[ \t|]+(\S.*?)[ \t|]*\Z"
)
_OF_ROW = lazy(ROW_PATTERN)
_FIRST = lazy(r"[\s>|]*HDParm[ \t|]+Disk ")
_NEAR = 2  # lines from one row of a table to the next
_RATE = lazy(r"(\d{1,9}(?:\.\d{1,3})?) ([kKMG]B)/s(?:ec)?\Z")
_BOTH = lazy(r"(\d{1,9}(?:\.\d{1,3})?) IOPS \((\d{1,9}(?:\.\d{1,3})?) KB/s\)\Z")
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
# Lines of those tools that show the figure above the table, where a whole log was kept.
_SHOWN = {
    "HDParm": r"Timing [^\n]{0,40} reads:[^\n]*= *%s [kMG]B/sec",
    "DD": r"\bcopied,[^\n]* %s [kMG]B/s",
    "FIO": r"\biops *= *%s\b",
    "IOZone": r"^ *\d+ +4 +(?:\d+ +)*%s(?: |$)",
}
_FAR = 120  # lines that such a log takes at most


def read_rows(lines: Sequence[str]) -> Iterator[Value | Doubt]:
    """The figures of every such table."""
    begun = last = 0
    for at, line in enumerate(lines, 1):
        if ("Disk " in line or "4k " in line) and _OF_ROW.match(line):
            begun, last = begun if at - last <= _NEAR and not _FIRST.match(line) else at, at
            yield from _row(lines, line, at, begun)


def _row(lines: Sequence[str], line: str, at: int, begun: int) -> Iterator[Value | Doubt]:
    found = _ROW.match(line)
    tool, name, result = found.groups() if found else ("", "", "")
    rate, both = _RATE.match(result), _BOTH.match(result)
    known, factors, params = _TOOLS.get(tool, ("", {}, {}))
    if tool == "FIO" and both:
        figure, raw, unit = both[1], both[2], "KB"
    elif tool != "FIO" and rate and rate[2] in factors:
        figure, raw, unit = rate[1], rate[1], rate[2]
    else:
        code = "bad-number" if re.search(r"\d", result) else "unmeasured"
        yield Doubt(at, code, f"{name or 'a row of PiBenchmarks'}: {result[:40]!r} is no figure of its test; nothing was taken")
        return
    params = {**params, "command": "PiBenchmarks"}
    place = _shown(lines, begun, tool, figure)
    native, operation = f"{tool} {name}", _OPERATIONS[name]
    yield Value(
        at,
        known,
        f"{operation}.throughput",
        native,
        float(raw) * factors[unit],
        "B/s",
        raw,
        _meant(tool, unit),
        (begun, known),
        None,
        "sample",
        params,
        same_as=place,
        depends=(place,) if place else (),
    )
    if both:
        yield Value(
            at,
            known,
            f"{operation}.rate",
            f"{native} IOPS",
            float(both[1]),
            "1/s",
            both[1],
            "ops/s",
            (begun, known),
            None,
            "sample",
            params,
            same_as=place,
            depends=(place,) if place else (),
        )


def _meant(tool: str, unit: str) -> str:
    return f"{unit}/s" if tool == "DD" else f"{unit}/sec" if tool == "HDParm" else "KiB/s"


def _shown(lines: Sequence[str], begun: int, tool: str, raw: str) -> int | None:
    """The line above the table on which the tool itself printed that figure."""
    pattern = re.compile(_SHOWN[tool] % re.escape(raw).replace(r"\.", "[.,]"), re.I)  # dd prints the locale's decimal mark
    told = (raw, raw.replace(".", ",")) if tool == "DD" else (raw,)
    above = range(begun - 1, max(0, begun - _FAR), -1)
    near = (number for number in above if any(one in lines[number - 1] for one in told))
    return next((number for number in near if pattern.search(lines[number - 1])), None)
