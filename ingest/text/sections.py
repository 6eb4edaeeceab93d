"""The sections of a text: a tree of its headings, whatever their markup and language.

Forms: `## Markdown`, underlined titles (Markdown, reStructuredText), HTML (`<h2>`, `<summary>`), BBCode, wikis and AsciiDoc
(`== x ==`, `h2. x`, `.x`), LaTeX, banners of scripts (`=== x ===`, `--- x`, `>>> x`), bold and slanted lines, numbered lines, and
a short line, with or without a colon, right above an output. A heading ends the sections of its own level and of lower ones: marks
are above bold lines, these above lines before a colon. Marks without a number are ranked as in reStructuredText: the one that
appears first is the outermost. A heading that names a step of the same test (`Run 2`, `Sequential write`) is below its siblings.
Blocks of code and `<details>` are inside of the section around them.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, overload

from ingest.lazy_regex import lazy
from ingest.toml_tables import read_table

if TYPE_CHECKING:
    import re

    from ingest.text.lines import Text

_MOST, _DEEPEST = 50_000, 100  # headings, blocks within each other
_LONGEST, _SHORT = 200, 60  # characters of a heading behind a mark, of any other
_MARK, _FOLD, _BOLD, _PLAIN, _LOOSE, _BESIDE = range(6)

# Digits are not distinguished: `Text.find_lines` passes lines whose digits are all 0.
_FENCE = lazy(
    r"[ \t]{0,3}(?:```|~~~(?:\w*|~*\w+)\s*\Z)"
    r"|(?i:(?!.*\[/code\])\[code\b|\[/code\]|(?!.*</pre>)<pre\b|</pre>|\{(?:code|noformat)\b)"
)
_BOLD_MARK = (
    r"(?i:\*{1,3}|_{1,3}|(?:<(?:p|b|i|strong|em|u|font)\b[^<>]*>)+|(?:\[(?:b|i|u|size|color|heading|h\d)\b[^\]]*\])+"
    r"|[\u3010\u25a0\u25c6\u25cf\u25bc\u25b6\u2605][ \t]*)"
)
_BOLD_END = r"[ \t]*[:\uff1a]?[ \t]*(?:[*_]{1,3}|\u3011|(?:</\w+>|\[/\w+\])+|(?<=[^*_>\]])\Z)[ \t]*[:\uff1a]?[ \t]*\Z"
_FORM = lazy(
    r"[ \t]*(?:<details[^<>]*>)?[ \t]*(?:<summary>|\[(?:spoiler|details|collapse|expand)=[\"']?)(?P<summary>[^<\]\"]{1,200})"
    r"|[ \t]*(?P<end></details>|\[/(?:spoiler|details|collapse|expand)\])"
    r"|[ \t]{0,3}(?:"
    r"(?P<mark>#{1,6}(?=[ \t])|#{2,}|={2,}|=(?=[ \t][^\W\d_])|-{2,}(?=[ \t]|[^\n-]+-{2,}[ \t]*\Z)"
    r"|\*{2,}(?=[ \t])|~{2,}|>{3,}|\+{3,})"
    r"[ \t]*[`*_'\"(\[]{0,3}(?P<marked>[^\W_][^\n|]{0,198}?)[ \t]*[:#=*~<+-]*[ \t]*\Z"
    r"|<h(?P<html>\d)\b[^<>]*>(?P<page>[^<]{1,200})|h(?P<jira>\d)\.[ \t]+(?P<ticket>\S.*)"
    r"|\\(?P<latex>(?:sub)*)section\*?\{(?P<tex>[^{}]+)\}"
    r"|(?:\*\*|__|<b>|<strong>)(?P<lead>(?:[^\W\d_]{1,20} ){1,2}#?(?:\d{1,2}|[A-Z])(?:\*\*|__|</b>|</strong>)"
    r"[ \t]*[-:\u2013\u2014][ \t]+\S.{0,160})"
    rf"|{_BOLD_MARK}(?P<bold>[^\W_](?:[^*_<\[|]|(?<=\w)_(?=\w)){{0,198}}?){_BOLD_END}"
    r"|(?:[-*+\u2022|][ \t]*)?[*_]{0,3}(?P<beside>[^\W\d_][^\n:|*]{0,58}?)[*_]{0,3}[ \t]*(?:[:|\u2192]|[-=]>)[ \t`*_|]{0,4}"
    r"(?=\d{6,20} (?:bytes|octets) |(?i:read|write)[ \t]*: (?:IOPS|io)=).*"
    r"|\.(?P<block>[^\W\d_][\w-]*,? [^\n|]{2,78})\Z"
    r"|(?P<number>(?:\d{1,2}\.)+\d{0,2}|(?:\d{1,2}|[A-Ha-h]|[IVX]{1,4})[.)])[ \t]+"
    r"(?![kKMGT]i?B\b|bytes\b|s\b|seconds\b)(?P<counted>[^\W\d_][^\n|]{0,78}?)[ \t]*[:\uff1a]?[ \t]*\Z"
    r"|(?:[-*+\u2022][ \t]+)?[*_]{0,3}(?P<colon>[^\W_](?:[^\n:\uff1a|()]|:(?=[ \t*])|\([^()\n]{1,40}\)){0,118}?)"
    r"[ \t\u00a0]?[:\uff1a][ \t]*\Z"
    r")"
)
_UNDERLINE = lazy(r"[ \t]{0,3}(?:={3,}|-{3,}|~{3,}|\^{3,}|\*{3,}|\"{3,}|\+{3,}|#{3,})[ \t]*\Z")
_TITLE = lazy(r"[ \t]{0,3}(?:[#*][ \t]+)?(?P<text>[^\W_](?:[^\n|\t ]|[ \t](?![ \t])){0,198}?)[ \t]*[:#*]?[ \t]*\Z")
_PRINTED = lazy(  # by themes of shells, mdtest, smartctl, lz4 and diff
    r"(?i)# \S{1,32} (?:@|in) \S{1,63} in [~/]|-- (?:started|finished) at|=== START OF"
    r"|run status group |disk stats \(|.* command line interface|[-+]{3} [ab]/|.*\S +\| "
)
_PROSE = lazy(
    r"(?i)\b(?:I|we|you|ich|wir|je|nous|then|so|here|this|these|hier|dann|danach|voici|puis|is|are|was|were|ist|sind|est|sont"
    r"|now|next|also|again|finally|jetzt|maintenant|ahora|output|result(?:s|ing)? (?:of|from|is|are))\b"
)
_OPENS = lazy(
    r"[ \t]*(?:\d+\+\d+ |(?:\w+: ?)?\d+ (?:bytes|octets) |fio-\d|\S+: \(g(?:roupid)?=|Version +\d|\s*Iozone|IOR-|mdtest-|real\s"
    r"|(?:read|write) *: (?:IOPS|io)=|/dev/\w+:\s*\Z|Timing )"
)
_TAGGED = lazy(r"(?i)[ \t]{0,3}(?:[\[<]/?(?:p|b|i|u|strong|em|font|size|color|heading|h\d|code|pre)\b|\{(?:code|noformat))")
_ITEM = lazy(r"[ \t]*[-*+\u2022][ \t]+\S")
_CHAPTER = lazy(
    r"(?i)(?:the |my |test |bench(?:mark)? )?(?:results|benchmarks|tests|numbers|ergebnisse|messungen"
    r"|r[ée]sultats|resultados|risultati)"
)
_ADORNED = "`*_/ \t:#=~"

_WORD = lazy(
    r"第?[一二三四五六七八九十]{1,3}[次回轮]目?"
    r"|(?:servers?|hosts?|nodes?|machines?|box|nas|vm|vps|disks?|drives?|ssd|hdd|arrays?|pools?|rechner|platte|serveur|disque)"
    r"[ \t]?#?(?:\d{1,2}|[a-h])(?![\w.])"  # `Server 2`
    r"|\d[\d.,]*[ \t]?(?:[kmgt]i?)?b?(?:/s|ps)?\b|[^\W\d_]+"
)
_LISTS = read_table(__file__)
_NEUTRAL, _STEP = lazy("|".join(_LISTS["neutral"])), lazy("|".join(_LISTS["step"]))


@dataclass(slots=True, eq=False)
class Section:
    """The lines `line`, which is the heading, to `end` - 1. `depth`: number of sections around it; the whole text has line 0."""

    line: int
    title: str
    rank: tuple[int, ...] = (-1,)
    parent: Section | None = None
    end: int = 1 << 60
    leads: bool = False  # whether a block of code, a command or an output begins right below its heading

    @property
    def depth(self) -> int:
        return len(self.chain)

    @property
    def is_weak(self) -> bool:
        """Whether its heading is a line without a mark, before a colon or above an output."""
        return self.rank[0] >= _PLAIN

    @property
    def is_loose(self) -> bool:
        """Whether its heading may be a comment or a line of an output, or names a step without a mark."""
        return self.rank[0] >= _LOOSE or (self.is_weak and bool(self.rank[3]))

    @property
    def chain(self) -> list[Section]:
        """The section and those around it, without the whole text, innermost first."""
        chain, section = list[Section](), self
        while section.parent:
            chain.append(section)
            section = section.parent
        return chain


class Sections(Sequence[Section]):
    """The sections of a text in line order; the first is the text itself."""

    def __init__(self, sections: list[Section]) -> None:
        self._sections = sections
        self._lines = [section.line for section in sections]

    @overload
    def __getitem__(self, index: int) -> Section: ...
    @overload
    def __getitem__(self, index: slice) -> list[Section]: ...

    def __getitem__(self, index: int | slice) -> Section | list[Section]:
        return self._sections[index]

    def __len__(self) -> int:
        return len(self._sections)

    def __bool__(self) -> bool:
        return len(self._sections) > 1

    def at(self, line: int) -> Section:
        """The innermost section that contains the line."""
        section = self._sections[bisect_right(self._lines, line) - 1]
        while section.end <= line and section.parent:
            section = section.parent
        return section

    def firm(self, line: int) -> Section:
        """The innermost section that contains the line, but for headings that may be none."""
        section = self.at(line)
        while section.parent and section.is_loose:
            section = section.parent
        return section

    def speaking(self, line: int, results: Sequence[int], *, of_host: bool = False) -> Section:
        """The section of which a line speaks: the innermost around it that has results, whose lines are given in order.

        `of_host`: what the line says of a host holds beyond headings without a mark.
        """
        section = self.at(line)
        while section.parent and (
            section.is_loose
            or (of_host and section.is_weak)
            or bisect_left(results, section.line) == bisect_left(results, section.end)
        ):
            section = section.parent
        return section


class _Tree:
    """Sections that are open, and the ranks of marks by their first appearance."""

    def __init__(self, *, folds: bool) -> None:
        """`folds`: whether `<details>` have ends."""
        self.folds = folds
        self.sections = [Section(0, "")]
        self._open: list[Section | None] = [self.sections[0]]  # None: the beginning of a block or of `<details>`
        self._order: dict[str, int] = {}
        self.is_fenced = False

    def add(self, line: int, title: str, strength: int, family: str, level: int = 0) -> None:
        title = title.replace("**", "").strip(_ADORNED)
        if not title:
            return
        order = self._order.setdefault(family, len(self._order)) if strength < _PLAIN else 0
        rank = (strength, order, level, not is_telling(title) and not _CHAPTER.fullmatch(title))
        while (last := self._open[-1]) is not None and last.rank >= rank:
            last.end = line
            self._open.pop()
        parent = next(section for section in reversed(self._open) if section)
        self.sections.append(Section(line, title, rank, parent))
        self._open.append(self.sections[-1])

    def close(self, line: int) -> None:
        """End the innermost section, that of words beside a result, at a line."""
        if (last := self._open[-1]) is not None and last.line == line - 1:
            last.end = line
            self._open.pop()

    def open_block(self) -> None:
        if len(self._open) < _DEEPEST:
            self._open.append(None)

    def close_block(self, line: int, *, with_title: bool = False) -> None:
        """End the sections that began in the block, and the fold that is its title."""
        if None not in self._open:
            return
        while (last := self._open.pop()) is not None:
            last.end = line
        if (title := self._open[-1]) is not None and with_title and title.rank[0] == _FOLD:
            title.end = line
            self._open.pop()


def find_sections(text: Text) -> Sections:
    """The tree of a text; of one with too many headings, only the text itself."""
    tree = _Tree(folds="</details>" in text.body or "[/spoiler]" in text.body)
    commands = {command.line for command in text.commands}
    has_blocks = "```" in text.body or "\n##" in text.body
    for index, line in _candidates(text):
        if index + 1 not in commands or (has_blocks and not tree.is_fenced and _is_apart(text, index)):
            _read_line(tree, text, index, line, commands, has_blocks)
            if len(tree.sections) > _MOST:
                return Sections(tree.sections[:1])
    return Sections(tree.sections)


def _candidates(text: Text) -> Iterator[tuple[int, str]]:
    """Index and words of the lines that may be headings or begin or end a block, with the tags that were removed from them."""
    indices = text.find_lines(_may_be_heading)
    if text.unstripped is text.lines or len(text.unstripped) != len(text.lines):
        return ((index, text.lines[index]) for index in indices)
    tagged = {index: line for index, line in enumerate(text.unstripped) if _TAGGED.match(line)}
    return ((index, tagged.get(index, text.lines[index])) for index in sorted(tagged.keys() | set(indices)))


def _is_apart(text: Text, index: int) -> bool:
    """Whether a line stands between blank ones, as a title of Markdown, and no comment or command of root's (`# iozone runs`)."""
    around = (*text.lines[max(index - 1, 0) : index], *text.lines[index + 1 : index + 2])
    return text.lines[index].startswith("# ") and not any(map(str.strip, around))


