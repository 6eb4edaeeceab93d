"""Tables, lists and sentences with rates and times typed by hand, or printed by a script around a tool.

No parser knows them, so no value is taken: they get a warning, and can be taken with what their columns mean (`handmade_values`).
Looked for in the lines of a text that no parser read. What else has rates without being a result is named in `_NO_RESULTS`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import filterfalse, groupby
from typing import NamedTuple

from ingest.lazy_regex import lazy
from ingest.numbers import PATTERN as _NUMBER
from ingest.parsers.results_table import split_line
from ingest.records import Doubt
from ingest.text.lines import Text
from ingest.text.mentions import is_prose_name, mention_test

_PER_SECOND = r"(?: ?(?:/|per|pro|par|por) ?|p)[sSс](?:ec(?:onds?|onde)?\b|ekunde\b|egundo\b)?(?![A-Za-z/])"
_BYTES = r"(?:[kKMGTКМГ][iи]?(?:[BbБ]|[Bb]ytes?)|[mg]i?b|[kMG]o|[kKMGT]|[Bb]ytes?|B|[KkMG](?:ilo|ega|iga)bytes?)"
_COUNTED = (
    r"(?:IOs?|iops?|IOPs?|[kK]?ops?|operations|files?|seeks?|[Rr]eqs?|requests|[Tt]xns?|transactions|fsyncs?|creates?|stats?)"
)
_RATE = rf"(?:{_BYTES}{_PER_SECOND}|[kKM]?[iI][oO][pP][sS]?(?![A-Za-z])|{_COUNTED}{_PER_SECOND})"
_SECONDS = r"(?:[nmuµμ]s(?:ecs?)?|s|secs?|seconds?|Sekunden|secondes|segundos|mins?|minutes?|Minuten|h|hours?|Stunden)(?![\w/])"
_COUNTS = r"(?:files|fsyncs?|ops|seeks)(?:/| per )s(?:ec\w{0,4})?"
_RATE_WORD = rf"(?<![A-Za-z])(?:bw|bandwidth|throughput|k?iops|Durchsatz|débit|{_COUNTS})(?![A-Za-z])"
_FIGURE = lazy(rf"(?<![\w.,])[~<>≈]?(?P<number>{_NUMBER})\+?(?P<scale> ?[kKM](?= ?IO|\b))?(?:[ \u00a0]?(?P<unit>{_RATE}))?")
_RATE_FIGURE = lazy(rf"(?<![\w.,-])[~<>≈]?{_NUMBER}\+?[ \u00a0]?[kKM]?[ \u00a0]?{_RATE}|(?i:{_RATE_WORD})[ \t]*[:=~][ \t]*~?\d")
_TIME_CELL = lazy(rf"~?{_NUMBER} ?{_SECONDS}\Z|\d{{1,3}}(?::\d\d){{1,2}}(?:\.\d+)?\Z|\d+m ?\d[\d.]*s\Z")
_OPERATION = lazy(
    r"(?i)\b(?:re-?)?(?:read|writ(?:e|ing|ten)|wrote|cop(?:y|ied|ying)|rsync|cp|dd|tar|untar\w*|extract\w*|delet\w+|rm|scrub|resilver"
    r"|find|ls|create|creation|benchmark|test|run|backup|restore|send|receive|schreib\w+|les\w+|kopier\w+|lecture|écriture)\b"
)
_LOAD = lazy(rf"{_OPERATION.pattern}|\b(?:reads|writes|copies|fio|iozone|bonnie|ioping|elbencho|sysbench|filebench)\b")
_ELAPSED = r"(?i:\be\w?lapsed\w{0,8} ?[=:] ?)"  # with seconds that programs print without a unit
_TIME_WORD = r"(?i:\b(?:time|elapsed|duration|runtime|latency|lat|seconds|zeit|dauer|temps|durée|tiempo)\b)"
_TIME_SAID = lazy(
    r"(?:(?i:\b(?:took|takes|needed|elapsed|finishe[sd]|completed?|done|in|within|after|time)\b"
    r"|\b(?:dauerte|brauchte|Zeit|Dauer|temps|durée)\b)"
    rf"|^[^\n:]{{0,30}}(?:{_OPERATION.pattern.replace('(?i)', '')})[^\n:]{{0,20}}:(?= ))[ :=~]{{1,3}}"
    rf"(?:only |about |just |nur |etwa )?(?P<number>{_NUMBER})[ \u00a0]?(?P<unit>{_SECONDS}|m ?\d[\d.]*s\b)"
)
# A title, heading or label that names the unit of the figures below it.
_FIGURE_WITH_UNIT = lazy(rf"{_NUMBER} ?[kKM]?(?:{_RATE}|{_SECONDS})|[:=~][ \t]*~?\d")
_IN_TIME = r"\b(?:latency|time|elapsed|duration) (?:in |\()[nmuµμ]?s(?:ec(?:onds?)?)?\b"
_UNIT_TITLE = lazy(
    rf"(?i:{_RATE_WORD}|(?:ior|mdtest)-(?:easy|hard)|{_IN_TIME})|(?<![\w.]){_RATE}|(?<=_)(?i:[kmg]i?b_?p?s|iops|bw)\b"
)
_TIME_TITLE = lazy(rf"{_TIME_WORD}|[\[(/, ]{_SECONDS}[\])]?\Z")
_SIGN = lazy(rf"(?i){_RATE_WORD}|{_RATE}|mbps\b|_bw\b|_[kmg]i?b_?p?s\b|(?:ior|mdtest)-(?:easy|hard)|Tests? by Threads")
_TIME_FIGURE = lazy(rf"(?<![\w.,-])(?P<number>{_NUMBER})[ \u00a0]?(?P<unit>{_SECONDS})")
_TIME_SIGN = lazy(
    rf"{_TIME_SAID.pattern}|(?i:{_IN_TIME})|{_ELAPSED}\d+\.\d{{3}}|\([num]s(?:ec)?\)[^\n:]{{0,20}}:|"
    rf"(?i:latency|tiempo|\blat\b).*{_NUMBER} ?{_SECONDS}|\|[^|]{{0,30}}{_TIME_WORD}[^|]{{0,20}}\||\|\s*{_NUMBER} ?{_SECONDS}\s*\|"
)
TABLE_RULE = lazy(r"(?=[\s|:+=-]*?(?:--|:-|-:|==|\|\s?-\s?\|))[\s|:+=-]*\Z|[\s│┃║]*[─━═┌┏╔├┣╠└┗╚╒╞╘][─-╿]+\s*\Z")
_CELL = lazy(  # a figure, alone or with its unit, its spread, or a remark in brackets
    rf"[*_~<>≈\"' ]*(?:\d+m ?\d[\d.]*s|\d{{1,3}}(?::\d\d){{1,2}}(?:\.\d+)?|{_NUMBER})"
    rf"(?: ?/ ?{_NUMBER})?[kKMGT]? ?(?:{_RATE}|{_SECONDS}|[kKMGTP]?i?B|%|x)?[*_\"' ]*"
    r"(?:(?:±|\+[/-]+|[(\[])[^\n]{0,24})?\Z"
)
_BARS = lazy(r"[|│┃║]")
_GAPS = lazy(r"\t+| {2,}")
_HTML = lazy("(?i)[<[]td")
_HTML_ROW = lazy(r"(?is)<tr\b.{0,4000}?(?=</tr>|<tr\b|</table>|\Z)")
_HTML_CELL = lazy(r"(?is)<t[dh]\b[^>]*>(.*?)(?=<t[dh]\b|</t|\Z)")
_TAG = lazy(r"<[^>]{0,200}>")
_WORD = lazy(r"[^\W\d_]")
_RATE_SIGNS = (
    "/s;/ s;/с;_mb;_kb;_mib;per s;pro s;par s;por s;bps;iop;bw;bandwidth;throughput;durchsatz;débit;ior-;mdtest-;s by ;t by "
).split(";")
_TIME_SIGNS = (
    "|;took;takes;need;lapsed;finishe;complete;done; in ;within;after;time;dauer;brauchte;zeit;temps;latency;tiempo;lat ;durée;: "
).split(";")
_DELIMITERS = ";\t,"
_PAIR = lazy(rf"({_NUMBER}[ \t]*[kKM]?) ?/ ?({_NUMBER}[ \t]*[kKM]?)(?!\w)")
_SPLIT_TITLE = lazy(r"\(([^()]+(?:[/,] ?[^()]+)+)\)")
_BOTH = lazy(r"(?i)\b(read|write|r|w)/(read|write|r|w)\b")
_JSON = lazy(r'\s*(?:\{\s*["}]|\[\s*(?:[{"]|-?[\d.]{1,20}\s*,))')  # no `[root@host ~]#`, no `[quote]`
_JSON_MEMBER = lazy(r'"(?P<label>[^"\n]{1,60})"[ \t]*:[ \t]*\d{1,15}\.\d{3,}')  # settings have no decimals
_RESULT_SUFFIXES = tuple("txt log out md rst result results res report summary html htm csv mbox eml".split())
_MAX_TEXT = 4 << 20  # characters of a text that is searched
_MAX_LINE, _MAX_BLOCK, _MAX_JSON, _MOST = 400, 500, 1 << 20, 20
_EZFIO = lazy(r"-{3}(?P<name>.{3,90} Tests? by [A-Z][\w ]{2,20})-{3}\s*\Z")

# Lines with rates that are no results, and why: what a device may do or shall; what tools and systems print.
_POSSIBLE = lazy(
    r"(?i)\b(?:up to|rated|spec(?:s|ified|ifications?)?|data ?sheet|advertised|theoretical(?:ly)?|limit(?:ed|s)?|capped|throttl\w+"
    r"|quota|link|ethernet|infiniband|negotiated|should|would|could|expect(?:ed)?|calculated|estimated|assum\w+)\b"
)
_OF_TOOLS = lazy(
    "|".join(
        (
            r"^\s*(?:\S+@\S+[:~ ]\S*[#$%>]|[$%] )",  # a command
            rf"\s--?[a-z][\w-]*[= ]\d[\w.]*(?:\s(?!{_RATE})|\Z)",  # options
            r"^\s*(?:bw|iops|lat|slat|clat|cpu|issued|READ|WRITE)\b ?\(?[^:=]{0,20}[:)]? ?:? ?(?:min|bw|io|per|avg)\b ?=",  # fio
            r"^Jobs: \d|\[eta \d|\[r=|\[\d[\d.]*[KMG]?/|runt= ?\d|\bmint=|min=.*\bavg=|\bstdev=",
            r"\d%\s[^(`a-hjl-z]{0,40}/s\b|/s +\d+:\d\d|\(xfr#|\beta\b|\bETA\b|to-chk=",  # progress of a copy, a download, a scrub
            r"^\s*\[ *\d+\.\d{6}\]|raid6:|xor:|\bscanned\b|resilver(?:ed|ing)|\bissued\b|finish=",  # of the kernel, of pools
            r"^Fetched |Receiving objects|\b(?:CDN|[Ss]peedtest|Cachefly|Download(?:ing)?|Upload)\b",  # networks
            r"\b(?:Leaseweb|Softlayer|OVH|Online\.net|Linode)\b[^\n|:]{0,12}(?:\([A-Z]{2}\)|, [A-Z])",
            r"\(average\)|^\s*average: +[\d.]+ MiB/s$|Average I/O [Ss]peed|^BW +=",  # means of bench.sh, nench.sh, io500
            r"\b(?:cur|avg) MB/s\b|\bmax lat:|^[\s#*]*(?:f?[sw]d|rd|hd)=\w",  # rados bench, settings of vdbench
            r"\d+ bytes .{0,40}copied,|records (?:in|out)|^(?:sent|received) \S+ bytes|^total size is",  # dd, rsync
            r"^[\s>]*(?:api|access|Max (?:Write|Read)|Operation|xfersize|stonewall\w*|Commencing)\b.{0,40}[:=]",  # IOR
            r"\[SCOREX?\b|\bbw score:|generated [\d.]+ (?:[kM] )?requests|^\s*Total\s+\||\.\.\. *done: +\d",  # IO500, Bonnie
            r"\b(?:kB_read|rkB|wkB|rxkB|r/s|w/s|tps|%util|svctm|await|blk/s|bread/s|usr +sys|rpc bklog)\b",  # iostat, sar
            r"\bkB/op|^\s*thread\b.{0,120}LatStdDev|areq-sz|rrqm|Avg throughput per|across all tasks|icmp_seq|packets t",  # ping
            r"^\W*(?:\d+ |Number of )?CPUs? ",
            r"BogoMIPS|^(?!.*(?i:\b(?:read|writ)).{0,60}\d ?[kKMG]i?B/s)"  # buses, links, but beside what was read or written
            r"(?=.*(?:(?<!\w)\d[\d.]{0,9}(?: ?[x×]|-lane)|\bMT/s|Gb?ps\b|Gb/s|[MG]b(?:ps|it)))",
            r"^\s*(?://|/\*|<!--|import |def |return\b|echo |printf|print[ (]|const |var |let )|[{};]\s*\Z",  # programs
        )
    )
)


class HandmadeTable(NamedTuple):
    """Rows with figures. `titles`: of each column, '' for none; `rows`: (line, cells), no row longer than the titles.

    `caption`: the heading or sentence above that names a unit or an operation, '' for none.
    """

    titles: tuple[str, ...]
    rows: tuple[tuple[int, tuple[str, ...]], ...]
    caption: str = ""

    @property
    def line(self) -> int:
        return self.rows[0][0]

    def doubt(self) -> Doubt:
        """The warning about it, at its first row."""
        last, many = self.rows[-1][0], len(self.rows)
        what = f"a table of {many} rows (lines {self.line} to {last})" if many > 1 else "a line"
        return Doubt(self.line, "by-hand", f"{what} with rates or times that no known tool printed; nothing was recorded.")


def find_handmade_tables(text: Text, lines_read: Callable[[], Collection[int | str]] = tuple) -> Sequence[HandmadeTable]:
    """The tables, lists and sentences of a text, in line order. `lines_read` gives the lines that parsers read, where any other
    may be one."""
    is_json = _JSON.match(text.body) is not None
    if len(text.body) > _MAX_TEXT or not (is_json or _HTML.search(text.body) or any(True for _ in text.find_lines(_has_sign))):
        return ()
    if _is_program(text):
        return ()
    read = lines_read()
    if is_json:
        return () if read else [*_json_members(text)]
    tables = [*_html_tables(text, read)] if _HTML.search(text.body) else []
    inside = {line for table in tables for line, _ in table.rows} | {command.line for command in text.commands}
    for block in _blocks(text, {*read, *inside}):
        above = next((line for line in text.lines[max(0, block[0][0] - 3) : block[0][0] - 1][::-1] if line.strip()), "")
        tables += _read_block(block, _caption(above), _may_have_lists(text.name))
    return _merge(sorted((table for table in tables if not _continues(table, text.lines, read)), key=lambda table: table.line))


def _continues(table: HandmadeTable, lines: Sequence[str], read: Collection[int | str]) -> bool:
    """Whether the table goes on in a line that was read: it is of that tool's output, which has rows without a result."""

    def width(at: int) -> int:
        return len(_GAPS.split(lines[at - 1].strip())) if 0 < at <= len(lines) else 0

    return any(at in read and width(at) == width(table.line) > 4 for at in (table.line - 1, table.rows[-1][0] + 1))


