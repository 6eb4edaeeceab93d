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

from ingest.lazy_regex import lazy
from ingest.parsers.suites._elbencho_phase import FIRST_DONE, PHASE_NAME, STAT_NAMES, ElbenchoPhase, parse_phase_time
from ingest.records import Doubt, Value

_EDGE = r"^[\s>|#*]{0,40}"
_ENTRY = r"(?:Files|Dirs|Objects|Buckets|Entries|entries)"
_LABEL = (
    r"Elapsed (?:ms|time)|time ms|IOPS(?: write| read| total)?|Throughput Mi?B/s|Mi?B/s(?: write| read| total)?"
    rf"|Total Mi?B|Mi?B(?: write| read)?|IOs (?:total|write|read)|I/Os|CPU util %|{_ENTRY}/s(?: write| read| total)?"
    rf"|{_ENTRY}(?: total| write| read)?"
)
_LISTED = rf"(?:IO|{_ENTRY})(?: wr| rd)? lat(?:ency(?: us)?| % us| hist)|Time ms each|Svc compl\. time"
TABLE_HEADER = lazy(r"OPERATION\s+RESULT TYPE\s+FIRST DONE\s+LAST DONE\s*$")
TABLE_ROW = lazy(rf"{_EDGE}(?:({PHASE_NAME})\s+)?({_LABEL})\s*:\s*(\S{{1,40}})\s+(\S{{1,40}})\s*$")
LIST_ROW = lazy(rf"{_EDGE}(?:({PHASE_NAME})\s+)?({_LISTED})\s*:\s*\[ ?(.*?)\s*(\])?\s*$")
PARTIAL_ROW = lazy(rf"{_EDGE}(?:({PHASE_NAME})\s+)?({_LABEL}|{_LISTED})\s*(?::|$)")
TABLE_RULE = lazy(rf"{_EDGE}---\s*$")
_WHOLE = lazy(r"\d{1,18}\Z")
_LATENCY = lazy(r"(min|avg|max)=(\d+(?:\.\d+)?)(us|ms|s)?(?=\s|$)")
_PERCENTILE = lazy(r"(?<![\d.,])(\d{1,2}(?:\.\d{1,9})?)%<=(≥?)(\d+(?:\.\d+)?)(?=\s|$)")
_RATES = {"MiB/s": 2**20, "MB/s": 10**6}
_MOVED = {"MiB": 2**20, "MB": 10**6}


@dataclass(slots=True)
class PhaseTable:
    """The rows of one phase until it ends; `closed`: its rule was printed."""

    phase: ElbenchoPhase
    rows: list[tuple[int, str, str, str]] = field(default_factory=list)
    lists: list[tuple[int, str, str, bool]] = field(default_factory=list)
    closed: bool = False

    def has(self, label: str) -> bool:
        """Whether a row of that label was seen."""
        return any(row[1] == label for row in self.rows) or any(row[1] == label for row in self.lists)

    @property
    def last(self) -> int:
        """The line of the last row."""
        return max([row[0] for row in self.rows] + [row[0] for row in self.lists], default=self.phase.line)

    def items(self) -> Iterator[Value | Doubt]:
        """The values of the phase; every count that it tells is a parameter of them."""
        totals = self._totals()
        for line, label, *cells in self.rows:
            for part, raw in zip((FIRST_DONE, ""), cells, strict=True):
                counts, lines = totals[part]
                yield from self._cell(_with(self.phase, counts, lines, part), line, label, raw, part)
        counts, lines = totals[""]
        for line, label, body, whole in self.lists:
            phase = _with(self.phase, counts, lines, "")
            if not whole:
                yield Doubt(line, "cut", f"{self.phase.name} {label}: the list is not closed; what is whole was taken")
                body = body.rstrip().rpartition(" ")[0]  # its last figure may have been longer
            yield from _listed(phase, line, label, body)
        if not self.closed and not self._whole():
            yield Doubt(self.last, "cut", f"the phase {self.phase.name} ends without its totals")

    def _whole(self) -> bool:
        """Whether the rows that a phase ends with are there: totals stand last (printPhaseResultsToStream())."""
        labels = {row[1] for row in self.rows}
        counted = any("/s" in label and not re.match(r"Throughput|Mi?B", label) for label in labels)
        return (not self.phase.moves or any(re.match(r"Total|Mi?B(?!/)", label) for label in labels)) and (
            not counted or any(re.match(rf"{_ENTRY}(?!/)", label) for label in labels)
        )

    def _totals(self) -> dict[str, tuple[dict[str, int], tuple[int, ...]]]:
        """Per column, the counts that the phase tells and their lines."""
        found: dict[str, tuple[dict[str, int], tuple[int, ...]]] = {FIRST_DONE: ({}, ()), "": ({}, ())}
        for line, label, *cells in self.rows:
            unit = label.removeprefix("Total ").split(" ")[0]
            name, factor = ("moved", _MOVED[unit]) if unit in _MOVED else ("entries", 1)
            if "/s" in label or not (unit in _MOVED or re.match(_ENTRY, label)):
                continue
            name += f"_{label.split(' ')[1]}" if label.split(" ")[-1] in ("write", "read") else ""
            for part, raw in zip((FIRST_DONE, ""), cells, strict=True):
                counts, lines = found[part]
                if _WHOLE.match(raw) and name not in counts:
                    counts[name] = int(raw) * factor
                    found[part] = counts, (*lines, line)
        return found

    def _cell(self, phase: ElbenchoPhase, line: int, label: str, raw: str, part: str) -> Iterator[Value | Doubt]:
        if label in ("Elapsed time", "Elapsed ms", "time ms"):
            yield from _elapsed(phase, line, label, raw, part)
            return
        what, _, direction = label.partition(" ")
        if label.startswith("Throughput"):
            what, direction = direction, ""
        if not _WHOLE.match(raw):
            yield Doubt(line, "bad-number", f"{phase.name} {label}: {raw!r} is not a whole number")
        elif label == "CPU util %":
            figure = (float(raw), "%", raw, "%")
            yield phase.value(line, f"{phase.operation(False)}.cpu", _native(label, part), figure, **_part(part))
        elif what == "IOPS" or "/s" in what:
            yield from read_rate(phase, line, (label, what, direction), raw, part)


