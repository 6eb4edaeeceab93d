"""How a file system was made: properties that tune2fs, dumpe2fs, xfs_info and btrfs print, and mkfs.xfs and mkfs.btrfs on success.

Source: tune2fs(8), e2fsprogs lib/e2p/ls.c; xfs_info(8), xfsprogs libfrog/fsgeom.c; btrfs-filesystem(8), btrfs-inspect-internal(8),
btrfs-progs mkfs/main.c. Sizes of what is stored are no properties of btrfs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ingest.context._clues import open_clues
from ingest.lazy_regex import lazy
from ingest.records import Clue
from ingest.text.lines import Text

_Properties = dict[str, tuple[int, Any]]  # key -> line, printed value

_EXT_ROW = lazy(r"[ \t]*(?P<name>[A-Z][\w /#]{2,40}):[ \t]+(?P<value>\S[^\n]*?)[ \t]*\Z")
_MOST_ROWS = 80  # of one listing, on either side of its features
_EXT_NAMES = {"filesystem_features": "features", "total_journal_size": "journal_size", "filesystem_revision_": "revision"}
_EXT_STATES = ("needs_recovery", "orphan_present", "journal_incompat_revoke")  # features that come and go with use
_EXT_LISTS = ("features", "default_mount_options", "journal_features", "filesystem_flags")
_XFS_ROW = lazy(r"[ \t]*(?P<section>data|naming|log|realtime|)[ \t]*=")
_XFS_WORD = lazy(r"([a-z][\w-]*)=([\w/.-]+)")
_XFS_NAMES = {"spinodes": "sparse", "rtextents": "realtime_rtextents"}
_XFS_OF_SECTION = ("bsize", "blocks", "version", "sectsz", "sunit")  # stand in several sections
_XFS_PLACE = lazy(r"[ \t]*(?:log|realtime)[ \t]*=(\S+)")
_BTRFS_PROFILE = lazy(
    r"^[ \t]*(?P<kind>Data|Metadata|System|Data\+Metadata)(?:,[ \t]?| +)(?P<profile>single|dup|raid\d{1,2}(?:c[34])?)"
    r":[ \t]*(?:Size:|total=)",
    re.MULTILINE | re.IGNORECASE,
)
_SUPER = lazy(r"^[ \t]*superblock: bytenr=\d+, device=(?P<device>\S+)", re.MULTILINE)
_SUPER_ROW = lazy(
    r"[ \t]*(?P<name>csum_type|sectorsize|nodesize|stripesize|num_devices)[ \t]+(?P<value>\d+)(?: \((?P<word>[\w-]+)\))?"
)
_SUPER_FLAGS = lazy(r"[ \t]*(?P<name>incompat|compat_ro)_flags[ \t]+0x[0-9a-f]+")
_FLAG = lazy(r"[ \t]*\(?[ \t]*(?P<flag>[A-Z][A-Z0-9_]+)[ \t]*[|)]")
_FLAG_STATES = ("FREE_SPACE_TREE_VALID", "COMPRESS_LZO", "COMPRESS_ZSTD", "DEFAULT_SUBVOL")  # come with use
_SUPER_ROWS = 90
_MADE = lazy(r"^[ \t]*Node size:[ \t]+\d+[ \t]*\n[ \t]*Sector size:[ \t]+\d+", re.MULTILINE)
_MADE_ROW = lazy(r"[ \t]*(?P<name>Node size|Sector size|Incompat features|Checksum):[ \t]+(?P<value>\S[^(\n]*?)[ \t]*(?:\(.*)?\Z")
_MADE_PROFILE = lazy(
    r"[ \t]*(?P<kind>Data|Metadata|System|Data\+Metadata):[ \t]+(?P<profile>single|(?:dup|raid\d)\w*)[ \t]+\d", re.I
)
_MADE_NAMES = {"Node size": "nodesize", "Sector size": "sectorsize", "Incompat features": "features", "Checksum": "csum_type"}
_MADE_ROWS = 16


def ext_clues(text: Text, line: int) -> Iterator[Clue]:
    """Open keys of the listing of tune2fs or dumpe2fs whose features stand on that line."""
    first, last = _ext_rows(text, line)
    properties: _Properties = {}
    for number in range(first, last + 1):
        if (row := _EXT_ROW.match(text.lines[number - 1])) and row["value"] not in ("<none>", "(none)", "<not available>"):
            name = re.sub(r"\W+", "_", row["name"].lower())
            name = _EXT_NAMES.get(name, name)
            value = "external" if name == "journal_device" else row["value"]
            properties[f"ext4.{name}"] = (number, _sorted_words(value) if name in _EXT_LISTS else value)
    yield from _clues(text, properties, ext_subject(text, line), first)


def _ext_rows(text: Text, line: int) -> tuple[int, int]:
    """The first and the last row of that listing."""
    first, last = line, line
    while first > max(line - _MOST_ROWS, 1) and _EXT_ROW.match(text.lines[first - 2]):
        first -= 1
    while last < min(line + _MOST_ROWS, len(text.lines)) and _EXT_ROW.match(text.lines[last]):
        last += 1
    return first, last


def ext_subject(text: Text, line: int) -> str:
    """The device in the command that printed the listing, else the folder on which its file system was last mounted."""
    return tool_operand(text, line, "tune2fs", "dumpe2fs") or last_folder(text, line)


def last_folder(text: Text, line: int) -> str:
    """The folder on which the file system of that listing was last mounted; '' if it says none."""
    first, last = _ext_rows(text, line)
    rows = map(_EXT_ROW.match, text.lines[first - 1 : last])
    return next((row["value"] for row in rows if row and row["name"] == "Last mounted on" and row["value"][0] == "/"), "")


def _sorted_words(printed: str) -> str:
    return " ".join(sorted(set(printed.split()).difference(_EXT_STATES)))


def xfs_clues(text: Text, line: int, device: str) -> Iterator[Clue]:
    """Open keys of the listing of xfs_info or mkfs.xfs that begins on that line."""
    properties: _Properties = {}
    section = ""
    for number in range(line, min(line + 14, len(text.lines)) + 1):
        row = text.lines[number - 1]
        if number > line:
            begin = _XFS_ROW.match(row)
            if not begin:
                break
            section = begin["section"] or section
        if place := _XFS_PLACE.match(row):
            kind = place[1] if place[1] in ("internal", "none") else "external"
            properties[f"xfs.{section}"] = (number, kind)
        if version := re.match(r"[ \t]*naming[ \t]*=version (\d+)", row):
            properties["xfs.naming_version"] = (number, version[1])
        for name, value in _XFS_WORD.findall(row):
            properties.setdefault(f"xfs.{_xfs_name(section, name)}", (number, value))
        if section == "realtime":
            break
    properties.pop("xfs.meta-data", None)
    folder = tool_operand(text, line, "xfs_info", "xfs_growfs")
    yield from _clues(text, properties, folder if folder.startswith("/") and not folder.startswith("/dev/") else device, line)


def _xfs_name(section: str, name: str) -> str:
    """`log_bsize` of the block size of the log; that of the data, and names that stand in one section, are as printed."""
    if section in ("naming", "log", "realtime") and name in _XFS_OF_SECTION:
        return f"{section}_{name}"
    return _XFS_NAMES.get(name, name)


def btrfs_clues(text: Text) -> Iterator[Clue]:
    """Open keys of `btrfs filesystem df` and `usage`, `inspect-internal dump-super`, and of mkfs.btrfs."""
    yield from _btrfs_profiles(text)
    for match in _SUPER.finditer(text.body):
        line = text.line_at(match.start())
        device = match["device"] if match["device"].startswith("/") else ""
        yield from _clues(text, _super_properties(text, line), device, line)
    for match in _MADE.finditer(text.body):
        line = text.line_at(match.start())
        yield from _clues(text, _made_properties(text, line), "", line)


def _made_properties(text: Text, line: int) -> _Properties:
    """What mkfs.btrfs prints from that line on."""
    properties: _Properties = {}
    for number in range(line, min(line + _MADE_ROWS, len(text.lines)) + 1):
        row = text.lines[number - 1]
        if found := _MADE_ROW.match(row):
            words = sorted(re.split(r"[,\s]+", found["value"]))
            properties[f"btrfs.{_MADE_NAMES[found['name']]}"] = (number, " ".join(words))
        elif profile := _MADE_PROFILE.match(row):
            for kind in profile["kind"].lower().split("+"):
                properties[f"btrfs.{kind}"] = (number, profile["profile"].lower())
    return properties


def _btrfs_profiles(text: Text) -> Iterator[Clue]:
    """Copies and stripes; several of one kind, as while they are converted, are joined. A listing begins with the data."""
    listing: dict[str, tuple[int, set[str]]] = {}
    previous = ""
    for match in _BTRFS_PROFILE.finditer(text.body):
        kinds = match["kind"].lower().split("+")
        if kinds[0] == "data" and previous not in ("", "data"):
            yield from _profile_clues(text, listing)
            listing = {}
        previous = kinds[0] if len(kinds) == 1 else "both"
        for kind in kinds:
            listing.setdefault(f"btrfs.{kind}", (text.line_at(match.start()), set()))[1].add(match["profile"].lower())
    yield from _profile_clues(text, listing)


def _profile_clues(text: Text, listing: dict[str, tuple[int, set[str]]]) -> Iterator[Clue]:
    properties: _Properties = {key: (line, " + ".join(sorted(profiles))) for key, (line, profiles) in listing.items()}
    if properties:
        first = min(line for line, _ in properties.values())
        yield from _clues(text, properties, tool_operand(text, first, "btrfs"), first)


def _super_properties(text: Text, line: int) -> _Properties:
    """What the superblock on that line says about the format."""
    properties: _Properties = {}
    flags: list[str] | None = None
    for number in range(line + 1, min(line + _SUPER_ROWS, len(text.lines)) + 1):
        row = text.lines[number - 1]
        if _SUPER.match(row):
            break
        if found := _SUPER_ROW.match(row):
            properties[f"btrfs.{found['name']}"] = (number, found["word"] or found["value"])
        elif head := _SUPER_FLAGS.match(row):
            flags = []
            properties[f"btrfs.{head['name']}"] = (number, flags)
        elif flags is not None and (flag := _FLAG.match(row)):
            flags += [flag["flag"].lower()] if flag["flag"] not in _FLAG_STATES else []
        else:
            flags = None
    return {
        key: (number, " ".join(sorted(value)) if isinstance(value, list) else value) for key, (number, value) in properties.items()
    }


def tool_operand(text: Text, line: int, *tools: str) -> str:
    """The last path in the command that printed the line, if it is of one of the tools; else ''."""
    command = text.command_for(line)
    words = command.text[:1000].split() if command else []
    if not any(word.rpartition("/")[2] in tools for word in words[:3]):
        return ""
    return next(
        (word for word in reversed(words) if re.fullmatch(r"/[\w./:+@-]+", word) and word.rpartition("/")[2] not in tools), ""
    )


def _clues(text: Text, properties: _Properties, subject: str, group: int) -> Iterator[Clue]:
    for key, (line, printed) in properties.items():
        yield from open_clues(line, key, printed, text.lines[line - 1].strip(), subject=subject, group=group)