def _is_program(text: Text) -> bool:
    test = None if is_prose_name(text.name) else mention_test(text)
    return test is not None and test(1, "label")


def _may_have_lists(name: str) -> bool:
    """Files of other types are settings, which have rates too."""
    return "." not in name or name.lower().endswith(_RESULT_SUFFIXES)


def _merge(tables: list[HandmadeTable]) -> list[HandmadeTable]:
    """The tables; beyond those with a warning each, the rest as one."""
    if len(tables) <= _MOST:
        return tables
    rest = tuple(row for table in tables[_MOST - 1 :] for row in table.rows)
    return [*tables[: _MOST - 1], HandmadeTable(("",) * max(len(cells) for _, cells in rest), rest)]


def _blocks(text: Text, read: Collection[int | str]) -> Iterator[list[tuple[int, str]]]:
    """The lines around each one that names a rate, between blank lines and lines that were read, with what stands above them."""
    lines, done = text.lines, 0
    if 2 * len(read) > len(lines):  # few lines are left
        signs: Iterator[int] = (index for index, line in enumerate(lines) if index + 1 not in read and _has_sign(line))
    else:
        signs = text.find_lines(_has_sign)
    for index in signs:
        if index < done or index + 1 in read:
            continue
        first = last = index
        while first > max(done, index - _MAX_BLOCK) and _is_inside(lines[first - 1], first, read):
            first -= 1
        while last + 1 < min(len(lines), index + _MAX_BLOCK) and _is_inside(lines[last + 1], last + 2, read):
            last += 1
        if not any(map(_RATE_FIGURE.search, lines[first : last + 1])) and last - first < 2 and len(lines[index]) < 80:
            below = last + 2  # a heading with the unit, and a blank line
            while below < min(len(lines), last + _MAX_BLOCK) and _is_inside(lines[below], below + 1, read):
                below += 1
            last = below - 1 if below > last + 2 else last
        done = last + 1
        yield [(number, lines[number - 1]) for number in range(first + 1, last + 2)]


