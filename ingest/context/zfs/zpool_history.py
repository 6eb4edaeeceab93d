"""`zpool history`: the commands that made a pool what it is, each with its time.

Source: zpool-history(8): `History for 'POOL':`, then a line `YYYY-MM-DD.hh:mm:ss COMMAND` for each; `-l` adds user, host and
zone in brackets, `-i` internal events, which are passed over. What the last command of each key set is what it shows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest.context.commands import _command_effects
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue
from ingest.text.lines import Text

_HEAD = lazy(r"^[ \t]*History for '[^'\n]{1,80}':[ \t]*$", re.MULTILINE)
_LINE = lazy(r"[ \t]*\d{4}-\d\d-\d\d\.\d\d:\d\d:\d\d (?P<command>(?:zpool|zfs) [^\n\[]{1,2000}?)[ \t]*(?:\[[^\]\n]*\])?[ \t]*\Z")
_EVENT = lazy(r"[ \t]*(?:\d{4}-\d\d-\d\d\.\d\d:\d\d:\d\d .*)?\Z")


def read(text: Text) -> Iterator[Clue]:
    """What each history leaves: clues on the lines of the commands that said it last."""
    for head in _HEAD.finditer(text.body):
        last: dict[tuple[str, str], Clue] = {}
        for at in range(text.line_at(head.end()), len(text.lines)):
            line = text.lines[at]
            if not _EVENT.match(line):
                break
            if found := _LINE.match(line):
                for clue in _command_effects.command_clues(at + 1, found["command"], {}):
                    last[clue.subject, clue.key] = clue
        for clue in sorted(last.values(), key=lambda one: (one.line, one.key)):
            if clue.value is not None and clue.effect == "sets":
                yield Clue(clue.line, clue.key, clue.value, clue.raw, subject=clue.subject, group=clue.group)


READER = Reader("zpool history", 1, Anchor(_HEAD, "history for '"), read, "zpool-history(8)")
