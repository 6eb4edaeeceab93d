"""What people write beside dd's summaries to tell reads from writes: labels before them, headings above them."""

from __future__ import annotations

from collections.abc import Sequence

from ingest import units
from ingest.lazy_regex import lazy

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
_HEADED = lazy(r"(?i)^[^|=\n]{0,40}\bdd\b[^|=\n]{0,20}\b(?:writ(?:es?|ing)|read(?:s|ing)?)\b")
# What a script says that it does: `Testing write speeds. Test: 1.`, `Running read test (2/3)`.
_DOES = lazy(
    r"(?i)^(?:now |\W{1,3} ?)?(?:testing|running|measuring|benchmarking|checking)\b[^|=\n]{0,30}\b"
    r"(?:writ(?:es?|ing)|read(?:s|ing)?) (?:speeds?|performance|rates?|tests?|throughput|benchmark)\b[^|=\n]{0,20}\Z"
)
# A heading or a label on a line of its own: `## Write test`, `**Read**`, `Sequential write:`, `reading it back:`.
_ALONE = lazy(
    r"(?i)^(?:#{1,6} |\*\*|={2,8} |)(?:[\w/()-]+ ){0,4}?(?:(?P<write>writ(?:es?|ing))|(?P<read>read(?:s|ing)?))(?: [\w/()-]+){0,4}"
    r"(?P<end>:|\*\*:?|:\*\*| ={2,8}| ?(?:\.{2,3}|\u2026)|)\Z"
)
# Storage.sh of PiBenchmarks: `DD Write Speed: 85.3 MB/s`.
_BELOW = lazy(r"(?i)[ \t>|]*DD (?P<write>write)? ?(?P<read>read)? ?speed: \d")
_MARGIN = " \t>|*#"
_BETWEEN = 3  # blank lines and fences between a heading and the output below it


def labelled_block_size(before: str) -> int | None:
    """The size of the blocks that the text right before a summary tells: `bs 512:`, `bs=4k `, `block size 64K - `."""
    found = _SIZED.search(before)
    return units.parse_dd_operand(found[1]) if found else None


def labelled_operation(before: str) -> str | None:
    """What the text right before a summary calls it: `write`, `read` or None (`W:`, `read[2]:`, `write, `)."""
    found = _LABEL.search(before + " ")
    return ("write" if found["write"] else "read") if found else None


def operation_above(lines: Sequence[str], first: int) -> tuple[str, int] | None:
    """What the line above an output calls it, and that line (1-based): write or read, where no command tells."""
    above = first - 1
    for _ in range(_BETWEEN):
        if above > 1 and (not lines[above - 1].strip(_MARGIN) or lines[above - 1].lstrip().startswith("```")):
            above -= 1
    line = lines[above - 1].strip() if above else ""
    small = line.lower()
    if ("writ" in small) == ("read" in small) or not _heads(line):
        return None
    return ("write" if "writ" in small else "read"), above


def operation_below(lines: Sequence[str], last: int) -> tuple[str, int] | None:
    """What the line below an output calls it, and that line (1-based), where a script says its figure again by name."""
    found = _BELOW.match(lines[last]) if last < len(lines) and "peed: " in lines[last] else None
    return ("write" if found["write"] else "read", last + 1) if found and bool(found["write"]) != bool(found["read"]) else None


def _heads(line: str) -> bool:
    if ("dd" in line.lower() and _HEADED.match(line)) or _DOES.match(line):
        return True
    alone = _ALONE.match(line) if len(line) < 60 else None
    return bool(alone and (alone["end"] or line.startswith("#")))