def _has_sign(shape: str) -> bool:
    """Whether a line may name a rate or a time; most lines have none of the words."""
    if len(shape) > 2000:
        return False
    words = shape.lower()
    return any(
        any(map(words.__contains__, signs)) and pattern.search(shape)
        for signs, pattern in ((_RATE_SIGNS, _SIGN), (_TIME_SIGNS, _TIME_SIGN))
    ) and not _OF_TOOLS.search(shape)


def _is_inside(line: str, number: int, read: Collection[int | str]) -> bool:
    return bool(line.strip()) and number not in read and not line.lstrip().startswith(("```", "~~~"))


def _html_tables(text: Text, read: Collection[int | str]) -> Iterator[HandmadeTable]:
    body = text.body if "<td" in text.body.lower() else text.body.replace("[", "<").replace("]", ">")  # BBCode
    for part in re.finditer(r"(?is)<table\b.*?(?:</table>|\Z)", body):
        rows = [(text.line_at(part.start() + row.start()), _HTML_CELL.findall(row[0])) for row in _HTML_ROW.finditer(part[0])]
        found = [(line, [" ".join(_TAG.sub(" ", cell).split()) for cell in cells]) for line, cells in rows if line not in read]
        yield from _table([row for row in found if row[1]], "")


def _read_block(block: list[tuple[int, str]], above: str, may_have_lists: bool) -> Iterator[HandmadeTable]:
    """The tables of the lines, and what is said between them. `above`: a caption before the lines."""
    delimiter = _delimiter(block)
    caption, rows, said = _caption(block[-1][1], (_UNIT_TITLE,)) or above, list[tuple[int, list[str]]](), list[HandmadeTable]()
    for number, line in block:
        cells = _cells(line, delimiter)
        if TABLE_RULE.match(line):
            continue
        rated = [cell for cell in cells if _RATE_FIGURE.search(cell)]
        is_said = not delimiter and rated and not any(map(is_figure, rated))
        if len(cells) > 1 and len(line) <= 2000 and not is_said:
            rows.append((number, cells))
            continue
        yield from _table(rows, caption)
        rows, caption = [], _caption(line) or caption
        if may_have_lists:
            said += _said(number, line)
    yield from _table(rows, caption) if may_have_lists or delimiter else ()
    for titles, alike in groupby(said, key=lambda table: table.titles):
        yield HandmadeTable(titles, tuple(row for table in alike for row in table.rows), caption)


