"""The result summary of IO500 (io500.sh and the C application): one line a phase.

`[RESULT] ior-easy-write 169.8 GiB/s : time 342.0 seconds`, and `[      ]` for the phases of the extended mode, which have
no part in the score (io500's main.c). kIOPS are thousands of operations per second. The shell
version prints `GB/s` and means GiB/s: it divides IOR's MiB/s by 1024 (io500-dev, utilities/io500_fixed.sh, print_bw).
Scores are geometric means of the lines above: checked, never recorded.

The first shell version (2017) printed `1/ior-easy-write BW:8117.92 MB/s time: 449s` and `1/md-easy-create IOPs:11575.339
time:349s`: plain operations per second, and IOR's own MB/sec of 10^6 bytes (io_500_core.sh takes them out of `Max Write`);
at the end it lists the same figures again (`bw1=8117.92  ior-easy-write`).

Shapes of io500 (name | versions | units | traps):
    result summary | 2017 to 2024 | GiB/s = 2^30 B/s, kIOPS = 1000/s; the shell version's GB/s is GiB/s, the MB/s of 2017 10^6
        B/s | scores are geometric means of the phases and are only checked
    results of io500-app | 2017 | GiB/s = 2^30 B/s, kiops = 1000/s | everything is repeated at the end; values at the stonewall
        are parts
    result.txt, a section a phase | 2020 to 2024 | score of ior phases GiB/s, of others kIOPS; t_delta seconds

Source: IO500 rules and result_summary.txt of its C application; io500-dev's shell scripts up to 2019
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import NamedTuple

from ingest.lazy_regex import lazy
from ingest.parsers.ior import _io500_ini
from ingest.plugin_api import Anchor, Parser
from ingest.records import FAILED, ZERO_TIME, Doubt, Found, MissingValue, Value
from ingest.spill import by_line
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
_RATE_ONLY = lazy(r"\]\s+IOPS\s")  # io-500-score.sh prints no time beside rates
_RESULT_LIKE = lazy(r"^[\s>|#+]*(?:[^\s>|\[][^\n\[]{0,40})?\[RESULT(?:-invalid)? ?\]\s+\S")
_RESULT_START = lazy(r"\[(?:RESULT(?:-invalid)?| {1,8}) ?\]\s+[A-Za-z]", re.I)
_RESULT_2017 = lazy(
    r"^[\s>|#+]*\d{1,2}/((?:ior|md|find)[a-z-]*)(?: \([a-z ]+\))? (?:BW:\s*(\S+) (MB/s)|IOPs:\s*(\S+)) time:\s*(\d+(?:\.\d+)?)s?$"
)
_REPEATED_2017 = lazy(r"^[\s>|#+]*(?:bw|iops)\d{1,2}=(\S+)\s+((?:ior|md|find)[a-z-]*)")
_SCORE = lazy(r"^[\s>|#+]*\[SCORE(?:[ -]invalid)? ?\]\s+Bandwidth\s+(\S+)\s+Gi?B/s\s*:\s*IOPS\s+(\S+)\s+kiops", re.I)
_CLOCK = lazy(r"\d:\d\d")
_NUMBER = lazy(r"\d+(?:\.\d+)?\Z")
# The line right above a result: `result (API: MPIIO+collective)`, `### buffered`, `O_DIRECT:`
_ABOVE = lazy(r"[\s>|]*(?:(?:#{1,6}|[*=-]{2,}) *|(?=[^\n]{1,80}[:)][\s*]*\Z))(?P<words>[A-Za-z(][^\n\[\]|]{0,78}?)[\s:*=#-]*\Z")
_NEUTRAL = lazy(
    r"(?i)\b(?:(?:final |the )?(?:results?|output|scores?|summary|numbers?|logs?)"
    r"|(?:run|rep|round|try|test|pass|repetition|trial) ?#?\d{0,3}|api|io500|isc\d*|sc\d*|of|for|with|using|from|in"
    r"|\d{1,3}(?:st|nd|rd|th))\b|\d"
)
_API = lazy(r"\b(POSIX|MPIIO|HDF5|NCMPI|DFS|S3|HDFS|AIO|LIBNFS|CEPHFS|RADOS|GFARM|MMAP|PMDK|BEEGFS)\b")
"""Back ends of IOR (aiori-*.c)."""
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
class _Summary:
    """One summary: its head, and the phases read so far."""

    version: str | None = None
    mode: str | None = None
    start: int = 0
    depends: tuple[int, ...] = ()
    bandwidths: list[float] = field(default_factory=list)
    rates: list[float] = field(default_factory=list)
    is_mislabelled: bool = False  # GB/s was reported
    is_labelled: bool = False  # text of a person stands before the lines
    started: str | None = None
    configuration: dict[str, tuple[str, int]] = field(default_factory=dict)  # configuration key -> value, line
    lines: dict[tuple[str, str, str], tuple[int, int]] = field(default_factory=dict)  # phase, figure, time -> their lines
    above: dict[str, str] = field(default_factory=dict)  # what the line right above the results says of them
    values_2017: dict[str, Value] = field(default_factory=dict)  # by phase; the version of 2017 repeats them at its end


class _Result(NamedTuple):
    """A line of a phase: its match, line and length, and the line of the part that mail wrapped, or 0."""

    match: re.Match[str]
    number: int
    width: int
    wrapped_number: int

    def line_of(self, group: int) -> int:
        """The line on which a group of the match stands."""
        return self.wrapped_number if self.wrapped_number and self.match.start(group) > self.width else self.number


def find_operation(phase: str) -> str | None:
    """The operation of a phase's name, with hyphens or underscores; None where the phase is unknown."""
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


