"""Clues of what one command sets or ends.

Forms: `zpool create|destroy|import|add|set`, `zfs set|inherit|create`, `mount`, `umount`, `mkfs.*`, `newfs_*` and other programs
that make a file system (`_MAKERS`), `mdadm --create`, also behind `sudo` and the like. Words are split as a shell does, without
expanding variables other than braces.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from itertools import chain, pairwise
from typing import Any

from ingest import normalise
from ingest.context.commands._format_options import format_properties, set_param_changes, setstripe_changes
from ingest.context.commands._state_commands import ERASED, created, state_changes
from ingest.context.file_systems._mount_options import mount_properties, parse_mount_options
from ingest.context.zfs._property_names import POOL_KEYS, pool_name, spell_devices, spell_pool_layout, spell_property
from ingest.lazy_regex import lazy
from ingest.open_keys import spell_open_value
from ingest.records import NO_PARAMS, Clue
from ingest.text.commands import unwrap

_VARIABLE = lazy(r"[$`*?\[\]]")
_SECTIONS = ("log", "cache", "spare", "special", "dedup")
_TAKES = {  # letters of the options with a value
    "zpool create": "oOmRt",
    "zpool import": "oRdcT",
    "zfs create": "obV",
    "mount": "to",
    "mkfs.btrfs": "dmLlnsO",
    "zpool add": "o",
}


def command_clues(line: int, command: str, device_settings: Mapping[str, Mapping[str, Any]] = NO_PARAMS) -> Iterator[Clue]:
    """Clues of one simple command; nothing of any other. `device_settings`: device -> key -> value that earlier commands set."""
    words = _split(unwrap(command))
    if not words:
        return
    program = words[0].rpartition("/")[2]
    changes, kind = list[_Change](), None
    if program in ("zpool", "zfs") and len(words) > 2:
        read = _ZFS.get(f"{program} {words[1]}")
        changes += read(words[2:]) if read else ()
    elif program == "mount":
        changes += _mount(words, device_settings)
    elif kind := _made_kind(words):
        changes += _mkfs(words, kind, device_settings)
    elif program in _OTHERS:
        changes += _OTHERS[program](words)
    if (program, words[1:2]) == ("zpool", ["create"]) or kind:
        subjects = dict.fromkeys(subject for subject, key, new in changes if key == "fs.type" and new)
        changes += created([*subjects], words[1:], device_settings)
    changes += state_changes(words)
    for subject, key, new in changes:
        effect = "ends" if new is None else "sets"
        yield Clue(line, key, new, command, kind="command", effect=effect, subject=subject, group=line, by_person=True)


_Change = tuple[str, str, Any]  # subject, key, new value; None where the key ends


def _split(command: str) -> list[str]:
    try:
        words = shlex.split(command, comments=True)
    except ValueError:
        words = command.split()
    end = next((index for index, word in enumerate(words) if re.match(r"\d?[|<>]|&", word)), len(words))
    return words[:end]


def split_options(words: list[str], taking: str) -> tuple[list[tuple[str, str]], list[str]]:
    """Options with their values, and the operands, as getopt reads them; `taking`: letters of options with a value."""
    options: list[tuple[str, str]] = []
    index = 0
    while index < len(words) and words[index].startswith("-") and words[index] != "-":
        word = words[index]
        index += 1
        if word == "--":
            break
        if word.startswith("--"):
            name, _, argument = word[2:].partition("=")
            options.append((name, argument))
            continue
        position = next((position for position, letter in enumerate(word[1:], 1) if letter in taking), None)
        if position is None or position > 1:
            options.append((word[1:position], ""))
        if position is None:
            continue
        if word[position + 1 :]:
            options.append((word[position], word[position + 1 :]))
        elif index < len(words):
            options.append((word[position], words[index]))
            index += 1
    return options, words[index:]


def _permuted(words: list[str], taking: str) -> tuple[list[tuple[str, str]], list[str]]:
    """The same as GNU's getopt reads them: options may stand behind operands (`zpool create tank sda sdb -f`)."""
    options, operands = list[tuple[str, str]](), list[str]()
    while words:
        leading, words = split_options(words, taking)
        options += leading
        end = next((index for index, word in enumerate(words) if word.startswith("-") and word != "-"), len(words))
        operands, words = operands + words[:end], words[end:]
    return options, operands


def _property(subject: str, text: str, of_pool: bool = False) -> Iterator[_Change]:
    """The change by `compression=lz4`; a value in a variable ends the key."""
    prop, _, printed = text.partition("=")
    key, value = spell_property(prop, printed, of_pool)
    if key:
        yield subject, key, None if _VARIABLE.search(printed) else value


