"""What one command sets, as clues. Words are split as a shell does, without expanding variables."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from ingest import normalise
from ingest.context.file_systems.mounts import parse_mount_options
from ingest.context.zfs._property_names import POOL_KEYS, PROPERTY_KEYS, parse_property, pool_name
from ingest.lazy_regex import lazy
from ingest.records import NO_PARAMS, Clue

_VARIABLE = lazy(r"[$`*?\[\]]")
_FRONT = lazy(r"(?:(?:sudo|doas|time|pfexec|nice|env|command|exec)\s+(?:-\w+\s+)*)+")
_TAKES = {
    "zpool create": "oOmRt",
    "zpool import": "oRdcT",
    "zfs create": "ob V".replace(" ", ""),
    "mount": "to",
    "mkfs.btrfs": "dmLlnsO",
    "zpool add": "o",
}


def command_clues(line: int, command: str, made: Mapping[str, Mapping[str, Any]] = NO_PARAMS) -> Iterator[Clue]:
    """Clues of one simple command; nothing for any other. `made`: what earlier commands set on each device."""
    words = _split(_FRONT.sub("", command, count=1) if _FRONT.match(command) else command)
    if not words:
        return
    program = words[0].rpartition("/")[2]
    if program in ("zpool", "zfs") and len(words) > 2:
        found = _ZFS.get(f"{program} {words[1]}")
        changes = found(words[2:]) if found else iter(())
    elif program == "mount" or program in _OTHERS or program.startswith("mkfs"):
        changes = _mount(words, made) if program == "mount" else (_OTHERS.get(program) or _mkfs)(words)
    else:
        return
    for subject, key, new in changes:
        ends = new is None
        yield Clue(line, key, new, command, kind="command", effect="ends" if ends else "sets", subject=subject, group=line)


Change = tuple[str, str, Any]  # subject, key, new value; None where the key ends


def _split(command: str) -> list[str]:
    try:
        words = shlex.split(command, comments=True)
    except ValueError:
        words = command.split()
    stop = next((at for at, word in enumerate(words) if re.match(r"\d?[|<>]|&", word)), len(words))
    return words[:stop]


def _options(words: list[str], taking: str) -> tuple[list[tuple[str, str]], list[str]]:
    """Options with their values, and the operands, as getopt reads them."""
    given: list[tuple[str, str]] = []
    at = 0
    while at < len(words) and words[at].startswith("-") and words[at] != "-":
        word = words[at]
        at += 1
        if word == "--":
            break
        if word.startswith("--"):
            name, _, text = word[2:].partition("=")
            given.append((name, text))
            continue
        letter = next((place for place, letter in enumerate(word[1:], 1) if letter in taking), None)
        if letter is None:
            given.append((word[1:], ""))
        elif word[letter + 1 :]:
            given.append((word[letter], word[letter + 1 :]))
        elif at < len(words):
            given.append((word[letter], words[at]))
            at += 1
    return given, words[at:]


def _permuted(words: list[str], taking: str) -> tuple[list[tuple[str, str]], list[str]]:
    """As GNU's getopt reads them: options may stand behind operands (`zpool create tank sda sdb -f`)."""
    given, operands = list[tuple[str, str]](), list[str]()
    while words:
        more, words = _options(words, taking)
        given += more
        plain = next((at for at, word in enumerate(words) if word.startswith("-") and word != "-"), len(words))
        operands, words = operands + words[:plain], words[plain:]
    return given, operands


def _property(subject: str, text: str) -> Iterator[Change]:
    """`compression=lz4`; a value in a variable ends what was known."""
    prop, _, printed = text.partition("=")
    if prop in PROPERTY_KEYS:
        yield subject, PROPERTY_KEYS[prop], None if _VARIABLE.search(printed) else parse_property(prop, printed)


def _zpool_create(words: list[str]) -> Iterator[Change]:
    given, operands = _permuted(words, _TAKES["zpool create"])
    if not operands or any("n" in name for name, text in given if not text and len(name) <= 3):
        return  # -n: only shows what it would do
    pool = operands[0]
    if _VARIABLE.search(pool):
        return
    sets = {"pool.name": pool, "fs.type": "zfs", **dict(_vdevs(operands[1:]))}
    for name, text in given:
        if name in "oO":
            sets.update({key: new for _, key, new in _property(pool, text)})
    for key in POOL_KEYS:
        yield pool, key, sets.get(key)
    yield pool, "fs.type", "zfs"
    if "disk.count" in sets:
        yield pool, "disk.count", sets["disk.count"]


