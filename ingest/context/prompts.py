"""What a prompt names: the host (`root@vm:~#`, `[root@hoge backup]#`), NuttX (`nsh>`)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest.records import Clue
from ingest.roles import Reader
from ingest.text import Text

_ANCHOR = re.compile(r"[#$%>]")
_ADDRESS = re.compile(r"[\d.]+\Z|\?\Z")  # what ssh was told is no name
_NUTTX = re.compile(r"^nsh> ", re.MULTILINE)


def read(text: Text) -> Iterator[Clue]:
    """A clue wherever the host of the prompt changes."""
    last = None
    shell = _NUTTX.search(text.body)
    if shell:  # the NuttShell runs on NuttX only
        yield Clue(
            text.line_at(shell.start()), "os.family", "NuttX", "nsh>", kind="name", effect="labels", group="prompt"
        )
    for command in text.commands:
        if command.host and command.host != last and not _ADDRESS.match(command.host):
            last = command.host
            yield Clue(
                command.line,
                "host",
                command.host,
                command.prompt.strip() or command.host,
                kind="name",
                effect="labels",
                group="prompt",
            )


READER = Reader("prompt", 2, _ANCHOR, read, common=True)