def parse(text: Text) -> Iterator[Found]:
    """Throughput or rate and time of every phase, in line order."""
    app, ini = _io500_ini.app_parse(text, find_operation), _io500_ini.parse(text, find_operation)
    return by_line(chain(_read_summaries(text), ini, app))


def _read_summaries(text: Text) -> Iterator[Found]:
    summary, last = _Summary(), 0
    for number, line in enumerate(text.lines, 1):
        line = line.rstrip(" \t|") if line.endswith("|") else line.rstrip()  # a cell of a Markdown table
        if head := _read_head(summary, line, number):
            summary = head
        elif "[" in line and (result := _find_result(line, number, text.lines)):
            if summary.start and summary.is_labelled != bool(result.match[1]):
                summary = _Summary()  # lines that a person collected and labelled are of no run above them
            _read_above(summary, text.lines, number, last)
            last = number
            summary.start, summary.is_labelled = summary.start or number, bool(result.match[1])
            yield from _read_phase(summary, result)
        elif score := _SCORE.match(line):
            yield from _check_score(summary, score, number)
            summary = _Summary()
        elif _RESULT_LIKE.match(line):
            yield Doubt(number, "short-row", f"a result line that cannot be read: {line.strip()[:80]!r}")
        else:
            yield from _read_line_2017(summary, line, number)
    if summary.start and (summary.version or summary.configuration) and not summary.values_2017:
        yield Doubt(len(text.lines), "cut", "the line with the scores is missing")


def _read_above(summary: _Summary, lines: Sequence[str], number: int, last: int) -> None:
    """What the line above the results says, which holds for those below each other. `last`: the line of the result before."""
    if number - 1 != last:
        above = _ABOVE.match(lines[number - 2]) if number > 1 else None
        summary.above = {}
        if above and number - 1 not in summary.depends:  # the head of the application
            summary.above, summary.depends = _read_label(above["words"]), (*summary.depends, number - 1)
    elif summary.above:
        summary.depends = (*summary.depends, last)  # without the lines between, the label would be of other results


def _read_label(words: str) -> dict[str, str]:
    """The parameters that a label names: the back end of IOR, collective calls; other words as `label`."""
    api = _API.search(words)
    rest = _NEUTRAL.sub(" ", _API.sub(" ", words))
    said = {"api": api[1]} if api else {}
    if api and "collective" in rest:
        said, rest = said | {"ior.collective": "1"}, rest.replace("collective", " ")
    label = " ".join(rest.strip(" ()+,;:.-").split())
    return said | ({"label": label} if label else {})


def _read_head(summary: _Summary, line: str, number: int) -> _Summary | None:
    """The summary that a line of the head begins or belongs to; None where it is another line."""
    if version := _VERSION.match(line):
        return _Summary(version[1], version[2], number, (number,))
    if host := _SYSTEM.match(line):
        return _Summary(depends=(number,), configuration={"host": (host[1], number)})
    date = _DATE.match(line) if summary.configuration and not summary.start else None
    if not date:
        return None
    summary.started, summary.depends = "{}-{}-{}T{}:{}:{}".format(*date.groups()), (*summary.depends, number)
    return summary


