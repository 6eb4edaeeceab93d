"""The first line of the boot and of the greeting of a BSD (`FreeBSD 9.1-RELEASE (GENERIC) #0 r243825: ...`), memory and processor.

Source: FreeBSD's sys/conf/newvers.sh and libexec/rc/rc.d/motd, OpenBSD's sys/conf/newvers.sh and sys/arch/amd64/amd64/machdep.c
(`real mem`), NetBSD's sys/conf/newvers.sh and sys/arch/x86/x86/x86_machdep.c (`total memory`), DragonFly's newvers.sh.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest import normalise
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue
from ingest.text.lines import Text
from ingest.units import M

_STAMP = r"^[ \t]*(?:\[ *\d{1,9}\.\d{6,9}\] )?"
_ARCH = "amd64|i386|arm64|aarch64|armv[67]|arm|riscv(?:64)?|powerpc\\w{0,5}|sparc64|evbarm|macppc"
_BUILT = r" #\d{1,6}(?: [^\n:]{1,80})?: [A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d [^\n]{3,30}?"
_REVISION = r"(?: (?:r\d{6}\S{0,20}|[\w./-]{1,40}-n\d{1,9}-[0-9a-f]{7,12}))"
_LINE = lazy(
    rf"{_STAMP}(?P<line>(?P<family>FreeBSD|OpenBSD|NetBSD|DragonFly) "
    r"(?P<release>v?\d{1,2}\.\d{1,2}(?:\.\d{1,2})?(?:[-_][A-Za-z][\w.-]{0,30})?)"
    rf"(?:(?: \((?P<ident>[\w.+-]{{2,40}})\))?{_BUILT}"
    rf"|{_REVISION}? [A-Z][\w.-]{{2,40}} (?P<arch>{_ARCH})|{_REVISION} [A-Z][\w.-]{{2,40}}|{_REVISION}? \(?GENERIC\)?))[ \t]*$"
    rf"(?P<below>\n[ \t]+\S{{1,40}}@\S{{1,80}}:/\S{{1,120}}(?: (?:{_ARCH}))?[ \t]*$)?",
    re.MULTILINE,
)
_MEMORY = lazy(
    rf"{_STAMP}(?:real mem *= (?P<bytes>\d{{7,15}}) \(\d{{1,9}}MB\)|total memory = (?P<mega>\d{{1,9}}) MB)[ \t]*$", re.MULTILINE
)
_CPU = lazy(
    rf"{_STAMP}cpu0(?: at mainbus\d[^\n:]{{0,40}})?: (?P<model>(?:Intel|AMD)[^\n,]{{4,70}}), (?:\d{{3,5}}\.\d\d MHz|id 0x)",
    re.MULTILINE,
)
_ANCHOR = lazy(r"\b(?:FreeBSD|OpenBSD|NetBSD|DragonFly) v?\d{1,2}\.\d")
_APPLIANCE = lazy(r"(?i)(FreeNAS|TrueNAS)\b|pfsense|opnsense|xigmanas|nas4free")


def read(text: Text) -> Iterator[Clue]:
    """The system of every such line; processor and memory in a text that has such a line."""
    lines = list(_LINE.finditer(text.body))
    for match in lines:
        yield from _system(text, match)
    if not lines:
        return
    for match in _MEMORY.finditer(text.body):
        line = text.line_at(match.start())
        count = int(match["bytes"]) if match["bytes"] else int(match["mega"]) * M
        yield Clue(line, "memory", count, match[0].strip(), group=line)
    for match in _CPU.finditer(text.body):
        line = text.line_at(match.start())
        if model := normalise.cpu_model(match["model"]):
            yield Clue(line, "cpu.model", model, match[0].strip(), group=line)


def _system(text: Text, match: re.Match[str]) -> Iterator[Clue]:
    family, release, raw = match["family"], match["release"], match["line"]
    if family in ("FreeBSD", "DragonFly") and not re.search(r"-[A-Z]", release):
        return  # without its branch the release is not printed by the system
    line = text.line_at(match.start("line"))
    values = {"os.family": family, "kernel": release}
    if appliance := _APPLIANCE.search(raw):
        values["os.name"] = {"freenas": "FreeNAS", "truenas": "TrueNAS"}.get((appliance[1] or "").lower(), "")
    else:
        values |= {"os.name": "DragonFly BSD" if family == "DragonFly" else family, "os.version": release}
    below = match["below"] or ""
    arch = re.search(rf" ({_ARCH})[ \t]*\Z|/arch/({_ARCH})/compile/", below)
    values["arch"] = match["arch"] or (arch and (arch[1] or arch[2])) or ""
    yield from (Clue(line, key, value, raw, group=line) for key, value in values.items() if value)


READER = Reader(
    "boots",
    2,
    Anchor(_ANCHOR, "freebsd |openbsd |netbsd |dragonfly "),
    read,
    "newvers.sh and rc.d/motd of FreeBSD, OpenBSD, NetBSD and DragonFly",
)
