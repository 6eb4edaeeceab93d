"""Values of the rows of a system's specification: `64GB DDR4 ECC`, `Debian 12`, `8x WD Red 8TB in RAIDZ2`.

A value is read only where every word of it is understood; prose and values with additions that change the meaning give nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from ingest import normalise
from ingest.context.labels._setting_words import read_setting_words
from ingest.lazy_regex import lazy
from ingest.open_keys import CONTROLLER
from ingest.toml_tables import read_table

_TABLES = read_table(__file__)
ROW_KINDS = {label.lower(): kind for kind, labels in _TABLES["kinds"].items() for label in labels}
_LABELS = {label for labels in _TABLES["kinds"].values() for label in labels}
LABEL_PATTERN = "|".join(re.escape(label) for label in sorted(_LABELS, key=lambda label: (-len(label), label)))
POOL_KINDS = frozenset(("compression", "dedup", "recordsize", "atime", "layout"))
STANDALONE_LABELS = frozenset(_TABLES["standalone"]["labels"])

_NO_HOST = frozenset(("unknown", "none", "null", "undefined", "hidden", "redacted", "libzpool"))  # zdb's own
# Prefixes that a script prints behind its own label: `echo "OS: $(lsb_release -d)"`, `$(grep PRETTY_NAME /etc/os-release)`.
_DUMPED = lazy(r"(?i)\A(?:PRETTY_NAME=|Description:\s+|Model name\s*:\s+|model:\s+)(?=\S)")
_BRAND = lazy(
    r"(?i)\b(?:intel|amd|xeon|core|ryzen|epyc|opteron|athlon|phenom|pentium|celeron|atom|arm|cortex|sparc|power\d|apple"
    r"|threadripper|kunpeng|ampere|graviton\d?|i[3579]-\d{3,5}\w*|e[357]-\d{4}\w*)\b"
)
_NO_CPU = lazy(  # other products of the same makers
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
# Words allowed after a size of memory: type and maker, never its use.
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
_MAC = lazy(  # the name of the version beside its number, or instead of it
    r"(?i)(mac ?os(?: x)?|os x) (?:Yosemite|El Capitan|(?:High )?Sierra|Mojave|Catalina|Big Sur|Monterey|Ventura|Sonoma"
    r"|Sequoia|Tahoe)(?: \(?v?(\d[\d.]*)\)?)?\Z"
)
_OF_MAC = lazy(  # `Version 10.11.6 (Build 15G1004)`, `10.14 (18A391)`, `Sonoma 14.4.1`
    r"(?i)(?:(?:[A-Z][a-z]+ ){1,2})?v?((?:1\d|2\d)(?:\.\d{1,2}){1,2})(?: \((?:Build )?\w{4,9}\))?\Z"
)
_COUNTED = lazy(r"(?i) \((\d{1,4}) cores?(?: ?/ ?\d{1,4} threads?)?\)\Z")  # as the Phoronix Test Suite prints
_ARCH = lazy(r" (?:x86_64|amd64|aarch64|arm64|i686)\Z")
_PLAIN = lazy(r"(?!/)[\w.:+/-]{1,80}\Z")
_LAYOUT = lazy(r"(?i)(?:raid[ -]?z[ -]?[123]?|draid[123]|raid[ -]?(?:0|1|5|6|10|50|60)|mirror|stripe)\Z")
_LAYOUT_OF = lazy(  # `RAID6 (8 disks, mdadm)`
    r"(?i)(?P<level>raid[ -]?z[ -]?[123]?|raid[ -]?(?:0|5|6|10))[ ,]{1,2}\(?(?:of |with |over )?(?P<count>\d{1,3}) ?(?:x )?"
    r"(?:disks|drives|hdds|ssds)\b[^()]{0,40}\)?\Z"
)
_COUNT = lazy(r"(?i)(?P<count>\d{1,3}) ?[x×] ?[\d.,]{1,6} ?[TG]i?B\b(?P<rest>[^:|+&]{0,60})\Z")
_DRIVE = lazy(  # one disk, with its maker
    r"(?i)(?P<model>(?:WDC?|Western Digital|Seagate|Samsung|Toshiba|HGST|Hitachi|Intel|Micron|Crucial|Kingston|SanDisk|Kioxia"
    r"|Corsair|OCZ|ADATA|Lexar|Sabrent|Transcend|SK ?hynix|Solidigm|Fujitsu|Maxtor|INTEL)[ _-][^,;:()|+&/]{2,50}?)"
    r"(?: ?\((?:SATA|NVMe|PCIe|M\.2|USB|\d[\d.]* ?[TG]B)[^()]{0,30}\))?\.?\Z"
)
# `8x WD Red 8TB in RAIDZ2`: number, model with its maker's name, optionally the one vdev that they form.
_DISKS = lazy(
    r"(?i)(?P<count>\d{1,3}) ?(?:[x×*]|times) ?(?P<model>(?=[^,;()]{0,40}\b(?:WD\w*|Western Digital|Seagate|Samsung|Toshiba|HGST"
    r"|Hitachi|Intel|Micron|Crucial|Kingston|SanDisk|IronWolf|Exos|Barracuda|Ultrastar|Kioxia|SK ?hynix|Solidigm|Fujitsu|Maxtor)\b)"
    r"[^,;:()|]{3,60}?)(?:,? \(?(?:(?:in|as|configured as|im|als|en) (?:an? )?(?:single )?)?"
    r"(?P<layout>raid[ -]?z[ -]?[123]?|draid[123]|mirror|stripe|raid[ -]?(?:0|5|6|10))(?: (?:pool|vdev|array))?\)?"
    r"(?: \((?:mdadm|md|software|hardware)[^()]{0,20}\))?)?\.?\Z"
)
_NOT_THE_DATA = lazy(  # disks of another purpose, or more words than a model
    r"(?i)\b(?:boot|os|system|cache|slog|log|spare|and|or|in|each|im|als|mit|dans|avec|con)\b|[+&]"
)
_CARD = lazy(  # `PERC H730P Mini`, `Areca ARC-1880i, 1 GB cache`
    r"(?i)((?=[^,;()|]{0,50}\d{3})(?![^,;()|]{0,50}\b(?:nvme|ahci|usb|sata|ethernet|chipset|mhz)\b)[a-z][\w ./-]{3,48}?)"
    r"(?: ?[(\[][^()]{0,60}[)\]]|, [^|]{1,60}| (?:in|flashed|with) [^|]{1,60})?\.?\Z"
)
_ETHERNET = lazy(r"(?i)\b(\d{1,3}) ?(?:GbE|Gigabit Ethernet|GigE|G(?:b/?s|bps)? Ethernet|GBase-?\w+)\b")
_INFINIBAND = {"sdr": 10, "qdr": 40, "fdr": 56, "edr": 100, "hdr100": 100, "hdr": 200, "ndr": 400}

_Values = Iterator[tuple[str, Any]]  # (key, value)


def read_row(kind: str, value: str) -> _Values:
    """(key, value) of a row of that kind (`ROW_KINDS`); nothing where its value is not wholly understood."""
    plain = _DUMPED.sub("", value.strip()).strip("\"'").replace("\uff0c", ", ").replace(",  ", ", ")
    return _KIND_READERS[kind](plain)


def _read_cpu(value: str) -> _Values:
    counted = _COUNTED.search(value)
    if model := _cpu_model(value[: counted.start()] if counted else value):
        yield "cpu.model", model
        if counted and not _TIMES.match(value):
            yield "cpu.cores", int(counted[1])


def _cpu_model(value: str) -> str | None:
    """The one model named, without number of processors, clock and cores; None for two models joined or another product."""
    value = _CLOCK_FIRST.sub("", value)
    if not _BRAND.search(value) or re.search(r"%| [+&] | and | / | vs", value):
        return None
    model = re.split(r"\s+\[|\s+\((?!\d{1,4}\)\s*@)|[,;]|\s+(?:with|running|overclocked|OC'?d?|at)\b", _TIMES.sub("", value))[0]
    return normalise.cpu_model(model) if len(model) <= 80 and not _NO_CPU.search(model) else None


def _read_memory(value: str) -> _Values:
    if size := parse_memory(value):
        yield "memory", size


def parse_memory(value: str) -> int | None:
    """Bytes of `64GB DDR4 ECC`, `4x16GB`, `DDR4 16GB x 4 = 64GB`, `1.9 GB (123.2 MB Used)`, `32 Go`; None of any other text."""
    total = _SUM.search(value)
    value = _MAKE_FIRST.sub("", value[: total.start()] if total else value, count=1)
    sized = _WHOLE.match(value.translate(_LETTERS) if re.search("[МГТ]Б|[KMGT]o", value) else value)
    if not sized or not _MAKE.match(sized["rest"]) or (sized["count"] and sized["times"]):
        return None
    module = normalise.parse_size(sized[2].replace(",", ".") + sized[3][0])
    count = int(sized["count"] or sized["times"] or 1)
    if not module or module * count < 2**20 or (total and module * count != normalise.parse_size(total[1] + total[2])):
        return None
    return module * count


def _read_mac(name: str, value: str) -> _Values:
    if version := _OF_MAC.match(value):
        yield from (("os.name", name), ("os.version", version[1]), ("os.family", "Darwin"))


def _read_kernel(value: str) -> _Values:
    if kernel := _KERNEL.match(value):
        yield "kernel", kernel["release"]
        if family := kernel["family"] or kernel["other"]:
            yield "os.family", family


def _read_arch(value: str) -> _Values:
    if machine := _MACHINE.match(value):
        yield "arch", machine[1]


OWN_RELEASES = frozenset("zfs lustre beegfs gpfs ceph glusterfs orangefs daos moosefs juicefs panfs bcachefs".split())
"""File systems with releases of their own; those of kernels have the kernel's version."""
_FS_NAMES = {"openzfs": "zfs", "zfs on linux": "zfs", "zol": "zfs", "spectrum scale": "gpfs", "ibm spectrum scale": "gpfs"}
_RELEASE = lazy(r"(?i)(?:version |release |v)?(\d{1,4}(?:\.\d{1,4}){1,4}(?:[-_.+~]\w{1,20}){0,4})(?=\Z|[ ,;(])")
_NAMED_RELEASE = lazy(r"([A-Za-z]+(?: (?i:on linux|scale))?) ")


