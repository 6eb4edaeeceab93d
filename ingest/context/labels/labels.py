"""Label lines that people write between results, for the results after them.

Forms: lines of nothing but `key=value` words (`atime=off dedup=off compression=lz4`, `fs=btrfs options=compress=zstd:3`), of which
at least one key is known with a value that its registry type allows; rows `compression: lz4` of a few keys (`_COLON_KEYS`);
headings (see `_heading_clues`); settings before a result on its own line (`NFS - 4294967296 bytes (4.3 GB) copied, ...`). Evidence:
such lines around results and in notes. Mentions: the same lines in programs and templates, and commented out in files of settings
(`ingest.text.mentions`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from ingest import normalise
from ingest.context._clues import label_clue
from ingest.context.file_systems._mount_options import parse_mount_options
from ingest.context.labels._setting_words import read_layout, read_setting_words, without_layout
from ingest.lazy_regex import lazy
from ingest.open_keys import OF_MACHINES
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue
from ingest.text.lines import Text
from ingest.text.mentions import is_doubtful
from ingest.text.sections import Section

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
_BESIDE = lazy(  # words before the result on its own line
    r"^[ \t]*(?:[-*+\u2022|] ?)?[*_]{0,3}(?P<text>[A-Za-z][\w .+/()=]{1,40}?)[*_]{0,3} ?"
    r"(?:[-:=|\u2013\u2014\u2192]|[-=]>)[ `*_|]{0,4}\d{3,20} (?:bytes|octets) (?=[(ct])",
    re.MULTILINE,
)
_MEMORY = lazy(  # also `used / total` of neofetch
    r"(?:[\d.]{1,9} ?[MG]iB / )?(\d{1,7}(?:\.\d{1,3})?) ?([KMGT])i?B(?: (?:ECC|DDR\S*|RAM|unbuffered|registered))*\Z", re.I
)
_ON = lazy(r"(?<=\w) (?:on(?: top of)?|over|auf|sur) [\w /.+-]{2,40}\Z")  # `ext4 on dm-crypt`
_KERNEL = lazy(r"(?:Linux )?(\d+\.\d+[\w.+~-]{0,60})\Z")
_ANCHOR = (
    Anchor(lazy("[A-Za-z]="), "=")
    | Anchor(lazy(r"[-:=|>\u2013\u2014\u2192][ `*_|]{0,4}\d{3,20} (?:bytes|octets) "), "bytes |octets ")
    | Anchor(lazy("\uff1a[ \\t]*$", re.M), "\uff1a")
    | Anchor(
        lazy(
            r"^(?:[ \t]*(?:#+|={1,}|-{2,}|\*{1,}|_|~{2,}|>{3,}|\+{3,}|h\d\.|<[bdehs]\w*|\\|\[|[\u3010\u25a0]"
            r"|[^\W_]{1,3}[.)][ \t])[ \t]*\S"
            r"|[ \t]*(?:[#;/*-]{1,12}[ \t]*)?(?i:compression|dedup\w*|atime|recordsize|sync|copies|ashift|(?:pool[ _])?layout"
            r"|raid|file[ _]?system|pool|disks)[ \t]*:[ \t]"
            r"|[ \t]{0,3}[A-Za-z0-9*][^\n|]{1,160}:[*_]{0,3}[ \t]*$|(?:={3,}|-{3,})[ \t]*$)",
            re.MULTILINE,
        )
    )
)
ALIASES = {
    "compression": "pool.compression", "compress": "pool.compression", "dedup": "pool.dedup", "deduplication": "pool.dedup",
    "atime": "pool.atime", "recordsize": "pool.recordsize", "recsize": "pool.recordsize", "sync": "pool.sync",
    "copies": "pool.copies", "ashift": "pool.ashift", "fs": "fs.type", "fstype": "fs.type", "filesystem": "fs.type",
    "file_system": "fs.type", "layout": "pool.layout", "pool_layout": "pool.layout", "raid": "pool.layout",
    "pool": "pool.name", "log": "pool.log", "slog": "pool.log", "l2arc": "pool.cache", "os": "os.name",
    "distribution": "os.name", "distro": "os.name", "os_version": "os.version", "kernel": "kernel", "host": "host",
    "hostname": "host", "arch": "arch", "cpu": "cpu.model", "cpu_model": "cpu.model", "cores": "cpu.cores",
    "memory": "memory", "ram": "memory", "network": "network", "disks": "disk.count", "disk": "disk.model",
    "options": "options",
}  # fmt: skip
_SWITCHES = tuple(
    """
    wce writecache write_cache zil_disable nocacheflush zfs_nocacheflush prefetch_disable zfs_prefetch_disable
    tuned
    """.split()
)
_COLON_KEYS = set(
    """
    compression compress dedup deduplication atime recordsize recsize ashift copies fs filesystem file_system
    layout pool_layout raid disks sync
    """.split()
)
_CPU = lazy(
    r"(?i)\b(?:intel|amd|xeon|core|ryzen|epyc|opteron|athlon|pentium|celeron|atom|arm|cortex|sparc|power\d|apple|threadripper)\b"
)
_LAYOUT = lazy(r"(?:\d{1,3} x )?(?:mirror|raidz[123]|draid[123]|stripe|raid(?:0|1|4|5|6|10|50|60))(?:\(\d{1,4}\))?\Z")


def read(text: Text) -> Iterator[Clue]:
    """Labels of pairs, rows, headings and result lines."""
    commands = {command.line for command in text.commands}
    for line, match in text.matches(_LABEL):
        if line not in commands:
            yield from _pair_clues(line, match)
    for line, match in text.matches(_COLON):
        key = re.sub(r"[ .]", "_", match["key"].lower())
        if key not in _COLON_KEYS or line in commands or (key == "raid_level" and " :" in match[0]):  # a row of mdadm
            continue
        value = _parse_value(key, match["value"])
        if value is not None:
            yield label_clue(line, ALIASES[key], value, match[0].strip(), "label")
    yield from _heading_clues(text)
    yield from _result_line_clues(text)


def _result_line_clues(text: Text) -> Iterator[Clue]:
    """Settings that stand before a result on its own line; those that the next such line does not name end there."""
    if " bytes " not in text.body and " octets " not in text.body:
        return
    previous: dict[str, Any] = {}
    for line, match in text.matches(_BESIDE):
        settings = read_setting_words(match["text"])
        raw = text.lines[line - 1].strip()
        yield from (label_clue(line, key, value, raw, "beside") for key, value in settings.items())
        yield from (label_clue(line, key, None, raw, "beside") for key in sorted(previous.keys() - settings.keys()))
        previous = settings


def _pair_clues(line: int, match: re.Match[str]) -> Iterator[Clue]:
    """Labels of a line of `key=value` words; `options` are mount options of the file system named beside them."""
    values: dict[str, Any] = {}
    for word in re.split(r"[\s,;]+", match["pairs"]):
        key, _, printed = word.partition("=")
        name = key.lower() if not key.isupper() or ALIASES.get(key.lower(), "").startswith("pool.") else key
        value = _parse_value(name, printed)
        if value is not None:
            values[ALIASES.get(name, name)] = value
        elif name.lower() in _SWITCHES:
            settings = read_setting_words(f"{name.lower()}={printed.lower()}")
            values.update({key: setting for key, setting in settings.items() if key.startswith(OF_MACHINES)})
    mount_options = values.pop("options", None)
    if "fs.type" in values and mount_options is not None:
        values = {**dict(parse_mount_options(values["fs.type"], mount_options)), **values}
    if "os.name" in values and (family := normalise.os_family(values["os.name"])):
        values.setdefault("os.family", family)
    for key, value in values.items():
        yield label_clue(line, key, value, match[0].strip(), "label")


def _parse_value(name: str, printed: str) -> Any:
    """The registry's value of what is printed behind a name of `ALIASES`; None where name or value is unknown."""
    printed = printed.strip().strip("\"'")
    key = ALIASES.get(name)
    return _VALUE_PARSERS.get(key, _parse_plain)(printed) if key and printed else None


