"""Lines with which tools that run a command on several hosts begin the output of each.

Source: dshbak(1) and clush(1) -b (the host between two rules; `node[1-4]` where several printed the same), Ansible's
`minimal` callback (`HOST | CHANGED | rc=0 >>`), and the default one (`changed: [HOST] =>`), parallel-ssh
(`[1] 12:00:00 [SUCCESS] user@host:port`).
"""
from __future__ import annotations

import re
from collections.abc import Iterator

from ingest.context._words import told
from ingest.records import Clue
from ingest.roles import Reader
from ingest.text import Text

_ANCHOR = re.compile(r"^-{15,16}[ \t]*$|\| (?:CHANGED|SUCCESS|FAILED)\b|(?:ok|changed): \[|\[(?:SUCCESS|FAILURE)\] ", re.M)
_BANNER = re.compile(
    r"^(?P<rule>-{15,16})[ \t]*\n(?P<hosts>[A-Za-z0-9][\w.,\[\]-]{0,200})(?: \(\d{1,6}\))?[ \t]*\n(?P=rule)[ \t]*$"
    r"|^[ \t]*(?P<ansible>[A-Za-z0-9][\w.-]{0,80}) \| (?:CHANGED|SUCCESS|FAILED!?)(?: \| rc=\d{1,3} >>| => \{)"
    r"|^[ \t]*(?:ok|changed): \[(?P<play>[A-Za-z0-9][\w.-]{0,80})(?: -> [\w.-]{1,80})?\](?:$| =>)"
    r"|^[ \t]*\[\d{1,6}\] \d\d:\d\d:\d\d \[(?:SUCCESS|FAILURE)\] (?:[\w.-]{1,40}@)?(?P<pssh>[A-Za-z0-9][\w.-]{0,80})(?::\d+)?\b",
    re.M)
_STEP = re.compile(  # what people put between two rules as well
    r"(?i)(?:run|test|pass|bench\w*|round|step|iter\w*|results?|trial|case|config\w*|job|part|loop|write|read|seq\w*|rand\w*|"
    r"disks?|pool|vdev|threads?|output|done|end|start|baseline|summary|total)(?:[-_]?\d+)?\Z")


def read(text: Text) -> Iterator[Clue]:
    """A clue at every banner; a list of hosts is shown as it is printed."""
    for match in _BANNER.finditer(text.body):
        ruled = match["hosts"]
        if ruled and (_STEP.match(ruled) or told(re.sub(r"[\[\],]", " ", ruled)) or not (ruled[0].isalpha() or "." in ruled)):
            continue
        host = ruled or match["ansible"] or match["play"] or match["pssh"]
        line = text.line_at(match.start("hosts") if ruled else match.start())
        yield Clue(line, "host", host, text.lines[line - 1].strip(), kind="name", effect="labels", group="banner")


READER = Reader("banners", 1, _ANCHOR, read, "dshbak(1), clush(1), Ansible's minimal callback, parallel-ssh(1)")