def read_release(name: str, value: str) -> dict[str, Any]:
    """`fs.type` and `fs.version` of a file system's name and what stands behind it; empty of any other name or value."""
    release = _RELEASE.match(value)
    if release is None:
        return {}
    name = name.lower().removesuffix(" version").removesuffix(" release")
    kind = _FS_NAMES.get(name) or normalise.file_system_type(name) or ""
    return {"fs.type": kind, "fs.version": release[1]} if kind in OWN_RELEASES else {}


def _read_file_system(value: str) -> _Values:
    if named := _NAMED_RELEASE.match(value):
        yield from read_release(named[1], value[named.end() :]).items()
    settings = read_setting_words(re.sub(r"(?i)\bzfs[ -]on[ -]linux\b", "zfs", value))
    if "fs.type" in settings and len(value) < 60:
        yield from ((key, setting) for key, setting in settings.items() if key == "fs.type" or key.startswith("pool."))


def _read_property(prop: str, value: str) -> _Values:
    settings = read_setting_words(f"{prop}={value.lower()}")
    if " " not in value and f"pool.{prop}" in settings:
        yield f"pool.{prop}", settings[f"pool.{prop}"]


def _read_layout(value: str) -> _Values:
    counted = _LAYOUT_OF.match(value)
    if not counted and not _LAYOUT.match(value):
        return
    layout = read_setting_words((counted["level"] if counted else value).lower()).get("pool.layout")
    if layout and counted:
        yield "pool.layout", f"{layout}({int(counted['count'])})"
        yield "disk.count", int(counted["count"])
    elif layout:
        yield "pool.layout", layout