def _parse_plain(printed: str) -> str | None:
    return printed if re.fullmatch(r"[\w.:+/-]{1,80}", printed) and not printed.startswith("/") else None


def _parse_word(allowed: re.Pattern[str], printed: str) -> str | None:
    word = printed.lower()
    return word if allowed.match(word) else None


def _parse_count(low: int, high: int, printed: str) -> int | None:
    return int(printed) if printed.isdecimal() and len(printed) < 7 and low <= int(printed) <= high else None


def _parse_recordsize(printed: str) -> int | None:
    size = normalise.parse_size(printed)
    return size if size and 512 <= size <= 2**30 else None


def _parse_layout(printed: str) -> str | None:
    word = printed.lower()
    told = dict(read_layout(printed, bare=True)).get("pool.layout") if not without_layout(printed).strip() else None
    return normalise.vdev_kind(word) or (word if _LAYOUT.match(word) else told)


def _parse_helper_vdev(printed: str) -> str | None:
    return "off" if printed.lower() in ("none", "no", "off") else None


def _parse_file_system(printed: str) -> str | None:
    return normalise.file_system_type(_ON.sub("", printed))


def _parse_memory(printed: str) -> int | None:
    sized = _MEMORY.match(printed)
    if not sized and not re.search(r"[KMGT]", printed):
        return None
    size = normalise.parse_size(sized[1] + sized[2] if sized else printed)
    return size if size and size >= 2**20 else None