def _zpool_create(words: list[str]) -> Iterator[_Change]:
    options, operands = _permuted(words, _TAKES["zpool create"])
    if not operands or any("n" in name for name, argument in options if not argument and len(name) <= 3):
        return  # -n: a dry run
    pool = operands[0]
    if _VARIABLE.search(pool):
        return
    sets = {"pool.name": pool, "fs.type": "zfs", **dict(_vdevs(operands[1:]))}
    for name, argument in options:
        if name in ("o", "O"):
            sets.update({key: new for _, key, new in _property(pool, argument, of_pool=name == "o")})
        elif name == "m":
            sets["zfs.mountpoint"] = argument
    for key in dict.fromkeys((*POOL_KEYS, *sets)):
        yield pool, key, sets.get(key)


def _vdevs(words: list[str]) -> Iterator[tuple[str, Any]]:
    """Layout, number of disks, log and cache of vdevs; where a variable hides the number, the kind of the only data vdev."""
    sections: dict[str, list[tuple[str, int]]] = {"data": []}  # section -> (kind, members) of its vdevs
    disks: dict[str, list[str]] = {"data": []}  # section -> their disks
    section, hidden = "data", False
    for word in chain.from_iterable(map(_expand_braces, words)):
        if word in _SECTIONS:
            section = word
            sections.setdefault(section, [])
            disks.setdefault(section, [])
        elif (kind := normalise.vdev_kind(word)) and not word.startswith("/"):
            sections[section].append((kind, 0))
        else:
            hidden = hidden or bool(_VARIABLE.search(word))
            _add_device(sections[section])
            disks[section].append(word)
    data = sections["data"]
    if hidden:
        if len(data) == 1 and data[0][0] != "disk":
            yield "pool.layout", data[0][0]
        return
    if data:
        yield "pool.layout", spell_pool_layout(sections)
        if not any(disk.startswith("/") and not disk.startswith("/dev/") for disk in disks["data"]):  # plain files
            yield "disk.count", len(disks["data"])
    for key, section in (("pool.log", "log"), ("pool.cache", "cache")):
        yield key, spell_devices(sections.get(section, []), disks.get(section, [])) or "off"


def _add_device(vdevs: list[tuple[str, int]]) -> None:
    """Add a device to the last vdev of a section, or as a vdev of its own."""
    if vdevs and vdevs[-1][0] != "disk":
        kind, members = vdevs[-1]
        vdevs[-1] = (kind, members + 1)
    else:
        vdevs.append(("disk", 1))


def _expand_braces(word: str) -> list[str]:
    """`/dev/sd{b,c}` and `/dev/sd{b..e}` as a shell expands them; of nested or several braces `$`, as of a variable."""
    braced = re.fullmatch(r"([^{}]*)\{([^{}]{1,200})\}([^{}]*)", word)
    if not braced:
        return [word] if "{" not in word else ["$"]
    span = re.fullmatch(r"(\w)\.\.(\w)", braced[2]) or re.fullmatch(r"(\d{1,3})\.\.(\d{1,3})", braced[2])
    if span and span[1].isdecimal() and span[2].isdecimal():
        inner = [str(number) for number in range(int(span[1]), int(span[2]) + 1)]
    elif span:
        inner = [chr(code) for code in range(ord(span[1]), ord(span[2]) + 1)]
    else:
        inner = braced[2].split(",") if "," in braced[2] else []
    return [braced[1] + alternative + braced[3] for alternative in inner] or ["$"]


def _zpool_destroy(words: list[str]) -> Iterator[_Change]:
    _, operands = split_options(words, "")
    for pool in [name for name in operands[:1] if "/" not in name]:  # the command refuses a data set
        for key in (*POOL_KEYS, "fs.type", "disk.count"):
            yield pool, key, None


def _zpool_import(words: list[str]) -> Iterator[_Change]:
    options, operands = split_options(words, _TAKES["zpool import"])
    if (
        operands
        and not _VARIABLE.search(operands[-1])
        and not operands[-1].isdecimal()
        and not any(name == "N" for name, _ in options)
    ):
        pool = operands[-1]  # the new name, where two are given
        yield pool, "pool.name", pool
        yield pool, "fs.type", "zfs"


def _zpool_add(words: list[str]) -> Iterator[_Change]:
    """Added log and cache devices; added vdevs end the layout, and data vdevs the number of disks, which depend on earlier ones."""
    _, operands = split_options(words, _TAKES["zpool add"])
    if len(operands) < 2:
        return
    pool, added = operands[0], dict(_vdevs(operands[1:]))
    for key in ("pool.log", "pool.cache"):
        if added.get(key, "off") != "off":
            yield pool, key, added[key]
    if operands[1] not in ("log", "cache", "spare"):
        yield pool, "pool.layout", None
    if operands[1] not in _SECTIONS:
        yield pool, "disk.count", None


