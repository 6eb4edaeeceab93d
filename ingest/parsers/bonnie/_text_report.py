"""The report of bonnie++ for people: 1.0x (K/sec), 1.9x (K/sec, latency), 2.00 (bytes per second with k, m, g).

Layout: BonTimer::DoReport (bon_time.cpp). A cell is found by its place in the row where the row is full, else by the
header above it: columns that were not run (-f) are blank, and posters lose or add blanks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise

from ingest.lazy_regex import lazy
from ingest.parsers.bonnie._columns import (
    FILE_COLUMNS,
    IO_COLUMNS,
    LATENCY_LIKE,
    MAX_DEPENDS,
    VALUE_LIKE,
    BonnieRun,
    strip_comment_mark,
)
from ingest.records import Doubt

# Columns of a row of a report whose blank cells make its width ambiguous, by the positions of its cells.

_GAP = 6  # blanks that only an empty column can make

Token = tuple[str, int, int]  # text, column after its last character, line


def columns_by_ends(columns: list[int], row: list[Token], cut: bool, named: bool) -> list[int] | None:
    """The columns over the cells of a row that begins with its size, by where they end.

    Cells that were not run leave a wide gap: a row without one has lost its blanks, so its columns are unknown.
    """
    size, ends = row[0], [t[1] for t in row[2::2]]
    if len(ends) == len(columns):
        return list(range(len(ends)))
    if not ends or (not cut and max(b[1] - len(b[0]) - a[1] for a, b in pairwise(row)) < _GAP):
        return None
    shift = size[1] - (columns[0] - _COLUMN_WIDTH)  # the size ends where its column ends; with no name it may begin the row
    shifts = {shift} if named else {shift, 0}
    fits: dict[tuple[int, ...], tuple[int, int]] = {}
    for chosen in combinations(range(len(columns)), len(ends)):
        fits[chosen] = min(_misfit(ends, [columns[c] + by for c in chosen]) for by in shifts)
    (chosen, best), (_, second) = sorted(fits.items(), key=lambda fit: fit[1])[:2]
    return list(chosen) if best[0] <= 4 and best[1] <= _COLUMN_WIDTH // 2 and best < second else None


def _misfit(ends: list[int], columns: list[int]) -> tuple[int, int]:
    """How far cells stand off: their spread (a wide value pushes the rest), then the distance from the size column."""
    off = [a - b for a, b in zip(ends, columns, strict=False)]
    from statistics import median  # imported on demand: it loads many modules

    return max(off) - min(off), abs(int(median(off)))


_SIZE = lazy(r"\d{1,12}[kKMGT](?::\w{0,12}){0,3}\Z")
_FILES = lazy(r"\d{1,9}(?::(?:\d{1,15}[kKmM]?|link|symlink)){0,3}(?:/\d{1,9}(?::\d{1,9})?)?\Z")
_FILE_ROW = lazy(r"[\s>|+-]*(?:\S+\s+)?\d{1,9}(?::[\w:/]+)?(?:\s+[\d+]\S*){8}")
_GLUED = lazy(r"(?<=\))(?=\d{1,12}[kKMGT]\s)")  # a size that touches the bracket of a name
_TORN = "\u2026"  # in place of a word with mark-up inside, which stands on no line
_CSV = 20  # commas that only a CSV line has
_PLUS = lazy(r"\+{2,}")
_REST = lazy(r"\d{1,4}\s*\Z")
FAST = [1, 2, 4, 5]  # columns of a first part with -f
_COLUMN = 19  # characters of name and size together
_WHOLE = 2  # blanks after a name that was not cut to fit its column
_FEWEST_PAIRS = 2
_CPU = 4  # a share of the processor with the blank before it
_MANY = 1024  # files of which no rate is a multiple by chance


def read_reports(lines: Sequence[str]) -> Iterator[BonnieRun | Doubt]:
    """Every row of a report as a run, with its file part and latencies; warnings for rows that cannot be read."""
    state, end = _ReportState(), 0
    for index, line in enumerate(lines):
        if index < end or not line.strip():
            continue
        if _is_bonnie_title(lines, index):
            state.section = ""  # of Bonnie, which has its own parser
        elif _SECTION.search(line) or _begins_untitled_section(state, lines, index):
            yield from _open_section(state, line, index + 1)
            yield from _check_file_rows(state, lines, index)
        elif not state.section:
            continue
        elif state.rows and line.count(",") >= _CSV:
            yield from state.ended()
            state = _ReportState(header=[index + 1])  # bonnie++ ends with its CSV line: a file part below it is of another run
        elif not _read_title_line(state, line, index + 1):
            end, items = _body(state, lines, index)
            yield from items
    yield from state.ended()
    yield from _check_end(state, lines)


def _check_end(state: _ReportState, lines: Sequence[str]) -> Iterator[Doubt]:
    """A warning where the text ends inside a report."""
    if state.section and not state.rows:
        yield Doubt(len(lines), "cut", "the report ends before its first row")
    elif state.section == "Create" and not state.file_rows:
        yield Doubt(state.header[-1], "cut", "the file part ends before its first row")
    elif state.section == "Output" and lines and _is_title_start(lines[-1]):
        yield Doubt(len(lines), "cut", "the text ends inside the header of the file part")


def _check_file_rows(state: _ReportState, lines: Sequence[str], at: int) -> Iterator[BonnieRun | Doubt]:
    """A warning where the file part has another number of rows than the first part: its rows then become runs of their own."""
    if state.section == "Create" and len(state.runs) > 1:
        rows = 0
        for line in lines[at + 1 :]:
            if _SECTION.search(line) or line.count(",") >= _CSV:
                break
            rows += bool(_FILE_ROW.match(line))
        if rows and rows != len(state.runs):
            yield Doubt(
                at + 1,
                "ambiguous",
                f"{rows} rows of the file part for {len(state.runs)} of the first part: it is "
                "unclear which belong together, so the file part was recorded on its own",
            )
            yield from state.runs
            state.runs = []


def _body(state: _ReportState, lines: Sequence[str], at: int) -> tuple[int, list[BonnieRun | Doubt]]:
    """A data or latency row: the index of the line after it, and runs and warnings."""
    tokens = _tokens(lines[at], at + 1)
    state.seen(at + 1)
    if tokens and tokens[0][0].lstrip("+->|#/") == "Latency":
        run, out = (state.run, []) if state.run else _rowless(state, len(tokens) - 1, at)
        cells, after = _more_latencies(state, tokens[1:], lines, at)
        return after, out + _latency(state, run, cells, at + 1)
    if state.section == "Output":
        first = next((i for i, t in enumerate(tokens) if _SIZE.match(t[0]) and _are_cells(tokens[i + 1 :])), None)
    else:
        first = next(
            (
                i
                for i, t in enumerate(tokens)
                if _FILES.match(t[0])
                and _are_cells(tokens[i + 1 :])
                and (i == 0 or len(_wrapped(state, tokens[i + 1 :], lines, at)[0]) == 12)
            ),
            None,
        )
    if first is None or len(tokens) - first < 2:
        if state.section == "Output" and state.run and at - state.run.last < 2 and _full(tokens):
            return at + 1, _again(state, state.run, tokens, at)
        return at + 1, _half_row(state, lines, tokens, at)
    cells, after = _wrapped(state, tokens[first + 1 :], lines, at)
    return after, _row(state, tokens[:first], tokens[first], cells, at, last=not any(x.strip() for x in lines[after:]))


def _are_cells(cells: list[Token]) -> bool:
    """Whether words can be the cells of a row; of all twelve, two may be damaged."""
    like = sum(bool(VALUE_LIKE.match(cell[0])) for cell in cells)
    return like == len(cells) or (len(cells) == 12 and like >= 10 and any(c in cell[0] for cell in cells for c in "*#?\ufffd"))


def _rowless(state: _ReportState, cells: int, at: int) -> tuple[BonnieRun, list[BonnieRun | Doubt]]:
    """The run of latencies without their row of rates; its size is unknown."""
    run = BonnieRun(at + 1, state.name, state.version, False, name_line=state.name_line)
    run.set("threads", state.threads)
    run.context_lines, state.run, state.columns = (state.header, state.bodies), run, FAST if cells == len(FAST) else list(range(6))
    state.runs.append(run)
    state.rows += 1
    return run, [Doubt(at + 1, "short-row", "the row above these latencies is missing, so their size is unknown")]


def _again(state: _ReportState, above: BonnieRun, cells: list[Token], at: int) -> list[BonnieRun | Doubt]:
    """A row that leaves out machine and size, since they are those of the row above."""
    run = BonnieRun(at + 1, above.name, above.version, False, dict(above.params), has_host=above.has_host, name_line=above.line)
    state.runs.append(run)
    state.run, state.columns = run, list(range(6))
    run.context_lines, run.last = (state.header, state.bodies), at + 1
    _fill(state, run, cells, state.columns, own=False)
    return []


def _full(tokens: list[Token]) -> bool:
    """Whether the words are a figure and a share of the processor for each of the six columns."""
    return len(tokens) == 12 and all(VALUE_LIKE.match(t[0]) for t in tokens)


def _half_row(state: _ReportState, lines: Sequence[str], tokens: list[Token], at: int) -> list[BonnieRun | Doubt]:
    """A line that is no row; a doubt where most of it looks like one."""
    like = sum(bool(VALUE_LIKE.match(t[0])) for t in tokens)
    if "," in lines[at] or like < 8:
        return []
    state.lost = True
    return [Doubt(at + 1, "bad-number", "a field of this row is not a number; nothing in the row was recorded")]


def _row(state: _ReportState, name: list[Token], size: Token, cells: list[Token], at: int, last: bool) -> list[BonnieRun | Doubt]:
    """One data row: a run in the first section, more of the same run in the second."""
    cut = last and len(cells) < 12 and len(cells) % 2 == 1
    if cut:
        cells = cells[:-1]
    elif last and _ends_early(state, cells):
        cut, cells = True, [*cells[:-1], ("", *cells[-1][1:])]
    pairs = None if _shifted(cells) else _places(state, size, cells, cut, named=bool(name))
    if pairs is None and not last and state.section == "Output" and _is_fast(size, cells):
        pairs = FAST
    if pairs is None:
        return [
            Doubt(
                at + 1, "short-row", f"{len(cells)} fields do not match the columns of the header; nothing in the row was recorded"
            )
        ]
    state.rows += 1
    run = _run_of(state, strip_comment_mark(" ".join(t[0] for t in name)), at)
    if name:
        wide = size[1] - name[0][1] + len(name[0][0]) >= _COLUMN
        run.has_host = not wide or size[1] - len(size[0]) - name[-1][1] >= _WHOLE
    if state.section == "Output":
        run.sizes(size[0])
    else:
        run.file_counts(size[0])
    state.run, state.columns = run, pairs
    run.context_lines, run.last = (state.header, state.bodies), at + 1
    _fill(state, run, cells, pairs, own=not name)
    if cut:
        run.doubts.append(Doubt(at + 1, "cut", "the last row is cut off; its complete fields were recorded"))
    return []


def _shifted(cells: list[Token]) -> bool:
    """Whether a cell is lost: what was too fast is +++++ for a rate and +++ for its %CP (BonTimer::PrintStat)."""
    return any(_PLUS.fullmatch(cell[0]) and (len(cell[0]) < 4) != place % 2 for place, cell in enumerate(cells))


def _is_fast(size: Token, cells: list[Token]) -> bool:
    """Whether it is the row of a run with -f, which has no figures per character, whose runs of blanks were made one."""
    row = [size, *cells]
    return len(cells) == 8 and not _shifted(cells) and all(b[1] - len(b[0]) - a[1] == 1 and a[2] == b[2] for a, b in pairwise(row))


def _ends_early(state: _ReportState, cells: list[Token]) -> bool:
    """Whether the last of twelve cells lacks digits: it stands before its column, where those before it stand in theirs."""
    if len(cells) != 12 or len(state.ends) != 6 or cells[0][2] != cells[-1][2]:
        return False
    off = [cell[1] - end for cell, end in zip(cells[1::2], state.ends, strict=True)]
    return len(set(off[:-1])) == 1 and off[-1] < off[0]


def _run_of(state: _ReportState, name: str, at: int) -> BonnieRun:
    """The run of a row: a new one, or for a row of the file part the one in the same place of the first part."""
    if state.section == "Create":
        state.file_rows += 1
        if state.file_rows <= len(state.runs):
            return state.runs[state.file_rows - 1]
    run = BonnieRun(at + 1, name or state.name, state.version, False, name_line=0 if name else state.name_line)
    name = run.name
    run.set("machine", name or None)
    run.set("threads", state.threads)
    state.runs.append(run)
    return run


def _fill(state: _ReportState, run: BonnieRun, cells: list[Token], pairs: list[int], own: bool) -> None:
    """Adds the cells of a row. `own`: printed by bonnie++ itself; bon_csv2txt names the machine and is right."""
    columns = IO_COLUMNS if state.section == "Output" else FILE_COLUMNS
    wrong = state.section == "Create" and own and (state.per_second == 1 or _are_counts(run, cells))
    for place, at in zip(pairs, range(0, len(cells), 2), strict=False):
        (raw, _, line), cpu = cells[at], cells[at + 1]
        if cpu[0].startswith("+") and re.fullmatch(r"0[kmg]?", raw):
            run.rate_too_fast(line, columns[place], raw)  # bon_csv2txt makes 0k of +++++
            run.cpu(cpu[2], columns[place], cpu[0])
            continue
        if not wrong or raw.startswith("+"):
            run.rate(line, columns[place], raw, state.per_second if columns[place][3] else 1)
        run.cpu(cpu[2], columns[place], cpu[0])
    if wrong and any(not c[0].startswith("+") for c in cells[::2]):
        run.doubts.append(
            Doubt(
                cells[0][2],
                "unmeasured",
                "bonnie++ 2.00 prints wrong file rates in its report (multiples of the "
                "number of files, or 0); only its CSV line has them; the report's were not recorded",
            )
        )


def _are_counts(run: BonnieRun, cells: list[Token]) -> bool:
    """Whether every rate is a multiple of the number of files: the titles that show the version may be missing."""
    rates, files = [cell[0] for cell in cells[::2] if not cell[0].startswith("+")], run.params.get("files")
    return isinstance(files, int) and files >= _MANY and all(raw.isdecimal() and int(raw) % files == 0 for raw in rates)


def _latency(state: _ReportState, run: BonnieRun, cells: list[Token], at: int) -> list[BonnieRun | Doubt]:
    columns = IO_COLUMNS if state.section == "Output" else FILE_COLUMNS
    if not all(LATENCY_LIKE.match(t[0]) for t in cells) or not cells:
        return [Doubt(at, "bad-number", "a field of this latency row is not a latency; nothing in the row was recorded")]
    places = list(range(6)) if len(cells) == 6 else state.columns if len(cells) == len(state.columns) else None
    if places is None:
        return [Doubt(at, "short-row", f"{len(cells)} latencies for {len(state.columns)} columns; nothing in the row was recorded")]
    for place, (raw, _, line) in zip(places, cells, strict=False):
        run.latency(line, columns[place], raw)
    run.last = at
    return []


def _places(state: _ReportState, size: Token, cells: list[Token], cut: bool, named: bool) -> list[int] | None:
    """The columns (0 to 5) of the pairs of cells; None where they fit none or more than one set of columns."""
    pairs = len(cells) // 2
    if len(cells) % 2 or not _FEWEST_PAIRS <= pairs <= 6:
        return None
    if pairs in (6, state.first):
        return list(range(pairs))
    if len(state.ends) != 6:
        return None
    if cells[-1][2] == size[2] or (cells[-2][2] == size[2] and cells[-1][1] > cells[-2][1]):
        return columns_by_ends(state.ends, [size, *cells], cut, named)
    first = columns_by_ends(state.ends[: state.split], [size, *cells[: 2 * (state.split - 6)]], cut, named)
    return first and [*first, *range(state.split, 6)]


def _wrapped(state: _ReportState, cells: list[Token], lines: Sequence[str], at: int) -> tuple[list[Token], int]:
    """The cells of a row whose end a mailer put on the next line, and the index after it.

    Where columns are blank, the titles tell how many of them stand on the next line: it has to hold just as many.
    """
    if len(cells) < 12 and at + 1 < len(lines):
        more = _tokens(lines[at + 1], at + 2)
        due = {12 - len(cells), state.rest}
        if more and len(more) in due and len(more) <= 4 and all(VALUE_LIKE.match(t[0]) for t in more):
            return cells + more, at + 2
        if len(more) == 1 and len(cells) % 2 and _REST.fullmatch(lines[at + 1].strip()) and not _shifted(cells):
            (raw, _, line), end = more[0], cells[-1][1]
            return [*cells, (raw, end + _CPU, line)], at + 2  # where it stood before a long line was wrapped
    if len(cells) % 2 == 0 and cells and at + 1 < len(lines) and _REST.match(lines[at + 1]):
        return [*cells[:-1], (_TORN, *cells[-1][1:])], at + 2  # a terminal broke the line inside its last figure
    return cells, at + 1


def _more_latencies(state: _ReportState, cells: list[Token], lines: Sequence[str], at: int) -> tuple[list[Token], int]:
    """The latencies of a row whose end a mailer put on the next line, and the index after it."""
    if len(cells) < len(state.columns) and at + 1 < len(lines):
        more = _tokens(lines[at + 1], at + 2)
        if more and len(cells) + len(more) == len(state.columns) and all(LATENCY_LIKE.match(t[0]) for t in more):
            return cells + more, at + 2
    return cells, at + 1


_MARKS = frozenset({">", "|", ">>", "*", "#", "##", "//", ";"})


def _tokens(line: str, number: int) -> list[Token]:
    """The words of a line without mark-up, mail quoting, marks of comments and soft line breaks."""
    text = re.sub(r"(?:=(?:20)?|\\)\s*\Z", "", _MARKUP.sub("", line))
    text = _GLUED.sub(" ", text)
    words = [m for m in re.finditer(r"\S+", text) if m[0] not in _MARKS][:60]
    return [(m[0] if text == line or m[0] in line else _TORN, m.end(), number) for m in words]


# The titles over a report of bonnie++, and where a reading of one stands: section, version, columns, rows so far.

_D = "[-\u2013\u2014]"  # a hyphen, or the dash that a typesetter made of several
_SECTION = lazy(rf"{_D}Sequential (Output|Create){_D}")
_TITLES = lazy(rf"{_D}Per Chr{_D}+\s+{_D}+Block{_D}+\s+{_D}+Rewrite{_D}|\bMachine\s+Size\s+K/sec\s+%CP\s+K/sec\s+%CP\s+K/sec")
_FILE_GROUPS = lazy(rf"{_D}Create{_D}+\s+{_D}+Read{_D}+\s+{_D}+Delete{_D}")
_UNITS = lazy(r"\bSize\s+K/sec\s+%CP|\bName:Size etc\s+/sec\s+%CP")
_NAMES = ("PerChr", "Block", "Rewrite", "PerChr", "Block", "Seeks")
_VERSION = lazy(r"(?:Version\s+@?|^[\s>|]*(?=[12]\.\d\d\w?\s+-))(\d[\w.]{1,9})")
_ALONE = lazy(rf"[\s>|]*([\w.-]{{1,60}})\s{{2,}}{_D}+Create{_D}+")
_CONCURRENCY = lazy(r"Concurrency\s+(\d{1,6})\b")
_GROUPS = lazy(rf"{_D}+(?:Per Chr|Block|Rewrite|Seeks|Create|Read|Delete){_D}+")
_MARKUP = lazy(  # what posters set figures and whole reports off with
    r"<[^<>]{1,60}>|(?<!\*)\*\*(?!\*)|\[/?(?:b|i|u|s|tt|color|colour|size|font|code|quote|pre|mono|html|plain|list|indent|center|spoiler)"
    r"(?:=[^\]]{0,40})?\]",
    re.I,
)
_LEAD = lazy(r"^[\s>|+-]*?(?:Version\s+\S{1,9}\s+)?(?=-{2}|Lat)")
_FILE_TITLES = "------Sequential Create------"
_COLUMNS, _COLUMN_WIDTH = 6, 10  # columns of a part; characters of one column with its %CP


@dataclass
class _ReportState:
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


def _is_bonnie_title(lines: Sequence[str], at: int) -> bool:
    """Whether the line is the first or second of titles of Bonnie, which has `-Per Char-` and `%CPU`."""
    line = lines[at]
    if "Per Char-" in line:
        return True
    return "-Sequential Output-" in line and any("Per Char-" in below for below in lines[at + 1 : at + 3])


def _is_title_start(line: str) -> bool:
    """Whether a last line is the beginning of the titles of the file part, or of a row of latencies."""
    rest = _LEAD.sub("", line)
    return len(rest) > 1 and any(title.startswith(rest) and title != rest for title in (_FILE_TITLES, "Latency"))


def _begins_untitled_section(state: _ReportState, lines: Sequence[str], at: int) -> bool:
    """Whether titles of a part begin without the section line above them (the units of a first part stand below)."""
    if state.section == "Output" and _FILE_GROUPS.search(lines[at]):
        return True
    if (state.section == "Output" and not (state.rows or state.lost)) or not _TITLES.search(lines[at]):
        return False
    return any(_UNITS.search(line) for line in lines[at : at + 3])


def _open_section(state: _ReportState, line: str, number: int) -> Iterator[BonnieRun | Doubt]:
    """A header with section names: the file part goes on with the run, the first part begins a new one."""
    named, version = _SECTION.search(line), _VERSION.search(line)
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
        _read_title_line(state, line, number)
    if version:
        state.version = version[1]
        goes_on = section == "Create" and state.per_second == 1  # 1.98 prints as 2.00 does
        state.per_second = 1 if goes_on or version[1][0] >= "2" else 1024


def _read_title_line(state: _ReportState, line: str, number: int) -> bool:
    """Takes further header lines; False where the line is none."""
    if "%CP" in line:
        _take_ends(state, [m.end() for m in re.finditer("%CP", _MARKUP.sub("", line))])
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


def _take_ends(state: _ReportState, ends: list[int]) -> None:
    """Where the columns end; of titles that a mailer broke in two, the second line goes on at the columns' pitch."""
    before = len(state.broken)
    if len(ends) == _COLUMNS:
        state.ends = ends
    elif before and before + len(ends) == _COLUMNS:
        state.split, state.rest = before, 2 * len(ends) - state.half
        state.ends = state.broken + [state.broken[-1] + _COLUMN_WIDTH * (n + 1) for n in range(len(ends))]
    state.broken = ends if 1 < len(ends) < _COLUMNS else []
