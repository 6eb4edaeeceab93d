"""Markup of web pages, boards and converters around or inside the lines of an output: tags, emphasis, quotes, backslashes.

HTML and its inline tags, BBCode's tags (if both the opening and closing one occur), emphasis around whole lines, quoted
strings as spreadsheets, JSON and YAML write them, rules of a box, and the backslashes of converters to Markdown
(CommonMark 0.31, 2.4).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from ingest.lazy_regex import lazy
from ingest.text.commands import find_commands
from ingest.text.lines import LazyLines, Text

# Margins: marks or line numbers that all lines of a text begin with because of where it was stored.
#
# A text whose every line begins with one mark is a comment as a whole (of a script, a source file, an added file of a diff). A
# text whose lines are numbered went through `cat -n` or `nl` (`%6d`, a tab; nl does not count empty lines), `grep -n` (POSIX:
# `%d:`) or bat (`%4d │ `). A hunk of a diff that removes nothing is text after a sign. A single line without the margin keeps
# the whole text unchanged, since it may be a prompt, a heading or a column.

_MARGIN_MIN_LINES = 3  # that have the mark or number
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
    if len(marked.findall(body)) < _MARGIN_MIN_LINES:
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
    enough = count >= (_MARGIN_MIN_LINES if separator == "\t" else _MARGIN_MIN_LINES + 2)
    return "\n".join(stripped) if enough and separator and consecutive >= (count - 1) * _CONSECUTIVE_SHARE else body


_MIN_LINES = 3  # adjacent lines that have the markup
_MIN_ESCAPES = 8  # escaped characters of one line that indicate a converter: a rule of hyphens, bonnie's plus signs
_STRING_SHARE = 0.6  # of the lines that must be strings: programs quote words too (iozone's report)
_AROUND = r"pre|code|tt|samp|kbd|p|div|li|dd|dt|blockquote|source|syntaxhighlight|nowiki|file|system-out|stdout|body"
_INLINE = r"span|font|b|i|u|strong|em|small|big|nobr|wbr|mark|tt|kbd|o:p"
_OPENS = lazy(rf"(?i)\A\s*(?:<(?!t[dhr]\b)[a-z][^<>]{{0,200}}>)*(?:<(?:{_AROUND})(?:\s[^<>]{{0,200}})?>|<!\[CDATA\[)+")
_CLOSES = lazy(rf"(?i)(?:\s*(?:\]\]>|<(?:/?br\s*/?|/(?:{_AROUND}))>))+\s*\Z")
_WITHIN = lazy(rf"(?i)<(?:(?:{_INLINE})(?:\s[^<>]{{0,200}})?|/(?:{_INLINE}))/?>")
_PAGE = lazy(rf"(?i)<(?:/?br ?/?|/(?:{_AROUND}|{_INLINE}))>")
# The beginning of a block of Textile, Trac and Jira.
_BLOCK = lazy(r"\A(?:bc\.\.?|pre\.\.?|\{\{\{(?:#!\w+)?|\{(?:code|noformat)(?::[^{}\n]{0,120})?\})[ \t]*(?=\S)")
_BOARD = lazy(r"(?i)\[/(b|i|u|tt|font|color|size|indent|center|left|mono|highlight|spoiler|list|icode|c)\]")
_ESCAPED = lazy(r"\\([-_*#+|<>.\[\]()!=~`{}&^$:])")
_CERTAIN_ESCAPE = lazy(r"\\[-_*+#|\[\]<>]")
_UNDERSCORE = lazy(r"(?<=\w)\\_(?=\w)")
_WINDOWS = lazy(r"\b[A-Z]:\\")
_BOLD = lazy(r"(?<![\w*])(?:\*{2,3}(\d[^*\n]{0,40}?)\*{2,4}|\*(\d[\d.,]* ?[kKMGT]i?B/s(?:ec)?)\*)(?![\w*])")
# A command in bold after its prompt, or together with it.
_TYPED = lazy(r"(\S[#$%] |\A\s*\$ )\*\*([a-z./][^*\n]{2,300})\*\*\s*\Z|\A(\s*)\*\*(\$ [a-z./][^*\n]{2,300})\*\*\s*\Z")
_BROKEN = lazy(r"[^\s\\]\\\Z")
STRING = lazy(r"""\s*(?:- )?(?:"((?:[^"\\\n]|\\.|"")*)"|'((?:[^'\\\n]|\\.|'')*)')[,;]?\s*\Z""")
_SIGN = lazy(r"""\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[tr"'\\/])""")
_STYLED = lazy(r"\x1b\[[0-?]*[ -/]*[@-~]")  # inside strings; `ingest.text.decode` removes all others
_CELLS = lazy(r'(?<!")"[,;\t]"(?!")')  # several cells in a row: a table
# A gist copied from its page, a table of one line a row: each line ends in empty cells.
_GIST = lazy(r"([ \t]*\|?[^|\n]*?)[ \t]*\| \|[ \t]*\Z")
_GIST_ENDS = lazy(r"([ \t]*\|?[^|\n]*?\S)[ \t]+\|[ \t]*\Z")
_WRAPPERS = (
    ("`", 2, lazy(r"\s*`([^`]*)`\s*\Z")),
    ("**", _MIN_LINES, lazy(r"\s*\*\*(\S(?:[^*]*\S)?)\*\*\s*\Z")),
    ("_", _MIN_LINES, lazy(r"\s*_(\S(?:.*\S)?)_\s*\Z")),
    ("|", _MIN_LINES, lazy(r"\s*\| ?([^|]*)\|\s*\Z")),
    ("\u2502", _MIN_LINES, lazy(r"\s*[\u2502\u2503] ?([^\u2502\u2503]*)[\u2502\u2503]\s*\Z")),
)


