"""The results of IO500's first C application (io500-app, 2017), a line a phase, all of them again at the end.

    [Result] IOR ior_easy_write bw: 118.047 GiB/s time: 1084.3s size: 128000.0 GiB (perf at stonewall min: 26.349 GiB/s ...)
    [Result] mdtest mdtest_easy_create rate: 17.917 kiops time: 559.5s (perf at stonewall min: 7.8 kiops avg: 18.9 kiops)
    [Result] find-easy rate: 1715.941 kiops time: 5.8s err: 0 found: 0 (scanned 10024001 files)

The figures in brackets are of the moment when the first process stopped: by the least and by the mean amount that a process had
done until then. GiB is 2^30 bytes, kiops are thousands of operations per second.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from ingest.lazy_regex import lazy
from ingest.records import FAILED, ZERO_TIME, Doubt, Found, MissingValue, Value
from ingest.text.lines import Text

_RESULT_LIKE = lazy(r"^[\s>|#+]*\[Result\] +(?:IOR +ior_|mdtest +mdtest_|find[\w-]* +rate:)")
_RESULT = lazy(
    r"^[\s>|#+]*\[Result\] +(?:(?:IOR|mdtest) +)?((?:ior|mdtest|find)[\w-]{1,40}) +(bw|rate): +(\d+\.\d+) (GiB/s|kiops) "
    r"time: +(\d+\.\d+)s(.*)$"
)
_STONEWALL = lazy(r"\(perf at stonewall min: +(\d+\.\d+) (?:GiB/s|kiops) avg: +(\d+\.\d+) (?:GiB/s|kiops)\)\s*$")
_REST = lazy(r"(?: size: \d+\.\d+ GiB)?(?: err: (\d+) found: \d+ \(scanned \d+ files\))?(?: \(perf at stonewall [^()]*\))?\s*\Z")
_UNITS = {"bw": ("throughput", 2**30, "B/s", "GiB/s"), "rate": ("rate", 1000, "1/s", "kops/s")}


def parse(text: Text, find_operation: Callable[[str], str | None]) -> Iterator[Found]:
    """Throughput or rate and time of every phase; those of the list at the end are marked as repeated."""
    if "[Result]" not in text.body:
        return
    first_lines: dict[tuple[str, ...], int] = {}
    start = 0
    for number, line in enumerate(text.lines, 1):
        if "[Result]" not in line or not _RESULT_LIKE.match(line):
            continue
        result = _RESULT.match(line)
        operation = find_operation(result[1]) if result else None
        if result is None or operation is None or not _REST.match(result[6]):
            yield Doubt(number, "short-row", f"a result line that cannot be read: {line.strip()[:80]!r}")
            continue
        start = start or number
        yield from _read_phase(result, operation, (start, number, first_lines.setdefault(result.groups(), number)))


def _read_phase(result: re.Match[str], operation: str, lines: tuple[int, int, int]) -> Iterator[Found]:
    """`lines`: that on which the run begins, that of the result, that on which the same result stands first."""
    phase, kind, raw, _, seconds, rest = result.groups()
    start, number, first = lines
    quantity, factor, unit, raw_unit = _UNITS[kind]
    errors = _REST.match(rest)
    if errors and int(errors[1] or 0):
        yield Doubt(number, "failed-run", f"{phase}: {errors[1]} errors")
    cells = [("", "sample", raw)]
    if stonewall := _STONEWALL.search(rest):
        cells += [("stonewall", "min", stonewall[1]), ("stonewall", "mean", stonewall[2])]
    figures = [(f"{operation}.{quantity}", phase, cell, stat, part, (factor, unit, raw_unit)) for part, stat, cell in cells]
    figures.append((f"{operation}.elapsed", f"{phase} time", seconds, "sample", "", (1, "s", "s")))
    for metric, native, cell, stat, part, (scale, base_unit, printed_unit) in figures:
        value = Value(
            line=number,
            tool="io500",
            tool_version=None,
            metric=metric,
            native=native,
            value=float(cell) * scale,
            unit=base_unit,
            raw=cell,
            raw_unit=printed_unit,
            run=start,
            stat=stat,
            params={"phase": phase.replace("_", "-")} | ({"part": part} if part else {}),
            same_as=None if first == number else first,
            depends=() if first == number else (first,),
        )
        if float(cell) == 0:
            yield MissingValue.instead_of(value, FAILED if errors and int(errors[1] or 0) else ZERO_TIME)
            yield Doubt(number, "unmeasured", f"{native}: IO500 printed 0")
        else:
            yield value
