"""What a document says that names stand for: `zstd = btrfs with compress=zstd:3`, `| A | ext4, noatime |`, `lz4: zfs mirror, lz4`;
and on what image files lie: `loop files on the root disk (ext4)`, which is the lower part of `fs.stack` (`/ext4`).

Forms: a word, a sign or verb of equality, and settings every word of which is understood (`read_caption`), mount options aside.
They hold for results whose path or title has that word (`ingest.configuration.scopes.Definitions`), and say nothing of others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest.context.file_systems._mount_options import mount_properties, parse_mount_options
from ingest.context.labels.captions import read_caption
from ingest.context.labels.labels import ALIASES
from ingest.lazy_regex import lazy
from ingest.open_keys import OF_FILE_SYSTEMS, is_identity
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue
from ingest.text.lines import Text

_MAX_CHARACTERS = 1 << 16  # of a document
_MARK = r"[`'\"*_]{0,2}"
_IS = r"(?:[ \t]*(?:={1,2}|:=?|\||[-=]>|\u2192)|[ \t]+(?:means|is|was|stands for|hei\u00dft|ist|bedeutet|signifie|est))[ \t]+"
_DEFINITION = lazy(
    rf"(?:^|[;,(.][ \t])[ \t]*(?:[-*+\u2022|][ \t]*)?{_MARK}(?P<name>[A-Za-z0-9][\w.+-]{{0,30}}?){_MARK}{_IS}"
    rf"(?P<what>\S[^;|\n]{{2,90}}?)(?=[ \t]*(?:[;|]|,[ \t]+\S{{1,30}}?{_IS}|[.)]?[ \t]*$))"
)
_KINDS = r"(?i:ext[234]|xfs|btrfs|zfs|f2fs|bcachefs|ntfs|apfs|ufs)"
_WITHIN = r"(?:(?!\b(?:formatted|with|as|not|no|mit)\b)[^.;\n]){0,60}?"
_IMAGES = lazy(
    r"(?i)\b(?:(?:loop(?:[ -]?back)?|backing|sparse)[ -]?(?:files?|devices?|images?|dateien)|(?:fs|disk|file ?system) images?)\b"
    rf"{_WITHIN}\b(?:on|in|inside|atop|auf|sur)\b{_WITHIN}\b({_KINDS})\b"
)
_WORDS = r"(?i:btrfs|xfs|zfs|ext\d|f\dfs|bcachefs|lz\d|lzjb|zstd|gzip|zlib|noatime|recordsize|mirror|raid)"
_ANCHOR = Anchor(
    lazy(rf"\w{_MARK}{_IS}[^\n]{{0,80}}{_WORDS}"),
    "btrfs|xfs|zfs|ext0|f0fs|bcachefs|lz0|lzjb|zstd|gzip|zlib|noatime|recordsize|mirror|raid",
) | Anchor(
    lazy(r"(?i)(?:loop|backing|sparse|image)[a-z -]{1,14}[^\n]{1,120}(?:ext\d|[a-z]fs|f\dfs)\b"), "loop|backing|sparse|image"
)
_OPTION = r"[a-z_]+(?:=[\w:.-]+)?"
_OPTIONS = lazy(
    r"(?i)[ ,]*(?:\b(?:mounted )?(?:with|and|mit|avec)[ \t]+(?:-o[ \t]*)?|\(?(?<!\S)\(?-o[ \t]*)"
    rf"(?P<words>{_OPTION}(?:,[ \t]?{_OPTION})*)\)?\Z"
)
_NO_NAMES = frozenset(("todo", "next", "later", "idea", "plan", "note", "notes"))
_OF_STORES = ("fs.", "pool.", "disk.count", *OF_FILE_SYSTEMS)


def read(text: Text) -> Iterator[Clue]:
    """Clues that define their subject."""
    if len(text.body) > _MAX_CHARACTERS:
        return
    for number, line in enumerate(text.lines, 1):
        if (lower := _IMAGES.search(line[:400])) and len(set(re.findall(rf"\b{_KINDS}\b", line.lower()))) == 1:
            yield Clue(number, "fs.stack", f"/{lower[1].lower()}", line.strip(), "label")
        for match in _DEFINITION.finditer(line) if len(line) < 400 else ():
            if match["name"].lower() not in ALIASES.keys() | _NO_NAMES:
                for key, value in _settings(match["what"]).items():
                    yield Clue(number, key, value, match[0].strip(" \t;,|"), "label", "defines", match["name"])


def _settings(what: str) -> dict[str, object]:
    """Key -> value of a description of a file system or pool; empty where a word is not understood."""
    settings, options = read_caption(what), ""
    if not settings and (match := _OPTIONS.search(what)):
        settings, options = read_caption(what[: match.start()]), match["words"].replace(" ", "")
    if options:
        kind = str(settings.get("fs.type", ""))
        known = mount_properties(kind, options.split(",")) | dict(parse_mount_options(kind, options, complete=False))
        if not kind or not all(key.startswith("pool.") or is_identity(key) for key in known):
            return {}
        settings = settings | known
    return {key: value for key, value in settings.items() if key.startswith(_OF_STORES)}


READER = Reader("definitions of labels", 1, _ANCHOR, read)