def _caption(line: str, named: Sequence[re.Pattern[str]] = (_UNIT_TITLE, _LOAD)) -> str:
    """The line where it names the unit of a table, or an operation, and has no figure, else ''."""
    if _EZFIO.match(line.strip()):
        return f"{line.strip(' -')} (MB/s, IOPS, us)"
    is_title = len(line) < 100 and any(pattern.search(line) for pattern in named) and not _FIGURE_WITH_UNIT.search(line)
    return line.strip(" \t#*=-_:|") if is_title and not _GAPS.search(line.strip()) and not _BARS.search(line) else ""


def _delimiter(block: Sequence[tuple[int, str]]) -> str:
    """What separates the cells: `|`, a delimiter of CSV, or '' for tabs and runs of blanks."""
    if sum(1 for _, line in block if _BARS.search(line)) > 1:
        return "|"
    for delimiter in _DELIMITERS:
        counts = [line.count(delimiter) for _, line in block]
        if len(block) < 2 or not counts[0] or len({*counts}) > 1 or re.search(r"\d\s|\. ", block[0][1]):
            continue
        if any(is_figure(cell) for _, line in block for cell in split_line(line, delimiter)):  # no list of `w=108MB/s, r=204MB/s`
            return delimiter
    return ""


def _cells(line: str, delimiter: str) -> list[str]:
    """The cells of a line; a single one where it is a sentence."""
    if delimiter == "|":
        return [cell.strip() for cell in _BARS.split(line.strip().strip("|│┃║"))] if _BARS.search(line) else [line.strip()]
    if delimiter:
        return split_line(line, delimiter)
    words = _GAPS.split(re.sub(r"[ \t]+([:=]) *", r"\1 ", line[: _MAX_LINE + 1]).strip(" \t#"))
    is_prose = len(line) > _MAX_LINE or any(word.count(" ") > 3 and not is_figure(word) for word in words[1:])
    return [line] if is_prose else words


