"""Records of one dd result: its operation, workload parameters and measurements."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Any

from ingest.parsers.copies._dd_batches import CollectedSummary
from ingest.parsers.copies._dd_command import MAX_COMMAND, DdCommandLine, DdInvocation, next_text_line
from ingest.parsers.copies._dd_labels import labelled_block_size, labelled_operation, operation_above, operation_below
from ingest.parsers.copies._dd_output import DdSummary
from ingest.records import NO_PARAMS, Doubt, Found, MissingValue, Value

SizeParams = dict[tuple[int, int | None], dict[str, Any]]  # (bytes, block size) -> workload parameters

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
    if command is None and label is None:
        label, count_lines = _find_heading(lines, collected)
    operation, dd_params = (label or dd.operation, dd.params()) if dd else (label or "transfer", {})
    if command and dd and command.is_concurrent and not label:
        common = command.common_workload()
        if (operation, dd_params) != common:
            yield Doubt(summary.line, "ambiguous", "several dd ran at the same time, and it is unclear which of them printed this")
        operation, dd_params = common
    if operation == "transfer" and not (dd and dd.source and dd.target):
        yield Doubt(summary.line, "no-command", "the output does not show whether this dd read or wrote; recorded as a transfer")
    params = _workload(size_params, summary, dd_params if dd else None, command)
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
    missing = MissingValue(number, "dd", metric, native, "B/s", raw, command.line, reason, params=params)
    missing.implied = implied
    return missing


def _imply_no_sync(
    operation: str, params: dict[str, Any], dd: DdInvocation | None, command: DdCommandLine | None
) -> Mapping[str, int] | None:
    """Set `fsync` to none where a write's command line asks for no synchronisation; the parameter with the command's line."""
    if operation != "write" or dd is None or command is None or dd.damaged or command.is_concurrent:
        return None
    if not {"fsync", "sync_mode", "direct"}.isdisjoint(params):
        return None
    params["fsync"] = "none"
    return {"fsync": command.line}


def _choose_dd(command: DdCommandLine | None, label: str | None) -> DdInvocation | None:
    """The dd that printed a summary: the last one of the labelled operation, else the next in order."""
    if command is None:
        return None
    labelled = next((dd for dd in reversed(command.dds) if dd.operation == label), None) if label else None
    return labelled or command.next_dd()


def _find_heading(lines: Sequence[str], collected: CollectedSummary) -> tuple[str | None, tuple[int, ...]]:
    """The operation named above or below an output, and the lines that the measurement depends on with it."""
    count_lines, line = collected.count_lines, collected.summary.line
    first = min(count_lines, default=line)
    heading = operation_above(lines, first) or operation_below(lines, line)
    if not heading:
        return None, count_lines
    operation, number = heading
    return operation, (*count_lines, number, *range(number + 1, first))


def _workload(
    size_params: SizeParams, summary: DdSummary, dd_params: dict[str, Any] | None, command: DdCommandLine | None
) -> dict[str, Any]:
    """The parameters of a copy; copies of which only sizes are known (`dd_params` is None) share one mapping."""
    size = labelled_block_size(summary.label) if summary.label else None
    block = {"block_size": size} if size else {}
    if dd_params is None:
        return size_params.setdefault((summary.octets, size), {"file_size": summary.octets, **block})
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
        summary.raw_seconds,
        "us" if summary.dialect == "nuttx" else "s",
        summary.line,
        None,
        "sample",
        params,
        NO_PARAMS,
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
        raw,
        unit,
        summary.line,
        None,
        "sample",
        params,
        NO_PARAMS,
        depends=depends,
    )


def _find_labelled_command(commands: Sequence[DdCommandLine], line: int, operation: str) -> DdCommandLine | None:
    """The latest command above a line with a dd of the operation that a label (`W:`) names."""
    end = bisect_right(commands, line, key=attrgetter("line"))
    latest = commands[max(0, end - LABEL_COMMANDS) : end]
    return next((command for command in reversed(latest) if any(dd.operation == operation for dd in command.dds)), None)
