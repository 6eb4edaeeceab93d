"""The results of dd: which summaries are one, which are progress, and what is missing in place of one."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice

from ingest.lazy_regex import lazy
from ingest.parsers.copies._dd_batches import CollectedSummary
from ingest.parsers.copies._dd_command import MARGIN, DdCommandLine
from ingest.parsers.copies._dd_records import SizeParams, make_records
from ingest.records import ABOVE, BELOW, FAILED, NOT_FINISHED, ZERO_TIME, Doubt, Found, MissingValue, Value
from ingest.text.lines import Text

_NO_RATE = lazy(r"\b(?:[Ii]nfinity|inf|nan)\b|\u221e")
_COUNT_BEGUN = lazy(r"\s*\d{1,18}\+?\s*")


@dataclass
class DdScan:
    """State of reading: the dd command that applies, and what was printed since the last summary."""

    text: Text
    command: DdCommandLine | None = None
    count_lines: list[int] = field(default_factory=list)  # of the record counts since the last summary
    commands: list[DdCommandLine] = field(default_factory=list)  # in line order
    summaries: list[CollectedSummary] = field(default_factory=list)
    doubts: list[Doubt] = field(default_factory=list)
    unfinished: list[int] = field(default_factory=list)  # first count lines of copies without a summary, in line order
    size_params: SizeParams = field(default_factory=dict)
    # The first error below each command, by the line of the command: its line and text.
    errors: dict[int, tuple[int, str, DdCommandLine]] = field(default_factory=dict)
    missing: list[MissingValue] = field(default_factory=list)
    earlier: list[DdCommandLine] = field(default_factory=list)  # the last commands whose summaries are yielded
    shown: list[DdCommandLine] = field(default_factory=list)  # those and `commands`, once for all summaries


def classify(scan: DdScan, position: int) -> Iterable[Found]:
    """The records of the summary at a position: of a result, a progress line or a copy too short to be measured."""
    collected, lines = scan.summaries[position], scan.text.lines
    summary = collected.summary
    following = scan.summaries[position + 1] if position + 1 < len(scan.summaries) else None
    if summary.progress or (following and _is_progress(lines, collected, following)):
        return [Doubt(summary.line, "progress", "a line of dd's progress; the result comes after it")]
    unsure = _may_be_progress(collected)
    if not collected.has_counts and (
        summary.whole_seconds
        or _counts_follow(scan, summary.line)
        or (unsure and (summary.may_be_progress or _is_at_end(lines, summary.line)))
    ):
        doubt = Doubt(summary.line, "cut", "dd's progress is here, but its result is missing")
        return [*_missing(scan, collected, NOT_FINISHED), doubt]
    if not summary.seconds or not summary.octets:
        message = f"dd printed {summary.raw_seconds} s for {summary.octets} bytes, so there is no rate"
        has_failed = collected.command is not None and collected.command.line in scan.errors
        reason = ZERO_TIME if summary.octets else FAILED if has_failed else None
        return [*(_missing(scan, collected, reason) if reason else ()), Doubt(summary.line, "zero-time", message)]
    records = make_records(lines, scan.shown, collected, scan.size_params)
    if unsure:
        return chain(records, [Doubt(summary.line, "cut", "without its records this may be a line of dd's progress")])
    return records


def _missing(scan: DdScan, collected: CollectedSummary, reason: str) -> Iterator[Found]:
    """What a summary would give that is no result, as missing; with its doubts. A time below the last printed digit bounds it."""
    summary = collected.summary
    _, point, decimals = summary.raw_seconds.replace(",", ".").partition(".")
    digit = 10.0 ** -len(decimals) * (1e-6 if summary.dialect == "nuttx" else 1.0) if point and reason == ZERO_TIME else None
    bounds = {} if digit is None else {"s": (digit, BELOW), "B/s": (summary.octets / digit, ABOVE)}
    for record in make_records(scan.text.lines, scan.shown, collected, scan.size_params):
        if isinstance(record, Value) and record.unit == "B/s" and (rate := _NO_RATE.search(scan.text.lines[int(record.line) - 1])):
            record.raw = rate[0]
        yield MissingValue.instead_of(record, reason, *bounds.get(record.unit, ())) if isinstance(record, Value) else record


def _may_be_progress(collected: CollectedSummary) -> bool:
    """Whether the command shows progress, and neither record counts nor the size identify the summary as the result."""
    command = collected.command
    if command is None or not command.shows_progress or collected.has_counts:
        return False
    return all(dd.total != collected.summary.octets for dd in command.dds)


def _counts_follow(scan: DdScan, number: int) -> bool:
    """Whether the next lines with text below a line are record counts without a summary."""
    place = bisect_right(scan.unfinished, number)
    return place < len(scan.unfinished) and not any(
        line.strip(MARGIN) for line in scan.text.lines[number : scan.unfinished[place] - 1]
    )


def _is_at_end(lines: Sequence[str], number: int) -> bool:
    """Whether nothing but an incomplete count follows the line, as where dd was killed or the text is cut."""
    rest = list(islice((line for index in range(number, len(lines)) if (line := lines[index]).strip()), 2))
    return not rest or (len(rest) == 1 and bool(_COUNT_BEGUN.fullmatch(rest[0])))


def _is_progress(lines: Sequence[str], collected: CollectedSummary, following: CollectedSummary) -> bool:
    """Whether the summary is a progress line of the same copy as the following one.

    It has no record counts, and those of the result come right after it (one line in between may be damaged); or it has
    them, as SIGUSR1 prints them, and a single dd then copied more.
    """
    summary, later, command = collected.summary, following.summary, collected.command
    grown = later.octets >= summary.octets and later.seconds >= summary.seconds
    if not grown or not following.count_lines or _command_key(command) != _command_key(following.command):
        return False
    if collected.has_counts and command and command.total == summary.octets:
        return False  # it is complete
    if not collected.has_counts:
        between = sum(bool(lines[index].strip()) for index in range(summary.line, following.count_lines[0] - 1))
        return between <= (not following.has_counts) and (command is None or not command.is_loop)
    single = following.has_counts and command is not None and len(command.dds) == 1 and not command.is_loop
    return single and later.octets > summary.octets and later.seconds > summary.seconds


def _command_key(command: DdCommandLine | None) -> tuple[int, str]:
    return (command.line, command.text) if command else (0, "")