def _table(rows: list[tuple[int, list[str]]], caption: str) -> Iterator[HandmadeTable]:
    """The table that the rows are, if a title, the caption or its cells name a rate or a time."""
    while rows:
        titles: Sequence[str] = ()
        if not any(is_figure(cell) for cell in rows[0][1]):
            (_, titles), rows = rows[0], rows[1:]
        end = next((at for at, (_, cells) in enumerate(rows) if at and not any(map(is_figure, cells))), len(rows))
        body, rows = rows[:end], rows[end:]
        found = [(line, _split_pairs(cells)) for line, cells in body if any(is_figure(cell) for cell in cells)]
        if not found or _OF_TOOLS.search("  ".join(titles)):
            continue
        width = max(len(cells) for _, cells in found)
        names = _SPLIT_TITLE.search(caption)
        if not titles and names and len(split := re.split(", ?" if "," in names[1] else " ?/ ?", names[1])) == width - 1:
            titles = ["", *split]
        titles = [*[""] * (len(found[0][1]) - len(titles) if titles and len(found[0][1]) - len(titles) == 1 else 0), *titles]
        titles = [*titles[:width], *[""] * (width - len(titles))]
        unit = _UNIT_TITLE.search(" | ".join(titles)) or _UNIT_TITLE.search(caption) or any(map(_TIME_TITLE.search, titles[1:]))
        kept = [
            (line, tuple(cells))
            for line, cells in found
            if ((unit or any(map(_UNIT_TITLE.search, filterfalse(is_figure, cells)))) and any(map(is_figure, cells[1:] or cells)))
            or (is_figure(cells[0]) and _UNIT_TITLE.search(titles[0]))
            or any(_RATE_FIGURE.search(cell) or _TIME_CELL.match(cell) for cell in cells[1:])
        ]
        kept = [row for row in kept if not any(map(_OF_TOOLS.search, row[1]))]
        if kept and any(_WORD.search(cell) for _, cells in kept for cell in (*cells[:1], *titles)):
            yield HandmadeTable(tuple(titles), tuple(kept), caption)


