"""Records of one dd result: its operation, workload parameters and measurements."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from operator import attrgetter
from typing import Any, NamedTuple

from ingest import units
from ingest.lazy_regex import lazy
from ingest.parsers.copies._dd_command import MARGIN, MAX_COMMAND, DdCommandLine, DdInvocation, imply_no_sync, next_text_line
from ingest.parsers.copies._dd_output import CollectedSummary, DdSummary
from ingest.records import ABOVE, BELOW, FAILED, NO_PARAMS, NOT_FINISHED, ZERO_TIME, Doubt, Found, MissingValue, Value
from ingest.text.lines import Text

# Labels before dd's summaries and headings around them that name the operation, read or write.

_WRITE = (
    r"w|writ(?:es?|ing)|schreiben|[\u00e9e]criture|escritura|escrita|scrittura|\u0437\u0430\u043f\u0438\u0441\u044c|\u5199\u5165?"
)
_READ = r"r|read(?:s|ing)?|lesen|lecture|lectura|leitura|lettura|\u0447\u0442\u0435\u043d\u0438\u0435|\u8bfb\u53d6?"
_LABEL = lazy(
    rf"(?i)(?:^|[\s|*>#-])(?:(?P<write>{_WRITE})|(?P<read>{_READ}))(?: (?:speed|test|rate|throughput))?"
    r"\s*(?:\[?\d{1,3}\]?)?\s*[:=,\uff1a]\s*\Z"
)
_SIZED = lazy(r"(?i)(?:^|[\s(,])(?:bs|block ?size)[ =:]{1,3}(\d{1,8}[km]?)\)?\s{0,4}[-:=,]?\s*\Z")
# A line above the output of a script: `Running DD WRITE test...`, `### dd read speed`.
_DD_HEADING = lazy(r"(?i)^[^|=\n]{0,40}\bdd\b[^|=\n]{0,20}\b(?:writ(?:es?|ing)|read(?:s|ing)?)\b")
# A message of a script: `Testing write speeds. Test: 1.`, `Running read test (2/3)`.
_SCRIPT_MESSAGE = lazy(
    r"(?i)^(?:now |\W{1,3} ?)?(?:testing|running|measuring|benchmarking|checking)\b[^|=\n]{0,30}\b"
    r"(?:writ(?:es?|ing)|read(?:s|ing)?) (?:speeds?|performance|rates?|tests?|throughput|benchmark)\b[^|=\n]{0,20}\Z"
)
# A heading or a label on a line of its own: `## Write test`, `**Read**`, `Sequential write:`, `reading it back:`.
_HEADING = lazy(
    r"(?i)^(?:#{1,6} |\*\*|={2,8} |)(?:[\w/()-]+ ){0,4}?(?:(?P<write>writ(?:es?|ing))|(?P<read>read(?:s|ing)?))"
    r"(?:,? [\w/()-]+){0,4}(?P<end>:|\*\*:?|:\*\*| ={2,8}| ?(?:\.{2,3}|\u2026)|)\Z"
)
# A step of a list: `1. Write benchmark without cache`, `[2/4] Read, cold`, `Test 3: write with O_DIRECT`, `b) Read from disk`
_STEP = lazy(
    r"(?i)(?:#{1,6} )?(?:\(?\d{1,2}(?:[.):]|\s?[-\u2013])|\[\d{1,2}(?:/\d{1,2})?\]:?|\(?[a-h][.)]"
    r"|(?:test|step|phase|run|case) ?#?\d{1,2}\s?[-:.)])\s{0,3}(?P<words>[^\s=|][^=|\n]{1,70})\Z"
)
_RUN = r"(?:run|pass|round|try|rep|repetition|iteration|take|test|no|nr|attempt)"
_RUN_NUMBER = lazy(rf"(?i)[ ,(]+(?:{_RUN}\.? ?#?\d{{1,3}}|#\d{{1,3}}|\d{{1,3}} ?/ ?\d{{1,3}})\)?\Z")
# What makes no workload of its own: numbers of runs, and the words that every such label has.
_COMMON = lazy(
    rf"(?i)\b(?:{_RUN}\b[ .#]*\d{{0,3}}|\d{{1,2}}(?:st|nd|rd|th)|first|second|third|fourth|fifth|again|once more|dd|now|then|the"
    r"|an?|of|to|from|speeds?|performance|rates?|throughput|tests|testing|running|measuring|checking|bench(?:mark)?(?:s|ing)?"
    r"|sequential|seq|results?|output|it|back|writ(?:es?|ing)|reads?|reading|files?|data|disk|drive)\b"
    r"|\d{1,3} ?/ ?\d{1,3}|#\d{1,3}|\d+(?: ?[kmgt]i?b?)?\b|[^\w\s]|_"
)
# Storage.sh of PiBenchmarks: `DD Write Speed: 85.3 MB/s`.
_RESULT_LINE = lazy(r"(?i)[ \t>|]*DD (?P<write>write)? ?(?P<read>read)? ?speed: \d")
_MAX_DISTANCE = 3  # blank lines and fences between a heading and the output below it


def labelled_block_size(prefix: str) -> int | None:
    """The block size in bytes named by the text before a summary: `bs 512:`, `bs=4k `, `block size 64K - `."""
    match = _SIZED.search(prefix)
    return units.parse_dd_operand(match[1]) if match else None


def labelled_operation(prefix: str) -> str | None:
    """`write` or `read` as named by the text before a summary (`W:`, `read[2]:`, `write, `, `3. Read, cold:`), else None."""
    match = _LABEL.search(prefix + " ")
    if match:
        return "write" if match["write"] else "read"
    step = _STEP.match(prefix.strip(MARGIN + ":="))
    return _operation_in(step["words"]) if step else None


def _operation_in(words: str) -> str | None:
    """`write` or `read`, whichever alone the words name."""
    lower = words.lower()
    return None if ("writ" in lower) == ("read" in lower) else "write" if "writ" in lower else "read"


def operation_above(lines: Sequence[str], first: int) -> tuple[str, int] | None:
    """`write` or `read` as named by the heading above the output that begins on a 1-based line, and the heading's line."""
    number = first - 1
    for _ in range(_MAX_DISTANCE):
        if number > 1 and (not lines[number - 1].strip(MARGIN) or lines[number - 1].lstrip().startswith("```")):
            number -= 1
    line = lines[number - 1].strip() if number else ""
    operation = _operation_in(line)
    return (operation, number) if operation and _is_heading(line) else None


