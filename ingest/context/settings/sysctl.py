"""Settings of the kernel as sysctl lists them, and the files that set them.

Forms: `vm.dirty_ratio = 20` (Linux, NetBSD, macOS), `vfs.zfs.arc_max: 8589934592` (FreeBSD), `vm.loadavg=...` (OpenBSD): below a
prompt with sysctl; in a file named after it; below a heading that is its command; and rows of more than `_LISTING` lines anywhere.
`sysctl -n NAME` with the value alone below its prompt. Files that the upload holds as etc/sysctl.conf, sysctl.d/*.conf and
boot/loader.conf set the same names (FreeBSD's loader tunables are among them); a person set these.
Evidence: these. Mentions: a few such lines elsewhere, as advice and scripts have them.
Source: sysctl(8), sysctl.conf(5), loader.conf(5).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ingest import normalise
from ingest.context._clues import open_clues
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue
from ingest.text.lines import ShownCommand, Text

_ROOTS = "vm|kernel|fs|net|dev|user|abi|sunrpc|crypto|debug|lnet|lustre|kern|vfs|hw|machdep|compat|security|kstat|ddb|sysctl"
_ROW = rf"^[ \t]*(?P<name>(?:{_ROOTS})\.[\w.:/@%+-]{{0,149}}[\w%])(?P<mark>[ \t]*=[ \t]*|:[ \t])(?P<value>[^\n]*)$"
_ROWS = lazy(_ROW, re.MULTILINE)
_ANCHOR = Anchor(
    lazy(rf"^[ \t]*(?:{_ROOTS})\.[\w.:/@%+-]*[\w%](?:[ \t]*=|:[ \t])", re.MULTILINE), _ROOTS.replace("|", ".|") + "."
) | Anchor(lazy(r"\bsysctl[ \t]+-\w*n|^[ \t]*(?:vm|net|kernel|fs)/[\w/]+[ \t]*=", re.MULTILINE), "sysctl|vm/|net/|kernel/|fs/")
_SETS = lazy(
    r'^[ \t]*(?P<name>[a-z][\w-]*(?:[./][\w%*-]+)+)[ \t]*=[ \t]*(?P<quote>"?)(?P<value>[^"\n#]*?)(?P=quote)[ \t]*(?:#[^\n]*)?$',
    re.M,
)
_SETTINGS_FILE = lazy(
    r"(?:.*/)?(?:sysctl\.conf(?:\.local)?|sysctl\.d/[^/]+\.conf|loader\.conf(?:\.local)?|loader\.conf\.d/[^/]+)\Z"
)
_LISTING_NAME = lazy(r"(?i)(?:.*[^a-z])?sysctl(?![a-z.]*conf|\.d)[\w.-]*\Z")
_HEADING = lazy(
    r"(?!\s*#\s*sysctl\s+-w)[\W_]{0,12}(?:output of[ :`']{1,3})?(?:/sbin/)?sysctl(?:[ \t]+-[a-zA-Z]+|[ \t]+[\w.]+)*[\W_]*\Z"
)
_COMMAND = lazy(r"\bsysctl\b(?![./\w-])")
_ONLY_VALUES = lazy(r"(?:sudo[ \t]+)?(?:/sbin/)?sysctl[ \t]+-(?:n|en|ne)((?:[ \t]+[a-z][\w.]+)+)[ \t]*\Z")
_SIZE = lazy(r"\d{1,9}[kKmMgGtT]\Z")
_LISTING = 40  # rows without a break that only sysctl prints: guides and files of settings have fewer


def read(text: Text) -> Iterator[Clue]:
    """Clues of every row of a listing or a file of settings."""
    if text.name.endswith((".conf", ".conf.local")) or text.name.startswith("loader.conf"):
        if _SETTINGS_FILE.match(text.path):
            yield from _setting_clues(text)
        return
    rows = [(text.line_at(match.start("name")), match) for match in _ROWS.finditer(text.body)]
    if rows:
        is_listing = _LISTING_NAME.match(text.name) is not None and not text.name.endswith((".sh", ".md", ".py", ".yml", ".yaml"))
        shown = {row for rows_of in _shown(text, [line for line, _ in rows]) for row in rows_of} if not is_listing else None
        for line, match in rows:
            if shown is None or line in shown:
                # FreeBSD prints `NAME: OLD -> NEW` where it sets.
                value = match["value"].rpartition(" -> ")[2] if ":" in match["mark"] else match["value"]
                yield from open_clues(line, f"sysctl.{match['name'].replace('/', '.')}", value, match[0].strip())
    for command in text.commands:
        yield from _value_clues(text, command)


def _shown(text: Text, lines: Sequence[int]) -> Iterator[Sequence[int]]:
    """The rows, in blocks of consecutive lines, that sysctl printed."""
    first = 0
    for index, line in enumerate(lines):
        if index + 1 == len(lines) or lines[index + 1] > line + 1 + _wrapped(text, line, lines[index + 1]):
            block = lines[first : index + 1]
            first = index + 1
            command = text.command_for(block[0])
            asked = command.text if command else ""
            if (
                len(block) >= _LISTING
                or (_COMMAND.search(asked) and ".conf" not in asked)
                or (block[0] > 1 and len(text.lines[block[0] - 2]) < 80 and _HEADING.match(text.lines[block[0] - 2]))
            ):
                yield block


def _wrapped(text: Text, line: int, following: int) -> int:
    """Number of lines between two rows, at most 40, if they continue a value of several lines (`kern.geom.conftxt`); else 0."""
    between = text.lines[line : min(following - 1, line + 41)]
    return len(between) if len(between) <= 40 and all(row.strip() and ":" not in row[:2] for row in between) else 0


def _value_clues(text: Text, command: ShownCommand) -> Iterator[Clue]:
    """Clues of `sysctl -n NAME...`, which prints a line for each name."""
    asked = _ONLY_VALUES.match(command.text)
    names = asked[1].split() if asked else []
    rows = text.lines[command.first - 1 : command.last]
    if names and len(rows) >= len(names) and not any(row.startswith("sysctl:") for row in rows):
        for number, name in enumerate(names):
            yield from open_clues(command.first + number, f"sysctl.{name}", rows[number], rows[number].strip())


def _setting_clues(text: Text) -> Iterator[Clue]:
    """Clues of a file of settings; what the running kernel shows takes precedence, so they are of the kind of a command."""
    for match in _SETS.finditer(text.body):
        name, value = match["name"].replace("/", "."), match["value"].strip()
        size = normalise.parse_size(value) if _SIZE.match(value) else None
        for clue in open_clues(
            text.line_at(match.start("name")), f"sysctl.{name}", size or value, match[0].strip(), by_person=True
        ):
            clue.kind = "command"
            yield clue


READER = Reader("sysctl", 1, _ANCHOR, read, "sysctl(8), sysctl.conf(5), loader.conf(5)")
