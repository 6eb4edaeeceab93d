"""How the rows of a system's specification are called, in several languages, and what their values say.

Rows as people write them (`CPU`, `Arbeitsspeicher`, `操作系统`) and as the scripts bench.sh and yabs.sh print them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ingest import normalise
from ingest.context.labels._setting_words import read_setting_words
from ingest.lazy_regex import lazy

_NAMES = {
    "cpu": (
        "CPU|CPUs|CPU Model|CPU Type|System CPU|Host CPU|Server CPU"
        "|Processor|Processors|Processor Model|Prozessor|Prozessoren|Processeur"
        "|Processore|Procesador|Processador|Procesor|Процессор|ЦП|处理器|CPU型号|プロセッサ|Platform"
    ),
    "memory": (
        "RAM|Memory|Memory per node|RAM per node|Host RAM|Host Memory|Server RAM"
        "|System Memory|System RAM|Total Mem|Total Memory|Total RAM|Total amount of Mem|Total amount of RAM"
        "|Installed Memory|Installed RAM|Arbeitsspeicher|Hauptspeicher|Mémoire|Mémoire vive|Mémoire RAM|Memoria|Memoria RAM"
        "|Memória|Memória RAM|Pamięć|Pamięć RAM|Geheugen|Память|Оперативная память|ОЗУ|内存|記憶體|メモリ|メモリー"
    ),
    "system": (
        "OS|Operating System|OS Version|OS type and version|OS type|Host OS|Server OS"
        "|Distro|Distribution|Linux Distribution|WSL Distro|WSL Distribution|Build|Betriebssystem"
        "|Système"
        "|Système d'exploitation"
        "|Sistema operativo|Sistema operacional|System operacyjny|Besturingssysteem|ОС|Операционная система"
        "|操作系统|作業系統|系统版本|操作系统版本|OS版本"
        "|FreeNAS Version|TrueNAS Version"
    ),
    "mac": "macOS|macOS Version",
    "mac os x": "Mac OS X|Mac OS X Version|OS X|OS X Version",
    "kernel": "Kernel|Linux Kernel|Kernel Version|OS Kernel|Kernel-Version|Noyau|Noyau Linux|Ядро|内核|内核版本|カーネル",
    "arch": "Arch|Architecture|CPU Architecture|Architektur|Arquitectura|架构",
    "fs": (
        "Filesystem|File system|File-System|FS|Dateisystem"
        "|Système de fichiers|Sistema de archivos|Sistema de ficheros|Sistema de arquivos"
        "|Bestandssysteem|System plików|Файловая система|文件系统|檔案系統|ファイルシステム"
    ),
    "host": "Hostname|Host name|Rechnername|主机名",
    "nic": "NIC",
    "compression": "Compression|ZFS Compression|Compression Algorithm|Komprimierung|Kompression",
    "dedup": "Dedup|Deduplication",
    "recordsize": "Recordsize|ZFS Recordsize",
    "atime": "atime",
    "layout": "RAID|RAID Level|RAID Type|RAID-Level|Pool Layout|Pool Type|Vdev Layout|ZFS Layout|Topology",
    "disks": (
        "Disks|Disk|Drives|Hard Drives|Hard Disks|HDDs|HDD|SSDs|SSD|Storage|Data Disks|Data Drives|Pool Disks"
        "|Festplatten|Disques|Discos|Dischi|Диски|硬盘|硬碟"
    ),
    "network": "Network|Interconnect|Netzwerk|Réseau|Сеть|网络",
}
ROW_KINDS = {label.lower(): kind for kind, labels in _NAMES.items() for label in labels.split("|")}
_LABELS = {label for row in _NAMES.values() for label in row.split("|")}
LABEL_PATTERN = "|".join(re.escape(label) for label in sorted(_LABELS, key=lambda label: (-len(label), label)))
POOL_KINDS = frozenset(("compression", "dedup", "recordsize", "atime", "layout"))
# What tells a system even as a single line behind a colon.
STANDALONE_LABELS = frozenset(
    (
        "cpu",
        "cpu model",
        "memory",
        "ram",
        "os",
        "os version",
        "os type and version",
        "operating system",
        "distro",
        "distribution",
        "linux distribution",
        "wsl distro",
        "macos",
        "macos version",
        "mac os x version",
        "os x version",
        "build",
        "platform",
        "kernel",
        "kernel version",
        "linux kernel",
        "network",
        "freenas version",
        "truenas version",
        "hostname",
    )
)

_NO_HOST = frozenset(("unknown", "none", "null", "undefined", "hidden", "redacted", "libzpool"))  # zdb's own
# What a script writes behind a label of its own: `echo "OS: $(lsb_release -d)"`, `$(grep PRETTY_NAME /etc/os-release)`.
_DUMPED = lazy(r"(?i)\A(?:PRETTY_NAME=|Description:\s+|Model name\s*:\s+|model:\s+)(?=\S)")
_BRAND = lazy(
    r"(?i)\b(?:intel|amd|xeon|core|ryzen|epyc|opteron|athlon|phenom|pentium|celeron|atom|arm|cortex|sparc|power\d|apple"
    r"|threadripper|kunpeng|ampere|graviton\d?|i[3579]-\d{3,5}\w*|e[357]-\d{4}\w*)\b"
)
_NO_CPU = lazy(  # other things of the same makers
    r"(?i)\b(?:ssds?|hdds?|nvme|optane|\d+(?:\.\d+)? ?[tg]b|nics?|\d+ ?gbe|ethernet|raid-?z?\d*)\b"
)
_TIMES = lazy(r"(?:\d{1,3} ?[x×]|Dual|Quad(?!-)|[24] ×)\s+(?=[A-Z])")
_CLOCK_FIRST = lazy(r"(?i)\A\d[\d.,]{0,5} ?[GM]Hz\s+(?=[A-Z])")  # `2.6GHz Intel Celeron`
_SIZE = r"(\d{1,6}(?:[.,]\d{1,3})?) ?([KMGT]i?B?|[MGT]o|[МГТ]Б)"
_WHOLE = lazy(
    rf"(?:[\d.]{{1,9}} ?[MG]iB / )?(?:(?P<count>\d{{1,3}}) ?[x×*] ?)?{_SIZE}"
    r"(?: ?[x×*] ?(?P<times>\d{1,3}))?"
    r"(?: ?\((?:[\d.,]+ ?[KMGT]?i?B [Uu]sed|\d{1,3}%)\))?(?P<rest>(?:[ ,;(@-].*)?)\Z",
    re.I,
)
# What may stand behind a size of memory: its make, never what is done with it.
_MAKE = lazy(
    r"(?i)(?:[ ,;()@\-+]|of|DDR\d?\w*(?:[- ]\d{3,5}\w*)?|L?PDDR\d\w*|ECC|REG|R?DIMMs?|SO-?DIMM|RAM|SDRAM|memory"
    r"|unbuffered|registered|buffered"
    r"|\d{3,5} ?(?:MHz|MT/s)|\d{1,3} ?[x×*] ?\d{1,3} ?GB?|dual|quad|channel|total|installed"
    r"|Kingston|Crucial|Samsung|Corsair|Hynix|Micron)*\Z"
)
_MAKE_FIRST = lazy(r"(?i)\AL?P?DDR\d\w{0,2}(?:[- ]\d{3,5})?(?: ?MHz| ?MT/s)? (?=\d)")  # `DDR4 4 x 16 GB`
_SUM = lazy(r" ?= ?(\d{1,4}) ?([GT])i?B\Z")  # `16GB x 4 = 64GB`
_LETTERS = str.maketrans("МГТБо", "MGTBB")
_KERNEL = lazy(
    r"(?:(?:x86_64 |aarch64 |i686 )?(?:(?:GNU/)?(?P<family>Linux)|(?P<other>Darwin|FreeBSD)) )?v?"
    r"(?P<release>\d+\.\d+[\w.+~-]{0,60})(?:[ ,](?:[(`#]|x86_64|amd64|aarch64).*)?\Z"
)
_KERNEL_ALONE = lazy(  # `OS: Linux 5.15.0-91-generic`, `OS: 3.10.0-327.el7.x86_64`; `Linux 8.5` is a distribution's
    r"(?i)(?:(?:GNU/)?Linux \(?(?:kernel )?v?(?P<of_linux>[2-6]\.\d{1,2}(?:\.\d{1,3}[\w.+~-]{0,50}|-[\w.+~-]{1,50}))"
    r"|(?P<known>[2-6]\.\d{1,2}\.\d{1,3}-[\w.+~-]{0,50}(?:generic|x86_64|aarch64|amd64|-pve|-default|-arch[\d-]*)))"
    r"\)?(?: (?:x86_64|amd64|aarch64))?\Z"
)
_KERNEL_BESIDE = lazy(r"(?i)[(,] ?(?:linux )?kernel:? v?(\d+\.\d+[\w.+~-]{0,60})\)?\Z")
_MACHINE = lazy(r"(x86_64|amd64|aarch64|arm64|armv\d\w?|i\d86|ppc64(?:le)?|s390x|riscv64|sparc64)(?: \(.*| \d.*)?\Z")
_NAME = r"(?P<name>[A-Za-z][A-Za-z/ ]{1,40}?)"
_VERSIONED = lazy(_NAME + r"[ -](?:release |version |v)?(?P<version>\d[\w.-]{0,24}(?: LTS)?(?: SP\d)?)(?P<rest>(?:[ ,;].*)?)\Z")
_UNVERSIONED = lazy(_NAME + r"(?P<rest>(?: ?[(,;].*)?)\Z")
_CODE_NAMES = (
    "etch|lenny|squeeze|wheezy|jessie|stretch|buster|bullseye|bookworm|trixie|dapper|edgy|feisty|gutsy|hardy|intrepid|jaunty|karmic"
    "|lucid|maverick|natty|oneiric|precise|quantal|raring|saucy|trusty|utopic|vivid|wily|xenial|yakkety|zesty|artful|bionic|cosmic"
    "|disco|eoan|focal|groovy|hirsute|impish|jammy|kinetic|lunar|mantic|noble"
)
_SUITED = lazy(
    r"(?i)(?:[ ,;()]|x86_64|amd64|x64|i[36]86|aarch64|arm64|64[- ]?bits?|server|desktop|minimal|final|stable|sid"
    rf"|{_CODE_NAMES}|\([^()]{{1,60}}\))*\Z"
)
_CODE_NAME = lazy(rf"(?i) (?:{_CODE_NAMES})(?: [A-Z][a-z]+)?(?= \d|\Z)")  # `Ubuntu Hardy 8.04`, `Debian Lenny`
_MAC = lazy(  # the name of the version is told beside its number, or in its place
    r"(?i)(mac ?os(?: x)?|os x) (?:Yosemite|El Capitan|(?:High )?Sierra|Mojave|Catalina|Big Sur|Monterey|Ventura|Sonoma"
    r"|Sequoia|Tahoe)(?: \(?v?(\d[\d.]*)\)?)?\Z"
)
_OF_MAC = lazy(  # `Version 10.11.6 (Build 15G1004)`, `10.14 (18A391)`, `Sonoma 14.4.1`
    r"(?i)(?:(?:[A-Z][a-z]+ ){1,2})?v?((?:1\d|2\d)(?:\.\d{1,2}){1,2})(?: \((?:Build )?\w{4,9}\))?\Z"
)
_COUNTED = lazy(r"(?i) \((\d{1,4}) cores?(?: ?/ ?\d{1,4} threads?)?\)\Z")  # as the Phoronix Test Suite prints
_ARCH = lazy(r" (?:x86_64|amd64|aarch64|arm64|i686)\Z")
_PLAIN = lazy(r"(?!/)[\w.:+/-]{1,80}\Z")
_LAYOUT = lazy(r"(?i)(?:raid-?z[123]?|draid[123]|raid[ -]?(?:0|1|5|6|10|50|60)|mirror|stripe)\Z")
_LAYOUT_OF = lazy(  # `RAID6 (8 disks, mdadm)`
    r"(?i)(?P<level>raid-?z[123]?|raid[ -]?(?:0|5|6|10))[ ,]{1,2}\(?(?:of |with |over )?(?P<count>\d{1,3}) ?(?:x )?"
    r"(?:disks|drives|hdds|ssds)\b[^()]{0,40}\)?\Z"
)
_COUNT = lazy(r"(?i)(?P<count>\d{1,3}) ?[x×] ?[\d.,]{1,6} ?[TG]i?B\b(?P<rest>[^:|+&]{0,60})\Z")
_DRIVE = lazy(  # one disk, with its maker
    r"(?i)(?P<model>(?:WDC?|Western Digital|Seagate|Samsung|Toshiba|HGST|Hitachi|Intel|Micron|Crucial|Kingston|SanDisk|Kioxia"
    r"|Corsair|OCZ|ADATA|Lexar|Sabrent|Transcend|SK ?hynix|Solidigm|Fujitsu|Maxtor|INTEL)[ _-][^,;:()|+&/]{2,50}?)"
    r"(?: ?\((?:SATA|NVMe|PCIe|M\.2|USB|\d[\d.]* ?[TG]B)[^()]{0,30}\))?\.?\Z"
)
# `8x WD Red 8TB in RAIDZ2`: how many, a model with its maker's name, and the one vdev that they make, where it is told.
_DISKS = lazy(
    r"(?i)(?P<count>\d{1,3}) ?(?:[x×*]|times) ?(?P<model>(?=[^,;()]{0,40}\b(?:WD\w*|Western Digital|Seagate|Samsung|Toshiba|HGST"
    r"|Hitachi|Intel|Micron|Crucial|Kingston|SanDisk|IronWolf|Exos|Barracuda|Ultrastar|Kioxia|SK ?hynix|Solidigm|Fujitsu|Maxtor)\b)"
    r"[^,;:()|]{3,60}?)(?:,? \(?(?:(?:in|as|configured as|im|als|en) (?:an? )?(?:single )?)?"
    r"(?P<layout>raid-?z[123]?|draid[123]|mirror|stripe|raid[ -]?(?:0|5|6|10))(?: (?:pool|vdev|array))?\)?"
    r"(?: \((?:mdadm|md|software|hardware)[^()]{0,20}\))?)?\.?\Z"
)
_NOT_THE_DATA = lazy(  # disks for something else, or more said than their model
    r"(?i)\b(?:boot|os|system|cache|slog|log|spare|and|or|in|each|im|als|mit|dans|avec|con)\b|[+&]"
)
_ETHERNET = lazy(r"(?i)\b(\d{1,3}) ?(?:GbE|Gigabit Ethernet|GigE|G(?:b/?s|bps)? Ethernet|GBase-?\w+)\b")
_INFINIBAND = {"sdr": 10, "qdr": 40, "fdr": 56, "edr": 100, "hdr100": 100, "hdr": 200, "ndr": 400}


def read_row(kind: str, value: str) -> Iterator[tuple[str, Any]]:
    """Keys and values of a row; nothing where its value is not wholly understood."""
    value = _DUMPED.sub("", value.strip()).strip("\"'").replace("\uff0c", ", ").replace(",  ", ", ")
    match kind:
        case "cpu":
            counted = _COUNTED.search(value)
            if model := _cpu(value[: counted.start()] if counted else value):
                yield "cpu.model", model
                if counted and not _TIMES.match(value):
                    yield "cpu.cores", int(counted[1])
        case "memory":
            if count := parse_memory(value):
                yield "memory", count
        case "system":
            yield from _system(value)
        case "mac" | "mac os x":
            if version := _OF_MAC.match(value):
                name = "macOS" if kind == "mac" else "Mac OS X"
                yield from (("os.name", name), ("os.version", version[1]), ("os.family", "Darwin"))
        case "kernel":
            if kernel := _KERNEL.match(value):
                yield "kernel", kernel["release"]
                if family := kernel["family"] or kernel["other"]:
                    yield "os.family", family
        case "arch":
            if machine := _MACHINE.match(value):
                yield "arch", machine[1]
        case "fs":
            found = read_setting_words(re.sub(r"(?i)\bzfs[ -]on[ -]linux\b", "zfs", value))
            if "fs.type" in found and len(value) < 60:
                yield from ((key, one) for key, one in found.items() if key == "fs.type" or key.startswith("pool."))
        case "compression" | "dedup" | "recordsize" | "atime":
            found = read_setting_words(f"{kind}={value.lower()}")
            yield from ((key, one) for key, one in found.items() if key == f"pool.{kind}" and " " not in value)
        case "layout":
            of = _LAYOUT_OF.match(value)
            for key, one in (
                read_setting_words((of["level"] if of else value).lower()).items() if of or _LAYOUT.match(value) else ()
            ):
                if key == "pool.layout":
                    yield key, f"{one}({int(of['count'])})" if of else one
                    if of:
                        yield "disk.count", int(of["count"])
        case "disks":
            yield from parse_disks(value)
            yield from _one_disk(value)
        case "host":
            if re.fullmatch(r"[A-Za-z0-9][\w.-]{0,62}", value) and not value.isdecimal() and value.lower() not in _NO_HOST:
                yield "host", value
        case "network" | "nic":
            if (link := _network(value)) or (kind == "network" and (link := _PLAIN.match(value) and value)):
                yield "network", link


def _cpu(value: str) -> str | None:
    """One model; how many of it there are, its clock and its cores are left out. Two models joined are none."""
    value = _CLOCK_FIRST.sub("", value)
    if not _BRAND.search(value) or re.search(r"%| [+&] | and | / | vs", value):
        return None
    model = re.split(r"\s+\[|\s+\((?!\d{1,4}\)\s*@)|[,;]|\s+(?:with|running|overclocked|OC'?d?|at)\b", _TIMES.sub("", value))[0]
    return normalise.cpu_model(model) if len(model) <= 80 and not _NO_CPU.search(model) else None


def parse_memory(value: str) -> int | None:
    """Bytes of `64GB DDR4 ECC`, `4x16GB`, `DDR4 16GB x 4 = 64GB`, `1.9 GB (123.2 MB Used)`, `32 Go`; None where more is said."""
    total = _SUM.search(value)
    value = _MAKE_FIRST.sub("", value[: total.start()] if total else value, count=1)
    found = _WHOLE.match(value.translate(_LETTERS) if re.search("[МГТ]Б|[KMGT]o", value) else value)
    if not found or not _MAKE.match(found["rest"]) or (found["count"] and found["times"]):
        return None
    one = normalise.parse_size(found[2].replace(",", ".") + found[3][0])
    count = int(found["count"] or found["times"] or 1)
    if not one or one * count < 2**20 or (total and one * count != normalise.parse_size(total[1] + total[2])):
        return None
    return one * count


def parse_disks(value: str) -> Iterator[tuple[str, Any]]:
    """Number, model and, where the disks are said to be one vdev, the layout; nothing where more is said of them."""
    found = _DISKS.match(value)
    if not found or _NOT_THE_DATA.search(found["model"]):
        return
    count = int(found["count"])
    yield "disk.count", count
    if found["layout"] and (level := re.fullmatch(r"(?i)raid[ -]?(\d{1,2})", found["layout"])):
        yield "pool.layout", f"raid{level[1]}({count})"
    yield "disk.model", " ".join(found["model"].split())
    if found["layout"] and not re.fullmatch(r"(?i)raid[ -]?\d{1,2}", found["layout"]):
        kind = normalise.vdev_kind(found["layout"]) or found["layout"].lower()
        if kind.rstrip("123") in ("mirror", "stripe", "raidz", "draid") and (kind != "mirror" or count == 2):
            yield "pool.layout", f"{kind}({count})"


def _one_disk(value: str) -> Iterator[tuple[str, Any]]:
    """`12 x 4TB 7.2K SAS` tells how many, `Samsung 970 EVO Plus 1TB` which one; nothing of those that the system boots from."""
    if re.search(r"(?i)\b(?:boot|os|system|root|cache|slog|log|swap|spare|and|or|with|for|external|usb)\b", value):
        return
    counted, drive = _COUNT.match(value), _DRIVE.match(value)
    if counted and not _DISKS.match(value) and int(counted["count"]) > 0 and not re.search(r"\d ?[x×]", counted["rest"]):
        yield "disk.count", int(counted["count"])
    elif drive and re.search(r"\d", drive["model"]):
        yield "disk.model", " ".join(drive["model"].split())


def _system(value: str) -> Iterator[tuple[str, str]]:
    if kernel := _KERNEL_ALONE.match(value):
        yield from (("kernel", kernel["of_linux"] or kernel["known"]), ("os.family", "Linux"))
        return
    if (inner := _KERNEL_BESIDE.search(value)) and "kernel" not in value[: inner.start()].lower():
        yield "kernel", inner[1]
        value = value[: inner.start()].rstrip(" ,")
    if mac := _MAC.match(_ARCH.sub("", value)):
        value = f"{mac[1]} {mac[2]}" if mac[2] else mac[1]
    value = _CODE_NAME.sub("", value).replace("TrueNAS-SCALE-", "TrueNAS SCALE ")
    found = _VERSIONED.match(value) or _UNVERSIONED.match(_ARCH.sub("", value))
    name = normalise.os_name(re.sub(r"(?i)(?: linux)?(?: (?:release|version|server))?\Z", "", found["name"])) if found else None
    name = name or (normalise.os_name(found["name"]) if found else None)
    if not found or not name or not _SUITED.match(found["rest"]):
        return
    yield "os.name", name
    if machine := _ARCH.search(value):
        yield "arch", machine[0].strip()
    if version := found.groupdict().get("version"):
        yield "os.version", version
    if family := normalise.os_family(name):
        yield "os.family", family


def _network(value: str) -> str | None:
    """`Ethernet 10 Gb/s`, `InfiniBand 100 Gb/s`: where one link of one rate is named."""
    if rates := {int(rate) for rate in _ETHERNET.findall(value)}:
        return f"Ethernet {rates.pop()} Gb/s" if len(rates) == 1 and "infiniband" not in value.lower() else None
    kinds = {word for word in re.findall(r"[a-z0-9]+", value.lower()) if word in _INFINIBAND}
    if len(kinds) == 1 and re.search(r"(?i)\b(?:infiniband|IB)\b", value):
        return f"InfiniBand {_INFINIBAND[kinds.pop()]} Gb/s"
    return None
