"""IO500's result.txt: a section a phase, with what was run, its score and its time (PRINT_PAIR in io500's main.c).

    version         = io500-isc22_v1
    mode            = standard

    [ior-easy-write]
    t_start         = 2021-06-02 20:05:41
    score           = 21.630000
    t_delta         = 305.5000

Scores of ior phases are GiB/s, all others kIOPS. The sections [SCORE] and [SCOREX] hold means and are no phases.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime

from ingest.lazy_regex import lazy
from ingest.records import FAILED, ZERO_TIME, Doubt, Found, MissingValue, Value
from ingest.text.lines import Text

# The results of IO500's first C application (io500-app, 2017), a line a phase, all of them again at the end.
#
# [Result] IOR ior_easy_write bw: 118.047 GiB/s time: 1084.3s size: 128000.0 GiB (perf at stonewall min: 26.349 GiB/s ...)
# [Result] mdtest mdtest_easy_create rate: 17.917 kiops time: 559.5s (perf at stonewall min: 7.8 kiops avg: 18.9 kiops)
# [Result] find-easy rate: 1715.941 kiops time: 5.8s err: 0 found: 0 (scanned 10024001 files)
#
# The figures in brackets are of the moment when the first process stopped: by the least and by the mean amount that a process
# had done until then. GiB is 2^30 bytes, kiops are thousands of operations per second.

_RESULT_LIKE = lazy(r"^[\s>|#+]*\[Result\] +(?:IOR +ior_|mdtest +mdtest_|find[\w-]* +rate:)")
_RESULT = lazy(
    r"^[\s>|#+]*\[Result\] +(?:(?:IOR|mdtest) +)?((?:ior|mdtest|find)[\w-]{1,40}) +(bw|rate): +(\d+\.\d+) (GiB/s|kiops) "
    r"time: +(\d+\.\d+)s(.*)$"
)
_STONEWALL = lazy(r"\(perf at stonewall min: +(\d+\.\d+) (?:GiB/s|kiops) avg: +(\d+\.\d+) (?:GiB/s|kiops)\)\s*$")
_REST = lazy(r"(?: size: \d+\.\d+ GiB)?(?: err: (\d+) found: \d+ \(scanned \d+ files\))?(?: \(perf at stonewall [^()]*\))?\s*\Z")
_UNITS = {"bw": ("throughput", 2**30, "B/s", "GiB/s"), "rate": ("rate", 1000, "1/s", "kops/s")}


def app_parse(text: Text, find_operation: Callable[[str], str | None]) -> Iterator[Found]:
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


_SECTION = lazy(r"^[\s>|#+]*\[([A-Za-z][\w-]{1,40})\]\s*$")
_PAIR = lazy(r"^[\s>|#+]*(version|mode|t_start|(?:throughput|rate)-stonewall|score|t_delta)\s*= ?(\S[^\n]{0,60}?)\s*$")
_INVALID = lazy(r"^[\s>|#+]*; (?:ERROR )?INVALID (\S.{0,160})")
_NUMBER = lazy(r"(\d{1,12}(?:\.\d{1,9})?)( \[INVALID\])?\Z")


@dataclass(slots=True)
class _Phase:
    """A section: name, line, operation, and what was read before its score. `score_line`: of a score without its time."""

    name: str = ""
    line: int = 0
    operation: str = ""
    started: str | None = None
    stonewall: tuple[str, str, int] | None = None  # key, text and line of the result when the first process stopped
    score_line: int = 0
    is_invalid: bool = False


@dataclass(slots=True)
class _Document:
    """A result.txt: its head, the phases with a score, the open section."""

    head: dict[str, tuple[str, int]] = field(default_factory=dict)  # version and mode, with their lines
    run: int = 0
    scored: set[str] = field(default_factory=set)
    phase: _Phase = field(default_factory=_Phase)

    def open_section(self, name: str, operation: str, number: int) -> None:
        """Begin a section; one with the name of a phase that has a score belongs to another document."""
        if name in self.scored:
            self.run, self.scored = number, set()
        self.phase = _Phase(name, number, operation)

    def read_pair(self, key: str, raw: str, number: int) -> Iterator[Found]:
        """A line `key = value` of the head or of a section."""
        phase = self.phase
        if key in ("version", "mode"):
            head = self.head if phase.line == 0 else {}
            self.head, self.phase, self.run, self.scored = {**head, key: (raw, number)}, _Phase(), 0, set()
        elif key == "t_start":
            phase.started = _parse_date(raw)
        elif phase.operation and key.endswith("-stonewall"):
            phase.stonewall = (key, raw, number)
        elif phase.operation:
            self.run = self.run or phase.line
            if phase.stonewall and key == "score":
                yield from self._read_stonewall(phase.stonewall, raw)
            self.scored.add(phase.name)
            phase.score_line = number if key == "score" else 0
            yield from self._read_figure(key, raw, number)

    def close_section(self) -> Iterator[Doubt]:
        """A warning for a score without the time that is printed after it."""
        if self.phase.score_line:
            message = f"the section {self.phase.name} ends after its score, which may be cut off too"
            yield Doubt(self.phase.score_line, "cut", message)

    def _read_stonewall(self, stonewall: tuple[str, str, int], score: str) -> Iterator[Found]:
        """The value at the stonewall, in B/s or 1/s (printed in GiB/s or kIOPS: phase_ior.c, ior_process_write).

        A doubt if the figure cannot be in the score's unit, as one version prints it; nothing if the score is not a number.
        """
        key, raw, number = stonewall
        own, whole = _NUMBER.match(raw), _NUMBER.match(score)
        if own and not whole:
            return  # the score gets the warning
        if own and whole and whole[1].strip("0.") != "" and not 0.02 < float(own[1]) / float(whole[1]) < 20:
            message = f"{self.phase.name} {key}: {raw} does not fit the unit of the score {score}"
            yield Doubt(number, "unknown-unit", message)
            return
        yield from self._read_figure(key, raw, number)

    def _read_figure(self, key: str, printed: str, number: int) -> Iterator[Found]:
        phase, figure = self.phase, _NUMBER.match(printed)
        if not figure:
            yield Doubt(number, "bad-number", f"{phase.name} {key}: {printed[:40]!r} is not a number")
            return
        raw, invalid = figure.groups()
        if invalid:
            yield Doubt(number, "failed-run", f"{phase.name}: IO500 marks the phase as invalid")
        quantity, factor, unit, raw_unit = _unit(phase.name, key)
        params = {"phase": phase.name.lower().replace("_", "-")}
        if key.endswith("-stonewall"):
            params["part"] = "stonewall"
        if "mode" in self.head:
            params["mode"] = self.head["mode"][0]
        head_lines = {line for _, line in self.head.values()}
        value = Value(
            line=number,
            tool="io500",
            tool_version=self.head["version"][0] if "version" in self.head else None,
            metric=f"{phase.operation}.{quantity}",
            native=f"{phase.name} {key}",
            value=float(raw) * factor,
            unit=unit,
            raw=raw,
            raw_unit=raw_unit,
            run=("result.txt", self.run),
            params=params,
            started_at=phase.started,
            depends=tuple(sorted({phase.line, *head_lines, *range(phase.line + 1, number)})),
        )
        if value.value:
            yield value
            return
        yield MissingValue.instead_of(value, FAILED if invalid or phase.is_invalid else ZERO_TIME)
        yield Doubt(number, "unmeasured", f"{phase.name} {key}: IO500 printed 0")


def parse(text: Text, find_operation: Callable[[str], str | None]) -> Iterator[Found]:
    """Score and time of each section, in line order."""
    if "t_delta" not in text.body and "t_start" not in text.body:
        return
    document = _Document()
    for number, line in enumerate(text.lines, 1):
        if "[" in line and (section := _SECTION.match(line)):
            yield from document.close_section()
            document.open_section(section[1], find_operation(section[1]) or "", number)
        elif "INVALID" in line and document.phase.operation and (reason := _INVALID.match(line)):
            document.phase.is_invalid = True
            yield Doubt(number, "failed-run", f"{document.phase.name}: {reason[1]}")
        elif "=" in line and (pair := _PAIR.match(line)):
            yield from document.read_pair(pair[1], pair[2], number)
    yield from document.close_section()


def _unit(phase: str, key: str) -> tuple[str, float, str, str]:
    """Quantity, factor to the base unit, base unit and raw unit."""
    if key == "t_delta":
        return "elapsed", 1, "s", "s"
    if phase.startswith("ior"):
        return "throughput", 2**30, "B/s", "GiB/s"
    return "rate", 1000, "1/s", "kops/s"


def _parse_date(printed: str) -> str | None:
    """`2021-06-02 20:05:41` in ISO 8601; None for another text."""
    try:
        return datetime.strptime(printed, "%Y-%m-%d %H:%M:%S").isoformat()
    except ValueError:
        return None
