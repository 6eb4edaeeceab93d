"""Linux software RAID: `mdadm --detail`, /proc/mdstat, striped or RAID logical volumes in `lvs -o +stripes,segtype` and
`lvdisplay -m`.

Source: mdadm(8), md(4), lvs(8), lvdisplay(8): segments under the name of their volume.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue
from ingest.text.lines import Text

_LEVEL = r"raid0|raid1|raid4|raid5|raid6|raid10|linear"
_DETAIL = lazy(rf"^[ \t]*Raid Level : ({_LEVEL})[ \t]*$", re.MULTILINE)
_DEVICES = lazy(r"^[ \t]*Raid Devices : (\d{1,4})[ \t]*$", re.MULTILINE)
_STAT = lazy(
    rf"^[ \t]*(md\w{{1,20}}) : active (?:\([\w-]+\) )?({_LEVEL}) ((?:[\w/-]+\[\d+\](?:\([FWJSR]\))*[ \t]*)+)$",
    re.MULTILINE,
)
_LVS = lazy(r"^[ \t]*LV[ \t]+VG[ \t][^\n]*$", re.MULTILINE)
_SEGMENT = lazy(
    r"^[ \t]*Type[ \t]+(striped|raid(?:10|[0156])\w*)[ \t]*\n(?:[ \t]*[A-Z][^\n]*\n){0,2}?[ \t]*Stripes[ \t]+(\d{1,4})[ \t]*$",
    re.MULTILINE,
)
_PATH = lazy(r"^[ \t]*LV (?:Path|Name)[ \t]+(/dev/\S+)[ \t]*$", re.MULTILINE)
_ANCHOR = lazy(r"Raid Level : |^[ \t]*Stripes[ \t]+\d|^[ \t]*md\w+ : active|^[ \t]*LV[ \t]+VG[ \t]", re.MULTILINE)


def read(text: Text) -> Iterator[Clue]:
    """Layout and number of disks of every array."""
    for match in _DETAIL.finditer(text.body):
        devices = _DEVICES.search(text.body, match.end(), match.end() + 600)
        name = re.search(r"^[ \t]*(/dev/md\S*?):?[ \t]*$", text.body[max(0, match.start() - 400) : match.start()], re.MULTILINE)
        line = text.line_at(match.start())
        if devices:
            yield from _array(line, match[1], int(devices[1]), match[0].strip(), name[1] if name else "")
    for match in _STAT.finditer(text.body):
        members = [word for word in match[3].split() if not re.search(r"\([SF]\)", word)]
        yield from _array(text.line_at(match.start()), match[2], len(members), match[0].strip(), f"/dev/{match[1]}")
    yield from _volumes(text)
    yield from _segments(text)


def _array(line: int, level: str, count: int, raw: str, subject: str) -> Iterator[Clue]:
    if count:
        yield Clue(
            line,
            "pool.layout",
            f"{'stripe' if level == 'linear' else level}({count})",
            raw,
            subject=subject,
            group=line,
        )
        yield Clue(line, "disk.count", count, raw, subject=subject, group=line)


def _segments(text: Text) -> Iterator[Clue]:
    """`lvdisplay -m`: a volume of one segment, or of segments all alike; the nearest path above names it."""
    volumes: dict[str, list[re.Match[str]]] = {}
    paths = list(_PATH.finditer(text.body))
    for match in _SEGMENT.finditer(text.body):
        above = next((path[1] for path in reversed(paths) if path.start() < match.start()), "")
        volumes.setdefault(above, []).append(match)
    for path, segments in volumes.items():
        kinds = {(found[1], int(found[2])) for found in segments}
        if len(kinds) == 1 and (stripes := segments[0])[2] != "1":
            line = text.line_at(stripes.start())
            raw = text.lines[line - 1].strip()
            yield Clue(line, "pool.layout", f"{_level(stripes[1])}({int(stripes[2])})", raw, subject=path, group=line)


def _level(kind: str) -> str:
    """`raid5_ls` is `raid5`; LVM's `striped` is raid0."""
    return "raid0" if kind == "striped" else re.sub(r"\A(raid(?:10|[0156])).*", r"\1", kind)


def _volumes(text: Text) -> Iterator[Clue]:
    """`lvs` with the columns Type and #Str; a linear volume tells no layout."""
    for head in _LVS.finditer(text.body):
        columns, first = head[0].split(), text.line_at(head.start())
        if not {"Type", "#Str"} <= set(columns):
            continue
        for number in range(first + 1, len(text.lines) + 1):
            raw = text.lines[number - 1]
            cells = raw.split()
            kind = next((cell for cell in cells if re.fullmatch(r"striped|raid(?:0|1|5|6|10)\w*", cell)), None)
            if len(cells) < 4:
                break
            # Empty columns leave no cell, so the stripes are told by their place beside the type.
            at = cells.index(kind) if kind else 0
            beside = (
                cells[at - 1]
                if abs(columns.index("Type") - columns.index("#Str")) == 1 and columns.index("#Str") < columns.index("Type")
                else cells[at + 1]
                if kind and at + 1 < len(cells) and columns.index("#Str") == columns.index("Type") + 1
                else ""
            )
            if kind and beside.isdecimal() and len(beside) < 5:
                yield Clue(
                    number,
                    "pool.layout",
                    f"{_level(kind)}({int(beside)})",
                    raw.strip(),
                    subject=f"/dev/{cells[1]}/{cells[0]}",
                    group=first,
                )


READER = Reader("raid", 2, Anchor(_ANCHOR, "raid level :", "stripes", " : active", "lv ", "lv\t"), read, "mdadm(8), md(4), lvs(8)")
