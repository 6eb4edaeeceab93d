"""Linux software RAID: `mdadm --detail`, /proc/mdstat, striped or RAID logical volumes in `lvs -o +stripes,segtype` and
`lvdisplay -m`. Of the first two also chunk size, layout of the parity, bitmap and members.

Which array is being checked or rebuilt, and which volumes are thin, too.

Source: mdadm(8), md(4), lvs(8), lvdisplay(8): segments stand below the path of their volume.

Source of raid controllers: MegaCli, storcli, tw_cli, hpacucli, ssacli, arcconf and omreport
Source of raid: mdadm(8), md(4), lvs(8)
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

# Arrays of RAID controllers as their tools list them: MegaCli, storcli, tw_cli, hpacucli and ssacli, arcconf, omreport.
#
# A listing of several arrays does not say which of them was measured, so only that of one array is read. Cache policies and
# strip sizes in which all arrays agree are read as well (`RWBD` of storcli: no or R for read-ahead, WB or WT, Direct or
# Cached). Source: MegaCli's manual (`Primary-5, Secondary-0`: the level, and 3 where arrays of it are striped), storcli's
# (`DG/VD TYPE`), 3ware CLI guide (`Unit UnitType`), HPE Smart Array guide (`logicaldrive 1 (5.5 TB, RAID 5, OK)`), arcconf's
# (`RAID level`), OpenManage's (`Layout : RAID-5`), `ssacli ctrl all show config detail`.

_MEGACLI = lazy(
    r"^[ \t]*RAID Level[ \t]*: Primary-(?P<level>[0156]), Secondary-(?P<striped>[03])\b[^\n]*(?P<rest>(?:\n[^\n]*\S[^\n]*){0,14})",
    re.MULTILINE,
)
_DRIVES = lazy(r"\n[ \t]*Number Of Drives(?P<per> per span)?[ \t]*:[ \t]*(?P<count>\d{1,3})\b", re.IGNORECASE)
_SPANS = lazy(r"\bSpan Depth[ \t]*:[ \t]*(\d{1,3})\b")
_STORCLI = lazy(
    r"^[ \t]*\d{1,3}/\d{1,3}[ \t]+RAID(?P<level>0|1|5|6|10|50|60)[ \t]+[A-Z][A-Za-z]{2,5}[ \t]+R[WO][ \t]", re.MULTILINE
)
_TW_CLI = lazy(r"^[ \t]*(?P<unit>u\d{1,2})[ \t]+RAID-(?P<level>0|1|5|6|10|50)[ \t]+[A-Z][A-Z-]{1,20}[ \t]", re.MULTILINE)
_TW_PORT = lazy(r"^[ \t]*p\d{1,3}[ \t]+[A-Z][A-Z-]{1,20}[ \t]+(u\d{1,2})[ \t]", re.MULTILINE)
_HPACUCLI = lazy(
    r"^[ \t]*logicaldrive \d{1,3} \([\d.]{1,9} [MGT]B, RAID (?P<level>0|1\+0|1|5|6|50|60)(?: \(?(?:ADG|ADM)\)?)?, ", re.MULTILINE
)
_HP_DRIVE = lazy(r"^[ \t]*physicaldrive \S+ \([^\n]*\)[ \t]*$", re.MULTILINE)
_HP_OTHERS = lazy(r"^[ \t]*(?:(?i:unassigned)|array [A-Z]{1,2} \()", re.MULTILINE)
_HP_LOGICAL = lazy(r"^[ \t]*Logical Drive: \d+[ \t]*$", re.MULTILINE)
_ARCCONF = lazy(r"^[ \t]*RAID level[ \t]*: (?P<level>0|1|5|6|10|50|60)(?: Reed-Solomon)?[ \t]*$", re.MULTILINE)
_OMREPORT = lazy(r"^[ \t]*Layout[ \t]+: RAID-(?P<level>0|1|5|6|10|50|60)[ \t]*$", re.MULTILINE)
_CONTROLLER_ANCHOR = lazy(
    r"^[ \t]*RAID Level[ \t]*: Primary-|^[ \t]*\d+/\d+[ \t]+RAID\d|^[ \t]*u\d+[ \t]+RAID-|^[ \t]*logicaldrive \d+ \("
    r"|^[ \t]*RAID level[ \t]*: \d|^[ \t]*Logical Drive: \d"
    r"|^[ \t]*Layout[ \t]+: RAID-\d",
    re.MULTILINE,
)


def read_controller(text: Text) -> Iterator[Clue]:
    """Layout (`raid6(8)`) and number of disks for each tool that lists exactly one array in the text."""
    for form in (_MEGACLI, _STORCLI, _TW_CLI, _HPACUCLI, _ARCCONF, _OMREPORT):
        arrays = list(form.finditer(text.body))
        if len(arrays) == 1:
            line = text.line_at(arrays[0].start("level"))
            level, count = _controller_raid_level(arrays[0]), _disk_count(form, arrays[0], text)
            yield line_clue(text, line, "pool.layout", f"{level}({count})" if count else level)
            if count:
                yield line_clue(text, line, "disk.count", count)
    if any(form.search(text.body) for form in (_MEGACLI, _STORCLI, _HPACUCLI, _HP_LOGICAL, _ARCCONF)):
        yield from _policy_clues(text)


_POLICIES = lazy(
    r"""^[ \t]*(?:Current[ ]Cache[ ]Policy[ \t]*:[ \t]*(?P<mega>Write\w+,[ ]Read\w+,[ ]\w+)[^\n]*
    |\d{1,3}/\d{1,3}[ \t]+RAID\d{1,2}[ \t]+\w+[ \t]+R[WO][ \t]+\w+[ \t]+(?P<stor>(?:N?R|Ra|NRa)(?:A?WB|WT)[DC])[ \t][^\n]*
    |(?P<label>Strip[ ]Size|Stripe[ ]Size|Stripe-unit[ ]size|Disk[ ]Cache[ ]Policy|Read-cache[ ]status|Write-cache[ ]status
      |Drive[ ]Write[ ]Cache|Caching|Cache[ ]Ratio|Battery/Capacitor[ ]Status|BBU[ ]status)
      [ \t]*[:=][ \t]*(?P<value>\S[^\n]*?))[ \t]*$""",
    re.MULTILINE | re.VERBOSE,
)
_LABELS = {
    "strip size": "strip_size", "stripe size": "strip_size", "stripe-unit size": "strip_size",
    "disk cache policy": "disk_cache", "read-cache status": "read_cache", "write-cache status": "write_cache",
    "drive write cache": "disk_cache", "caching": "write_cache", "cache ratio": "cache_ratio",
    "battery/capacitor status": "battery", "bbu status": "battery",
}  # fmt: skip
_STATES = {"enabled": "on", "disabled": "off", "disk's default": "default"}


def _policy_clues(text: Text) -> Iterator[Clue]:
    """Open keys in whose value all arrays of the text agree."""
    found: dict[str, list[tuple[str, int, str]]] = {}
    for row in _POLICIES.finditer(text.body):
        for name, value in _policies(row):
            found.setdefault(name, []).append((value, text.line_at(row.start(row.lastindex or 0)), row[0].strip()))
    for name, values in found.items():
        if len({value for value, _, _ in values}) == 1:
            value, line, raw = values[0]
            yield from open_clues(line, f"raid.{name}", value, raw)


def _policies(row: re.Match[str]) -> Iterator[tuple[str, str]]:
    if row["mega"]:
        write, read_controller, io = row["mega"].lower().split(", ")
        yield from (
            ("write_policy", _WORDS.get(write, write)),
            ("read_policy", _WORDS.get(read_controller, read_controller)),
            ("io_policy", io),
        )
    elif row["stor"]:
        code = row["stor"].lower()
        yield "write_policy", "write back" if "wb" in code else "write through"
        yield "read_policy", "none" if code.startswith("nr") else "read ahead"
        yield "io_policy", "direct" if code.endswith("d") else "cached"
    else:
        value = row["value"].lower()
        yield _LABELS[row["label"].lower()], _STATES.get(value, value)


_WORDS = {"writeback": "write back", "writethrough": "write through", "readaheadnone": "none", "readahead": "read ahead"}


def _controller_raid_level(match: re.Match[str]) -> str:
    striped = match.groupdict().get("striped") == "3" or match["level"] == "1+0"
    level = "1" if match["level"] == "1+0" else match["level"]
    return f"raid{level}0" if striped and level != "0" else f"raid{level}"


def _disk_count(form: re.Pattern[str], match: re.Match[str], text: Text) -> int:
    """Number of disks of the array; 0 where the listing does not have it."""
    if form is _MEGACLI:
        drives, spans = _DRIVES.search(match["rest"]), _SPANS.search(match["rest"])
        span_count = int(spans[1]) if spans and drives and drives["per"] else 1
        return int(drives["count"]) * span_count if drives else 0
    if form is _TW_CLI:
        return _TW_PORT.findall(text.body).count(match["unit"])
    if form is _HPACUCLI:
        others = _HP_OTHERS.search(text.body, match.end())
        end = others.start() if others else len(text.body)
        return sum("spare" not in drive for drive in _HP_DRIVE.findall(text.body, match.end(), end))
    return 0


CONTROLLER = Reader(
    "raid controllers", 3, Anchor(_CONTROLLER_ANCHOR, "raid level|raid0|raid-|logicaldrive 0|logical drive: 0"), read_controller
)


_LEVEL = r"raid0|raid1|raid4|raid5|raid6|raid10|linear"
_DETAIL = lazy(rf"^[ \t]*Raid Level : ({_LEVEL})[ \t]*$", re.MULTILINE)
_DEVICES = lazy(r"^[ \t]*Raid Devices : (\d{1,4})[ \t]*$", re.MULTILINE)
_STAT = lazy(
    rf"^[ \t]*(md\w{{1,20}}) : active (?:\([\w-]+\) )?({_LEVEL}) ((?:[\w/-]+\[\d+\](?:\([FWJSR]\))*[ \t]*)+)$", re.MULTILINE
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
_ANCHOR = lazy(r"Raid Level : |LV Pool name|^[ \t]*Stripes[ \t]+\d|^[ \t]*md\w+ : active|^[ \t]*LV[ \t]+VG[ \t]", re.MULTILINE)


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
    paths = [(text.line_at(match.start(1)), match[1]) for match in _PATH.finditer(text.body)]
    for match in _THIN.finditer(text.body) if paths else ():
        line = text.line_at(match.start(1))
        if above := [path for path_line, path in paths if path_line < line]:
            yield line_clue(text, line, "state.thin", "yes", subject=above[-1])


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
    yield from _state_clues(text, arrays) if arrays else ()
    for line, name in arrays:
        subject = "/dev/" + name.removeprefix("/dev/")
        listed = re.findall(r"(\S+)\[\d+\](?!\S*\([SF]\))", text.lines[line - 1])
        if devices := members.pop(subject, None) or listed:
            yield member_clue(text, line, devices, subject, line)
            for device in devices:
                yield Member(line, device, subject.removeprefix("/dev/"))


_PROGRESS = lazy(
    r"^[ \t]*(?:\[[=>.]+\][ \t]+(?P<runs>resync|recovery|check|repair|reshape)[ \t]*=[ \t]*[\d.]+%"
    r"|(?P<waits>resync|recovery|check|repair|reshape)[ \t]*=[ \t]*(?:DELAYED|PENDING)"
    r"|State : (?P<state>\S[^\n]*?)[ \t]*$|(?P<whole>\d+ blocks )[^\n]*?\[\d+/\d+\] \[(?P<up>[U_]+)\])",
    re.MULTILINE,
)
_WORK = {"check": "check", "repair": "check", "resync": "resilver", "recovery": "resilver", "reshape": "balance"}
_IN_STATE = {"checking": "check", "resyncing": "resilver", "recovering": "resilver", "reshaping": "balance", "degraded": "degraded"}


def _state_clues(text: Text, arrays: list[tuple[int, str]]) -> Iterator[Clue]:
    """What runs on each array of mdstat and `mdadm --detail`; no check where the listing shows none."""
    found: dict[str, dict[str, tuple[str, int]]] = {}
    lines = [line for line, _ in arrays]
    for row in _PROGRESS.finditer(text.body):
        line = text.line_at(row.start(row.lastindex or 0))
        index = bisect_right(lines, line) - 1
        if index < 0 or line - lines[index] > _REACH:
            continue
        states = found.setdefault("/dev/" + arrays[index][1].removeprefix("/dev/"), {})
        states.setdefault("check", ("no", line))
        words = [_IN_STATE.get(word, "") for word in (row["state"] or "").split(", ")]
        names = [*words, _WORK.get(row["runs"] or "", ""), "degraded" if "_" in (row["up"] or "") else ""]
        states.update((name, ("yes", line)) for name in names if name)
    for subject, states in found.items():
        for name, (value, line) in states.items():
            yield line_clue(text, line, f"state.{name}", value, subject=subject)


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
        if "Attr" in columns[:3]:
            yield from _thin_clues(text, first)
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


_ATTR = lazy(r"[ \t]*(?P<lv>[\w.+-]+)[ \t]+(?P<vg>[\w.+-]+)[ \t]+(?P<attr>[a-zA-Z-][\w-]{5,9})(?:[ \t]|\Z)")
_THIN = lazy(r"^[ \t]*LV Pool name[ \t]+(\S+)[ \t]*$", re.MULTILINE)


def _thin_clues(text: Text, head: int) -> Iterator[Clue]:
    """Which volumes of `lvs` are thin, by the first letter of Attr (lvs(8)); none of pools and of what only LVM uses."""
    for number in range(head + 1, len(text.lines) + 1):
        row = _ATTR.match(text.lines[number - 1])
        if row is None:
            return
        if row["attr"][0] not in "tTdDeips":
            value, mapped = "yes" if row["attr"][0] == "V" else "no", f"{_mapped(row['vg'])}-{_mapped(row['lv'])}"
            for subject in (f"/dev/mapper/{mapped}", f"/dev/{row['vg']}/{row['lv']}"):
                yield line_clue(text, number, "state.thin", value, subject=subject, group=head)


def _mapped(name: str) -> str:
    """A name of LVM as the device mapper writes it."""
    return name.replace("-", "--")


def _stripes(columns: list[str], cells: list[str], kind: str) -> str:
    """The cell of #Str beside that of Type, since empty columns have no cell; '' where the columns are not neighbours."""
    distance = columns.index("#Str") - columns.index("Type")
    cell = cells.index(kind) + distance
    return cells[cell] if abs(distance) == 1 and cell < len(cells) else ""


READER = Reader("raid", 5, Anchor(_ANCHOR, "raid level :|lv pool name|stripes| : active|lv |lv\t"), read)
