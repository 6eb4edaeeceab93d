"""Specifications of a system as people and scripts write them: rows `CPU: ...`, `**RAM**: ...`, `| OS | ... |`, `内存：64GB`.

Forms: rows of a known name (`_row_values`) and its value in the layouts of `_sheet_lines`; specifications in one line
(`_sheet_lines`); beside such rows, lines of nothing but a size of memory, a processor, a kernel, disks with their layout or a
system with its version. A single row is a sentence as often as a specification, so a sheet needs two rows of different topics
near each other; only a few labels with a colon (`OS: Debian 12`), one-line specifications and full names of processors stand
alone. A sheet holds for the results around it. What two sheets side by side (client and server) give different values for is
marked as contradictory.
Source: the forms in use; bench.sh, yabs.sh (`CPU cores` there are threads, so they are not read).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from ingest.context.labels._row_values import (
    LABEL_PATTERN,
    POOL_KINDS,
    ROW_KINDS,
    STANDALONE_LABELS,
    parse_memory,
    read_release,
    read_row,
)
from ingest.context.labels._sheet_lines import CPU_LIST_START, SYSTEM_HEADING, find_labelled_values, read_one_line, read_system_line
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue
from ingest.text.lines import Text

_MARKED = r"(?:\*\*|__|\[/?[bi]\]|`)"
_MARK = _MARKED + "?"
_ROW = lazy(
    rf"^[ \t]*(?:\[\*\]|[-*•·●○■▪‣+>#;/]{{1,3}}|\d{{1,2}}[.)])?[ \t]*\|?[ \t]*{_MARK}(?P<name>[^\W\d_][\w '-]{{0,28}}?)(?<! )[ \t]*"
    rf"(?:{_MARKED}[ \t]*)?"  # one star for each run of blanks: several of them backtrack without end
    rf"(?:\(e\.?g\b[^()\n]{{1,40}}\)[ \t]*(?:{_MARKED}[ \t]*)?)?"  # `OS (e.g. from /etc/os-release):` of templates for reports
    rf"(?:(?P<colon>[:：]){_MARK}|(?P<column>\|))[ \t]*{_MARK}"
    r"(?P<value>[^\s|:：][^\n|]{0,119}?)(?<![ \t])[ \t]*"
    r"(?:(?:\*\*|__|\[/[bi]\]|`|<br ?/?>|\\)[ \t]*)?(?:\|[ \t]*)?$",
    re.IGNORECASE | re.MULTILINE,
)
_BULLET = r"^[ \t]*(?:\[\*\]|[-*•·●○■▪‣+>]{1,2}|\d{1,2}[.)](?=[ \t]))?[ \t]*"
_BARE = lazy(
    _BULLET + r"(?P<value>\d{1,4} ?[GT]i?B (?:(?:of )?(?:(?:ECC|DDR\w*|system) )*(?:RAM|memory)(?: ECC)?"
    r"|(?:[A-Z]\w+ ){0,2}DDR\d[^\n|:]{0,30}?))[ \t.,]*$",
    re.IGNORECASE | re.MULTILINE,
)
_LABEL = lazy(r"(?i)[ \t]*(?:[#;/*-]{1,12}[ \t]*)?(?:fs|file[ _]?system)[ \t]*:")  # the reader of labels reads it
_BARE_CPU = lazy(
    _BULLET + r"(?P<value>(?:\d ?x |Dual )?(?:(?:Intel|AMD)\b|(?:Xeon|Opteron|EPYC|Ryzen(?: \d)?|Core i\d)[ -]"
    r"(?=\w{0,3}-?\d{3})"
    r"(?![^\n]{0,80} (?!(?:cores?|threads?|cpus?|processors?|series|with|and|at|each|dual|v\d)\b)[a-z]{2,}\b))"
    r"[^\n|:]{4,70}?)[ \t.,]*$",
    re.MULTILINE,
)
_BARE_KERNEL = lazy(  # an item of a list, whose name has no colon
    r"^[ \t]*(?:[-*•·●○■▪‣+][ \t]+|(?=[A-Za-z ]{7,21}\d\S*(?:[ \t]\([^()\n]{1,60}\))?[ \t]*$))(?:Linux )?[Kk]ernel (?:version )?"
    r"(?P<value>v?\d[^\n|:]{1,60}?)[ \t]*$",
    re.MULTILINE,
)
_WHOLE_CPU = lazy(r"\(R\) .*(?:CPU|Processor)|\d-Core Processor|CPU @ \d")  # as a processor reports its own name
_SECTION = lazy(r"(?i)(?:\d[\d.]*[ \t]+)?(?P<of>CPU|processor|memory|RAM)(?: (?:info(?:rmation)?|details|specs?|configuration))?\Z")
_OF_SECTION = {"cpu": ("model", "name", "model name"), "memory": ("total", "size", "installed", "total memory", "total ram")}
_BARE_SYSTEM = lazy(_BULLET + r"(?P<value>[A-Z][A-Za-z/, ]{2,40}[ -]\d[^\n|:]{0,80}?)[ \t]*$", re.MULTILINE)
_NUMBER = lazy(r"(?:LTS )?v?(\d[\w.]{0,12}(?: LTS)?)\Z")
_OTHER_DISK = lazy(r"(?i)\d ?[TG]i?B\b|\b(?:samsung|wdc?|seagate|intel|crucial|kingston|sandisk|toshiba|hgst|ssd)\b")
_BARE_DISKS = lazy(
    _BULLET + r"(?P<value>\d{1,3} ?[x×] ?\S[^\n|:]{4,60}(?: (?:in|as) |,? \(?(?=[Rr][Aa][Ii][Dd]))[^\n|:]{4,24})[ \t]*$",
    re.MULTILINE,
)
_ANCHOR = lazy(  # bound to the beginning of a line: a hundred words searched everywhere are slow
    rf"^[^\w\n]{{0,9}}(?:<\w{{1,6}}[^<>\n]{{0,80}}>[^\S\n]{{0,8}}){{0,4}}"
    rf"(?:(?:(?-i:(?=[A-ZÀ-ÿА-я\u3000-\u9fff])|(?=[a-z]+ ?[\":|*=])){LABEL_PATTERN})[ \t]*(?:\*\*|__|\[/?[bi]\]|`)?['\"]?"
    r"(?:[ \t]*[:：|!^=;<]|,|\t| {2}| ?\.{3}| [-\u2013\u2014] | \(e\.?g\b|[ \t]*$)"
    rf"|(?:{SYSTEM_HEADING})(?: [A-Z\d])?(?:\*\*|__|`)?(?::| [-\u2013\u2014] )|{CPU_LIST_START}"
    r"|(?:Model: )?(?:Intel\(R\)|AMD (?:EPYC|Ryzen)) [^\n|:]{4,60}(?:CPU|Processor)"
    r"|(?:\d{1,2}[.)] )?(?:CPU|processor|memory|RAM)(?: (?:info(?:rmation)?|details|specs?|configuration))?[ \t:*#=-]{0,8}$"
    r"|\d{1,4} ?[GT]i?B (?:of )?(?:\w+ ){0,2}(?:RAM|memory|DDR\d)\b)",
    re.IGNORECASE | re.MULTILINE,
)
_FORMED = lazy(
    rf"(?i)[^\w\n]{{0,9}}(?:<[^<>\n]{{1,80}}>\s{{0,8}}){{0,4}}(?:(?:{LABEL_PATTERN}|{SYSTEM_HEADING})(?!\w)|{CPU_LIST_START})"
)
_KNOWN = frozenset(ROW_KINDS)
_SETTING = frozenset(name for name, kind in ROW_KINDS.items() if kind in POOL_KINDS or kind == "fs")
_STATED = lazy(r"[ \t]*['\"]?[\w '-]{1,30}?['\"]?[ \t]*[=:]")  # `fs=ext4 options=defaults` labels the results after it
_BELOW = 8  # lines of a section at most
_NEAR = 4  # lines between two rows of a sheet
_APART = 8  # lines of results and their heading, at least


@dataclass(slots=True)
class _Row:
    """Values of one line; `standalone`: it makes a sheet by itself."""

    line: int
    raw: str
    standalone: bool
    values: dict[str, Any] = field(default_factory=dict)


def read(text: Text) -> Iterator[Clue]:
    """Labels of every sheet, which hold in both directions."""
    sheets = [sheet for sheet in _sheets(_rows(text)) if _is_sheet(sheet)]
    contradictory = _contradictory_keys(text, sheets)
    for number, sheet in enumerate(sheets):
        for row in sheet:
            for key, value in row.values.items():
                if value is not None and (number, key) not in contradictory:
                    yield Clue(row.line, key, value, row.raw, kind="label", group=("sheet", sheet[0].line))


def _rows(text: Text) -> list[_Row]:
    """Every row that is understood, by line."""
    commands = {command.line for command in text.commands}
    rows = _with_other_forms(text, commands, *_colon_and_table_rows(text, commands))
    for line, match in text.matches(_BARE):
        if size := parse_memory(match["value"]):
            rows.append(_Row(line, match[0].strip(), False, {"memory": size}))
    rows += _processors(text, bool(rows))
    if rows:
        rows += _bare_rows(text, _BARE_KERNEL, "kernel")
        rows += _bare_rows(text, _BARE_DISKS, "disks")
        lines = {row.line for row in rows}
        for line, match in text.matches(_BARE_SYSTEM):
            if line not in lines and (values := read_system_line(match["value"])):
                rows.append(_Row(line, match[0].strip(), False, values))
    return sorted(rows, key=lambda row: row.line)


def _bare_rows(text: Text, form: re.Pattern[str], kind: str) -> Iterator[_Row]:
    """Rows without a name: lines that match `form` and whose group `value` is understood as a value of `kind`."""
    for line, match in text.matches(form):
        if values := dict(read_row(kind, match["value"])):
            yield _Row(line, match[0].strip(), False, values)


def _colon_and_table_rows(text: Text, commands: set[int]) -> tuple[list[_Row], set[int]]:
    """Rows `NAME: VALUE` and `NAME | VALUE`, and the lines of all that have a known name, readable or not."""
    rows, named_lines = list[_Row](), set[int]()
    for line, match in text.matches(_ROW):
        label, colon = match["name"].lower(), match["colon"] is not None
        kind = _row_kind(match)
        version = read_release(label, match["value"]) if kind is None else {}
        if kind is None and colon:
            version = version or _version(label, match["value"], rows, line)
        if version:
            rows.append(_Row(line, match[0].strip(), False, version))
            continue
        section = _section_kind(text, line, label) if kind in (None, "memory") else None
        if label == "model" and _WHOLE_CPU.search(match["value"]):
            kind = "cpu"  # as the dashboard of FreeNAS and TrueNAS calls it
        kind = section or kind
        if kind is None or line in commands or (kind in POOL_KINDS and colon):
            continue  # `Compression: lz4` labels the results after it
        named_lines.add(line)
        if values := _row_values(kind, match):
            rows.append(_Row(line, match[0].strip(), section is not None or (colon and label in STANDALONE_LABELS), values))
    return rows, named_lines


def _row_kind(match: re.Match[str]) -> str | None:
    """The kind of value behind a name; `host:` is a host, `Host: 20QV` of neofetch the make of a machine."""
    return "host" if match["name"] == "host" and match["colon"] else ROW_KINDS.get(match["name"].lower())


def _row_values(kind: str, match: re.Match[str]) -> dict[str, Any]:
    """Key -> value of a row; `disk.model` is None where it names a disk that may be another than the one measured."""
    if kind == "fs" and _LABEL.match(match[0]) and re.fullmatch(r"[\w-]+", match["value"]):
        return {}  # a label of the results after it
    if match["column"] and kind in ("kernel", "arch"):
        return {}  # the reader of issue tables reads it
    values = dict(read_row(kind, match["value"].replace("**", "").replace("`", "")))
    if kind == "disks" and not values and _OTHER_DISK.search(match["value"]):
        return {"disk.model": None}
    return values


def _with_other_forms(text: Text, commands: set[int], rows: list[_Row], named_lines: set[int]) -> list[_Row]:
    """The rows with those of one-line specifications, which replace a row of their line, and of the other forms."""
    for index in text.find_lines(_may_be_row):
        line = index + 1
        if line in commands:
            continue
        if values := read_one_line(text.lines[index]):
            rows = [row for row in rows if row.line != line] + [_Row(line, text.lines[index].strip(), True, values)]
        elif line not in named_lines:
            names = _KNOWN - _SETTING if _STATED.match(text.lines[index]) else _KNOWN
            for pair in find_labelled_values(text.lines, index, names):
                if values := dict(read_row(ROW_KINDS[pair.name.lower()], pair.value)):
                    rows.append(_Row(pair.line, pair.name + ": " + pair.value, False, values))
    return rows


def _version(label: str, value: str, rows: list[_Row], line: int) -> dict[str, Any]:
    """Values of `Ubuntu version: 10.04`, and of `Version: LTS 12.04` right below the row that names the system."""
    name, _, last = label.rpartition(" ")
    if last not in ("version", "release") or not (number := _NUMBER.match(value)):
        return {}
    if name:
        values = dict(read_row("system", f"{name} {number[1]}"))
        return values if "os.version" in values else {}
    above = rows[-1].values if rows and rows[-1].line == line - 1 else {}
    return {"os.version": number[1]} if "os.name" in above and "os.version" not in above else {}


def _processors(text: Text, has_rows: bool) -> list[_Row]:
    """Lines of nothing but a processor; where the text has no other row, only the full name of a processor."""
    named = [(line, match, dict(read_row("cpu", match["value"]))) for line, match in text.matches(_BARE_CPU)]
    same = len({values["cpu.model"] for _, _, values in named if values}) == 1
    rows = []
    for line, match, values in named:
        standalone = same and _WHOLE_CPU.search(match["value"]) is not None
        if values and (has_rows or standalone):
            rows.append(_Row(line, match[0].strip(), standalone, values))
    return rows


def _section_kind(text: Text, line: int, label: str) -> str | None:
    """The kind of `Model: ...` below the heading `CPU Information`; None outside such a section."""
    if not any(label in labels for labels in _OF_SECTION.values()):
        return None
    section = text.sections.at(line)
    heading = _SECTION.match(section.title) if line - section.line <= _BELOW else None
    kind = "" if heading is None else "memory" if heading["of"].lower() in ("memory", "ram") else "cpu"
    return kind if label in _OF_SECTION.get(kind, ()) else None


def _may_be_row(line: str) -> object:
    """Whether a line, its digits written 0, begins with a name that a row may have; such names hold no digit."""
    return _FORMED.match(line)


def _sheets(rows: list[_Row]) -> list[list[_Row]]:
    """Rows near each other; a row with another value of a key begins the next sheet."""
    sheets: list[list[_Row]] = []
    for row in rows:
        sheet = sheets[-1] if sheets else []
        differs = any(other.values.get(key, value) != value for other in sheet for key, value in row.values.items())
        if not sheet or row.line - sheet[-1].line > _NEAR or differs:
            sheets.append([])
        sheets[-1].append(row)
    return sheets


def _is_sheet(sheet: list[_Row]) -> bool:
    rows = [row for row in sheet if row.values != {"disk.model": None}]
    topics = {key.partition(".")[0] for row in rows for key in row.values}
    return any(row.standalone for row in rows) or (len(rows) > 1 and len(topics) > 1)


def _contradictory_keys(text: Text, sheets: list[list[_Row]]) -> set[tuple[int, str]]:
    """(index of the sheet, key) where two neighbouring sheets of one section differ with no results between them."""
    contradictory = set()
    for number, (upper, lower) in enumerate(pairwise(sheets)):
        is_one_section = text.sections.at(lower[0].line) is text.sections.at(upper[-1].line)
        has_run = any(upper[-1].line < command.line < lower[0].line for command in text.commands)
        if is_one_section and lower[0].line - upper[-1].line < _APART and not has_run:
            lower_values = {key: value for row in lower for key, value in row.values.items()}
            for row in upper:
                for key, value in row.values.items():
                    if lower_values.get(key, value) != value:
                        contradictory |= {(number, key), (number + 1, key)}
    return contradictory


READER = Reader("spec sheets", 24, Anchor(_ANCHOR), read)
