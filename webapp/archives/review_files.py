"""The files of an archive for its review page, by host: how many keys are known, from which files, what is unknown or implied."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Count, F, Min, QuerySet

from ingest.keys import KEYS, find_key
from webapp.archives.completeness import applicable_items
from webapp.files.addresses import file_address, line_address
from webapp.models import Archive, Note, Provenance, Run

FILES_PER_PAGE = 50
MAX_RUNS = 500
"""Runs of an archive up to which its files are listed by host: all of them are grouped for each page."""
WARNINGS = {
    "disagree": ("disagreement", "disagreements"),
    "conflict": ("contradiction", "contradictions"),
    "other-host": ("line from another host", "lines from another host"),
}
"""Codes of warnings about the configuration, each with the words for one and for several."""
_SOURCES = 3  # files from which the keys of a file are known, named
_WARNED = 300  # pairs of a file and a code


@dataclass(frozen=True, slots=True)
class FileWarnings:
    """Warnings of one code in a file: `address` is that of the first one's line."""

    what: str
    count: int
    address: str


@dataclass(slots=True)
class ReviewedFile:
    """The runs of one host in one file; no runs: a file that has only warnings.

    `known`: registered keys that all runs have. `unknown`, `implied`: labels of the keys that some run lacks although it
    should have them, and that some run has without a line that prints them. `sources`: (file, keys known from it for the first
    run, address), most first, `other_sources` further files.
    """

    path: str
    address: str
    host: str | None = None
    runs: int = 0
    known: int = 0
    unknown: list[str] = field(default_factory=list)
    implied: list[str] = field(default_factory=list)
    sources: list[tuple[str, int, str]] = field(default_factory=list)
    other_sources: int = 0
    warnings: list[FileWarnings] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class FileReview:
    """A page of files by host, `total` of all pages, `start` of this one, `next_start` None on the last page.

    `others`: files without results that have warnings.
    """

    hosts: list[tuple[str | None, list[ReviewedFile]]]
    others: list[ReviewedFile]
    total: int
    start: int
    next_start: int | None

    @property
    def left(self) -> int:
        """Files on further pages."""
        return self.total - (self.next_start or self.total)


def are_few_runs(archive: Archive) -> bool:
    """Whether the archive has at most `MAX_RUNS`; reads no more of them."""
    return Run.objects.filter(archive=archive).order_by()[: MAX_RUNS + 1].count() <= MAX_RUNS


def read_files(archive: Archive, start: int) -> FileReview:
    """The files with runs, by host and path, from the `start`th on. At most seven queries, however many files and runs."""
    pairs = _runs_by_file(archive).annotate(runs=Count("id"), provenance=Min("provenance_id"))
    ordered = pairs.order_by(F("configuration__host").asc(nulls_last=True), "file__path")
    total = ordered.count()
    start = start if 0 <= start < total else 0
    rows = list(ordered[start : start + FILES_PER_PAGE])
    provenances = Provenance.objects.in_bulk({row["provenance"] for row in rows})
    keys_by_pair = _read_known(archive, rows)
    implied_by_pair = _read_implied(archive, rows)
    warnings = _read_warnings(archive)
    by_host: dict[str | None, list[ReviewedFile]] = {}
    for row in rows:
        pair = row["configuration__host"], row["file_id"]
        path = row["file__path"]
        known, unknown = keys_by_pair.get(pair, (0, []))
        file = ReviewedFile(path, file_address(archive.pk, path), pair[0], row["runs"], known, unknown)
        file.implied = implied_by_pair.get(pair, [])
        if row["provenance"] in provenances:
            file.sources, file.other_sources = _sources(archive, provenances[row["provenance"]])
        file.warnings = warnings.get(path, [])
        by_host.setdefault(pair[0], []).append(file)
    end = start + len(rows)
    return FileReview(
        list(by_host.items()), _without_runs(archive, warnings) if not start else [], total, start, end if end < total else None
    )


def _runs_by_file(archive: Archive) -> QuerySet:
    return Run.objects.filter(archive=archive).values("configuration__host", "file_id", "file__path")


