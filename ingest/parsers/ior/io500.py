"""The result summary of IO500 (io500.sh and the C application): one line a phase.

`[RESULT] ior-easy-write 169.8 GiB/s : time 342.0 seconds`, and `[      ]` for the phases of the extended mode, which have
no part in the score (io500's main.c). kIOPS are thousands of operations per second. The shell
version prints `GB/s` and means GiB/s: it divides IOR's MiB/s by 1024 (io500-dev, utilities/io500_fixed.sh, print_bw).
Scores are geometric means of the lines above: checked, never recorded.

The first shell version (2017) printed `1/ior-easy-write BW:8117.92 MB/s time: 449s` and `1/md-easy-create IOPs:11575.339
time:349s`: plain operations per second, and IOR's own MB/sec of 10^6 bytes (io_500_core.sh takes them out of `Max Write`);
at the end it lists the same figures again (`bw1=8117.92  ior-easy-write`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from ingest.lazy_regex import lazy
from ingest.parsers.ior import _io500_app, _io500_ini
from ingest.plugin_api import Anchor, Parser, Shape
from ingest.records import Doubt, Value
from ingest.spill.by_line import by_line
from ingest.text.line_wrap import WideLine
from ingest.text.lines import Text

_MARGIN = r"^(?:[^\S\n]|[>|#+])*"
ANCHOR = lazy(
    r"\[(?:RESULT|SCORE)(?:[ -]invalid)? ?\]|\[Result\] +(?:IOR +ior_|mdtest +mdtest_|find[\w-]* +rate:)|"
    rf"{_MARGIN}\d{{1,2}}/(?:ior|md|find)[^\n:]{{0,30}} (?:BW|IOPs):|{_MARGIN}t_delta {{0,16}}=",
    re.M,
)
_VERSION = lazy(r"^[\s>|#+]*IO500 version (\S+)(?: \((\w+)\))?")
_SYSTEM = lazy(r"^[\s>|#+]*System:\s+([A-Za-z][\w.-]{0,62})\s*$")  # the shell version: `echo "System: " $(uname -n)`
_DATE = lazy(r"^[\s>|#+]*date=(\d{4})\.(\d\d)\.(\d\d)-(\d\d)\.(\d\d)\.(\d\d)\s*$")
_RESULT = lazy(
    r"^[\s>|#+]*([^\s>|\[][^\n\[]{0,40})?\[(RESULT(?:-invalid)?| {1,8}) ?\]\s+(?:(?:BW|IOPS)\s+(?:phase \d+\s+)?)?([A-Za-z][\w-]*)"
    r"\s+(\d\S*)\s+([a-zA-Z]\S*)\s*(?::\s*time\s+(\d+(?:\.\d+)?)\s+s(?:econds?)?)?\s*(\[INVALID\])?\s*$",
    re.I,
)
_TIMELESS = lazy(r"\]\s+IOPS\s")  # io-500-score.sh prints no time beside rates
_LIKE = lazy(r"^[\s>|#+]*(?:[^\s>|\[][^\n\[]{0,40})?\[RESULT(?:-invalid)? ?\]\s+\S")
_OPENS = lazy(r"\[(?:RESULT(?:-invalid)?| {1,8}) ?\]\s+[A-Za-z]", re.I)
_FIRST = lazy(
    r"^[\s>|#+]*\d{1,2}/((?:ior|md|find)[a-z-]*)(?: \([a-z ]+\))? (?:BW:\s*(\S+) (MB/s)|IOPs:\s*(\S+)) time:\s*(\d+(?:\.\d+)?)s?$"
)
_AGAIN = lazy(r"^[\s>|#+]*(?:bw|iops)\d{1,2}=(\S+)\s+((?:ior|md|find)[a-z-]*)")
_SCORE = lazy(r"^[\s>|#+]*\[SCORE(?:[ -]invalid)? ?\]\s+Bandwidth\s+(\S+)\s+Gi?B/s\s*:\s*IOPS\s+(\S+)\s+kiops", re.I)
_CLOCK = lazy(r"\d:\d\d")
_NUMBER = lazy(r"\d+(?:\.\d+)?\Z")
_UNITS = {
    "gib/s": ("throughput", 2**30, "B/s", "GiB/s"),
    "gb/s": ("throughput", 2**30, "B/s", "GiB/s"),
    "mb/s": ("throughput", 10**6, "B/s", "MB/s"),
    "iops": ("rate", 1, "1/s", "ops/s"),
    "kiops": ("rate", 1000, "1/s", "kops/s"),
}
_MDTEST = {"write": "file_create", "create": "file_create", "stat": "file_stat", "read": "file_read", "delete": "file_remove"}
_WORKBENCH = {"create": "file_create", "delete": "file_remove", "bench": "mixed"}


@dataclass(slots=True)
class _Run:
    version: str | None = None
    mode: str | None = None
    start: int = 0
    depends: tuple[int, ...] = ()
    bandwidths: list[float] = field(default_factory=list)
    rates: list[float] = field(default_factory=list)
    mislabelled: bool = False
    labelled: bool = False
    started: str | None = None
    told: dict[str, tuple[str, int]] = field(default_factory=dict)
    lines: dict[tuple[str, str, str], tuple[int, int]] = field(default_factory=dict)
    shown: dict[str, Value] = field(default_factory=dict)  # what the version of 2017 lists again at its end


def operation(phase: str) -> str | None:
    """The operation of a phase's name, with hyphens or underscores; None where the phase is not known."""
    words = phase.lower().replace("_", "-").split("-")
    if words[0] == "ior" and words[-1] in ("write", "read"):
        return f"random_{words[-1]}" if any(word.startswith(("rnd", "rand")) for word in words) else words[-1]
    if words == ["md", "real", "io"]:
        return "mixed"
    if words[0] in ("mdtest", "md"):
        return _MDTEST.get(words[-1])
    if words[0] == "mdworkbench":
        return _WORKBENCH.get(words[1].rstrip("0123456789") if len(words) > 1 else "")
    return "list" if words[0] == "find" else None


