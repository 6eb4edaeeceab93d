"""Hosts in prompts (`root@vm:~#`, `[root@hoge backup]#`, prompts of two lines), and NuttX by its own (`nsh>`)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue
from ingest.text.lines import Text

_ANCHOR = lazy(r"[#$%>]|\u276f[^\n]|\u279c[^\n]")
_TWO_LINES = lazy(  # `# ann @ nas in ~/x [10:32:12]` of oh-my-zsh's theme ys, `ann in nas in ~` of starship
    r"^(?:[#%] )?[\w.-]{1,32} (?P<at>@|in) (?:\U0001f310 )?(?P<host>[A-Za-z0-9][\w.-]{0,62}) in [~/]\S*(?: [^\n]{0,60})?\n"
    r"[ \t]*(?P<mark>[$%#\u276f\u279c]) \S",
    re.MULTILINE,
)
_ADDRESS = lazy(r"[\d.]+\Z|\?\Z")  # an address is no name
_NUTTX = lazy(r"^nsh> ", re.MULTILINE)


def read(text: Text) -> Iterator[Clue]:
    """A clue wherever the host of the prompt changes."""
    last = None
    nutt_shell = _NUTTX.search(text.body)
    if nutt_shell:  # runs on NuttX only
        yield Clue(text.line_at(nutt_shell.start()), "os.family", "NuttX", "nsh>", kind="name", effect="labels", group="prompt")
    for prompt in _TWO_LINES.finditer(text.body) if " in ~" in text.body or " in /" in text.body else ():
        if prompt["at"] == "in" and prompt["mark"] in "$%#":
            continue  # words of a sentence, above an ordinary prompt
        line = text.line_at(prompt.start("host"))
        yield Clue(line, "host", prompt["host"], text.lines[line - 1].strip(), kind="name", effect="labels", group="prompt")
    for command in text.commands:
        if command.host and command.host != last and not _ADDRESS.match(command.host):
            last = command.host
            raw = command.prompt.strip() or command.host
            yield Clue(command.line, "host", command.host, raw, kind="name", effect="labels", group="prompt")


READER = Reader("prompt", 4, Anchor(_ANCHOR), read, common=True)