def strip_markup(lines: Sequence[str], body: str, distinct: Sequence[str]) -> Sequence[str]:
    """The lines without markup, as many as before; the same object if there is none.

    `distinct`: a line of each shape among them; `body`: these, or all, joined.
    """
    for strip in (_strip_tags, _strip_emphasis, _strip_backslashes, _strip_wrappers):
        lines = strip(lines, body, distinct)
    return lines


def _strip_tags(lines: Sequence[str], body: str, distinct: Sequence[str]) -> Sequence[str]:
    """The lines without HTML tags, block marks of wikis and BBCode."""
    if "<" in body and _PAGE.search(body):
        lines = [_untagged(line) if ">" in line or "<!" in line else line for line in lines]
    if any(map(_BLOCK.match, distinct)):
        lines = [_BLOCK.sub("", line) for line in lines]
    if "[/" in body and (tags := {match[1].lower() for match in _BOARD.finditer(body)}):
        board = re.compile(rf"(?i)\[(?:/?(?:{'|'.join(sorted(tags))})|(?:{'|'.join(sorted(tags))})=[^\]\n]{{0,80}})\]")
        lines = [board.sub("", line) if "]" in line else line for line in lines]
    return lines


def _strip_emphasis(lines: Sequence[str], body: str, distinct: Sequence[str]) -> Sequence[str]:
    """The lines with numbers and commands that were bold in plain text."""
    if "*" in body and any("*" in line and _BOLD.search(line) for line in distinct):
        lines = [_BOLD.sub(lambda match: match[1] or match[2], line) if "*" in line else line for line in lines]
    if "**" in body and any("**" in line and _TYPED.search(line) for line in distinct):
        lines = [_TYPED.sub(_without_bold, line) if "**" in line else line for line in lines]
    return lines


def _strip_backslashes(lines: Sequence[str], body: str, distinct: Sequence[str]) -> Sequence[str]:
    """The lines without the backslashes of converters, before characters and at line ends."""
    if "\\_" in body and not _WINDOWS.search(body):
        lines = [_UNDERSCORE.sub("_", line) if "\\_" in line else line for line in lines]
    if "\\" in body and _is_escaped(distinct):
        lines = [_ESCAPED.sub(r"\1", line) if "\\" in line else line for line in lines]
    if "\\\n" in body:
        lines = _replace_adjacent(lines, _BROKEN.search, lambda line, _: line[:-1])
    return lines