def _vdevs(words: list[str]) -> Iterator[tuple[str, Any]]:
    """Layout, log and cache of the vdevs in a command; `stripe` and bare kinds where a variable hides the number."""
    parts: dict[str, list[tuple[str, int]]] = {"data": []}
    part, hidden, disks, files = "data", False, 0, False
    for word in (part for given in words for part in _braces(given)):
        if word in ("log", "cache", "spare", "special", "dedup"):
            part = word
            parts.setdefault(part, [])
        elif (kind := normalise.vdev_kind(word)) and not word.startswith("/"):
            parts[part].append((kind, 0))
        else:
            hidden = hidden or bool(_VARIABLE.search(word))
            groups = parts[part]
            if groups and groups[-1][0] != "disk":
                groups[-1] = (groups[-1][0], groups[-1][1] + 1)
            else:
                groups.append(("disk", 1))
            disks += part == "data"
            files = files or (part == "data" and word.startswith("/") and not word.startswith("/dev/"))
    if hidden:
        kinds = {kind for kind, _ in parts["data"]}
        if len(parts["data"]) == 1 and kinds != {"disk"}:
            yield "pool.layout", kinds.pop()
        return
    if parts["data"]:
        yield "pool.layout", normalise.spell_layout(parts["data"])
        if not files:
            yield "disk.count", disks
    for key, part in (("pool.log", "log"), ("pool.cache", "cache")):
        yield key, normalise.spell_layout(parts.get(part, ())) or "off"


def _braces(word: str) -> list[str]:
    """`/dev/sd{b,c}` and `/dev/sd{b..e}` as a shell expands them; anything wilder stays hidden behind a `$`."""
    found = re.fullmatch(r"([^{}]*)\{([^{}]{1,200})\}([^{}]*)", word)
    if not found:
        return [word] if "{" not in word else ["$"]
    span = re.fullmatch(r"(\w)\.\.(\w)", found[2]) or re.fullmatch(r"(\d{1,3})\.\.(\d{1,3})", found[2])
    if span and span[1].isdecimal() and span[2].isdecimal():
        inner = [str(number) for number in range(int(span[1]), int(span[2]) + 1)]
    elif span:
        inner = [chr(code) for code in range(ord(span[1]), ord(span[2]) + 1)]
    else:
        inner = found[2].split(",") if "," in found[2] else []
    return [found[1] + text + found[3] for text in inner] or ["$"]


def _zpool_destroy(words: list[str]) -> Iterator[Change]:
    _, operands = _options(words, "")
    for pool in [name for name in operands[:1] if "/" not in name]:  # it refuses the name of a data set
        for key in (*POOL_KEYS, "fs.type", "disk.count"):
            yield pool, key, None


def _zpool_import(words: list[str]) -> Iterator[Change]:
    given, operands = _options(words, _TAKES["zpool import"])
    if (
        operands
        and not _VARIABLE.search(operands[-1])
        and not operands[-1].isdecimal()
        and not any(name == "N" for name, _ in given)
    ):
        pool = operands[-1]  # the new name, where two are given
        yield pool, "pool.name", pool
        yield pool, "fs.type", "zfs"


def _zpool_add(words: list[str]) -> Iterator[Change]:
    """Log and cache devices that join. Data vdevs that join make a layout that the command alone does not tell."""
    _, operands = _options(words, _TAKES["zpool add"])
    if len(operands) < 2:
        return
    pool, found = operands[0], dict(_vdevs(operands[1:]))
    for key in ("pool.log", "pool.cache"):
        if found.get(key, "off") != "off":
            yield pool, key, found[key]
    if operands[1] not in ("log", "cache", "spare", "special", "dedup"):
        yield pool, "pool.layout", None
        yield pool, "disk.count", None


def _zfs_set(words: list[str]) -> Iterator[Change]:
    given = [word for word in words if "=" in word]
    for dataset in (word for word in words if "=" not in word and not word.startswith("-")):
        if not _VARIABLE.search(dataset):
            for text in given:
                yield from _property(dataset, text)
            if any(text.partition("=")[0] in ("atime", "recordsize", "recsize", "mountpoint") for text in given):
                yield dataset, "fs.type", "zfs"  # a volume has none of these


def _zfs_inherit(words: list[str]) -> Iterator[Change]:
    _, operands = _options(words, "")
    for dataset in operands[1:]:
        if operands[0] in PROPERTY_KEYS:
            yield dataset, PROPERTY_KEYS[operands[0]], None