def is_figure(cell: str) -> bool:
    """Whether a cell is a figure, with or without its unit."""
    return _CELL.match(cell) is not None


def _split_pairs(cells: Sequence[str]) -> list[str]:
    """The cells, with `28,832 / 5,730` as two."""
    pairs = [(_PAIR.fullmatch(cell), cell) for cell in cells]
    return [part.strip() for pair, cell in pairs for part in (pair.groups() if pair else (cell,))]


def _said(number: int, line: str) -> Iterator[HandmadeTable]:
    """A line of a list or a sentence with rates, or with a time that something took. What stands before a figure is its title."""
    if len(line) > _MAX_LINE * 3:
        return
    figures = [match for match in _FIGURE.finditer(line) if match["unit"] or _follows_word(line, match)]
    if not figures and (_OPERATION.search(line) or re.search(_TIME_WORD, line)):
        figures = [*_TIME_SAID.finditer(line)] or [*_TIME_FIGURE.finditer(line)]
    if not figures or _OF_TOOLS.search(line) or (_POSSIBLE.search(line) and len(figures) < 2):
        return
    ends = [match.end() for match in figures]
    titles = [line[start : match.start("number")] for start, match in zip([0, *ends], figures, strict=False)] + [line[ends[-1] :]]
    pair = _BOTH.search(line)
    for at in range(1, len(titles)):  # `1.1 GB/s write, 2.3 GB/s read`
        before, separator, after = re.split(r"([,;.)]|\band\b|\bund\b|\bet\b|\Z)", titles[at], maxsplit=1)
        if separator or at == len(titles) - 1:
            titles[at] = after
            titles[at - 1] += f" {before}" if _OPERATION.search(before) else ""
        elif before.strip() == "/" and pair:  # `Read/Write IOPS: 235k/189k`
            title = titles[at - 1] if pair[0] in titles[at - 1] else f"{titles[at - 1]} {pair[0]}"
            titles[at - 1 : at + 1] = [title.replace(pair[0], pair[1]), title.replace(pair[0], pair[2])]
    titles = [title.strip(" \t|*_#>:=~(,;.-") for title in titles[:-1]]
    for at in range(2, len(titles)):  # `write: 543 IOPS (2173 KiB/s)`
        titles[at] = titles[at] or titles[at - 1]
    label, _, first = titles[0].rpartition(":")
    cells = [label or titles[0], *(line[match.start("number") : match.end()].strip() for match in figures)]
    yield HandmadeTable(("", first.strip() if label else "", *titles[1:]), ((number, tuple(cells)),))