def _strip_wrappers(lines: Sequence[str], body: str, distinct: Sequence[str]) -> Sequence[str]:
    """The content of lines that are table rows, emphasised or quoted as a whole."""
    if "| |\n" in body and any(map(_GIST.match, distinct)):
        lines = _without_empty_cells(lines)
    for sign, least, pattern in _WRAPPERS:
        if sign in body and any(map(pattern.match, distinct)):
            lines = _replace_adjacent(lines, pattern.match, lambda _, match: match[1].rstrip(), least)
    if ('"' in body or "'" in body) and any(map(STRING.match, distinct)) and _is_mostly(lines, _is_string):
        lines = _replace_adjacent(lines, _is_string, lambda _, match: string_content(match))
    return lines


def _without_empty_cells(lines: Sequence[str]) -> Sequence[str]:
    """The lines of a gist without the empty cells at their ends."""
    cleared = _replace_adjacent(lines, _GIST.match, lambda _, match: match[1].rstrip())
    if cleared is lines:
        return lines
    stripped = list(cleared)
    for index in range(1, len(lines)):
        if (
            stripped[index - 1] is not lines[index - 1]
            and stripped[index] is lines[index]
            and (match := _GIST_ENDS.match(lines[index]))
        ):
            stripped[index] = match[1]
    return stripped


def _without_bold(match: re.Match[str]) -> str:
    return "".join(part for part in match.groups() if part)


def _is_string(line: str) -> re.Match[str] | None:
    return None if _CELLS.search(line) else STRING.match(line)


def string_content(match: re.Match[str]) -> str:
    """The content of the string, unescaped."""
    quote = '"' if match[1] is not None else "'"
    text = (match[1] if match[1] is not None else match[2]).removesuffix("\\n").replace(quote * 2, quote)
    if "\\" not in text:
        return text
    text = _STYLED.sub("", _SIGN.sub(_unescape, text))
    return next((part for part in reversed(text.split("\r")) if part.strip()), "") if "\r" in text else text


def _unescape(match: re.Match[str]) -> str:
    escape = match[1]
    return chr(int(escape[1:], 16)) if len(escape) > 1 else {"t": "\t", "r": "\r"}.get(escape, escape)


def _untagged(line: str) -> str:
    """The line without block tags around it and inline tags in it; table cells keep their tags."""
    return _OPENS.sub("", _CLOSES.sub("", _WITHIN.sub("", line)))


def _is_escaped(distinct: Sequence[str]) -> bool:
    """Whether the text went through a converter that escapes characters: several lines have escapes, or one line many."""
    counts = [count for line in distinct if "\\" in line and (count := len(_CERTAIN_ESCAPE.findall(line)))]
    return len(counts) >= _MIN_LINES or max(counts, default=0) >= _MIN_ESCAPES


def _is_mostly(lines: Sequence[str], test: Callable[[str], object]) -> bool:
    nonblank = [line for line in lines if line.strip()]
    return sum(test(line) is not None for line in nonblank) > len(nonblank) * _STRING_SHARE


def _replace_adjacent(
    lines: Sequence[str],
    test: Callable[[str], re.Match[str] | None],
    replacement: Callable[[str, re.Match[str]], str],
    least: int = _MIN_LINES,
) -> Sequence[str]:
    """Replace matching lines by `replacement` if `least` of them are adjacent, blank ones aside; the same object if none are."""
    replaced: list[str] | None = None
    block: list[tuple[int, re.Match[str]]] = []
    for index in range(len(lines) + 1):
        line = lines[index] if index < len(lines) else "end"
        match = test(line) if index < len(lines) else None
        if match:
            block.append((index, match))
        elif line.strip():
            if len(block) >= least:
                replaced = replaced or list(lines)
                for block_index, line_match in block:
                    replaced[block_index] = replacement(lines[block_index], line_match)
            block = []
    return lines if replaced is None else replaced
