"""Components of systems: CPUs, disks and controllers as far as evidence names them, the spellings of each joined, found by name.

A model is the class of its spellings: of a CPU by `system_index.canonical_cpu`, of a disk by `canonical_disk`, of a controller by
`canonical_controller`.
"""

from __future__ import annotations

import difflib
import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from django.urls import reverse

from ingest import open_keys
from webapp.http.process_cache import MB, ProcessCache, estimate_bytes
from webapp.models import Archive
from webapp.models.summary import ACCEPTED, PUBLIC
from webapp.systems import system_queries
from webapp.systems.system_index import ListedSystem, canonical_cpu, group_spellings, merge_systems, short_cpu

CPU, DISK, CONTROLLER = "cpu", "disk", "controller"
KINDS = {CPU: "CPU", DISK: "Disk", CONTROLLER: "Controller"}
KEYS = {"cpu.model": CPU, "disk.model": DISK, open_keys.CONTROLLER: CONTROLLER}
MAX_SYSTEMS = 20_000
"""Systems of which the components are listed, the most measured ones."""
MAX_NEAREST = 5
MAX_COMPARED = 2_000
"""Names that are looked through letter by letter for one like what was asked for."""
MAX_SEARCHED = 3
LONGEST_NAME = 200

_SIZE = re.compile(r"(?<![\w.-])(\d{1,5}(?:[.,]\d{1,2})?)[ -]?([gt])i?b?(?![\w-])")
_INTERFACES = re.compile(r"\b(?:ata|sata|scsi|sas|nvme|ssd|hdd|disks?|drives?)\b")
_VENDORS = re.compile(
    r"\b(?:intel|samsung|seagate|wdc|western digital|hgst|hitachi|toshiba|kioxia|micron|crucial|fujitsu|dell|sandisk|kingston)\b"
)
_SPEED = re.compile(r"(?<![\w.])\d{1,5}(?:[.,]\d{1,3})?k?(?: ?rpm)?\b")
_VIRTUAL = re.compile(r"\b(?:perc|megaraid|serveraid|logical volume|qemu|vbox|virtual (?:disk|hd|drive))\b")
"""What a controller or a host shows as a disk: which disks are behind it is unknown."""
_CARD = re.compile(r"(?<!\d)\d{4}\w?-\d{1,2}[ie]\w*")
_CHIP = re.compile(r"sas(?:-\d)?[ -]?(\d{4})(?!\d|-\d)")
_OF_CONTROLLERS = re.compile(
    r"\[.*?\]|\(.*?\)|\b(?:dell|hpe?|hewlett|packard|enterprise|company|lsi|logic|symbios|broadcom|avago|technologies|adaptec|areca"
    r"|lenovo|ibm|cisco|intel|inc|corp|corporation|smart array|smart hba|raid|sas|sata|hba|sr|gen\d+|controller|adapter|card|mini"
    r"|integrated|embedded|internal|monolithics)\b"
)
"""What is no part of a model: code names, makers, sold under whose name it is, kinds and shapes."""
_NUMBER = re.compile(r"\d{3}|\d[a-z]\d\d\b", re.IGNORECASE)
_JOINED = re.compile(r" \+ ")
"""Between the models of a pool of several."""


@lru_cache(10_000)
def canonical_disk(text: str) -> str:
    """`ATA SAMSUNG HD204UI` -> `hd204ui`, `Samsung SSD 970 EVO 1TB` -> `samsung 970 evo 1000gb`; empty where no model is named.

    A part number stands for maker and size; of a model that comes in several sizes the size is part of the name.
    """
    name = _SIZE.sub(_in_gb, re.sub(r"[\s_,;()]+", " ", text.lower()))
    name = " ".join(_INTERFACES.sub(" ", name).split())
    if any(_is_part_number(word) for word in name.split()):
        name = " ".join(_VENDORS.sub(" ", re.sub(r"(?<!\S)[\d.]+gb\b", " ", name)).split())
    words = _SPEED.sub(" ", re.sub(r"(?<!\S)[\d.]+gb\b|\braid ?\w*", " ", name))
    return name if re.search(r"[^\W\d_]{2}", words) and not _VIRTUAL.search(text.lower().replace("_", " ")) else ""