def _zpool_set(words: list[str]) -> Iterator[_Change]:
    """`zpool set P=V POOL`; nothing of vdevs (`zpool set P=V POOL VDEV`)."""
    if len(words) == 2 and "=" in words[0] and not _VARIABLE.search(words[1]):
        yield from _property(words[1], words[0], of_pool=True)


def _zfs_set(words: list[str]) -> Iterator[_Change]:
    assignments = [word for word in words if "=" in word]
    for dataset in (word for word in words if "=" not in word and not word.startswith("-")):
        if not _VARIABLE.search(dataset):
            for assignment in assignments:
                yield from _property(dataset, assignment)
            if any(assignment.partition("=")[0] in ("atime", "recordsize", "recsize", "mountpoint") for assignment in assignments):
                yield dataset, "fs.type", "zfs"  # a volume has none of these


def _zfs_inherit(words: list[str]) -> Iterator[_Change]:
    _, operands = split_options(words, "")
    for dataset in operands[1:]:
        key, _ = spell_property(operands[0], "", of_pool=False)
        if key:
            yield dataset, key, None


def _zfs_create(words: list[str]) -> Iterator[_Change]:
    options, operands = split_options(words, _TAKES["zfs create"])
    is_volume = any(name == "V" for name, _ in options)
    for dataset in operands[:1]:
        if _VARIABLE.search(dataset) or any("n" in name for name, argument in options if not argument and len(name) <= 3):
            continue  # -n: a dry run
        if not is_volume:
            yield pool_name(dataset), "pool.name", pool_name(dataset)
            yield dataset, "fs.type", "zfs"
        for name, argument in options:
            if name in ("o", "b"):
                yield from _property(dataset, argument if name == "o" else f"volblocksize={argument}")


def _mount(words: list[str], device_settings: Mapping[str, Mapping[str, Any]]) -> Iterator[_Change]:
    valued = ("-o", "-t")
    flags = [word for previous, word in pairwise(words) if word.startswith("-") or previous in valued]
    operands = [word for word in words[1:] if word not in flags]
    options, _ = split_options(flags, _TAKES["mount"])
    folder = operands[-1] if operands and operands[-1].startswith("/") and not _VARIABLE.search(operands[-1]) else None
    if folder is None:
        return
    mount_options = ",".join(argument for name, argument in options if name == "o")
    device = _RAW.sub("/dev/", operands[0].partition(":/")[0])  # bcachefs lists all its devices
    remount = "remount" in mount_options.split(",") or any(name == "u" for name, _ in options)
    sets = {} if remount else dict(device_settings.get(device, NO_PARAMS))
    stated_type = next((normalise.file_system_type(argument) for name, argument in options if name == "t"), None)
    kind = stated_type or sets.get("fs.type") or ("btrfs" if "compress" in mount_options else "")
    if stated_type:
        sets["fs.type"] = stated_type
    if kind != "zfs":
        sets.update(_option_settings(kind, mount_options, complete=sets.get("fs.type") == "btrfs" and not remount))
    if not remount:
        earlier = device_settings.get(folder, NO_PARAMS)
        yield from ((folder, ended, None) for ended in _OF_MOUNTS if ended not in sets and (ended in earlier or ended == "mount.*"))
        if device.startswith("/") and not _VARIABLE.search(device):
            yield folder, "block.devices", device.removeprefix("/dev/")
        if "fs.type" in device_settings.get(device, NO_PARAMS):
            yield from ((folder, ended, None) for ended in (*_OF_FORMATS, *_OF_CONTENT) if ended not in sets)
            if ERASED not in sets and ERASED in device_settings.get(folder, NO_PARAMS):
                sets[ERASED] = None
    for key, new in sets.items():
        yield folder, key, new


def _option_settings(kind: str, mount_options: str, complete: bool) -> dict[str, Any]:
    """Keys that mount options of that kind of file system set; None of those that end because a variable hides their value."""
    hidden = _VARIABLE.search(mount_options)
    settings: dict[str, Any] = {
        key: None if hidden else new for key, new in parse_mount_options(kind, mount_options, complete=complete)
    }
    if hidden and "compress" in mount_options:
        settings["pool.compression"] = None
    return settings if hidden else settings | mount_properties(kind, mount_options.split(","))


def _umount(words: list[str]) -> Iterator[_Change]:
    for folder in words[1:]:
        if folder.startswith("/"):
            for key in ("fs.type", *_OF_MOUNTS, "block.devices", *_OF_CONTENT):
                yield folder, key, None


_MAKERS = {
    "mke2fs": "ext2", "mke3fs": "ext3", "mke4fs": "ext4", "mkreiserfs": "reiserfs", "mkntfs": "ntfs", "mkexfatfs": "exfat",
    "jfs_mkfs": "jfs", "gfs2_mkfs": "gfs2", "newfs": "ufs", "bcachefs": "bcachefs",
}  # fmt: skip
_TYPE = lazy(r"(?:\A|.*\s)(?:-[tF]\s*|--type[ =])([A-Za-z]\w*)(?=\s|\Z)")
_RAW = lazy(r"/dev/r(?=dsk/|[sw]d\d|disk\d)")