def _find_result(line: str, number: int, lines: Sequence[str]) -> _Result | None:
    """The phase on the line, with the part that mail wrapped to the next line that is not empty."""
    match = _RESULT.match(line)
    if (match is None or match[6] is None) and (match or _RESULT_START.search(line)):
        below = next((index for index in (number, number + 1) if index < len(lines) and lines[index].strip()), None)
        rest = "" if below is None else lines[below]
        joined = None if _RESULT_START.search(rest) else _RESULT.match(f"{line} {rest.strip(' >|#+')}")
        if joined and joined[6]:
            return _Result(joined, number, len(line), number if below is None else below + 1)
    return _Result(match, number, len(line), 0) if match else None


def _read_phase(summary: _Summary, result: _Result) -> Iterator[Found]:
    label, kind, phase, raw, unit, seconds, mark = result.match.groups()
    if phase.lower() == "timestamp":
        return  # makes a file by whose age `find` selects
    operation = find_operation(phase)
    if operation is None:
        yield Doubt(result.number, "unread", f"unknown phase {phase!r}")
        return
    if unit.lower() not in _UNITS:
        yield Doubt(result.number, "unknown-unit", f"{phase}: {unit[:20]!r}")
        return
    if not _NUMBER.match(raw):
        yield Doubt(result.number, "bad-number", f"{phase}: {raw[:40]!r} is not a number")
        return
    is_invalid = bool(mark or "invalid" in kind.lower())
    yield from _phase_doubts(summary, result, is_invalid=is_invalid)
    quantity, factor, base_unit, raw_unit = _UNITS[unit.lower()]
    figure_line, time_line = result.line_of(4), result.line_of(6)
    key = (phase, raw, seconds or "")
    first_lines = summary.lines.get(key)
    reason = FAILED if is_invalid else ZERO_TIME
    if float(raw) > 0 and kind.strip() and first_lines is None:  # phases of the extended mode have no part in the score
        (summary.bandwidths if base_unit == "B/s" else summary.rates).append(float(raw))
    value = _make_value(summary, figure_line, (phase, label), (f"{operation}.{quantity}", raw, factor, base_unit, raw_unit))
    value = _mark_repeated(value, first_lines and first_lines[0], result)
    yield value if value.value > 0 else MissingValue.instead_of(value, reason)
    if seconds:
        value = _make_value(summary, time_line, (phase, label), (f"{operation}.elapsed", seconds, 1, "s", "s"))
        value = _mark_repeated(value, first_lines and first_lines[1], result)
        yield value if value.value > 0 else MissingValue.instead_of(value, reason)
    summary.lines.setdefault(key, (figure_line, time_line))


def _phase_doubts(summary: _Summary, result: _Result, *, is_invalid: bool) -> Iterator[Doubt]:
    """Warnings beside the values of a phase."""
    _, _, phase, raw, unit, seconds, _ = result.match.groups()
    if not seconds and not _RATE_ONLY.search(result.match.string):
        yield Doubt(result.number, "cut", f"{phase}: the line ends before its time")
    if unit.lower() == "gb/s" and not summary.is_mislabelled:
        summary.is_mislabelled = True
        yield Doubt(result.number, "mislabelled-unit", "this version prints GB/s and means GiB/s")
    if is_invalid or float(raw) == 0:
        yield Doubt(
            result.number,
            "unmeasured" if float(raw) == 0 else "failed-run",
            f"{phase}: IO500 marks the phase as invalid" if is_invalid else f"{phase}: IO500 printed 0",
        )


def _mark_repeated(value: Value, first_line: int | None, result: _Result) -> Value:
    """The shell version prints each line when its phase ends, and all of them again before the score.

    `first_line`: the line that printed the value first, if it is another one.
    """
    if first_line or result.wrapped_number:
        begin = result.number if result.wrapped_number else 0
        value.same_as = first_line
        value.depends = (*value.depends, *(line for line in (begin, first_line or 0) if line))
    return value