def _parse_kernel(printed: str) -> str | None:
    kernel = _KERNEL.match(printed)
    return kernel[1] if kernel else None


def _parse_cpu(printed: str) -> str | None:
    return normalise.cpu_model(printed) if _CPU.search(printed) and "%" not in printed else None


_VALUE_PARSERS: dict[str, Callable[[str], Any]] = {
    "pool.compression": normalise.compression,
    "pool.dedup": partial(_parse_word, lazy(r"(?:on|off|verify|(?:sha256|sha512|skein|edonr|blake3)(?:,verify)?)\Z")),
    "pool.atime": partial(_parse_word, lazy(r"(?:on|off|relatime)\Z")),
    "pool.sync": partial(_parse_word, lazy(r"(?:standard|always|disabled)\Z")), "pool.recordsize": _parse_recordsize,
    "pool.copies": partial(_parse_count, 1, 3), "pool.ashift": partial(_parse_count, 9, 16),
    "cpu.cores": partial(_parse_count, 1, 100_000), "disk.count": partial(_parse_count, 1, 100_000),
    "pool.layout": _parse_layout, "pool.log": _parse_helper_vdev, "pool.cache": _parse_helper_vdev,
    "fs.type": _parse_file_system, "memory": _parse_memory, "kernel": _parse_kernel, "os.name": normalise.os_name,
    "cpu.model": _parse_cpu, "options": str,
}  # fmt: skip


# Headings between results that name settings, as labels.
#
# Forms: headings with a mark (`ingest.text.sections`), and at most five words before a colon that ends the line (`ext4 on LVM:`).
# Words are those of `read_setting_words`; other headings end the keys of earlier ones. Headings that recommend, compare,
# ask, guess or plan (`ingest.text.mentions`) name no setting; the system that one over a network names is the server's.

_COLON_END = lazy(r"^[ \t]{0,3}(?P<text>[A-Za-z0-9][^\n:|]{1,38})[:\uff1a][ \t]*$", re.MULTILINE)
_BRACKETED = lazy(  # `Before (recordsize=128k, lz4):` right above an output
    r"^[ \t]{0,3}[*_]{0,3}[^\W_][^\n:()|\uff1a]{1,60}\((?P<list>[^()\n]{3,90})\)[^\n:()|]{0,24}[:\uff1a][*_]{0,3}[ \t]*$",
    re.MULTILINE,
)
_NETWORK = lazy(r"(?i)\b(?:nfs\w*|smb\d?|cifs|iscsi|\d+ ?gbe|network)\b")
_COMPARED = lazy(r"(?i)\b(?:than|versus|vs|unlike|instead|compared|not|except|without|before|after|from|to|and|or)\b")
_GOES_ON = lazy(
    r"(?i)\A(?:(?:and|but|so|ok(?:ay)?|then|next|now|finally|also|after (?:setting|enabling|(?:switch|chang)ing to))\b,? ?){1,3}"
)
_ON_KERNEL = lazy(r"(?i)\b(?:on|under|with) (?:Linux|(?:Linux )?kernel) v?([2-6]\.\d{1,2}\.\d{1,3}[\w.+~-]*)(?=,|\Z| \+ | \()")
_IN_MEMORY = lazy(r"(?i)\b(tmpfs|ramfs)\b")
_SERIES_SWITCHES = ("pool.dedup", "pool.atime", "pool.compression")
_OTHER_STATE = {"on": "off", "off": "on"}


