"""Editions of the public data: asked for, made by a worker part by part, kept, and rid of what is no longer public."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, timedelta
from itertools import chain

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from webapp.bulk import parts, queries, whole
from webapp.files import stores
from webapp.formats.citations.licences import licence_address, licence_spdx
from webapp.http.data_version import data_version
from webapp.models import Archive, PublicData

PART_VALUES = 500_000
"""Values of a part: beyond that it is closed."""
_BYTES_PER_VALUE = 200
"""On the disk while a part is made, at most."""
MAX_ATTEMPTS = 5
READY, ASKED, FAILED = PublicData.State.READY, PublicData.State.ASKED, PublicData.State.FAILED


def newest() -> PublicData | None:
    """The newest edition that is made."""
    return PublicData.objects.filter(state=READY).first()


def has_public() -> bool:
    """Whether anything is public that an edition would have."""
    return bool(queries.read_public_sizes(1))


def ask(send: Callable[[str], object]) -> PublicData | None:
    """Have today's edition made where something changed since the newest; at most one a day. `send(date)` is called after the
    commit. Returns the edition that is being made, if any."""
    today, last = timezone.now().date(), PublicData.objects.first()
    if last is not None and last.state == ASKED:  # while it is made no other is begun
        return last
    if last is not None and (last.date >= today or (last.state == READY and last.data_version == data_version())):
        return None
    edition, is_new = PublicData.objects.get_or_create(date=today)
    if is_new:
        transaction.on_commit(lambda: send(today.isoformat()), robust=True)
    return edition if edition.state == ASKED else None


def make(day: date) -> str:
    """Make the edition of that day. Interrupted, it goes on with the parts that are missing. Returns the outcome."""
    with queries.lock_public_data() as is_locked:
        if not is_locked:
            return "busy"
        edition = PublicData.objects.filter(date=day, state=ASKED).first()
        if edition is None:
            return "nothing-to-do"
        if edition.attempts >= MAX_ATTEMPTS:
            PublicData.objects.filter(pk=edition.pk).update(state=FAILED)
            return "failed"
        PublicData.objects.filter(pk=edition.pk).update(attempts=F("attempts") + 1)
        try:
            _make(edition)
        except stores.NoSpace:  # no attempt: it waits
            PublicData.objects.filter(pk=edition.pk).update(attempts=F("attempts") - 1)
            raise
        return "made"


def _make(edition: PublicData) -> None:
    version = data_version()
    sizes = queries.read_public_sizes()
    known = {part["state"]: part for other in PublicData.objects.all() for part in other.parts if part["state"]}
    edition.data_version, edition.total, edition.done, edition.parts = version, sum(size for _, size in sizes), 0, []
    size_of = dict(sizes)
    for ids in parts.split(sizes, PART_VALUES):
        with queries.snapshot():
            states = queries.read_states(ids)
            part = known.get(queries.fingerprint(states)) if states else None
            if part is not None and not all(map(stores.exists, parts.keys_of([part]))):
                part = None
            if part is None and states:
                stores.check_space(sum(size_of[pk] for pk in ids) * _BYTES_PER_VALUE)
                part = parts.make(states)
        if part is not None:
            edition.parts.append(part)
        edition.done += sum(size_of[pk] for pk in ids)
        edition.save(update_fields=["data_version", "total", "done", "parts"])
    edition.archives = describe_archives({pk for part in edition.parts for pk in part["archives"]})
    edition.whole, edition.state, edition.made_at = whole.make(edition), READY, timezone.now()
    edition.save()
    PublicData.objects.filter(date__lt=edition.date).update(whole={})
    remove_withdrawn()  # what was withdrawn meanwhile


def describe_archives(ids: set[int]) -> list[dict]:
    """What the list of archives says of each."""
    return [
        {
            "archive": archive.pk,
            "name": archive.name,
            "title": archive.title,
            "authors": archive.authors,
            "year": archive.year,
            "published_in": archive.published_in,
            "licence": archive.licence,
            "licence_spdx": licence_spdx(archive.licence),
            "licence_address": licence_address(archive.licence),
            "sha256": archive.sha256,
        }
        for archive in Archive.objects.public().filter(pk__in=ids).order_by("pk")
    ]


def keys_of(edition: PublicData) -> set[str]:
    """The keys of every file of the edition."""
    return parts.keys_of([*edition.parts, *({"files": files} for files in edition.whole.values())])


def find_stale() -> list[str]:
    """Dates of editions that have something which is no longer public."""
    return [edition.date.isoformat() for edition in PublicData.objects.exclude(parts=[]) if has_gone(edition)]


def has_gone(edition: PublicData, of: Sequence[parts.Part] | None = None) -> bool:
    """Whether anything in the edition, or in these parts of it, is not public any more. Two queries, three for the edition."""
    several = edition.parts if of is None else of
    together: parts.Part = {key: [pk for part in several for pk in part[key]] for key in ("archives", "withdrawn")}
    return any(_gone(together)) or (of is None and _listed(edition) != edition.archives)


def _listed(edition: PublicData) -> list[dict]:
    """The list of archives without those that are no longer public."""
    public = set(Archive.objects.public().filter(pk__in=[row["archive"] for row in edition.archives]).values_list("pk", flat=True))
    return [row for row in edition.archives if row["archive"] in public]


def _gone(part: parts.Part) -> tuple[set[int], list[queries.Withdrawn]]:
    """Archives of the part that are not public, and withdrawals of files and values that are still in it."""
    ids = part["archives"]
    gone = set(ids) - set(Archive.objects.public().filter(pk__in=ids).values_list("pk", flat=True))
    known = set(part["withdrawn"])
    return gone, [one for one in queries.read_withdrawn(ids) if one.id not in known and one.archive not in gone]


def sweep() -> str:
    """Take out of every edition what is no longer public. Returns the outcome."""
    with queries.lock_public_data() as is_locked:
        if not is_locked:
            return "busy"
        changed = remove_withdrawn()
        _make_whole()
        return f"{changed} changed"


def _make_whole() -> None:
    """Make the tables of the newest edition where they are missing. The caller has the lock."""
    edition = newest()
    if edition is not None and not edition.whole:
        edition.whole = whole.make(edition)
        edition.save(update_fields=["whole"])


def remove_withdrawn() -> int:
    """Rewrite parts with archives or values that are no longer public, and delete every file that no edition names: how many
    editions changed. The caller has the lock."""
    rewritten: dict[str, parts.Part | None] = {}
    changed = 0
    for edition in PublicData.objects.exclude(parts=[]):
        if not has_gone(edition):
            continue
        made: list[parts.Part] = []
        for part in edition.parts:
            archives, withdrawn = _gone(part)
            if not (archives or withdrawn):
                made.append(part)
                continue
            digest = part["files"]["parquet"]["sha256"]
            if digest not in rewritten:
                rewritten[digest] = parts.without(part, archives, withdrawn)
            edition.left_out += len(archives) + len(withdrawn)
            if (new := rewritten[digest]) is not None:
                made.append(new)
        edition.parts, edition.archives, edition.changed_at, edition.whole = made, _listed(edition), timezone.now(), {}
        edition.save()
        changed += 1
    named = {key for edition in PublicData.objects.all() for key in keys_of(edition)}
    kept = chain.from_iterable(store.keys() for store in stores.in_use())
    for key in {key for key in kept if key.startswith("bulk/")} - named:
        stores.delete(key)
    return changed


def find_unmade(older_than: timedelta) -> list[str]:
    """Dates of editions that wait to be made, oldest first."""
    rows = PublicData.objects.filter(state=ASKED, asked_at__lt=timezone.now() - older_than).order_by("date")
    return [day.isoformat() for day in rows.values_list("date", flat=True)]


def find_problems() -> list[str]:
    """Files of editions that are missing or damaged."""
    found = []
    for edition in PublicData.objects.all():
        for key in sorted(keys_of(edition)):
            try:
                stores.verify(key)
            except (stores.MissingBytes, stores.DamagedBytes, stores.StoreError) as error:
                found.append(f"data/{edition.date}: {error}")
    return found
