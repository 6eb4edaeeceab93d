"""What a text only shows: examples of manuals, data of programs, tests and plots, what mails and posts quote of others.

The lines of a quotation give no values and no evidence, unless a person takes it. The text has to say that it quotes: an output
without such a sign is its author's. What a reply quotes counts as the author's too where it stands nowhere else. Phrases that
introduce examples are in `quotations.toml`.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

from ingest.detect.findings import FileFindings
from ingest.lazy_regex import lazy
from ingest.records import Doubt, MissingValue, Value
from ingest.text import mentions, replies
from ingest.text.lines import Text

_SOURCE = Path(__file__).with_suffix(".toml")
_OUTPUT = r"(?:outputs?|results?|reports?|listings?|responses?|numbers|invocations?|console|usage|screens?)"
_MAX_CHARACTERS = 1 << 20  # a longer text is a log
_MAX_LINE, _MAX_BLOCK = 500, 400  # characters of a line that introduces; lines of an output that nothing ends
_NEAR = 40  # lines before the first result of such an output
# Warnings about values: of an example they say nothing.
_OF_VALUES = ("by-hand", "cut", "no-header", "unread", "not-read-yet", "short-row", "no-command", "failed-run")

_FENCE = lazy(r"[ \t]*(?:```|~~~|\{\{\{|\}\}\}|\[/?code\b|</?pre\b|\{code\b|\{noformat\b)|(?:-{4}|\.{4}|={4})\s*\Z")
_ENDS_ON_LINE = lazy(r".*(?:\[/code\]|</pre>)")
_SENTENCE = lazy(
    r"(?i)(?=[^\n]{0,200}\b(?:the|an?|is|are|was|were|you|this|that|and|to|of|with|we|it|i|der|die|das|ist|und|mit|wir|sie"
    r"|le|la|les"
    r"|est|et|vous|nous|el|los|es|con)\b)[*_\"'(\[]{0,3}[^\W\d_][^\n|=]{24,}|[^\n|=]*[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3]{6}"
)
_UNFINISHED = lazy(
    r"(?i)[^\n]*\b(?:the|an?|should|will|would|might|may|looks?|like|similar|to|sample|example|expected|you|they|it)\Z"
)
_ANOTHER_SENTENCE = lazy(r".*[.!?][\"')]?\s+\S[^.!?]*:\s*\Z")
_COMMAND = lazy(r"[ \t]*(?:\S*[$#%>❯➜])[ \t]+\S|[ \t]*(?:sudo|dd|fio|hdparm|iozone|bonnie|sysbench|sync|time)\b")
_DIRECTIVE = lazy(r"[ \t]*(?:\.\.[ \t]|:\w+:|\[source|<|//|\+\Z)")
_ADDRESSES_READER = lazy(r"\b(?:[Yy]ou|[Yy]our|Sie|[Vv]ous|usted)\b|您|你|^[Uu]sage: ", re.M)

_PROGRAM_NAME = lazy(
    r"(?i).*\.(?:pyx?|p[lm]|rb|lua|[jt]sx?|mjs|go|rs|java|kt|cs|swift|cc?|cpp|cxx|hp?p?|f90|jl|awk|tcl|ps1"
    r"|r|gp|gpi?|gnu|gnuplot|plt|plot|m|scala|php|hs|ml|exs?|t|bats|asy)\Z"
)
_COMMENT = lazy(r"[ \t]*(?:#|//|;|--|%|\*|/\*)")
_CODE = lazy(
    r"\s*(?:#!|import\b|from [\w.]+ import\b|def \w|class \w|#include|#define|package \w|use [\w:]+;|func \w|fn \w|pub |const\b"
    r"|let \w|var \w|function\b|sub \w|my [$@%]|require\b|module\b|set (?:term|output|title|[xy]label|style|key|datafile)|s?plot\b"
    r"|\w+ *<- |library\(|describe\(|it\(|public |private |static |@\w+\b|[$]\w+ *(?:=|<<)|  [$] |//|/\*|\w+ *= *[\[({\"'])"
)
_PLOT = lazy(
    r"^[ \t]*(?:set (?:term(?:inal)?|output|[xy]label|title|style|key|xtics|logscale|boxwidth)\b|s?plot [\"'$<\[]"
    r"|plt\.\w+\(|ggplot\(|.* <- (?:read|ggplot)"
    r"|(?:import|from) (?:matplotlib|pylab|seaborn|plotly|pandas|numpy|pytest|unittest)\b|library\((?:ggplot2|lattice|tidyverse)\)"
    r"|def test_\w+\(|class Test\w+)",
    re.M,
)
_MANUAL_NAME = lazy(r"(?i).*\.(?:[1-8](?:\.(?:txt|md|rst|adoc|in|ronn))?|mdoc|roff)\Z|man(?:page|ual)?\.\w+\Z")
_TUTORIAL_NAME = lazy(
    r"(?i)(?:how-?to|tutorial|cheat-?sheet|handbook|(?:user-?|admin-?)?guide|man(?:ual|page)?)\.\w+\Z"
    r"|.*[-_.](?:how-?to|tutorial|cheat-?sheet|handbook|guide|manual)\.(?:md|rst|adoc|html?)\Z"
)
_MANUAL_TITLE = lazy(
    r"^(?:#{1,2} |==? |\.SH \"?)?(?:NAME|SYNOPSIS|DESCRIPTION|OPTIONS|EXAMPLES?|SEE ALSO|BEZEICHNUNG|ÜBERSICHT|NOM)\"?[ \t]*$", re.M
)
_TEST_DATA = lazy(
    r"(?i)(?:\A|.*/)(?:__(?:fixtures|snapshots|mocks)__|testdata|test[-_]fixtures?"
    r"|(?:unit-?|integration-?)?(?:tests?|specs?)/(?:[^/]+/)*(?:fixtures?|golden|expected|resources|mocks?|snapshots))/.*"
    r"|.+/fixtures?/.*"
)


class Quotation(NamedTuple):
    """Lines `first` to `last`. `is_reply`: quoted only where its results stand elsewhere, or its mail has others."""

    first: int
    last: int
    reason: str
    is_reply: bool = False


@cache
def _phrases() -> tuple[Mapping[str, re.Pattern[str]], tuple[str, ...]]:
    """(kind of phrase -> what matches those of all languages, the literals in them)."""
    import tomllib  # few uploads have prose

    languages = tomllib.loads(_SOURCE.read_text(encoding="utf-8"))["language"]
    patterns = {}
    for kind in ("says", "may", "after", "titles", "own"):
        joined = "|".join(chain.from_iterable(language.get(kind, ()) for language in languages)).replace("OUTPUT", _OUTPUT)
        number = r"(?:\d+[.)]?[\d.]* |[^\w\s]+ ?)*" if kind == "titles" else ""
        patterns[kind] = re.compile(f"{number}(?:{joined})(?: ?[^\\w\\s]+)*" if number else joined, 0 if kind == "own" else re.I)
    return patterns, tuple(chain.from_iterable(language["words"] for language in languages))


def find_quotations(text: Text, path: str, raw_lines: Sequence[str], results: Sequence[int]) -> list[Quotation]:
    """The quotations of a text with results on these lines, in order. `raw_lines`: its lines with the marks of replies."""
    document = _Document(text, results)
    if reason := _kind_of_file(text, path, document):
        return [Quotation(1, len(text.lines), reason)]
    found = [Quotation(*span, "quoted by a reply", True) for span in replies.find_replies(raw_lines)]
    found += [Quotation(*span, "the signature of a mail or post") for span in replies.find_signatures(raw_lines)]
    if reason := _kind_of_program(text, raw_lines, results):
        # A comment beside a program is its author's note.
        noted = [_COMMENT.match(raw_lines[line - 1]) is not None for line in results]
        if not any(noted):
            return [Quotation(1, len(text.lines), reason)]
        blocks = [list(block) for is_note, block in groupby(zip(noted, results, strict=True), itemgetter(0)) if not is_note]
        found += [Quotation(block[0][1], block[-1][1], reason) for block in blocks]
    return sorted([*found, *document.examples()])


def _kind_of_file(text: Text, path: str, document: _Document) -> str:
    """Why nothing in a file was measured by its author, '' if that cannot be said."""
    if _TEST_DATA.match(path):
        text.path_used = True
        return "data of a test, by its folder"
    titles = _MANUAL_TITLE.findall(text.body)
    is_source = text.name.lower().endswith((".texi", ".texinfo", ".pod"))
    if is_source or len(set(titles)) > 2 or (len(titles) > 1 and _MANUAL_NAME.match(text.name)):
        return "in a manual page"
    if _TUTORIAL_NAME.match(text.name) and not document.tells_of_own():
        return "in a manual, by its name"
    return ""


def _kind_of_program(text: Text, raw_lines: Sequence[str], results: Sequence[int]) -> str:
    """What holds results in its strings and data, as a test or a plot; '' of any other text."""
    head = text.lines[:200]
    if mentions.is_shell_script(text):
        plain = {line.number for line in mentions.command_lines(raw_lines)}
        return "in a here-document or string of a script" if plain.isdisjoint(results) else ""
    if next(filter(str.strip, head), "").startswith("#!") or (_PROGRAM_NAME.match(text.name) and any(map(_CODE.match, head))):
        return "in a program"
    code = next((line for line in head if line.strip() and not _COMMENT.match(line)), "")
    return "data of a program that draws or tests" if _CODE.match(code) and len(_PLOT.findall(text.body)) > 1 else ""


class _Document:
    """A text that may introduce outputs as examples. Lines are numbered from 1."""

    def __init__(self, text: Text, results: Sequence[int]) -> None:
        self._text, self._lines, self._results = text, text.lines, results
        self._commands = {command.line for command in text.commands}
        self._titles = [section for section in text.sections[1:] if not section.is_weak]
        self._title_lines = {section.line for section in self._titles}
        self._inside = list(self._fences())
        self._patterns, self._words = _phrases()

    def _fences(self) -> Iterator[int]:
        """For each line, 0 outside of blocks of code, else the line that opened the block."""
        opened, mark = 0, ""
        for number, line in enumerate(self._lines, 1):
            match = _FENCE.match(line)
            sign = match[0].strip()[0].replace("}", "{") if match else ""
            if sign and not opened:
                opened, mark = number, sign
            yield opened
            if sign and ((sign == mark and opened < number) or _ENDS_ON_LINE.match(line)):
                opened = 0

    def tells_of_own(self, first: int = 1, last: int = 1 << 60) -> bool:
        """Whether somebody tells of own measurements in the prose of these lines."""
        own = self._patterns["own"].search
        return any(
            own(line)
            for number, line in enumerate(self._lines[first - 1 : last], first)
            if not self._inside[number - 1] and number not in self._commands
        )

    def examples(self) -> Iterator[Quotation]:
        """Sections that are named as examples, and outputs that a sentence before or after them makes one."""
        for index, section in enumerate(self._titles):
            # Also a heading that names no setup, as Results, ends it.
            ends = (one.line for one in self._titles[index + 1 :] if one.rank[:3] <= section.rank[:3])
            last = min(section.end - 1, next(ends, section.end) - 1, len(self._lines))
            if self._patterns["titles"].fullmatch(section.title) and not self.tells_of_own(section.line, last):
                yield Quotation(section.line, last, f"the section “{section.title}” (line {section.line})")
        is_prose = mentions.is_prose_name(self._text.name) or _ADDRESSES_READER.search(self._text.body) is not None
        kinds = ("says", "may", "after") if is_prose and not self.tells_of_own() else ("says",)
        for index in self._text.find_lines(self._may_say):
            line, below = self._lines[index].rstrip(), "".join(self._lines[index + 1 : index + 2]).strip()
            if _UNFINISHED.match(line) and below:
                line = f"{line} {below}"
            for kind in kinds:
                match = self._patterns[kind].search(line)
                if match and (
                    span := self._above(index + 1) if kind == "after" else self._introduced(index + 1, line[match.end() :])
                ):
                    yield Quotation(*span, f"“{match[0].strip()}” (line {index + 1})")

    def _may_say(self, line: str) -> bool:
        lower = line.lower()
        return len(line) <= _MAX_LINE and any(map(lower.__contains__, self._words))

    def _introduced(self, number: int, rest: str) -> tuple[int, int] | None:
        """The lines of the output that a phrase on a line introduces, unless another sentence does: `rest` of the line."""
        if number in self._results:
            return None
        if self._inside[number - 1]:  # a comment inside of the block
            last = self._end_of_block(number)
            return (number, last) if self._has_results(number, last) else None
        last = self._end_of_paragraph(number)
        if self.tells_of_own(self._end_of_paragraph(number, -1), last):
            return None
        if _ANOTHER_SENTENCE.match(" ".join([rest, *self._lines[number:last]])):
            return None
        for _ in range(4):  # blocks without results, as the command, and a line before the output may be between
            start = self._next_line(last + 1)
            if start is None or start in self._title_lines:
                return None
            if self._is_prose(start):
                last = self._end_of_paragraph(start)
                if not self._lines[last - 1].rstrip().endswith(":") or self.tells_of_own(start, last):
                    return None
                continue
            last = self._end_of(start, self._indent(number))
            if self._has_results(start, last):
                return (number, last) if self._inside[start - 1] or self._has_results(start, start + _NEAR) else None
        return None

    def _above(self, number: int) -> tuple[int, int] | None:
        """The lines of the block of code or indented output right above a sentence."""
        last = number - 1
        while last and not self._lines[last - 1].strip():
            last -= 1
        first = last
        if last and self._inside[last - 1]:
            first = self._inside[last - 1]
        else:
            while first and (self._indent(first) > self._indent(number) or not self._lines[first - 1].strip()):
                first -= 1
        return (first, last) if self._has_results(first, last) else None

    def _end_of_paragraph(self, number: int, step: int = 1) -> int:
        while 1 <= number + step <= len(self._lines) and self._is_prose(number + step):
            number += step
        return number

    def _end_of(self, start: int, indent: int) -> int:
        """The last line of the block of code, indented lines or output that begins on a line."""
        if self._inside[start - 1]:
            return self._end_of_block(start)
        lines = range(start, min(len(self._lines), start + _MAX_BLOCK) + 1)
        if self._indent(start) > indent:
            return next((line - 1 for line in lines if self._lines[line - 1].strip() and self._indent(line) <= indent), lines[-1])
        return next((line - 1 for line in lines[1:] if self._ends_output(start, line)), lines[-1])

    def _ends_output(self, start: int, line: int) -> bool:
        """Whether a heading, a block of code or, below a blank line, a sentence begins, behind results if these follow at all."""
        if line in self._title_lines or self._inside[line - 1] == line:
            return True
        return not self._lines[line - 2].strip() and self._is_prose(line) and self._has_results(start, line)

    def _is_prose(self, number: int) -> bool:
        line = self._lines[number - 1]
        return (
            not self._inside[number - 1]
            and not {number} & (self._commands | self._title_lines)
            and not self._has_results(number, number)
            and not _COMMAND.match(line)
            and _SENTENCE.match(line.strip()) is not None
        )

    def _next_line(self, number: int) -> int | None:
        """The next line that is neither blank nor a directive of a markup language."""
        for line in range(number, len(self._lines) + 1):
            text = self._lines[line - 1]
            if text.strip() and (self._inside[line - 1] or not _DIRECTIVE.match(text)):
                return line
        return None

    def _indent(self, number: int) -> int:
        line = self._lines[number - 1].expandtabs(8)
        return len(line) - len(line.lstrip())

    def _end_of_block(self, number: int) -> int:
        opened = self._inside[number - 1]
        while number < len(self._lines) and self._inside[number] == opened:
            number += 1
        return number

    def _has_results(self, first: int, last: int) -> bool:
        return bisect_right(self._results, last) > bisect_left(self._results, first)


# What is taken out of the findings of a file.

_Item = Value | MissingValue


def drop_quotations(findings: FileFindings, text: Text | None) -> None:
    """Take what stands in quotations out of the findings, but for those that a person takes. Of each that has results there is a
    warning.
    """
    if text is None or findings.spilled is not None or not findings.count or len(text.body) > _MAX_CHARACTERS:
        return
    raw_lines = text.unstripped if len(text.unstripped) == len(text.lines) else text.lines
    values: list[_Item] = [*findings.gathered, *findings.missing]
    tables = (doubt for doubt in findings.doubts if doubt.code == "by-hand")
    shown = (clue for clue in findings.clues if clue.kind == "dump")
    results = sorted({one.line for one in chain(values, findings.series, tables, shown) if isinstance(one.line, int) and one.line})
    if results:
        for quotation in _settled(find_quotations(text, findings.path, raw_lines, results), values, raw_lines):
            _drop(findings, quotation)


def _settled(found: Sequence[Quotation], values: Sequence[_Item], lines: Sequence[str]) -> Iterator[Quotation]:
    """The quotations apart from each other; of replies only those whose results stand elsewhere or whose mail has others."""
    starts = replies.mail_starts(lines) if found else []
    spans = [one for one in found if one.is_reply]
    own = [one for one in values if not any(_is_inside(one.line, span) for span in spans)]
    seen, mails = set(map(_printed, own)), {bisect_right(starts, one.line) for one in own if isinstance(one.line, int)}
    end = 0
    for quotation in found:
        inside = {_printed(one) for one in values if _is_inside(one.line, quotation)}
        if quotation.is_reply and not (inside and inside <= seen) and bisect_left(starts, quotation.first) not in mails:
            seen |= inside
        elif quotation.last > end:
            yield quotation._replace(first=max(quotation.first, end + 1))
            end = quotation.last


def _printed(item: _Item) -> tuple[str, str, str]:
    return item.tool, item.native, item.raw


def _is_inside(line: int | str, quotation: Quotation) -> bool:
    return isinstance(line, int) and quotation.first <= line <= quotation.last


def _drop(findings: FileFindings, quotation: Quotation) -> None:
    values = [one for one in chain[_Item](findings.gathered, findings.missing) if _is_inside(one.line, quotation)]
    tables = [one for one in findings.doubts if one.code == "by-hand" and _is_inside(one.line, quotation)]
    others: list[Any] = [*tables, *(one for one in findings.series if _is_inside(one.line, quotation))]
    shown = [one for one in findings.clues if one.kind == "dump" and _is_inside(one.line, quotation)]
    lines = sorted({one.line for one in chain[Any](values, others or shown) if isinstance(one.line, int)})
    if findings.taken and any(findings.taken_at(line) for line in range(quotation.first, quotation.last + 1)):
        return
    of_file: tuple[list[Any], ...] = (findings.gathered, findings.missing, findings.series, findings.clues, findings.members)
    for items in (*of_file, findings.tables):
        items[:] = [one for one in items if not _is_inside(one.line, quotation)]
    findings.doubts[:] = [one for one in findings.doubts if one.code not in _OF_VALUES or not _is_inside(one.line, quotation)]
    if lines:
        tools = ", ".join(dict.fromkeys(one.tool for one in values))
        what = f"{len(values)} value{'s' * (len(values) > 1)} of {tools}" if values else "numbers" if others else "a listing"
        where = f"lines {lines[0]} to {lines[-1]}" if lines[-1] > lines[0] else f"line {lines[0]}"
        message = f"{what} on {where}: {quotation.reason}. As an example or quotation nothing of it was recorded."
        findings.doubts.append(Doubt(lines[0], "quoted", message))
    if not findings.gathered and not findings.missing:
        findings.parsers = []
    if not findings.series:
        findings.series_readers = []
