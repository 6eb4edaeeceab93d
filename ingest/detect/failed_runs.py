"""Runs that printed values and ended in an error: messages of tools beside their results, exit statuses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ingest.keys import ERROR
from ingest.lazy_regex import lazy
from ingest.records import Value
from ingest.run_errors import find_error
from ingest.spill import SpilledValues
from ingest.text.lines import Text

_WORDS = (
    "No space left", "nput/output error", "quota exceeded", "ead-only file system", "not enough space", "Stale file handle",
    "Cannot allocate memory", "File too large", "rsync error: ", " non-zero status ", "terminated by signal",
)  # fmt: skip
_MESSAGE = lazy(  # `dd: error writing '/x': No space left on device`, `Can't write block.: ...`; no prose
    r"(?im)^[ \t>|#*]{0,9}[^\s:]{1,60}(?: [^\s:]{1,40}){0,7}:[^\n]{0,300}?(?P<message>no space left on device|input/output error"
    r"|disk quota exceeded|read-only file system|stale file handle|cannot allocate memory|file too large"
    r"|not enough space on the disk)|^[ \t>|#*]{0,9}(?:rsync error: (?!some files vanished)(?P<rsync>[^\n(]{1,80})"
    r"|command (?:exited with non-zero (?P<status>status \d{1,3})|(?P<signal>terminated by signal \d{1,3})))"
)
_MAX_CHARACTERS = 1 << 20  # of a text, as for titles
_NEAR = 8  # lines from a message to the results of its run
_OF_BONNIE, _STEPS = lazy(r"\bCan't (?:write|read|lseek|sync|open)\b"), 40
"""What bonnie++ reports of one of its steps, and lines from the first of them to the results, which it prints at the end."""
_OTHERS = ("fio", "hdparm")  # has errors of its own; measures one device after another


class _Printed(NamedTuple):
    """Where a value stands, the tool and the run that it is of, and whether a timer around that tool printed it."""

    line: int
    run: tuple[str, Any]
    is_timed: bool


class _Failed(NamedTuple):
    """The runs of a command that ended in an error."""

    command: Any
    runs: frozenset[tuple[str, Any]]
    words: str


def mark_failed_runs(values: Sequence[Value], text: Text | None) -> None:
    """Give the values of runs of which the text reports an error its words as a parameter.

    The run is the one whose results follow the message within a few lines, of the same command; else the one before it.
    """
    if text is None or not values or len(text.body) > _MAX_CHARACTERS or not any(word in text.body for word in _WORDS):
        return
    own = [
        _Printed(value.line, (value.tool, value.run), "timer" in value.params)
        for value in values
        if value.tool not in _OTHERS and isinstance(value.line, int)
    ]
    failed: list[_Failed] = []
    for line, match in text.matches(_MESSAGE):
        command = text.command_for(line)
        near = [one for one in own if text.command_for(one.line) is command]
        reach = _STEPS if _OF_BONNIE.search(text.lines[line - 1]) else _NEAR
        after = [one for one in near if line < one.line <= line + reach]
        before = [one for one in near if one.line < line]
        first = {(one.run[0], one.is_timed): one for one in reversed(after)}
        runs = frozenset(one.run for one in (first.values() if first else before[-1:]))
        if reach == _STEPS and first:  # the report, and the same as CSV below
            runs |= {one.run for one in after if one.line <= min(other.line for other in after) + _NEAR}
        words = find_error(match["message"] or "") or match["rsync"] or match["status"] or match["signal"] or "an error"
        failed.append(_Failed(command, runs, words.strip()))
    if failed and isinstance(values, SpilledValues):
        values.change(lambda chunk: _mark(chunk, text, failed))
    elif failed:
        _mark(values, text, failed)


def _mark(values: Sequence[Value], text: Text, failed: Sequence[_Failed]) -> None:
    changed: dict[int, tuple[Mapping[str, Any], dict[str, Any]]] = {}
    every = frozenset[Any]().union(*(one.runs for one in failed))
    for value in values:
        if (value.tool, value.run) not in every or not isinstance(value.line, int) or ERROR in value.params:
            continue
        command = text.command_for(value.line)
        words = next((one.words for one in failed if one.command is command and (value.tool, value.run) in one.runs), "")
        if words:
            if id(value.params) not in changed:
                changed[id(value.params)] = value.params, {**value.params, ERROR: words}
            value.params = changed[id(value.params)][1]