def _read_line_2017(summary: _Summary, line: str, number: int) -> Iterator[Found]:
    """A line of the version of 2017: a phase, or one of the list at the end."""
    if result := _RESULT_2017.match(line):
        summary.start = summary.start or number
        yield from _read_phase_2017(summary, result, number)
    elif summary.values_2017 and (repeated := _REPEATED_2017.match(line)):
        yield from _read_repeated_2017(summary, repeated[2], repeated[1], number)


def _read_phase_2017(summary: _Summary, result: re.Match[str], number: int) -> Iterator[Found]:
    """Of a phase that failed a name stands in place of the figure."""
    phase, bandwidth, unit, rate, seconds = result.groups()
    operation, raw = find_operation(phase), bandwidth or rate
    quantity, factor, base_unit, raw_unit = _UNITS[(unit or "iops").lower()]
    if operation is None:
        yield Doubt(number, "unread", f"{phase}: {raw[:40]!r}")
        return
    is_number = _NUMBER.match(raw) is not None
    value = _make_value(
        summary, number, (phase, None), (f"{operation}.{quantity}", raw if is_number else "0", factor, base_unit, raw_unit)
    )
    if not value.value:
        value.raw = raw
        yield MissingValue.instead_of(value, ZERO_TIME if is_number else FAILED)
        yield Doubt(number, "unmeasured" if is_number else "bad-number", f"{phase}: {raw[:40]!r}")
        if not is_number:
            return
    else:
        summary.values_2017[phase] = value
        yield value
    if float(seconds) > 0:
        yield _make_value(summary, number, (phase, None), (f"{operation}.elapsed", seconds, 1, "s", "s"))


def _read_repeated_2017(summary: _Summary, phase: str, raw: str, number: int) -> Iterator[Found]:
    if phase == "md-real-bw" and _NUMBER.match(raw) and float(raw) > 0:  # stands only here
        yield _make_value(summary, number, (phase, None), ("mixed.throughput", raw, 10**6, "B/s", "MB/s"))
        return
    first = summary.values_2017.get("md-real-io" if phase == "md-real-iops" else phase)
    if first is None or first.raw != raw:
        yield Doubt(number, "unread" if first is None else "disagree", f"{phase}: {raw[:40]} is not among the phases above")
        return
    yield replace(first, line=number, same_as=first.line, depends=(*first.depends, int(first.line)))


def _make_value(summary: _Summary, number: int, names: tuple[str, str | None], figure: tuple[str, str, int, str, str]) -> Value:
    """`names`: the phase, and the text of a person before the line (`O_DIRECT: [RESULT] ...`)."""
    metric, raw, factor, unit, raw_unit = figure
    phase, label = names[0], (names[1] or "").strip(" \t:")
    native = f"{phase} time" if unit == "s" else phase
    name = phase.lower().replace("_", "-")
    params = {"phase": f"{name}, {label}" if label and not _CLOCK.search(label) else name}
    said = dict(summary.above)
    if above := said.pop("label", ""):
        params["phase"] += f", {above}"
    params |= said if phase.lower().startswith("ior") else {}
    params |= {"mode": summary.mode} if summary.mode else {}
    return Value(
        line=number,
        tool="io500",
        tool_version=summary.version,
        metric=metric,
        native=native,
        value=float(raw) * factor,
        unit=unit,
        raw=raw,
        raw_unit=raw_unit,
        run=summary.start,
        params=params,
        printed_config=summary.configuration,
        started_at=summary.started,
        depends=summary.depends,
    )


def _check_score(summary: _Summary, score: re.Match[str], number: int) -> Iterator[Doubt]:
    """The scores against the geometric means of the phases (4 of bandwidth, 8 of rates)."""
    expected = (("bandwidth", score[1], summary.bandwidths, 4), ("IOPS", score[2], summary.rates, 8))
    for label, printed, values, count in expected:
        if not _NUMBER.match(printed):
            yield Doubt(number, "bad-number", f"{label} score: {printed[:40]!r} is not a number")
        elif len(values) == count:
            mean = math.exp(sum(math.log(value) for value in values) / count)
            if abs(mean - float(printed)) > 0.01 * mean:
                yield Doubt(number, "disagree", f"{label} score: {printed} printed, {mean:.4g} by the {count} phases")


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
    wide=_WIDE, brief=True, name="io500", version=14, anchor=Anchor(ANCHOR, "[result|[score|0/ior|0/md|0/find|t_delta"), parse=parse
)
