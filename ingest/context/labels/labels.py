"""Label lines and headings that people write between results.

`atime=off dedup=off compression=lz4`, `fs=btrfs options=compress=zstd:3`, `compression: lz4`; headings such as
`########## GZIP-6`. A label line is told from program output that merely holds `=` by its words: every word is
`key=value`, and at least one key is known and has a value that its registry type allows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ingest import normalise
from ingest.context.file_systems.mounts import parse_mount_options
from ingest.context.labels._setting_words import TEST_STEP_WORDS, read_setting_words
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue
from ingest.text.lines import Text

_LABEL = lazy(
    r"^[ \t]*(?:[#;/*%>-]{1,12}[ \t]*)?(?P<pairs>[A-Za-z][\w.]{0,40}=[^\s,;=]*(?:=[^\s,;=]*)?"
    r"(?:(?:[ \t]*[,;][ \t]*|[ \t]+)[A-Za-z][\w.]{0,40}=[^\s,;=]*(?:=[^\s,;=]*)?)*)(?:[ \t]+\((?:by )?default\))?"
    r"(?:[ \t]*[#*=-]*)?$",
    re.MULTILINE,
)
_COLON = lazy(
    r"^[ \t]*(?:[#;/*-]{1,12}[ \t]*)?(?P<key>[A-Za-z][A-Za-z _.]{1,20}?)[ \t]*:"
    r"[ \t]+(?P<value>\S[^\n:=|]{0,60}?)(?:[ \t]+\([^()\n]{1,120}\))?[ \t]*$",
    re.MULTILINE,
)
_HEADING = lazy(
    r"^[ \t]*(?P<mark>#{2,}|={2,}|-{2,}|\*{2,}|~{2,}|>{3,}|\+{3,})[ \t]*"
    r"(?P<text>(?:\d[\w.]{0,6} ?)?[A-Za-z](?:[^\n#=*~]|(?<=\w)=(?=\w)){0,78}?)"
    r"[ \t]*[#=*~<+-]*[ \t]*$",
    re.MULTILINE,
)
_UNDER = lazy(r"[ \t]{0,3}(?P<text>[A-Za-z][^\n|]{0,58})\Z")  # underlined, as Markdown does
_RULE = lazy(r"^(?P<mark>={3,}|-{3,})[ \t]*$", re.MULTILINE)
_COLON_END = lazy(r"^[ \t]{0,3}(?P<text>[A-Za-z0-9][^\n:|]{1,38})[:\uff1a][ \t]*$", re.MULTILINE)
_BESIDE = lazy(  # `NFS - 4294967296 bytes (4.3 GB) copied, ...`: in the line of the result itself
    r"^[ \t]*(?:[-*] )?(?P<text>[A-Za-z][\w .+/()=]{1,40}?) ?[-:=\u2013\u2014] ?\d{3,20} (?:bytes|octets) (?=[(ct])", re.MULTILINE
)
# Words of headings that name another system.
_OTHER_STORE = lazy(
    r"(?i)\b(?:ssd|hdd|nvme|disks?|drives?|hard ?disk|raid|lvm|usb|sd ?card|nas|san|iscsi|smb|ramdisk|local|laptop)\b"
)
_COMPARED = lazy(r"(?i)\b(?:than|versus|vs|unlike|instead|compared|not|except|without|before|after|from|to|and|or)\b")
_GOES_ON = lazy(r"(?i)\A(?:(?:and|but|so|ok(?:ay)?|then|next|now|finally|also)\b,? ?){1,3}")
_ON_KERNEL = lazy(r"(?i)\b(?:on|under|with) (?:Linux|(?:Linux )?kernel) v?([2-6]\.\d{1,2}\.\d{1,3}[\w.+~-]*)(?=,|\Z| \+ | \()")
_IN_MEMORY = lazy(r"(?i)\b(tmpfs|ramfs)\b")
_MEMORY = lazy(  # also `used / total` of neofetch
    r"(?:[\d.]{1,9} ?[MG]iB / )?(\d{1,7}(?:\.\d{1,3})?) ?([KMGT])i?B(?: (?:ECC|DDR\S*|RAM|unbuffered|registered))*\Z", re.I
)
_ON = lazy(r"(?<=\w) (?:on(?: top of)?|over|auf|sur) [\w /.+-]{2,40}\Z")  # `ext4 on dm-crypt`
_KERNEL = lazy(r"(?:Linux )?(\d+\.\d+[\w.+~-]{0,60})\Z")
_ANCHOR = (
    Anchor(lazy("[A-Za-z]="), "=")
    | Anchor(
        lazy(r"[-:=\u2013\u2014] ?\d{3,20} (?:bytes|octets) "),
        "bytes ",
        "octets ",
    )
    | Anchor(lazy("\uff1a[ \\t]*$", re.M), "\uff1a")
    | Anchor(
        lazy(
            r"^(?:[ \t]*(?:#{2,}|={2,}|-{2,}|\*{2,}|~{2,}|>{3,}|\+{3,})[ \t]*(?:\d[\w.]{0,6} ?)?[A-Za-z]"
            r"|[ \t]*(?:[#;/*-]{1,12}[ \t]*)?(?i:compression|dedup\w*|atime|recordsize|sync|copies|ashift|(?:pool[ _])?layout"
            r"|file[ _]?system|pool|disks)[ \t]*:[ \t]"
            r"|[ \t]{0,3}[A-Za-z0-9][^\n:|]{1,38}:[ \t]*$|(?:={3,}|-{3,})[ \t]*$)",
            re.MULTILINE,
        )
    )
)
_ALIASES = {
    "compression": "pool.compression",
    "compress": "pool.compression",
    "dedup": "pool.dedup",
    "deduplication": "pool.dedup",
    "atime": "pool.atime",
    "recordsize": "pool.recordsize",
    "recsize": "pool.recordsize",
    "sync": "pool.sync",
    "copies": "pool.copies",
    "ashift": "pool.ashift",
    "fs": "fs.type",
    "fstype": "fs.type",
    "filesystem": "fs.type",
    "file_system": "fs.type",
    "layout": "pool.layout",
    "pool_layout": "pool.layout",
    "raid": "pool.layout",
    "pool": "pool.name",
    "log": "pool.log",
    "slog": "pool.log",
    "l2arc": "pool.cache",
    "os": "os.name",
    "distribution": "os.name",
    "distro": "os.name",
    "os_version": "os.version",
    "kernel": "kernel",
    "host": "host",
    "hostname": "host",
    "arch": "arch",
    "cpu": "cpu.model",
    "cpu_model": "cpu.model",
    "cores": "cpu.cores",
    "memory": "memory",
    "ram": "memory",
    "network": "network",
    "disks": "disk.count",
    "disk": "disk.model",
    "options": "options",
}
_COLON_KEYS = {
    "compression",
    "compress",
    "dedup",
    "deduplication",
    "atime",
    "recordsize",
    "recsize",
    "ashift",
    "copies",
    "fs",
    "filesystem",
    "file_system",
    "layout",
    "pool_layout",
    "disks",
    "sync",
}
_CPU = lazy(
    r"(?i)\b(?:intel|amd|xeon|core|ryzen|epyc|opteron|athlon|pentium|celeron|atom|arm|cortex|sparc|power\d|apple|threadripper)\b"
)
_LAYOUT = lazy(r"(?:\d{1,3} x )?(?:mirror|raidz[123]|draid[123]|stripe|raid(?:0|1|4|5|6|10|50|60))(?:\(\d{1,4}\))?\Z")


def read(text: Text) -> Iterator[Clue]:
    """Clues of label lines and of headings."""
    commands = {command.line for command in text.commands}
    for line, match in text.matches(_LABEL):
        if line not in commands:
            yield from _pairs(line, match)
    for line, match in text.matches(_COLON):
        key = re.sub(r"[ .]", "_", match["key"].lower())
        if key not in _COLON_KEYS or line in commands:
            continue
        spelled = _value(key, match["value"])
        if spelled is not None:
            yield _clue(line, _ALIASES[key], spelled, match[0].strip(), "label")
    yield from _headings(text)
    before: dict[str, Any] = {}
    for line, match in text.matches(_BESIDE) if " bytes " in text.body or " octets " in text.body else ():
        found = read_setting_words(match["text"])
        raw = text.lines[line - 1].strip()
        yield from (_clue(line, key, value, raw, "beside") for key, value in found.items())
        yield from (Clue(line, key, None, raw, "label", "ends", group="beside") for key in sorted(before.keys() - found.keys()))
        before = found


def _clue(line: int, key: str, value: Any, raw: str, group: str) -> Clue:
    return Clue(line, key, value, raw, kind="label", effect="labels", group=group)


def _pairs(line: int, match: re.Match[str]) -> Iterator[Clue]:
    words = re.split(r"[\s,;]+", match["pairs"])
    pairs = [word.partition("=")[::2] for word in words]
    told: dict[str, Any] = {}
    for key, printed in pairs:
        known = key.lower() if not key.isupper() or _ALIASES.get(key.lower(), "").startswith("pool.") else key
        value = _value(known, printed)
        if value is not None:
            told[_ALIASES.get(known, known)] = value
    given = told.pop("options", None)
    if "fs.type" in told and given is not None:
        told = {**dict(parse_mount_options(told["fs.type"], given)), **told}
    if "os.name" in told and (family := normalise.os_family(told["os.name"])):
        told.setdefault("os.family", family)
    for key, value in told.items():
        yield _clue(line, key, value, match[0].strip(), "label")


def _value(key: str, printed: str) -> Any:
    """The registry's value of what was written behind a known key; None where key or value is not known."""
    printed = printed.strip().strip("\"'")
    target = _ALIASES.get(key)
    if target is None or not printed:
        return None
    word = printed.lower()
    match target:
        case "pool.compression":
            return normalise.compression(printed)
        case "pool.dedup":
            return word if re.fullmatch(r"on|off|verify|(?:sha256|sha512|skein|edonr|blake3)(?:,verify)?", word) else None
        case "pool.atime":
            return word if word in ("on", "off", "relatime") else None
        case "pool.sync":
            return word if word in ("standard", "always", "disabled") else None
        case "pool.recordsize":
            count = normalise.parse_size(printed)
            return count if count and 512 <= count <= 2**30 else None
        case "pool.copies" | "pool.ashift" | "cpu.cores" | "disk.count":
            return _count(target, printed)
        case "pool.layout":
            return normalise.vdev_kind(word) or word if _LAYOUT.match(word) or normalise.vdev_kind(word) else None
        case "pool.log" | "pool.cache":
            return "off" if word in ("none", "no", "off") else None
        case "fs.type":
            return normalise.file_system_type(_ON.sub("", printed))
        case "memory":
            size = _MEMORY.match(printed)
            count = (
                normalise.parse_size(size[1] + size[2])
                if size
                else normalise.parse_size(printed)
                if re.search(r"[KMGT]", printed)
                else 0
            )
            return count if count and count >= 2**20 else None
        case "kernel":
            kernel = _KERNEL.match(printed)
            return kernel[1] if kernel else None
        case "os.name":
            return normalise.os_name(printed)
        case "cpu.model":
            return normalise.cpu_model(printed) if _CPU.search(printed) and "%" not in printed else None
        case "options":
            return printed
    return printed if re.fullmatch(r"[\w.:+/-]{1,80}", printed) and not printed.startswith("/") else None


