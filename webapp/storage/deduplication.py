"""Which file counts where the same file with the same configuration is in several archives.

People upload their folder again with one run more. Two files are the same where their bytes (SHA-256) and the
configurations resolved for their values are. Every reader sees what is public and what is their own, and for each of
them a file must count exactly once, so:

- a public file counts unless an accepted archive, or of those alike in that one published before, has it; of those alike,
  one with single values withdrawn ranks behind those with none, since an owner cannot withdraw what another has published.
  Accepted ones come first so that the values of front pages depend on no archive that is not accepted;
- a private file counts unless a public archive has it (published before or after: its owner sees that one as well) or
  an older private archive of the same owner does;
- a withdrawn file, or one of a withdrawn archive, never counts and never takes another's place. Private archives of
  other owners are not considered.

Files of one archive never push each other out: what repeats inside an upload is decided by the reader (`duplicate_of`
of a record). Where the archive that counts goes, the next one in this order counts.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import NamedTuple

from django.db import connection

from webapp.models import File
from webapp.models.archive import shared_scopes
from webapp.models.sql import fetch_rows

FileKey = tuple[str, str]
"""SHA-256 of the bytes and digest of the configurations."""
MIN_COUNTED = 1e-60
MAX_COUNTED = 1e60
"""Bounds of a counted value's amount, in base units: no benchmark measures what lies beyond them, and their ratios, reciprocals
and squares are still numbers. What lies beyond (not a number and infinite too) is kept, shown and exported, and never compared."""


@dataclass(frozen=True, slots=True)
class DuplicateFile:
    """One of the files with the same key, in an archive that is read and not withdrawn."""

    key: FileKey
    file_id: int
    path: str
    archive_id: int
    owner_id: int
    published_at: datetime | None
    duplicate_of: int | None
    first: int
    """Id of its first measurement."""
    count: int
    """Measurements."""
    has_withdrawn_values: bool = False
    """Whether single values of it are withdrawn."""
    is_accepted: bool = False
    """Whether its archive is accepted for front pages."""

    @property
    def shared_scopes(self) -> tuple[int, ...]:
        """The scopes of several archives that its archive is part of."""
        return shared_scopes(self.published_at is not None, self.is_accepted)

    @property
    def id_range(self) -> tuple[int, int]:
        """The first id of its measurements and the one after the last."""
        return self.first, self.first + self.count

    def is_within(self, first: int, beyond: int) -> bool:
        """Whether all its measurements have ids from `first` to `beyond - 1`."""
        return first <= self.first and self.first + self.count <= beyond


class CountChange(NamedTuple):
    """A file whose values began (`is_counted`) or ceased to count."""

    file: DuplicateFile
    is_counted: bool


def read_file_keys(archive_id: int) -> set[FileKey]:
    """The keys of the archive's files with values. One query."""
    return set(File.objects.filter(archive=archive_id, measurements__gt=0).values_list("sha256", "config_digest"))


def find_originals(files: Iterable[DuplicateFile]) -> dict[int, int | None]:
    """File id -> id of the file that counts in its place, None where it counts itself. All files have one key."""
    files = list(files)
    public = sorted(
        (file for file in files if file.published_at is not None),
        key=lambda file: (not file.is_accepted, file.has_withdrawn_values, file.published_at, file.archive_id, file.file_id),
    )
    private = sorted(
        (file for file in files if file.published_at is None),
        key=lambda file: (file.has_withdrawn_values, file.archive_id, file.file_id),
    )
    originals: dict[int, int | None] = {}
    for file in files:
        candidates = public or [other for other in private if other.owner_id == file.owner_id]
        archive_id = candidates[0].archive_id
        originals[file.file_id] = (
            None
            if archive_id == file.archive_id
            else _best_match([other for other in candidates if other.archive_id == archive_id], file)
        )
    return originals