def parse(text: Text) -> Iterator[Value | Doubt]:
    """Throughput or rate and time of every phase, in line order."""
    return by_line(chain(_summary(text), _io500_ini.parse(text, operation), _io500_app.parse(text, operation)))


def _summary(text: Text) -> Iterator[Value | Doubt]:
    """The lines of the summary."""
    run = _Run()
    for number, line in enumerate(text.lines, 1):
        line = line.rstrip(" \t|") if line.endswith("|") else line.rstrip()  # a cell of somebody's table
        if version := _VERSION.match(line):
            run = _Run(version[1], version[2], number, (number,))
        elif host := _SYSTEM.match(line):
            run = _Run(depends=(number,), told={"host": (host[1], number)})
        elif (date := _DATE.match(line)) and run.told and not run.start:
            run.started, run.depends = "{}-{}-{}T{}:{}:{}".format(*date.groups()), (*run.depends, number)
        elif "[" in line and (found := _result(line, *_after(text.lines, number))):
            if run.start and run.labelled != bool(found[0][1]):
                run = _Run()  # lines that a person collected and named are of no run above them
            run.start, run.labelled = run.start or number, bool(found[0][1])
            yield from _phase(run, found[0], (number, len(line), found[1]))
        elif first := _FIRST.match(line):
            run.start = run.start or number
            yield from _first(run, first, number)
        elif (again := _AGAIN.match(line)) and run.shown:
            yield from _again(run, again[2], again[1], number)
        elif score := _SCORE.match(line):
            yield from _check(run, score, number)
            run = _Run()
        elif _LIKE.match(line):
            yield Doubt(number, "short-row", f"a result line that cannot be read: {line.strip()[:80]!r}")
    if run.start and not run.shown:
        yield Doubt(len(text.lines), "cut", "the line of the scores is missing")


def _after(lines: Sequence[str], number: int) -> tuple[str, int]:
    """The next line that is not empty, of the next two, and its number."""
    for at in (number, number + 1):
        if at < len(lines) and lines[at].strip():
            return lines[at], at + 1
    return "", number


