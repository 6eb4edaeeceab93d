"""elbencho's table on the console and in --resfile: rows of a phase, FIRST DONE and LAST DONE.

    OPERATION   RESULT TYPE         FIRST DONE   LAST DONE
    =========== ================    ==========   =========
    WRITE       Elapsed time     :    2m3.241s    2m5.755s
                IOPS             :       33395       33352
                Throughput MiB/s :       33395       33352
                Total MiB        :     4115703     4194304
                IO latency       : [ min=123us avg=456us max=1.23ms ]
    ---

Up to 1.9 the first row is `Elapsed ms` and latencies are `IO latency us    : [ min=91 avg=120 max=1583 ]`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from ingest.lazy_regex import lazy
from ingest.numbers import PrintedNumber
from ingest.parsers.suites._elbencho_command import FIRST_DONE, PHASE_NAME, STAT_NAMES, ElbenchoPhase, parse_phase_time
from ingest.records import ABOVE, FAILED, ZERO_TIME, Doubt, Found, MissingValue, Value

_EDGE = r"^[\s>|#*]{0,40}"
_ENTRY = r"(?:Files|Dirs|Objects|Buckets|Entries|entries)"
_ROW_LABEL = (
    r"Elapsed (?:ms|time)|time ms|IOPS(?: write| read| total)?|Throughput Mi?B/s|Mi?B/s(?: write| read| total)?"
    rf"|Total Mi?B|Mi?B(?: write| read)?|IOs (?:total|write|read)|I/Os|CPU util %|{_ENTRY}/s(?: write| read| total)?"
    rf"|{_ENTRY}(?: total| write| read)?"
)
_LIST_LABEL = rf"(?:IO|{_ENTRY})(?: wr| rd)? lat(?:ency(?: us)?| % us| hist)|Time ms each|Svc compl\. time"
TABLE_HEADER = lazy(r"OPERATION\s+RESULT TYPE\s+FIRST DONE\s+LAST DONE\s*$")
TABLE_ROW = lazy(rf"{_EDGE}(?:({PHASE_NAME})\s+)?({_ROW_LABEL})\s*:\s*(\S{{1,40}})\s+(\S{{1,40}})\s*$")
LIST_ROW = lazy(rf"{_EDGE}(?:({PHASE_NAME})\s+)?({_LIST_LABEL})\s*:\s*\[ ?(.*?)\s*(\])?\s*$")
PARTIAL_ROW = lazy(rf"{_EDGE}(?:({PHASE_NAME})\s+)?({_ROW_LABEL}|{_LIST_LABEL})\s*(?::|$)")
TABLE_RULE = lazy(rf"{_EDGE}---\s*$")
_INTEGER = lazy(r"\d{1,18}\Z")
_LATENCY_STAT = lazy(r"(min|avg|max)=(\d+(?:\.\d+)?)(us|ms|s)?(?=\s|$)")
_PERCENTILE = lazy(r"(?<![\d.,])(\d{1,2}(?:\.\d{1,9})?)%<=(≥?)(\d+(?:\.\d+)?)(?=\s|$)")
_RATE_FACTORS = {"MiB/s": 2**20, "MB/s": 10**6}
_AMOUNT_FACTORS = {"MiB": 2**20, "MB": 10**6}


class Cell(NamedTuple):
    """A printed figure of a phase: its line, the label of its row or column, the text, and `FIRST_DONE` or an empty part."""

    line: int
    label: str
    raw: str
    part: str

    @property
    def native(self) -> str:
        """The label with the part."""
        return f"{self.label} ({self.part})" if self.part else self.label


@dataclass(slots=True)
class PhaseTable:
    """The rows of one phase until it ends.

    `rows`: line, label, and the cells of FIRST DONE and LAST DONE. `lists`: line, label, text in the brackets, and whether they
    are closed. `closed`: the rule below was printed.
    """

    phase: ElbenchoPhase
    rows: list[tuple[int, str, str, str]] = field(default_factory=list)
    lists: list[tuple[int, str, str, bool]] = field(default_factory=list)
    closed: bool = False

    def has(self, label: str) -> bool:
        """Whether a row of that label was read."""
        return any(row[1] == label for row in self.rows) or any(row[1] == label for row in self.lists)

    @property
    def last(self) -> int:
        """The line of the last row."""
        return max([row[0] for row in self.rows] + [row[0] for row in self.lists], default=self.phase.line)

    def items(self) -> Iterator[Found]:
        """The values of the phase; every count among its rows is a parameter of them."""
        phases = self._phases_with_counts()
        for line, label, *cells in self.rows:
            for part, raw in zip((FIRST_DONE, ""), cells, strict=True):
                yield from _read_cell(phases[part], Cell(line, label, raw, part))
        for line, label, body, is_closed in self.lists:
            if not is_closed:
                yield Doubt(line, "cut", f"{self.phase.name} {label}: the list is not closed; its complete values were recorded")
                body = body.rstrip().rpartition(" ")[0]  # its last figure may be cut
            yield from _read_list(phases[""], line, label, body)
        if not self.closed and not self._has_totals():
            yield Doubt(self.last, "cut", f"the phase {self.phase.name} ends without its totals")

    def _has_totals(self) -> bool:
        """Whether the last rows of a phase are there: totals (printPhaseResultsToStream())."""
        labels = {row[1] for row in self.rows}
        counts_entries = any("/s" in label and not re.match(r"Throughput|Mi?B", label) for label in labels)
        return (not self.phase.moves or any(re.match(r"Total|Mi?B(?!/)", label) for label in labels)) and (
            not counts_entries or any(re.match(rf"{_ENTRY}(?!/)", label) for label in labels)
        )

    def _phases_with_counts(self) -> dict[str, ElbenchoPhase]:
        """The phase for each column, with the counts in that column as parameters."""
        counts: dict[str, dict[str, int]] = {FIRST_DONE: {}, "": {}}
        lines: dict[str, list[int]] = {FIRST_DONE: [], "": []}
        for line, label, *cells in self.rows:
            unit = label.removeprefix("Total ").split(" ")[0]
            if "/s" in label or not (unit in _AMOUNT_FACTORS or re.match(_ENTRY, label)):
                continue
            name, factor = ("moved", _AMOUNT_FACTORS[unit]) if unit in _AMOUNT_FACTORS else ("entries", 1)
            name += f"_{label.split(' ')[1]}" if label.split(" ")[-1] in ("write", "read") else ""
            for part, raw in zip((FIRST_DONE, ""), cells, strict=True):
                if _INTEGER.match(raw) and name not in counts[part]:
                    counts[part][name] = int(raw) * factor
                    lines[part].append(line)
        phase = self.phase
        return {
            part: ElbenchoPhase(
                phase.name,
                phase.line,
                phase.run,
                phase.version,
                phase.started,
                {**phase.params, **counts[part]},
                depends=(*phase.depends, *lines[part]),
            )
            for part in counts
        }


def _read_cell(phase: ElbenchoPhase, cell: Cell) -> Iterator[Found]:
    line, label, raw, part = cell
    if label in ("Elapsed time", "Elapsed ms", "time ms"):
        yield from _read_elapsed(phase, cell)
        return
    quantity, _, direction = label.partition(" ")
    if label.startswith("Throughput"):
        quantity, direction = direction, ""
    if not _INTEGER.match(raw):
        yield Doubt(line, "bad-number", f"{phase.name} {label}: {raw!r} is not a whole number")
    elif label == "CPU util %":
        number = PrintedNumber(float(raw), "%", raw, "%")
        yield phase.value(line, f"{phase.operation(False)}.cpu", cell.native, number, part=part)
    elif quantity == "IOPS" or "/s" in quantity:
        yield from read_rate(phase, cell, quantity, direction)


def read_rate(phase: ElbenchoPhase, cell: Cell, quantity: str, direction: str) -> Iterator[Found]:
    """A rate, printed as a whole number that is cut off: 0 is less than one. `quantity`: `IOPS`, `MiB/s`, `Files/s` ..."""
    line, raw, part = cell.line, cell.raw, cell.part
    if quantity in _RATE_FACTORS:
        metric, number = "throughput", PrintedNumber(float(raw) * _RATE_FACTORS[quantity], "B/s", raw, quantity)
    else:
        metric, number = "rate", PrintedNumber(float(raw), "1/s", raw, "1/s")
    is_of_entries = metric == "rate" and quantity != "IOPS"
    if is_of_entries and quantity == "Dirs/s" and phase.moves:
        part = f"directories, {part}" if part else "directories"
    value = phase.value(line, f"{phase.operation(is_of_entries, direction)}.{metric}", cell.native, number, part=part)
    if number.value:
        yield value
        return
    if phase.moves or is_of_entries:
        yield MissingValue.instead_of(value, ZERO_TIME)
    yield phase.zero_rate(line, cell.native)


def _read_elapsed(phase: ElbenchoPhase, cell: Cell) -> Iterator[Found]:
    is_in_ms = cell.label.endswith("ms") and _INTEGER.match(cell.raw)
    number = parse_phase_time(f"{cell.raw}ms" if is_in_ms else cell.raw)
    if number is None:
        yield Doubt(cell.line, "bad-number", f"{phase.name} {cell.label}: {cell.raw!r} is not a time")
        return
    yield from phase.elapsed(cell.line, cell.native, number, cell.part)


def _read_list(phase: ElbenchoPhase, line: int, label: str, body: str) -> Iterator[Found]:
    """Values between brackets; none of a histogram, whose percentiles and extremes are printed as well."""
    kind, _, rest = label.partition(" ")
    direction = rest[:2] if rest.startswith(("wr ", "rd ")) else ""
    metric = f"{phase.operation(kind != 'IO', direction)}.latency"
    if label == "Time ms each":
        yield from _thread_times(phase, line, label, body)
    elif label.startswith("Svc"):
        yield from _service_times(phase, line, label, body)
    elif "latency" in rest:
        yield from _latency_stats(phase, line, label, body, metric)
    elif rest.endswith(" us"):
        yield from _latency_percentiles(phase, line, label, body, metric)


def _thread_times(phase: ElbenchoPhase, line: int, label: str, body: str) -> Iterator[Value]:
    for ordinal, raw in enumerate(body.split(), 1):
        if _INTEGER.match(raw):
            number = PrintedNumber(int(raw) / 1000, "s", raw, "ms")
            yield phase.value(line, f"{phase.operation(False)}.elapsed", label, number, part=f"thread {ordinal}")


def _service_times(phase: ElbenchoPhase, line: int, label: str, body: str) -> Iterator[Value]:
    """The time of each service: `host1=1.2s host2=1.3s`."""
    for name, _, raw in (word.rpartition("=") for word in body.split()):
        if name and (number := parse_phase_time(raw)):
            yield phase.value(line, f"{phase.operation(False)}.elapsed", label, number, part=name)


def _latency_stats(phase: ElbenchoPhase, line: int, label: str, body: str, metric: str) -> Iterator[Found]:
    """Least, mean and greatest latency; without a unit in its label or behind the figure it was cut."""
    for stat, raw, unit in _LATENCY_STAT.findall(body):
        if not unit and not label.endswith("us"):
            continue
        if number := parse_phase_time(raw + (unit or "us")):
            yield phase.value(line, metric, f"{label} {stat}", number, stat=STAT_NAMES[stat])
        else:
            yield Doubt(line, "bad-number", f"{phase.name} {label} {stat}: {raw[:40]!r} is not a time")


def _latency_percentiles(phase: ElbenchoPhase, line: int, label: str, body: str, metric: str) -> Iterator[Found]:
    for share, open_end, raw in _PERCENTILE.findall(body):
        number = PrintedNumber(float(raw) / 1e6, "s", raw, "us")
        if open_end:
            value = phase.value(line, metric, f"{label} {share}%>", number, stat=f"p{share}")
            yield MissingValue.instead_of(value, FAILED, value.value, ABOVE)
            yield Doubt(line, "unmeasured", f"{phase.name} {label}: {share} % lies beyond the histogram")
        else:
            yield phase.value(line, metric, f"{label} {share}%<=", number, stat=f"p{share}")