@lru_cache(10_000)
def canonical_controller(text: str) -> str:
    """`AVAGO MegaRAID SAS 9361-8i` -> `9361-8i`, `Broadcom / LSI SAS3008 PCI-Express Fusion-MPT SAS-3` -> `sas3008`, `Dell PERC
    H730P Mini` -> `perc h730p`; empty where no model is named."""
    name = text.lower()
    if card := _CARD.search(name):
        return card[0]
    if chip := _CHIP.search(name):
        return f"sas{chip[1]}"
    words = re.sub(r"(?<=[a-z])-(?=\d)", "", _OF_CONTROLLERS.sub(" ", name))
    found = re.findall(r"[\w.+/-]*\w", words)
    return " ".join(found) if re.search(r"\d", words) else ""


def _in_gb(match: re.Match[str]) -> str:
    return f"{round(float(match[1].replace(',', '.')) * (1000 if match[2] == 't' else 1), 2):g}gb"


def _is_part_number(word: str) -> bool:
    letters, digits = sum(map(str.isalpha, word)), sum(map(str.isdigit, word))
    return len(word) >= 7 and letters >= 4 and digits >= 2 and not word.endswith("gb")


@dataclass(frozen=True, slots=True)
class Component:
    """A model. `key`: the class of its spellings; `spellings`: as systems name it, the most measured first; `texts`: what
    comparisons filter by, where the models of a pool are one text."""

    kind: str
    key: str
    slug: str
    spellings: tuple[str, ...]
    texts: tuple[str, ...]
    systems: tuple[ListedSystem, ...]
    measurements: int

    @property
    def pk(self) -> str:
        return f"{self.kind}/{self.slug}"

    @property
    def name(self) -> str:
        return _short(self.kind, self.spellings[0])

    @property
    def label(self) -> str:
        return KINDS[self.kind]

    @property
    def dimension(self) -> str:
        """What comparisons filter by."""
        return open_keys.CONTROLLER if self.kind == CONTROLLER else self.kind

    @property
    def address(self) -> str:
        return reverse("hardware-component", args=[self.kind, self.slug])

    @property
    def ids(self) -> list[int]:
        return [pk for system in self.systems for pk in system.ids]


@dataclass(slots=True)
class _Found:
    spelt: Counter[str] = field(default_factory=Counter)
    texts: dict[str, None] = field(default_factory=dict)
    systems: dict[int, ListedSystem] = field(default_factory=dict)


_cache = ProcessCache(8 * MB, estimate_bytes)


def read_components(version: int, scopes: Sequence[int]) -> list[Component]:
    """The components of systems with measurements in these scopes, the most measured first. One query for each data version."""
    key = version, tuple(scopes)
    found = _cache.get(key)
    return found if found is not None else _cache.put(key, _list_components(scopes))


def read_visible(version: int, user: Any) -> list[Component]:
    """The components in accepted archives and the reader's own."""
    return read_components(version, Archive.objects.ranked_scopes_of(user)[0])


def read_linked(version: int, scopes: Sequence[int]) -> list[Component]:
    """Those of accepted archives and of the private ones among the scopes of a reader: all of them have a page for the reader."""
    return read_components(version, [ACCEPTED, *(scope for scope in scopes if scope != PUBLIC)])


def _list_components(scopes: Sequence[int]) -> list[Component]:
    rows = system_queries.read_components_of(scopes, MAX_SYSTEMS)
    counted = [row for row, _ in rows]
    listed = {pk: system for system in merge_systems(counted) for pk in system.ids}
    classes = group_spellings({row.cpu for row in counted if row.cpu})
    found: dict[tuple[str, str], _Found] = {}
    for row, controllers in rows:
        named = [(CPU, classes[row.cpu], row.cpu, row.cpu, row.measurements)] if row.cpu else []
        several = [(DISK, row.disk, row.measurements)] if row.disk else []
        several += [(CONTROLLER, text, n) for text, n in controllers]
        named += [(kind, _canonical(kind, model), model, text, n) for kind, text, n in several for model in _JOINED.split(text)]
        for kind, name, spelling, text, n in named:
            if name:
                one = found.setdefault((kind, name), _Found())
                one.spelt[spelling] += n
                one.texts[text] = None
                one.systems[listed[row.pk].pk] = listed[row.pk]
    slugs = _name_slugs({name: one.spelt for name, one in found.items()})
    components = [
        Component(
            *name,
            slugs[name],
            tuple(text for text, _ in one.spelt.most_common()),
            tuple(one.texts),
            tuple(one.systems.values()),
            one.spelt.total(),
        )
        for name, one in found.items()
    ]
    return sorted(components, key=lambda one: (-one.measurements, one.pk))