def _best_match(candidates: list[DuplicateFile], file: DuplicateFile) -> int:
    """The id of the candidate with the same path, else of the first."""
    return next((other.file_id for other in candidates if other.path == file.path), candidates[0].file_id)


_SAME_FILES = """
SELECT f.sha256, f.config_digest, f.id, f.path, f.archive_id, a.owner_id, a.published_at, f.duplicate_of_id,
       f.first_measurement, f.measurements,
       EXISTS (SELECT FROM webapp_withdrawal w WHERE w.restored_at IS NULL AND w.what = 'measurement'
               AND w.first >= f.first_measurement AND w.first < f.first_measurement + f.measurements),
       a.accepted_at IS NOT NULL
FROM unnest(%s::text[], %s::text[]) AS k(sha256, config_digest)
JOIN webapp_file f ON f.sha256 = k.sha256 AND f.config_digest = k.config_digest AND f.measurements > 0
    AND NOT f.withdrawn
JOIN webapp_archive a ON a.id = f.archive_id AND a.withdrawn_at IS NULL
ORDER BY f.sha256, f.config_digest, f.id
"""


def find_shared_keys(archive_id: int, keys: Iterable[FileKey]) -> list[FileKey]:
    """Those of the keys whose bytes another archive has in a file too; with any other key, new files of the archive count."""
    keys = list(keys)
    rows = fetch_rows(
        "SELECT DISTINCT sha256 FROM webapp_file WHERE sha256 = ANY(%s) AND archive_id <> %s",
        [list({sha256 for sha256, _ in keys}), archive_id],
    )
    shared = {sha256 for (sha256,) in rows}
    return [key for key in keys if key[0] in shared]


def update_duplicates(keys: Iterable[FileKey]) -> list[CountChange]:
    """Decide again for every file of the keys. Sets `duplicate_of`, and `counted` of the measurements where it changes.

    Returns the files whose values began or ceased to count.
    """
    ordered = sorted(set(keys))
    if not ordered:
        return []
    found = fetch_rows(_SAME_FILES, [[key[0] for key in ordered], [key[1] for key in ordered]])
    rows = [DuplicateFile((row[0], row[1]), *row[2:]) for row in found]
    links: list[tuple[int | None, int]] = []
    changes: list[CountChange] = []
    for _, group in groupby(rows, key=lambda file: file.key):
        files = list(group)
        originals = find_originals(files)
        for file in files:
            original = originals[file.file_id]
            if original != file.duplicate_of:
                links.append((original, file.file_id))
            if (original is None) != (file.duplicate_of is None):
                changes.append(CountChange(file, original is None))
    _save(links, changes)
    return changes


def _save(links: list[tuple[int | None, int]], changes: list[CountChange]) -> None:
    with connection.cursor() as cursor:
        if links:
            cursor.executemany("UPDATE webapp_file SET duplicate_of_id = %s WHERE id = %s", links)
        for file, is_counted in changes:
            set_counted(*file.id_range, is_counted)


def set_counted(first: int, beyond: int, is_counted: bool) -> None:
    """Let the measurements of ids `first` to `beyond - 1` count or not; duplicates inside an upload, withdrawn values and
    those out of bounds never do."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE webapp_measurement SET counted = %s AND duplicate_of IS NULL AND (value = 0 OR abs(value) BETWEEN %s AND %s)"
            " WHERE id >= %s AND id < %s",
            [is_counted, MIN_COUNTED, MAX_COUNTED, first, beyond],
        )
        if is_counted:
            cursor.execute(_EXCLUDE_WITHDRAWN, [first, beyond, beyond, first])


_EXCLUDE_WITHDRAWN = """UPDATE webapp_measurement m SET counted = false FROM webapp_withdrawal w
WHERE m.id >= %s AND m.id < %s AND w.restored_at IS NULL AND w.first < %s AND w.beyond > %s
AND m.id >= w.first AND m.id < w.beyond"""
