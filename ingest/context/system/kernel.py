"""The kernel in other forms than the line of `uname -a`.

Forms: the output of `uname` with other options (`-r`, `-srm`) below its prompt; hostnamectl; the banner of /proc/version and dmesg;
the first line of smartctl; a line of nothing but a release with the mark of its distribution.
Source: uname(1): the fields come in the order sysname nodename release version machine, whatever the order of options;
hostnamectl(1); Linux init/version.c (`Linux version %s (...)`).

Source of boots: newvers.sh and rc.d/motd of FreeBSD, OpenBSD, NetBSD and DragonFly
Source of kernel: uname(1), hostnamectl(1), proc_version(5)
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest import normalise
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue
from ingest.text.lines import ShownCommand, Text
from ingest.units import M

# The first line of the boot and of the greeting of a BSD (`FreeBSD 9.1-RELEASE (GENERIC) #0 r243825: ...`), memory and
# processor.
#
# Source: FreeBSD's sys/conf/newvers.sh and libexec/rc/rc.d/motd, OpenBSD's sys/conf/newvers.sh and
# sys/arch/amd64/amd64/machdep.c (`real mem`), NetBSD's sys/conf/newvers.sh and sys/arch/x86/x86/x86_machdep.c (`total memory`),
# DragonFly's newvers.sh.

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
_BSD_BOOT_ANCHOR = lazy(r"\b(?:FreeBSD|OpenBSD|NetBSD|DragonFly) v?\d{1,2}\.\d")
_BSD_BOOT_APPLIANCE = lazy(r"(?i)(FreeNAS|TrueNAS)\b|pfsense|opnsense|xigmanas|nas4free")


def read_bsd_boot(text: Text) -> Iterator[Clue]:
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
    if appliance := _BSD_BOOT_APPLIANCE.search(raw):
        values["os.name"] = {"freenas": "FreeNAS", "truenas": "TrueNAS"}.get((appliance[1] or "").lower(), "")
    else:
        values |= {"os.name": "DragonFly BSD" if family == "DragonFly" else family, "os.version": release}
    below = match["below"] or ""
    arch = re.search(rf" ({_ARCH})[ \t]*\Z|/arch/({_ARCH})/compile/", below)
    values["arch"] = match["arch"] or (arch and (arch[1] or arch[2])) or ""
    yield from (Clue(line, key, value, raw, group=line) for key, value in values.items() if value)


BSD_BOOT = Reader("boots", 2, Anchor(_BSD_BOOT_ANCHOR, "freebsd |openbsd |netbsd |dragonfly "), read_bsd_boot)


_FAMILY = r"(?:Linux|FreeBSD|NetBSD|OpenBSD|DragonFly|Darwin|SunOS)"
_ASKED = lazy(r"(?:^|[\s;|&(])uname((?:[ \t]+-[snrvmpio]+)+)[ \t]*(?:\Z|[;|&>)])")
_BANNER = lazy(r"^[^\n]{0,40}?\bLinux version (\d[\w.+~-]{2,80}) \([^\n]{1,60}@", re.MULTILINE)
_SMARTCTL = lazy(  # get_os_version_str: the running system by uname, else the target of the build
    rf"^[ \t>]*smartctl (?:version )?\d+\.\d{{1,2}}[^\n\[]{{0,60}}\[(?:(?P<machine>[a-z]\w{{2,11}})-linux-(?P<release>\d[\w.+~-]*)"
    rf"|(?P<family>{_FAMILY}) (?P<of_family>\d[\w.+~-]*) (?P<arch>\w{{3,12}}))\]",
    re.MULTILINE,
)
_HOSTNAMECTL = lazy(r"^[ \t]*(?P<name>Static hostname|Kernel|Architecture): (?P<value>\S[^\n]{0,100}?)[ \t]*$", re.MULTILINE)
_KERNEL = lazy(rf"({_FAMILY}) (v?\d[\w.+~-]*)\Z")
_RELEASE = lazy(r"v?\d[\w.+~-]*\Z")
_APPLIANCE = lazy(r"(?i)freenas|truenas|pfsense|opnsense|xigmanas|nas4free")  # FreeBSD by other names
_MOST_LINES = 40  # of the output of several commands
_FIELD_KEYS = {"s": "os.family", "n": "host", "r": "kernel", "m": "arch"}  # letter of the option -> key
# A line of nothing but a release with the mark of its distribution, as a label of the results below it.
_LONE = (
    r"^[ \t]*\d\.\d{1,2}\.\d{1,3}-(?:\d[\w.]{0,20}\.(?:fc\d{1,2}|el\d\w{0,8})\.(?:x86_64|aarch64|i686)"
    r"|\d{1,4}(?:-\d{1,3})?-(?:generic|lowlatency|amd64|pve|aws|azure|default|server)|(?:arch|zen)\d[\w.-]{0,8})[ \t]*:?[ \t]*$"
)
_RELEASES = lazy(_LONE, re.MULTILINE)
_LISTS = lazy(r"\b(?:ls|rpm|dpkg|apt\S*|yum|dnf|find|grub\S*|dkms|uname|cat)\b")
_LEADS = lazy(r"(?i)\b(?:from|to|than|with|is|was|and|or|of|installed|available|old|previous|upgrad\w+|kernels?)\W{0,3}\Z")
_ANCHOR = lazy(
    r"^[ \t]*\d\.\d{1,2}\.\d{1,3}-[\w.-]+[ \t]*:?[ \t]*$"
    r"|\buname[ \t]+-[snrvmpio]|\bLinux version \d|^[ \t>]*smartctl (?:version )?\d"
    rf"|^[ \t]*Kernel: {_FAMILY} v?\d",
    re.MULTILINE,
)
_ARCHITECTURES = {"x86-64": "x86_64", "x86": "i686", "arm64": "aarch64"}  # systemd's names (architecture.c) -> names of uname -m


def read(text: Text) -> Iterator[Clue]:
    """Clues of every such line; a release alone on its line is a label."""
    for command in text.commands:
        asked = _ASKED.search(command.text)
        if asked and "uname" in command.text:
            yield from _uname_clues(text, command, asked[1])
    for match in _BANNER.finditer(text.body):
        line = text.line_at(match.start(1))
        yield Clue(line, "os.family", "Linux", match[0].strip(), group=line)
        yield Clue(line, "kernel", match[1], match[0].strip(), group=line)
    for match in _SMARTCTL.finditer(text.body):
        line = text.line_at(match.start("machine" if match["machine"] else "family"))
        for key, value in (
            ("os.family", match["family"] or "Linux"),
            ("kernel", match["release"] or match["of_family"]),
            ("arch", match["machine"] or match["arch"]),
        ):
            yield Clue(line, key, value, match[0].strip(), group=line)
    yield from _hostnamectl_clues(text)
    yield from _lone_release_clues(text)


def _lone_release_clues(text: Text) -> Iterator[Clue]:
    """Labels of releases alone on a line, except those that end a sentence or stand in a list."""
    releases = {text.line_at(match.start()): match[0].strip(" \t:") for match in _RELEASES.finditer(text.body)}
    for line, release in releases.items():
        command = text.command_for(line)
        if line > 1 and _LEADS.search(text.lines[line - 2].rstrip()):
            continue
        if not {line - 1, line + 1} & releases.keys() and not (command and _LISTS.search(command.text)):
            yield Clue(line, "os.family", "Linux", release, "label", "labels", group=line)
            yield Clue(line, "kernel", release, release, "label", "labels", group=line)


def _uname_clues(text: Text, command: ShownCommand, options: str) -> Iterator[Clue]:
    """Clues of the fields that the options ask for; nothing of an output with another number of fields."""
    wanted = set(re.sub(r"[\s-]", "", options))
    number = _uname_line_number(text, command)
    if number is None or wanted >= set("snrvm"):
        return
    raw = text.lines[number - 1].strip()
    fields = _uname_fields(wanted, raw.split())
    if ("r" in fields and not _RELEASE.match(fields["r"])) or ("s" in fields and not re.fullmatch(_FAMILY, fields["s"])):
        return
    if fields.get("s", "").endswith("BSD") and "r" in fields and not _APPLIANCE.search(text.body):
        yield Clue(number, "os.name", fields["s"], raw, group=number)
        yield Clue(number, "os.version", fields["r"], raw, group=number)
    for field, value in fields.items():
        if field != "m" or re.fullmatch(r"[a-z]\w{2,11}", value):
            yield Clue(number, _FIELD_KEYS[field], value, raw, group=number)


def _uname_line_number(text: Text, command: ShownCommand) -> int | None:
    """Number of the line that uname printed: the last if uname ends several commands, else the first; None if unsure."""
    end = min(command.last, command.first + _MOST_LINES)
    printed = [number for number in range(command.first, end + 1) if text.lines[number - 1].strip()]
    if not printed:
        return None
    if re.search(r"[;&][ \t]*uname[ \t][^;|&]*\Z", command.text):
        return printed[-1] if command.last <= command.first + _MOST_LINES else None
    return printed[0] if printed[0] <= command.first + 2 else None


def _uname_fields(wanted: set[str], words: list[str]) -> dict[str, str]:
    """Letter of the option -> word, of sysname, nodename, release and machine; empty where the number of words is another."""
    leading = [field for field in "snr" if field in wanted]
    if len(words) < len(leading) or ("v" not in wanted and len(words) != len(wanted)):
        return {}
    fields = dict(zip(leading, words, strict=False))
    if "m" in wanted and not wanted & {"p", "i", "o"}:
        fields["m"] = words[-1]
    return fields


def _hostnamectl_clues(text: Text) -> Iterator[Clue]:
    """Kernel, and the host above and architecture below it: `Architecture:` alone is a row of lscpu."""
    rows = list(_HOSTNAMECTL.finditer(text.body))
    for index, match in enumerate(rows):
        kernel = _KERNEL.match(match["value"]) if match["name"] == "Kernel" else None
        if not kernel:
            continue
        group = text.line_at(match.start("name"))
        yield Clue(group, "os.family", kernel[1], match[0].strip(), group=group)
        yield Clue(group, "kernel", kernel[2], match[0].strip(), group=group)
        for other in rows[max(index - 1, 0) : index] + rows[index + 1 : index + 2]:
            line = text.line_at(other.start("name"))
            if other["name"] == "Static hostname" and 0 < group - line < 14:
                yield Clue(line, "host", other["value"], other[0].strip(), group=group)
            elif other["name"] == "Architecture" and line == group + 1:
                arch = _ARCHITECTURES.get(other["value"], other["value"])
                yield Clue(line, "arch", arch, other[0].strip(), group=group)


READER = Reader("kernel", 6, Anchor(_ANCHOR, ".0-|.00-|.000-|uname|linux version 0|smartctl|kernel: "), read)