def _result(line: str, after: str, at: int) -> tuple[re.Match[str], int] | None:
    """A line of a phase, which mail may have wrapped into the line `at`; 0 where it is whole."""
    found = _RESULT.match(line)
    if (found is None or found[6] is None) and (found or _OPENS.search(line)) and not _OPENS.search(after):
        joined = _RESULT.match(f"{line} {after.strip(' >|#+')}")
        if joined and joined[6]:
            return joined, at
    return (found, 0) if found else None


def _phase(run: _Run, found: re.Match[str], place: tuple[int, int, int]) -> Iterator[Value | Doubt]:
    """`place`: the line, how long it is, and the one into which it was wrapped (or 0)."""
    number, width, more = place
    label, kind, phase, raw, unit, seconds, late = found.groups()
    invalid = late or "invalid" in kind.lower()
    if phase.lower() == "timestamp":
        return  # makes a file by whose age `find` selects
    name = operation(phase)
    if name is None:
        yield Doubt(number, "unread", f"phase {phase!r} is not known")
        return
    if unit.lower() not in _UNITS:
        yield Doubt(number, "unknown-unit", f"{phase}: {unit[:20]!r}")
        return
    if not _NUMBER.match(raw):
        yield Doubt(number, "bad-number", f"{phase}: {raw[:40]!r} is not a number")
        return
    if not seconds and not _TIMELESS.search(found.string):
        yield Doubt(number, "cut", f"{phase}: the line ends before its time")
    if unit.lower() == "gb/s" and not run.mislabelled:
        run.mislabelled = True
        yield Doubt(number, "mislabelled-unit", "this version prints GB/s and means GiB/s")
    if invalid or float(raw) == 0:
        yield Doubt(
            number,
            "unmeasured" if float(raw) == 0 else "failed-run",
            f"{phase}: IO500 calls the phase invalid" if invalid else f"{phase}: IO500 printed 0",
        )
    quantity, factor, base, meant = _UNITS[unit.lower()]
    at, at_time = (more if more and found.start(group) > width else number for group in (4, 6))
    before = run.lines.get((phase, raw, seconds or ""))
    if float(raw) > 0:
        if kind.strip() and before is None:  # the extended mode's phases have no part in the score
            (run.bandwidths if base == "B/s" else run.rates).append(float(raw))
        value = _value(run, at, (phase, label), (f"{name}.{quantity}", raw, factor, base, meant))
        yield _once(value, before and before[0], more and number)
    if seconds and float(seconds) > 0:
        value = _value(run, at_time, (phase, label), (f"{name}.elapsed", seconds, 1, "s", "s"))
        yield _once(value, before and before[1], more and number)
    run.lines.setdefault((phase, raw, seconds or ""), (at, at_time))


def _once(value: Value, before: int | None, begun: int) -> Value:
    """The shell version prints each line when its phase ends, and all of them again before the score.

    `before`: the line that printed the value already; `begun`: that on which a wrapped line begins, or 0.
    """
    depends = (*value.depends, *(line for line in (begun, before or 0) if line))
    return replace(value, same_as=before, depends=depends) if before or begun else value


def _first(run: _Run, found: re.Match[str], number: int) -> Iterator[Value | Doubt]:
    """A phase as the version of 2017 prints it. A name in place of the figure is a phase that failed."""
    phase, bandwidth, unit, rate, seconds = found.groups()
    name, raw, (quantity, factor, base, meant) = operation(phase), bandwidth or rate, _UNITS[(unit or "iops").lower()]
    if name is None or not _NUMBER.match(raw):
        yield Doubt(number, "unread" if name is None else "bad-number", f"{phase}: {raw[:40]!r}")
        return
    if float(raw) > 0:
        run.shown[phase] = _value(run, number, (phase, None), (f"{name}.{quantity}", raw, factor, base, meant))
        yield run.shown[phase]
    if float(seconds) > 0:
        yield _value(run, number, (phase, None), (f"{name}.elapsed", seconds, 1, "s", "s"))


