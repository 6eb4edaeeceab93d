"""`uname -a` of Linux, the BSDs, Darwin, SunOS and others; also behind a label (IOR's `Machine:`, `Kernel:`) or in quotes.

Source: uname(1) of each system: sysname nodename release version machine, on Linux followed by processor, platform and
operating system, on SunOS by processor and platform, on FreeBSD with the version text in two or three parts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from operator import itemgetter

from ingest import normalise
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue
from ingest.text.lines import Text

_FAMILIES = "Linux|FreeBSD|GNU/kFreeBSD|NetBSD|OpenBSD|DragonFly|Darwin|SunOS|AIX|HP-UX|NuttX"
# A label before the line: `* **Kernel** (e.g. `uname -a`): `.
_FRONT = (
    r"(?:(?:[-*•#>+;/|]{1,3}[ \t]*)?[*`]{0,3}[A-Za-z][\w .()/-]{0,30}(?:[*`]{0,3} ?\(e\.?g\b[^()\n]{1,30}\))?[*`]{0,3}"
    r"[ \t]*[:=|][*`]{0,3}[ \t]*)?[\"'`]?"
)
_LINE = lazy(
    rf"^(?P<front>[ \t]*{_FRONT})"
    r"(?P<line>(?P<family>" + _FAMILIES + r")[ \t]+"
    r"(?P<host>(?!version\b|Release[ \t]+5\.\d+[ \t]+Version\b)\S+)[ \t]+"
    r"(?P<release>v?\d[\w.+~:-]*)(?P<rest>(?:[ \t].*)?))$",
    re.MULTILINE,
)
_ARCH = tuple(
    """
    x86_64 amd64 i386 i486 i586 i686 i86pc aarch64 arm64 armv6l armv7l armv8l evbarm ppc64 ppc64le ppc powerpc
    powerpc64 powerpc64le s390x sparc sparc64 sun4u sun4v ia64 mips mips64 mipsel loongarch64 riscv64 alpha arm
    macppc
    """.split()
)
# `uname -srvm`, without the host: the number of the build stands in the place of the release.
_HOSTLESS = lazy(
    rf"^[ \t]*{_FRONT}"
    r"(?P<line>Linux (?P<release>\d+\.\d[\w.+~-]*) #\d+[^\n]{0,120}? (?P<arch>" + "|".join(_ARCH) + r")(?: [^\n]{0,40})?)$",
    re.MULTILINE,
)
# coreutils of Gentoo and Slackware print the processor and its maker where others print `unknown`.
_PROCESSOR = lazy(r" (\S[^\n]{2,80}) (?:GenuineIntel|AuthenticAMD|CentaurHauls|HygonGenuine) GNU/Linux")
_APPLIANCE = lazy(r"\+truenas\b|(?<= )TRUENAS(?= )|/FreeNAS\.amd64\b")  # kernels built for it alone
_ILLUMOS = lazy(r"(?:(oi)_|(omnios)-|(joyent)_|(snv)_|(illumos)-|(Generic)_)(\S+)|(11\.\d+(?:\.\d+)*)\Z")
_LOGIN = lazy(
    r"^[ \t]*(?:(?:Oracle Corporation|Sun Microsystems Inc\.|The Illumos Project"
    r"|(?P<oi>OpenIndiana)[^\n()]{0,40} \(powered by illumos\))"
    r"[ \t]+SunOS|(?P<omnios>OmniOS))[ \t]+(?P<release>5\.\d+)[ \t]+(?P<version>(?(omnios)omnios-\S+|\S+))",
    re.MULTILINE,
)
# The first line of a boot, also in a log.
_STARTS = lazy(
    r"(?:^[ \t]*|[:\]][ \t]*)(?:\^M|\r)?"
    r"(?P<line>SunOS Release (?P<release>5\.\d+) Version (?P<version>\S+) (?:64|32)-bit)[ \t]*\r?$",
    re.MULTILINE,
)
# Systems whose uname has another order or form of release; each is a whole line, as in the manual of that system.
_OTHERS = lazy(
    r"^[ \t]*(?P<line>(?:"
    r"(?P<aix>AIX) (?P<aix_host>\S+) (?P<minor>\d) (?P<major>\d) [0-9A-F]{12}"
    r"|(?P<hp>HP-UX) (?P<hp_host>\S+) (?P<hp_release>[A-Z]\.\d\d\.\d\d) \S (?P<hp_arch>ia64|9000/\d{3}) \d+(?: .*)?"
    r"|(?P<nt>(?:CYGWIN|MINGW32|MINGW64|MSYS)_NT-\d+\.\d\S*) (?P<nt_host>\S+) (?P<nt_release>\d\S*) .*?"
    r"(?P<nt_arch>x86_64|i686)(?: .*)?"
    r"|(?P<haiku>Haiku) (?P<haiku_host>\S+) (?P<haiku_release>\d+ hrev\d+\S*) .*?(?P<haiku_arch>x86_64|BePC|x86|arm64) .*"
    r"|(?P<irix>IRIX(?:64)?) (?P<irix_host>\S+) (?P<irix_release>\d\.\d\S*) \d{8} (?P<irix_arch>IP\d+)"
    r"|(?P<osf>OSF1) (?P<osf_host>\S+) (?P<osf_release>V\d\.\d\S*) \d+ (?P<osf_arch>alpha)"
    r"|(?P<hurd>GNU) (?P<hurd_host>\S+) (?P<hurd_release>\d\.\d\S*)"
    r" GNU-Mach \S+/Hurd-\S+ (?P<hurd_arch>x86_64|i[3-6]86)(?:-AT386)? GNU"
    r"))[ \t]*$",
    re.MULTILINE,
)
_ANCHOR = lazy(
    "|".join(rf"{family}[ \t]+\S+[ \t]+v?\d" for family in _FAMILIES.split("|"))
    + r"|Linux \d\S+ #\d|OmniOS[ \t]+\d\.\d+[ \t]+omnios-"
    + r"|(?:Oracle Corporation|Sun Microsystems Inc\.|The Illumos Project|\(powered by illumos\))[ \t]+SunOS"
    + r"|SunOS Release \d\.\d+ Version|GNU \S+ \d\.\d\S* GNU-Mach"
    + r"|(?:AIX|HP-UX|Haiku|IRIX(?:\d\d)?|OSF\d|(?:CYGWIN|MINGW\d\d|MSYS)_NT-\d\S*) \S+ [A-Z\d]"
)


def read(text: Text) -> Iterator[Clue]:
    """Clues of every line of uname, of the greeting of a SunOS log-in and of the first line of its boot."""
    lines = [(text.line_at(match.start()), match, _uname_values) for match in _LINE.finditer(text.body)]
    lines += [(text.line_at(match.start()), match, _login_values) for match in _LOGIN.finditer(text.body)]
    lines += [(text.line_at(match.start("line")), match, _boot_values) for match in _STARTS.finditer(text.body)]
    lines += [(text.line_at(match.start("line")), match, _other_values) for match in _OTHERS.finditer(text.body)]
    lines += [(text.line_at(match.start("line")), match, _hostless_values) for match in _HOSTLESS.finditer(text.body)]
    for line, match, values in sorted(lines, key=itemgetter(0)):
        for key, value, raw in values(match):
            yield Clue(line, key, value, raw, group=line)


def _uname_values(match: re.Match[str]) -> Iterator[tuple[str, str, str]]:
    family, host, release, raw = match["family"], match["host"], match["release"], match["line"].strip()
    words = match["rest"].rstrip(" \t`\"'|*").split()
    if not _plausible(family, words, match["front"]) or (not words and re.match(r"\d+\.\d+\.\d", host)):
        return  # a release in the place of the host: the first line of arc_summary
    yield "os.family", family, raw
    if host != "(none)":  # the kernel's default
        yield "host", host, raw
    if family == "SunOS":
        yield from _sunos_values(release, words, raw)
    else:
        yield "kernel", release, raw
    if family in ("FreeBSD", "NetBSD", "OpenBSD", "DragonFly") and not re.search(
        r"(?i)freenas|truenas|pfsense|opnsense|xigmanas", raw
    ):
        yield "os.name", "DragonFly BSD" if family == "DragonFly" else family, raw
        yield "os.version", release, raw
    if appliance := _APPLIANCE.search(f"{release} {match['rest']}"):
        yield "os.name", "TrueNAS" if appliance[0].lower().startswith(("t", "+")) else "FreeNAS", raw
    arch = _arch(family, words)
    if arch:
        yield "arch", arch, raw
    processor = _PROCESSOR.search(match["rest"], match["rest"].find(f" {arch} ") + len(arch) + 1) if arch else None
    if processor and (model := normalise.cpu_model(processor[1])):
        yield "cpu.model", model, raw


def _plausible(family: str, words: list[str], prefix: str) -> bool:
    """Whether the words after the release look like those of uname; without any (`uname -snr`), whether it is the whole line."""
    if not words:
        return not prefix.strip() or ":" in prefix
    return (
        any(word in _ARCH for word in words)
        or any(word.startswith("#") for word in words)
        or (family == "Darwin" and "Kernel" in words)
        or (family == "SunOS" and len(words) >= 3)
    )


def _arch(family: str, words: list[str]) -> str | None:
    """The machine: on Linux the first of up to three names at the end, on SunOS the first after the version, else the last."""
    positions = [index for index, word in enumerate(words) if word in _ARCH]
    if not positions:
        return None
    if family == "SunOS":
        return words[positions[0]]
    last = positions[-1]
    return words[next(index for index in positions if index >= last - 2)] if family == "Linux" else words[last]


def _sunos_values(release: str, words: list[str], raw: str) -> Iterator[tuple[str, str, str]]:
    """Kernel, and the distribution that the version names: oi_151a9, omnios-r151014-5d2a, joyent_2015..., 11.1."""
    version = words[0] if words and words[0] not in _ARCH else ""
    yield "kernel", f"{release} {version}".strip(), raw
    build = _ILLUMOS.match(version)
    if not build:
        return
    if build[8]:
        yield from (("os.name", "Oracle Solaris", raw), ("os.version", build[8], raw))
    name = {"oi": "OpenIndiana", "omnios": "OmniOS", "joyent": "SmartOS"}.get(build[1] or build[2] or build[3] or "")
    if name:
        yield "os.name", name, raw
        yield "os.version", build[7].split("-")[0], raw


def _other_values(match: re.Match[str]) -> Iterator[tuple[str, str, str]]:
    """Systems with a uname of their own; AIX prints its release before its version: 6.1 is `1 6`."""
    raw = match["line"].strip()
    name = next(group for group in ("aix", "hp", "nt", "haiku", "irix", "osf", "hurd") if match[group])
    yield "os.family", match[name], raw
    yield "host", match[f"{name}_host"], raw
    release = f"{match['major']}.{match['minor']}" if name == "aix" else match[f"{name}_release"]
    yield "kernel", release, raw
    if name == "aix":
        yield from (("os.name", "AIX", raw), ("os.version", release, raw))
    else:
        yield "arch", match[f"{name}_arch"], raw


def _hostless_values(match: re.Match[str]) -> Iterator[tuple[str, str, str]]:
    raw = match["line"].strip().rstrip("`\"'|* ")
    yield "os.family", "Linux", raw
    yield "kernel", match["release"], raw
    yield "arch", match["arch"], raw


def _boot_values(match: re.Match[str]) -> Iterator[tuple[str, str, str]]:
    yield "os.family", "SunOS", match["line"]
    yield from _sunos_values(match["release"], [match["version"]], match["line"])


def _login_values(match: re.Match[str]) -> Iterator[tuple[str, str, str]]:
    raw = match[0].strip()
    yield "os.family", "SunOS", raw
    yield "kernel", f"{match['release']} {match['version']}", raw
    if re.fullmatch(r"11\.\d+(?:\.\d+)*", match["version"]):
        yield "os.version", match["version"], raw
        yield "os.name", "Oracle Solaris", raw
    elif name := match["oi"] or match["omnios"]:
        yield "os.name", name, raw
        if version := re.match(r"oi_(\w+)|omnios-(r\d+\w*)", match["version"]):
            yield "os.version", version[1] or version[2], raw


READER = Reader(
    "uname",
    11,
    Anchor(_ANCHOR, "linux |linux\t|bsd |bsd\t|dragonfly|darwin|sunos|aix|hp-ux|nuttx|omnios|gnu-mach|haiku|irix|osf0|_nt-0"),
    read,
)