def _may_be_heading(line: str) -> object:
    return len(line) <= _LONGEST + 20 and (_UNDERLINE.match(line) or _FENCE.match(line) or _FORM.match(line))


def _read_line(tree: _Tree, text: Text, index: int, line: str, commands: set[int], has_blocks: bool) -> None:
    number = index + 1
    above = text.lines[index - 1] if index else ""
    if _FENCE.match(line):
        if not tree.is_fenced and (title := _line_above(tree, text, index, commands)):
            tree.add(title, text.lines[title - 1], _PLAIN, "")
            tree.sections[-1].leads = True
        tree.close_block(number) if tree.is_fenced else tree.open_block()
        tree.is_fenced = not tree.is_fenced
    elif _UNDERLINE.match(line):
        words = _TITLE.match(above)
        begins = index < 2 or not text.lines[index - 2].strip() or _UNDERLINE.match(text.lines[index - 2])
        if words and begins and index not in commands and not tree.is_fenced and tree.sections[-1].line != index:
            tree.add(index, words["text"], _MARK, "_" + line.strip()[0])
    elif (form := _FORM.match(line)) and (form["beside"] or not _PRINTED.match(line)):
        _add_form(tree, text, index, form, commands, has_blocks)


def _add_form(tree: _Tree, text: Text, index: int, form: re.Match[str], commands: set[int], has_blocks: bool) -> None:
    number, below = index + 1, text.lines[index + 1] if index + 1 < len(text.lines) else ""
    if form["beside"]:
        tree.add(number, form["beside"], _BESIDE, "")
        tree.close(number + 1)
    elif form["mark"]:
        is_comment = form["mark"] == "#" and (tree.is_fenced or not (has_blocks or _is_apart(text, index)))
        tree.add(number, form["marked"], _LOOSE if is_comment else _MARK, *_family(form["mark"]))
    elif tree.is_fenced:
        return
    elif form["summary"]:
        tree.add(number, form["summary"], _FOLD, "summary")
        if tree.folds:
            tree.open_block()
    elif form["end"]:
        tree.close_block(number, with_title=True)
    elif title := form["page"] or form["ticket"]:
        tree.add(number, title, _MARK, "h", int(form["html"] or form["jira"]))
    elif form["tex"]:
        tree.add(number, form["tex"], _MARK, "\\", len(form["latex"]))
    elif form["block"] or not _UNDERLINE.match(below):  # else the rule makes it a heading
        _add_weak(tree, text, index, form, commands)