def _of_page(archive: Archive, rows: Iterable[dict[str, Any]]) -> QuerySet:
    """The runs of the files of a page."""
    return Run.objects.filter(archive=archive, file_id__in={row["file_id"] for row in rows})


def _read_known(archive: Archive, rows: list[dict[str, Any]]) -> dict[tuple[str | None, int], tuple[int, list[str]]]:
    """(host, file id) -> number of keys that all its runs have, and labels of those that some run should have and lacks.

    One row of the database for each file system of a host and file: completeness depends on it.
    """
    counts = {f"n_{key.column}": Count(f"configuration__{key.column}") for key in KEYS.values()}
    grouped = _of_page(archive, rows).values("configuration__host", "file_id", "configuration__fs_type")
    complete: dict[tuple[str | None, int], set[str]] = {}
    missing: dict[tuple[str | None, int], set[str]] = {}
    for row in grouped.annotate(runs=Count("id"), **counts).order_by():
        pair = row["configuration__host"], row["file_id"]
        known = {name for name, key in KEYS.items() if row[f"n_{key.column}"] == row["runs"]}
        complete[pair] = complete.get(pair, known) & known
        fs_type = row["configuration__fs_type"]
        items = applicable_items(lambda key, fs_type=fs_type: fs_type if key == "fs.type" else None)  # type: ignore[misc]
        missing.setdefault(pair, set()).update(key for item in items for key in item.keys if key not in known)
    return {
        pair: (len(known), [key.label for name, key in KEYS.items() if name in missing[pair]]) for pair, known in complete.items()
    }


def _read_implied(archive: Archive, rows: list[dict[str, Any]]) -> dict[tuple[str | None, int], list[str]]:
    """(host, file id) -> labels of the keys that are implied in some of its runs; parameters are left out."""
    query = _of_page(archive, rows).exclude(provenance__implied=[])
    names: dict[tuple[str | None, int], dict[str, None]] = {}
    for host, file, implied in query.values_list("configuration__host", "file_id", "provenance__implied").distinct():
        names.setdefault((host, file), {}).update(dict.fromkeys(implied))
    return {pair: [key.label for name in found if (key := find_key(name)) is not None] for pair, found in names.items()}


def _sources(archive: Archive, provenance: Provenance) -> tuple[list[tuple[str, int, str]], int]:
    """The files with the lines of the registered keys, those of most keys first, and how many more there are."""
    places = [place for name, place in provenance.told.items() if name in KEYS]
    counted = Counter(place.rpartition(":")[0] for place in places).most_common()
    shown = [
        (path or "entered by hand", count, file_address(archive.pk, path) if path else "") for path, count in counted[:_SOURCES]
    ]
    return shown, len(counted) - len(shown)


def _read_warnings(archive: Archive) -> dict[str, list[FileWarnings]]:
    """Path -> its warnings about the configuration by code. Two queries."""
    grouped = archive.notes.filter(code__in=WARNINGS).values("path", "code").annotate(n=Count("id"), first=Min("id"))
    rows = list(grouped.order_by("path", "code")[:_WARNED])
    lines = dict(Note.objects.filter(pk__in=[row["first"] for row in rows]).values_list("pk", "line")) if rows else {}
    found: dict[str, list[FileWarnings]] = {}
    for row in rows:
        address = line_address(archive.pk, row["path"], lines.get(row["first"])) if row["path"] else ""
        found.setdefault(row["path"], []).append(FileWarnings(WARNINGS[row["code"]][row["n"] != 1], row["n"], address))
    return found


def _without_runs(archive: Archive, warnings: dict[str, list[FileWarnings]]) -> list[ReviewedFile]:
    """Files without results that have warnings, at most a page of them. One query, none without warnings."""
    if not warnings:
        return []
    files = archive.files.filter(path__in=warnings, measurements=0).order_by("path").values_list("path", flat=True)
    return [ReviewedFile(path, file_address(archive.pk, path), warnings=warnings[path]) for path in files[:FILES_PER_PAGE]]