def _count(target: str, printed: str) -> int | None:
    low, high = {"pool.copies": (1, 3), "pool.ashift": (9, 16)}.get(target, (1, 100_000))
    return int(printed) if printed.isdecimal() and len(printed) < 7 and low <= int(printed) <= high else None


_SWITCHES = ("pool.dedup", "pool.atime", "pool.compression")
_OTHER = {"on": "off", "off": "on"}


def _headings(text: Text) -> Iterator[Clue]:
    """Headings of one mark are a series: what one of them switches on, those that do not name it leave off.

    That holds for switches only (deduplication, atime, compression where a heading also says OFF), and only in a series
    of three or more: `OFF (atime on)`, `DEDUP`, `LZ4` are the settings of a sweep, one step each.
    """
    series: dict[str, list[tuple[int, str, str]]] = {}
    for line, mark, words in sorted([*_marked(text), *_underlined(text)]):
        series.setdefault(mark, []).append((line, words, text.lines[line - 1].strip()))
    for mark, headings in series.items():
        plain = [read_setting_words(words) for _, words, _ in headings]
        algorithms = sum("pool.compression" in found for found in plain)
        told = [_with_layout(words, read_setting_words(words, bare_switch=algorithms > 0)) for _, words, _ in headings]
        steps = [found for found in told if found]
        if len(steps) * 2 < len(headings):
            continue  # chapters of a text, not labels
        rest = _unnamed(steps) if len(steps) >= 3 else {}
        known: set[str] = set()
        for (line, words, raw), found in zip(headings, told, strict=True):
            for key, value in ({**rest, **found} if found else {}).items():
                yield _clue(line, key, value, raw, f"heading {mark[0]}")
            if found or not TEST_STEP_WORDS.search(words):
                ended, known = known - found.keys() - rest.keys(), {*found, *rest} if found else set()
                yield from (Clue(line, key, None, raw, "label", "ends", group=f"heading {mark[0]}") for key in sorted(ended))
    commands = {command.line for command in text.commands}
    known = set()
    for line, match in text.matches(_COLON_END):
        words = _GOES_ON.sub("", match["text"])
        if line in commands or len(words.split()) > 5 or _COMPARED.search(words):
            continue
        memory, kernel = _IN_MEMORY.search(words), _ON_KERNEL.search(words)
        found = read_setting_words(words) or ({"fs.type": memory[1].lower()} if memory else {})
        found |= {"kernel": kernel[1], "os.family": "Linux"} if kernel else {}
        for key, value in found.items():
            yield _clue(line, key, value, match[0].strip(), "heading :")
        if found or (_OTHER_STORE.search(words) and not TEST_STEP_WORDS.search(words)):
            ended, known = known - found.keys(), set(found)
            yield from (Clue(line, key, None, match[0].strip(), "label", "ends", group="heading :") for key in sorted(ended))


