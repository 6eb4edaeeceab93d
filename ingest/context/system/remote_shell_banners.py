"""Lines before the output of each host, of tools that run a command on several hosts.

Source: dshbak(1) and clush(1) -b (the host between two rules; `node[1-4]` where several printed the same), Ansible's
`minimal` callback (`HOST | CHANGED | rc=0 >>`), and the default one (`changed: [HOST] =>`), parallel-ssh
(`[1] 12:00:00 [SUCCESS] user@host:port`); and `=== node01 ===`, as people print in a loop.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ingest.context.labels._setting_words import read_setting_words
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue
from ingest.text.lines import Text

_ANCHOR = Anchor(
    lazy(r"\| (?:CHANGED|SUCCESS|FAILED)\b|(?:ok|changed): \[|\[(?:SUCCESS|FAILURE)\] "),
    " changed| success| failed|: [|] ",
) | Anchor(lazy(r"^(?:-{15,16}[ \t]*$|[ \t]*[=#*-]{2,}[ \t]*[A-Za-z][\w.-]*\d)", re.M))
_BANNER = lazy(
    r"^(?P<rule>-{15,16})[ \t]*\n(?P<hosts>[A-Za-z0-9][\w.,\[\]-]{0,200})(?: \(\d{1,6}\))?[ \t]*\n(?P=rule)[ \t]*$"
    r"|^[ \t]*(?P<ansible>[A-Za-z0-9][\w.-]{0,80}) \| (?:CHANGED|SUCCESS|FAILED!?)(?: \| rc=\d{1,3} >>| => \{)"
    r"|^[ \t]*(?:ok|changed): \[(?P<play>[A-Za-z0-9][\w.-]{0,80})(?: -> [\w.-]{1,80})?\](?:$| =>)"
    r"|^[ \t]*(?P<mark>[=#*-]{2,})[ \t]*(?P<titled>[A-Za-z][\w.-]{0,80})[ \t]*:?[ \t]*(?P=mark)[ \t]*$"
    r"|^[ \t]*\[\d{1,6}\] \d\d:\d\d:\d\d \[(?:SUCCESS|FAILURE)\] (?:[\w.-]{1,40}@)?(?P<pssh>[A-Za-z0-9][\w.-]{0,80})(?::\d+)?\b",
    re.M,
)
_NODE = lazy(
    r"(?i)(?:[a-z]{1,12}-)?(?:compute-?)?(?:node|nid|cn|host|server|srv|client|worker|login|"
    r"storage|oss|mds|ost|osd|nas|nfs|vm|ceph|blade|rack)[-_]?(\d{1,6})((?:\.[a-z][\w-]{0,60})*)\Z"
)
_POWERS = {str(2**exponent) for exponent in range(17)}
_STEP = lazy(  # other words between two rules
    r"(?i)(?:run|test|pass|bench\w*|round|step|iter\w*|results?|trial|case|config\w*|job|part|loop|write|read|seq\w*|rand\w*|"
    r"disks?|pool|vdev|threads?|output|done|end|start|baseline|summary|total)(?:[-_]?\d+)?\Z"
)


def read(text: Text) -> Iterator[Clue]:
    """A clue at every banner; a list of hosts is shown as it is printed."""
    titled_hosts = _host_titles(match["titled"] for match in _BANNER.finditer(text.body) if match["titled"])
    for match in _BANNER.finditer(text.body):
        ruled = match["hosts"]
        if ruled and (
            _STEP.match(ruled) or read_setting_words(re.sub(r"[\[\],]", " ", ruled)) or not (ruled[0].isalpha() or "." in ruled)
        ):
            continue
        if match["titled"] and match["titled"] not in titled_hosts:
            continue
        host = ruled or match["ansible"] or match["play"] or match["pssh"] or match["titled"]
        line = text.line_at(match.start("hosts") if ruled else match.start())
        yield Clue(line, "host", host, text.lines[line - 1].strip(), kind="name", effect="labels", group="banner")


def _host_titles(titles: Iterable[str]) -> set[str]:
    """The titles that are hosts (`node01`, `oss-2.cluster`); nothing where all may be numbers of nodes (`node8`)."""
    nodes = {title: match for title in titles if (match := _NODE.match(title))}
    counts = {title for title, match in nodes.items() if match[1][0] != "0" and match[1] in _POWERS and not match[2]}
    return set() if len(counts) == len(nodes) else set(nodes)


READER = Reader("banners", 2, _ANCHOR, read, "dshbak(1), clush(1), Ansible's minimal callback, parallel-ssh(1)")
