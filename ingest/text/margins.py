"""What stands in front of every line of a text because of where it was kept: a comment's mark, or the lines' own numbers.

A text whose every line begins with one mark is a comment as a whole (of a script, a source file, an added file of a
diff). A text whose lines count on went through `cat -n` or `nl` (`%6d`, a tab; nl does not count empty lines), `grep -n`
(POSIX: `%d:`) or bat (`%4d │ `). A hunk of a diff that takes nothing away is text behind a sign. One line that differs,
and nothing is taken away: what is a prompt, a heading or a column in a part of a text stays what it is.
"""

from __future__ import annotations

import re

from ingest.lazy_regex import lazy
from ingest.text.commands import find_commands
from ingest.text.lines import LazyLines, Text

_LEAST = 3  # so many lines must carry it
_MARK = lazy(r"[ \t]*(?:#(?!\d{1,4} \d+\.\d)|\+|(?://+|;+|--|%+|\*|\||REM|rem)(?=[ \t]|$))", re.M)
_GLUED = "#+"  # marks that people put in front without a blank
_RULE = r"[ \t]*(?:/\*+|\*+/|[^\w\s]{3,}|```\w*)?[ \t]*$"  # lines that open and close a comment, or rule it off
_PROMPTS = "#%+"  # marks that are prompts as well
_CELL = lazy(r"^[^\n|]*\|[^\n]*\|[ \t]*$", re.M)  # a row of a table, which ends in the mark as well
_HUNK = lazy(r"^([ \t]*)@@ -\d+(?:,\d+)? \+\d+(?:,(\d{1,9}))? @@[^\n]*$", re.M)  # POSIX, diff -u
_NUMBER = lazy(r"([ \t]*)(\d{1,7})(?:(\t|:| ?[|\u2502] ?|  )|$)", re.M)
_LISTED = lazy(r"^[ \t]*1\.(?: [^\n]*)?\n[ \t]*2\.(?: |$)", re.M)  # lines as items of a list, as readers of pages give a paste
_ITEM = lazy(r"[ \t]*(\d{1,6})\.(?: |\Z)")
_PASTE = 8  # so many lines make it more than a list that somebody wrote
_COUNTS_ON = 0.8  # share of the lines whose number is that of the line before and one


def strip_margin(body: str) -> str:
    """The text without the marks or numbers that all its lines begin with; the very text where not all of them do."""
    if "@@ -" in body:
        body = _without_signs(body)
    if "2. " in body and _LISTED.search(body):
        body = _without_items(body)
    once = _without_one(body)
    return once if once is body else _without_one(once)  # a comment in an added file of a diff


def _without_signs(body: str) -> str:
    """Without the signs before the lines that a diff adds or shows, in each hunk that takes none away."""
    lines, first, before = body.split("\n"), 1, 0
    for hunk in _HUNK.finditer(body):
        first, before, indent = first + body.count("\n", before, hunk.start()), hunk.start(), hunk[1]
        new = lines[first : first + int(hunk[2] or 1)]
        if all(line.startswith((indent + "+", indent + " ")) or not line.strip() for line in new):
            lines[first : first + len(new)] = [indent + line[len(indent) + 1 :] for line in new]
    return "\n".join(lines)


def _without_items(body: str) -> str:
    """Without the numbers of neighbouring lines that count on from one; what stands around them stays."""
    lines = body.split("\n")
    found = [_ITEM.match(line) for line in lines]
    first = None
    for at, item in enumerate([*found, None]):
        if first is not None and not (item and int(item[1]) == at - first + 1):
            for place, one in enumerate(found[first : at if at - first >= _PASTE else first], first):
                lines[place] = lines[place][one.end() if one else 0 :]
            first = None
        if first is None and item and item[1] == "1":
            first = at
    return "\n".join(lines)


def _without_one(body: str) -> str:
    start = body.rfind("\n", 0, len(body) - len(body.lstrip())) + 1
    if found := _NUMBER.match(body, start):
        return _without_numbers(body, found[3] or "")
    opened = re.compile(_RULE, re.M).match(body, start)
    first = _MARK.match(body, opened.end() + 1 if opened and opened.end() > start else start)
    return _without_marks(body, first[0].strip()) if first else body


def _without_marks(body: str, mark: str) -> str:
    written = re.escape(mark)
    ends = "" if mark in _GLUED else "(?=[ \t]|$)"
    if mark == "|" and _CELL.search(body):
        return body
    if re.search(rf"^(?![ \t]*{written}{ends}|{_RULE})", body, re.M):
        return body
    marked = re.compile(rf"^(?!{_RULE.replace('```', '')})[ \t]*{written}{ends} ?|^[ \t]*{written}[ \t]*$", re.M)
    if len(marked.findall(body)) < _LEAST:
        return body
    if mark not in _PROMPTS:
        return marked.sub("", body)
    lines = body.split("\n")
    kept = {command.line for command in find_commands(Text("", lines, body))}
    return "\n".join([line if at in kept else marked.sub("", line) for at, line in enumerate(lines, 1)])


def _without_numbers(body: str, between: str) -> str:
    """Numbers before a tab or a rule, or right-aligned in six columns; before a colon where several lines count on."""
    last, steps, count = None, 0, 0
    out: list[str] = []
    for line in LazyLines(body):
        found = _NUMBER.match(line)
        if not found:
            if line.strip():
                return body
            out.append("")
            continue
        if found[3] not in (None, between) or (between == "  " and found.end(2) != 6):
            return body
        number = int(found[2])
        steps, count, last = steps + (number - 1 == last), count + 1, number
        out.append(line[found.end() :])
    enough = count >= (_LEAST if between == "\t" else _LEAST + 2)
    return "\n".join(out) if enough and between and steps >= (count - 1) * _COUNTS_ON else body
