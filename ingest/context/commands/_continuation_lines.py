"""Commands continued on the next line after a backslash, joined.

Source: POSIX, Shell Command Language, 2.2.1 (a backslash before a newline joins the lines); the shell prompts for the
rest with PS2, `> ` unless set.
"""

from __future__ import annotations

import re
from bisect import bisect_left

from ingest.lazy_regex import lazy
from ingest.text.lines import Text

_OPEN = lazy(r"(?<!\\)(?:\\\\)*\\[ \t]*\Z")  # copies leave blanks after the backslash
_PROMPTED = lazy(r"[ \t]*>[ \t]+")
_TAIL = 80  # characters at the end of a line that are searched for a backslash and blanks
_MOST = 200  # continuation lines: pools of many disks may have one for each
_MISSING = "$"  # stands for a missing continuation; readers of commands take it for a variable


def join_continuation(text: Text, line: int, command: str) -> tuple[str, int]:
    """(command, number of its last line) of the command on that line; ends with `_MISSING` where its continuation is missing."""
    parts, last = [command], line
    while _OPEN.search(parts[-1][-_TAIL:]):
        parts[-1] = parts[-1].rstrip(" \t")[:-1]
        following = text.lines[last] if last < min(len(text.lines), line + _MOST) else ""
        if not following.strip() or re.match(r"[ \t]*`{3}", following) or _is_another(text, last + 1):
            parts.append(_MISSING)
            break
        last += 1
        parts.append(_PROMPTED.sub("", following, count=1).strip())
    return (" ".join(parts), last) if len(parts) > 1 else (command, line)


def _is_another(text: Text, line: int) -> bool:
    """Whether the line has a prompt other than PS2."""
    index = bisect_left(text.commands, line, key=lambda command: command.line)
    return index < len(text.commands) and text.commands[index].line == line and text.commands[index].prompt.strip() != ">"
