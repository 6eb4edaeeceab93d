"""Processor and memory from `sysctl`, FreeBSD's boot messages, psrinfo, prtconf, prtdiag, dmidecode, system_profiler.

Source: sysctl(3) (hw.physmem in bytes), psrinfo(8), prtconf(8), SMBIOS 3 types 4 and 17 as dmidecode(8) prints them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from operator import itemgetter
from typing import Any

from ingest import normalise
from ingest.context._clues import line_clue
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

_KERNEL_KEYS = {"kern.ostype": "os.family", "kern.osrelease": "kernel", "kern.hostname": "host"}
_Value = tuple[int, str, Any]  # line, key, value


def read(text: Text) -> Iterator[Clue]:
    """Clues of every listing, by line."""
    values = [*_sysctl(text), *_boot(text), *_sun(text), *_dmi(text), *_profiler(text)]
    for line, key, value in sorted(values, key=itemgetter(0)):
        if value:
            yield line_clue(text, line, key, value)


def _sysctl(text: Text) -> Iterator[_Value]:
    for match in _SYSCTL.finditer(text.body):
        name, printed, line = match[1], match[2], text.line_at(match.start())
        number = int(printed) if re.fullmatch(r"\d{1,18}", printed) else None
        if name in ("hw.model", "machdep.cpu.brand_string"):
            yield line, "cpu.model", normalise.cpu_model(printed) if _CPU.search(printed) else None
        elif name in ("hw.machine", "hw.machine_arch"):
            if name == "hw.machine" and re.fullmatch(r"[a-z][a-z0-9_]{2,12}", printed):
                yield line, "arch", printed
        elif name in _KERNEL_KEYS:
            yield line, _KERNEL_KEYS[name], printed if re.fullmatch(r"[\w.+-]{1,80}", printed) else None
        elif name in ("hw.physicalcpu", "machdep.cpu.core_count", "kern.smp.cores"):
            yield line, "cpu.cores", number
        elif name != "hw.physmem" or (number and number < 2**62):
            yield line, "memory", number if number and number >= 2**20 else None


def _boot(text: Text) -> Iterator[_Value]:
    for match in _BOOT_CPU.finditer(text.body):
        yield text.line_at(match.start()), "cpu.model", normalise.cpu_model(match[1] or match[2])
    for match in _BOOT_CORES.finditer(text.body):
        yield text.line_at(match.start()), "cpu.cores", int(match[1]) * int(match[2])
    for match in _BOOT_MEMORY.finditer(text.body):
        yield text.line_at(match.start()), "memory", int(match[1])


def _sun(text: Text) -> Iterator[_Value]:
    yield from _psrinfo(text)
    for match in _PRTDIAG.finditer(text.body):
        # Names are padded with blanks to a column, or cut; a socket without a processor has none.
        model = re.match(r"(\S[^\n]*?@ [\d.]+ ?GHz|\S(?:[^\n ]| (?! ))*)", match["rows"])
        if model and _CPU.search(model[1]):
            yield text.line_at(match.start("rows")), "cpu.model", normalise.cpu_model(model[1])
    for match in _PRTDIAG_SPARC.finditer(text.body):
        yield text.line_at(match.start("model")), "cpu.model", normalise.cpu_model(match["model"].removeprefix("SUNW,"))
    for match in _PRTCONF.finditer(text.body):
        yield text.line_at(match.start()), "memory", int(match[1]) * (M if match[2][0] in "Mm" else 1024 * M)


def _psrinfo(text: Text) -> Iterator[_Value]:
    """Model and cores of all sockets of `psrinfo -pv`, on the line of the first.

    Where it prints no cores, virtual processors may be threads: then the number of cores is known only if each socket has one.
    Below `x86 (...)` stands the brand; the line of a SPARC has its name before the bracket.
    """
    sockets = list(_PSRINFO.finditer(text.body))
    if not sockets:
        return
    line, kind = text.line_at(sockets[0].start()), sockets[0]["kind"]
    model = kind if "SPARC" in kind.upper() else sockets[0]["brand"]
    yield line, "cpu.model", normalise.cpu_model(model) if model else None
    if all(match[1] or match["threads"] == "1" for match in sockets):
        yield line, "cpu.cores", sum(int(match[1] or 1) for match in sockets)


def _dmi(text: Text) -> Iterator[_Value]:
    """Cores of all populated sockets and the first known model, and the sum of the memory modules."""
    cores, line, model = 0, 0, None
    for match in _DMI_CPU.finditer(text.body):
        count = re.search(r"\n[ \t]+Core Count: (\d{1,4})", match["block"])
        version = re.search(r"\n[ \t]+Version: (\S[^\n]*)", match["block"])
        if count and "Unpopulated" not in match["block"]:
            cores, line = cores + int(count[1]), line or text.line_at(match.start())
            model = model or (normalise.cpu_model(version[1]) if version and _CPU.search(version[1]) else None)
    if line:
        yield line, "cpu.cores", cores
        yield line, "cpu.model", model
    modules = list(_DMI_MEMORY.finditer(text.body))
    if modules:
        size = sum(int(module[1]) * (M if module[2] == "M" else 1024 * M) for module in modules)
        yield text.line_at(modules[0].start()), "memory", size


def _profiler(text: Text) -> Iterator[_Value]:
    """Fields of system_profiler; only where one of them is of no other listing."""
    fields = list(_PROFILER.finditer(text.body))
    if not {match[1] for match in fields} & {"Processor Name", "Chip", "Total Number of Cores", "Kernel Version"}:
        return
    for match in fields:
        line = text.line_at(match.start())
        for key, value in _profiler_values(match[1], match[2]):
            yield line, key, value


def _profiler_values(name: str, printed: str) -> Iterator[tuple[str, Any]]:
    if name == "Memory":
        yield "memory", normalise.parse_size(printed)
    elif name == "Total Number of Cores":
        count = re.match(r"\d{1,4}\b", printed)
        yield "cpu.cores", int(count[0]) if count else None
    elif name == "Kernel Version":
        kernel = re.match(r"(Darwin) (\d[\d.]*)", printed)
        yield from (("os.family", kernel[1]), ("kernel", kernel[2])) if kernel else ()
    elif name == "System Version":
        system = re.match(r"(macOS|Mac OS X|OS X) (\d[\d.]*)", printed)
        yield from (("os.name", system[1]), ("os.version", system[2])) if system else ()
    else:
        yield "cpu.model", normalise.cpu_model(printed)


READER = Reader(
    "hardware",
    8,
    Anchor(
        _ANCHOR,
        "hw.|machdep.cpu|kern.|cpu0: |cpu: |package(s) x|real memory|physical processor|memory size: 0|"
        "processor information|processor sockets|cpus =|memory device|number of cores|processor name:|"
        "kernel version: darwin|megabytes",
    ),
    read,
)