def _follows_word(line: str, match: re.Match[str]) -> bool:
    """Whether a word near a number names its unit: `IOPS=41.2k`, `IOPS: 235k/189k`, `read_mbps = 512`, `45k read IOPS`."""
    before, after = line[max(0, match.start() - 60) : match.start()], line[match.end() : match.end() + 40]
    named = re.search(
        rf"(?i)(?:{_RATE_WORD}|_[kmg]i?b_?p?s|\([num]s(?:ec)?\)[^\n:]{{0,20}})\)?\s*[:=~]\s*(?:{_NUMBER}[kM]?/)?\Z|{_ELAPSED}\Z",
        before,
    )
    return named is not None or re.match(r"(?i) (?:(?:rand(?:om)?|seq\w*|4k|read|write)[ -]){1,3}iops\b", after) is not None


def _json_members(text: Text) -> Iterator[HandmadeTable]:
    """The rates of a JSON document that a script of its owner wrote."""
    rows = [
        (text.line_at(match.start()), (match["label"], match[0].rpartition(":")[2].strip()))
        for match in _JSON_MEMBER.finditer(text.body[:_MAX_JSON])
        if _UNIT_TITLE.search(match["label"])
    ]
    if len(rows) > 1:
        yield HandmadeTable(("", ""), tuple(rows))