def _made_kind(words: list[str]) -> str | None:
    """The type of the file system that a command makes; None of any other command."""
    program = words[0].rpartition("/")[2]
    kind = _MAKERS.get(program) or (re.match(r"(?:mkfs\.|newfs_)(?=\w)|mkfs\Z", program) and re.split(r"[._]", program)[-1]) or ""
    if not kind or (program == "bcachefs" and words[1:2] != ["format"]):
        return None
    if program in ("mkfs", "mke2fs", "newfs") and (stated := _TYPE.match(" ".join(words[1:]))):
        kind = stated[1]
    elif program == "mke2fs" and "-j" in words:
        kind = "ext3"
    spelled = normalise.file_system_type({"hfsplus": "hfs", "ffs": "ufs"}.get(kind, kind))
    return None if spelled == "vfat" else spelled


_OF_MOUNTS = ("mount.*", "pool.compression", "pool.atime")
_OF_CONTENT = ("pool.layout", "disk.count", "state.capacity")  # what listings tell of a folder
_OF_FORMATS = ("ext4.*", "xfs.*", "btrfs.*")  # keys of what was on a device before


def _mkfs(words: list[str], spelled: str, device_settings: Mapping[str, Mapping[str, Any]]) -> Iterator[_Change]:
    program = words[0].rpartition("/")[2]
    arguments = " ".join(words[1:])
    devices = [_RAW.sub("/dev/", device) for word in words[1:] if word.startswith("/") for device in _expand_braces(word)]
    if not devices and program.startswith("newfs") and re.fullmatch(r"[a-z]+\d\w*", words[-1]):
        devices = [f"/dev/{words[-1]}"]  # BSD's names of devices need no folder
    if not devices:
        return
    devices = devices if spelled in ("btrfs", "bcachefs") else devices[-1:]
    properties = dict(format_properties(program, spelled, words[1:]))
    for device in devices:
        yield device, "fs.type", spelled
        yield from ((device, ended, None) for ended in _OF_FORMATS)
        if device_settings.get(device, NO_PARAMS).get("fs.type") in ("btrfs", "bcachefs"):  # else the layout is that of an array
            yield from ((device, ended, None) for ended in ("pool.layout", "disk.count", "pool.compression", "pool.copies"))
        for key, printed in properties.items():
            yield device, key, None if _VARIABLE.search(printed) else spell_open_value(key, printed)
    if spelled == "btrfs" and not _VARIABLE.search(" ".join(devices)):
        profile = re.search(r"(?:\A|\s)(?:-d\s*|--data[ =])(single|dup|raid\d{1,2}(?:c[34])?)\b", arguments)
        count = len(devices)
        name = profile[1] if profile else None
        layout = f"{name}({count})" if name and name != "single" else f"stripe({count})"
        yield from ((device, "pool.layout", layout) for device in devices)
    elif spelled == "btrfs":
        yield devices[-1], "pool.layout", None
    elif spelled == "bcachefs":
        options = dict(re.findall(r"--(compression|data_replicas|replicas)[ =](\S+)", arguments))
        copies = options.get("data_replicas") or options.get("replicas") or "1"
        for device in devices:
            yield device, "pool.compression", normalise.compression(options.get("compression", "none"))
            yield device, "pool.copies", int(copies) if copies.isdecimal() else None
            yield device, "disk.count", None if _VARIABLE.search(" ".join(devices)) else len(devices)


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


def _mdadm(words: list[str]) -> Iterator[_Change]:
    arguments = " ".join(words[1:])
    if not re.search(r"(?:\A|\s)(?:-C|--create)\b", arguments):
        return
    device = next((word for word in words[1:] if word.startswith("/dev/md")), "")
    level = re.search(r"(?:\A|\s)(?:-l\s*|--level[ =])(?:raid)?(\d{1,2}|stripe|mirror)\b", arguments)
    count = re.search(r"(?:\A|\s)(?:-n\s*|--raid-devices[ =])(\d{1,4})\b", arguments)
    if level and count and level[1] in _LEVELS:
        yield device, "pool.layout", f"{_LEVELS[level[1]]}({int(count[1])})"
        yield device, "disk.count", int(count[1])


_ZFS = {
    "zpool create": _zpool_create,
    "zpool destroy": _zpool_destroy,
    "zpool import": _zpool_import,
    "zpool add": _zpool_add,
    "zpool set": _zpool_set,
    "zfs set": _zfs_set,
    "zfs inherit": _zfs_inherit,
    "zfs create": _zfs_create,
}
_OTHERS = {"umount": _umount, "mdadm": _mdadm, "lctl": set_param_changes, "lfs": setstripe_changes}
