"""What pages, boards and converters put around or into the lines of an output: tags, emphasis, quotes, backslashes.

HTML and its inline tags, BBCode's tags (of which both stand in the text), emphasis around whole lines, strings in quotes
as spreadsheets, JSON and YAML write them, rules of a box, and the backslashes that converters to Markdown put before
signs which would mean something there (CommonMark 0.31, 2.4).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from ingest.lazy_regex import lazy

_LEAST = 3  # neighbours that must look so
_ALONG = 8  # escaped signs of one line that tell a converter: a rule of hyphens, bonnie's plus signs
_MOST = 0.6  # share of the lines that must be strings: programs quote words of theirs too (iozone's report)
_AROUND = r"pre|code|tt|samp|kbd|p|div|li|dd|dt|blockquote|source|syntaxhighlight|nowiki|file|system-out|stdout|body"
_INLINE = r"span|font|b|i|u|strong|em|small|big|nobr|wbr|mark|tt|kbd|o:p"
_OPENS = lazy(rf"(?i)\A\s*(?:<(?!t[dhr]\b)[a-z][^<>]{{0,200}}>)*(?:<(?:{_AROUND})(?:\s[^<>]{{0,200}})?>|<!\[CDATA\[)+")
_CLOSES = lazy(rf"(?i)(?:\s*(?:\]\]>|<(?:/?br\s*/?|/(?:{_AROUND}))>))+\s*\Z")
_WITHIN = lazy(rf"(?i)<(?:(?:{_INLINE})(?:\s[^<>]{{0,200}})?|/(?:{_INLINE}))/?>")
_PAGE = lazy(rf"(?i)<(?:/?br ?/?|/(?:{_AROUND}|{_INLINE}))>")
# The first words of a block of Textile, Trac and Jira.
_BLOCK = lazy(r"\A(?:bc\.\.?|pre\.\.?|\{\{\{(?:#!\w+)?|\{(?:code|noformat)(?::[^{}\n]{0,120})?\})[ \t]*(?=\S)")
_BOARD = lazy(r"(?i)\[/(b|i|u|tt|font|color|size|indent|center|left|mono|highlight|spoiler|list|icode|c)\]")
_ESCAPED = lazy(r"\\([-_*#+|<>.\[\]()!=~`{}&^$:])")
_SURELY = lazy(r"\\[-_*+#|\[\]<>]")
_UNDERSCORE = lazy(r"(?<=\w)\\_(?=\w)")
_WINDOWS = lazy(r"\b[A-Z]:\\")
_BOLD = lazy(r"(?<![\w*])(?:\*{2,3}(\d[^*\n]{0,40}?)\*{2,4}|\*(\d[\d.,]* ?[kKMGT]i?B/s(?:ec)?)\*)(?![\w*])")
# A command that a board set in bold behind its prompt, or with it.
_TYPED = lazy(r"(\S[#$%] |\A\s*\$ )\*\*([a-z./][^*\n]{2,300})\*\*\s*\Z|\A(\s*)\*\*(\$ [a-z./][^*\n]{2,300})\*\*\s*\Z")
_BROKEN = lazy(r"[^\s\\]\\\Z")
STRING = lazy(r"""\s*(?:- )?(?:"((?:[^"\\\n]|\\.|"")*)"|'((?:[^'\\\n]|\\.|'')*)')[,;]?\s*\Z""")
_SIGN = lazy(r"""\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[tr"'\\/])""")
_STYLED = lazy(r"\x1b\[[0-?]*[ -/]*[@-~]")  # as `ingest.text.decode` takes off what is not held in strings
_CELLS = lazy(r'(?<!")"[,;\t]"(?!")')  # several cells in a row, which are a table's
# How readers of pages give a gist, which is a table of one line a row: empty cells behind each.
_GIST = lazy(r"([ \t]*\|?[^|\n]*?)[ \t]*\| \|[ \t]*\Z")
_GIST_ENDS = lazy(r"([ \t]*\|?[^|\n]*?\S)[ \t]+\|[ \t]*\Z")
_WRAPPERS = (
    ("`", 2, lazy(r"\s*`([^`]*)`\s*\Z")),
    ("**", _LEAST, lazy(r"\s*\*\*(\S(?:[^*]*\S)?)\*\*\s*\Z")),
    ("_", _LEAST, lazy(r"\s*_(\S(?:.*\S)?)_\s*\Z")),
    ("|", _LEAST, lazy(r"\s*\| ?([^|]*)\|\s*\Z")),
    ("\u2502", _LEAST, lazy(r"\s*[\u2502\u2503] ?([^\u2502\u2503]*)[\u2502\u2503]\s*\Z")),
)