def operation_below(lines: Sequence[str], last: int) -> tuple[str, int] | None:
    """`write` or `read` as named by the line right below a summary, where a script repeats its result, and that line."""
    match = _RESULT_LINE.match(lines[last]) if last < len(lines) and "peed: " in lines[last] else None
    return ("write" if match["write"] else "read", last + 1) if match and bool(match["write"]) != bool(match["read"]) else None


def _is_heading(line: str) -> bool:
    """Whether a line announces an output: a message of a script, a heading or a label on a line of its own."""
    if ("dd" in line.lower() and _DD_HEADING.match(line)) or _SCRIPT_MESSAGE.match(line):
        return True
    heading = _HEADING.match(line) if len(line) < 60 else None
    return bool((heading and (heading["end"] or line.startswith("#"))) or _STEP.match(line))


def _part_named(heading: str) -> str:
    """What a heading names beside the operation, as a part: `Write benchmark without cache`; '' where that is nothing."""
    words = heading.strip(MARGIN + ":=\u2026.-")
    step = _STEP.match(words)
    words = (step["words"] if step else words).strip(" :.,*-")
    return _RUN_NUMBER.sub("", words).strip(" :,(-") if _COMMON.sub(" ", words).strip() else ""


SizeParams = dict[tuple[int, int | None, str], dict[str, Any]]  # (bytes, block size, part) -> workload parameters

