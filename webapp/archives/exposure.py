"""What of an archive becomes public when it is published: names of the upload, hosts, and what a search finds in its text files.

The search reads the stored bytes once, block by block, and keeps a bounded number of values. Its result is stored: the bytes never
change. Of a secret a mask and a digest are kept, never the secret.
"""

from __future__ import annotations

import contextlib
import hashlib
import tempfile
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from django.db.models import Count, Sum

import ingest
from ingest.errors import IngestError
from webapp.archives.exposure_patterns import KINDS, SECRETS, VERSION, Found, find_exposures, mask
from webapp.files import blobs
from webapp.files.addresses import file_address, line_address, place_address
from webapp.files.raw_lines import utf16_encoding, write_lines
from webapp.files.stores import DamagedBytes, MissingBytes
from webapp.models import Archive, ArchiveConfiguration, Exposure, Run

BLOCK = 1 << 20  # bytes in memory at once
SEARCHED_AT_ONCE = 4 << 20
"""Bytes of files that are searched while a page is made; the worker searches more."""
MAX_VALUES, MAX_PLACES = 200, 3  # different values of a kind that are kept, and places of each
MAX_DIGESTS = 100_000  # of blocks in which nothing was found
_SHOWN = 12  # values of a kind on the page
_SHOWN_PATHS = 30
_MAX_HOSTS = 200


@dataclass(frozen=True, slots=True)
class FoundValue:
    """A value, how often it was found, and its first places as (text, address)."""

    text: str
    count: int
    places: list[tuple[str, str]]
    finding: str = ""
    """The name by which a secret is confirmed."""


class UnconfirmedSecrets(Exception):
    """An archive has secrets that nobody has said to publish; `findings`: (name, what it is and where)."""

    def __init__(self, findings: list[tuple[str, str]]) -> None:
        one = len(findings) == 1
        super().__init__(f"{len(findings)} {'secret' if one else 'secrets'} found: {'; '.join(text for _, text in findings[:5])}")
        self.findings = findings


@dataclass(frozen=True, slots=True)
class FoundKind:
    """The values of a kind: the first ones, `more` further; `is_bound`: there are more than were kept."""

    title: str
    values: list[FoundValue]
    more: int = 0
    is_bound: bool = False
    is_secret: bool = False

    @property
    def total(self) -> int:
        return len(self.values) + self.more


class _Finds:
    """Values by kind, bounded; of the `wanted` kinds."""

    def __init__(self, wanted: Collection[str] = KINDS) -> None:
        self.wanted = wanted
        self.kinds: dict[str, dict[str, list[Any]]] = {}
        self.full: set[str] = set()
        self._nothing = set[bytes]()

    def search(self, block: bytes) -> list[Found]:
        """What is in a block, by its offset. Files repeat in an archive: of those without a find the digest is kept."""
        digest = hashlib.blake2b(block, digest_size=16).digest()
        if digest in self._nothing:
            return []
        found = sorted(find_exposures(block, self.wanted), key=lambda found: found.offset)
        if not found and len(self._nothing) < MAX_DIGESTS:
            self._nothing.add(digest)
        return found

    def add(self, kind: str, value: str, path: str, line: int) -> None:
        if kind in SECRETS:
            value = f"{hashlib.sha256(value.encode()).hexdigest()[:12]} {mask(kind, value)}"
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


def list_secrets(found: dict[str, Any]) -> list[tuple[str, str]]:
    """(name of a finding, what it is and where) of every secret. More than are kept are one finding without a name."""
    secrets = []
    for kind, title in SECRETS.items():
        for value, (_, places) in found["kinds"].get(kind, {}).items():
            name, _, shown = value.partition(" ")
            secrets.append((name, f"{shown} at {places[0][0]}:{places[0][1]} ({title.lower()})"))
        if kind in found["full"]:
            secrets.append(("", f"more than {MAX_VALUES} of the kind {title.lower()}"))
    return secrets


def require_confirmed(archive: Archive, confirmed: Collection[str]) -> None:
    """Raise UnconfirmedSecrets unless every secret of the archive is among those that somebody said to publish. Searches it where
    that is still to do. Bytes that are not here cannot become public from here."""
    try:
        stored = Exposure.objects.filter(archive=archive, version=VERSION).first() or search(archive)
    except (IngestError, MissingBytes, DamagedBytes):
        return
    _require(list_secrets(stored.found), confirmed)


def require_confirmed_bytes(path: Path, name: str, confirmed: Collection[str]) -> None:
    """`require_confirmed` of an upload that is no archive yet."""
    finds = _Finds(SECRETS)
    with contextlib.suppress(IngestError):  # what cannot be unpacked is said by its reading
        for inner, stream in ingest.open_files(path, name, None):
            with stream:
                _search_file(inner, stream, finds, lambda size: None)
    _require(list_secrets({"kinds": finds.kinds, "full": finds.full}), confirmed)


def _require(secrets: list[tuple[str, str]], confirmed: Collection[str]) -> None:
    if left := [(name, text) for name, text in secrets if not name or name not in confirmed]:
        raise UnconfirmedSecrets(left)


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
    at = 0
    for kind, value, offset in finds.search(block):
        line += block.count(b"\n", at, offset)
        at = offset
        finds.add(kind, value, path, line)


def is_searched(archive: Archive) -> bool:
    """Whether the result of today's patterns is stored."""
    return Exposure.objects.filter(archive=archive, version=VERSION).exists()


def is_ready(archive: Archive) -> bool:
    """Whether the secrets of an archive are known, or can be while a page is made."""
    size = archive.files.aggregate(total=Sum("size"))["total"] or 0
    return size <= SEARCHED_AT_ONCE or is_searched(archive)


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
        secret = kind in SECRETS
        shown = []
        for text, (count, places) in most if secret else most[:_SHOWN]:
            name, text = text.split(" ", 1) if secret else ("", text)
            shown.append(FoundValue(text, count, _places(archive, places), name))
        kinds.append(FoundKind(title, shown, len(most) - len(shown), kind in exposure.found["full"], secret))
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
