"""Commands of a transcript that were ended before they had a result: killed, interrupted, stopped by timeout(1).

Only where the command shows what it was to measure: the throughput of dd and rsync, the time of a timed command.

Shapes of interrupted (name | versions | units | traps):
    end of a command in a transcript | bash, zsh, ksh, timeout(1) | none: what was to be measured has no value | only dd, rsync
        and timed commands, whose command gives the metric

Source: bash.1 (EXIT STATUS), timeout.1 of GNU coreutils, signal.7
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest.lazy_regex import lazy
from ingest.options import command_params
from ingest.parsers.copies._dd_command import parse_dd_command
from ingest.parsers.copies._dd_records import missing_throughput
from ingest.parsers.copies._timing_command import CRASHED, ENDED, TIMER, parse_timed_command
from ingest.plugin_api import Anchor, Parser
from ingest.records import FAILED, NOT_FINISHED, Doubt, Found, MissingValue
from ingest.text.lines import ShownCommand, Text

_ANCHOR = lazy(
    r"\b(?:Killed|Terminated|Interrupted|Interrupt|Hangup|Aborted|Segmentation fault|Bus error)\b|\^C[ \t]*$"
    r"|timeout: sending signal|(?:status|code|value|exit|exited|return|returned)[^\w\n]{1,3}\d{3}\b|\$\?",
    re.M,
)
# A result, after which nothing is missing.
_RESULT = lazy(r"/s(?:ec)?\b|^\s*(?:real|elapsed)\b|\belapsed\b|\btotal\s*$|\d:\d\d[.,]\d")
_RSYNC = lazy(r"(?:^|[\s;|&(/])rsync\s+[-\w/.~]")
_STATUS_COMMAND = lazy(r"echo\s+[\"']?\$\?")
_STATUS = lazy(r"\s*(124|130|137|143)\s*$")
_MAX_OUTPUT = 2000  # lines of a command that are searched


def parse(text: Text) -> Iterator[Found]:
    """Every such command, in line order."""
    for index, command in enumerate(text.commands):
        following = text.commands[index + 1] if index + 1 < len(text.commands) else None
        ending = _find_ending(text, command, following)
        if ending is None:
            continue
        number, raw, reason = ending
        if missing := _missing(command, number, raw, reason):
            yield missing
            yield Doubt(number, "failed-run", f"{missing.tool} ended without a result: {raw}")


def _find_ending(text: Text, command: ShownCommand, following: ShownCommand | None) -> tuple[int, str, str] | None:
    """Line, text and reason of the end of a command without a result; None where it has one, or nothing shows its end."""
    for number in range(command.first, min(command.last, command.first + _MAX_OUTPUT) + 1):
        line = text.lines[number - 1]
        if _RESULT.search(line):
            return None
        if (match := ENDED.match(line)) or (match := CRASHED.match(line)):
            raw = next(group for group in match.groups() if group)
            return number, raw, FAILED if match.re == CRASHED else NOT_FINISHED
    if following and _STATUS_COMMAND.search(following.text) and following.first <= following.last:
        status = _STATUS.match(text.lines[following.first - 1])
        if status:
            return following.first, status[1], NOT_FINISHED
    return None


def _missing(command: ShownCommand, number: int, raw: str, reason: str) -> MissingValue | None:
    """What the command was to measure; None where it does not tell."""
    if TIMER.search(command.text[:4000]):
        timed = parse_timed_command(command.text, command.line)
        if timed is None:
            return None
        params = {**timed.params, "command": timed.text}
        return MissingValue(
            number, timed.tool, f"{timed.operation}.elapsed", "real", "s", raw, run=command.line, reason=reason, params=params
        )
    dd = parse_dd_command(command.text, command.line)
    if dd:
        return missing_throughput(dd, number, raw, reason)
    if _RSYNC.search(command.text[:4000]):
        params = {**command_params("rsync", command.text), "command": command.text[:400]}
        return MissingValue(
            number, "rsync", "copy.throughput", "bytes/sec", "B/s", raw, run=command.line, reason=reason, params=params
        )
    return None


PARSER = Parser(
    brief=True,
    name="interrupted",
    version=2,
    anchor=Anchor(
        _ANCHOR,
        "killed|terminated|interrupt|hangup|aborted|segmentation fault|bus error|^c|$?|timeout: sending|status|code|"
        "value|exit|return",
    ),
    parse=parse,
)
