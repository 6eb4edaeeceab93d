"""Specifications of a system as people and scripts write them: rows `CPU: ...`, `**RAM**: ...`, `| OS | ... |`, `内存：64GB`.

One row alone is a sentence as often as a specification, so a sheet needs two rows that tell unlike things, near each other;
only the plainest English rows (`OS: Debian 12`) stand for themselves. A sheet speaks of the results around it: above, where
none stands there. Of two sheets side by side (client and server) what they tell differently is told by neither.
Source: the forms in use; bench.sh, yabs.sh (`CPU cores` there are threads, so they are not read).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from ingest.context.labels._sheet_forms import find_labelled_values
from ingest.context.labels._sheet_lines import CPU_LIST_START, SYSTEM_HEADING, read_one_line, read_system_line
from ingest.context.labels._sheet_words import LABEL_PATTERN, POOL_KINDS, ROW_KINDS, STANDALONE_LABELS, parse_memory, read_row
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import CONTRADICTORY, Clue
from ingest.text.lines import Text

_MARKED = r"(?:\*\*|__|\[/?[bi]\]|`)"
_MARK = _MARKED + "?"
_ROW = lazy(
    rf"^[ \t]*(?:\[\*\]|[-*•·●○■▪‣+>#;/]{{1,3}}|\d{{1,2}}[.)])?[ \t]*\|?[ \t]*{_MARK}(?P<name>[^\W\d_][\w '-]{{0,28}}?)(?<! )[ \t]*"
    rf"(?:{_MARKED}[ \t]*)?"  # each run of blanks belongs to one star: shared among several, long ones take for ever
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
_LABEL = lazy(r"(?i)[ \t]*(?:[#;/*-]{1,12}[ \t]*)?(?:fs|file[ _]?system)[ \t]*:")  # the reader of labels takes it
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
_WHOLE_CPU = lazy(r"\(R\) .*(?:CPU|Processor)|\d-Core Processor|CPU @ \d")  # as a processor calls itself: no other words do
_SECTION = lazy(
    r"(?i)[ \t]*(?:#{1,6}|\*\*|={2,}|-{2,})[ \t]*(?:\d[\d.]*[ \t]+)?(?P<of>CPU|processor|memory|RAM)"
    r"(?: (?:info(?:rmation)?|details|specs?|configuration))?[ \t:*#=-]*\Z"
)
_OF_SECTION = {"cpu": ("model", "name", "model name"), "memory": ("total", "size", "installed", "total memory", "total ram")}
_BARE_SYSTEM = lazy(_BULLET + r"(?P<value>[A-Z][A-Za-z/, ]{2,40}[ -]\d[^\n|:]{0,80}?)[ \t]*$", re.MULTILINE)
_NUMBER = lazy(r"(?:LTS )?v?(\d[\w.]{0,12}(?: LTS)?)\Z")
_OTHER_DISK = lazy(r"(?i)\d ?[TG]i?B\b|\b(?:samsung|wdc?|seagate|intel|crucial|kingston|sandisk|toshiba|hgst|ssd)\b")
_BARE_DISKS = lazy(
    _BULLET + r"(?P<value>\d{1,3} ?[x×] ?\S[^\n|:]{4,60}(?: (?:in|as) |,? \(?(?=[Rr][Aa][Ii][Dd]))[^\n|:]{4,24})[ \t]*$",
    re.MULTILINE,
)
_ANCHOR = lazy(  # bound to the beginning of a line, since a hundred words looked for everywhere are slow
    rf"^[^\w\n]{{0,9}}(?:<\w{{1,6}}[^<>\n]{{0,80}}>[^\S\n]{{0,8}}){{0,4}}"
    rf"(?:(?:(?-i:(?=[A-ZÀ-ÿА-я\u3000-\u9fff])|(?=[a-z]+ ?[\":|*=])){LABEL_PATTERN})[ \t]*(?:\*\*|__|\[/?[bi]\]|`)?['\"]?"
    r"(?:[ \t]*[:：|!^=;<]|,|\t| {2}| ?\.{3}| [-\u2013\u2014] | \(e\.?g\b|[ \t]*$)"
    rf"|(?:{SYSTEM_HEADING})(?:\*\*|__|`)?:|{CPU_LIST_START}"
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
_STATED = lazy(r"[ \t]*['\"]?[\w '-]{1,30}?['\"]?[ \t]*[=:]")  # `fs=ext4 options=defaults` labels what follows
_TITLE = lazy(r"#{1,6}[ \t]+\S|(?:={3,}|-{3,})\s*\Z")
_BELOW = 8  # lines of a section at most
_NEAR = 4  # lines between two rows of a sheet
_APART = 8  # lines that results take at least, with what leads to them


@dataclass(slots=True)
class _Row:
    line: int
    raw: str
    alone: bool
    keys: dict[str, Any] = field(default_factory=dict)


def read(text: Text) -> Iterator[Clue]:
    """Clues of every sheet."""
    sheets = [sheet for sheet in _sheets(_rows(text)) if _is_sheet(sheet)]
    unlike = _unlike(sheets)
    for at, sheet in enumerate(sheets):
        # Headings between them may name the folders that each speaks of.
        headed = any(_headed(text, one, sheets[at]) or _headed(text, sheets[at], one) for one in sheets[max(at - 1, 0) : at + 2])
        for row in sheet:
            for key, value in row.keys.items():
                if value is not None and ((at, key) not in unlike or headed):
                    group = (CONTRADICTORY if (at, key) in unlike else "sheet", sheet[0].line)
                    yield Clue(row.line, key, value, row.raw, kind="label", effect="shows", group=group)


def _headed(text: Text, one: list[_Row], other: list[_Row]) -> bool:
    return any(_TITLE.match(line) for line in text.lines[one[-1].line : other[0].line - 1])


def _rows(text: Text) -> list[_Row]:
    """Every row that is understood, by line."""
    commands = {command.line for command in text.commands}
    rows, taken = list[_Row](), set[int]()
    for line, match in text.matches(_ROW):
        label = match["name"].lower()
        kind, plain = ROW_KINDS.get(label), match["colon"] is not None
        if match["name"] == "host" and plain:
            kind = "host"  # `Host: 20QV` of neofetch is the make of a machine
        if kind is None and plain and (version := _version(label, match["value"], rows, line)):
            rows.append(_Row(line, match[0].strip(), False, version))
            continue
        section = kind in (None, "memory") and _of_section(text, line, label)
        if label == "model" and _WHOLE_CPU.search(match["value"]):
            kind = "cpu"  # as the dashboard of FreeNAS and TrueNAS calls it
        kind = section or kind
        if kind is None or line in commands or (kind in POOL_KINDS and match["colon"]):
            continue  # `Compression: lz4` labels what follows
        taken.add(line)
        keys = dict(read_row(kind, match["value"].replace("**", "").replace("`", "")))
        if kind == "fs" and _LABEL.match(match[0]) and re.fullmatch(r"[\w-]+", match["value"]):
            keys = {}  # a label of what follows, rather than of the system
        if match["column"] and kind in ("kernel", "arch"):
            keys = {}  # the reader of issue tables takes it
        if kind == "disks" and not keys and _OTHER_DISK.search(match["value"]):
            keys = {"disk.model": None}  # another disk: on which of them the results were measured is not told
        if keys:
            rows.append(_Row(line, match[0].strip(), bool(section) or (plain and label in STANDALONE_LABELS), keys))
    for at in text.where(_may_tell):
        if at + 1 not in commands and (keys := read_one_line(text.lines[at])):
            rows = [row for row in rows if row.line != at + 1] + [_Row(at + 1, text.lines[at].strip(), True, keys)]
        elif at + 1 not in taken and at + 1 not in commands:
            names = _KNOWN - _SETTING if _STATED.match(text.lines[at]) else _KNOWN
            rows += [
                _Row(one.line, one.name + ": " + one.value, False, keys)
                for one in find_labelled_values(text.lines, at, names)
                for keys in [dict(read_row(ROW_KINDS[one.name.lower()], one.value))]
                if keys
            ]
    for line, match in text.matches(_BARE):
        if count := parse_memory(match["value"]):
            rows.append(_Row(line, match[0].strip(), False, {"memory": count}))
    rows += _processors(text, bool(rows))
    for line, match in text.matches(_BARE_KERNEL) if rows else ():
        rows += [_Row(line, match[0].strip(), False, keys) for keys in [dict(read_row("kernel", match["value"]))] if keys]
    for line, match in text.matches(_BARE_DISKS) if rows else ():
        rows += [_Row(line, match[0].strip(), False, keys) for keys in [dict(read_row("disks", match["value"]))] if keys]
    told_of = {row.line for row in rows}
    for line, match in text.matches(_BARE_SYSTEM) if rows else ():
        if line not in told_of and (keys := read_system_line(match["value"])):
            rows.append(_Row(line, match[0].strip(), False, keys))
    return sorted(rows, key=lambda row: row.line)


def _version(label: str, value: str, rows: list[_Row], line: int) -> dict[str, Any]:
    """`Ubuntu version: 10.04`; `Version: LTS 12.04` right below the row that names the system."""
    name, _, last = label.rpartition(" ")
    if last not in ("version", "release") or not (number := _NUMBER.match(value)):
        return {}
    if name:
        found = dict(read_row("system", f"{name} {number[1]}"))
        return found if "os.version" in found else {}
    above = rows[-1].keys if rows and rows[-1].line == line - 1 else {}
    return {"os.version": number[1]} if "os.name" in above and "os.version" not in above else {}


def _processors(text: Text, beside: bool) -> list[_Row]:
    """Processors that a line names without saying what it is; alone, where no other row stands beside, only a whole name."""
    found = [(line, match, dict(read_row("cpu", match["value"]))) for line, match in text.matches(_BARE_CPU)]
    one = len({keys["cpu.model"] for _, _, keys in found if keys}) == 1
    return [
        _Row(line, match[0].strip(), alone, keys)
        for line, match, keys in found
        for alone in [one and _WHOLE_CPU.search(match["value"]) is not None]
        if keys and (beside or alone)
    ]


def _of_section(text: Text, line: int, label: str) -> str | None:
    """What `Model: ...` speaks of below the heading `CPU Information`."""
    if not any(label in labels for labels in _OF_SECTION.values()):
        return None
    for above in range(line - 2, max(line - 2 - _BELOW, -1), -1):
        if heading := _SECTION.match(text.lines[above]):
            kind = "memory" if heading["of"].lower() in ("memory", "ram") else "cpu"
            return kind if label in _OF_SECTION[kind] else None
        if text.lines[above].startswith("#"):
            return None
    return None


def _may_tell(kind: str) -> object:
    """Whether a line of the kind begins with a name that a row may have; such names hold no digit."""
    return _FORMED.match(kind)


def _sheets(rows: list[_Row]) -> list[list[_Row]]:
    """Rows near each other, until one tells again what the sheet has told otherwise."""
    sheets: list[list[_Row]] = []
    for row in rows:
        sheet = sheets[-1] if sheets else []
        again = any(one.keys.get(key, value) != value for one in sheet for key, value in row.keys.items())
        if not sheet or row.line - sheet[-1].line > _NEAR or again:
            sheets.append([])
        sheets[-1].append(row)
    return sheets


def _is_sheet(sheet: list[_Row]) -> bool:
    sheet = [row for row in sheet if row.keys != {"disk.model": None}]
    return any(row.alone for row in sheet) or len(sheet) > 1 < len({key.partition(".")[0] for row in sheet for key in row.keys}) > 1


def _unlike(sheets: list[list[_Row]]) -> set[tuple[int, str]]:
    """(sheet, key) of what two sheets tell differently with nothing that was measured between them."""
    found = set()
    for at, (one, other) in enumerate(pairwise(sheets)):
        if other[0].line - one[-1].line < _APART:
            told_there = {key: value for row in other for key, value in row.keys.items()}
            for key in {key: value for row in one for key, value in row.keys.items() if told_there.get(key, value) != value}:
                found |= {(at, key), (at + 1, key)}
    return found


READER = Reader("spec sheets", 19, Anchor(_ANCHOR), read, "rows that tell a system; bench.sh, yabs.sh, Phoronix Test Suite")