def _with(phase: ElbenchoPhase, counts: dict[str, int], lines: tuple[int, ...], part: str) -> ElbenchoPhase:
    return ElbenchoPhase(
        phase.name, phase.line, phase.run, phase.version, phase.started, {**phase.params, **counts}, (*phase.depends, *lines)
    )


def _part(part: str) -> dict[str, str]:
    return {"part": part} if part else {}


def _native(label: str, part: str) -> str:
    return f"{label} ({part})" if part else label


def read_rate(phase: ElbenchoPhase, line: int, names: tuple[str, str, str], raw: str, part: str) -> Iterator[Value | Doubt]:
    """A rate as printed, a whole number that is cut off: 0 is less than one. `names`: label, what is counted, direction."""
    label, what, direction = names
    if int(raw) == 0:
        yield Doubt(line, "unmeasured", f"{phase.name} {_native(label, part)}: 0 stands for less than one, or for no time at all")
        return
    if what in _RATES:
        metric, figure = "throughput", (float(raw) * _RATES[what], "B/s", raw, what)
    else:
        metric, figure = "rate", (float(raw), "1/s", raw, "1/s")
    entries = metric == "rate" and what != "IOPS"
    params = _part(part)
    if entries and what == "Dirs/s" and phase.moves:
        params["part"] = f"directories, {part}" if part else "directories"
    yield phase.value(line, f"{phase.operation(entries, direction)}.{metric}", _native(label, part), figure, **params)


def _elapsed(phase: ElbenchoPhase, line: int, label: str, raw: str, part: str) -> Iterator[Value | Doubt]:
    figure = parse_phase_time(f"{raw}ms" if label.endswith("ms") and _WHOLE.match(raw) else raw)
    if figure is None:
        yield Doubt(line, "bad-number", f"{phase.name} {label}: {raw!r} is no time")
        return
    if figure[0] == 0 and not phase.prepares:
        yield Doubt(line, "zero-time", f"{phase.name} {_native(label, part)}: less than a millisecond")
    yield phase.value(line, f"{phase.operation(False)}.elapsed", _native(label, part), figure, **_part(part))


def _listed(phase: ElbenchoPhase, line: int, label: str, body: str) -> Iterator[Value | Doubt]:
    """Values between brackets; of a histogram none: its percentiles and extremes are printed."""
    if label == "Time ms each":
        for number, raw in enumerate(body.split(), 1):
            if _WHOLE.match(raw):
                figure = (int(raw) / 1000, "s", raw, "ms")
                yield phase.value(line, f"{phase.operation(False)}.elapsed", label, figure, part=f"thread {number}")
        return
    if label.startswith("Svc"):
        for name, _, raw in (word.rpartition("=") for word in body.split()):
            if name and (took := parse_phase_time(raw)):
                yield phase.value(line, f"{phase.operation(False)}.elapsed", label, took, part=name)
        return
    what, _, rest = label.partition(" ")
    metric = f"{phase.operation(what != 'IO', rest[:2] if rest.startswith(('wr ', 'rd ')) else '')}.latency"
    if "latency" in rest:
        for stat, raw, unit in _LATENCY.findall(body):
            if unit or label.endswith("us"):
                if shown := parse_phase_time(raw + (unit or "us")):
                    yield phase.value(line, metric, f"{label} {stat}", shown, STAT_NAMES[stat])
                else:
                    yield Doubt(line, "bad-number", f"{phase.name} {label} {stat}: {raw[:40]!r} is no time")
    elif rest.endswith(" us"):
        for share, open_end, raw in _PERCENTILE.findall(body):
            if open_end:
                yield Doubt(line, "unmeasured", f"{phase.name} {label}: {share} % lies beyond the histogram")
                continue
            yield phase.value(line, metric, f"{label} {share}%<=", (float(raw) / 1e6, "s", raw, "us"), f"p{share}")
