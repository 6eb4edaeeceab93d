"""Greetings at a log-in that name the system: Ubuntu's and Armbian's.

Source: /etc/update-motd.d/00-header of Ubuntu's base-files (DISTRIB_DESCRIPTION, then `uname -o`, `-r` and `-m` in brackets);
10-armbian-header (`Welcome to Armbian 23.8.1 Jammy with Linux 6.1.50-current`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest import normalise
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue
from ingest.text.lines import Text

_WELCOME = lazy(
    r"^[ \t]*Welcome to (?P<name>[A-Z][A-Za-z/ ]{2,30}?) (?P<version>\d[\w.]{0,12}(?: LTS)?)"
    r"(?: \((?:GNU/)?Linux (?P<kernel>\d[\w.+~-]{2,60}) (?P<arch>x86_64|aarch64|armv\dl|i686|ppc64le|riscv64|s390x)\)"
    r"|(?: [A-Z][a-z]+)? with Linux (?P<release>\d[\w.+~-]{2,60}))[ \t]*!?[ \t]*$",
    re.MULTILINE,
)
# Of those who build it themselves: `Armbian 21.08.0-trunk Bullseye with bleeding edge Linux 5.14.0-rc7-sun50iw11`.
_ARMBIAN = lazy(
    r"^[ \t]*Welcome to (?P<name>(?i:Armbian))(?:[-_][A-Za-z]{2,12})? v?(?P<version>\d\d\.\d[\w.+-]{0,24})(?: [A-Z][a-z]+)?"
    r" with (?:[a-z]+ ){0,2}Linux (?P<release>\d[\w.+~-]{2,60})[ \t]*$",
    re.MULTILINE,
)
# What stands in brackets names a running system wherever it is copied to.
_COPIED = lazy(
    r"(?<!Welcome to )\b(?P<names>[A-Z][A-Za-z/]{2,20}(?: [A-Z][A-Za-z/]{1,20}){0,3}) (?P<version>\d[\w.]{0,12}(?: LTS)?)"
    r" \(GNU/Linux (?P<kernel>\d[\w.+~-]{2,60}) (?P<arch>x86_64|aarch64|armv\dl|i686|ppc64le|riscv64|s390x)\)"
)
_ANCHOR = lazy(r"^[ \t]*Welcome to [A-Z]|\(GNU/Linux \d", re.MULTILINE)


def read(text: Text) -> Iterator[Clue]:
    """System, kernel and machine of every greeting by a system that is known."""
    for match in _WELCOME.finditer(text.body):
        name = normalise.os_name(match["name"])
        line = text.line_at(match.start("name"))
        told = {
            "os.name": name,
            "os.version": match["version"],
            "os.family": "Linux",
            "kernel": match["kernel"] or match["release"],
            "arch": match["arch"],
        }
        yield from (Clue(line, key, value, match[0].strip(), group=line) for key, value in told.items() if name and value)
    greeted = {text.line_at(match.start("name")) for match in _WELCOME.finditer(text.body)}
    for match in _ARMBIAN.finditer(text.body):
        line = text.line_at(match.start("name"))
        told = {"os.name": "Armbian", "os.version": match["version"], "os.family": "Linux", "kernel": match["release"]}
        yield from (Clue(line, key, value, match[0].strip(), group=line) for key, value in told.items() if line not in greeted)
    for match in _COPIED.finditer(text.body):
        line, words = text.line_at(match.start()), match["names"].split()
        name = next((found for at in range(len(words)) if (found := normalise.os_name(" ".join(words[at:])))), None)
        if name and line not in greeted:
            told = {
                "os.name": name,
                "os.version": match["version"],
                "os.family": "Linux",
                "kernel": match["kernel"],
                "arch": match["arch"],
            }
            yield from (Clue(line, key, value, match[0], group=line) for key, value in told.items())


READER = Reader(
    "greetings",
    3,
    Anchor(_ANCHOR, "welcome to ", "(gnu/linux 0"),
    read,
    "update-motd.d/00-header of Ubuntu, 10-armbian-header",
)
