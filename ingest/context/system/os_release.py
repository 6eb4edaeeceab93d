"""Files and commands that name the distribution: os-release, lsb_release, /etc/release, freebsd-version, sw_vers.

Source: os-release(5), lsb_release(1), release(5) of illumos and Solaris, freebsd-version(1), sw_vers(1).

Source of builds: iozone's makefile; diskutil(8)
Source of proxmox: pveversion(1)
Source of os-release: os-release(5), lsb_release(1), hostnamectl(1), freebsd-version(1), sw_vers(1)
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ingest import normalise
from ingest.context._clues import distribution_values
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue
from ingest.text.lines import Text

# Systems that follow from an output: the target of iozone's build (`Build: linux-AMD64`), the table of `diskutil list`.
#
# Source: makefile of iozone (`-DNAME='"linux-AMD64"'`, printed after `Build: `); diskutil(8), which is part of macOS alone.

_FORM = lazy(
    r"^[ \t]*(?:Build: (?P<build>linux|macosx|freebsd|openbsd|netbsd|dragonfly|Solaris|AIX|hpux)[\w.-]{0,20}[ \t]*$"
    r"|(?P<list>#: +TYPE NAME +SIZE +IDENTIFIER)[ \t]*$)",
    re.MULTILINE,
)
_OTHERS = lazy(r"/dev/(?:[shv]d[a-z]|mmcblk|nvme\d)|\b(?:hdparm|lsblk|lscpu|apt-get|apt install|yum install)\b")
_FAMILY = {
    "linux": "Linux", "macosx": "Darwin", "freebsd": "FreeBSD", "openbsd": "OpenBSD", "netbsd": "NetBSD",
    "dragonfly": "DragonFly", "Solaris": "SunOS", "AIX": "AIX", "hpux": "HP-UX",
}  # fmt: skip


def read_build(text: Text) -> Iterator[Clue]:
    """A clue wherever the system changes, of kind `name`: direct evidence takes precedence."""
    last = None
    for line, match in text.matches(_FORM):
        family = _FAMILY[match["build"]] if match["build"] else "Darwin"
        if match["list"] and _OTHERS.search(text.body):
            continue  # a card written on a Mac for a Linux that was measured
        if family != last:
            last = family
            yield Clue(line, "os.family", family, match[0].strip(), kind="name", group=line)


BUILD = Reader("builds", 1, Anchor(_FORM, "build: |type name"), read_build)


# Versions of Proxmox VE: `pveversion -v`, the summary of a node in its web pages (with and without colons), and the kernel that
# `pveversion` names (the rest of its line is read with the other files and commands that name a distribution).
#
# Source: pveversion(1): `pve-manager/8.1.3/b46aac3b (running kernel: 6.5.11-7-pve)`, and with -v a line for each package.

_MANAGER = lazy(
    r"^[ \t]*(?:pve-manager: |(?:PVE )?Manager Version:?[ \t]+pve-manager/)(?P<version>\d+\.\d[\d.-]*)"
    r"(?:/[0-9a-f]{6,40}|(?: \(running version: [^\s()]{2,80}\)))?[ \t]*$",
    re.MULTILINE,
)
_KERNEL = lazy(
    r"^[ \t]*(?:proxmox-ve(?:-2\.6\.32)?: \S+|pve-manager/\S+) \(running kernel: (?P<kernel>\d[\w.+~-]{2,60})\)[ \t]*$",
    re.MULTILINE,
)
_NODE = lazy(
    r"^[ \t]*(?:Kernel Version(?:[ \t]+|[ \t]*\n[ \t]*)Linux (?P<kernel>\d[\w.+~-]{2,60})(?: [^\n]*)?"
    r"|CPU\(s\)(?:[ \t]+|[ \t]*\n[ \t]*)\d{1,4} x (?P<cpu>[A-Z][^\n]{4,80}?) \(\d{1,3} Sockets?\))[ \t]*$",
    re.MULTILINE,
)
_PROXMOX_ANCHOR = lazy(r"^[ \t]*(?:(?:PVE )?Manager Version:?[ \t]+)?pve-manager(?:/|: )\d", re.MULTILINE)


def read_proxmox(text: Text) -> Iterator[Clue]:
    """The system, its version and its kernel, of every listing."""
    for match in _MANAGER.finditer(text.body):
        line = text.line_at(match.start("version"))
        for key, value in (("os.name", "Proxmox VE"), ("os.family", "Linux"), ("os.version", match["version"])):
            yield Clue(line, key, value, match[0].strip(), group=line)
    for match in _KERNEL.finditer(text.body):
        line = text.line_at(match.start("kernel"))
        yield Clue(line, "kernel", match["kernel"], match[0].strip(), group=line)
    for match in _NODE.finditer(text.body):
        line, model = text.line_at(match.start(match.lastgroup or 0)), normalise.cpu_model(match["cpu"] or "")
        if value := match["kernel"] or model:
            yield Clue(line, "cpu.model" if match["cpu"] else "kernel", value, match[0].strip(), group=line)


PROXMOX = Reader("proxmox", 2, Anchor(_PROXMOX_ANCHOR, "pve-manager"), read_proxmox)


_PAIR = lazy(
    r"^[ \t]*(NAME|VERSION_ID|ID|PRETTY_NAME|VERSION|DISTRIB_ID|DISTRIB_RELEASE|DISTRIB_DESCRIPTION)="
    r"(\"[^\"\n]*\"|'[^'\n]*'|[^\s\"']*)[ \t]*$",
    re.MULTILINE,
)
_COLON = lazy(r"^[ \t]*(Distributor ID|Release|ProductName|ProductVersion):[ \t]+(\S[^\n]*?)[ \t]*$", re.MULTILINE)
_LINE = lazy(
    r"^[ \t]*(?:"
    r"(?P<sun>OpenIndiana(?: Hipster| Development)?|OmniOS|OpenSolaris|Oracle Solaris|SmartOS|Solaris) "
    r"(?P<sunv>v?\d\S*|oi_\S+|r\d\S*)(?: [^\n]*)? ?\b(?i:x\d\d(?:_\d\d)?|sparc|illumos\)|r\d{6}\w*)"
    r"|(?P<issue>Ubuntu|Debian GNU/Linux|Linux Mint|Raspbian GNU/Linux|Alpine Linux|Arch Linux|Amazon Linux AMI)"
    r" (?:release )?(?P<issuev>\d[\w.]*)(?: LTS)? (?:\\[a-z] ?){1,4}"
    r"|(?P<pve>pve-manager)/(?P<pvev>\d[\w.-]*)/\w+(?: \(running kernel: [^\n)]+\))?"
    r"|(?P<suse>openSUSE|SUSE Linux Enterprise Server|Amazon Linux(?: AMI)?)(?: release)? (?P<susev>\d[\w.]*)(?: \([^\n)]*\))?"
    r"|(?P<rh>CentOS(?: Linux| Stream)?|Red Hat Enterprise Linux(?: Server| Workstation)?|Fedora(?: Linux)?"
    r"|Scientific Linux|Rocky Linux|AlmaLinux|Oracle Linux Server) release (?P<rhv>\d[\w.]*)[^\n]*"
    r"|(?P<nas>FreeNAS|TrueNAS(?:-SCALE|-CORE)?)-(?P<nasv>\d[\w.-]*)(?: \([^\n)]*\))?"
    r"|(?P<bsd>\d{1,2}\.\d{1,2}-(?:RELEASE|STABLE|CURRENT|PRERELEASE|RC\d|BETA\d)(?:-p\d+)?)"
    r")[ \t]*$",
    re.MULTILINE,
)
_ANCHOR = lazy(
    "|".join(re.sub(r"\?P<\w+>", "", pattern.pattern) for pattern in (_PAIR, _COLON, _LINE))
    + r"|^[ \t]*(?:Description|Operating System):[ \t]|/etc/debian_version|lsb_release -[ds]",
    re.MULTILINE,
)
_DESCRIBED = lazy(
    r"^[ \t]*(?:Description|Operating System):[ \t]+(?P<name>[A-Za-z][A-Za-z/ ]{2,40}?)"
    r"(?: release)? (?P<version>\d[\w.]{0,20})\b[^\n]*$",
    re.MULTILINE,
)
_PRETTY = lazy(r"(?P<name>[A-Za-z][A-Za-z/ ]{2,40}?)(?: (?P<version>\d[\w.]{0,20})\b.*)?\Z")
_SHORT = lazy(r"\blsb_release (?:-ds|-sd|-d -s|-s -d)[ \t]*\Z")
_DEBIAN = lazy(r"\d{1,2}\.\d{1,2}\Z")
_VERSIONS = ("nasv", "sunv", "rhv", "issuev", "susev", "pvev", "bsd")
_NEAR = 14  # lines between two pairs of one file, at most


class _Field(NamedTuple):
    value: str
    line: int
    raw: str


def read(text: Text) -> Iterator[Clue]:
    """Clues of every form."""
    yield from _release_file_clues(text)
    yield from _lsb_clues(text)
    for match in () if "Distributor ID:" in text.body else _DESCRIBED.finditer(text.body):
        if name := normalise.os_name(match["name"]):
            yield from _clues(text.line_at(match.start()), match[0].strip(), name, match["version"])
    yield from _line_clues(text)
    if "debian_version" in text.body or "lsb_release" in text.body:
        yield from _command_clues(text)


def _line_clues(text: Text) -> Iterator[Clue]:
    """Clues of lines of /etc/release, /etc/issue, pveversion and the like; `11.4-RELEASE` only as output of freebsd-version."""
    for match in _LINE.finditer(text.body):
        line = text.line_at(match.start())
        if match["bsd"] and not _is_output_of(text, line, "freebsd-version"):
            continue
        printed = next(filter(None, map(match.group, ("sun", "nas", "rh", "issue", "suse"))), None)
        name = printed or ("Proxmox VE" if match["pve"] else "FreeBSD")
        release = re.search(r"\br\d{6}\w*", match[0]) if name == "OmniOS" else None  # `OmniOS v11 r151046`
        version = release[0] if release else next(filter(None, map(match.group, _VERSIONS)))
        name = normalise.os_name(name.replace("-", " ")) or name
        yield from _clues(line, match[0].strip(), name, version.removeprefix("oi_"))


def _command_clues(text: Text) -> Iterator[Clue]:
    """Clues of the outputs of `lsb_release -ds` and `cat /etc/debian_version`."""
    for command in text.commands:
        output = text.lines[command.first - 1].strip().strip("\"'") if command.first <= command.last else ""
        asked = _SHORT.search(command.text)
        if asked and (pretty := _PRETTY.match(output)) and (name := normalise.os_name(pretty["name"])):
            yield from _clues(command.first, output, name, pretty["version"])
        if command.text.rstrip().endswith("/etc/debian_version") and _DEBIAN.match(output):
            yield from _clues(command.first, output, "Debian", output)


def _is_output_of(text: Text, line: int, program: str) -> bool:
    """Whether the line is the output of that command, or the only line of its file."""
    command = text.command_for(line)
    return program in (command.text if command else text.path) or not text.body.strip().count("\n")


def _blocks(pattern: re.Pattern[str], text: Text) -> Iterator[dict[str, _Field]]:
    """Name -> field, of neighbouring pairs."""
    block: dict[str, _Field] = {}
    last = 0
    for match in pattern.finditer(text.body):
        line = text.line_at(match.start())
        if block and (line > last + _NEAR or match[1] in block):
            yield block
            block = {}
        block[match[1]] = _Field(match[2].strip("\"'"), line, match[0].strip())
        last = line
    if block:
        yield block


def _release_file_clues(text: Text) -> Iterator[Clue]:
    """Clues of os-release, lsb-release, and of `PRETTY_NAME=` alone, selected with grep."""
    for block in _blocks(_PAIR, text):
        if "NAME" in block and block.keys() & {"ID", "VERSION_ID", "PRETTY_NAME"}:
            yield from _field_clues(block["NAME"], block.get("VERSION_ID"))
        elif "DISTRIB_ID" in block:
            yield from _field_clues(block["DISTRIB_ID"], block.get("DISTRIB_RELEASE"))
        elif field := block.get("PRETTY_NAME"):
            pretty = _PRETTY.match(field.value)
            if pretty and (name := normalise.os_name(pretty["name"])):
                yield from _clues(field.line, field.raw, name, pretty["version"])


def _lsb_clues(text: Text) -> Iterator[Clue]:
    """Clues of `lsb_release -a` and of sw_vers."""
    for block in _blocks(_COLON, text):
        if "Distributor ID" in block:
            yield from _field_clues(block["Distributor ID"], block.get("Release"))
        elif "ProductName" in block and "ProductVersion" in block:
            yield from _field_clues(block["ProductName"], block["ProductVersion"])


def _field_clues(name: _Field, version: _Field | None) -> Iterator[Clue]:
    spelled = normalise.os_name(name.value) or name.value
    if not spelled:
        return
    yield from _clues(name.line, name.raw, spelled)
    if version and version.value and version.value != "n/a":
        yield Clue(version.line, "os.version", version.value, version.raw, group=name.line)


def _clues(line: int, raw: str, name: str, version: str | None = None) -> Iterator[Clue]:
    for key, value in distribution_values(name, version):
        yield Clue(line, key, value, raw, group=line)


READER = Reader(
    "os-release",
    5,
    Anchor(
        _ANCHOR,
        "name=|id=|version=|release|description|\\|suse|amazon linux|openindiana|omnios|solaris|smartos|nas-|-stable|"
        "-current|-rc0|-beta0|productname:|productversion:|distributor id:|operating system:|pve-manager|debian_version",
    ),
    read,
)