def _read_disks(value: str) -> _Values:
    yield from parse_disks(value)
    yield from _read_disk_count_or_model(value)


def _read_controller(value: str) -> _Values:
    """The card of `LSI 9300-8i (IT mode)`; nothing of one without a model number, or of a chipset's."""
    if card := _CARD.match(value):
        yield CONTROLLER, card[1]


def parse_disks(value: str) -> _Values:
    """Number, model and, of a vdev that the text names, layout of `8x WD Red 8TB in RAIDZ2`; nothing of any other text."""
    disks = _DISKS.match(value)
    if not disks or _NOT_THE_DATA.search(disks["model"]):
        return
    count = int(disks["count"])
    yield "disk.count", count
    if disks["layout"] and (level := re.fullmatch(r"(?i)raid[ -]?(\d{1,2})", disks["layout"])):
        yield "pool.layout", f"raid{level[1]}({count})"
    yield "disk.model", " ".join(disks["model"].split())
    if disks["layout"] and not re.fullmatch(r"(?i)raid[ -]?\d{1,2}", disks["layout"]):
        kind = normalise.vdev_kind(disks["layout"]) or disks["layout"].lower()
        if kind.rstrip("123") in ("mirror", "stripe", "raidz", "draid") and (kind != "mirror" or count == 2):
            yield "pool.layout", f"{kind}({count})"