def strip_markup(lines: Sequence[str], body: str, alike: Sequence[str]) -> Sequence[str]:
    """The lines without such marks, as many as before; the very list where there are none.

    `alike`: a line of each kind among them, `body`: these, or all, joined.
    """
    if "<" in body and _PAGE.search(body):
        lines = [_untagged(line) if ">" in line or "<!" in line else line for line in lines]
    if any(map(_BLOCK.match, alike)):
        lines = [_BLOCK.sub("", line) for line in lines]
    if "[/" in body and (tags := {found[1].lower() for found in _BOARD.finditer(body)}):
        board = re.compile(rf"(?i)\[(?:/?(?:{'|'.join(sorted(tags))})|(?:{'|'.join(sorted(tags))})=[^\]\n]{{0,80}})\]")
        lines = [board.sub("", line) if "]" in line else line for line in lines]
    if "*" in body and any("*" in line and _BOLD.search(line) for line in alike):
        lines = [_BOLD.sub(lambda found: found[1] or found[2], line) if "*" in line else line for line in lines]
    if "**" in body and any("**" in line and _TYPED.search(line) for line in alike):
        lines = [_TYPED.sub(_unset, line) if "**" in line else line for line in lines]
    if "\\_" in body and not _WINDOWS.search(body):
        lines = [_UNDERSCORE.sub("_", line) if "\\_" in line else line for line in lines]
    if "\\" in body and _is_escaped(alike):
        lines = [_ESCAPED.sub(r"\1", line) if "\\" in line else line for line in lines]
    if "\\\n" in body:
        lines = _in_a_row(lines, _BROKEN.search, lambda line, _: line[:-1])
    if "| |\n" in body and any(map(_GIST.match, alike)):
        lines = _without_cells(lines)
    for sign, least, pattern in _WRAPPERS:
        if sign in body and any(map(pattern.match, alike)):
            lines = _in_a_row(lines, pattern.match, lambda _, found: found[1].rstrip(), least)
    if ('"' in body or "'" in body) and any(map(STRING.match, alike)) and _mostly(lines, _is_string):
        lines = _in_a_row(lines, _is_string, lambda _, found: string_content(found))
    return lines


def _without_cells(lines: Sequence[str]) -> Sequence[str]:
    cleared = _in_a_row(lines, _GIST.match, lambda _, found: found[1].rstrip())
    if cleared is lines:
        return lines
    out = list(cleared)
    for at in range(1, len(lines)):
        if out[at - 1] is not lines[at - 1] and out[at] is lines[at] and (ends := _GIST_ENDS.match(lines[at])):
            out[at] = ends[1]
    return out


def _unset(found: re.Match[str]) -> str:
    return "".join(part for part in found.groups() if part)


def _is_string(line: str) -> re.Match[str] | None:
    return None if _CELLS.search(line) else STRING.match(line)


def string_content(found: re.Match[str]) -> str:
    """What the string holds, without escapes."""
    quote = '"' if found[1] is not None else "'"
    text = (found[1] if found[1] is not None else found[2]).removesuffix("\\n").replace(quote * 2, quote)
    if "\\" not in text:
        return text
    text = _STYLED.sub("", _SIGN.sub(_meant, text))
    return next((part for part in reversed(text.split("\r")) if part.strip()), "") if "\r" in text else text


def _meant(found: re.Match[str]) -> str:
    escape = found[1]
    return chr(int(escape[1:], 16)) if len(escape) > 1 else {"t": "\t", "r": "\r"}.get(escape, escape)


def _untagged(line: str) -> str:
    """Without tags around it and those for looks in it; a cell of a table stays one."""
    return _OPENS.sub("", _CLOSES.sub("", _WITHIN.sub("", line)))


def _is_escaped(alike: Sequence[str]) -> bool:
    """Whether the text went through a converter that escapes signs: they stand escaped in several lines, or all along one."""
    found = [count for line in alike if "\\" in line and (count := len(_SURELY.findall(line)))]
    return len(found) >= _LEAST or max(found, default=0) >= _ALONG


def _mostly(lines: Sequence[str], test: Callable[[str], object]) -> bool:
    filled = [line for line in lines if line.strip()]
    return sum(test(line) is not None for line in filled) > len(filled) * _MOST


def _in_a_row(
    lines: Sequence[str],
    test: Callable[[str], re.Match[str] | None],
    made: Callable[[str, re.Match[str]], str],
    least: int = _LEAST,
) -> Sequence[str]:
    """Those lines made anew of which so many stand in a row, blank ones aside; the very list where there are none."""
    out: list[str] | None = None
    row: list[tuple[int, re.Match[str]]] = []
    for at in range(len(lines) + 1):
        line = lines[at] if at < len(lines) else "end"
        found = test(line) if at < len(lines) else None
        if found:
            row.append((at, found))
        elif line.strip():
            if len(row) >= least:
                out = out or list(lines)
                for place, match in row:
                    out[place] = made(lines[place], match)
            row = []
    return lines if out is None else out