def _zfs_create(words: list[str]) -> Iterator[Change]:
    given, operands = _options(words, _TAKES["zfs create"])
    for dataset in operands[:1]:
        if not _VARIABLE.search(dataset) and not any(name == "V" for name, _ in given):
            yield pool_name(dataset), "pool.name", pool_name(dataset)
            yield dataset, "fs.type", "zfs"
            for name, text in given:
                if name == "o":
                    yield from _property(dataset, text)


def _mount(words: list[str], made: Mapping[str, Mapping[str, Any]]) -> Iterator[Change]:
    valued = ("-o", "-t")
    flags = [word for at, word in enumerate(words[1:], 1) if word.startswith("-") or words[at - 1] in valued]
    operands = [word for at, word in enumerate(words[1:], 1) if word not in flags]
    given, _ = _options(flags, _TAKES["mount"])
    where = operands[-1] if operands and operands[-1].startswith("/") and not _VARIABLE.search(operands[-1]) else None
    if where is None:
        return
    listed = ",".join(text for name, text in given if name == "o")
    remount = "remount" in listed.split(",")
    sets = {} if remount else dict(made.get(operands[0], NO_PARAMS))
    told = next((normalise.file_system_type(text) for name, text in given if name == "t"), None)
    kind = told or sets.get("fs.type") or ("btrfs" if "compress" in listed else "")
    if told:
        sets["fs.type"] = told
    if kind != "zfs":
        hidden = _VARIABLE.search(listed)
        found = parse_mount_options(kind, listed, complete=sets.get("fs.type") == "btrfs" and not remount)
        sets.update({key: None if hidden else new for key, new in found})
        if hidden and "compress" in listed:
            sets["pool.compression"] = None
    for key, new in sets.items():
        yield where, key, new


def _umount(words: list[str]) -> Iterator[Change]:
    for where in words[1:]:
        if where.startswith("/"):
            for key in ("fs.type", "pool.compression", "pool.atime"):
                yield where, key, None


def _mkfs(words: list[str]) -> Iterator[Change]:
    program = words[0].rpartition("/")[2]
    kind = program.partition(".")[2]
    listed = " ".join(words[1:])
    if not kind:
        asked = re.search(r"(?:\A|\s)-t\s*(\w+)", listed)
        kind = asked[1] if asked else {"mke2fs": "ext3" if " -j" in f" {listed}" else "ext2", "newfs": "ufs"}.get(program, "")
    spelled = normalise.file_system_type(kind)
    devices = [word for word in words[1:] if word.startswith("/")]
    if not spelled or not devices or spelled == "vfat":
        return
    devices = devices if spelled == "btrfs" else devices[-1:]
    for device in devices:
        yield device, "fs.type", spelled
    if spelled == "btrfs" and not _VARIABLE.search(" ".join(devices)):
        profile = re.search(r"(?:\A|\s)(?:-d\s*|--data[ =])(single|dup|raid\d{1,2}(?:c[34])?)\b", listed)
        count = len(devices)
        name = profile[1] if profile else None
        layout = f"{name}({count})" if name and name != "single" else f"stripe({count})"
        yield from ((device, "pool.layout", layout) for device in devices)
    elif spelled == "btrfs":
        yield devices[-1], "pool.layout", None


_LEVELS = {
    "0": "raid0",
    "1": "raid1",
    "4": "raid4",
    "5": "raid5",
    "6": "raid6",
    "10": "raid10",
    "stripe": "raid0",
    "mirror": "raid1",
}


def _mdadm(words: list[str]) -> Iterator[Change]:
    listed = " ".join(words[1:])
    if not re.search(r"(?:\A|\s)(?:-C|--create)\b", listed):
        return
    device = next((word for word in words[1:] if word.startswith("/dev/md")), "")
    level = re.search(r"(?:\A|\s)(?:-l\s*|--level[ =])(?:raid)?(\d{1,2}|stripe|mirror)\b", listed)
    count = re.search(r"(?:\A|\s)(?:-n\s*|--raid-devices[ =])(\d{1,4})\b", listed)
    if level and count and level[1] in _LEVELS:
        yield device, "pool.layout", f"{_LEVELS[level[1]]}({int(count[1])})"
        yield device, "disk.count", int(count[1])


_ZFS = {
    "zpool create": _zpool_create,
    "zpool destroy": _zpool_destroy,
    "zpool import": _zpool_import,
    "zpool add": _zpool_add,
    "zfs set": _zfs_set,
    "zfs inherit": _zfs_inherit,
    "zfs create": _zfs_create,
}
_OTHERS = {"umount": _umount, "mke2fs": _mkfs, "newfs": _mkfs, "mdadm": _mdadm}
