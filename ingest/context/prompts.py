"""The host that a prompt names: `root@vm:~#`, `[root@hoge backup]#`."""
from __future__ import annotations

import re
from collections.abc import Iterator

from ingest.records import Clue
from ingest.roles import Reader
from ingest.text import Text

_ANCHOR = re.compile(r"[#$%>]")


def read(text: Text) -> Iterator[Clue]:
    """One clue wherever the host of the prompt changes."""
    last = None
    for command in text.commands:
        if command.host and command.host != last and len(command.host) <= 255:
            last = command.host
            yield Clue(command.line, "host", command.host, command.prompt.strip() or command.host, kind="name", group="prompt")


READER = Reader("prompt", 1, _ANCHOR, read)
