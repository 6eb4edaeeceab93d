"""Captions above results that are made of nothing but settings: `ZFS mirror, lz4:`, `// Ubuntu 16.04 / Linux 4.4.0:`.

Forms: a short line of settings behind a mark, before a colon, at the start of a paragraph (two settings or a step's number) or
right above an output. A caption is parsed from left to right and read only where every word of it is understood, so that no
sentence is taken for one. It holds for the results after it, up to the next caption. Words: zpool-create(8), zfsprops(7), names
of systems.

Source: lines of nothing but settings above results
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from ingest import normalise
from ingest.context._clues import distribution_values, label_clue
from ingest.context.labels._row_values import OWN_RELEASES, read_release
from ingest.context.labels._setting_words import (
    EXTRA_FILE_SYSTEMS,
    FILE_SYSTEM_WORDS,
    OS_FAMILIES,
    TEST_STEP_WORDS,
    read_layout,
    read_setting_words,
    without_layout,
)
from ingest.lazy_regex import lazy
from ingest.open_keys import OF_MACHINES
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
_POOL = lazy(r"(?i)\W{0,8}(?:zfs )?(?:z?pool|array|vdevs?)(?:\*\*)?[ \t]*:[*_ \t]+(?=\S)")  # the row of a sheet
_RULE = lazy(r"[ \t]*(?:={3,}|-{3,}|~{3,})[ \t]*\Z")
_LONGEST, _SHORT = 90, 60  # characters of a caption, of a line that ends one, at most
_PAIRS = lazy(r"\W*(?:\w[\w.]*=\S+[\s,;]*)+\Z|\W{0,8}\w[\w -]*?[ \t]*:[ \t]+\S")  # labels, and rows of a sheet
_ITEM = lazy(r"[ \t]*[-*+\u2022][ \t]")
_HEADING = lazy(r"[ \t]*(?:#{2,}|={2,}|-{2,}|\*{2,}|~{2,})|[ \t]{0,3}[A-Za-z0-9]\S*(?:[ \t]+\S+){0,4}(?<=:)[ \t]*\Z")
_TURN = lazy(r"(?i)\W{0,6}(?:and )?(?:before|after) ")
_FS = "|".join(sorted({*FILE_SYSTEM_WORDS, *EXTRA_FILE_SYSTEMS}, key=len, reverse=True))
_SYSTEM = "|".join(sorted((re.escape(word) for word in normalise.os_names() if word != "arch"), key=len, reverse=True))
_RELEASED = "|".join(sorted(OWN_RELEASES))
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
    |(?P<switch>(?:disk[ ])?write[ ]cache[ =:]*(?:on|off|enabled?|disabled?)|wce[ =:]*[01]|zil_disable(?:[ =:]*[01])?
      |zil[ ](?:disabled|off)|(?:zfs_)?nocacheflush(?:[ =:]*[01])?
      |(?:zfs_)?prefetch_disable[ =:]*[01]|prefetch[ ](?:on|off|disabled)|(?:un)?tuned)\b
    |(?P<disks>\d{{1,3}})(?:[ ]?[x\u00d7][ ]?(?:(?:WD|Red|Seagate|HGST|Hitachi|Toshiba|Samsung|SATA|SAS)[ ]){{0,3}}
      (?:\d+(?:\.\d+)?[ ]?[TG]B?(?:[ ](?P<drive>(?:{_MAKERS})(?:[ -](?!{_NO_MODEL})[\w.]{{1,20}}){{0,4}}))?
        (?:[ ]{_MEDIA})?|{_MEDIA})|[ -]{_MEDIA})\b
    |(?P<release>(?:{_RELEASED})[ -]v?\d+\.\d+(?:\.\d+)*)(?![\w.])
    |(?P<fs>{_FS})(?![A-Za-z0-9_])
    |(?P<filler>(?:bonnie(?:\+\+)?|iozone|ior|fio|dd|hdparm|results?|benchmarks?|tests?|runs?)(?=[ ]\S)
      |(?:de)?compression[ ](?:results?|tests?|benchmarks?|speeds?)(?=[ ]\S)
      |the|an?|my|this|these|here|is|are|now|same|box|machine|host|server|hardware|results?|array|volume|partition|drive|writes?|reads?|writing|reading
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
# The end of a line whose sentence goes on with a disk, or with one that holds no results.
_OTHER_DISK = lazy(
    r"(?i)\b(?:(?:boot|os|system|root|swap|spare|cache|log|old)(?: (?:disks?|drives?|ssd|hdd))?|an?|the|my|from|is|was"
    r"|than|with|and|or|of|to|for|by|like|replaced)\W{0,3}\Z"
)
_ANY_DIGITS = re.sub("[0-9]", r"\\d", f"{_FS}|{_SYSTEM}")  # `Text.matches` passes lines whose digits are all 0
_ANCHOR = lazy(
    rf"(?i)^[^\w\n]{{0,6}}+(?:(?:zfs )?(?:z?pool|array|vdevs?)\**[ \t]*:|"
    rf"(?:(?=[anhrtm])(?:and|now|here(?:'s| is| are)?|(?:the )?results?|the|my|this is|these are)[ ]){{0,4}}"
    rf"(?:\w[.)] )?(?:{_STEP}[ #]{{0,2}}\d{{1,3}}[^\w\n]{{1,4}}|\d{{1,2}}[ -]{{1,3}})?"
    rf"(?:(?:{_WHAT}(?:on|with|under|using|for|of)(?: the| an?| my)?|native|no|without|hdd|ssd"
    rf"|\d{{1,3}}[ x-]\w*|(?:(?:before|after) )?as|formatted(?: (?:as|with))?"
    rf"|(?:raw|(?:un)?encrypted|lvm|luks|logical)(?:,? [a-z-]{{1,12}}){{0,6}},?) )?"
    rf"(?:{_ANY_DIGITS}|zol|openzfs|linux|kernel|\d\.\d\.\d|(?:de)?compress|uncompressed|dedup|atime|noatime|sync|rec(?:ord)?size|ashift"
    rf"|raid|draid|mirror|stripe|hdd|ssd|\d{{1,3}} ?x|\d{{1,3}}[ -]{_MEDIA}|lz\d|lzjb|gzip|zstd|zle|zlib|\d[ -]way"
    rf"|(?:disk )?write cache|wce|zil|(?:zfs_)?nocacheflush|(?:zfs_)?prefetch|(?:un)?tuned"
    rf"|{_MAKERS}))",
    re.MULTILINE,
)
# The first lines of outputs, and lines that open a block of output.
_OPENS = lazy(
    r"[ \t]*(?:```|~~~|<pre|\{noformat|\{code|\[code|/dev/\w+:|\d+\+\d+ |Version +\d|Writing |Using uid"
    r"|Run began|\s*Iozone|IOR-|mdtest-|Run status|Command line used"
    r"|real\s|sent \d|Timing |\d+ (?:bytes|octets) "
    r"|(?:sync; ?)?(?:sudo |doas |pfexec |time ){0,2}(?:dd (?:if|of|bs|count)=|(?:hdparm|rsync|cp|tar|bonnie\+\+|iozone|fio) -))"
)


def read(text: Text) -> Iterator[Clue]:
    """Labels of every caption. A key of the same topic that the next one lacks ends there; one that is not understood ends all."""
    commands = {command.line for command in text.commands}
    open_keys: set[str] = set()
    last = len(text.lines) - next((n for n, line in enumerate(reversed(text.lines)) if line.strip()), 0)  # that is not blank
    for number in _candidate_lines(text, commands):
        index, line = number - 1, text.lines[number - 1]
        if number in commands or len(line) > _LONGEST or not line.strip():
            continue
        settings = read_caption(line) if _ANCHOR.match(line) else {}
        if "disk.model" in settings and index and _OTHER_DISK.search(text.lines[index - 1]):
            continue
        if not settings:
            if open_keys and _is_unreadable_caption(text, index, commands):
                yield from (label_clue(number, key, None, line.strip(), "caption") for key in sorted(open_keys))
                open_keys = set()
        elif number < last and _stands_out(text, index, len(settings), commands) and not _is_uname_output(text, index):
            if _HEADING.match(line) and not _TURN.match(line) and not _POOL.match(line):  # the reader of labels reads these keys
                settings = {key: value for key, value in settings.items() if key not in read_setting_words(line)}
            topics = {_topic(key) for key in settings}
            ended = {key for key in open_keys - settings.keys() if _topic(key) in topics}
            open_keys = (open_keys | settings.keys()) - ended
            yield from (label_clue(number, key, value, line.strip(), "caption") for key, value in settings.items())
            yield from (label_clue(number, key, None, line.strip(), "caption") for key in sorted(ended))


def _candidate_lines(text: Text, commands: set[int]) -> range:
    """Line numbers from the first caption to the end of the text; empty without a caption."""
    first = (number for number, _ in text.matches(_ANCHOR) if number not in commands and read_caption(text.lines[number - 1]))
    start = next(first, 0)
    return range(start, len(text.lines) + 1) if start else range(0)


def _topic(key: str) -> str:
    """`system` or `store`: a caption that sets one key of a topic replaces the whole topic."""
    return "system" if key.startswith(("os.", "kernel")) else "store"


def _is_unreadable_caption(text: Text, index: int, commands: set[int]) -> bool:
    """Whether a short line stands above an output as a caption does, and names no step of the same test."""
    line = text.lines[index]
    return (
        len(line) <= _SHORT
        and (not index or not text.lines[index - 1].strip())
        and re.search("[A-Za-z]{2}", line) is not None
        and not _OPENS.match(line)
        and (not TEST_STEP_WORDS.search(line) or bool(read_setting_words(line)))
        and _is_followed(text, index, commands)
    )


def _stands_out(text: Text, index: int, keys: int, commands: set[int]) -> bool:
    """Whether a line of so many keys has a mark or a colon, begins a paragraph with several settings, or leads to an output."""
    begins = (keys > 1 or _COUNTED.match(text.lines[index]) is not None) and (not index or not text.lines[index - 1].strip())
    is_set_off = _SET_OFF.match(text.lines[index]) or _POOL.match(text.lines[index])
    return begins or is_set_off is not None or _is_followed(text, index, commands)


def _is_uname_output(text: Text, index: int) -> bool:
    command = text.command_for(index + 1)
    return command is not None and "uname" in command.text


def _is_followed(text: Text, index: int, commands: set[int]) -> bool:
    """Whether an output or a command stands right below the line, a rule between them aside."""
    for below in range(index + 1, min(index + 3, len(text.lines))):
        if text.lines[below].strip() and not (below == index + 1 and _RULE.match(text.lines[below])):
            return below + 1 in commands or bool(_OPENS.match(text.lines[below]))
    return False


def read_caption(line: str) -> dict[str, Any]:
    """Key -> value of a caption; empty where a word of it is not understood, or two words give one key different values."""
    if pool := _POOL.match(line):
        line = line[pool.end() :]
    elif (_PAIRS.match(line) and not _COUNTED.match(line)) or (_ITEM.match(line) and not line.rstrip(" *_").endswith(":")):
        return {}
    lead = _LEAD.match(line)
    words = _TAIL.sub("", line[lead.end() if lead else 0 :])
    words = re.sub(r"(?i)\A(?:and|now|here's)[ ]", "", words)
    if (drive := _DRIVE.match(words)) and _SERIES.search(drive["model"]) and _NUMBER.search(drive["model"]):
        return {"disk.model": drive["model"]}
    parts = _tokenise(without_layout(words))
    if parts is None:
        return {}
    values: dict[str, set[Any]] = {}
    for key, value in read_layout(words, bare=True):
        values.setdefault(key, set()).add(value)
    for part in parts:
        for key, value in _part_values(part):
            values.setdefault(key, set()).add(value)
    if any(len(alternatives) > 1 for alternatives in values.values()):
        return {}
    return _with_disks({key: alternatives.pop() for key, alternatives in values.items()})


def _tokenise(words: str) -> list[dict[str, str]] | None:
    """Group name of `_WORD` -> text, for each word or phrase; None where one is not understood."""
    position, parts = 0, list[dict[str, str]]()
    while position < len(words):
        match = _WORD.match(words, position)
        if not match or match.end() == position:
            return None
        position = match.end()
        parts.append({name: printed for name, printed in match.groupdict().items() if printed})
    return parts


def _part_values(part: dict[str, str]) -> Iterator[tuple[str, Any]]:
    for name, printed in part.items():
        if name == "system":
            if distribution := normalise.os_name(printed):
                yield from distribution_values(distribution, part.get("version"))
        elif name in _KERNEL_GROUPS:
            yield "kernel", printed
            yield "os.family", "Linux"
        elif name == "release":
            yield from read_release(*re.split("[ -]v?", printed, maxsplit=1)).items()
        elif name == "drive":
            if _SERIES.search(printed):
                yield "disk.model", printed
        elif name == "switch":
            yield from ((key, value) for key, value in read_setting_words(printed.lower()).items() if key.startswith(OF_MACHINES))
        elif name in _GROUP_VALUES:
            key, parse = _GROUP_VALUES[name]
            yield key, parse(printed)


def _parse_algorithm(printed: str) -> str | None:
    return normalise.compression(printed.replace(" ", "-"))


def _off(_: str) -> str:
    return "off"


_KERNEL_GROUPS = ("kernel", "linux", "old", "suffixed", "bare")
_GROUP_VALUES: dict[str, tuple[str, Callable[[str], Any]]] = {  # group of _WORD -> key, parser of its text
    "zfs": ("fs.type", lambda _: "zfs"),
    "zfs_version": ("fs.version", str),
    "fs": ("fs.type", lambda printed: normalise.file_system_type(printed.lower())),
    "family": ("os.family", lambda printed: OS_FAMILIES[printed.lower()]),
    "compression": ("pool.compression", _parse_algorithm),
    "algorithm": ("pool.compression", _parse_algorithm),
    "uncompressed": ("pool.compression", _off),
    "dedup": ("pool.dedup", str.lower),
    "nodedup": ("pool.dedup", _off),
    "atime": ("pool.atime", str.lower),
    "noatime": ("pool.atime", _off),
    "sync": ("pool.sync", str.lower),
    "recordsize": ("pool.recordsize", normalise.parse_size),
    "size_first": ("pool.recordsize", normalise.parse_size),
    "ashift": ("pool.ashift", int),
    "disks": ("disk.count", int),
}


def _with_disks(values: dict[str, Any]) -> dict[str, Any]:
    """The values with the number of disks in the layout (`6 disk raidz2` is raidz2(6), of a mirror only 2), without None."""
    layout, disks = values.get("pool.layout", ""), values.get("disk.count")
    if disks and "(" not in layout and (layout.startswith(("raidz", "draid", "stripe")) or (layout == "mirror" and disks == 2)):
        values["pool.layout"] = f"{layout}({disks})"
    return {key: value for key, value in values.items() if value is not None}


READER = Reader("captions", 15, Anchor(_ANCHOR), read)
