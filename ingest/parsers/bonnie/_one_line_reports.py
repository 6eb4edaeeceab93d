"""Reports of bonnie++ on one line, where a page or its reader lost the line ends: the lines that they were.

A line end may have become a blank (`... /sec %CP box 8G 900 98 ...`) or nothing (`... /sec %CPbox   8G   900  98 ...`). The
beginning of each line follows from the output: titles, six columns under them, twelve figures of a row, its CSV line
(bon_time.cpp, DoReport). A line is looked at only where titles of two lines stand on it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from ingest.lazy_regex import lazy
from ingest.records import Found, MissingValue, Value

_CELL = r"[ \t]+(?:\d[\d.]{0,12}[kmgt]?|\+{3,5})"
_UNITS = r"(?:K?/sec[ \t]+%CP[ \t]+){5}K?/sec[ \t]+%CP"
_FLAT = lazy(r"-Per Chr-.{0,200}?K?/sec[ \t]+%CP|-Create--.{0,200}?/sec[ \t]+%CP")
_BEGINS = lazy(  # a line begins where one of these does
    r"(?:Version[ \t]+@?[\w.]{1,10}[ \t]+)?-{4,}Sequential (?:Output|Create)-|Concurrency[ \t]+\d{1,6}[ \t]+-Per Chr-"
    r"|(?:Machine[ \t]+Size|Name:Size etc)[ \t:]|files(?::max)?(?::min)?[ \t]+/sec[ \t]+%CP|Latency[ \t]+(?=[\d+])"
    r"|(?:Writing |Rewriting|Reading |start 'em|(?:Create|Stat|Delete) files in )"
    r"|(?<![\w.])1\.9\d\w?,(?:1\.9|2\.)\d{1,2}\w?,|(?<![\w.,-])[\w.-]{1,60},\d{1,9}[MG](?::\w{1,8})?,(?=[\d+]*,[\d+]*,)"
)
_ENDS = lazy(  # and where one of these has ended
    rf"--Random-(?=[ \t]*(?:Concurrency|-Per|[ \t]))|Random Create-{{4,}}|--Seeks--(?=[ \t]*(?:Machine|Name|Size))|{_UNITS}"
    rf"|-Delete--(?=[ \t]*files)|Latency(?:[ \t]+(?:\d{{1,12}}[nmu]?s|\+{{3,5}})){{1,6}}"
    rf"|(?<=%CP)[ \t]+\d{{1,9}}(?::[\w:/]{{1,30}})?(?:{_CELL}){{11}}[ \t]+(?:\d{{1,3}}|\+{{3}})"
    r"|,(?:[\d.+]{0,12}(?:[mu]?s)?,){20,50}[\d.+]{0,12}(?:[mu]?s)?"
)


def split_joined_lines(lines: Sequence[str]) -> tuple[Sequence[str], list[int] | None]:
    """The lines with such ones parted, and the line of the text of each and of what may follow them, on which a row that is cut
    depends; the lines themselves and None where there is none."""
    flat = {at for at, line in enumerate(lines) if "%CP" in line and _FLAT.search(line)}
    if not flat:
        return lines, None
    out, origins = list[str](), list[int]()
    for at, line in enumerate(lines):
        parts = list(_parts(line)) if at in flat else [line]
        out += parts
        origins += [at + 1] * len(parts)
    return out, [*origins, len(lines) + 1]


def _parts(line: str) -> Iterator[str]:
    ends = [found.span() for found in _ENDS.finditer(line)]
    begins = (found.start() for found in _BEGINS.finditer(line))  # one may touch the last figure of a row: `3131  38box,2G,...`
    cuts = {cut for cut in begins if not _within(ends, cut)} | {end for _, end in ends}
    begun = 0
    for cut in sorted({*cuts, len(line)} - {0}):
        if line[begun:cut].strip():
            yield line[begun:cut]
            begun = cut


def _within(spans: list[tuple[int, int]], cut: int) -> bool:
    """Whether it lies inside one of the spans, which stand in order and apart."""
    before = bisect_left(spans, (cut, 0)) - 1
    return before >= 0 and cut < spans[before][1]


def restore_line_numbers(items: Iterator[Found], origins: list[int]) -> Iterator[Found]:
    """The items of the parts, with the line numbers of the text."""
    for item in items:
        if isinstance(item, Value):
            item.depends = tuple(dict.fromkeys(origins[line - 1] for line in item.depends))
        if isinstance(item, Value | MissingValue):
            item.run = (origins[item.run - 1], item.run)
            item.printed_config = {key: (value, origins[line - 1]) for key, (value, line) in item.printed_config.items()}
            item.same_as = item.same_as and _origin(item.same_as, origins)
        item.line = _origin(item.line, origins)
        yield item


def _origin(line: int | str, origins: list[int]) -> int | str:
    return origins[line - 1] if isinstance(line, int) else line
