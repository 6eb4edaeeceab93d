"""Captions above results that are made of nothing but settings: `ZFS mirror, lz4:`, `// Ubuntu 16.04 / Linux 4.4.0:`.

A caption is read from left to right, and told only where every word of it is understood, so that no sentence is taken
for one. It holds for the results after it, up to the next caption. Words: zpool-create(8), zfsprops(7), names of systems.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ingest import normalise
from ingest.context.labels._setting_words import (
    EXTRA_FILE_SYSTEMS,
    FILE_SYSTEM_WORDS,
    OS_FAMILIES,
    TEST_STEP_WORDS,
    read_setting_words,
)
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue
from ingest.text.lines import Text

_STEP = r"(?i:test|run|bench(?:mark)?|case|config(?:uration)?|round|set-?up)"
_COUNT = rf"(?:{_STEP}[ \t]*#?\d{{1,3}}|#\d{{1,2}})[ \t]*(?:[-:.)(\u2013\u2014]|(?<=\d)[ \t])"  # `Test 1 - recordsize 8K`
_LEAD = lazy(
    rf"[ \t]*(?:(?:#+(?!\d)|//+|;+|\*{{1,3}}|=+|--+|\d{{1,2}}[.)](?=[ \t])|[a-z][.)](?=[ \t]))[ \t]*)?"
    rf"(?:{_COUNT})?[\[(*_ \"'\u201c\u2018]*"
)
_COUNTED = lazy(rf"[^\w\n#]{{0,6}}{_COUNT}")
_TAIL = lazy(r"[\])*_:\uff1a=# \t\"'\u201d\u2019-]*\Z")
_SET_OFF = lazy(r"[ \t]*(?://|;|\*{1,3}\w|\[).*\Z|.*[:\uff1a][*_]*[ \t]*\Z")
_RULE = lazy(r"[ \t]*(?:={3,}|-{3,}|~{3,})[ \t]*\Z")
_LONGEST, _SHORT = 90, 60
_PAIRS = lazy(r"\W*(?:\w[\w.]*=\S+[\s,;]*)+\Z|\W{0,8}\w[\w -]*?[ \t]*:[ \t]+\S")  # labels, and rows of a sheet
_ITEM = lazy(r"[ \t]*[-*+\u2022][ \t]")
_HEADING = lazy(r"[ \t]*(?:#{2,}|={2,}|-{2,}|\*{2,}|~{2,})|[ \t]{0,3}[A-Za-z0-9]\S*(?:[ \t]+\S+){0,4}(?<=:)[ \t]*\Z")
_TURN = lazy(r"(?i)\W{0,6}(?:and )?(?:before|after) ")
_FS = "|".join(sorted({*FILE_SYSTEM_WORDS, *EXTRA_FILE_SYSTEMS}, key=len, reverse=True))
_SYSTEM = "|".join(sorted((re.escape(word) for word in normalise.os_names() if word != "arch"), key=len, reverse=True))
_ALGORITHM = r"(?:lz4|lzjb|zle|lzo|gzip|zstd|zlib)(?:[-: ]?\d{1,2}(?![\w.]))?"
_MEDIA = r"(?:disks?|drives?|hdds?|ssds?|nvmes?)"
_CHINESE = (  # file system, write, read, sequential, random, speed, test, result, disk, array, partition; under, of, on
    "文件系统|檔案系統|写入|寫入|读取|讀取|读写|讀寫|顺序|随机|性能|速度|测试|測試|结果|結果|磁盘|硬盘|硬碟|阵列|分区|下|的|在|上"
)
_MAKERS = "WDC?|Western Digital|Seagate|Samsung|Toshiba|HGST|Hitachi|Intel|Micron|Crucial|Kingston|SanDisk|Kioxia|OCZ|Corsair|ADATA"
_NO_MODEL = r"raid|draid|mirror|stripe|zfs|(?:in|as|on|at|with|using|for|each|and|disks?|drives?|hdds?|ssds?)\b"
_WORD = lazy(
    rf"""(?P<gap>[\s,;/|+&()\[\]:\uff1a\uff08\uff09\u2013\u2014-]+)
    |(?P<zfs>(?:native[ ])?zfs[ -]on[ -]linux|zol|openzfs|zfsonlinux)\b(?:[ ]v?(?P<zfs_version>\d+\.\d+(?:\.\d+)?(?:-\w+)?))?
    |(?:linux[ -])?kernel[ :=v]*(?P<kernel>\d+\.\d+[\w.+~-]*\w)
    |linux[ -]v?(?P<linux>\d+\.\d+[\w.+~-]*\w)
    |(?:(?:under|with|on|vanilla|stock|plain)[ ](?P<old>2\.[0-6]\.\d+(?:[.-][\w+~-]+)*)
      |(?P<suffixed>2\.[2-6]\.\d+-(?:rc|pre|test|mm|ac|aa|git|ck|dj|smp|\d[\w.]*el\d|\d+-[a-z])[\w.+~-]*))(?=[:\s,)]|\Z)
    |(?P<bare>(?<![\w.])2\.[456]\.[1-9]\d(?:\.\d{{1,2}})?(?:-[a-z][\w.+~-]*)?)(?=[:,)]|\Z)
    |(?P<system>{_SYSTEM})(?:[ -]?v?(?P<version>\d[\w.]*(?:-(?:release|stable|current|rc\d)\w*(?:-p\d+)?)?(?:[ ]LTS)?))?(?![\w.])
    |(?P<family>linux|illumos)\b
    |compress(?:ion)?[ =:-]*(?P<compression>off|on|none|{_ALGORITHM})\b
    |(?P<uncompressed>(?:no|without)[ -]compression|uncompressed|nocompress(?:ion)?)\b
    |(?P<algorithm>{_ALGORITHM})(?:[ -]compress(?:ion|ed))?\b
    |dedup(?:lication)?[ =:]*(?P<dedup>off|on)\b|(?P<nodedup>(?:no|without)[ -]dedup(?:lication)?)\b
    |atime[ =:]*(?P<atime>off|on)\b|(?P<noatime>noatime)\b
    |sync[ =:]*(?P<sync>disabled|always|standard)\b
    |rec(?:ord)?[ ]?size[ =:]*(?P<recordsize>\d+[KM])i?B?\b|(?P<size_first>\d+[KM])i?B?[ -]rec(?:ord)?[ ]?size\b
    |ashift[ =:]*(?P<ashift>9|1[0-6])\b
    |(?P<disks>\d{{1,3}})(?:[ ]?[x\u00d7][ ]?(?:(?:WD|Red|Seagate|HGST|Hitachi|Toshiba|Samsung|SATA|SAS)[ ]){{0,3}}
      (?:\d+(?:\.\d+)?[ ]?[TG]B?(?:[ ](?P<drive>(?:{_MAKERS})(?:[ -](?!{_NO_MODEL})[\w.]{{1,20}}){{0,4}}))?
        (?:[ ]{_MEDIA})?|{_MEDIA})|[ -]{_MEDIA})\b
    |(?P<ways>[2-9])[ -]way[ -]mirror(?:ed)?\b
    |(?P<layout>raid-?z[123]?|draid[123]|raid[ -]?(?:10|50|60|0|1|5|6)|mirror(?:ed)?|striped?)\b
    |(?P<fs>{_FS})(?![A-Za-z0-9_])
    |(?P<filler>(?:bonnie(?:\+\+)?|iozone|ior|fio|dd|hdparm|results?|benchmarks?|tests?|runs?)(?=[ ]\S)
      |(?:de)?compression[ ](?:results?|tests?|benchmarks?|speeds?)(?=[ ]\S)
      |the|an?|my|this|these|here|is|are|now|results?|array|volume|partition|drive|writes?|reads?|writing|reading
      |for|of|on|with|w/|w(?=[ ])|under|using|over|and|at|in|native|plain|vanilla
      |stock|defaults?|options|file[ ]?systems?|fs|pool|zpool
      |soft(?:ware)?|hard(?:ware)?|hw|sw|mdadm|md|{_MEDIA}|sata|sas
      |raw|device|(?:un)?encrypted|lvm|luks|dm-crypt|logical|top
      |(?:(?:before|after)[ ])?as|formatted|wheezy|jessie|lenny|squeeze|stretch|buster|bullseye|bookworm
      |lucid|precise|trusty|xenial|bionic|focal|jammy|noble|x86_64|amd64|64[ -]?bit)(?![\w.])
    |(?P<chinese>{_CHINESE})""",
    re.IGNORECASE | re.VERBOSE,
)
_WHAT = r"(?:(?:bonnie(?:\+\+)?|iozone|ior|fio|dd|hdparm|results?|benchmarks?|tests?|runs?) ){0,2}"
_DRIVE = lazy(  # a maker and what only disks are called, and no more than their numbers
    rf"(?P<model>(?:{_MAKERS})(?:[ -](?!Core|Xeon|NUC|Galaxy|i\d)[\w.]{{1,20}}){{1,5}})\Z"
)
_SERIES = lazy(
    r"(?i)\b(?:EVO|PRO|QVO|Red|Blue|Black|Green|Gold|Purple|Raptor|VelociRaptor|IronWolf|Exos|Barracuda|Constellation|Cheetah|SkyHawk"
    r"|Ultrastar|Deskstar|Travelstar|Caviar|MX\d00|BX\d00|SSD|NVMe|HDD|Optane|X25-?\w|Vertex|Agility|Extreme)\b"
)
_NUMBER = lazy(r"\d|(?i:\b(?:Red|Blue|Black|Green|Gold|Purple|Raptor|IronWolf|Exos|Optane))")  # `Samsung SSD` is none
# A line that goes on with a disk in a sentence, or that names one which holds no results.
_OTHER_DISK = lazy(
    r"(?i)\b(?:(?:boot|os|system|root|swap|spare|cache|log|old)(?: (?:disks?|drives?|ssd|hdd))?|an?|the|my|from|is|was"
    r"|than|with|and|or|of|to|for|by|like|replaced)\W{0,3}\Z"
)
_ANY_DIGITS = re.sub("[0-9]", r"\\d", f"{_FS}|{_SYSTEM}")  # since kinds of lines are asked
_ANCHOR = lazy(
    rf"(?i)^[^\w\n]{{0,6}}+(?:(?=[anhrtm])(?:and|now|here(?:'s| is| are)?|(?:the )?results?|the|my|this is|these are)[ ]){{0,4}}"
    rf"(?:\w[.)] )?(?:{_STEP}[ #]{{0,2}}\d{{1,3}}[^\w\n]{{1,4}}|\d{{1,2}}[ -]{{1,3}})?"
    rf"(?:(?:{_WHAT}(?:on|with|under|using|for|of)(?: the| an?| my)?|native|no|without|hdd|ssd"
    rf"|\d{{1,3}}[ x-]\w*|(?:(?:before|after) )?as|formatted(?: (?:as|with))?"
    rf"|(?:raw|(?:un)?encrypted|lvm|luks|logical)(?:,? [a-z-]{{1,12}}){{0,6}},?) )?"
    rf"(?:{_ANY_DIGITS}|zol|openzfs|linux|kernel|\d\.\d\.\d|(?:de)?compress|uncompressed|dedup|atime|noatime|sync|rec(?:ord)?size|ashift"
    rf"|raid|draid|mirror|stripe|hdd|ssd|\d{{1,3}} ?x|\d{{1,3}}[ -]{_MEDIA}|lz\d|lzjb|gzip|zstd|zle|zlib|\d[ -]way"
    rf"|{_MAKERS})",
    re.MULTILINE,
)
# Lines with which an output begins, or that say where one does.
_OPENS = lazy(
    r"[ \t]*(?:```|~~~|<pre|\{noformat|\{code|\[code|/dev/\w+:|\d+\+\d+ |Version +\d|Writing |Using uid"
    r"|Run began|\s*Iozone|IOR-|mdtest-|Run status|Command line used"
    r"|real\s|sent \d|Timing |\d+ (?:bytes|octets) "
    r"|(?:sync; ?)?(?:sudo |time ){0,2}(?:dd (?:if|of|bs|count)=|(?:hdparm|rsync|cp|tar|bonnie\+\+|iozone|fio) -))"
)


def read(text: Text) -> Iterator[Clue]:
    """Clues of every caption. What one tells and the next does not, ends there; and one that is not understood ends all."""
    commands = {command.line for command in text.commands}
    known: set[str] = set()
    last = len(text.lines) - next((n for n, line in enumerate(reversed(text.lines)) if line.strip()), 0)  # it stands over something
    for number in _from_the_first(text, commands):
        at, line = number - 1, text.lines[number - 1]
        if number in commands or len(line) > _LONGEST or not line.strip():
            continue
        found = read_caption(line) if _ANCHOR.match(line) else {}
        if "disk.model" in found and at and _OTHER_DISK.search(text.lines[at - 1]):
            continue
        if not found:
            if known and _is_another(text, at, commands):
                yield from (_clue(number, line, key, None) for key in sorted(known))
                known = set()
        elif number < last and _is_apart(text, at, len(found), commands) and not _is_answer(text, at):
            if _HEADING.match(line) and not _TURN.match(line):  # the reader of labels takes what it knows of it
                found = {key: value for key, value in found.items() if key not in read_setting_words(line)}
            topics = {_topic(key) for key in found}
            ended = {key for key in known - found.keys() if _topic(key) in topics}
            known = (known | found.keys()) - ended
            yield from (_clue(number, line, key, value) for key, value in found.items())
            yield from (_clue(number, line, key, None) for key in sorted(ended))


def _clue(number: int, line: str, key: str, value: Any) -> Clue:
    return Clue(number, key, value, line.strip(), "label", "labels" if value is not None else "ends", group="caption")


def _from_the_first(text: Text, commands: set[int]) -> range:
    """The numbers of the lines from that of the first words of settings on."""
    first = (number for number, _ in text.matches(_ANCHOR) if number not in commands and read_caption(text.lines[number - 1]))
    start = next(first, 0)
    return range(start, len(text.lines) + 1) if start else range(0)


def _topic(key: str) -> str:
    """What a caption changes of a kind, it tells anew: of the system, or of the store."""
    return "system" if key.startswith(("os.", "kernel")) else "store"


def _is_another(text: Text, at: int, commands: set[int]) -> bool:
    """Whether a short line stands above an output as a caption does, and speaks of no step of the same test."""
    line = text.lines[at]
    return (
        len(line) <= _SHORT
        and (not at or not text.lines[at - 1].strip())
        and re.search("[A-Za-z]{2}", line) is not None
        and not _OPENS.match(line)
        and (not TEST_STEP_WORDS.search(line) or bool(read_setting_words(line)))
        and _is_followed(text, at, commands)
    )


def _is_apart(text: Text, at: int, keys: int, commands: set[int]) -> bool:
    """Whether it stands out by a mark or a colon, begins a paragraph with several settings, or leads to an output."""
    begins = (keys > 1 or _COUNTED.match(text.lines[at]) is not None) and (not at or not text.lines[at - 1].strip())
    return begins or _SET_OFF.match(text.lines[at]) is not None or _is_followed(text, at, commands)


def _is_answer(text: Text, at: int) -> bool:
    """Whether it is what `uname` printed."""
    command = text.command_for(at + 1)
    return command is not None and "uname" in command.text


def _is_followed(text: Text, at: int, commands: set[int]) -> bool:
    """Whether an output or a command comes right below."""
    for below in range(at + 1, min(at + 3, len(text.lines))):
        if text.lines[below].strip() and not (below == at + 1 and _RULE.match(text.lines[below])):
            return below + 1 in commands or bool(_OPENS.match(text.lines[below]))
    return False


def read_caption(line: str) -> dict[str, Any]:
    """Keys of a caption; nothing where a word of it is not understood, or two tell one key unlike."""
    if (_PAIRS.match(line) and not _COUNTED.match(line)) or (_ITEM.match(line) and not line.rstrip(" *_").endswith(":")):
        return {}
    lead = _LEAD.match(line)
    words = _TAIL.sub("", line[lead.end() if lead else 0 :])
    words = re.sub(r"(?i)\A(?:and|now|here's)[ ]", "", words)
    if (drive := _DRIVE.match(words)) and _SERIES.search(drive["model"]) and _NUMBER.search(drive["model"]):
        return {"disk.model": drive["model"]}
    found: dict[str, set[Any]] = {}
    at, seen = 0, list[dict[str, str]]()
    while at < len(words):
        match = _WORD.match(words, at)
        if not match or match.end() == at:
            return {}
        at = match.end()
        seen.append({key: value for key, value in match.groupdict().items() if value})
    for word in seen:
        for key, value in _meant(word):
            found.setdefault(key, set()).add(value)
    if any(len(values) > 1 for values in found.values()):
        return {}
    return _with_disks({key: values.pop() for key, values in found.items()})


def _meant(word: dict[str, str]) -> Iterator[tuple[str, Any]]:
    for name, text in word.items():
        match name:
            case "zfs" | "fs":
                yield "fs.type", "zfs" if name == "zfs" else normalise.file_system_type(text.lower())
            case "zfs_version":
                yield "fs.version", text
            case "kernel" | "linux" | "old" | "suffixed" | "bare":
                yield "kernel", text
                yield "os.family", "Linux"
            case "system":
                yield from _system(text, word.get("version"))
            case "family":
                yield "os.family", OS_FAMILIES[text.lower()]
            case "compression" | "algorithm":
                yield "pool.compression", normalise.compression(text.replace(" ", "-"))
            case "uncompressed" | "nodedup" | "noatime":
                yield {"u": "pool.compression", "d": "pool.dedup", "a": "pool.atime"}[name.removeprefix("no")[0]], "off"
            case "dedup" | "atime" | "sync":
                yield f"pool.{name}", text.lower()
            case "recordsize" | "size_first":
                yield "pool.recordsize", normalise.parse_size(text)
            case "drive":
                if _SERIES.search(text):
                    yield "disk.model", text
            case "ashift" | "disks":
                yield {"ashift": "pool.ashift", "disks": "disk.count"}[name], int(text)
            case "ways":
                yield "pool.layout", f"mirror({int(text)})"
            case "layout":
                yield "pool.layout", _kind(text.lower())


def _kind(word: str) -> str:
    plain = re.sub("[ -]", "", word)
    return normalise.vdev_kind(plain) or {"mirrored": "mirror", "striped": "stripe"}.get(plain, plain)


def _system(text: str, version: str | None) -> Iterator[tuple[str, str]]:
    if name := normalise.os_name(text):
        yield "os.name", name
        if version:
            yield "os.version", version
        if family := normalise.os_family(name):
            yield "os.family", family


def _with_disks(found: dict[str, Any]) -> dict[str, Any]:
    """`6 disk raidz2` is raidz2(6); of mirrors only two disks are surely one."""
    layout, disks = found.get("pool.layout", ""), found.get("disk.count")
    if disks and (layout.startswith(("raidz", "draid", "stripe")) or (layout == "mirror" and disks == 2)):
        found["pool.layout"] = f"{layout}({disks})"
    return {key: value for key, value in found.items() if value is not None}


READER = Reader("captions", 12, Anchor(_ANCHOR), read, "lines of nothing but settings above results")
