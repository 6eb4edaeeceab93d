"""Settings and firmware of disks as their tools print them; queues of block devices (`lsblk -t`, blockdev; `read_queue`).

Forms: rows of smartctl -i, -a, -x and -g (`Write cache is:   Enabled`), hdparm -I, -W, -A and -a, nvme id-ctrl and get-feature,
camcontrol identify, sdparm --get WCE, and the menu `cache` of SunOS's `format -e` (`Write Cache is enabled`).
The device is in the line above the rows (`/dev/sda:`), in the command, or in the name of the file (`smartctl-sda.txt`); an output
whose device is unknown counts as one of its own. Temperature, wear and warnings are states before a run; hours are recorded, too.
Evidence: the tools' output. Mentions: the same words elsewhere.
Source: smartmontools ataprint.cpp, scsiprint.cpp, nvmeprint.cpp; hdparm(8); nvme-id-ctrl(1); camcontrol(8); sdparm(8); format(8).

Source of device queues: lsblk(8), blockdev(8)
Source of device tools: smartctl(8), hdparm(8), nvme(1), camcontrol(8), sdparm(8), format(8) of SunOS
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from ingest.context._clues import open_clues
from ingest.context._disk_models import device_in_name
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue
from ingest.text.lines import Text

# Queues of block devices in the listings of util-linux: lsblk with SCHED, RQ-SIZE, RA or ROTA (`lsblk -t`), blockdev.
#
# Forms: rows of lsblk below a title line with these columns, partitions left out; rows of `blockdev --report`; the number that
# `blockdev --getra DEVICE` prints. blockdev counts read-ahead in sectors of 512 bytes, lsblk in KiB. Evidence: these listings.
# Mentions: none. Source: lsblk(8), blockdev(8).

_LSBLK = lazy(r"^[ \t]*NAME(?=[ \t])[^\n]*[ \t](?:SCHED|RQ-SIZE|ROTA)(?=[ \t]|$)[^\n]*$", re.MULTILINE)
_QUEUE_ROW = lazy(r"[ \t]*([A-Za-z][\w!.-]*)[ \t]+\S")
_PARTITION = lazy(r"[ \t]*[\u2500-\u257f|`]")
_KEYS = {
    "SCHED": "scheduler",
    "RQ-SIZE": "nr_requests",
    "RA": "read_ahead_kb",
    "ROTA": "rotational",
    "PHY-SEC": "physical_block_size",
    "LOG-SEC": "logical_block_size",
}
_REPORT = lazy(
    r"^[ \t]*r[ow][ \t]+(?P<ahead>\d+)[ \t]+(?P<sector>\d+)[ \t]+\d+[ \t]+(?:\d+|N/A)[ \t]+\d+"
    r"[ \t]+(?P<device>/dev/[\w/.-]+)[ \t]*$",
    re.MULTILINE,
)
_GET = lazy(r"(?:(?:sudo|doas|pfexec|run0)[ \t]+)?(?:/s?bin/)?blockdev[ \t]+--getra[ \t]+(/dev/[\w/.-]+)[ \t]*\Z")
_QUEUE_ANCHOR = (
    Anchor(_LSBLK, "sched|rq-size|rota")
    | Anchor(lazy(r"^[ \t]*r[ow][ \t]+\d+[ \t]+\d+[ \t]+\d+[ \t]+[^\n]+/dev/", re.MULTILINE), "/dev/")
    | Anchor(lazy(r"\bblockdev[ \t]+--getra[ \t]"), "--getra")
)


def read_queue(text: Text) -> Iterator[Clue]:
    """Clues of every row."""
    for head in _LSBLK.finditer(text.body):
        yield from _listed(text, text.line_at(head.start()), [(match[0], match.end()) for match in re.finditer(r"\S+", head[0])])
    for row in _REPORT.finditer(text.body):
        line, raw = text.line_at(row.start("ahead")), row[0].strip()
        yield from open_clues(line, "block.read_ahead_kb", int(row["ahead"][:9]) // 2, raw, subject=row["device"])
        yield from open_clues(line, "block.logical_block_size", row["sector"], raw, subject=row["device"])
    for command in text.commands:
        asked = _GET.match(command.text)
        printed = text.lines[command.first - 1].strip() if asked and command.first <= command.last else ""
        if asked and re.fullmatch(r"\d{1,9}", printed):
            yield from open_clues(command.first, "block.read_ahead_kb", int(printed) // 2, printed, subject=asked[1])


def _listed(text: Text, head: int, columns: list[tuple[str, int]]) -> Iterator[Clue]:
    """Clues of the rows below a title line, up to one of another form; a cell may be empty, as SCHED is of some devices."""
    for line in range(head + 1, len(text.lines) + 1):
        row = text.lines[line - 1]
        if _PARTITION.match(row):
            continue
        named = _QUEUE_ROW.match(row)
        if not named:
            return
        for title, cell in _cells(row, columns):
            if title in _KEYS:
                subject = f"/dev/{named[1].replace('!', '/')}"
                yield from open_clues(line, f"block.{_KEYS[title]}", cell, row.strip(), subject=subject)


def _cells(row: str, columns: list[tuple[str, int]]) -> Iterator[tuple[str, str]]:
    """(title, cell): by order where no cell is empty, else those of numbers, which lsblk aligns with the end of their title."""
    words = list(re.finditer(r"\S+", row))
    if len(words) == len(columns):
        yield from ((title, word[0]) for (title, _), word in zip(columns, words, strict=True))
        return
    by_end = {word.end(): word[0] for word in words}
    yield from (
        (title, by_end[end]) for title, end in columns if title not in ("SCHED", "NAME") and by_end.get(end, "").isdecimal()
    )


QUEUE = Reader("device queues", 1, _QUEUE_ANCHOR, read_queue)


# A line that begins the output for one device, with its name if it holds one.
_HEAD = lazy(
    r"^[ \t]*(?:(?P<device>/dev/[\w/.-]+):(?:[ \t]|$)|selecting (?P<sun>c\d\w+)|(?P<smart>smartctl (?:version )?\d+\.\d)"
    r"|Smart Log for NVME device:(?:/dev/)?(?P<nvme>nvme\w+)|(?P<info>=== START OF INFORMATION)"
    r"|(?P<other>NVME Identify Controller|pass\d+: <))",
    re.MULTILINE,
)
_BSD_DEVICE = r"(?:a?da|nvd|nda|nvme|vtbd)\d+"
_IN_COMMAND = lazy(rf"/dev/(?:r(?=d?sk/))?(?:r?dsk/)?([\w/.-]+)|(?<=\s)({_BSD_DEVICE})\b")
_SATA = lazy(r"(SATA(?: >?\d\.\d\w?\+?)?)(?:, (\d[\d.]* [MG]b/s)(?: \(current: (\d[\d.]* [MG]b/s)\))?)?")
_SECTORS = lazy(r"(\d{3,5}) bytes logical(?:, (\d{3,5}) bytes physical|/physical)")

_Values = Iterator[tuple[str, object]]  # (name below `block.`, value)


def _named(name: str, printed: str) -> _Values:
    yield name, printed


def _state(name: str, printed: str) -> _Values:
    """`on` or `off` of Enabled, Disabled, 1, 0, yes, no; nothing of Unavailable."""
    word = re.match(r"(?i)(?:(enabled|on|yes|0*1\b|0x0*1\b)|(disabled|off|no\b|0+\b|0x0+\b))", printed)
    if word:
        yield name, "on" if word[1] else "off"


def _rotation(printed: str) -> _Values:
    rate = re.match(r"(\d{4,5})(?: rpm)?\Z", printed)
    if rate:
        yield "rotation_rate", int(rate[1])
    elif printed.lower().startswith(("solid state", "non-rotating")):
        yield "rotation_rate", "solid state"


def _sata(printed: str) -> _Values:
    version = _SATA.match(printed)
    if version:
        yield "interface", version[1]
        if version[3] or version[2]:
            yield "link_speed", version[3] or version[2]


def _sectors(printed: str) -> _Values:
    sizes = _SECTORS.match(printed)
    if sizes:
        yield "logical_block_size", int(sizes[1])
        yield "physical_block_size", int(sizes[2] or sizes[1])


def _size(name: str, printed: str) -> _Values:
    if size := re.match(r"(\d{3,5}) bytes", printed):
        yield name, int(size[1])


def _sectors_ahead(printed: str) -> _Values:
    """KiB of a number of sectors of 512 bytes."""
    if sectors := re.match(r"(\d{1,9})\b", printed):
        yield "read_ahead_kb", int(sectors[1]) // 2


def _count(name: str, printed: str) -> _Values:
    if count := re.match(r"\d[\d,]{0,14}(?![\w.])", printed):
        yield name, int(count[0].replace(",", ""))


_Reader = Callable[[str], _Values]


def _warning(printed: str) -> _Values:
    """Of the critical warning of NVMe (bits: spare, temperature, reliability, read only, backup) and the health of ATA."""
    if bits := re.match(r"(?:0x([0-9a-f]{1,2})|(\d{1,3}))(?![\w.])", printed.lower()):
        value = int(bits[1], 16) if bits[1] else int(bits[2])
        yield "critical_warning", "yes" if value else "no"
        if value & 2:
            yield "throttling", "yes"
    elif word := re.match(r"(?:(PASSED|OK)|FAILED|FAILING)\b", printed):
        yield "critical_warning", "no" if word[1] else "yes"


def _celsius(printed: str) -> _Values:
    """A temperature; JSON of nvme has Kelvin."""
    if number := re.match(r"\d{1,3}\b", printed):
        degrees = int(number[0])
        yield "temperature", degrees - 273 if degrees > 200 else degrees


def _worn(printed: str) -> _Values:
    """Wear of an attribute that counts down from 100."""
    if printed.isdecimal() and int(printed) <= 100:
        yield "wear", 100 - int(printed)


_OF_STATE = frozenset(("temperature", "wear", "critical_warning", "throttling"))
_SMARTCTL: dict[str, _Reader] = {  # label of a row -> reader of its value
    "firmware version": partial(_named, "firmware"),
    "revision": partial(_named, "firmware"),
    "rotation rate": _rotation,
    "sata version is": _sata,
    "transport protocol": partial(_named, "interface"),
    "sector size": _sectors,
    "sector sizes": _sectors,
    "logical block size": partial(_size, "logical_block_size"),
    "physical block size": partial(_size, "physical_block_size"),
    "write cache is": partial(_state, "write_cache"),
    "writeback cache is": partial(_state, "write_cache"),
    "read cache is": partial(_state, "read_cache"),
    "rd look-ahead is": partial(_state, "look_ahead"),
    "power on hours": partial(_count, "power_on_hours"),
    "temperature": _celsius,
    "current drive temperature": _celsius,
    "percentage used": partial(_count, "wear"),
    "percentage used endurance indicator": partial(_count, "wear"),
    "critical warning": _warning,
    "smart overall-health self-assessment test result": _warning,
    "smart health status": _warning,
}
_OTHERS: dict[str, _Reader] = {  # group of `_ROW` -> reader of its text
    "hd_write": partial(_state, "write_cache"),
    "hd_look": partial(_state, "look_ahead"),
    "hd_ahead": _sectors_ahead,
    "hd_firmware": partial(_named, "firmware"),
    "hd_rotation": _rotation,
    "hd_transport": partial(_named, "transport"),
    "nvme_firmware": partial(_named, "firmware"),
    "nvme_cache": partial(_state, "write_cache"),
    "cam_firmware": partial(_named, "firmware"),
    "cam_rpm": _rotation,
    "cam_write": partial(_state, "write_cache"),
    "cam_ahead": partial(_state, "look_ahead"),
    "sd_write": partial(_state, "write_cache"),
    "sun_write": partial(_state, "write_cache"),
    "sun_read": partial(_state, "read_cache"),
    "hours": partial(_count, "power_on_hours"),
    "celsius": _celsius,
    "nvme_celsius": _celsius,
    "json_celsius": _celsius,
    "nvme_worn": partial(_count, "wear"),
    "nvme_warning": _warning,
    "ssd_worn": _worn,
    "endurance": partial(_count, "wear"),
}
_LABELS = "|".join(sorted(map(re.escape, _SMARTCTL), key=len, reverse=True))
_ROW = lazy(
    rf"""^[ \t]*(?:(?P<label>{_LABELS})[ \t]*:[ \t]+(?P<value>\S[^\n]*?)
    |write-caching[ \t]*=[ \t]*(?P<hd_write>[01])[ ]\(o(?:n|ff)\)
    |look-ahead[ \t]*=[ \t]*(?P<hd_look>[01])[ ]\(o(?:n|ff)\)
    |readahead[ \t]*=[ \t]*(?P<hd_ahead>\d+)[ ]\(o(?:n|ff)\)
    |(?P<star>\*?)[ \t]+(?P<feature>Write[ ]cache|Look-ahead)
    |Firmware[ ]Revision:[ \t]+(?P<hd_firmware>\S[^\n]*?)
    |Nominal[ ]Media[ ]Rotation[ ]Rate:[ \t]*(?P<hd_rotation>\w[^\n]*?)
    |Transport:[ \t]+(?P<hd_transport>(?:Serial|Parallel)[^\n]*?)
    |fr[ \t]+:[ ](?P<nvme_firmware>\S[^\n]*?)
    |get-feature:0?x?0*6[ ]\(Volatile[ ]Write[ ]Cache\),[ ]Current[ ]value:[ ]*(?P<nvme_cache>\w+)
    |firmware[ ]revision[ \t]{{2,}}(?P<cam_firmware>\S[^\n]*?)
    |media[ ]RPM[ \t]{{2,}}(?P<cam_rpm>\S[^\n]*?)
    |write[ ]cache[ \t]{{2,}}yes[ \t]+(?P<cam_write>yes|no)(?:[ \t][^\n]*)?
    |read[ ]ahead[ \t]{{2,}}yes[ \t]+(?P<cam_ahead>yes|no)(?:[ \t][^\n]*)?
    |WCE[ \t]+(?P<sd_write>[01])(?:[ \t]+\[[^\n]*)?
    |Write[ ]Cache[ ]is[ ](?P<sun_write>enabled|disabled)
    |Read[ ]Cache[ ]is[ ](?P<sun_read>enabled|disabled)
    |9[ ]Power_On_Hours[ \t][^\n]*[ \t-](?P<hours>\d+)(?:[ \t]\([^\n]*\))?
    |(?:194[ ]Temperature_Celsius|190[ ]Airflow_Temperature_Cel)[ \t][^\n]*?[ ]-[ ]+(?P<celsius>\d+)(?:[ \t][^\n]*)?
    |(?:177[ ]Wear_Leveling_Count|231[ ]SSD_Life_Left|233[ ]Media_Wearout_Indicator|169[ ]Remaining_Lifetime_Perc)
      [ \t]+0x\w+[ \t]+0*(?P<ssd_worn>\d{1, 3})[ \t][^\n]*
    |0x07[ ]+0x008[ ]+\d[ ]+(?P<endurance>\d{1, 3})[ ]+\S+[ ]+Percentage[ ]Used[ ]Endurance[ ]Indicator
    |"?critical_warning"?[ \t]*:[ \t]*(?P<nvme_warning>(?:0x)?\w+)(?:,|[ \t][^\n]*)?
    |"?temperature"?[ \t]*:[ \t]*(?P<nvme_celsius>\d+)(?:[ \t]?(?:\u00b0?[ ]?C|\xba?C)\b[^\n]*|,)?
    |"current"[ \t]*:[ \t]*(?P<json_celsius>\d{1, 2}),?
    |"?percent(?:age)?_used"?[ \t]*:[ \t]*(?P<nvme_worn>\d+)(?:%|,)?
    )[ \t]*$""",
    re.MULTILINE | re.IGNORECASE | re.VERBOSE,
)
_ANCHOR = lazy(
    r"=== START OF |(?i:write ?cache is:)|write-caching[ \t]*=|look-ahead[ \t]*=|readahead[ \t]*=|Nominal Media Rotation Rate:"
    r"|Firmware Revision:|NVME Identify Controller|^fr[ \t]+: |\(Volatile Write Cache\), Current|^media RPM[ \t]{2}"
    r"|^write cache[ \t]{2,}yes|^[ \t]*WCE[ \t]+\d|(?:Write|Read) Cache is (?:en|dis)abled|rd look-ahead is:|Rd look-ahead is:"
    r"|Smart Log for NVME|critical_warning|Temperature_Celsius|Temperature_Cel|SMART (?:overall|Health)",
    re.MULTILINE,
)
_NEAR = 6  # lines between the name of a device and the output for it
_SMART_REACH = 400  # lines from the head of smartctl's output to a row of it


class _Head(NamedTuple):
    line: int
    kind: str  # device, sun, smart, info, other
    device: str


def read(text: Text) -> Iterator[Clue]:
    """Clues of every row."""
    heads = [_head(text, match) for match in _HEAD.finditer(text.body)]
    lines = [head.line for head in heads]
    has_health = "critical_warning" in text.body or '"smartctl"' in text.body
    for row in _ROW.finditer(text.body):
        line = text.line_at(row.start(row.lastindex or 0))
        index = bisect_right(lines, line) - 1
        head = heads[index] if index >= 0 else None
        if row["label"]:
            known = _is_of_smartctl(head, line, row["label"].lower())
        elif row["nvme_warning"] or row["nvme_celsius"] or row["nvme_worn"] or row["json_celsius"]:
            known = has_health
        else:  # hdparm always prints the device
            known = not (row["feature"] or row["hd_firmware"] or row["hd_transport"]) or (
                head is not None and head.kind == "device"
            )
        if not known:
            continue
        while head is not None and index > 0 and not head.device and head.line - heads[index - 1].line <= _NEAR:
            index -= 1
            head = heads[index]
        device = _device(text, line, head)
        for name, value in _row_values(row):
            key = f"state.{name}" if name in _OF_STATE else f"block.{name}"
            yield from open_clues(line, key, value, row[0].strip(), subject=device)


def _head(text: Text, match: re.Match[str]) -> _Head:
    short = match["sun"] or match["nvme"]
    name = match["device"] or (f"/dev/{short}" if short else "")
    return _Head(text.line_at(match.start(match.lastindex or 0)), match.lastgroup or "", name)


def _is_of_smartctl(head: _Head | None, line: int, label: str) -> bool:
    """Whether such a row is below the head of smartctl; the states of caches are called so by no other tool."""
    if label in ("rd look-ahead is", "write cache is") or label.startswith("smart "):
        return True
    return head is not None and head.kind in ("smart", "info", "nvme") and line - head.line <= _SMART_REACH


def _device(text: Text, line: int, head: _Head | None) -> str:
    """The device of a row; a name of its own where the output of an unknown device begins above it."""
    command = text.command_for(line)
    asked = None
    if command is not None:
        if head is not None and head.device and head.line > command.line:
            return head.device
        named = {match[1] or match[2] for match in _IN_COMMAND.finditer(command.text)}
        asked = named.pop() if len(named) == 1 else None
    elif head is not None and head.device:
        return head.device
    name = asked or (device_in_name(text.name) if command is None else None)
    if name is None and head is not None and command is None:
        return f"/dev/unnamed{head.line}"
    return f"/dev/{name}" if name else ""


def _row_values(row: re.Match[str]) -> _Values:
    if row["label"]:
        yield from _SMARTCTL[row["label"].lower()](row["value"])
    elif row["feature"]:
        yield "look_ahead" if row["feature"].lower() == "look-ahead" else "write_cache", "on" if row["star"] else "off"
    else:
        name = next((name for name in _OTHERS if row[name]), None)
        if name:
            yield from _OTHERS[name](row[name])


READER = Reader(
    "device tools",
    2,
    Anchor(
        _ANCHOR,
        "=== start of|write cache is|writecache is|write-caching|look-ahead|readahead|rotation rate:|"
        "firmware revision:|nvme identify|fr |fr\t|write cache), current|media rpm|write cache |write cache\t|wce|read cache is|"
        "smart log for nvme|critical_warning|temperature_cel|smart overall|smart health",
    ),
    read,
)
