"""`lscpu` and /proc/cpuinfo: architecture, CPU model, physical cores of all sockets.

Forms: the listing of lscpu in any of its languages; rows of /proc/cpuinfo; `Model name:` alone of a known maker (grep), behind
the label of a script, or names counted by `uniq -c`.
Source: lscpu(1) and its translations (util-linux po/*.po, sys-utils/lscpu.c); Linux arch/x86/kernel/cpu/proc.c.

Source of memory: free(1), top(1), proc_meminfo(5)
Source of lscpu: lscpu(1), proc_cpuinfo(5)
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ingest import normalise
from ingest.context._clues import hypervisor, line_clue
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue
from ingest.text.lines import Text
from ingest.toml_tables import read_table
from ingest.units import G, K, M

# Total memory in bytes: `free`, `MemTotal` of /proc/meminfo and the first lines of top, also behind the label of a script.
#
# Source: free(1) (procps-ng: by default KiB; `-h` powers of 1024 as `Gi`, `--si` powers of 1000), proc_meminfo(5).

_MEM = (  # procps-ng po/*.po
    r"Mem:|Mem\.:|Speicher:|Pamięć:|Minne:|Пам\.:|Память:|Mém\.?[\u00a0 ]?:|메모리:|BNhớ:|内存[:\uff1a]"
)
_FREE = lazy(
    r"^[ \t]+\w+[ \t]+\S+[ \t]+\S+[^\n]*\n[ \t]*(?:" + _MEM + r")[ \t]+(\d+(?:[.,]\d+)?)([KMGTP]?)(i?)B?(?=[ \t])[^\n]*",
    re.MULTILINE,
)
_MEMORY_LABEL = r"(?:[A-Za-z][\w ()/-]{1,30}:[ \t]+)?"  # `echo "Memory: $(free -h | grep Mem)"`
_ROW = lazy(  # a row without its title, with units
    rf"^[ \t]*{_MEMORY_LABEL}Mem:[ \t]+(\d{{1,6}}(?:[.,]\d{{1,3}})?)([KMGT])(i?)B?"
    r"(?:[ \t]+\d[\d.,]{0,8}[KMGT]?i?B?){2,5}[ \t]*$",
    re.MULTILINE,
)
_MEMINFO = lazy(rf"^[ \t]*{_MEMORY_LABEL}MemTotal:[ \t]+(\d{{1,15}}) kB", re.MULTILINE)
_TOP = lazy(  # top(1) of procps-ng, and of the procps before it
    r"^[ \t]*(?:(?P<unit>[KMG])iB Mem[ ]?:[ ]*(?P<size>\d{1,12}(?:[.,]\d)?)[ +]total,"
    r"|Mem:[ ]+(?P<kib>\d{4,12})k total,)",
    re.MULTILINE,
)
_MEMORY_ANCHOR = lazy(
    rf"^[ \t]*{_MEMORY_LABEL}(?:(?:" + _MEM + r")[ \t]+\d|MemTotal:[ \t]+\d|[KMG]iB Mem[ ]?:[ ]*\d)", re.MULTILINE
)
_ASKED = lazy(r"\bfree(?:\s+|[-_.]*)-?\w*?([bkmg])\b(?!\w)")
_PLAIN = lazy(r"(?:(?:sudo|doas|pfexec|run0)[ \t]+)?(?:/usr/bin/)?free(?: -t)?")
_FLAGS = {"b": 1, "k": K, "m": M, "g": G}


def read_memory(text: Text) -> Iterator[Clue]:
    """Clues of every listing. A plain number of `free` is KiB unless command, file name or its magnitude give another unit."""
    free_lines = set()
    for match in _FREE.finditer(text.body):
        line = text.line_at(match.start()) + 1
        free_lines.add(line)
        size = _free_bytes(text, line, match)
        if size:
            yield Clue(line, "memory", size, match[0].split("\n")[1].strip(), group=line)
    for match in _ROW.finditer(text.body):
        line = text.line_at(match.start())
        if line not in free_lines and (size := normalise.parse_size(match[1].replace(",", ".") + match[2])):
            yield Clue(line, "memory", size, match[0].strip(), group=line)
    for match in _MEMINFO.finditer(text.body):
        line = text.line_at(match.start())
        yield Clue(line, "memory", int(match[1]) * K, match[0].strip(), group=line)
    yield from _top_clues(text)


def _top_clues(text: Text) -> Iterator[Clue]:
    """A clue wherever the total that top prints again and again changes."""
    previous: int | None = None
    for match in _TOP.finditer(text.body):
        size = normalise.parse_size(match["size"].replace(",", ".") + match["unit"]) if match["size"] else int(match["kib"]) * K
        if size and (previous is None or previous != size):
            yield line_clue(text, text.line_at(match.start()), "memory", size)
        previous = size


def _free_bytes(text: Text, line: int, match: re.Match[str]) -> int | None:
    """Bytes of the first number of a row of `free`; None where its unit is unknown."""
    number = match[1].replace(",", ".")
    if match[2]:
        return normalise.parse_size(number + match[2])
    if "." in number:
        return None
    command = text.command_for(line)
    above = " ".join(text.lines[max(0, line - 5) : line - 2])  # where the command stands without a prompt
    if command and _PLAIN.fullmatch(command.text):
        return int(number) * K if len(number) < 13 else None
    asked = _ASKED.search(command.text if command else _stem(text.name)) or _ASKED.search(above)
    unit = _FLAGS[asked[1]] if asked else _likely_unit(int(number))
    return int(number) * unit if unit and len(number) < 19 else None


def _stem(name: str) -> str:
    """`free -m` may be saved as free-m.txt, free_m.txt, free.m."""
    return re.sub(r"\.\w+\Z", "", name)


def _likely_unit(number: int) -> int | None:
    """K or M where no plausible machine contradicts it, else None; -b, -k, -m and -g print the same table.

    4 GiB to 8 TiB in KiB would be above 4 TiB in MiB; 16 to 64 GiB in MiB would be below 64 MiB in KiB and above 16 TiB in GiB.
    """
    if 2**22 <= number < 2**33:
        return K
    return M if 16384 <= number < 65536 else None


MEMORY = Reader("memory", 6, Anchor(_MEMORY_ANCHOR), read_memory)


_WORDS = read_table(__file__)
_ENGLISH = {label.replace("_", " "): name for name, labels in _WORDS.items() for label in (*labels.split(), name.replace(" ", "_"))}
_FIELD = lazy(
    rf"^[ \t]*({'|'.join(re.escape(label) for label in _ENGLISH)}|CPU\(s\))[\u00a0 ]?(?::[ \t]+|\uff1a[ \t]*)(\S[^\n]*?)[ \t]*$",
    re.MULTILINE,
)
_INFO = lazy(
    r"^[ \t]*(?:\d{1,4}[ \t]+(?=model name))?(processor|model name|physical id|cpu cores|siblings)[ \t]*:[ \t]*(\S[^\n]*?)[ \t]*$",
    re.MULTILINE,
)
_WHOLE = lazy(r"Intel\(R\) |AMD (?:EPYC|Ryzen|Opteron|Athlon|Phenom|FX)|Cortex-[AX]\d|Neoverse-|Ampere|Kunpeng")
_COUNTED = lazy(  # `grep "model name" /proc/cpuinfo | cut -d: -f2 | uniq -c`: the count is one of threads
    r"^[ \t]*\d{1,4}[ \t]{1,3}(Intel\(R\) [^\n]{3,60}? @ [\d.]{1,5}GHz|AMD [^\n]{3,60}? Processor)[ \t]*$", re.MULTILINE
)
# `echo "CPU: $(lscpu | grep 'Model name')"`: a row behind the label of a script.
_LABEL = r"(?P<label>[A-Za-z][\w ()/-]{1,30}):[ \t]+"
_LABELLED = lazy(rf"^[ \t]*{_LABEL}(?:Model name:[ \t]{{2,}}|model name[ \t]*:[ \t])(?P<cpu>\S[^\n]*?)[ \t]*$", re.MULTILINE)
_CPU = lazy(r"\((?:R|TM|tm)\)|\b(?:CPU|[Pp]rocessor|EPYC|Ryzen|Xeon|Opteron|Cortex|Neoverse|POWER\d)\b")
_ANCHOR = lazy(
    rf"^[ \t]*{_LABEL.replace('?P<label>', '')}[Mm]odel name[ \t]*:[ \t]"
    r"|\bmicrocode(?:[ \t]*: \dx|: [^\n]*revision[:=])"
    r"|^[ \t]*(?:Architecture:[ \t]+\S|Model name:[ \t]+\S|(?:\d{1,4}[ \t]+)?model name[ \t]*: "
    r"|\d{1,4}[ \t]{1,3}(?:Intel\(R\)|AMD) )"
    rf"|^[ \t]*(?:{'|'.join(re.escape(label.replace('_', ' ')) for label in _WORDS['Model name'].split())})[\u00a0 ]?[:\uff1a]",
    re.MULTILINE,
)


class _Field(NamedTuple):
    value: str
    line: int
    raw: str


def read(text: Text) -> Iterator[Clue]:
    """Clues of every listing; a field that comes again begins the next one."""
    for block in _blocks(_FIELD, text):
        if {"Architecture", "CPU(s)"} <= set(block) or {"Model name", "Socket(s)"} <= set(block):
            yield from _lscpu_clues(block)
        elif "Model name" in block and _WHOLE.match(block["Model name"].value):  # selected with grep
            yield from _model_clue(block["Model name"], block["Model name"].line)
    yield from _cpuinfo_clues(text)
    yield from _state_clues(text)
    labelled = [match for match in _LABELLED.finditer(text.body) if _CPU.search(match["cpu"])]
    differ = len({match["cpu"] for match in labelled}) > 1 < len({match["label"] for match in labelled})
    for match in labelled if not differ else ():  # `Server:` and `Client:`: which of them measured is unknown
        line = text.line_at(match.start())
        yield from _model_clue(_Field(match["cpu"], line, match[0].strip()), line)


def _blocks(pattern: re.Pattern[str], text: Text) -> Iterator[dict[str, _Field]]:
    """English name -> field of each listing."""
    block: dict[str, _Field] = {}
    for match in pattern.finditer(text.body):
        name = _ENGLISH.get(match[1], match[1])
        if name in block:
            yield block
            block = {}
        block[name] = _Field(match[2], text.line_at(match.start()), match[0].strip())
    yield block


def _lscpu_clues(block: dict[str, _Field]) -> Iterator[Clue]:
    group = min(field.line for field in block.values())
    if arch := block.get("Architecture"):
        yield Clue(arch.line, "arch", arch.value, arch.raw, group=group)
    yield from _model_clue(block.get("Model name"), group)
    per_unit = block.get("Core(s) per socket") or block.get("Core(s) per cluster")
    units = block.get("Socket(s)")
    if units and units.value == "-":  # ARM: cores come in clusters
        units = block.get("Cluster(s)")
    if per_unit and units and per_unit.value.isdecimal() and units.value.isdecimal():
        yield from _cores_clue(int(per_unit.value) * int(units.value), per_unit, group)


_VIRTUAL = lazy(
    r"^[ \t]*(?P<label>Hypervisor vendor|Hypervisor-Anbieter|Flags|Markierungen)[ \t]*:[ \t]+(?P<value>\S[^\n]*)$", re.MULTILINE
)
_VULNERABLE = lazy(
    r"^[ \t]*(?:Vulnerability |Schwachstelle )?Spectre v(?P<number>[12]):[ \t]+(?P<is>Vulnerable|Mitigation|Verwundbar)",
    re.MULTILINE,
)
_MICROCODE = lazy(  # a row of /proc/cpuinfo; the kernel's log
    r"^(?:[ \t]*microcode[ \t]*: 0x([0-9a-f]{1,8})"
    r"|[^\n]{0,40}\bmicrocode: (?:[^\n]{0,60}, )?(?:Current )?revision[:=] ?0x([0-9a-f]{1,8}))[ \t]*$",
    re.MULTILINE,
)


def _state_clues(text: Text) -> Iterator[Clue]:
    """Hypervisor, mitigations and microcode. The flags of a machine without a hypervisor have no flag of that name."""
    shown = {match["label"][0]: match for match in _VIRTUAL.finditer(text.body)}
    if vendor := shown.get("H"):
        yield line_clue(text, text.line_at(vendor.start("label")), "state.hypervisor", hypervisor(vendor["value"]))
    elif (flags := shown.get("F") or shown.get("M")) and " hypervisor" not in flags["value"]:
        line = text.line_at(flags.start("label"))
        yield Clue(line, "state.hypervisor", "none", flags["label"] + ":", group=line)
    spectre = {match["number"]: match for match in _VULNERABLE.finditer(text.body)}
    if len(spectre) == 2 and (is_on := {match["is"] == "Mitigation" for match in spectre.values()}) in ({True}, {False}):
        line = text.line_at(spectre["1"].start("number"))
        yield line_clue(text, line, "state.mitigations", "auto" if is_on == {True} else "off")
    codes = {
        hex(int(match[1] or match[2], 16)): text.line_at(match.start(match.lastindex or 0))
        for match in _MICROCODE.finditer(text.body)
    }
    if len(codes) == 1:
        ((code, line),) = codes.items()
        yield line_clue(text, line, "state.microcode", code)


def _model_clue(field: _Field | None, group: int) -> Iterator[Clue]:
    if field and (model := normalise.cpu_model(field.value)):
        yield Clue(field.line, "cpu.model", model, field.raw, group=group)


def _cores_clue(count: int, field: _Field, group: int) -> Iterator[Clue]:
    if 1 <= count <= 100_000:
        yield Clue(field.line, "cpu.cores", count, field.raw, group=group)


def _cpuinfo_clues(text: Text) -> Iterator[Clue]:
    """The first model, and the sum of `cpu cores` over every `physical id`; without a model, that of counted names."""
    sockets: dict[str, tuple[int, _Field]] = {}  # physical id -> cores and their field
    model = None
    socket = "0"
    for match in _INFO.finditer(text.body):
        field = _Field(match[2], text.line_at(match.start()), match[0].strip())
        if match[1] == "model name":
            model = model or field
        elif match[1] == "physical id":
            socket = match[2]
        elif match[1] == "cpu cores" and match[2].isdecimal() and len(match[2]) < 7:
            sockets.setdefault(socket, (int(match[2]), field))
    if model:
        yield from _model_clue(model, model.line)
        if sockets:
            _, first = next(iter(sockets.values()))
            yield from _cores_clue(sum(count for count, _ in sockets.values()), first, model.line)
    counted = list(_COUNTED.finditer(text.body))
    if not model and len({match[1] for match in counted}) == 1:
        line = text.line_at(counted[0].start())
        yield from _model_clue(_Field(counted[0][1], line, counted[0][0].strip()), line)


READER = Reader("lscpu", 6, Anchor(_ANCHOR), read)
