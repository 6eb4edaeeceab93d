"""The systems that a reader sees as one list: spellings of one processor merged, searched, filtered and sorted in memory.

A system is a row of few columns, and there are some for each hundred configurations: the list of all is kept by data version.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple

from ingest import normalise, pool_layout
from webapp.comparison.dimensions import DIMENSIONS, UNKNOWN, in_sentence
from webapp.formatting import numbers
from webapp.http.process_cache import MB, ProcessCache, estimate_bytes
from webapp.models.configuration import System, SystemColumns
from webapp.models.summary import PUBLIC
from webapp.systems import system_queries
from webapp.systems.system_queries import CountedSystem

# Spellings of one processor: which texts name the same model. Pure.

_MARKS = re.compile(r"\((?:r|tm|c)\)|[\u00ae\u2122\u00a9]", re.IGNORECASE)
_RATE = re.compile(r"@?\s*(?<![\w.])(\d{1,5}(?:[.,]\d{1,3})?)\s*([gm])hz\b", re.IGNORECASE)
_WORDS = re.compile(r"\b(?:cpu|processor|genuine|genuineintel|authenticamd)\b", re.IGNORECASE)
_OF_MODELS = re.compile(
    r"\b(?:dual|triple|quad|six|eight|ten|twelve|sixteen|\d{1,3})[- ]?core\b|\b\d{1,2}th gen\b|\b(?:with|w/) radeon.*\Z",
    re.IGNORECASE,
)
"""What a model number implies."""
_STEPPING = re.compile(r"(?<=\d)([a-z]{0,3})\s+0\s*\Z")
"""The `0` of `E5-1620 0`."""
_MAKERS = {
    "intel": {"xeon", "core", "core2", "pentium", "celeron", "atom", "itanium"},
    "amd": {"epyc", "opteron", "ryzen", "athlon", "phenom", "sempron", "turion"},
}
_SEPARATORS = re.compile(r"[\s\-_,;()]+")
_BETWEEN_KINDS = re.compile(r"(?<=[^\W\d_]) (?=\d)|(?<=\d) (?=[^\W\d_])")
_MODEL_NUMBER = re.compile(r"\d{3}|\d[a-z]\d\d\b", re.IGNORECASE)
"""`7763`, and those of clouds, `7B13`."""


@lru_cache(10_000)
def canonical_cpu(text: str) -> str:
    """`Intel(R) Xeon(R) CPU E5-2620 v3 @ 2.40GHz` -> `xeon e5 2620v3 @ 2400 MHz`; the text itself where nothing names a model."""
    name, rates = _take_rates(_MARKS.sub(" ", text).lower())
    name = _canonical_name(name)
    if not _MODEL_NUMBER.search(name) and (not rates or not name):
        return text
    return f"{name} @ {' '.join(f'{rate} MHz' for rate in rates)}" if rates else name


def group_spellings(texts: Iterable[str]) -> dict[str, str]:
    """Each text with the name of its class.

    A text without a clock rate is in the class of those with one where it has a model number and only one rate is known of that.
    """
    names = {text: canonical_cpu(text) for text in texts}
    rates: dict[str, set[str]] = {}
    for name in names.values():
        model, rated, _ = name.partition(" @ ")
        if rated:
            rates.setdefault(model, set()).add(name)
    return {text: _only(rates.get(name, set()), name) for text, name in names.items()}


def _only(rated: set[str], name: str) -> str:
    """The only name with a clock rate of a model, else the name itself."""
    return next(iter(rated)) if len(rated) == 1 and _MODEL_NUMBER.search(name) else name


def _take_rates(text: str) -> tuple[str, list[str]]:
    """The text without clock rates, and those in MHz, sorted."""
    rates = {f"{float(number.replace(',', '.')) * (1000 if unit == 'g' else 1):g}" for number, unit in _RATE.findall(text)}
    return _RATE.sub(" ", text), sorted(rates)


def _canonical_name(text: str) -> str:
    """Without what the same processor is named with and without, until nothing changes."""
    while True:
        name = _WORDS.sub(" ", text)
        if _MODEL_NUMBER.search(name):
            name = _STEPPING.sub(r"\1", _OF_MODELS.sub(" ", name.strip()))
        name = _SEPARATORS.sub(" ", name).strip()
        name = _BETWEEN_KINDS.sub("", _without_maker(name))
        if name == text:
            return name
        text = name


def _without_maker(name: str) -> str:
    words = name.split(" ")
    for maker, families in _MAKERS.items():
        if any(family in families for word in words for family in (word.lower(), word.lower().rstrip("0123456789"))):
            words = [word for word in words if word.lower() != maker]
    return " ".join(words)


# What a person would call a system or a configuration.

BETWEEN = " \u00b7 "
SAID = {"host", "cpu", "disk", "disks", "layout", "fs", "stack", "compression", "os", "os_family", "os_version"}
"""The dimensions that a name says."""
_VDEV = re.compile(r"([a-z]+\d*)\((\d+)\)")
_COMPRESSING = re.compile(r"zfs|btrfs|bcachefs|f2fs|ntfs")


@lru_cache(10_000)
def short_cpu(text: str) -> str:
    """`Intel(R) Xeon(R) CPU E5-2620 v3 @ 2.40GHz` -> `Xeon E5-2620 v3`."""
    name = _WORDS.sub(" ", _RATE.sub(" ", _MARKS.sub(" ", text)))
    if _MODEL_NUMBER.search(name):
        name = _STEPPING.sub(r"\1", _OF_MODELS.sub(" ", name.strip()))
    return _without_maker(" ".join(name.split())).strip(" ,;-") or text


def say_name(known: Mapping[str, Any], nothing: str = "Hardware not recorded") -> str:
    """`stor01 · EPYC 7313 · 6 × NVMe raidz2 · zfs lz4 · Debian 12`, as far as these dimensions are known.

    Cores and memory where no operating system is known: they are hardware by itself.
    """
    found = ((name, known.get(name)) for name in (*SAID, "cores", "memory"))
    said = {
        name: numbers.line(value, 120 if name == "host" else 60) for name, value in found if value not in (None, "", UNKNOWN)
    }.get
    system = " ".join(filter(None, (said("os") or said("os_family"), said("os_version"))))
    fs, compression = said("stack") or said("fs") or "", said("compression")
    if compression in ("on", "off"):
        compression = f"compression {compression}" if compression == "on" or _COMPRESSING.search(fs) else ""
    cores, memory = (None, None) if system else (said("cores"), said("memory"))
    parts = (
        said("host"),
        short_cpu(said("cpu", "")),
        cores and _plural(cores, "core"),
        memory and numbers.size(int(memory)),
        _say_disks(said("disk", ""), said("disks", ""), said("layout", "")),
        " ".join(filter(None, (fs, compression))),
        system,
    )
    return BETWEEN.join(filter(None, parts)) or nothing


def _say_disks(model: str, count: str, layout: str) -> str:
    """`6 × NVMe raidz2`, `12 disks`, `36 disks 4 x raidz1(9)`: the disks of the pool where its layout has their number."""
    pool, vdev = pool_layout.parse_layout(layout), _VDEV.fullmatch(layout)
    count = str(pool.disks) if pool else count
    kind = vdev[1] if vdev else layout
    if model:
        disks = model if count in ("", "1") else f"{count} {numbers.TIMES} {model}"
    else:
        disks = count and _plural(count, "disk")
    return " ".join(filter(None, (disks, "" if vdev and kind == "stripe" else kind)))


def _plural(count: str, what: str) -> str:
    return f"{count} {what}{'' if count == '1' else 's'}"


def system_name(system: SystemColumns | ListedSystem) -> str:
    """The name of hardware by itself."""
    if isinstance(system, SystemColumns):
        system = list_stored(system)
    parts = ("host", "cpu", "cores", "memory", "disk", "disks")
    return say_name({name: getattr(system, name) for name in parts})


MAX_SYSTEMS = 20_000
"""Systems that are listed, the most measured ones."""
_cache = ProcessCache(16 * MB, estimate_bytes)


@dataclass(frozen=True, slots=True)
class ListedSystem:
    """A system of the list. `ids`: the stored systems of these parts, the most measured first; `cpu`: the processor in the spelling
    with most measurements of all systems; `spellings`: how these name it, each with the system that does; `archs` likewise."""

    ids: tuple[int, ...]
    cpu: str | None
    spellings: tuple[tuple[str, int], ...]
    archs: tuple[str, ...]
    cores: int | None
    memory: int | None
    disk: str | None
    disks: int | None
    measurements: int
    configurations: int
    host: str | None = None
    """Of a system that is known by it, without a number behind it (`#147`) that separates no two."""
    facts: system_queries.Facts = field(default_factory=dict)

    @property
    def pk(self) -> int:
        return self.ids[0]

    @property
    def arch(self) -> str:
        """The architecture in every recorded spelling."""
        return ", ".join(self.archs)


class _Public(NamedTuple):
    """What everybody sees: systems as stored and as listed, and how many measurements archives have and comparisons draw. `cut`:
    there are more systems."""

    counted: list[CountedSystem]
    facts: Mapping[int, system_queries.Facts]
    systems: list[ListedSystem]
    measurements: int
    drawn: int
    cut: bool


class Totals(NamedTuple):
    """`systems` as the list counts them; `measurements` as the list of archives does; `drawn`: those of them that are in
    comparisons, without withdrawn ones, and of what is repeated or copied one.

    `cut`: there are more systems and configurations, since no more than `MAX_SYSTEMS` are counted.
    """

    systems: int
    configurations: int
    measurements: int
    drawn: int
    cut: bool


def read_systems(version: int, scopes: Sequence[int]) -> list[ListedSystem]:
    """The systems with measurements in these scopes, the most measured first. Without private scopes one query for each data
    version, else one more."""
    public = _read_public(version)
    private = [scope for scope in scopes if scope != PUBLIC]
    own = system_queries.read_private_systems(private) if private else []
    facts = _read_facts(scopes, own) if any(row.host for row in own) else public.facts
    return merge_systems([*public.counted, *own], facts) if own else public.systems


def _read_facts(scopes: Sequence[int], counted: Iterable[CountedSystem]) -> dict[int, system_queries.Facts]:
    return system_queries.read_facts(scopes, 2 * MAX_SYSTEMS) if any(row.host for row in counted) else {}


def read_totals(version: int) -> Totals:
    """How much everybody sees. One query for each data version."""
    public = _read_public(version)
    configurations = sum(row.configurations for row in public.systems)
    return Totals(len(public.systems), configurations, public.measurements, public.drawn, public.cut)


def is_cut(version: int) -> bool:
    """Whether there are more public systems than are listed. One query for each data version."""
    return _read_public(version).cut


def _read_public(version: int) -> _Public:
    public = _cache.get(version)
    if public is None:
        counted, measurements, drawn = system_queries.read_counted_systems(MAX_SYSTEMS + 1)
        listed = counted[:MAX_SYSTEMS]
        facts = _read_facts([PUBLIC], listed)
        systems, is_cut = merge_systems(listed, facts), len(counted) > MAX_SYSTEMS
        public = _cache.put(version, _Public(listed, facts, systems, measurements, drawn, is_cut))
    return public


_NUMBER = re.compile(r"\s+#\d+\s*\Z")
"""Of a submission, behind the name of its machine."""


def merge_systems(
    counted: Iterable[CountedSystem], facts: Mapping[int, system_queries.Facts] = MappingProxyType({})
) -> list[ListedSystem]:
    """One row for all systems of the same parts, by the class of their processor's spelling; the most measured first.

    A system of which the processor is unknown, or that is known by its host, is like no other. `facts`: by id.
    """
    rows = sorted(counted, key=lambda row: (-row.measurements, row.pk))
    classes = group_spellings({row.cpu for row in rows if row.cpu})
    spelt: dict[str, Counter[str]] = {}
    groups: dict[tuple, list[CountedSystem]] = {}
    for row in rows:
        arch = normalise.architecture(row.arch) if row.arch else None
        is_hardware = row.cpu and not row.host
        parts = (classes[row.cpu or ""], arch, row.cores, row.memory, row.disk, row.disks) if is_hardware else (row.pk,)
        groups.setdefault(parts, []).append(row)
        if row.cpu:
            spelt.setdefault(classes[row.cpu], Counter())[row.cpu] += row.measurements
    usual = {name: max(counts, key=lambda text: (counts[text], text)) for name, counts in spelt.items()}
    merged = [_merge(group, usual[classes[group[0].cpu]] if group[0].cpu else None) for group in groups.values()]
    numbered = Counter(_NUMBER.sub("", one.host) for one in merged if one.host)
    for at, one in enumerate(merged):
        if one.host:
            short = _NUMBER.sub("", one.host)
            merged[at] = replace(one, host=short if numbered[short] == 1 else one.host, facts=facts.get(one.pk, {}))
    return sorted(merged, key=lambda row: (-row.measurements, row.pk))


def _merge(rows: Sequence[CountedSystem], cpu: str | None) -> ListedSystem:
    first = rows[0]
    ids = tuple(dict.fromkeys(row.pk for row in rows))
    spellings = {row.cpu: row.pk for row in reversed(rows) if row.cpu}
    return ListedSystem(
        ids=ids,
        cpu=cpu,
        spellings=tuple(reversed(spellings.items())),
        archs=tuple(dict.fromkeys(row.arch for row in rows if row.arch)),
        cores=first.cores,
        memory=first.memory,
        disk=first.disk,
        disks=first.disks,
        measurements=sum(row.measurements for row in rows),
        configurations=sum(row.configurations for row in rows),
        host=first.host,
    )


def find_spellings(systems: Iterable[ListedSystem], pk: int) -> ListedSystem | None:
    """The row that has a stored system, with that system first; None where the reader does not see it."""
    row = next((row for row in systems if pk in row.ids), None)
    return row and replace(row, ids=(pk, *(other for other in row.ids if other != pk)))


def list_stored(system: SystemColumns) -> ListedSystem:
    """A stored system by itself, without numbers of measurements."""
    [row] = merge_systems(
        [
            CountedSystem(
                pk=system.pk,
                arch=system.arch,
                cpu=system.cpu_model,
                cores=system.cpu_cores,
                memory=system.memory,
                disk=system.disk_model,
                disks=system.disk_count,
                measurements=0,
                configurations=0,
                host=system.host if isinstance(system, System) else None,
            )
        ]
    )
    return row


# The list of systems as it is shown: its columns, and what its rows differ in.

MAX_FACTS = 6
"""Columns of the facts about hosts: those recorded for most."""
PARTS = ("cores", "memory", "disks", "arch")
LABELS = {"cpu": "CPU", "cores": "Cores", "memory": "Memory", "disks": "Disks", "arch": "Architecture"}


@dataclass(frozen=True, slots=True)
class DescribedSystem:
    """A row: the system, what differs from others with the same processor, and its cells."""

    system: ListedSystem
    apart: str
    cells: Sequence[tuple[str, str]]
    """(name of the column, text)."""

    @property
    def name(self) -> str:
        return short_cpu(self.system.cpu) if self.system.cpu and not self.system.host else system_name(self.system)

    @property
    def others(self) -> Sequence[tuple[str, int]]:
        """The other spellings of its processor, each with a system that has it."""
        return [(spelling, pk) for spelling, pk in self.system.spellings if spelling != self.system.cpu]


def fact_names(systems: Iterable[ListedSystem]) -> list[str]:
    """The names of the facts about hosts, each a dimension, those first that are recorded for most."""
    counts = Counter(name for system in systems for name in system.facts)
    return sorted(counts, key=lambda name: (-counts[name], name))[:MAX_FACTS]


def fact_label(name: str) -> str:
    return DIMENSIONS[name].label


def describe_part(system: ListedSystem, name: str) -> str:
    """A part or a fact as text, with its unit where it stands alone; empty where it is unknown."""
    if name not in PARTS:
        return ", ".join(system.facts.get(name, ()))
    if name == "cores":
        return _plural(str(system.cores), "core") if system.cores else ""
    if name == "memory":
        return numbers.size(system.memory) if system.memory else ""
    return _say_disks(system.disk or "", str(system.disks or ""), "") if name == "disks" else system.arch


def searched_text(system: ListedSystem) -> str:
    """What a search of the list looks at."""
    said = [*(spelling for spelling, _ in system.spellings), *(describe_part(system, name) for name in PARTS)]
    return "\n".join([system.host or "", *said, *(text for texts in system.facts.values() for text in texts)])


def split_parts(systems: Sequence[ListedSystem], facts: Sequence[str] = ()) -> tuple[list[str], list[str]]:
    """The parts and facts in which the systems differ, those with most values first; and as texts the parts that all have alike."""
    values = {name: {describe_part(system, name) for system in systems} for name in (*PARTS, *facts)}
    differ = [name for name in values if len(values[name]) > 1]
    alike = [
        text if name in ("cores", "disks") else f"{in_sentence(LABELS[name])} {text}"
        for name in PARTS
        if len(values[name]) == 1
        for text in values[name]
        if text
    ]
    return sorted(differ, key=lambda name: -len(values[name])), alike


def describe_systems(
    shown: Sequence[ListedSystem], listed: Sequence[ListedSystem], columns: Sequence[str]
) -> list[DescribedSystem]:
    """The rows of a page. `listed`: every system of the list, among which those with the same processor are distinguished."""
    alike: dict[str | None, list[ListedSystem]] = {system.host or system.cpu: [] for system in shown}
    for system in listed:
        if (name := system.host or system.cpu) in alike:
            alike[name].append(system)
    apart = {pk: text for name, systems in alike.items() if name for pk, text in _tell_apart(systems).items()}
    return [DescribedSystem(one, apart.get(one.pk, ""), [(name, _cell(one, name)) for name in columns]) for one in shown]


def _tell_apart(systems: Sequence[ListedSystem]) -> dict[int, str]:
    """By id, in what systems of one name differ; hosts that differ in nothing have the number of their page."""
    differing = split_parts(systems, fact_names(systems))[0]
    apart = {one.pk: ", ".join(text for name in differing if (text := describe_part(one, name))) for one in systems}
    alike = Counter(apart.values())
    equal = [one for one in systems if one.host and alike[apart[one.pk]] > 1]
    return apart | {one.pk: ", ".join(filter(None, (apart[one.pk], f"system {one.pk}"))) for one in equal}


def system_record(system: ListedSystem) -> dict[str, Any]:
    """A system as data: what the list and its page show; sizes in bytes."""
    parts = {name: getattr(system, name) for name in ("host", "cpu", "arch", "cores", "memory", "disk", "disks")}
    facts = {name: list(texts) for name, texts in system.facts.items()}
    counts = {"configurations": system.configurations, "measurements": system.measurements}
    return {"id": system.pk, "name": system_name(system), **parts, "facts": facts, **counts}


def _cell(system: ListedSystem, name: str) -> str:
    """A part as it stands in its column."""
    return str(system.cores or "") if name == "cores" else describe_part(system, name)
