"""Settings of a whole system: /etc/system of SunOS, the active profile of tuned, the CPUs' governor.

Forms: `set zfs:zil_disable=1` in a file that the upload holds as `system` or etc/system, or below `cat /etc/system` (a person set
these); `Current active profile: NAME` of tuned-adm; `The governor "NAME" may decide` of cpupower and cpufreq-info.
Evidence: these. Mentions: `set` lines elsewhere, and those behind `*` or `#`, which are comments of that file.
Source: system(4) of SunOS, tuned-adm(8), cpupower-frequency-info(1).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest.context._clues import line_clue, open_clues
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue
from ingest.text.lines import Text

_SET = lazy(r"^[ \t]*set[ \t]+(?P<name>[A-Za-z_]\w*(?::[A-Za-z_]\w*)?)[ \t]*=[ \t]*(?P<value>-?\w+)[ \t]*$", re.MULTILINE)
_SYSTEM = lazy(r"(?:.*/)?etc/system|system\Z")
_SHOWN = lazy(r"\b(?:cat|grep|egrep|tail|head|more)\b[^;|&]*[ \t]/etc/system(?:\s|\Z)")
_PROFILE = lazy(r"^[ \t]*Current active profile: ([\w.-]+(?: [\w.-]+)*)[ \t]*$", re.MULTILINE)
_NO_PROFILE = lazy(r"^[ \t]*No current active profile\.[ \t]*$", re.MULTILINE)
_GOVERNOR = lazy(r'^[ \t]*The governor "([\w-]+)" may decide', re.MULTILINE)
_ANCHOR = Anchor(_SET, "set |set\t") | Anchor(
    lazy(r"urrent active profile|The governor \""), 'urrent active profile|the governor "'
)


def read(text: Text) -> Iterator[Clue]:
    """Clues of every setting; where CPUs have unlike governors, all of them in one clue."""
    rows = [(text.line_at(row.start("name")), row) for row in _SET.finditer(text.body)]
    is_file = bool(rows) and text.name == "system" and _SYSTEM.match(text.path) is not None
    for line, row in rows:
        command = None if is_file else text.command_for(line)
        if is_file or (command and command.line < line and _SHOWN.search(command.text)):
            key = f"system.{row['name'].replace(':', '.')}"
            yield from open_clues(line, key, decimal(row["value"]), row[0].strip(), by_person=True)
    for form, value in ((_PROFILE, None), (_NO_PROFILE, "off")):
        for match in form.finditer(text.body):
            yield from open_clues(text.line_at(match.end()), "system.tuned", value or match[1], match[0].strip())
    governors = {match[1]: text.line_at(match.start(1)) for match in _GOVERNOR.finditer(text.body)}
    if governors:
        yield line_clue(text, min(governors.values()), "system.governor", " + ".join(sorted(governors)))


def decimal(printed: str) -> str:
    """A number in hexadecimal as a decimal one, as dumps print it; any other text as it is."""
    return str(int(printed, 16)) if re.fullmatch(r"0[xX][0-9a-fA-F]{1,16}", printed) else printed


READER = Reader("system settings", 1, _ANCHOR, read, "system(4), tuned-adm(8), cpupower(1)")
