"""What of an archive becomes public when it is published: names of the upload, hosts, and what a search finds in its text files.

The search reads the stored bytes once, block by block, and keeps a bounded number of values. Its result is stored: the bytes never
change.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

from django.db.models import Count, Sum

import ingest
from webapp.archives.exposure_patterns import KINDS, VERSION, find_exposures
from webapp.files import blobs
from webapp.files.addresses import file_address, line_address, place_address
from webapp.files.raw_lines import utf16_encoding, write_lines
from webapp.models import Archive, ArchiveConfiguration, Exposure, Run

BLOCK = 1 << 20  # bytes in memory at once
SEARCHED_AT_ONCE = 4 << 20
"""Bytes of files that are searched while a page is made; the worker searches more."""
MAX_VALUES, MAX_PLACES = 200, 3  # different values of a kind that are kept, and places of each
_SHOWN = 12  # values of a kind on the page
_SHOWN_PATHS = 30
_MAX_HOSTS = 200


@dataclass(frozen=True, slots=True)
class FoundValue:
    """A value, how often it was found, and its first places as (text, address)."""

    text: str
    count: int
    places: list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class FoundKind:
    """The values of a kind: the first ones, `more` further; `is_bound`: there are more than were kept."""

    title: str
    values: list[FoundValue]
    more: int = 0
    is_bound: bool = False

    @property
    def total(self) -> int:
        return len(self.values) + self.more


class _Finds:
    """Values by kind, bounded."""

    def __init__(self) -> None:
        self.kinds: dict[str, dict[str, list[Any]]] = {}
        self.full: set[str] = set()

    def add(self, kind: str, value: str, path: str, line: int) -> None:
        values = self.kinds.setdefault(kind, {})
        entry = values.get(value)
        if entry is None:
            if len(values) >= MAX_VALUES:
                self.full.add(kind)
                return
            entry = values[value] = [0, []]
        entry[0] += 1
        if len(entry[1]) < MAX_PLACES and [path, line] not in entry[1]:
            entry[1].append([path, line])


def search(archive: Archive, on_bytes: Callable[[int], object] = lambda size: None) -> Exposure:
    """Search the text files of the archive and store what was found. `on_bytes` is called with the size of each searched block."""
    finds, skipped = _Finds(), []
    paths = set(archive.files.values_list("path", flat=True))
    with blobs.local_path(archive.sha256) as kept:
        for path, stream in ingest.open_files(kept, archive.name, paths):
            with stream:
                if not _search_file(path, stream, finds, on_bytes):
                    skipped.append(path)
    found = {"kinds": finds.kinds, "full": sorted(finds.full), "skipped": len(skipped), "not_searched": skipped[:_SHOWN]}
    return Exposure.objects.update_or_create(archive=archive, defaults={"version": VERSION, "found": found})[0]


def _search_file(path: str, raw: BinaryIO, finds: _Finds, on_bytes: Callable[[int], object]) -> bool:
    """Whether it is text."""
    is_wide = bool(utf16_encoding(raw))
    with tempfile.TemporaryFile() if is_wide else contextlib.nullcontext(raw) as data:
        if data is not raw:
            write_lines(raw, data)
            data.seek(0)
        line = 1
        for number, block in enumerate(_blocks(data)):
            if number == 0 and not is_wide and block[:4096].count(b"\0") > len(block[:4096]) // 20:
                return False
            on_bytes(len(block))
            _search_block(path, block, line, finds)
            line += block.count(b"\n")
    return True


def _blocks(stream: BinaryIO) -> Iterator[bytes]:
    """Blocks that end with a line feed, except after a line longer than a block."""
    rest = b""
    while data := stream.read(BLOCK):
        end = data.rfind(b"\n") + 1
        if not end and len(rest) < BLOCK:
            rest += data
            continue
        yield rest + data[: end or len(data)]
        rest = data[end:] if end else b""
    if rest:
        yield rest


def _search_block(path: str, block: bytes, line: int, finds: _Finds) -> None:
    found = sorted(find_exposures(block), key=lambda found: found[2])
    at = 0
    for kind, value, offset in found:
        line += block.count(b"\n", at, offset)
        at = offset
        finds.add(kind, value, path, line)


def is_searched(archive: Archive) -> bool:
    """Whether the result of today's patterns is stored."""
    return Exposure.objects.filter(archive=archive, version=VERSION).exists()


def read_exposure(archive: Archive) -> Exposure | None:
    """The stored result of today's patterns; searched now where the archive is small; None where the worker has to."""
    stored = Exposure.objects.filter(archive=archive, version=VERSION).first()
    if stored is not None:
        return stored
    size = archive.files.aggregate(total=Sum("size"))["total"] or 0
    return search(archive) if size <= SEARCHED_AT_ONCE else None


def list_kinds(archive: Archive, exposure: Exposure) -> list[FoundKind]:
    """What the search found, in the order of KINDS."""
    kinds = []
    for kind, title in KINDS.items():
        values = exposure.found["kinds"].get(kind, {})
        if not values:
            continue
        most = sorted(values.items(), key=lambda item: (-item[1][0], item[0]))
        shown = [FoundValue(text, count, _places(archive, places)) for text, (count, places) in most[:_SHOWN]]
        kinds.append(FoundKind(title, shown, len(most) - len(shown), kind in exposure.found["full"]))
    return kinds


def _places(archive: Archive, places: list[tuple[str, int]]) -> list[tuple[str, str]]:
    return [(f"{path}:{line}", line_address(archive.pk, path, line)) for path, line in places]


def list_hosts(archive: Archive) -> FoundKind:
    """The hosts of the configurations, each with the place that names it. Two queries."""
    rows = ArchiveConfiguration.objects.filter(archive=archive, configuration__host__isnull=False)
    first: dict[str, list[int]] = {}
    for host, run in rows.order_by("configuration__host").values_list("configuration__host", "first_run")[:_MAX_HOSTS]:
        first.setdefault(str(host), []).append(run)
    runs = Run.objects.select_related("provenance").in_bulk([pks[0] for pks in list(first.values())[:_SHOWN]])
    values = []
    for host, pks in list(first.items())[:_SHOWN]:
        place = runs[pks[0]].config_from.get("host", "") if pks[0] in runs else ""
        address = place_address(archive.pk, place)
        values.append(FoundValue(host, len(pks), [(place, address)] if address else []))
    return FoundKind("Hosts", values, len(first) - len(values))


def list_paths(archive: Archive) -> FoundKind:
    """The names of its files. Two queries."""
    total = archive.files.aggregate(total=Count("pk"))["total"]
    paths = list(archive.files.order_by("path").values_list("path", flat=True)[:_SHOWN_PATHS])
    values = [FoundValue(path, 1, [(path, file_address(archive.pk, path))]) for path in paths]
    return FoundKind("Names of files", values, total - len(values))
