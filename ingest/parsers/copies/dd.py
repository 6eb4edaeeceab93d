"""dd: the summary of every dialect (GNU in any language, BSD, macOS, illumos, BusyBox, toybox, NuttX).

A throughput is bytes / printed seconds; only where the line prints whole bytes per second (BSD) that figure is taken.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from operator import attrgetter
from typing import Any

from ingest.lazy_regex import lazy
from ingest.parsers.copies._dd_batches import CollectedSummary, assign_commands
from ingest.parsers.copies._dd_command import (
    DD_CALL,
    MARGIN,
    MAX_COMMAND,
    DdCommandLine,
    DdInvocation,
    find_finished_job,
    join_wrapped_command,
    next_text_line,
    parse_dd_command,
)
from ingest.parsers.copies._dd_labels import labelled_block_size, labelled_operation, operation_above, operation_below
from ingest.parsers.copies._dd_output import (
    DD_ERROR,
    RECORD_COUNT,
    DdSummary,
    is_summary_like,
    parse_headless_summary,
    parse_summary,
    read_leading_bytes,
)
from ingest.plugin_api import Anchor, Parser, Shape
from ingest.records import NO_PARAMS, Doubt, Value
from ingest.spill.by_line import by_line
from ingest.text.lines import Text

_ANCHOR = lazy(
    r"\d\+\d{1,18}[ \t\u00a0\u202f]|[Bb]/s|bytes/s|[kKMGTPE][Bo]?/[^\W\d]|Infinity|"
    r"transferred in|copied|\(\d[\d.,]* ?[kMGT]i?B|\bdd[ \t]+(?:if|of|bs)="
)
_WRAPPED = lazy(r"(?:^|[\s;|&(`/])g?dd\s*\\?\s*\Z")
_COUNT_BEGUN = lazy(r"\s*\d{1,18}\+?\s*")
_COUNT = lazy(r"\d{1,18}\+\d{1,18} records (?:in|out)")  # what GNU and BSD print in English, alone on its line
_NEAR = 6  # commands among which a label may mean one
_REST = 80  # characters of the second half of a broken summary
_CONTINUES = lazy(r"^\W{0,6}(?:if|of|bs|count|conv)=\S")
# Between one whole output and the next on a line whose breaks were lost.
_SEAM, _FLAT = lazy(r"(?<=[kMGT]B/s)\s+(?=\D)|(?<=bytes/sec\))\s+(?=\S)|(?<=[kMGT]B/s)\s+(?=\d+\+\d+ records in)"), 120
# Several summaries in one line: cells of a table, or what a page put side by side.
_BYTES = lazy(r"\d{3,20} bytes (?=[(tc])")
_CELL = lazy(r"\s*(?:\||<br ?/?>)\s*|(?<=/sec\))(?=\d)|(?<=[kMGT]B/s)[,;]?\s+(?=\d{3,20} bytes )")
_HALF = lazy(r"(?:^|[\s>|*#])(?P<label>\w{1,8}:[ \t])?\d{6,20}(?: (?:b(?:y(?:t(?:es?)?)?)?)?)?\s*\Z")


@dataclass
class _DdScan:
    """Where the scan stands: the dd command in force, and what was printed since the last summary."""

    text: Text
    command: DdCommandLine | None = None
    records: list[int] = field(default_factory=list)
    heard: list[DdCommandLine] = field(default_factory=list)  # every command, in line order
    taken: list[CollectedSummary] = field(default_factory=list)
    doubts: list[Doubt] = field(default_factory=list)
    dangling: list[int] = field(default_factory=list)  # lines of the first counts of copies that show no summary
    bare: dict[tuple[int, int | None], dict[str, Any]] = field(default_factory=dict)  # of copies of which no more is known


def parse(text: Text) -> Iterator[Value | Doubt]:
    """Every finished dd of the text."""
    scan = _DdScan(text)
    lines = text.lines
    for at in text.where(_concerns):
        line = lines[at]
        if _COUNT.fullmatch(line):
            _see_records(scan, at + 1)
        elif len(line) > _FLAT and line.count(" records in") > 1:
            for piece in _SEAM.split(line):
                _see_line(scan, at, piece)
        elif line.count("/s") > 1 and len(_BYTES.findall(line)) > 1:
            for piece in _CELL.split(line):
                _see_line(scan, at, piece)
        else:
            _see_line(scan, at, line)
    _see_end(scan)
    scan.taken = assign_commands(lines, scan.heard, scan.taken)
    judged = (_judge(scan, place, *one) for place, one in enumerate(scan.taken))
    yield from by_line(chain(scan.doubts, chain.from_iterable(judged)))


def _see_line(scan: _DdScan, at: int, line: str) -> None:
    """What one line tells, or one of several outputs that stand on one line."""
    if "=" in line and ("dd" in line or _CONTINUES.match(line)):
        _see_command(scan, at, line)
    counts = RECORD_COUNT.findall(line) if "+" in line else ()
    joined = len(counts) > 1 and "/" in line and is_summary_like(line)  # a log that holds the whole output in one string
    for _ in counts[: 2 if joined else None]:
        _see_records(scan, at + 1)
    if counts and read_leading_bytes(line) is None and ("/" not in line or (DD_CALL.search(line) and not is_summary_like(line))):
        pass
    elif "/" in line or "B" in line or "byte" in line.lower() or "(" in line or "\uff08" in line:
        _see_summary(scan, at + 1, line)
    if "dd: " in line and DD_ERROR.search(line):
        scan.doubts.append(Doubt(at + 1, "failed-run", f"dd reported: {line.strip()[:160]}"))


def _concerns(line: str) -> bool:
    """Whether lines that are alike but for their digits may be of a dd: its command, its counts, its summary, its errors."""
    if "=" in line and (_CONTINUES.match(line) or ("dd" in line and DD_CALL.search(line[:4000]))):
        return True
    counts = "+" in line and RECORD_COUNT.search(line)
    return bool(
        counts or is_summary_like(line) or read_leading_bytes(line) is not None or ("dd: " in line and DD_ERROR.search(line))
    )


def _see_command(scan: _DdScan, at: int, line: str) -> None:
    if _CONTINUES.match(line) and at and _WRAPPED.search(scan.text.lines[at - 1]):
        line = scan.text.lines[at - 1].rstrip().rstrip("\\") + " " + re.sub(r"^\W+", "", line)
    joined, last = join_wrapped_command(scan.text.lines, at, line)
    if found := parse_dd_command(joined, at + 1):
        found.last = last
        if len(scan.records) >= 2:
            _unsummed(scan)
        scan.records = []
        scan.command = found
        scan.heard.append(found)


def _see_records(scan: _DdScan, number: int) -> None:
    if len(scan.records) >= 2:
        _unsummed(scan)
        scan.records = []
    scan.records.append(number)


def _unsummed(scan: _DdScan) -> None:
    """Record counts that no summary followed."""
    scan.dangling.append(scan.records[0])
    if not (scan.command and scan.command.quiet):
        scan.doubts.append(Doubt(scan.records[-1], "unmeasured", "dd printed its records, but no bytes and seconds"))


def _see_summary(scan: _DdScan, number: int, line: str) -> None:
    found = parse_summary(line, number) or _broken(scan.text.lines, number, line) or _without_bytes(scan, number, line)
    if found is None:
        if read_leading_bytes(line) is not None or scan.records or parse_headless_summary(line, number):
            scan.doubts.append(Doubt(number, "cut", "a summary of dd is broken off or mixed with other output in this line"))
            scan.dangling += scan.records[:1]
            scan.records = []
        return
    scan.taken.append(CollectedSummary(found, len(scan.records) >= 2, _in_force(scan, number), tuple(scan.records)))
    scan.records = []


def _broken(lines: Sequence[str], number: int, line: str) -> DdSummary | None:
    """The summary that a mailer broke in two, on this line and the next."""
    octets, below = read_leading_bytes(line), next_text_line(lines, number)
    if octets is None or not below:
        return None
    rest = lines[below - 1].strip(MARGIN)
    if len(rest) > _REST or RECORD_COUNT.search(rest) or parse_summary(rest, number):
        return None
    found = parse_summary(line.rstrip() + " " + rest, number)
    return found if found and found.octets == octets else None


def _without_bytes(scan: _DdScan, number: int, line: str) -> DdSummary | None:
    """A summary that somebody copied without its bytes, where the command tells them and the printed rate agrees."""
    found = parse_headless_summary(line, number) if scan.command else None
    command = _in_force(scan, number) if found else None
    return parse_headless_summary(line, number, command.total) if command and command.total else None


def _see_end(scan: _DdScan) -> None:
    if len(scan.records) >= 2:
        _unsummed(scan)
    elif len(scan.records) == 1 and scan.records[0] >= len(scan.text.lines) - 1:
        scan.doubts.append(Doubt(scan.records[0], "cut", "the output of dd ends before its summary"))
        scan.dangling.append(scan.records[0])
    _see_half(scan, scan.text.lines)


def _see_half(scan: _DdScan, lines: Sequence[str]) -> None:
    """A summary of which nothing but the bytes is there, since the text ends."""
    last = next((n for n in range(len(lines), max(0, len(lines) - 20), -1) if lines[n - 1].strip()), 0)
    half = _HALF.search(lines[last - 1][-100:]) if last else None
    known = scan.taken[-1].found.line if scan.taken else 0
    waits = scan.records or (scan.command and scan.command.last > known and not scan.command.quiet)
    if half and (waits or (half["label"] and scan.taken)) and (not scan.command or last > scan.command.last):
        scan.doubts.append(Doubt(last, "cut", "a summary of dd breaks off in this line"))


def _in_force(scan: _DdScan, number: int) -> DdCommandLine | None:
    """The dd command that a summary belongs to: not one before the prompt whose output holds the summary."""
    command, prompt = scan.command, scan.text.command_for(number)
    if command and prompt and prompt.line > command.line and not command.background:
        command = parse_dd_command(prompt.text, prompt.line)
    return command or find_finished_job(scan.text.lines, number)


def _judge(
    scan: _DdScan,
    place: int,
    found: DdSummary,
    whole: bool,
    command: DdCommandLine | None,
    seen: tuple[int, ...],
    told: tuple[int, ...],
) -> Iterable[Value | Doubt]:
    """What a summary is: a result, a line of progress, or too short to be measured."""
    after = scan.taken[place + 1] if place + 1 < len(scan.taken) else None
    counts = next((line for line in scan.dangling if line > found.line), 0) if scan.dangling else 0
    alone = not whole and counts and not any(line.strip(MARGIN) for line in scan.text.lines[found.line : counts - 1])
    if found.progress or (after and _is_progress(scan.text.lines, found, whole, command, after)):
        return [Doubt(found.line, "progress", "a line of dd's progress; the result comes after it")]
    shown = command is not None and command.progress and not whole and all(dd.total != found.octets for dd in command.dds)
    if not whole and (found.whole_seconds or alone or (shown and (found.may_be_progress or _last(scan.text.lines, found.line)))):
        return [Doubt(found.line, "cut", "only a line of progress is left, dd's result is missing")]
    if not found.seconds or not found.octets:
        said = f"dd printed {found.raw_seconds} s for {found.octets} bytes: no rate can be told"
        return [Doubt(found.line, "zero-time", said)]
    values = _values(scan, found, command, seen, told)
    return chain(values, [Doubt(found.line, "cut", "without its records this may be a line of dd's progress")]) if shown else values


def _last(lines: Sequence[str], number: int) -> bool:
    """Whether nothing follows a line, or no more than the beginning of a count, as where dd was killed or the text is cut."""
    rest = list(islice((line for at in range(number, len(lines)) if (line := lines[at]).strip()), 2))
    return not rest or (len(rest) == 1 and bool(_COUNT_BEGUN.fullmatch(rest[0])))


def _is_progress(
    lines: Sequence[str], found: DdSummary, whole: bool, command: DdCommandLine | None, after: CollectedSummary
) -> bool:
    """A summary without records right before one with records of the same copy (one of their two lines may be damaged);
    or SIGUSR1's, growing, of one single dd."""
    later, later_whole, later_command, counts, _ = after
    grown = later.octets >= found.octets and later.seconds >= found.seconds
    if not grown or not counts or _place(command) != _place(later_command):
        return False
    if whole and command and command.total == found.octets:
        return False  # it had copied all that it was told to
    if not whole:
        between = sum(bool(lines[at].strip()) for at in range(found.line, counts[0] - 1))
        return between <= (not later_whole) and (command is None or not command.loop)
    single = later_whole and command is not None and len(command.dds) == 1 and not command.loop
    return single and later.octets > found.octets and later.seconds > found.seconds