def _marked(text: Text) -> Iterator[tuple[int, str, str]]:
    """Line, mark and words of every heading behind a mark."""
    return (
        (line, match["mark"], match["text"]) for line, match in text.matches(_HEADING) if " command line interface" not in match[0]
    )  # with which lz4 and zstd begin


def _underlined(text: Text) -> Iterator[tuple[int, str, str]]:
    """Line, mark and words of every heading above a rule."""
    for line, rule in text.matches(_RULE):
        above = _UNDER.match(text.lines[line - 2]) if line > 1 else None
        if above:
            yield line - 1, rule["mark"][0], above["text"]


def _with_layout(words: str, found: dict[str, Any]) -> dict[str, Any]:
    """`mirror, compression=off`: the word is a layout where the heading speaks of a pool otherwise too."""
    layout = re.search(r"\b(mirror|stripe)(?:ed|s)?\b", words, re.I)
    return {**found, "pool.layout": layout[1].lower()} if layout and found and "pool.layout" not in found else found


def _unnamed(steps: list[dict[str, Any]]) -> dict[str, str]:
    """What a step means by not naming a switch that others name."""
    rest: dict[str, str] = {}
    for key in _SWITCHES:
        values = {step[key] for step in steps if key in step}
        named = sum(key in step for step in steps)
        if key == "pool.compression":
            if "off" in values and len(values) > 1:
                rest[key] = "off"
        elif len(values) == 1 and named * 2 <= len(steps) and (one := values.copy().pop()) in _OTHER:
            rest[key] = _OTHER[one]
    return rest


READER = Reader("labels", 16, _ANCHOR, read)
