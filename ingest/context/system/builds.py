"""Systems that follow from an output: the target of iozone's build (`Build: linux-AMD64`), the table of `diskutil list`.

Source: makefile of iozone (`-DNAME=\'"linux-AMD64"\'`, printed after `Build: `); diskutil(8), which is part of macOS alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue
from ingest.text.lines import Text

_FORM = lazy(
    r"^[ \t]*(?:Build: (?P<build>linux|macosx|freebsd|openbsd|netbsd|dragonfly|Solaris|AIX|hpux)[\w.-]{0,20}[ \t]*$"
    r"|(?P<list>#: +TYPE NAME +SIZE +IDENTIFIER)[ \t]*$)",
    re.MULTILINE,
)
_OTHERS = lazy(r"/dev/(?:[shv]d[a-z]|mmcblk|nvme\d)|\b(?:hdparm|lsblk|lscpu|apt-get|apt install|yum install)\b")
_FAMILY = {
    "linux": "Linux",
    "macosx": "Darwin",
    "freebsd": "FreeBSD",
    "openbsd": "OpenBSD",
    "netbsd": "NetBSD",
    "dragonfly": "DragonFly",
    "Solaris": "SunOS",
    "AIX": "AIX",
    "hpux": "HP-UX",
}


def read(text: Text) -> Iterator[Clue]:
    """A clue wherever the system changes, of kind `name`: direct evidence takes precedence."""
    last = None
    for line, match in text.matches(_FORM):
        family = _FAMILY[match["build"]] if match["build"] else "Darwin"
        if match["list"] and _OTHERS.search(text.body):
            continue  # a card written on a Mac for a Linux that was measured
        if family != last:
            last = family
            yield Clue(line, "os.family", family, match[0].strip(), kind="name", group=line)


READER = Reader("builds", 1, Anchor(_FORM, "build: |type name"), read, "iozone's makefile; diskutil(8)")