def _again(run: _Run, phase: str, raw: str, number: int) -> Iterator[Value | Doubt]:
    if phase == "md-real-bw" and _NUMBER.match(raw) and float(raw) > 0:  # stands only here
        yield _value(run, number, (phase, None), ("mixed.throughput", raw, 10**6, "B/s", "MB/s"))
        return
    before = run.shown.get("md-real-io" if phase == "md-real-iops" else phase)
    if before is None or before.raw != raw:
        yield Doubt(number, "unread" if before is None else "disagree", f"{phase}: {raw[:40]} is not among the phases above")
        return
    yield replace(before, line=number, same_as=before.line, depends=(*before.depends, int(before.line)))


def _value(run: _Run, number: int, names: tuple[str, str | None], figure: tuple[str, str, int, str, str]) -> Value:
    """`names`: the phase, and what a person wrote before the line (`O_DIRECT: [RESULT] ...`)."""
    metric, raw, factor, unit, meant = figure
    phase, label = names[0], (names[1] or "").strip(" \t:")
    native = f"{phase} time" if unit == "s" else phase
    told = phase.lower().replace("_", "-")
    params = {"phase": f"{told}, {label}" if label and not _CLOCK.search(label) else told}
    params |= {"mode": run.mode} if run.mode else {}
    return Value(
        line=number,
        tool="io500",
        tool_version=run.version,
        metric=metric,
        native=native,
        value=float(raw) * factor,
        unit=unit,
        raw=raw,
        raw_unit=meant,
        run=run.start,
        params=params,
        told=run.told,
        started_at=run.started,
        depends=run.depends,
    )


def _check(run: _Run, score: re.Match[str], number: int) -> Iterator[Doubt]:
    """The scores against the geometric means of the phases (4 of bandwidth, 8 of rates)."""
    for label, printed, values, count in (("bandwidth", score[1], run.bandwidths, 4), ("IOPS", score[2], run.rates, 8)):
        if not _NUMBER.match(printed):
            yield Doubt(number, "bad-number", f"{label} score: {printed[:40]!r} is not a number")
        elif len(values) == count:
            own = math.exp(sum(math.log(value) for value in values) / count)
            if abs(own - float(printed)) > 0.01 * own:
                yield Doubt(number, "disagree", f"{label} score: {printed} printed, {own:.4g} by the {count} phases")


# Lines wider than many terminals.
_WIDE = (
    WideLine(
        lazy(r"\s*\[(?:RESULT|SCOREX?) ?\] "),
        lazy(
            r"\s*\[RESULT\] [^:\[]*\d\s+[A-Za-z/]+\s: time\s+\d+\.\d+ seconds(?: \[\w+\])?\s*"
            r"|\s*\[SCOREX? ?\] [^\[]*\s: TOTAL \d+\.\d+(?: \[\w+\])?\s*"
        ),
    ),
    WideLine(lazy(r"\[Result\] "), lazy(r"\[Result\] [^()]*\((?:perf at stonewall|scanned) [^()]+\)\s*")),
)

PARSER = Parser(
    wide=_WIDE,
    brief=True,
    name="io500",
    version=11,
    anchor=Anchor(ANCHOR, "[result", "[score", "0/ior", "0/md", "0/find", "t_delta"),
    parse=parse,
    shapes=(
        Shape(
            "result summary",
            "2017 to 2024",
            "GiB/s = 2^30 B/s, kIOPS = 1000/s; the shell version's GB/s is GiB/s, the MB/s of 2017 10^6 B/s",
            "scores are geometric means of the phases and are only checked",
        ),
        Shape(
            "results of io500-app",
            "2017",
            "GiB/s = 2^30 B/s, kiops = 1000/s",
            "all again at the end; figures at the stonewall are a part",
        ),
        Shape("result.txt, a section a phase", "2020 to 2024", "score of ior phases GiB/s, of others kIOPS; t_delta seconds", ""),
    ),
    source="IO500 rules and result_summary.txt of its C application; io500-dev's shell scripts up to 2019",
)
