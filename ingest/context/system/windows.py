"""Windows: `systeminfo`, `ver`, `wmic ... get`, PowerShell's `Get-ComputerInfo` and `Get-CimInstance | fl`.

Source: systeminfo (its field names; memory in MB of 2^20 bytes), the properties of Win32_OperatingSystem,
Win32_ComputerSystem and Win32_Processor. English output only. `os.family` is what `uname -s` of Windows prints.
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
from ingest.units import K, M

_FIELD = lazy(
    r"^[ \t]*(?P<name>Host Name|OS Name|OS Version|Total Physical Memory|CsName|CsDNSHostName|OsName|OsVersion|WindowsProductName"
    r"|OsTotalVisibleMemorySize|TotalPhysicalMemory|TotalVisibleMemorySize|NumberOfCores|CSName|Caption|Name)"
    r"[ \t]*[:=][ \t]*(?P<value>[^\s:=][^\n]{0,120}?)[ \t]*$",
    re.MULTILINE,
)
_VER = lazy(r"^[ \t]*Microsoft Windows \[Version (\d+\.\d[\d.]*)\][ \t]*$", re.MULTILINE)
# WSL's form for issues, which asks for Windows beside the system that runs in it.
_GUEST = lazy(r"(?i)^#{2,5}[ \t]+(?:Linux )?Distro(?:bution)?(?: Version)?[ \t]*$", re.MULTILINE)
_WINDOWS = lazy(r"(?:Microsoft(?:\(R\)|\u00ae)? )?(Windows [^|\n]{1,60})")
_CPU = lazy(r"(?i)\b(?:intel|amd|xeon|epyc|ryzen|core\(tm\)|snapdragon)\b")
_SIZE = lazy(r"(\d{1,3}(?:[.,\u00a0\u202f]\d{3})*|\d{1,9}) MB")  # grouped as the locale does
_ANCHOR = lazy(r"Microsoft Windows|TotalPhysicalMemory|NumberOfCores|OsName|Total Physical Memory")
_HOST = ("Host Name", "CsName", "CsDNSHostName", "CSName")


def read(text: Text) -> Iterator[Clue]:
    """Clues of `ver`, unless WSL's form for issues asks for it, and of the fields of every listing."""
    for match in _VER.finditer(text.body) if not _GUEST.search(text.body) else ():
        line, raw = text.line_at(match.start(1)), match[0].strip()
        yield Clue(line, "os.family", "Windows_NT", raw, group=line)
        yield Clue(line, "kernel", match[1], raw, group=line)
    fields = list(_FIELD.finditer(text.body))
    system = any(_WINDOWS.match(match["value"]) for match in fields)
    cores = sum(match["name"] == "NumberOfCores" for match in fields)
    for match in fields:
        line, raw = text.line_at(match.start("name")), match[0].strip()
        for key, value in _values(match["name"], match["value"], system, cores):
            if value:
                yield Clue(line, key, value, raw, group=text.line_at(fields[0].start("name")))


def _values(name: str, value: str, system: bool, cores: int) -> Iterator[tuple[str, Any]]:
    """(key, value) of a field; of some only if `system`: the text names Windows. `cores`: number of fields NumberOfCores."""
    windows = _WINDOWS.match(value)
    if name in ("OS Name", "OsName", "Caption") and windows:
        yield from (("os.family", "Windows_NT"), ("os.name", windows[1].strip()))
    elif name in ("Caption", "Name") and _CPU.search(value):
        yield "cpu.model", normalise.cpu_model(value)
    elif name == "NumberOfCores" and cores == 1 and value.isdecimal():
        yield "cpu.cores", int(value[:6])
    elif name == "TotalPhysicalMemory" and re.fullmatch(r"\d{8,18}", value):
        yield "memory", int(value)
    elif name.endswith("TotalVisibleMemorySize") and re.fullmatch(r"\d{6,15}", value):
        yield "memory", int(value) * K
    elif system and name in _HOST and re.fullmatch(r"[\w.-]{1,63}", value):
        yield "host", value
    elif system and name in ("OS Version", "OsVersion") and (version := re.match(r"\d+\.\d[\d.]*", value)):
        yield "os.version", version[0]
    elif system and name == "Total Physical Memory" and (size := _SIZE.fullmatch(value)):
        yield "memory", int(re.sub(r"\D", "", size[1])) * M


READER = Reader("windows", 3, Anchor(_ANCHOR, "microsoft windows|physicalmemory|numberofcores|osname|total physical memory"), read)
