"""`zpool history`: the commands that created and changed a pool, each with its time.

Source: zpool-history(8): `History for 'POOL':`, then a line `YYYY-MM-DD.hh:mm:ss COMMAND` for each; `-l` adds user, host and
zone in brackets, `-i` internal events, which are left out. The last command that sets a key decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest.context.commands._command_effects import command_clues
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue
from ingest.text.lines import Text

_HEAD = lazy(r"^[ \t]*History for '[^'\n]{1,80}':[ \t]*$", re.MULTILINE)
_LINE = lazy(r"[ \t]*\d{4}-\d\d-\d\d\.\d\d:\d\d:\d\d (?P<command>(?:zpool|zfs) [^\n\[]{1,2000}?)[ \t]*(?:\[[^\]\n]*\])?[ \t]*\Z")
_EVENT = lazy(r"[ \t]*(?:\d{4}-\d\d-\d\d\.\d\d:\d\d:\d\d .*)?\Z")


def read(text: Text) -> Iterator[Clue]:
    """Clues of the settings at the end of each history, on the lines of the last commands that set them."""
    for head in _HEAD.finditer(text.body):
        last: dict[tuple[str, str], Clue] = {}
        for number in range(text.line_at(head.end()) + 1, len(text.lines) + 1):
            line = text.lines[number - 1]
            if not _EVENT.match(line):
                break
            if entry := _LINE.match(line):
                for clue in command_clues(number, entry["command"]):
                    last[clue.subject, clue.key] = clue
        for clue in sorted(last.values(), key=lambda clue: (clue.line, clue.key)):
            if clue.value is not None and clue.effect == "sets":
                yield Clue(clue.line, clue.key, clue.value, clue.raw, subject=clue.subject, group=clue.group, by_person=True)


READER = Reader("zpool history", 2, Anchor(_HEAD, "history for '"), read, "zpool-history(8)")
