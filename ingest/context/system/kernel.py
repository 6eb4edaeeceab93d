"""The kernel where `uname -a` was not asked: `uname -r`, `uname -srm`, hostnamectl, the banner of /proc/version and dmesg, the
first line of smartctl.

Source: uname(1): the fields come in the order sysname nodename release version machine, whatever the order of options;
hostnamectl(1); Linux init/version.c (`Linux version %s (...)`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue
from ingest.text.lines import ShownCommand, Text

_FAMILY = r"(?:Linux|FreeBSD|NetBSD|OpenBSD|DragonFly|Darwin|SunOS)"
_ASKED = lazy(r"(?:^|[\s;|&(])uname((?:[ \t]+-[snrvmpio]+)+)[ \t]*(?:\Z|[;|&>)])")
_BANNER = lazy(r"^[^\n]{0,40}?\bLinux version (\d[\w.+~-]{2,80}) \([^\n]{1,60}@", re.MULTILINE)
_SMARTCTL = lazy(  # which asks uname of the system that it runs on (get_os_version_str); others print where it was built
    rf"^[ \t>]*smartctl (?:version )?\d+\.\d{{1,2}}[^\n\[]{{0,60}}\[(?:(?P<machine>[a-z]\w{{2,11}})-linux-(?P<release>\d[\w.+~-]*)"
    rf"|(?P<family>{_FAMILY}) (?P<of_family>\d[\w.+~-]*) (?P<arch>\w{{3,12}}))\]",
    re.MULTILINE,
)
_HOSTNAMECTL = lazy(r"^[ \t]*(?P<name>Static hostname|Kernel|Architecture): (?P<value>\S[^\n]{0,100}?)[ \t]*$", re.MULTILINE)
_KERNEL = lazy(rf"({_FAMILY}) (v?\d[\w.+~-]*)\Z")
_RELEASE = lazy(r"v?\d[\w.+~-]*\Z")
_APPLIANCE = lazy(r"(?i)freenas|truenas|pfsense|opnsense|xigmanas|nas4free")  # made of FreeBSD, and called otherwise
_ANSWERS = 40  # lines that several commands together answer at most
# A whole line of nothing but a release with the mark of its distribution: what somebody ran the results below it on.
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
_ARCHITECTURES = {"x86-64": "x86_64", "x86": "i686"}  # systemd's names (architecture.c) of what uname -m prints


def read(text: Text) -> Iterator[Clue]:
    """Clues of every such line."""
    for command in text.commands:
        asked = _ASKED.search(command.text)
        if asked and "uname" in command.text:
            yield from _answered(text, command, asked[1])
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
    yield from _hostnamectl(text)
    lone = {text.line_at(match.start()): match[0].strip(" \t:") for match in _RELEASES.finditer(text.body)}
    for line, release in lone.items():
        above = text.command_for(line)
        if line > 1 and _LEADS.search(text.lines[line - 2].rstrip()):
            continue  # goes on with a sentence, or lists what is there
        if not {line - 1, line + 1} & lone.keys() and not (above and _LISTS.search(above.text)):
            yield Clue(line, "os.family", "Linux", release, "label", "labels", group=line)
            yield Clue(line, "kernel", release, release, "label", "labels", group=line)


def _answered(text: Text, command: ShownCommand, options: str) -> Iterator[Clue]:
    """What the fields that were asked for say; nothing where the answer has another number of them."""
    wanted = set(re.sub(r"[\s-]", "", options))
    shown = [n for n in range(command.first, min(command.last, command.first + _ANSWERS) + 1) if text.lines[n - 1].strip()]
    # `cat /etc/redhat-release; uname -r`: the last of several commands has the last line, a first one the first.
    last = re.search(r"[;&][ \t]*uname[ \t][^;|&]*\Z", command.text)
    near = shown and (command.last <= command.first + _ANSWERS if last else shown[0] <= command.first + 2)
    number = shown[-1 if last else 0] if near else None
    if number is None or wanted >= set("snrvm"):
        return
    raw = text.lines[number - 1].strip()
    words = raw.split()
    front = [field for field in "snr" if field in wanted]
    if len(words) < len(front) or (not wanted & {"v"} and len(words) != len(wanted)):
        return
    told = dict(zip(front, words, strict=False))
    if "m" in wanted and not wanted & {"p", "i", "o"}:
        told["m"] = words[-1]
    if ("r" in told and not _RELEASE.match(told["r"])) or ("s" in told and not re.fullmatch(_FAMILY, told["s"])):
        return
    keys = {"s": "os.family", "n": "host", "r": "kernel", "m": "arch"}
    if told.get("s", "").endswith("BSD") and "r" in told and not _APPLIANCE.search(text.body):
        yield Clue(number, "os.name", told["s"], raw, group=number)
        yield Clue(number, "os.version", told["r"], raw, group=number)
    for field, value in told.items():
        if field != "m" or re.fullmatch(r"[a-z]\w{2,11}", value):
            yield Clue(number, keys[field], value, raw, group=number)


def _hostnamectl(text: Text) -> Iterator[Clue]:
    """Only where the line of the kernel is there: `Architecture:` alone is lscpu's."""
    found = list(_HOSTNAMECTL.finditer(text.body))
    for at, match in enumerate(found):
        kernel = _KERNEL.match(match["value"]) if match["name"] == "Kernel" else None
        if not kernel:
            continue
        group = text.line_at(match.start("name"))
        yield Clue(group, "os.family", kernel[1], match[0].strip(), group=group)
        yield Clue(group, "kernel", kernel[2], match[0].strip(), group=group)
        for other in found[max(at - 1, 0) : at] + found[at + 1 : at + 2]:
            line = text.line_at(other.start("name"))
            if other["name"] == "Static hostname" and 0 < group - line < 14:
                yield Clue(line, "host", other["value"], other[0].strip(), group=group)
            elif other["name"] == "Architecture" and line == group + 1:
                value = _ARCHITECTURES.get(other["value"], {"arm64": "aarch64"}.get(other["value"], other["value"]))
                yield Clue(line, "arch", value, other[0].strip(), group=group)


READER = Reader(
    "kernel",
    6,
    Anchor(_ANCHOR, ".0-", ".00-", ".000-", "uname", "linux version 0", "smartctl", "kernel: "),
    read,
    "uname(1), hostnamectl(1), proc_version(5)",
)
