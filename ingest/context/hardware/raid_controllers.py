"""Arrays of RAID controllers as their tools list them: MegaCli, storcli, tw_cli, hpacucli and ssacli, arcconf, omreport.

A listing of several arrays does not say which of them was measured, so only that of one array is read. Cache policies and strip
sizes in which all arrays agree are read as well (`RWBD` of storcli: no or R for read-ahead, WB or WT, Direct or Cached).
Source: MegaCli's manual (`Primary-5, Secondary-0`: the level, and 3 where arrays of it are striped), storcli's (`DG/VD TYPE`),
3ware CLI guide (`Unit UnitType`), HPE Smart Array guide (`logicaldrive 1 (5.5 TB, RAID 5, OK)`), arcconf's (`RAID level`),
OpenManage's (`Layout : RAID-5`), `ssacli ctrl all show config detail`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest.context._clues import line_clue, open_clues
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue
from ingest.text.lines import Text

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
_ANCHOR = lazy(
    r"^[ \t]*RAID Level[ \t]*: Primary-|^[ \t]*\d+/\d+[ \t]+RAID\d|^[ \t]*u\d+[ \t]+RAID-|^[ \t]*logicaldrive \d+ \("
    r"|^[ \t]*RAID level[ \t]*: \d|^[ \t]*Logical Drive: \d"
    r"|^[ \t]*Layout[ \t]+: RAID-\d",
    re.MULTILINE,
)


def read(text: Text) -> Iterator[Clue]:
    """Layout (`raid6(8)`) and number of disks for each tool that lists exactly one array in the text."""
    for form in (_MEGACLI, _STORCLI, _TW_CLI, _HPACUCLI, _ARCCONF, _OMREPORT):
        arrays = list(form.finditer(text.body))
        if len(arrays) == 1:
            line = text.line_at(arrays[0].start("level"))
            level, count = _raid_level(arrays[0]), _disk_count(form, arrays[0], text)
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
    "strip size": "strip_size",
    "stripe size": "strip_size",
    "stripe-unit size": "strip_size",
    "disk cache policy": "disk_cache",
    "read-cache status": "read_cache",
    "write-cache status": "write_cache",
    "drive write cache": "disk_cache",
    "caching": "write_cache",
    "cache ratio": "cache_ratio",
    "battery/capacitor status": "battery",
    "bbu status": "battery",
}
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
        write, read, io = row["mega"].lower().split(", ")
        yield from (("write_policy", _WORDS.get(write, write)), ("read_policy", _WORDS.get(read, read)), ("io_policy", io))
    elif row["stor"]:
        code = row["stor"].lower()
        yield "write_policy", "write back" if "wb" in code else "write through"
        yield "read_policy", "none" if code.startswith("nr") else "read ahead"
        yield "io_policy", "direct" if code.endswith("d") else "cached"
    else:
        value = row["value"].lower()
        yield _LABELS[row["label"].lower()], _STATES.get(value, value)


_WORDS = {"writeback": "write back", "writethrough": "write through", "readaheadnone": "none", "readahead": "read ahead"}


def _raid_level(match: re.Match[str]) -> str:
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


READER = Reader(
    "raid controllers",
    3,
    Anchor(_ANCHOR, "raid level|raid0|raid-|logicaldrive 0|logical drive: 0"),
    read,
    "MegaCli, storcli, tw_cli, hpacucli, ssacli, arcconf and omreport",
)
