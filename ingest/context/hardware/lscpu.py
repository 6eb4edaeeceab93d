"""`lscpu` and /proc/cpuinfo: architecture, CPU model, physical cores of all sockets.

Forms: the listing of lscpu in any of its languages; rows of /proc/cpuinfo; `Model name:` alone of a known maker (grep), behind
the label of a script, or names counted by `uniq -c`.
Source: lscpu(1) and its translations (util-linux po/*.po, sys-utils/lscpu.c); Linux arch/x86/kernel/cpu/proc.c.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ingest import normalise
from ingest.lazy_regex import lazy
from ingest.plugin_api import Anchor, Reader
from ingest.records import Clue
from ingest.text.lines import Text

_WORDS = {
    "Architecture": (
        "Architektura Arkitektur Architektur Arquitectura Arhitektura アーキテクチャ Architectuur Arquitetura "
        "Архитектура Mimari Архітектура Kiến_trúc 架构 架構"
    ),
    "Model name": (
        "Název_modelu Modelnavn Modellname Nombre_del_modelo Mallinimi Nom_de_modèle Ime_modela モデル名 "
        "Modelnaam Nazwa_modelu Nome_do_modelo Имя_модели Modellnamn Modem_ismi Назва_моделі Tên_mô_hình 型号名称"
    ),
    "Core(s) per socket": (
        "Jader_na_patici Kerner_per_sokkel Kern(e)_pro_Sockel Kern(e)_pro_Socket Núcleo(s)_por_«socket» "
        "Cœur(s)_par_socket Jezgra_po_podnožju ソケットあたりのコア数 Kernen_per_voet Rdzeni_na_gniazdo "
        "Núcleos_por_socket Núcleo(s)_por_soquete Ядер_на_сокет Kärn(or)_per_uttag Soket_başına_çekirdek "
        "Số_lõi_mỗi_đế_cắm 每个座的核数 每通訊端核心數"
    ),
    "Socket(s)": (
        "Patic Sokler Sockel «Socket(s)» CPU_podnožja ソケット数 CPU-voeten Gniazd Sockets Soquete(s) Сокетов "
        "Uttag Soket(ler) Сокети Số_đế_cắm 座"
    ),
    "Core(s) per cluster": (
        "Jader_na_klastr Kern(e)_pro_Cluster Núcleo(s)_por_«cluster» Cœur(s)_par_cluster Rdzeni_na_klaster "
        "Núcleos_por_cluster Núcleo(s)_por_cluster Ядер_на_кластер"
    ),
    "Cluster(s)": "Klastrů Cluster «Cluster(s)» Klaster(i) Klastrów Кластери",
}  # a blank of a label is written as _
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


READER = Reader("lscpu", 5, Anchor(_ANCHOR), read, "lscpu(1), proc_cpuinfo(5)")