LABEL_COMMANDS = 6  # latest commands to which a label may refer


def make_records(
    lines: Sequence[str], commands: Sequence[DdCommandLine], collected: CollectedSummary, size_params: SizeParams
) -> Iterator[Found]:
    """The doubts and measurements of a result.

    `commands`: every dd command of the text, in line order. `size_params`: the parameters of copies of which only sizes are
    known, by those sizes, to share the mappings; filled here.
    """
    summary, count_lines = collected.summary, collected.count_lines
    label = labelled_operation(summary.label) if summary.label else None
    command = _find_labelled_command(commands, summary.line, label) if label else collected.command
    dd = _choose_dd(command, label)
    part = _part_named(summary.label) if command is None and _STEP.match(summary.label.strip(MARGIN + ":=")) else ""
    if command is None and label is None:
        label, count_lines, part = _find_heading(lines, collected)
    operation, dd_params = (label or dd.operation, dd.params()) if dd else (label or "transfer", {})
    if command and dd and command.is_concurrent and not label:
        common = command.common_workload()
        if (operation, dd_params) != common:
            yield Doubt(summary.line, "ambiguous", "several dd ran at the same time, and it is unclear which of them printed this")
        operation, dd_params = common
    if operation == "transfer" and not (dd and dd.source and dd.target):
        yield Doubt(summary.line, "no-command", "the output does not show whether this dd read or wrote; recorded as a transfer")
    params = _workload(size_params, summary, dd_params if dd else None, command, part)
    if not summary.agrees:
        yield Doubt(
            summary.line,
            "disagree",
            f"{summary.octets} bytes in {summary.raw_seconds} are not {summary.raw_rate} {summary.rate_unit}: "
            + ("the printed rate was used" if summary.exact else "no rate was recorded"),
        )
        params = {name: value for name, value in params.items() if name != "file_size"}
    implied = _imply_no_sync(operation, params, dd, command)
    depends = (*count_lines, *collected.evidence) if collected.evidence else count_lines
    for value in _make_measurements(lines, collected, command, operation, params, depends):
        value.implied = implied
        yield value


def missing_throughput(command: DdCommandLine, number: int, raw: str, reason: str) -> MissingValue | None:
    """What a command without a summary was to measure; None unless it has a single dd that prints one. `raw`: on line `number`."""
    if len(command.dds) != 1 or command.is_loop or command.is_quiet:
        return None
    dd = command.dds[0]
    params: dict[str, Any] = {**dd.params(), "command": command.text[:MAX_COMMAND]}
    implied = _imply_no_sync(dd.operation, params, dd, command)
    metric, native = f"{dd.operation}.throughput", "bytes / seconds"
    missing = MissingValue(number, "dd", metric, native, "B/s", raw, run=command.line, reason=reason, params=params)
    missing.implied = implied
    return missing


def _imply_no_sync(
    operation: str, params: dict[str, Any], dd: DdInvocation | None, command: DdCommandLine | None
) -> Mapping[str, int] | None:
    """Set `fsync` to none where a write's command line asks for no synchronisation; the parameter with the command's line."""
    if dd is None or command is None or command.is_concurrent:
        return None
    return dict.fromkeys(imply_no_sync(operation, params, dd), command.line) or None


def _choose_dd(command: DdCommandLine | None, label: str | None) -> DdInvocation | None:
    """The dd that printed a summary: the last one of the labelled operation, else the next in order."""
    if command is None:
        return None
    labelled = next((dd for dd in reversed(command.dds) if dd.operation == label), None) if label else None
    return labelled or command.next_dd()


class _Heading(NamedTuple):
    """What a heading says of an output: the operation, the lines that the measurement depends on with it, and the part."""

    operation: str | None
    lines: tuple[int, ...]
    part: str


