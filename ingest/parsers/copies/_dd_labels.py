"""Labels before dd's summaries and headings around them that name the operation, read or write."""

from __future__ import annotations

from collections.abc import Sequence

from ingest import units
from ingest.lazy_regex import lazy
from ingest.parsers.copies._dd_command import MARGIN

_WRITE = (
    r"w|writ(?:es?|ing)|schreiben|[\u00e9e]criture|escritura|escrita|scrittura|\u0437\u0430\u043f\u0438\u0441\u044c|\u5199\u5165?"
)
_READ = r"r|read(?:s|ing)?|lesen|lecture|lectura|leitura|lettura|\u0447\u0442\u0435\u043d\u0438\u0435|\u8bfb\u53d6?"
_LABEL = lazy(
    rf"(?i)(?:^|[\s|*>#-])(?:(?P<write>{_WRITE})|(?P<read>{_READ}))(?: (?:speed|test|rate|throughput))?"
    r"\s*(?:\[?\d{1,3}\]?)?\s*[:=,\uff1a]\s*\Z"
)
_SIZED = lazy(r"(?i)(?:^|[\s(,])(?:bs|block ?size)[ =:]{1,3}(\d{1,8}[km]?)\)?\s{0,4}[-:=,]?\s*\Z")
# A line above the output of a script: `Running DD WRITE test...`, `### dd read speed`.
_DD_HEADING = lazy(r"(?i)^[^|=\n]{0,40}\bdd\b[^|=\n]{0,20}\b(?:writ(?:es?|ing)|read(?:s|ing)?)\b")
# A message of a script: `Testing write speeds. Test: 1.`, `Running read test (2/3)`.
_SCRIPT_MESSAGE = lazy(
    r"(?i)^(?:now |\W{1,3} ?)?(?:testing|running|measuring|benchmarking|checking)\b[^|=\n]{0,30}\b"
    r"(?:writ(?:es?|ing)|read(?:s|ing)?) (?:speeds?|performance|rates?|tests?|throughput|benchmark)\b[^|=\n]{0,20}\Z"
)
# A heading or a label on a line of its own: `## Write test`, `**Read**`, `Sequential write:`, `reading it back:`.
_HEADING = lazy(
    r"(?i)^(?:#{1,6} |\*\*|={2,8} |)(?:[\w/()-]+ ){0,4}?(?:(?P<write>writ(?:es?|ing))|(?P<read>read(?:s|ing)?))(?: [\w/()-]+){0,4}"
    r"(?P<end>:|\*\*:?|:\*\*| ={2,8}| ?(?:\.{2,3}|\u2026)|)\Z"
)
# Storage.sh of PiBenchmarks: `DD Write Speed: 85.3 MB/s`.
_RESULT_LINE = lazy(r"(?i)[ \t>|]*DD (?P<write>write)? ?(?P<read>read)? ?speed: \d")
_MAX_DISTANCE = 3  # blank lines and fences between a heading and the output below it


def labelled_block_size(prefix: str) -> int | None:
    """The block size in bytes named by the text before a summary: `bs 512:`, `bs=4k `, `block size 64K - `."""
    match = _SIZED.search(prefix)
    return units.parse_dd_operand(match[1]) if match else None


def labelled_operation(prefix: str) -> str | None:
    """`write` or `read` as named by the text before a summary (`W:`, `read[2]:`, `write, `), else None."""
    match = _LABEL.search(prefix + " ")
    return ("write" if match["write"] else "read") if match else None


def operation_above(lines: Sequence[str], first: int) -> tuple[str, int] | None:
    """`write` or `read` as named by the heading above the output that begins on a 1-based line, and the heading's line."""
    number = first - 1
    for _ in range(_MAX_DISTANCE):
        if number > 1 and (not lines[number - 1].strip(MARGIN) or lines[number - 1].lstrip().startswith("```")):
            number -= 1
    line = lines[number - 1].strip() if number else ""
    lower = line.lower()
    if ("writ" in lower) == ("read" in lower) or not _is_heading(line):
        return None
    return ("write" if "writ" in lower else "read"), number


def operation_below(lines: Sequence[str], last: int) -> tuple[str, int] | None:
    """`write` or `read` as named by the line right below a summary, where a script repeats its result, and that line."""
    match = _RESULT_LINE.match(lines[last]) if last < len(lines) and "peed: " in lines[last] else None
    return ("write" if match["write"] else "read", last + 1) if match and bool(match["write"]) != bool(match["read"]) else None


def _is_heading(line: str) -> bool:
    """Whether a line announces an output: a message of a script, a heading or a label on a line of its own."""
    if ("dd" in line.lower() and _DD_HEADING.match(line)) or _SCRIPT_MESSAGE.match(line):
        return True
    heading = _HEADING.match(line) if len(line) < 60 else None
    return bool(heading and (heading["end"] or line.startswith("#")))
