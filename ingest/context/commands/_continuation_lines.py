"""A command that goes on below a backslash at the end of its line, as one line.

Source: POSIX, Shell Command Language, 2.2.1 (a backslash before a newline joins the lines); the shell prompts for the
rest with PS2, `> ` unless set.
"""

from __future__ import annotations

import re
from bisect import bisect_left

from ingest.lazy_regex import lazy
from ingest.text.lines import Text

_OPEN = lazy(r"(?<!\\)(?:\\\\)*\\[ \t]*\Z")  # a blank behind the backslash is what copies leave there
_PROMPTED = lazy(r"[ \t]*>[ \t]+")
_TAIL = 80  # characters at the end of a line: what is behind a backslash are blanks
_MOST = 200  # lines: pools of many disks have one below the other
_LOST = "$"  # a word that no reader of commands knows: what stood there is not told


def join_continuation(text: Text, line: int, command: str) -> tuple[str, int]:
    """The command that begins on that line, and the last line of it. Where its end is missing, a word stands for that."""
    parts, last = [command], line
    while _OPEN.search(parts[-1][-_TAIL:]):
        parts[-1] = parts[-1].rstrip(" \t")[:-1]
        following = text.lines[last] if last < min(len(text.lines), line + _MOST) else ""
        if not following.strip() or re.match(r"[ \t]*`{3}", following) or _is_another(text, last + 1):
            parts.append(_LOST)
            break
        last += 1
        parts.append(_PROMPTED.sub("", following, count=1).strip())
    return (" ".join(parts), last) if len(parts) > 1 else (command, line)


def _is_another(text: Text, line: int) -> bool:
    """Whether a command of its own stands on that line; what begins with PS2 looks like one."""
    at = bisect_left(text.commands, line, key=lambda command: command.line)
    return at < len(text.commands) and text.commands[at].line == line and text.commands[at].prompt.strip() != ">"
