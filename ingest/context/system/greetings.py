"""Greetings at a log-in that name the system: Ubuntu's and Armbian's, and copies of Ubuntu's without `Welcome to`.

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
# Of unofficial builds: `Armbian 21.08.0-trunk Bullseye with bleeding edge Linux 5.14.0-rc7-sun50iw11`.
_ARMBIAN = lazy(
    r"^[ \t]*Welcome to (?P<name>(?i:Armbian))(?:[-_][A-Za-z]{2,12})? v?(?P<version>\d\d\.\d[\w.+-]{0,24})(?: [A-Z][a-z]+)?"
    r" with (?:[a-z]+ ){0,2}Linux (?P<release>\d[\w.+~-]{2,60})[ \t]*$",
    re.MULTILINE,
)
# The form of the bracket is unmistakable, so the rest of the line may be anything.
_COPIED = lazy(
    r"(?<!Welcome to )\b(?P<names>[A-Z][A-Za-z/]{2,20}(?: [A-Z][A-Za-z/]{1,20}){0,3}) (?P<version>\d[\w.]{0,12}(?: LTS)?)"
    r" \(GNU/Linux (?P<kernel>\d[\w.+~-]{2,60}) (?P<arch>x86_64|aarch64|armv\dl|i686|ppc64le|riscv64|s390x)\)"
)
_ANCHOR = lazy(r"^[ \t]*Welcome to [A-Z]|\(GNU/Linux \d", re.MULTILINE)


def read(text: Text) -> Iterator[Clue]:
    """System, kernel and machine of every greeting of a known system; a line is read by the first form that matches."""
    welcome_lines = set()
    for match in _WELCOME.finditer(text.body):
        line = text.line_at(match.start("name"))
        welcome_lines.add(line)
        if name := normalise.os_name(match["name"]):
            values = _values(name, match["version"], match["kernel"] or match["release"], match["arch"])
            yield from (Clue(line, key, value, match[0].strip(), group=line) for key, value in values if value)
    for match in _ARMBIAN.finditer(text.body):
        line = text.line_at(match.start("name"))
        if line not in welcome_lines:
            values = _values("Armbian", match["version"], match["release"], None)
            yield from (Clue(line, key, value, match[0].strip(), group=line) for key, value in values if value)
    for match in _COPIED.finditer(text.body):
        line, words = text.line_at(match.start()), match["names"].split()
        endings = (" ".join(words[start:]) for start in range(len(words)))
        name = next(filter(None, map(normalise.os_name, endings)), None)
        if name and line not in welcome_lines:
            values = _values(name, match["version"], match["kernel"], match["arch"])
            yield from (Clue(line, key, value, match[0], group=line) for key, value in values)


def _values(name: str, version: str, kernel: str, arch: str | None) -> Iterator[tuple[str, str | None]]:
    yield from (("os.name", name), ("os.version", version), ("os.family", "Linux"), ("kernel", kernel), ("arch", arch))


READER = Reader(
    "greetings",
    3,
    Anchor(_ANCHOR, "welcome to |(gnu/linux 0"),
    read,
    "update-motd.d/00-header of Ubuntu, 10-armbian-header",
)