def _read_disk_count_or_model(value: str) -> _Values:
    """The number of `12 x 4TB 7.2K SAS`, the model of `Samsung 970 EVO Plus 1TB`; nothing of disks of another purpose."""
    if re.search(r"(?i)\b(?:boot|os|system|root|cache|slog|log|swap|spare|and|or|with|for|external|usb)\b", value):
        return
    counted, drive = _COUNT.match(value), _DRIVE.match(value)
    if counted and not _DISKS.match(value) and int(counted["count"]) > 0 and not re.search(r"\d ?[x×]", counted["rest"]):
        yield "disk.count", int(counted["count"])
    elif drive and re.search(r"\d", drive["model"]):
        yield "disk.model", " ".join(drive["model"].split())


def _read_system(value: str) -> _Values:
    if kernel := _KERNEL_ALONE.match(value):
        yield from (("kernel", kernel["of_linux"] or kernel["known"]), ("os.family", "Linux"))
        return
    if (inner := _KERNEL_BESIDE.search(value)) and "kernel" not in value[: inner.start()].lower():
        yield "kernel", inner[1]
        value = value[: inner.start()].rstrip(" ,")
    if mac := _MAC.match(_ARCH.sub("", value)):
        value = f"{mac[1]} {mac[2]}" if mac[2] else mac[1]
    value = _CODE_NAME.sub("", value).replace("TrueNAS-SCALE-", "TrueNAS SCALE ")
    system = _VERSIONED.match(value) or _UNVERSIONED.match(_ARCH.sub("", value))
    name = _distribution(system["name"]) if system else None
    if not system or not name or not _SUITED.match(system["rest"]):
        return
    yield "os.name", name
    if machine := _ARCH.search(value):
        yield "arch", machine[0].strip()
    if version := system.groupdict().get("version"):
        yield "os.version", version
    if family := normalise.os_family(name):
        yield "os.family", family


def _distribution(name: str) -> str | None:
    """The registered name, also of `CentOS Linux release`; None of an unknown one."""
    return normalise.os_name(re.sub(r"(?i)(?: linux)?(?: (?:release|version|server))?\Z", "", name)) or normalise.os_name(name)


def _read_host(value: str) -> _Values:
    if re.fullmatch(r"[A-Za-z0-9][\w.-]{0,62}", value) and not value.isdecimal() and value.lower() not in _NO_HOST:
        yield "host", value


def _read_network(value: str) -> _Values:
    if link := _link(value) or (_PLAIN.match(value) and value):
        yield "network", link


def _read_nic(value: str) -> _Values:
    if link := _link(value):
        yield "network", link


def _link(value: str) -> str | None:
    """`Ethernet 10 Gb/s`, `InfiniBand 100 Gb/s` where the text names one link of one rate; else None."""
    if rates := {int(rate) for rate in _ETHERNET.findall(value)}:
        return f"Ethernet {rates.pop()} Gb/s" if len(rates) == 1 and "infiniband" not in value.lower() else None
    generations = {word for word in re.findall(r"[a-z0-9]+", value.lower()) if word in _INFINIBAND}
    if len(generations) == 1 and re.search(r"(?i)\b(?:infiniband|IB)\b", value):
        return f"InfiniBand {_INFINIBAND[generations.pop()]} Gb/s"
    return None


_KIND_READERS: dict[str, Callable[[str], _Values]] = {
    "cpu": _read_cpu, "memory": _read_memory, "system": _read_system, "mac": partial(_read_mac, "macOS"),
    "mac os x": partial(_read_mac, "Mac OS X"), "kernel": _read_kernel, "arch": _read_arch, "fs": _read_file_system,
    "host": _read_host, "nic": _read_nic, "compression": partial(_read_property, "compression"),
    "dedup": partial(_read_property, "dedup"), "recordsize": partial(_read_property, "recordsize"),
    "atime": partial(_read_property, "atime"), "layout": _read_layout, "disks": _read_disks, "network": _read_network,
    "controller": _read_controller,
}  # fmt: skip