def _place(command: DdCommandLine | None) -> tuple[int, str]:
    return (command.line, command.text) if command else (0, "")


def _values(
    scan: _DdScan, found: DdSummary, command: DdCommandLine | None, seen: tuple[int, ...], beside: tuple[int, ...]
) -> Iterator[Value | Doubt]:
    told = labelled_operation(found.label) if found.label else None
    command = _of_label(scan, found.line, told) if told else command
    dd = next((dd for dd in reversed(command.dds) if dd.operation == told), None) if command and told else None
    dd = dd or (command.next() if command else None)
    lines = scan.text.lines
    if (
        command is None
        and told is None
        and (named := operation_above(lines, min(seen, default=found.line)) or operation_below(lines, found.line))
    ):
        told, seen = named[0], (*seen, named[1], *range(named[1] + 1, min(seen, default=found.line)))
    operation, of_dd = (told or dd.operation, dd.params()) if dd else (told or "transfer", {})
    if command and dd and command.together and not told:
        if (operation, of_dd) != (alike := command.alike()):
            yield Doubt(
                found.line, "ambiguous", "dds that ran at the same time differ, and nothing tells which of them printed this"
            )
        operation, of_dd = alike
    if operation == "transfer" and not (dd and dd.source and dd.target):
        yield Doubt(found.line, "no-command", "the output does not tell whether this dd read or wrote; recorded as a transfer")
    if not found.agrees:
        yield Doubt(
            found.line,
            "disagree",
            f"{found.octets} bytes in {found.raw_seconds} are not {found.raw_rate} {found.rate_unit}: "
            + ("the printed rate was taken" if found.exact else "no rate was taken"),
        )
    params = _params(scan, found, dd, of_dd, command)
    if not found.agrees:
        params = {name: value for name, value in params.items() if name != "file_size"}
    yield from _figures(scan, found, command, operation, params, (*seen, *beside) if beside else seen)