def _find_heading(lines: Sequence[str], collected: CollectedSummary) -> _Heading:
    count_lines, line = collected.count_lines, collected.summary.line
    first = min(count_lines, default=line)
    heading = operation_above(lines, first) or operation_below(lines, line)
    if not heading:
        return _Heading(None, count_lines, "")
    operation, number = heading
    part = _part_named(lines[number - 1]) if number < line else ""
    return _Heading(operation, (*count_lines, number, *range(number + 1, first)), part)


def _workload(
    size_params: SizeParams, summary: DdSummary, dd_params: dict[str, Any] | None, command: DdCommandLine | None, part: str
) -> dict[str, Any]:
    """The parameters of a copy; copies of which only sizes are known (`dd_params` is None) share one mapping."""
    size = labelled_block_size(summary.label) if summary.label else None
    block = {"block_size": size} if size else {}
    if dd_params is None:
        parts = {"part": part} if part else {}
        return size_params.setdefault((summary.octets, size, part), {"file_size": summary.octets, **block, **parts})
    params: dict[str, Any] = {"file_size": summary.octets, **block, **dd_params}
    if command:
        params["command"] = command.text[:MAX_COMMAND]
        if command.is_pipe:
            params["part"] = f"pipe end {(command.printed - 1) % 2 + 1}"
    return params


def _make_measurements(
    lines: Sequence[str],
    collected: CollectedSummary,
    command: DdCommandLine | None,
    operation: str,
    params: dict[str, Any],
    depends: tuple[int, ...],
) -> Iterator[Value]:
    """The elapsed time and the throughput of a summary, each on the line that prints it."""
    summary = collected.summary
    number = next_number = summary.line
    line = collected.printed
    if not (line and summary.raw_seconds in line and summary.rate_unit in line and summary.raw_rate in line):
        line = lines[number - 1]  # with thousands of results on it, searching it for each would take too long
    if command or summary.raw_seconds not in line or summary.rate_unit not in line or summary.raw_rate not in line:
        next_number = next_text_line(lines, summary.line)  # of a broken summary, what is not on its first line
        broken = summary.raw_seconds not in line or summary.rate_unit not in line
        both = (summary.line, next_number) if broken and next_number != summary.line else ()
        command_lines = range(command.line, command.last_line + 1) if command else ()
        depends = tuple(dict.fromkeys((*depends, *command_lines, *both)))
        number = summary.line if summary.raw_seconds in line or not broken else next_number
    yield Value(
        number,
        "dd",
        f"{operation}.elapsed",
        "seconds",
        summary.seconds,
        "s",
        raw=summary.raw_seconds,
        raw_unit="us" if summary.dialect == "nuttx" else "s",
        run=summary.line,
        params=params,
        printed_config=NO_PARAMS,
        depends=depends,
    )
    if not summary.agrees and not summary.exact:
        return  # one of bytes, seconds and rate is damaged, and which is unknown
    rate = summary.rate if summary.exact and summary.rate is not None else summary.octets / (summary.seconds or math.inf)
    raw, unit = (summary.raw_rate, summary.rate_unit) if summary.rate is not None else (summary.raw_seconds, "s")
    yield Value(
        number if raw in line else max(number, next_number),
        "dd",
        f"{operation}.throughput",
        "bytes/sec" if summary.exact else "bytes / seconds",
        rate,
        "B/s",
        raw=raw,
        raw_unit=unit,
        run=summary.line,
        params=params,
        printed_config=NO_PARAMS,
        depends=depends,
    )


def _find_labelled_command(commands: Sequence[DdCommandLine], line: int, operation: str) -> DdCommandLine | None:
    """The latest command above a line with a dd of the operation that a label (`W:`) names."""
    end = bisect_right(commands, line, key=attrgetter("line"))
    latest = commands[max(0, end - LABEL_COMMANDS) : end]
    return next((command for command in reversed(latest) if any(dd.operation == operation for dd in command.dds)), None)


# The results of dd: which summaries are one, which are progress, and what is missing in place of one.

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
