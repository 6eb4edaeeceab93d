"""Linux software RAID: `mdadm --detail`, /proc/mdstat, striped or RAID logical volumes in `lvs -o +stripes,segtype` and
`lvdisplay -m`. Of the first two also chunk size, layout of the parity, bitmap and members.

Source: mdadm(8), md(4), lvs(8), lvdisplay(8): segments stand below the path of their volume.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from ingest.context._clues import line_clue, member_clue, open_clues
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue, Member
from ingest.text.lines import Text

_LEVEL = r"raid0|raid1|raid4|raid5|raid6|raid10|linear"
_DETAIL = lazy(rf"^[ \t]*Raid Level : ({_LEVEL})[ \t]*$", re.MULTILINE)
_DEVICES = lazy(r"^[ \t]*Raid Devices : (\d{1,4})[ \t]*$", re.MULTILINE)
_STAT = lazy(
    rf"^[ \t]*(md\w{{1,20}}) : active (?:\([\w-]+\) )?({_LEVEL}) ((?:[\w/-]+\[\d+\](?:\([FWJSR]\))*[ \t]*)+)$",
    re.MULTILINE,
)
_ARRAY = lazy(r"^[ \t]*(?:(/dev/md\S*?):[ \t]*$|(?=\S+ : active )(md\w{1,20}) : active )", re.MULTILINE)
_PROPERTIES = {  # label of mdadm --detail -> open key
    "Raid Level": "raid.level",
    "Raid Devices": "raid.devices",
    "Layout": "raid.layout",
    "Chunk Size": "raid.chunk_size",
    "Consistency Policy": "raid.consistency_policy",
    "Intent Bitmap": "raid.bitmap",
}
_PROPERTY = lazy(
    rf"^[ \t]*(?:(?P<label>{'|'.join(_PROPERTIES)}) : (?P<value>\S[^\n]*?)[ \t]*$"
    r"|\d+ blocks [^\n]*?level (?P<level>\d{1,2})(?:, (?P<chunk>\d+k) chunk)?(?:, algorithm (?P<algorithm>\d{1,2}))?\b"
    r"|\d+ blocks [^\n]*?(?P<chunks>\d+k) (?:chunks|rounding)\b|(?P<bitmap>bitmap: \d)"
    r"|\d+[ \t]+\d+[ \t]+\d+[ \t]+\d+[ \t]+active [^\n]*?(?P<member>/dev/\S+)[ \t]*$)",
    re.MULTILINE,
)
_ALGORITHMS = {"0": "left-asymmetric", "1": "right-asymmetric", "2": "left-symmetric", "3": "right-symmetric"}  # raid5.h
_REACH = 80  # lines from the name of an array to the last of its members
_LVS = lazy(r"^[ \t]*LV[ \t]+VG[ \t][^\n]*$", re.MULTILINE)
_SEGMENT = lazy(
    r"^[ \t]*Type[ \t]+(striped|raid(?:10|[0156])\w*)[ \t]*\n(?:[ \t]*[A-Z][^\n]*\n){0,2}?[ \t]*Stripes[ \t]+(\d{1,4})[ \t]*$",
    re.MULTILINE,
)
_PATH = lazy(r"^[ \t]*LV (?:Path|Name)[ \t]+(/dev/\S+)[ \t]*$", re.MULTILINE)
_ANCHOR = lazy(r"Raid Level : |^[ \t]*Stripes[ \t]+\d|^[ \t]*md\w+ : active|^[ \t]*LV[ \t]+VG[ \t]", re.MULTILINE)


def read(text: Text) -> Iterator[Clue | Member]:
    """Layout and number of disks of every array."""
    yield from _property_clues(text)
    for match in _DETAIL.finditer(text.body):
        devices = _DEVICES.search(text.body, match.end(), match.end() + 600)
        name = re.search(r"^[ \t]*(/dev/md\S*?):?[ \t]*$", text.body[max(0, match.start() - 400) : match.start()], re.MULTILINE)
        line = text.line_at(match.start())
        if devices:
            yield from _array(line, match[1], int(devices[1]), match[0].strip(), name[1] if name else "")
    for match in _STAT.finditer(text.body):
        members = [word for word in match[3].split() if not re.search(r"\([SF]\)", word)]
        yield from _array(text.line_at(match.start()), match[2], len(members), match[0].strip(), f"/dev/{match[1]}")
    yield from _volume_clues(text)
    yield from _segment_clues(text)


def _property_clues(text: Text) -> Iterator[Clue | Member]:
    """Open keys of the rows of `mdadm --detail` below the name of an array, and of the lines below an array in mdstat."""
    arrays = [(text.line_at(match.end(0)), match[1] or match[2]) for match in _ARRAY.finditer(text.body)]
    lines = [line for line, _ in arrays]
    members: dict[str, list[str]] = {}
    for row in _PROPERTY.finditer(text.body) if arrays else ():
        line = text.line_at(row.start(row.lastindex or 0))
        index = bisect_right(lines, line) - 1
        if index < 0 or line - lines[index] > _REACH:
            continue
        subject = "/dev/" + arrays[index][1].removeprefix("/dev/")
        if row["member"]:
            members.setdefault(subject, []).append(row["member"])
        for key, value in _properties(row):
            yield from open_clues(line, key, value, row[0].strip(), subject=subject, group=lines[index])
    for line, name in arrays:
        subject = "/dev/" + name.removeprefix("/dev/")
        listed = re.findall(r"(\S+)\[\d+\](?!\S*\([SF]\))", text.lines[line - 1])
        if devices := members.pop(subject, None) or listed:
            yield member_clue(text, line, devices, subject, line)
            for device in devices:
                yield Member(line, device, subject.removeprefix("/dev/"))


def _properties(row: re.Match[str]) -> Iterator[tuple[str, str]]:
    if row["label"]:
        value = "none" if row["value"].lower() == "none" else row["value"]
        yield _PROPERTIES[row["label"]], value
    elif row["level"]:
        yield "raid.level", f"raid{row['level']}"
        if row["chunk"]:
            yield "raid.chunk_size", row["chunk"]
        if row["algorithm"]:
            yield "raid.layout", _ALGORITHMS.get(row["algorithm"], f"algorithm {row['algorithm']}")
    elif row["chunks"]:
        yield "raid.chunk_size", row["chunks"]
    elif row["bitmap"]:
        yield "raid.bitmap", "internal"


def _array(line: int, level: str, count: int, raw: str, subject: str) -> Iterator[Clue]:
    if count:
        layout = f"{'stripe' if level == 'linear' else level}({count})"
        yield Clue(line, "pool.layout", layout, raw, subject=subject, group=line)
        yield Clue(line, "disk.count", count, raw, subject=subject, group=line)


def _segment_clues(text: Text) -> Iterator[Clue]:
    """Volumes of `lvdisplay -m` whose segments are all alike; the nearest path above a segment is its volume."""
    volumes: dict[str, list[re.Match[str]]] = {}
    paths = list(_PATH.finditer(text.body))
    for match in _SEGMENT.finditer(text.body):
        volume = next((path[1] for path in reversed(paths) if path.start() < match.start()), "")
        volumes.setdefault(volume, []).append(match)
    for path, segments in volumes.items():
        kinds = {(segment[1], int(segment[2])) for segment in segments}
        if len(kinds) == 1 and (first := segments[0])[2] != "1":
            layout = f"{_raid_level(first[1])}({int(first[2])})"
            yield line_clue(text, text.line_at(first.start()), "pool.layout", layout, subject=path)


def _raid_level(kind: str) -> str:
    """`raid5` of LVM's `raid5_ls`, `raid0` of `striped`."""
    return "raid0" if kind == "striped" else re.sub(r"\A(raid(?:10|[0156])).*", r"\1", kind)