def _params(
    scan: _DdScan, found: DdSummary, dd: DdInvocation | None, of_dd: dict[str, Any], command: DdCommandLine | None
) -> dict[str, Any]:
    """The workload of a copy; those of which nothing but the bytes is known share it."""
    size = labelled_block_size(found.label) if found.label else None
    block = {"block_size": size} if size else {}
    if dd is None:
        return scan.bare.setdefault((found.octets, size), {"file_size": found.octets, **block})
    params: dict[str, Any] = {"file_size": found.octets, **block, **of_dd}
    if command:
        params["command"] = command.text[:MAX_COMMAND]
        if command.pipe:
            params["part"] = f"pipe end {(command.given - 1) % 2 + 1}"
    return params


def _figures(
    scan: _DdScan, found: DdSummary, command: DdCommandLine | None, operation: str, params: dict[str, Any], seen: tuple[int, ...]
) -> Iterator[Value]:
    """The seconds and the rate of a summary, each on the line on which it stands."""
    place = beneath = found.line
    line = scan.text.lines[place - 1]
    depends = seen
    if command or found.raw_seconds not in line or found.rate_unit not in line or found.raw_rate not in line:
        beneath = next_text_line(scan.text.lines, found.line)  # the summary was broken: what stands not on its line stands there
        broken = found.raw_seconds not in line or found.rate_unit not in line
        rest = (found.line, beneath) if broken and beneath != found.line else ()
        depends = tuple(dict.fromkeys((*seen, *(range(command.line, command.last + 1) if command else ()), *rest)))
        place = found.line if found.raw_seconds in line or not broken else beneath
    yield Value(
        place,
        "dd",
        f"{operation}.elapsed",
        "seconds",
        found.seconds,
        "s",
        found.raw_seconds,
        "us" if found.dialect == "nuttx" else "s",
        found.line,
        None,
        "sample",
        params,
        NO_PARAMS,
        depends=depends,
    )
    if not found.agrees and not found.exact:
        return  # one of three figures is damaged, and nobody can tell which
    rate = found.rate if found.exact and found.rate is not None else found.octets / found.seconds
    raw, unit = (found.raw_rate, found.rate_unit) if found.rate is not None else (found.raw_seconds, "s")
    yield Value(
        place if raw in line else max(place, beneath),
        "dd",
        f"{operation}.throughput",
        "bytes/sec" if found.exact else "bytes / seconds",
        rate,
        "B/s",
        raw,
        unit,
        found.line,
        None,
        "sample",
        params,
        NO_PARAMS,
        depends=depends,
    )


