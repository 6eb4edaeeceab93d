"""Files and commands that name the distribution: os-release, lsb_release, /etc/release, freebsd-version, sw_vers.

Source: os-release(5), lsb_release(1), release(5) of illumos and Solaris, freebsd-version(1), sw_vers(1).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest import normalise
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue
from ingest.text.lines import Text

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
_NEAR = 14  # lines between two pairs of one file: longer than any os-release is dense


def read(text: Text) -> Iterator[Clue]:
    """Clues of every such file in the text."""
    yield from _release_files(text)
    yield from _lsb(text)
    for match in () if "Distributor ID:" in text.body else _DESCRIBED.finditer(text.body):
        if known := normalise.os_name(match["name"]):
            line = text.line_at(match.start())
            yield from _told(line, known, match["version"], match[0].strip(), line)
    for match in _LINE.finditer(text.body):
        line = text.line_at(match.start())
        named = next(filter(None, map(match.group, ("sun", "nas", "rh", "issue", "suse"))), None)
        name = named or ("Proxmox VE" if match["pve"] else "FreeBSD")
        release = re.search(r"\br\d{6}\w*", match[0]) if name == "OmniOS" else None  # `OmniOS v11 r151046`
        version = release[0] if release else next(filter(None, map(match.group, _VERSIONS)))
        if match["bsd"] and not _asked(text, line, "freebsd-version"):
            continue
        yield from _told(
            line, normalise.os_name(name.replace("-", " ")) or name, version.removeprefix("oi_"), match[0].strip(), line
        )
    for command in text.commands if "debian_version" in text.body or "lsb_release" in text.body else ():
        shown = text.lines[command.first - 1].strip().strip("\"'") if command.first <= command.last else ""
        asked = _SHORT.search(command.text)
        if asked and (pretty := _PRETTY.match(shown)) and (system := normalise.os_name(pretty["name"])):
            yield from _told(command.first, system, pretty["version"], shown, command.first)
        if command.text.rstrip().endswith("/etc/debian_version") and _DEBIAN.match(shown):
            yield from _told(command.first, "Debian", shown, shown, command.first)


def _asked(text: Text, line: int, command: str) -> bool:
    """Whether the line is the output of that command, or a file that holds nothing else."""
    ran = text.command_for(line)
    return command in (ran.text if ran else text.path) or not text.body.strip().count("\n")


def _blocks(pattern: re.Pattern[str], text: Text) -> Iterator[dict[str, tuple[str, int, str]]]:
    """Neighbouring pairs as one dictionary: name -> (value, line, raw)."""
    block: dict[str, tuple[str, int, str]] = {}
    last = 0
    for match in pattern.finditer(text.body):
        line = text.line_at(match.start())
        if block and (line > last + _NEAR or match[1] in block):
            yield block
            block = {}
        block[match[1]] = (match[2].strip("\"'"), line, match[0].strip())
        last = line
    if block:
        yield block


def _release_files(text: Text) -> Iterator[Clue]:
    for block in _blocks(_PAIR, text):
        if {"NAME", "ID"} <= set(block) or {"NAME", "VERSION_ID"} <= set(block) or {"NAME", "PRETTY_NAME"} <= set(block):
            name, version = block["NAME"], block.get("VERSION_ID")
        elif "DISTRIB_ID" in block:
            name, version = block["DISTRIB_ID"], block.get("DISTRIB_RELEASE")
        else:
            if "PRETTY_NAME" in block and (pretty := _PRETTY.match(block["PRETTY_NAME"][0])):  # picked out with grep
                _, line, raw = block["PRETTY_NAME"]
                if system := normalise.os_name(pretty["name"]):
                    yield from _told(line, system, pretty["version"], raw, line)
            continue
        yield from _pair(name, version)


def _lsb(text: Text) -> Iterator[Clue]:
    for block in _blocks(_COLON, text):
        if "Distributor ID" in block:
            yield from _pair(block["Distributor ID"], block.get("Release"))
        elif "ProductName" in block and "ProductVersion" in block:
            yield from _pair(block["ProductName"], block["ProductVersion"])


def _pair(name: tuple[str, int, str], version: tuple[str, int, str] | None) -> Iterator[Clue]:
    value, line, raw = name
    spelled = normalise.os_name(value) or value
    if not spelled:
        return
    yield from _told(line, spelled, None, raw, line)
    if version and version[0] and version[0] != "n/a":
        yield Clue(version[1], "os.version", version[0], version[2], group=line)


def _told(line: int, name: str, version: str | None, raw: str, group: int) -> Iterator[Clue]:
    yield Clue(line, "os.name", name, raw, group=group)
    if version:
        yield Clue(line, "os.version", version, raw, group=group)
    family = normalise.os_family(name)
    if family:
        yield Clue(line, "os.family", family, raw, group=group)


READER = Reader(
    "os-release",
    5,
    Anchor(
        _ANCHOR,
        "name=",
        "id=",
        "version=",
        "release",
        "description",
        "\\",
        "suse",
        "amazon linux",
        "openindiana",
        "omnios",
        "solaris",
        "smartos",
        "nas-",
        "-stable",
        "-current",
        "-rc0",
        "-beta0",
        "productname:",
        "productversion:",
        "distributor id:",
        "operating system:",
        "pve-manager",
        "debian_version",
    ),
    read,
    "os-release(5), lsb_release(1), hostnamectl(1), freebsd-version(1), sw_vers(1)",
)