def _name_slugs(spelt: Mapping[tuple[str, str], Iterable[str]]) -> dict[tuple[str, str], str]:
    """The address of each (kind, class): of a disk that of its class, of a CPU that of the spelling with most words, unless two
    would have it."""
    slugs = {
        (kind, key): min(
            (slugify(_short(kind, text) if kind == CPU else key) for text in texts), key=lambda slug: (-slug.count("-"), slug)
        )
        for (kind, key), texts in spelt.items()
    }
    taken = Counter((kind, slug) for (kind, _), slug in slugs.items())
    return {(kind, key): slug if taken[kind, slug] == 1 else slugify(key) for (kind, key), slug in slugs.items()}


def _short(kind: str, text: str) -> str:
    """A spelling as a person says it: of a CPU with a model number without clock rate and maker."""
    return short_cpu(text) if kind == CPU and _NUMBER.search(text) else text


def _canonical(kind: str, text: str) -> str:
    """The class of a text by itself."""
    return {CPU: canonical_cpu, CONTROLLER: canonical_controller}.get(kind, canonical_disk)(text)


@lru_cache(10_000)
def slugify(name: str) -> str:
    """The name in an address: lower case and dashes; with a digest where signs that tell names apart have no place in one."""
    plain = name.lower().replace("+", " plus").replace(" @ ", " ").replace(" mhz", "mhz")
    slug = re.sub(r"[^a-z0-9.]+", "-", plain).strip("-.")
    lost = re.sub(r"[\sa-z0-9.,;()_/-]", "", plain)
    return f"{slug}-{hashlib.sha256(name.encode()).hexdigest()[:6]}".strip("-") if lost or not slug else slug


def find_component(components: Iterable[Component], kind: str, asked: str) -> Component | None:
    """The component of an address, or of any of its spellings; of a CPU without its clock rate where there is only one."""
    of_kind = [one for one in components if one.kind == kind]
    wanted = {_canonical(kind, asked), _canonical(kind, asked.replace("-", " "))} - {""}
    rates = [one for one in of_kind if one.key.partition(" @ ")[0] in wanted and kind == CPU]
    ways: tuple[Callable[[Component], bool], ...] = (
        lambda one: one.slug == asked,
        lambda one: one.key in wanted,
        lambda one: slugify(asked) in {one.slug, *map(slugify, one.spellings)},
        lambda one: len(rates) == 1 and one is rates[0],
    )
    return next((one for fits in ways for one in of_kind if fits(one)), None)


def find_nearest(components: Sequence[Component], kind: str, asked: str) -> list[Component]:
    """Those with the names most like what was asked for, at most five: all words first, then letters."""
    asked = asked.lower()[:LONGEST_NAME]
    of_kind = {one.slug: one for one in components if one.kind == kind}
    words = re.findall(r"[a-z0-9]+", asked)
    near = [slug for slug in of_kind if words and all(word in slug for word in words)]
    near += difflib.get_close_matches(asked, list(of_kind)[:MAX_COMPARED], MAX_NEAREST, 0.4)
    return [of_kind[slug] for slug in dict.fromkeys(near)][:MAX_NEAREST]


def find_searched(asked: str, read: Callable[[], Sequence[Component]]) -> list[Component]:
    """Those that a search names: every word stands in their spellings, one of them a number of a model; at most three.

    `read`: the components; not called where no word is such a number."""
    words = re.findall(r"[a-z0-9]+", asked.lower()[:LONGEST_NAME])
    if not any(len(word) > 2 and re.search(r"\d", word) for word in words):
        return []
    components = read()
    named = [
        one
        for one in components[:MAX_COMPARED]
        if {*words} <= {*re.findall(r"[a-z0-9]+", " ".join((one.slug, *one.spellings)).lower())}
    ]
    exact = (find_component(components, kind, asked) for kind in KINDS)
    return list({one.pk: one for one in (*exact, *named) if one}.values())[:MAX_SEARCHED]


def link_components(parts: Iterable[tuple[str, Iterable]], read: Callable[[], Sequence[Component]]) -> None:
    """Set where the keys of a described configuration lead to: the pages of its CPU and disks, as far as the reader has them.

    `read`: the components; not called where neither key is known."""
    named = [key for _, keys in parts for key in keys if key.name in KEYS]
    every = read() if named else ()
    for key in named:
        kind = KEYS[key.name]
        models = [str(key.value)] if kind == CPU else _JOINED.split(str(key.value))
        key.components = [one for model in models if (one := find_component(every, kind, model))]