def _of_label(scan: _DdScan, line: int, told: str) -> DdCommandLine | None:
    """The latest command above a line of the direction that a label (`W:`) tells."""
    end = bisect_right(scan.heard, line, key=attrgetter("line"))
    near = scan.heard[max(0, end - _NEAR) : end]
    return next((one for one in reversed(near) if any(dd.operation == told for dd in one.dds)), None)


PARSER = Parser(
    brief=True,
    name="dd",
    version=17,
    anchor=Anchor(_ANCHOR),
    parse=parse,
    shapes=(
        Shape(
            "GNU summary, any language",
            "coreutils 5.3 to 9",
            "kB, MB = powers of 1000",
            "decimal comma, progress lines, mixed output",
        ),
        Shape(
            "BSD summary",
            "BSD, macOS, illumos, coreutils before 5.3",
            "bytes/sec as printed",
            "progress lines of FreeBSD",
        ),
        Shape("BusyBox and toybox summary", "all", "KB, MB = powers of 1024", "some builds print no summary"),
        Shape("NuttX summary", "all", "microseconds, KB = 1024", ""),
    ),
    source="coreutils src/dd.c and po/, FreeBSD bin/dd/misc.c, BusyBox coreutils/dd.c, toybox dd.c, NuttX nsh_ddcmd.c",
)