def _family(mark: str) -> tuple[str, int]:
    """The marks that a mark is compared with, and its level among them."""
    return (mark[0], len(mark)) if mark[0] == "*" or (mark[0] == "#" and len(mark) < 7) else (f"{mark[0]}{len(mark)}", 0)


def _add_weak(tree: _Tree, text: Text, index: int, form: re.Match[str], commands: set[int]) -> None:
    if title := form["bold"] or form["lead"] or form["block"]:
        tree.add(index + 1, title, _BOLD, "bold")
    elif _begins(tree, text, index):
        below = text.lines[index + 1] if index + 1 < len(text.lines) else ""
        leads, is_item = _leads_to_output(text, index, commands), _ITEM.match(text.lines[index]) is not None
        title = form["colon"] or form["counted"]
        is_title = leads or (not is_item and (not below.strip() or _ITEM.match(below) is not None))
        is_title = is_title and len(title) <= _SHORT and not _PROSE.search(title)
        if form["counted"] and is_title:
            tree.add(index + 1, title, _BOLD, "number", form["number"].strip(".)").count("."))
        elif form["colon"] and (leads or not is_item):
            tree.add(index + 1, title, _PLAIN if is_title else _LOOSE, "")
            tree.sections[-1].leads = leads


def _begins(tree: _Tree, text: Text, index: int) -> bool:
    """Whether the line begins a paragraph, or stands right below an output or a block of code."""
    above = text.lines[index - 1].strip() if index else ""
    return not above or tree.sections[-1].line == index or any(form.match(above) for form in (_UNDERLINE, _OPENS, _FENCE))


