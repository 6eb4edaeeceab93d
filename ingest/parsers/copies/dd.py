"""dd: the summary of every dialect (GNU in any language, BSD, macOS, illumos, BusyBox, toybox, NuttX).

Throughput is bytes / printed seconds, or the printed rate where that is in whole bytes per second (BSD).

Shapes of dd (name | versions | units | traps):
    GNU summary, any language | coreutils 5.3 to 9 | kB, MB = powers of 1000 | decimal comma, progress lines, mixed output
    BSD summary | BSD, macOS, illumos, coreutils before 5.3 | bytes/sec as printed | progress lines of FreeBSD
    BusyBox and toybox summary | all | KB, MB = powers of 1024 | some builds print no summary
    NuttX summary | all | microseconds, KB = 1024

Source: coreutils src/dd.c and po/, FreeBSD bin/dd/misc.c, BusyBox coreutils/dd.c, toybox dd.c, NuttX nsh_ddcmd.c
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain

from ingest.lazy_regex import lazy
from ingest.parsers.copies._dd_command import (
    DD_CALL,
    MARGIN,
    DdCommandLine,
    find_finished_job,
    join_wrapped_command,
    next_text_line,
    parse_dd_command,
    read_command_line,
)
from ingest.parsers.copies._dd_output import (
    BYTE_WORDS,
    DD_ERROR,
    RECORD_COUNT,
    CollectedSummary,
    DdSummary,
    assign_commands,
    find_output,
    find_torn_bytes,
    is_summary_like,
    parse_headless_summary,
    parse_summary,
    read_leading_bytes,
)
from ingest.parsers.copies._dd_records import LABEL_COMMANDS, DdScan, classify, missing_throughput
from ingest.plugin_api import Anchor, CommandReader, Parser
from ingest.records import FAILED, NOT_FINISHED, Doubt, Found
from ingest.spill import by_line
from ingest.text.lines import Text

_ANCHOR = lazy(
    r"\d\+\d{1,18}[ \t\u00a0\u202f]|[Bb]/s|bytes/s|[kKMGTPE][Bo]?/[^\W\d]|Infinity|"
    r"transferred in|copied|\(\d[\d.,]* ?[kMGT]i?B|\bdd[ \t]+(?:if|of|bs)="
)
_ENDS_IN_DD = lazy(r"(?:^|[\s;|&(`/])g?dd\s*\\?\s*\Z")
_BEFORE_OUTPUT = lazy(r"(?:\s*[-=]{1,4}>|[\s:;,|]{1,80})\s*\Z")  # what a person puts between a command and its output
_COUNT = lazy(r"\d{1,18}\+\d{1,18} records (?:in|out)")  # what GNU and BSD print in English, alone on its line
_BATCH = 4000  # summaries of finished commands that are held
_MAX_SECOND_HALF = 80  # characters of the second line of a broken summary
_BROKEN_NUMBER = lazy(r"[\d.,][\d.,]")  # the last character of a line and the first one of the next: on neither is all of it
_CONTINUES = lazy(r"^\W{0,6}(?:if|of|bs|count|conv)=\S")
# Between complete outputs on one line of at least so many characters, whose line feeds were lost.
_SEAM, _MIN_FLATTENED = lazy(r"(?<=[kMGT]B/s)\s+(?=\D)|(?<=bytes/sec\))\s+(?=\S)|(?<=[kMGT]B/s)\s+(?=\d+\+\d+ [^\W\d])"), 120
# Several summaries in one line: cells of a table or columns of a page.
_BYTES = lazy(rf"\d{{3,20}} (?:{BYTE_WORDS}) (?=[(\uff08tc])", re.I)
_CELL = lazy(rf"\s*(?:\||<br ?/?>)\s*|(?<=/sec\))(?=\d)|(?<=[kMGT]B/s)[,;]?\s+(?=\d{{3,20}} (?:{BYTE_WORDS}) )", re.I)
_CUT_SUMMARY = lazy(r"(?:^|[\s>|*#])(?P<label>\w{1,8}:[ \t])?\d{6,20}(?: (?:b(?:y(?:t(?:es?)?)?)?)?)?\s*\Z")


def parse(text: Text) -> Iterator[Found]:
    """Every finished dd of the text, in line order."""
    scan = DdScan(text)
    lines = text.lines
    for index in text.find_lines(_is_relevant):
        line = lines[index]
        if _COUNT.fullmatch(line):
            _add_count(scan, index + 1)
        elif len(line) > _MIN_FLATTENED and line.count("+") > 3 and len(RECORD_COUNT.findall(line)) > 3:
            for output in _SEAM.split(line):
                _read_line(scan, index, output, is_part=True)
        elif line.count("/s") > 1 and len(_BYTES.findall(line)) > 1:
            for cell in _CELL.split(line):
                _read_line(scan, index, cell, is_part=True)
        else:
            _read_line(scan, index, line)
        if len(scan.summaries) >= _BATCH and _has_begun_anew(scan):
            begun = scan.commands.pop()
            yield from _records(scan)
            scan.earlier = [*scan.earlier, *scan.commands][-LABEL_COMMANDS:]
            scan.commands = [begun]
            for finished in (scan.summaries, scan.doubts, scan.missing, scan.unfinished):
                finished.clear()
            scan.errors.clear()
    _finish(scan)
    yield from _records(scan)


def _has_begun_anew(scan: DdScan) -> bool:
    """Whether the last line read is a command, nothing below which can change what the summaries above it are."""
    command, last = scan.command, scan.summaries[-1]
    if command is None or not scan.commands or command is not scan.commands[-1] or last.summary.line >= command.line:
        return False
    is_reported = command.line in scan.errors or (scan.doubts and int(scan.doubts[-1].line) >= command.line)
    return last.command is not None and last.has_counts and not scan.count_lines and not is_reported


def _records(scan: DdScan) -> Iterator[Found]:
    scan.summaries = assign_commands(scan.text.lines, scan.commands, scan.summaries)
    _add_failed(scan)
    scan.shown = scan.earlier + scan.commands
    records = (classify(scan, position) for position in range(len(scan.summaries)))
    yield from by_line(chain(scan.doubts, scan.missing, chain.from_iterable(records)))


def _is_relevant(line: str) -> bool:
    """Whether a line, or one that differs from it in digits only, may belong to dd: command, counts, summary or error."""
    if "=" in line and (_CONTINUES.match(line) or ("dd" in line and DD_CALL.search(line[:4000]))):
        return True
    counts = "+" in line and RECORD_COUNT.search(line)
    return bool(
        counts or is_summary_like(line) or read_leading_bytes(line) is not None or ("dd: " in line and DD_ERROR.search(line))
    )


def _read_line(scan: DdScan, index: int, line: str, is_part: bool = False) -> None:
    """Read `lines[index]`, or one of several outputs on it (`is_part`)."""
    if "=" in line and ("dd" in line or _CONTINUES.match(line)):
        _read_command(scan, index, line)
    counts = RECORD_COUNT.findall(line) if "+" in line else ()
    joined = len(counts) > 1 and "/" in line and is_summary_like(line)  # a log with the complete output in one string
    for _ in counts[: 2 if joined else None]:
        _add_count(scan, index + 1)
    if _may_hold_summary(line, bool(counts)):
        _read_summary(scan, index + 1, line, is_part)
    if "dd: " in line and DD_ERROR.search(line):
        scan.doubts.append(Doubt(index + 1, "failed-run", f"dd reported: {line.strip()[:160]}"))
        if scan.command:
            scan.errors.setdefault(scan.command.line, (index + 1, line.strip()[:160], scan.command))


def _may_hold_summary(line: str, has_counts: bool) -> bool:
    """Whether the line may hold a summary, complete or not, besides a command and record counts."""
    if (
        has_counts
        and read_leading_bytes(line) is None
        and ("/" not in line or (DD_CALL.search(line) and not is_summary_like(line)))
    ):
        return False
    return "/" in line or "B" in line or "byte" in line.lower() or "(" in line or "\uff08" in line


def _read_command(scan: DdScan, index: int, line: str) -> None:
    """Make the command on the line the one that applies to the summaries below."""
    if _CONTINUES.match(line) and index and _ENDS_IN_DD.search(scan.text.lines[index - 1]):
        line = scan.text.lines[index - 1].rstrip().rstrip("\\") + " " + re.sub(r"^\W+", "", line)
    if "+" in line or "/s" in line:
        line = _cut_output(line)
    joined, last = join_wrapped_command(scan.text.lines, index, line)
    if command := parse_dd_command(joined, index + 1):
        command.last_line = last
        _close_counts(scan)
        scan.count_lines = []
        scan.command = command
        scan.commands.append(command)


def _cut_output(line: str) -> str:
    """The line without the output that was joined to its command."""
    call = DD_CALL.search(line)
    start = find_output(line, call.end() if call else 0)
    if start == len(line):
        return line
    mark = _BEFORE_OUTPUT.search(line, max(0, start - 90), start)
    return line[: mark.start() if mark else start]


def _add_count(scan: DdScan, number: int) -> None:
    """Add the line of a record count; a third one belongs to another copy."""
    if len(scan.count_lines) >= 2:
        _close_counts(scan)
        scan.count_lines = []
    scan.count_lines.append(number)


def _close_counts(scan: DdScan) -> None:
    """Report both record counts of a copy without a summary."""
    if len(scan.count_lines) < 2:
        return
    scan.unfinished.append(scan.count_lines[0])
    if not (scan.command and scan.command.is_quiet):
        scan.doubts.append(Doubt(scan.count_lines[-1], "unmeasured", "dd printed its records, but no bytes and seconds"))


def _read_summary(scan: DdScan, number: int, line: str, is_part: bool) -> None:
    """Collect the summary on the line, or report an incomplete one."""
    summary = (
        parse_summary(line, number)
        or _join_broken_summary(scan.text.lines, number, line)
        or _join_torn_bytes(scan.text.lines, number, line)
        or _complete_headless_summary(scan, number, line)
    )
    if summary is None:
        if read_leading_bytes(line) is not None or scan.count_lines or parse_headless_summary(line, number):
            scan.doubts.append(Doubt(number, "cut", "a summary of dd is cut off or mixed with other output on this line"))
            scan.unfinished += scan.count_lines[:1]
            scan.count_lines = []
        return
    command = _find_command(scan, number)
    has_counts, count_lines, printed = len(scan.count_lines) >= 2, tuple(scan.count_lines), line if is_part else ""
    scan.summaries.append(CollectedSummary(summary, has_counts, command, count_lines, printed=printed))
    scan.count_lines = []


def _join_broken_summary(lines: Sequence[str], number: int, line: str) -> DdSummary | None:
    """The summary that mail broke over this line and the next, None where they do not form one."""
    octets, next_number = read_leading_bytes(line), next_text_line(lines, number)
    if octets is None or not next_number:
        return None
    second_half = lines[next_number - 1].strip(MARGIN)
    if len(second_half) > _MAX_SECOND_HALF or RECORD_COUNT.search(second_half) or parse_summary(second_half, number):
        return None
    summary = parse_summary(line.rstrip() + " " + second_half, number)
    if summary is None and not _BROKEN_NUMBER.match(line.rstrip()[-1:] + second_half):  # broken within a word
        summary = parse_summary(line.rstrip() + second_half, number)
    return summary if summary and summary.octets == octets else None


def _join_torn_bytes(lines: Sequence[str], number: int, line: str) -> DdSummary | None:
    """The summary of which this line lacks the bytes, since mail broke it behind them; None where the line above has none."""
    octets = find_torn_bytes(lines[number - 2]) if number > 1 else ""
    summary = parse_summary(f"{octets} {line.strip(MARGIN)}", number - 1) if octets else None
    return summary if summary and summary.agrees else None


def _complete_headless_summary(scan: DdScan, number: int, line: str) -> DdSummary | None:
    """A summary copied without its bytes, where the command gives them and the printed rate agrees."""
    if not scan.command or not parse_headless_summary(line, number):
        return None
    command = _find_command(scan, number)
    return parse_headless_summary(line, number, command.total) if command and command.total else None


def _finish(scan: DdScan) -> None:
    """Report a copy whose output the end of the text cuts off."""
    _close_counts(scan)
    if len(scan.count_lines) == 1 and scan.count_lines[0] >= len(scan.text.lines) - 1:
        number = scan.count_lines[0]
        if scan.command and scan.command.line not in scan.errors:
            _add_missing(scan, scan.command, number, scan.text.lines[number - 1].strip()[:80], NOT_FINISHED)
        scan.doubts.append(Doubt(number, "cut", "the output of dd ends before its summary"))
        scan.unfinished.append(scan.count_lines[0])
    _report_cut_summary(scan, scan.text.lines)


def _add_failed(scan: DdScan) -> None:
    """The missing throughput of each command that reported an error and printed no summary."""
    measured = {collected.command.line for collected in scan.summaries if collected.command}
    for number, error, command in scan.errors.values():
        if command.line not in measured:
            _add_missing(scan, command, number, error, FAILED)


def _add_missing(scan: DdScan, command: DdCommandLine, number: int, raw: str, reason: str) -> None:
    missing = missing_throughput(command, number, raw, reason)
    scan.missing += [missing] if missing else []


def _report_cut_summary(scan: DdScan, lines: Sequence[str]) -> None:
    """Report a summary that ends within its bytes at the end of the text."""
    last = next((n for n in range(len(lines), max(0, len(lines) - 20), -1) if lines[n - 1].strip()), 0)
    cut = _CUT_SUMMARY.search(lines[last - 1][-100:]) if last else None
    latest = scan.summaries[-1].summary.line if scan.summaries else 0
    expected = scan.count_lines or (scan.command and scan.command.last_line > latest and not scan.command.is_quiet)
    if (
        cut
        and (expected or (cut["label"] and (scan.summaries or scan.earlier)))
        and (not scan.command or last > scan.command.last_line)
    ):
        scan.doubts.append(Doubt(last, "cut", "a summary of dd is cut off on this line"))


def _find_command(scan: DdScan, number: int) -> DdCommandLine | None:
    """The dd command of the summary on a line: none before the prompt whose output contains the summary."""
    command, prompt = scan.command, scan.text.command_for(number)
    if command and prompt and prompt.line > command.line and not command.is_background:
        command = parse_dd_command(prompt.text, prompt.line)
    return command or find_finished_job(scan.text.lines, number)


PARSER = Parser(
    commands=CommandReader("dd", ("dd", "gdd"), read_command_line, streams=("stderr",)),
    brief=True,
    name="dd",
    version=22,
    anchor=Anchor(_ANCHOR),
    parse=parse,
)
