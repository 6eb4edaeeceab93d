"""The titles over a report of bonnie++, and where a reading of one stands: section, version, columns, rows so far."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ingest.lazy_regex import lazy
from ingest.parsers.bonnie._columns import MAX_DEPENDS, BonnieRun
from ingest.records import Doubt

_D = "[-\u2013\u2014]"  # a hyphen, or the dash that a typesetter made of several
SECTION = lazy(rf"{_D}Sequential (Output|Create){_D}")
_TITLES = lazy(rf"{_D}Per Chr{_D}+\s+{_D}+Block{_D}+\s+{_D}+Rewrite{_D}|\bMachine\s+Size\s+K/sec\s+%CP\s+K/sec\s+%CP\s+K/sec")
_FILE_GROUPS = lazy(rf"{_D}Create{_D}+\s+{_D}+Read{_D}+\s+{_D}+Delete{_D}")
_UNITS = lazy(r"\bSize\s+K/sec\s+%CP|\bName:Size etc\s+/sec\s+%CP")
_NAMES = ("PerChr", "Block", "Rewrite", "PerChr", "Block", "Seeks")
_VERSION = lazy(r"(?:Version\s+@?|^[\s>|]*(?=[12]\.\d\d\w?\s+-))(\d[\w.]{1,9})")
_ALONE = lazy(rf"[\s>|]*([\w.-]{{1,60}})\s{{2,}}{_D}+Create{_D}+")
_CONCURRENCY = lazy(r"Concurrency\s+(\d{1,6})\b")
_GROUPS = lazy(rf"{_D}+(?:Per Chr|Block|Rewrite|Seeks|Create|Read|Delete){_D}+")
MARKUP = lazy(  # what posters set figures and whole reports off with
    r"<[^<>]{1,60}>|(?<!\*)\*\*(?!\*)|\[/?(?:b|i|u|s|tt|color|colour|size|font|code|quote|pre|mono|html|plain|list|indent|center|spoiler)"
    r"(?:=[^\]]{0,40})?\]",
    re.I,
)
_LEAD = lazy(r"^[\s>|+-]*?(?:Version\s+\S{1,9}\s+)?(?=-{2}|Lat)")
_FILE_TITLES = "------Sequential Create------"
_COLUMNS, COLUMN_WIDTH = 6, 10  # columns of a part; characters of one column with its %CP


@dataclass
class ReportState:
    """Where the scan stands: the section, its header, the run under construction."""

    section: str = ""
    version: str | None = None
    threads: int | None = None
    per_second: int = 1024
    name: str = ""
    name_line: int = 0
    ends: list[int] = field(default_factory=list)
    first: int = 0
    header: list[int] = field(default_factory=list)
    bodies: list[int] = field(default_factory=list)  # lines below the titles: rows of both parts belong together by order
    runs: list[BonnieRun] = field(default_factory=list)
    run: BonnieRun | None = None
    columns: list[int] = field(default_factory=list)
    rows: int = 0
    lost: bool = False  # whether a row stood there of which nothing was taken
    file_rows: int = 0
    broken: list[int] = field(default_factory=list)  # ends of titles in a line that holds some of them
    split: int = 0  # columns before the place where a mailer broke the lines; 0: it did not
    rest: int = 0  # figures behind that place
    half: bool = False  # whether a title's first half stands before it: %CP alone is on the next line

    def seen(self, number: int) -> None:
        """Add a line below the titles; at most MAX_DEPENDS of a long comparison, since each of its runs depends on all."""
        if len(self.bodies) < MAX_DEPENDS:
            self.bodies.append(number)

    def ended(self) -> list[BonnieRun]:
        """The runs under one header. A person put several of them there where no file part follows, and named what they compare."""
        if self.section == "Output" and len({run.name for run in self.runs}) > 1:
            for run in self.runs:
                run.has_host = False
        return self.runs


def is_bonnie_title(lines: Sequence[str], at: int) -> bool:
    """Whether the line is the first or second of titles of Bonnie, which has `-Per Char-` and `%CPU`."""
    line = lines[at]
    if "Per Char-" in line:
        return True
    return "-Sequential Output-" in line and any("Per Char-" in below for below in lines[at + 1 : at + 3])


def is_title_start(line: str) -> bool:
    """Whether a last line is the beginning of the titles of the file part, or of a row of latencies."""
    rest = _LEAD.sub("", line)
    return len(rest) > 1 and any(title.startswith(rest) and title != rest for title in (_FILE_TITLES, "Latency"))


def begins_untitled_section(state: ReportState, lines: Sequence[str], at: int) -> bool:
    """Whether titles of a part begin without the section line above them (the units of a first part stand below)."""
    if state.section == "Output" and _FILE_GROUPS.search(lines[at]):
        return True
    if (state.section == "Output" and not (state.rows or state.lost)) or not _TITLES.search(lines[at]):
        return False
    return any(_UNITS.search(line) for line in lines[at : at + 3])


def open_section(state: ReportState, line: str, number: int) -> Iterator[BonnieRun | Doubt]:
    """A header with section names: the file part goes on with the run, the first part begins a new one."""
    named, version = SECTION.search(line), _VERSION.search(line)
    section = named[1] if named else "Create" if _FILE_GROUPS.search(line) else "Output"
    if section == "Output" or state.section == "Create":  # one file part belongs to a report
        yield from state.ended()
        if state.section and not state.rows:
            yield Doubt(number, "cut", "a new report begins before the first row of the previous one")
        state.runs, state.run, state.version, state.threads, state.header, state.rows = [], None, None, None, [], 0
        state.per_second, state.name, state.bodies = 1024, "", []
        state.lost = False
    state.section, state.ends, state.columns, state.file_rows, state.first, state.split = section, [], [], 0, 0, 0
    state.rest, state.half, state.broken = 0, False, []
    state.header.append(number)
    if not named:
        read_title_line(state, line, number)
    if version:
        state.version = version[1]
        goes_on = section == "Create" and state.per_second == 1  # 1.98 prints as 2.00 does
        state.per_second = 1 if goes_on or version[1][0] >= "2" else 1024


def read_title_line(state: ReportState, line: str, number: int) -> bool:
    """Takes further header lines; False where the line is none."""
    if "%CP" in line:
        _take_ends(state, [m.end() for m in re.finditer("%CP", MARKUP.sub("", line))])
        state.half = line.rstrip("> \t").endswith("/sec")
        if "K/sec" in line:
            state.per_second = 1024
        elif "Name:Size" in line:
            state.per_second = 1
        state.header.append(number)
        return True
    if len(groups := [m.end() for m in _GROUPS.finditer(line)]) >= 2:
        if len(groups) == _COLUMNS and not state.ends:
            state.ends = groups
        names = tuple("".join(re.findall("[A-Za-z]", m[0])) for m in _GROUPS.finditer(line))
        state.first = len(names) if names == _NAMES[: len(names)] else 0
        if found := _CONCURRENCY.search(line):
            state.threads = int(found[1])
        elif state.section == "Create" and not state.runs and (name := _ALONE.match(line)):
            state.name, state.name_line = name[1], number  # no first part, which else names the machine
        state.header.append(number)
        return True
    return bool(re.fullmatch(r"[\s>|]*(?:--(?:Sequential Input|Random)-+\s*|--Seeks--|-+Delete--|/sec|\s)+[\s=]*", line))


def _take_ends(state: ReportState, ends: list[int]) -> None:
    """Where the columns end; of titles that a mailer broke in two, the second line goes on at the columns' pitch."""
    before = len(state.broken)
    if len(ends) == _COLUMNS:
        state.ends = ends
    elif before and before + len(ends) == _COLUMNS:
        state.split, state.rest = before, 2 * len(ends) - state.half
        state.ends = state.broken + [state.broken[-1] + COLUMN_WIDTH * (n + 1) for n in range(len(ends))]
    state.broken = ends if 1 < len(ends) < _COLUMNS else []
