"""Total memory in bytes: `free`, `MemTotal` of /proc/meminfo and the first lines of top, also behind the label of a script.

Source: free(1) (procps-ng: by default KiB; `-h` powers of 1024 as `Gi`, `--si` powers of 1000), proc_meminfo(5).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest import normalise
from ingest.context._clues import line_clue
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue
from ingest.text.lines import Text
from ingest.units import G, K, M

_MEM = (  # procps-ng po/*.po
    r"Mem:|Mem\.:|Speicher:|Pamięć:|Minne:|Пам\.:|Память:|Mém\.?[\u00a0 ]?:|메모리:|BNhớ:|内存[:\uff1a]"
)
_FREE = lazy(
    r"^[ \t]+\w+[ \t]+\S+[ \t]+\S+[^\n]*\n[ \t]*(?:" + _MEM + r")[ \t]+(\d+(?:[.,]\d+)?)([KMGTP]?)(i?)B?(?=[ \t])[^\n]*",
    re.MULTILINE,
)
_LABEL = r"(?:[A-Za-z][\w ()/-]{1,30}:[ \t]+)?"  # `echo "Memory: $(free -h | grep Mem)"`
_ROW = lazy(  # a row without its title, with units
    rf"^[ \t]*{_LABEL}Mem:[ \t]+(\d{{1,6}}(?:[.,]\d{{1,3}})?)([KMGT])(i?)B?(?:[ \t]+\d[\d.,]{{0,8}}[KMGT]?i?B?){{2,5}}[ \t]*$",
    re.MULTILINE,
)
_MEMINFO = lazy(rf"^[ \t]*{_LABEL}MemTotal:[ \t]+(\d{{1,15}}) kB", re.MULTILINE)
_TOP = lazy(  # top(1) of procps-ng, and of the procps before it
    r"^[ \t]*(?:(?P<unit>[KMG])iB Mem[ ]?:[ ]*(?P<size>\d{1,12}(?:[.,]\d)?)[ +]total,"
    r"|Mem:[ ]+(?P<kib>\d{4,12})k total,)",
    re.MULTILINE,
)
_ANCHOR = lazy(rf"^[ \t]*{_LABEL}(?:(?:" + _MEM + r")[ \t]+\d|MemTotal:[ \t]+\d|[KMG]iB Mem[ ]?:[ ]*\d)", re.MULTILINE)
_ASKED = lazy(r"\bfree(?:\s+|[-_.]*)-?\w*?([bkmg])\b(?!\w)")
_PLAIN = lazy(r"(?:sudo )?(?:/usr/bin/)?free(?: -t)?")
_FLAGS = {"b": 1, "k": K, "m": M, "g": G}


def read(text: Text) -> Iterator[Clue]:
    """Clues of every listing. A plain number of `free` is KiB unless command, file name or its magnitude give another unit."""
    free_lines = set()
    for match in _FREE.finditer(text.body):
        line = text.line_at(match.start()) + 1
        free_lines.add(line)
        size = _free_bytes(text, line, match)
        if size:
            yield Clue(line, "memory", size, match[0].split("\n")[1].strip(), group=line)
    for match in _ROW.finditer(text.body):
        line = text.line_at(match.start())
        if line not in free_lines and (size := normalise.parse_size(match[1].replace(",", ".") + match[2])):
            yield Clue(line, "memory", size, match[0].strip(), group=line)
    for match in _MEMINFO.finditer(text.body):
        line = text.line_at(match.start())
        yield Clue(line, "memory", int(match[1]) * K, match[0].strip(), group=line)
    yield from _top_clues(text)


def _top_clues(text: Text) -> Iterator[Clue]:
    """A clue wherever the total that top prints again and again changes."""
    previous: int | None = None
    for match in _TOP.finditer(text.body):
        size = normalise.parse_size(match["size"].replace(",", ".") + match["unit"]) if match["size"] else int(match["kib"]) * K
        if size and (previous is None or previous != size):
            yield line_clue(text, text.line_at(match.start()), "memory", size)
        previous = size


def _free_bytes(text: Text, line: int, match: re.Match[str]) -> int | None:
    """Bytes of the first number of a row of `free`; None where its unit is unknown."""
    number = match[1].replace(",", ".")
    if match[2]:
        return normalise.parse_size(number + match[2])
    if "." in number:
        return None
    command = text.command_for(line)
    above = " ".join(text.lines[max(0, line - 5) : line - 2])  # where the command stands without a prompt
    if command and _PLAIN.fullmatch(command.text):
        return int(number) * K if len(number) < 13 else None
    asked = _ASKED.search(command.text if command else _stem(text.name)) or _ASKED.search(above)
    unit = _FLAGS[asked[1]] if asked else _likely_unit(int(number))
    return int(number) * unit if unit and len(number) < 19 else None


def _stem(name: str) -> str:
    """`free -m` may be saved as free-m.txt, free_m.txt, free.m."""
    return re.sub(r"\.\w+\Z", "", name)


def _likely_unit(number: int) -> int | None:
    """K or M where no plausible machine contradicts it, else None; -b, -k, -m and -g print the same table.

    4 GiB to 8 TiB in KiB would be above 4 TiB in MiB; 16 to 64 GiB in MiB would be below 64 MiB in KiB and above 16 TiB in GiB.
    """
    if 2**22 <= number < 2**33:
        return K
    return M if 16384 <= number < 65536 else None


READER = Reader("memory", 6, Anchor(_ANCHOR), read, "free(1), top(1), proc_meminfo(5)")
