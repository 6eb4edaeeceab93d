"""What a text only shows: examples of manuals, data of programs, tests and plots, what mails and posts quote of others.

The lines of a quotation give no values and no evidence, unless a person takes it. The text has to say that it quotes: an output
without such a sign is its author's. What a reply quotes counts as the author's too where it stands nowhere else. Phrases that
introduce examples are in `quotations.toml`.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from itertools import chain, groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

from ingest.detect.findings import FileFindings
from ingest.lazy_regex import lazy
from ingest.records import Doubt, MissingValue, Value
from ingest.text import mentions, replies
from ingest.text.lines import Text
from ingest.text.sections import Section

_SOURCE = Path(__file__).with_suffix(".toml")
_OUTPUT = r"(?:outputs?|results?|reports?|listings?|responses?|numbers|invocations?|console|usage|screens?)"
_MAX_CHARACTERS = 1 << 20  # a longer text is a log
_MAX_LINE, _MAX_BLOCK = 500, 400  # characters of a line that introduces; lines of an output that nothing ends
_MAX_CANDIDATES = 2000  # lines that may introduce; a text with more is a log
_NEAR = 40  # lines before the first result of such an output
# Warnings that stay: those about values say nothing of examples.
_OF_FILES = ("encoding", "limit", "parser-failed", "broken-archive")
_FENCE = lazy(r"[ \t]*(?:```|~~~|\{\{\{|\}\}\}|\[/?code\b|</?pre\b|\{code\b|\{noformat\b)|(?:-{4}|\.{4}|={4})\s*\Z")
_ENDS_ON_LINE = lazy(r".*(?:\[/code\]|</pre>)")
_SENTENCE = lazy(
    r"(?i)(?=[^\n]{0,200}\b(?:the|an?|is|are|was|were|you|this|that|and|to|of|with|we|it|i|der|die|das|ist|und|mit|wir|sie|le"
    r"|la|les|est|et|vous|nous|el|los|es|con)\b)[*_\"'(\[]{0,3}[^\W\d_][^\n|=]{24,}|[^\n|=]*[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3]{6}"
)
_UNFINISHED = lazy(
    r"(?i)[^\n]*\b(?:the|an?|should|will|would|might|may|looks?|like|similar|to|sample|example|expected|you|they|it)\Z"
)
_LABEL = lazy(r"(?![Oo]utput)[^\W\d_][^\n:=|/]* [^\n:=|/]{1,60}:\s*\Z")  # of another output
_ANOTHER_SENTENCE = lazy(r".*[.!?][\"')]?\s+\S[^.!?]*:\s*\Z")
_COMMAND = lazy(r"[ \t]*(?:\S*[$#%>❯➜])[ \t]+\S|[ \t]*(?:sudo|dd|fio|hdparm|iozone|bonnie|sysbench|sync|time)\b")
_DIRECTIVE = lazy(r"[ \t]*(?:\.\.[ \t]|:\w+:|\[source|<|//|\+\Z)")
_ADDRESSES_READER = lazy(r"\b(?:[Yy]ou|[Yy]our|Sie|[Vv]ous|usted)\b|您|你|^(?:[Uu]sage|Aufruf|Verwendung|Utilisation|Uso): ", re.M)

_COMMENT = lazy(r"[ \t]*(?:#|//|;|--|%|\*|/\*)")


class Quotation(NamedTuple):
    """Lines `first` to `last`. `is_reply`: quoted only where its results stand elsewhere, or its mail has others."""

    first: int
    last: int
    reason: str
    is_reply: bool = False


class _Language:
    """The phrases of a language, compiled when one of its words is in a text."""

    def __init__(self, entry: Mapping[str, Sequence[str]]) -> None:
        self._entry, self._words = entry, entry["words"]

    def is_in(self, line: str) -> bool:
        return any(map(line.lower().__contains__, self._words))

    @cached_property
    def titles(self) -> re.Pattern[str]:
        return re.compile(rf"(?i)(?:\d+[.)]?[\d.]* |[^\w\s]+ ?)*(?:{'|'.join(self._entry['titles'])})(?: ?[^\w\s]+)*")

    @cached_property
    def phrases(self) -> Mapping[str, re.Pattern[str]]:
        kinds = (kind for kind in ("says", "may", "after") if kind in self._entry)
        return {kind: re.compile("|".join(self._entry[kind]).replace("OUTPUT", _OUTPUT), re.I) for kind in kinds}


class _Table(NamedTuple):
    """What is in `quotations.toml`. `own`: the words of authors who measured."""

    files: Sequence[Mapping[str, Any]]
    languages: Sequence[_Language]
    own: re.Pattern[str]


@cache
def _table() -> _Table:
    import tomllib  # few uploads have prose

    table = tomllib.loads(_SOURCE.read_text(encoding="utf-8"))
    entries = table["language"]
    own = re.compile("|".join(chain.from_iterable(entry["own"] for entry in entries)))
    for kind in table["file"]:
        kind |= {name: lazy(kind[name], re.M * (name == "body")) for name in ("path", "first", "body") if name in kind}
    return _Table(table["file"], [*map(_Language, entries)], own)


def find_quotations(text: Text, path: str, raw_lines: Sequence[str], results: Sequence[int]) -> list[Quotation]:
    """The quotations of a text with results on these lines, in order. `raw_lines`: its lines with the marks of replies."""
    document = _Document(text, results)
    kind = _kind_of_file(text, path, document, raw_lines)
    if kind and not kind.get("notes"):
        return [Quotation(1, len(text.lines), kind["reason"])]
    found = [Quotation(*span, "quoted by a reply", True) for span in replies.find_replies(raw_lines)]
    found += [Quotation(*span, "the signature of a mail or post") for span in replies.find_signatures(raw_lines)]
    found += [Quotation(*span, "in a script of the page") for span in _page_scripts(raw_lines)]
    if kind:
        noted = [_COMMENT.match(raw_lines[line - 1]) is not None for line in results]
        if not any(noted):
            return [Quotation(1, len(text.lines), kind["reason"])]
        blocks = [list(block) for is_note, block in groupby(zip(noted, results, strict=True), itemgetter(0)) if not is_note]
        found += [Quotation(block[0][1], block[-1][1], kind["reason"]) for block in blocks]
    languages = [language for language in _table().languages if any(True for _ in text.find_lines(language.is_in))]
    return sorted([*found, *document.examples(languages)])


def _kind_of_file(text: Text, path: str, document: _Document, raw_lines: Sequence[str]) -> Mapping[str, Any] | None:
    """The kind of a file of which nothing was measured by its author, None if that cannot be said."""
    if mentions.is_shell_script(text):
        plain = {line.number for line in mentions.command_lines(raw_lines)}
        is_data = plain.isdisjoint(document.results)
        return {"reason": "in a here-document or string of a script", "notes": True} if is_data else None
    first = next((line for line in text.lines[:200] if line.strip() and not _COMMENT.match(line)), "")
    for kind in _table().files:
        if (
            ("path" not in kind or kind["path"].fullmatch(path))
            and ("marks" not in kind or any(map(text.body.__contains__, kind["marks"])))
            and ("first" not in kind or kind["first"].match(first))
            and ("body" not in kind or len(set(kind["body"].findall(text.body))) >= kind["least"])
            and (kind.get("own", True) or not document.reports_own())
        ):
            text.path_used = text.path_used or "path" in kind
            return kind
    return None


def _page_scripts(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    first = 0
    for number, line in enumerate(lines, 1):
        first = first or number * ("<script" in line)
        if first and "</script" in line:
            yield first, number
            first = 0


class _Document:
    """A text that may introduce outputs as examples. Lines are numbered from 1."""

    def __init__(self, text: Text, results: Sequence[int]) -> None:
        self._text, self._lines, self.results = text, text.lines, results

    @cached_property
    def _commands(self) -> set[int]:
        return {command.line for command in self._text.commands}

    @cached_property
    def _titles(self) -> dict[int, Section]:
        return {section.line: section for section in self._text.sections[1:] if not section.is_weak}

    @cached_property
    def _inside(self) -> list[int]:
        return list(self._fences())

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

    def reports_own(self, first: int = 1, last: int = 1 << 60) -> bool:
        """Whether the author reports measurements of their own in the prose of these lines."""
        own = _table().own.search
        return any(
            own(line)
            for number, line in enumerate(self._lines[first - 1 : last], first)
            if not self._inside[number - 1] and number not in self._commands
        )

    def examples(self, languages: Sequence[_Language]) -> Iterator[Quotation]:
        """Sections that are named as examples, and outputs that a sentence before or after them makes one. `languages`: those with
        a word in the text.
        """
        if not languages:
            return
        sections = list(self._titles.values())
        for index, section in enumerate(sections):
            if any(language.titles.fullmatch(section.title) for language in languages):
                # Also a heading that names no setup, as Results, ends it.
                ends = (one.line for one in sections[index + 1 :] if one.rank[:3] <= section.rank[:3])
                last = min(section.end - 1, next(ends, section.end) - 1, len(self._lines))
                if not self.reports_own(section.line, last):
                    yield Quotation(section.line, last, f"the section “{section.title}” (line {section.line})")
        speaks = mentions.is_prose_name(self._text.name) or _ADDRESSES_READER.search(self._text.body) is not None
        kinds = ("says", "may", "after") if speaks and not self.reports_own() else ("says",)
        end = 0

        indices = sorted({index for language in languages for index in self._text.find_lines(language.is_in)})
        for index in islice((index for index in indices if len(self._lines[index]) <= _MAX_LINE), _MAX_CANDIDATES):
            if index >= end and (example := self._example(index + 1, languages, kinds)):
                end = example.last
                yield example

    def _example(self, number: int, languages: Sequence[_Language], kinds: Sequence[str]) -> Quotation | None:
        """The output that a phrase on a line makes an example."""
        line, below = self._lines[number - 1].rstrip(), "".join(self._lines[number : number + 1]).strip()
        if below and _UNFINISHED.match(line):
            line = f"{line} {below}"
        patterns = [language.phrases for language in languages if language.is_in(line)]
        for kind in kinds:
            for match in filter(None, (phrases[kind].search(line) for phrases in patterns if kind in phrases)):
                span = self._above(number) if kind == "after" else self._introduced(number, line[match.end() :])
                if span:
                    return Quotation(*span, f"“{match[0].strip()}” (line {number})")
        return None

    def _introduced(self, number: int, rest: str) -> tuple[int, int] | None:
        """The lines of the output that a phrase on a line introduces, unless another sentence does: `rest` of the line."""
        if number in self.results:
            return None
        if self._inside[number - 1]:  # a comment inside of the block
            last = self._end_of_block(number)
            return (number, last) if self._has_results(number, last) else None
        last = self._end_of_paragraph(number)
        if self.reports_own(self._end_of_paragraph(number, -1), last):
            return None
        if _ANOTHER_SENTENCE.match(" ".join([rest, *self._lines[number:last]])):
            return None
        for attempt in range(4):  # blocks without results, as the command, and a line after them may be between
            start = self._next_line(last + 1)
            if start is None or start in self._titles:
                return None
            if self._is_prose(start) or (not self._inside[start - 1] and _LABEL.match(self._lines[start - 1])):
                last = self._end_of_paragraph(start)
                if not attempt or not self._lines[last - 1].rstrip().endswith(":") or self.reports_own(start, last):
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
        if line in self._titles or self._inside[line - 1] == line:
            return True
        return not self._lines[line - 2].strip() and self._is_prose(line) and self._has_results(start, line)

    def _is_prose(self, number: int) -> bool:
        line = self._lines[number - 1]
        return (
            not self._inside[number - 1]
            and number not in self._commands
            and number not in self._titles
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
        return bisect_right(self.results, last) > bisect_left(self.results, first)


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
        found = find_quotations(text, findings.path, raw_lines, results)
        if found and (quotations := [*_settled(found, values, raw_lines)]):
            _drop(findings, quotations)


def _settled(found: Sequence[Quotation], values: Sequence[_Item], lines: Sequence[str]) -> Iterator[Quotation]:
    """The quotations apart from each other; of replies only those whose results stand elsewhere or whose mail has others."""
    starts = replies.mail_starts(lines)
    spans = _Spans([one for one in found if one.is_reply])
    quoted, own = spans.share(values)
    seen, mails = set(map(_printed, own)), {bisect_right(starts, one.line) for one in own if isinstance(one.line, int)}
    end = 0
    for quotation in found:
        inside = set(map(_printed, quoted.get(quotation, ())))
        if quotation.is_reply and not (inside and inside <= seen) and bisect_left(starts, quotation.first) not in mails:
            seen |= inside
        elif quotation.last > end:
            yield quotation._replace(first=max(quotation.first, end + 1))
            end = quotation.last


def _printed(item: _Item) -> tuple[str, str, str]:
    return item.tool, item.native, item.raw


class _Spans:
    """Quotations that do not overlap, in order."""

    def __init__(self, quotations: Sequence[Quotation]) -> None:
        self._quotations, self._starts = quotations, [one.first for one in quotations]

    def at(self, line: int | str) -> Quotation | None:
        index = bisect_right(self._starts, line) - 1 if isinstance(line, int) else -1
        return self._quotations[index] if index >= 0 and line <= self._quotations[index].last else None  # type: ignore[operator]

    def share(self, items: Iterable[Any]) -> tuple[dict[Quotation, list[Any]], list[Any]]:
        """(the items in each quotation, those outside of all)."""
        inside, outside = dict[Quotation, list[Any]](), list[Any]()
        for item in items:
            quotation = self.at(item.line)
            (inside.setdefault(quotation, []) if quotation else outside).append(item)
        return inside, outside


def _drop(findings: FileFindings, quotations: Sequence[Quotation]) -> None:
    stated = [clue for clue in findings.clues if clue.kind == "stated"]
    taken = [line for line in findings.taken if isinstance(line, int)]
    if findings.origins:
        taken = [number for number, origin in enumerate(findings.origins, 1) if origin in taken]
    spans = _Spans([one for one in quotations if not any(one.first <= line <= one.last for line in taken)])
    values, findings.gathered = spans.share(findings.gathered)
    missing, findings.missing = spans.share(findings.missing)
    series, findings.series = spans.share(findings.series)
    clues, findings.clues = spans.share(clue for clue in findings.clues if clue.kind != "stated")
    findings.clues += stated
    _, findings.members = spans.share(findings.members)
    tables, findings.tables = spans.share(findings.tables)
    doubts, findings.doubts = spans.share(findings.doubts)
    for those in doubts.values():
        findings.doubts += [doubt for doubt in those if doubt.code in _OF_FILES]
    for quotation in {**values, **missing, **series, **doubts, **clues}:
        read = [*values.get(quotation, ()), *missing.get(quotation, ())]
        others = [*series.get(quotation, ()), *(doubt for doubt in doubts.get(quotation, ()) if doubt.code == "by-hand")]
        shown = [clue for clue in clues.get(quotation, ()) if clue.kind == "dump"]
        rows = (line for table in tables.get(quotation, ()) for line, _ in table.rows)
        lines = sorted({*rows, *(one.line for one in chain[Any](read, others or shown))})
        if lines:
            tools = ", ".join(dict.fromkeys(one.tool for one in read))
            what = f"{len(read)} value{'s' * (len(read) > 1)} of {tools}" if read else "numbers" if others else "a listing"
            where = f"lines {lines[0]} to {lines[-1]}" if lines[-1] > lines[0] else f"line {lines[0]}"
            findings.doubts.append(Doubt(lines[0], "quoted", f"{what} on {where}, not recorded: {quotation.reason}."))
    if not findings.gathered and not findings.missing:
        findings.parsers = []
    if not findings.series:
        findings.series_readers = []
