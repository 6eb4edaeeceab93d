"""Processor and memory from `sysctl`, FreeBSD's boot messages, psrinfo, prtconf, prtdiag, dmidecode, system_profiler.

Source: sysctl(3) (hw.physmem in bytes), psrinfo(8), prtconf(8), SMBIOS 3 types 4 and 17 as dmidecode(8) prints them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ingest import normalise
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue
from ingest.text.lines import Text
from ingest.units import M

_CPU = lazy(r"(?i)\b(?:intel|amd|xeon|opteron|athlon|epyc|ryzen|pentium|celeron|apple m\d|cortex|sparc|power\d|via)\b")
_SYSCTL = lazy(
    r"^[ \t]*(hw\.model|machdep\.cpu\.brand_string|hw\.physmem|hw\.realmem|hw\.memsize|hw\.physmem64|hw\.physicalcpu"
    r"|machdep\.cpu\.core_count|kern\.smp\.cores|hw\.machine|hw\.machine_arch"
    r"|kern\.ostype|kern\.osrelease|kern\.hostname)(?:: | ?= ?)(\S[^\n]*?)[ \t]*$",
    re.MULTILINE,
)
_BOOT_CPU = lazy(
    r"^[ \t]*(?:(?:cpu\d+: )?CPU: (\S[^\n]*?) \([\d.]+-MHz"  # FreeBSD's, and Linux' arch/x86/kernel/cpu/common.c
    r"|(?:\[ *[\d.]{1,15}\] )?(?:smpboot: )?CPU0: ((?:Intel|AMD)[^\n]{4,80}?)(?: \(fam(?:ily)?: | stepping ))",
    re.MULTILINE,
)
_BOOT_CORES = lazy(r"^[ \t]*(?:FreeBSD/SMP: )?(\d{1,3}) package\(s\) x (\d{1,4}) core\(s\)", re.MULTILINE)
_BOOT_MEMORY = lazy(r"^[ \t]*real memory[ \t]+= (\d{6,18}) ", re.MULTILINE)
_PSRINFO = lazy(
    r"^[ \t]*The physical processor has (?:(\d{1,4}) cores and )?(?P<threads>\d{1,4}) virtual processors? [^\n]*\n"
    r"(?:[ \t]+The core has [^\n]*\n){0,256}"
    r"[ \t]*(?P<kind>(?!The )[^\s(][^\n(]{0,40}?)[ \t]*\([^\n]*\)[ \t]*(?:\n(?:[ \t]+|(?=Intel|AMD))(?P<brand>(?!The )\S[^\n]*))?$",
    re.MULTILINE,
)
_PRTDIAG = lazy(
    r"^=+ Processor Sockets =+[ \t]*\n(?:[ \t]*\n){0,3}[ \t]*Version[ \t]+Location Tag[ \t]*\n"
    r"-+[ \t]+-+[ \t]*\n(?P<rows>(?:\S[^\n]*(?:\n|\Z)){1,256})",
    re.MULTILINE,
)
_PRTDIAG_SPARC = lazy(
    r"^=+ (?:Virtual )?CPUs =+[ \t]*\n(?:[^\n]*\n){2,8}?[ \t]*\w[^\n]*?\d MHz\b[^\n]*?[ \t](?P<model>(?:SUNW,)?\w*SPARC[\w+-]*)",
    re.MULTILINE,
)
_PRTCONF = lazy(r"^[ \t]*Memory size: (\d{1,9}) ?(Megabytes|MB|GB)\b", re.MULTILINE | re.IGNORECASE)
_DMI_CPU = lazy(r"^[ \t]*Processor Information[ \t]*$(?P<block>(?:\n[ \t]+\S[^\n]*){1,200})", re.MULTILINE)
_DMI_MEMORY = lazy(r"^[ \t]*Memory Device[ \t]*\n(?:[ \t]+\S[^\n]*\n){0,12}?[ \t]+Size: (\d{1,7}) ([MG])i?B[ \t]*$", re.MULTILINE)
_PROFILER = lazy(
    r"^[ \t]*(Processor Name|Chip(?=: Apple )|Total Number of Cores|Memory|System Version|Kernel Version): (\S[^\n]*?)[ \t]*$",
    re.MULTILINE,
)
_ANCHOR = lazy(
    r"\b(?:hw\.|machdep\.cpu|kern\.(?:smp|ostype|osrelease|hostname))"
    r"|\bCPU\d?: |package\(s\) x|real memory[ \t]+=|The physical processor has"
    r"|Memory size: \d"
    r"|Processor Information|Processor Sockets =|CPUs =|Memory Device|Total Number of Cores|Processor Name: "
    r"|Kernel Version: Darwin|(?i:megabytes)"
)

_KERNEL = {"kern.ostype": "os.family", "kern.osrelease": "kernel", "kern.hostname": "host"}
Told = tuple[int, str, Any, str]


def read(text: Text) -> Iterator[Clue]:
    """Clues of every listing."""
    found = [*_sysctl(text), *_boot(text), *_sun(text), *_dmi(text), *_profiler(text)]
    for line, key, value, raw in sorted(found, key=lambda told: told[0]):
        if value:
            yield Clue(line, key, value, raw, group=line)


def _told(text: Text, match: re.Match[str], key: str, value: Any) -> Told:
    line = text.line_at(match.start())
    return line, key, value, text.lines[line - 1].strip()


def _sysctl(text: Text) -> Iterator[Told]:
    for match in _SYSCTL.finditer(text.body):
        name, printed = match[1], match[2]
        whole = int(printed) if re.fullmatch(r"\d{1,18}", printed) else None
        if name in ("hw.model", "machdep.cpu.brand_string"):
            yield _told(text, match, "cpu.model", normalise.cpu_model(printed) if _CPU.search(printed) else None)
        elif name in ("hw.machine", "hw.machine_arch"):
            if name == "hw.machine" and re.fullmatch(r"[a-z][a-z0-9_]{2,12}", printed):
                yield _told(text, match, "arch", printed)
        elif name.startswith("kern.") and name in _KERNEL:
            yield _told(text, match, _KERNEL[name], printed if re.fullmatch(r"[\w.+-]{1,80}", printed) else None)
        elif name in ("hw.physicalcpu", "machdep.cpu.core_count", "kern.smp.cores"):
            yield _told(text, match, "cpu.cores", whole)
        elif name != "hw.physmem" or (whole and whole < 2**62):
            yield _told(text, match, "memory", whole if whole and whole >= 2**20 else None)


def _boot(text: Text) -> Iterator[Told]:
    for match in _BOOT_CPU.finditer(text.body):
        yield _told(text, match, "cpu.model", normalise.cpu_model(match[1] or match[2]))
    for match in _BOOT_CORES.finditer(text.body):
        yield _told(text, match, "cpu.cores", int(match[1]) * int(match[2]))
    for match in _BOOT_MEMORY.finditer(text.body):
        yield _told(text, match, "memory", int(match[1]))


def _sun(text: Text) -> Iterator[Told]:
    """`psrinfo -pv` tells every socket; where it does not print cores, virtual processors may be threads: no count, unless
    there is but one.

    Below `x86 (...)` stands the brand; a SPARC is named before its bracket and has no further line.
    """
    sockets = list(_PSRINFO.finditer(text.body))
    if sockets:
        kind, brand = sockets[0]["kind"], sockets[0]["brand"]
        model = kind if "SPARC" in kind.upper() else brand
        yield _told(text, sockets[0], "cpu.model", normalise.cpu_model(model) if model else None)
        if all(match[1] or match["threads"] == "1" for match in sockets):
            yield _told(text, sockets[0], "cpu.cores", sum(int(match[1] or 1) for match in sockets))
    for match in _PRTDIAG.finditer(text.body):
        # Names are padded with blanks to a column, cut where they are longer; a socket without a processor has none.
        model = re.match(r"(\S[^\n]*?@ [\d.]+ ?GHz|\S(?:[^\n ]| (?! ))*)", match["rows"])
        line = text.line_at(match.start("rows"))
        if model and _CPU.search(model[1]):
            yield line, "cpu.model", normalise.cpu_model(model[1]), text.lines[line - 1].strip()
    for match in _PRTDIAG_SPARC.finditer(text.body):
        line = text.line_at(match.start("model"))
        yield line, "cpu.model", normalise.cpu_model(match["model"].removeprefix("SUNW,")), text.lines[line - 1].strip()
    for match in _PRTCONF.finditer(text.body):
        yield _told(text, match, "memory", int(match[1]) * (M if match[2][0] in "Mm" else 1024 * M))


def _dmi(text: Text) -> Iterator[Told]:
    cores, first, model = 0, None, None
    for match in _DMI_CPU.finditer(text.body):
        count = re.search(r"\n[ \t]+Core Count: (\d{1,4})", match["block"])
        version = re.search(r"\n[ \t]+Version: (\S[^\n]*)", match["block"])
        if count and "Unpopulated" not in match["block"]:
            cores, first = cores + int(count[1]), first or match
            model = model or (normalise.cpu_model(version[1]) if version and _CPU.search(version[1]) else None)
    if first is not None:
        yield _told(text, first, "cpu.cores", cores)
        yield _told(text, first, "cpu.model", model)
    modules = list(_DMI_MEMORY.finditer(text.body))
    if modules:
        yield _told(
            text,
            modules[0],
            "memory",
            sum(int(size) * (M if unit == "M" else 1024 * M) for size, unit in (match.groups() for match in modules)),
        )


def _profiler(text: Text) -> Iterator[Told]:
    found = list(_PROFILER.finditer(text.body))
    if not {match[1] for match in found} & {"Processor Name", "Chip", "Total Number of Cores", "Kernel Version"}:
        return
    for match in found:
        if match[1] == "Memory":
            yield _told(text, match, "memory", normalise.parse_size(match[2]))
        elif match[1] == "Total Number of Cores":
            count = re.match(r"\d{1,4}\b", match[2])
            yield _told(text, match, "cpu.cores", int(count[0]) if count else None)
        elif match[1] == "Kernel Version":
            kernel = re.match(r"(Darwin) (\d[\d.]*)", match[2])
            yield _told(text, match, "os.family", kernel[1] if kernel else None)
            yield _told(text, match, "kernel", kernel[2] if kernel else None)
        elif match[1] == "System Version":
            system = re.match(r"(macOS|Mac OS X|OS X) (\d[\d.]*)", match[2])
            yield _told(text, match, "os.name", system[1] if system else None)
            yield _told(text, match, "os.version", system[2] if system else None)
        else:
            yield _told(text, match, "cpu.model", normalise.cpu_model(match[2]))


READER = Reader(
    "hardware",
    8,
    Anchor(
        _ANCHOR,
        "hw.",
        "machdep.cpu",
        "kern.",
        "cpu0: ",
        "cpu: ",
        "package(s) x",
        "real memory",
        "physical processor",
        "memory size: 0",
        "processor information",
        "processor sockets",
        "cpus =",
        "memory device",
        "number of cores",
        "processor name:",
        "kernel version: darwin",
        "megabytes",
    ),
    read,
    "sysctl(8), psrinfo(8), prtconf(8), prtdiag(8), dmidecode(8), system_profiler(8)",
)
