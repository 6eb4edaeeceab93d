"""Margins: marks or line numbers that all lines of a text begin with because of where it was stored.

A text whose every line begins with one mark is a comment as a whole (of a script, a source file, an added file of a
diff). A text whose lines are numbered went through `cat -n` or `nl` (`%6d`, a tab; nl does not count empty lines), `grep -n`
(POSIX: `%d:`) or bat (`%4d │ `). A hunk of a diff that removes nothing is text after a sign. A single line without the
margin keeps the whole text unchanged, since it may be a prompt, a heading or a column.
"""

from __future__ import annotations

import re

from ingest.lazy_regex import lazy
from ingest.text.commands import find_commands
from ingest.text.lines import LazyLines, Text

_MIN_LINES = 3  # that have the mark or number
_MARK = lazy(r"[ \t]*(?:#(?!\d{1,4} \d+\.\d)|\+|(?://+|;+|--|%+|\*|\||REM|rem)(?=[ \t]|$))", re.M)
_GLUED = "#+"  # marks that need no blank after them
_RULE = r"[ \t]*(?:/\*+|\*+/|[^\w\s]{3,}|```\w*)?[ \t]*$"  # lines that open, close or separate a comment
_PROMPTS = "#%+"  # marks that are prompts too
_CELL = lazy(r"^[^\n|]*\|[^\n]*\|[ \t]*$", re.M)  # a row of a table, which ends in the mark too
_HUNK = lazy(r"^([ \t]*)@@ -\d+(?:,\d+)? \+\d+(?:,(\d{1,9}))? @@[^\n]*$", re.M)  # POSIX, diff -u
_NUMBER = lazy(r"([ \t]*)(\d{1,7})(?:(\t|:| ?[|\u2502] ?|  )|$)", re.M)
_LISTED = lazy(r"^[ \t]*1\.(?: [^\n]*)?\n[ \t]*2\.(?: |$)", re.M)  # lines as items of a list, as browsers copy a paste
_ITEM = lazy(r"[ \t]*(\d{1,6})\.(?: |\Z)")
_MIN_ITEMS = 8  # numbered lines beyond which they are no hand-written list
_CONSECUTIVE_SHARE = 0.8  # of the lines whose number follows that of the line before


def strip_margin(body: str) -> str:
    """The text without the marks or numbers that all its lines begin with; the same object if not all of them do."""
    if "@@ -" in body:
        body = _strip_diff_signs(body)
    if "2. " in body and _LISTED.search(body):
        body = _strip_item_numbers(body)
    once = _strip_one(body)
    return once if once is body else _strip_one(once)  # twice: a comment in an added file of a diff


def _strip_diff_signs(body: str) -> str:
    """The text without the signs before the lines of each diff hunk that removes nothing."""
    lines, first, previous_start = body.split("\n"), 1, 0
    for hunk in _HUNK.finditer(body):
        first, previous_start, indent = first + body.count("\n", previous_start, hunk.start()), hunk.start(), hunk[1]
        hunk_lines = lines[first : first + int(hunk[2] or 1)]
        if all(line.startswith((indent + "+", indent + " ")) or not line.strip() for line in hunk_lines):
            lines[first : first + len(hunk_lines)] = [indent + line[len(indent) + 1 :] for line in hunk_lines]
    return "\n".join(lines)


def _strip_item_numbers(body: str) -> str:
    """The text without the item numbers of sequences of adjacent lines numbered from 1."""
    lines = body.split("\n")
    items = [_ITEM.match(line) for line in lines]
    first = None
    for index, item in enumerate([*items, None]):
        if first is not None and not (item and int(item[1]) == index - first + 1):
            for item_index, listed in enumerate(items[first : index if index - first >= _MIN_ITEMS else first], first):
                lines[item_index] = lines[item_index][listed.end() if listed else 0 :]
            first = None
        if first is None and item and item[1] == "1":
            first = index
    return "\n".join(lines)


def _strip_one(body: str) -> str:
    """The text without its line numbers or its comment mark."""
    start = body.rfind("\n", 0, len(body) - len(body.lstrip())) + 1
    if number := _NUMBER.match(body, start):
        return _strip_numbers(body, number[3] or "")
    rule = re.compile(_RULE, re.M).match(body, start)
    first = _MARK.match(body, rule.end() + 1 if rule and rule.end() > start else start)
    return _strip_mark(body, first[0].strip()) if first else body


def _strip_mark(body: str, mark: str) -> str:
    """The text without the mark, if every line but rules begins with it."""
    escaped = re.escape(mark)
    lookahead = "" if mark in _GLUED else "(?=[ \t]|$)"
    if mark == "|" and _CELL.search(body):
        return body
    if re.search(rf"^(?![ \t]*{escaped}{lookahead}|{_RULE})", body, re.M):
        return body
    marked = re.compile(rf"^(?!{_RULE.replace('```', '')})[ \t]*{escaped}{lookahead} ?|^[ \t]*{escaped}[ \t]*$", re.M)
    if len(marked.findall(body)) < _MIN_LINES:
        return body
    if mark not in _PROMPTS:
        return marked.sub("", body)
    lines = body.split("\n")
    command_lines = {command.line for command in find_commands(Text("", lines, body))}
    return "\n".join([line if number in command_lines else marked.sub("", line) for number, line in enumerate(lines, 1)])


def _strip_numbers(body: str, separator: str) -> str:
    """The text without line numbers: those before a tab or a rule, or right-aligned in six columns; before a colon only if several
    are consecutive.
    """
    last, consecutive, count = None, 0, 0
    stripped: list[str] = []
    for line in LazyLines(body):
        match = _NUMBER.match(line)
        if not match:
            if line.strip():
                return body
            stripped.append("")
            continue
        if match[3] not in (None, separator) or (separator == "  " and match.end(2) != 6):
            return body
        number = int(match[2])
        consecutive, count, last = consecutive + (number - 1 == last), count + 1, number
        stripped.append(line[match.end() :])
    enough = count >= (_MIN_LINES if separator == "\t" else _MIN_LINES + 2)
    return "\n".join(stripped) if enough and separator and consecutive >= (count - 1) * _CONSECUTIVE_SHARE else body