def _leads_to_output(text: Text, index: int, commands: set[int]) -> bool:
    """Whether a block of code, a command or an output begins right below the line."""
    below = next((at for at in range(index + 1, min(index + 4, len(text.lines))) if text.lines[at].strip()), None)
    return below is not None and (
        below + 1 in commands or _FENCE.match(text.lines[below]) is not None or _OPENS.match(text.lines[below]) is not None
    )


def _line_above(tree: _Tree, text: Text, fence: int, commands: set[int]) -> int:
    """The number of a short line without a mark that is a paragraph by itself above a block of code; 0 for none."""
    at = next((at for at in range(fence - 1, max(fence - 3, -1), -1) if text.lines[at].strip()), -1)
    line = text.lines[at].strip() if at >= 0 else ""
    is_title = (
        line[-1:] not in ".,;!?" and len(line) <= _SHORT and ": " not in line and _TITLE.match(line) and not _PROSE.search(line)
    )
    is_free = at + 1 not in commands and tree.sections[-1].line != at + 1
    return at + 1 if is_title and is_free and not _FORM.match(line) and _begins(tree, text, at) else 0


@lru_cache(1024)
def telling_words(words: str) -> frozenset[str]:
    """The words of a title besides numbers, runs, tools and operations."""
    return frozenset(word for word in _WORD.findall(words.lower()) if not _NEUTRAL.fullmatch(word))


def is_telling(title: str) -> bool:
    """Whether a title names more than a step of the same test."""
    return not all(map(_STEP.fullmatch, telling_words(title)))