def _heading_clues(text: Text) -> Iterator[Clue]:
    """Labels of headings with a mark, and before a colon."""
    series: dict[tuple[int, ...], list[Section]] = {}
    for section in text.sections[1:]:
        if not section.is_weak:
            series.setdefault(section.rank[:3], []).append(section)
    for headings in series.values():
        yield from _series_clues(text, headings)
    yield from _colon_clues(text)


def _series_clues(text: Text, headings: list[Section]) -> Iterator[Clue]:
    """Headings of one mark are a series: a switch that one of them turns on is off in those that do not name it.

    That holds only for switches (deduplication, atime, compression where a heading also says OFF), and only in a series
    of three or more: `OFF (atime on)`, `DEDUP`, `LZ4` are the settings of a sweep, one step each.
    """
    titles = ["" if is_doubtful(heading.title) else heading.title for heading in headings]
    bare_switch = any("pool.compression" in read_setting_words(title) for title in titles)
    settings_of = [_heading_settings(title, bare_switch) for title in titles]
    steps = [settings for settings in settings_of if settings]
    if len(steps) * 2 < len(headings):
        return  # chapters of a text, not labels
    unnamed = _unnamed_switches(steps) if len(steps) >= 3 else {}
    for heading, settings in zip(headings, settings_of, strict=True):
        for key, value in ({**unnamed, **settings} if settings else {}).items():
            yield label_clue(heading.line, key, value, text.lines[heading.line - 1].strip(), "heading")


def _colon_clues(text: Text) -> Iterator[Clue]:
    commands = {command.line for command in text.commands}
    for line, match in text.matches(_COLON_END):
        words = _GOES_ON.sub("", match["text"])
        if line not in commands and len(words.split()) <= 5 and not _COMPARED.search(words) and not is_doubtful(match[0]):
            for key, value in _colon_settings(words).items():
                yield label_clue(line, key, value, match[0].strip(), "heading :")

    leading = {section.line for section in text.sections[1:] if section.leads}
    for line, match in text.matches(_BRACKETED) if leading else ():
        if line in leading and not _COLON_END.match(match[0]) and not is_doubtful(match[0]):
            for key, value in _heading_settings(match["list"], False).items():
                yield label_clue(line, key, value, match[0].strip(), "heading :")


def _colon_settings(words: str) -> dict[str, Any]:
    memory, kernel = _IN_MEMORY.search(words), _ON_KERNEL.search(words)
    settings = read_setting_words(words) or ({"fs.type": memory[1].lower()} if memory else {})
    return settings | ({"kernel": kernel[1], "os.family": "Linux"} if kernel else {})


def _heading_settings(words: str, bare_switch: bool) -> dict[str, Any]:
    """The settings, with the layout of `mirror, compression=off`: a word for one counts only beside another setting."""
    settings = read_setting_words(words, bare_switch)
    if _NETWORK.search(words):
        settings = {key: value for key, value in settings.items() if not key.startswith("os.")}
    return {**{key: value for key, value in read_layout(words, bare=True) if settings and key == "pool.layout"}, **settings}


def _unnamed_switches(steps: list[dict[str, Any]]) -> dict[str, str]:
    """The state of each switch in the steps that do not name it."""
    states: dict[str, str] = {}
    for key in _SERIES_SWITCHES:
        values = {step[key] for step in steps if key in step}
        named = sum(key in step for step in steps)
        if key == "pool.compression":
            if "off" in values and len(values) > 1:
                states[key] = "off"
        elif len(values) == 1 and named * 2 <= len(steps) and (state := next(iter(values))) in _OTHER_STATE:
            states[key] = _OTHER_STATE[state]
    return states


READER = Reader("labels", 25, _ANCHOR, read)
