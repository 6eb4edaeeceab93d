"""Which file counts where the same file with the same configuration stands in several archives.

People upload their folder again with one run more. Two files are the same where their bytes (SHA-256) and the
configurations resolved for their values are. Every reader sees what is public and what is their own, and for each of
them a file must count exactly once, so:

- a public file counts unless an archive published before holds it; one of which a single value is withdrawn steps back
  behind those of which none is, since nobody withdraws what another has published;
- a private file counts unless a public archive holds it (published before or after: its owner sees that one as well) or
  an older private archive of the same owner does;
- a withdrawn file, or one of a withdrawn archive, never counts and never takes another's place. Other people's private
  archives are nobody's business.

Files of one archive never push each other out: what repeats inside an upload is the reader's decision (`duplicate_of`
of a record). Where the archive that counts goes, the next one in this order counts.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from django.db import connection

FileKey = tuple[str, str]
"""SHA-256 of the bytes and digest of the configurations."""
LEAST, GREATEST = 1e-60, 1e60
"""Bounds of a counted value's amount, in base units: no benchmark measures what lies beyond them, and their ratios, reciprocals
and squares are still numbers. What lies beyond (not a number and infinite too) is kept, shown and exported, and never compared."""


@dataclass(frozen=True, slots=True)
class DuplicateFile:
    """One of the files with the same key, in an archive that is read and not withdrawn."""

    key: FileKey
    file: int
    path: str
    archive: int
    owner: int
    published_at: datetime | None
    duplicate_of: int | None
    first: int
    count: int
    marred: bool = False
    """Whether a single value of it is withdrawn."""


def find_originals(twins: Iterable[DuplicateFile]) -> dict[int, int | None]:
    """File id -> id of the file that counts in its place, None where it counts itself. All twins have one key."""
    twins = list(twins)
    public = sorted((t for t in twins if t.published_at is not None), key=lambda t: (t.marred, t.published_at, t.archive, t.file))
    private = sorted((t for t in twins if t.published_at is None), key=lambda t: (t.marred, t.archive, t.file))
    found: dict[int, int | None] = {}
    for twin in twins:
        rivals = public or [t for t in private if t.owner == twin.owner]
        first = rivals[0].archive
        found[twin.file] = None if first == twin.archive else _best([t for t in rivals if t.archive == first], twin)
    return found


def _best(candidates: list[DuplicateFile], twin: DuplicateFile) -> int:
    """The candidate of the same path, else the first."""
    return next((t.file for t in candidates if t.path == twin.path), candidates[0].file)


_TWINS = """
SELECT f.sha256, f.config_digest, f.id, f.path, f.archive_id, a.owner_id, a.published_at, f.duplicate_of_id,
       f.first_measurement, f.measurements,
       EXISTS (SELECT FROM webapp_withdrawal w WHERE w.restored_at IS NULL AND w.what = 'measurement'
               AND w.first >= f.first_measurement AND w.first < f.first_measurement + f.measurements)
FROM unnest(%s::text[], %s::text[]) AS k(sha256, config_digest)
JOIN webapp_file f ON f.sha256 = k.sha256 AND f.config_digest = k.config_digest AND f.measurements > 0
    AND NOT f.withdrawn
JOIN webapp_archive a ON a.id = f.archive_id AND a.withdrawn_at IS NULL
ORDER BY f.sha256, f.config_digest, f.id
"""


def find_shared_keys(archive: int, keys: Iterable[FileKey]) -> list[FileKey]:
    """Those of the keys of whose bytes another archive has a file too; for all others an archive's new files count."""
    keys = list(keys)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT DISTINCT sha256 FROM webapp_file WHERE sha256 = ANY(%s) AND archive_id <> %s",
            [list({sha256 for sha256, _ in keys}), archive],
        )
        known = {sha256 for (sha256,) in cursor.fetchall()}
    return [key for key in keys if key[0] in known]


def update_duplicates(keys: Iterable[FileKey]) -> list[tuple[DuplicateFile, bool]]:
    """Decide again for every file of the keys. Sets `duplicate_of`, and `counted` of the measurements where it changes.

    Returns the files whose values began (True) or ceased (False) to count.
    """
    ordered = sorted(set(keys))
    if not ordered:
        return []
    with connection.cursor() as cursor:
        cursor.execute(_TWINS, [[key[0] for key in ordered], [key[1] for key in ordered]])
        rows = [DuplicateFile((row[0], row[1]), *row[2:]) for row in cursor.fetchall()]
    links: list[tuple[int | None, int]] = []
    turned: list[tuple[DuplicateFile, bool]] = []
    for _, group in groupby(rows, key=lambda twin: twin.key):
        twins = list(group)
        wanted = find_originals(twins)
        for twin in twins:
            original = wanted[twin.file]
            if original != twin.duplicate_of:
                links.append((original, twin.file))
            if (original is None) != (twin.duplicate_of is None):
                turned.append((twin, original is None))
    _save(links, turned)
    return turned


def _save(links: list[tuple[int | None, int]], turned: list[tuple[DuplicateFile, bool]]) -> None:
    with connection.cursor() as cursor:
        if links:
            cursor.executemany("UPDATE webapp_file SET duplicate_of_id = %s WHERE id = %s", links)
        for twin, counts in turned:
            set_counted(twin.first, twin.first + twin.count, counts)


def set_counted(first: int, end: int, counts: bool) -> None:
    """Turn the measurements of ids `first` to `end - 1`; a duplicate inside its upload and a withdrawn value never count."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE webapp_measurement SET counted = %s AND duplicate_of IS NULL AND (value = 0 OR abs(value) BETWEEN %s AND %s)"
            " WHERE id >= %s AND id < %s",
            [counts, LEAST, GREATEST, first, end],
        )
        if counts:
            cursor.execute(_WITHDRAWN, [first, end, end, first])


_WITHDRAWN = """UPDATE webapp_measurement m SET counted = false FROM webapp_withdrawal w
WHERE m.id >= %s AND m.id < %s AND w.restored_at IS NULL AND w.first < %s AND w.beyond > %s
AND m.id >= w.first AND m.id < w.beyond"""
