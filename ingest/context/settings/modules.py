"""Parameters of kernel modules: `systool -vm zfs`, and the files of modprobe.d that set them.

Forms: rows `NAME = "VALUE"` below `Module = "zfs"` and `Parameters:`; lines `options zfs zfs_arc_max=8589934592` of a file that the
upload holds as modprobe.d/*.conf (a person set these; those that the running module shows take precedence).
Evidence: these. Mentions: `options` lines elsewhere, and modinfo, which lists what could be set.
Source: systool(1), modprobe.d(5). `kernel_files` reads /sys/module/*/parameters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest.context._clues import open_clues
from ingest.context.settings._dumped_files import chosen_word
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue
from ingest.text.lines import Text

_SYSTOOL = lazy(
    r'^[ \t]*Module = "(?P<module>\w+)"[ \t]*\n(?:(?![ \t]*(?:Module = |Parameters:))[^\n]*\n){0,40}?'
    r'[ \t]*Parameters:[ \t]*\n(?P<rows>(?:[ \t]+\w+[ \t]*= "[^"\n]*"[ \t]*(?:\n|\Z))+)',
    re.MULTILINE,
)
_PARAMETER = lazy(r'^[ \t]+(\w+)[ \t]*= "([^"\n]*)"', re.MULTILINE)
_OPTIONS = lazy(r"^[ \t]*options[ \t]+(?P<module>[\w-]+)[ \t]+(?P<options>\w[^\n#]*)", re.MULTILINE)
_OPTION = lazy(r"(\w+)=(\"[^\"]*\"|\S+)")
_MODPROBE = lazy(r"(?:.*/)?modprobe(?:\.d/[^/]+)?\.conf\Z")
_ANCHOR = Anchor(lazy(r'^[ \t]*Module = "\w', re.MULTILINE), 'module = "') | Anchor(
    lazy(r"^[ \t]*options[ \t]+[\w-]+[ \t]+\w+=", re.MULTILINE), "options"
)


def read(text: Text) -> Iterator[Clue]:
    """Clues of every parameter."""
    for listing in _SYSTOOL.finditer(text.body):
        for row in _PARAMETER.finditer(text.body, listing.start("rows"), listing.end("rows")):
            key = f"module.{listing['module']}.{row[1]}"
            yield from open_clues(text.line_at(row.start(1)), key, chosen_word(row[2].strip()), row[0].strip())
    if text.name.endswith(".conf") and _OPTIONS.search(text.body) and _MODPROBE.match(text.path):
        for line in _OPTIONS.finditer(text.body):
            for option in _OPTION.finditer(line["options"]):
                key = f"module.{line['module'].replace('-', '_')}.{option[1]}"
                for clue in open_clues(
                    text.line_at(line.start("module")), key, option[2].strip('"'), line[0].strip(), by_person=True
                ):
                    clue.kind = "command"
                    yield clue


READER = Reader("modules", 1, _ANCHOR, read, "systool(1), modprobe.d(5)")