def _volume_clues(text: Text) -> Iterator[Clue]:
    """Striped and RAID volumes of `lvs` with the columns Type and #Str; a linear volume has no layout."""
    for head in _LVS.finditer(text.body):
        columns, first = head[0].split(), text.line_at(head.start())
        if not {"Type", "#Str"} <= set(columns):
            continue
        for number in range(first + 1, len(text.lines) + 1):
            cells = text.lines[number - 1].split()
            if len(cells) < 4:
                break
            kind = next((cell for cell in cells if re.fullmatch(r"striped|raid(?:0|1|5|6|10)\w*", cell)), None)
            stripes = _stripes(columns, cells, kind) if kind else ""
            if kind and stripes.isdecimal() and len(stripes) < 5:
                layout = f"{_raid_level(kind)}({int(stripes)})"
                yield line_clue(text, number, "pool.layout", layout, subject=f"/dev/{cells[1]}/{cells[0]}", group=first)


def _stripes(columns: list[str], cells: list[str], kind: str) -> str:
    """The cell of #Str beside that of Type, since empty columns have no cell; '' where the columns are not neighbours."""
    distance = columns.index("#Str") - columns.index("Type")
    cell = cells.index(kind) + distance
    return cells[cell] if abs(distance) == 1 and cell < len(cells) else ""


READER = Reader("raid", 4, Anchor(_ANCHOR, "raid level :|stripes| : active|lv |lv\t"), read, "mdadm(8), md(4), lvs(8)")
