"""Runs that printed values and ended in an error: messages of tools beside their results, exit statuses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ingest.keys import ERROR
from ingest.lazy_regex import lazy
from ingest.records import Value
from ingest.run_errors import find_error
from ingest.spill.values import SpilledValues
from ingest.text.lines import Text

_WORDS = (
    "No space left",
    "nput/output error",
    "quota exceeded",
    "ead-only file system",
    "not enough space",
    "Stale file handle",
    "Cannot allocate memory",
    "File too large",
    "rsync error: ",
    " non-zero status ",
    "terminated by signal",
)
_MESSAGE = lazy(  # `dd: error writing '/x': No space left on device`, `Can't write block.: ...`; no prose
    r"(?im)^[ \t>|#*]{0,9}[^\s:]{1,60}(?: [^\s:]{1,40}){0,7}:[^\n]{0,300}?(?P<message>no space left on device|input/output error"
    r"|disk quota exceeded|read-only file system|stale file handle|cannot allocate memory|file too large"
    r"|not enough space on the disk)|^[ \t>|#*]{0,9}(?:rsync error: (?!some files vanished)(?P<rsync>[^\n(]{1,80})"
    r"|command (?:exited with non-zero (?P<status>status \d{1,3})|(?P<signal>terminated by signal \d{1,3})))"
)
_MAX_CHARACTERS = 1 << 20  # of a text, as for titles
_NEAR = 8  # lines from a message to the results of its run
_OTHERS = ("fio", "hdparm")  # has errors of its own; measures one device after another


def mark_failed_runs(values: Sequence[Value], text: Text | None) -> None:
    """Give the values of runs of which the text reports an error its words as a parameter.

    The run is the one whose results follow the message within a few lines, of the same command; else the one before it.
    """
    if text is None or not values or isinstance(values, SpilledValues) or len(text.body) > _MAX_CHARACTERS:
        return
    if not any(word in text.body for word in _WORDS):
        return
    own = [value for value in values if value.tool not in _OTHERS and isinstance(value.line, int)]
    changed: dict[int, tuple[Mapping[str, Any], dict[str, Any]]] = {}
    for line, match in text.matches(_MESSAGE):
        command = text.command_for(line)
        near = [value for value in own if text.command_for(int(value.line)) is command]
        after = [value for value in near if line < int(value.line) <= line + _NEAR]
        before = [value for value in near if int(value.line) < line]
        first = {(value.tool, "timer" in value.params): value for value in reversed(after)}
        runs = {(value.tool, value.run) for value in (first.values() if first else before[-1:])}
        words = find_error(match["message"] or "") or match["rsync"] or match["status"] or match["signal"] or "an error"
        for value in near:
            if (value.tool, value.run) in runs and ERROR not in value.params:
                if id(value.params) not in changed:
                    changed[id(value.params)] = value.params, {**value.params, ERROR: words.strip()}
                value.params = changed[id(value.params)][1]
