"""One change of an archive's rows: its locks and its steps, in one transaction that leaves duplicates and summaries true.

Every writer takes its locks in this order, so that no two wait for each other in a circle:

1. the lock of the bytes (`locks.lock_bytes`), by the caller, where bytes are named, published, blocked or deleted;
2. the archive's row (`change_archive`);
3. rows of machines, configurations, workloads and metrics, sorted (`save_dimensions`), those of all archives at once;
4. the write lock (`lock_writes`): the row of the data version, to the commit.

Rows of more than one archive (duplicates, the shared scopes of the summary: `PUBLIC` and `ACCEPTED`) are read and changed
after step 4. Rows of an archive that was never read go in before it: no other transaction sees them yet.

With the write lock, a change goes through these steps, as often as it has to:

1. `capture_previous`: the files, and the part of the shared scopes, before rows or their visibility change;
2. the change itself;
3. `update_duplicates`: which files count now;
4. `update_own_summary` or `rebuild_own_summary`, `add_to_shared`: the archive's own rows and its part of the shared ones;
5. `update_summaries`: what is left of other archives' and of the shared rows.

Several archives that are changed together (`change_archives`) are locked in the order of their ids, then share step 3 of the
locks; the shared rows are updated once, after the last of them.

A step out of this order raises RuntimeError, as does a commit with a step missing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from enum import Enum, auto

from django.db import transaction

from webapp.models import Archive, Withdrawal
from webapp.storage import archive_rows, bulk_insert, configuration_rows, deduplication, machines, summary_writer
from webapp.storage.archive_rows import FileIds, InsertedRows
from webapp.storage.batch import Batch
from webapp.storage.configuration_rows import DimensionIds, PlacedConfiguration
from webapp.storage.deduplication import CountChange, FileKey
from webapp.storage.locks import lock_writes
from webapp.storage.machines import OwnMachines, StoredMachines
from webapp.storage.summary_writer import Aggregate, SummaryKey

# What is left to do in the shared scopes of the summary (`PUBLIC`, `ACCEPTED`), gathered over the changes of a transaction.


class SharedRows:
    """Parts that archives take back, and keys whose rows have to be rebuilt, by scope.

    What several archives of one transaction leave is one part: a row is read and written once for all of them, not once for each.
    """

    def __init__(self) -> None:
        self._parts: defaultdict[int, dict[SummaryKey, Aggregate]] = defaultdict(dict)
        self._stale: defaultdict[int, set[SummaryKey]] = defaultdict(set)

    def subtract(self, scope: int, rows: Mapping[SummaryKey, Aggregate]) -> None:
        """Have an archive's previous rows taken out of the scope."""
        parts = self._parts[scope]
        for key, row in rows.items():
            parts[key] = summary_writer.merge(parts[key], row) if key in parts else row

    def rebuild(self, scopes: Iterable[int], keys: Collection[SummaryKey]) -> None:
        """Have the rows of these keys computed again from those of the archives."""
        for scope in scopes:
            self._stale[scope].update(keys)

    def update(self) -> None:
        """Do what was gathered. The write lock is taken, and the archives' own rows are true."""
        for scope, parts in self._parts.items():
            stale = self._stale[scope]
            summary_writer.subtract_from_scope(scope, {key: part for key, part in parts.items() if key not in stale})
        for scope, stale in self._stale.items():
            summary_writer.rebuild_scope(scope, stale)
        self._parts.clear()
        self._stale.clear()


class Phase(Enum):
    """What may be done next."""

    ARCHIVE_LOCKED = auto()
    """Dimensions and new rows may be inserted."""
    WRITES_LOCKED = auto()
    """Rows of several archives may be changed; the transaction may be committed, as in the phase before."""
    DUPLICATES_STALE = auto()
    """Which files count has to be decided again."""
    SUMMARIES_STALE = auto()
    """Summaries have to be updated."""


@contextmanager
def change_archive(**lookup: object) -> Iterator[ArchiveTransaction]:
    """A transaction with the row of one archive locked, found by field lookups. Raises Archive.DoesNotExist.

    Without a step taken it changes nothing. Raises RuntimeError where a step is missing at the end.
    """
    with transaction.atomic():
        shared = SharedRows()
        change = ArchiveTransaction(Archive.objects.select_for_update().get(**lookup), shared)
        yield change
        change.check_complete()
        shared.update()


@contextmanager
def change_archives(ids: Collection[int]) -> Iterator[list[ArchiveTransaction]]:
    """A transaction with the rows of several archives locked, in the order of their ids; those that are gone are left out.

    Raises RuntimeError where a step is missing at the end.
    """
    with transaction.atomic():
        shared = SharedRows()
        rows = Archive.objects.select_for_update(of=("self",)).filter(pk__in=ids).order_by("pk")
        changes = [ArchiveTransaction(archive, shared) for archive in rows]
        yield changes
        for change in changes:
            change.check_complete()
        shared.update()


def save_dimensions(changes: Iterable[ArchiveTransaction], batches: Iterable[Batch]) -> DimensionIds:
    """Insert the missing machines, configurations, workloads and metrics of the batches, one of each change; ids of all."""
    batches = list(batches)
    own = dict[int, OwnMachines]()
    placed = [
        one
        for change, batch in zip(changes, batches, strict=True)
        for one in change.place(batch, own.setdefault(change.archive.owner_id, StoredMachines(change.archive.owner_id)))
    ]
    return configuration_rows.save(
        placed,
        (workload for batch in batches for workload in batch.workloads.values()),
        (metric for batch in batches for metric in batch.metrics),
    )


class ArchiveTransaction:
    """The steps of a change, in their order; see the module."""

    def __init__(self, archive: Archive, shared: SharedRows) -> None:
        self.archive = archive
        self.previous_files: set[FileKey] = set()
        """Keys of the archive's files before the change, once captured."""
        self.is_reread = archive.read_at is not None
        self._phase = Phase.ARCHIVE_LOCKED
        self._previous_rows: dict[SummaryKey, Aggregate] = {}
        self._left_scopes: tuple[int, ...] = ()
        self._shared = shared
        self._own_changes: list[CountChange] = []
        self._other_changes: list[CountChange] = []
        self._previous_ids: list[FileIds] = []
        self._machines = machines.ArchiveMachines()

    def place(self, batch: Batch, own: OwnMachines) -> Iterator[PlacedConfiguration]:
        """Every configuration of the batch on its machine, one of those of the owner, for `save_dimensions`."""
        self._require(Phase.ARCHIVE_LOCKED)
        files, entered = batch.files.values(), dict[str, str]()
        if self.archive.stated_version:
            stated = self.archive.statements.filter(key=machines.STATED, undone_at__isnull=True).order_by("pk")
            entered = {host: str(name) for host, name in stated.values_list("path", "value")}
        self._machines = machines.find_machines(self.archive.pk, own, batch.configurations, files, entered)
        return machines.place_configurations(self._machines, batch.configurations, files)

    def lock_writes(self) -> None:
        """Wait for the write lock and raise the data version; nothing where this transaction has it already."""
        if self._phase is Phase.ARCHIVE_LOCKED:
            lock_writes()
            self._phase = Phase.WRITES_LOCKED

    def capture_previous(self, leaving: Collection[int] | None = None) -> None:
        """Read the archive's file keys and own rows, before either changes.

        `update_summaries` subtracts these rows from the shared scopes that the archive is part of; from those in `leaving`
        alone where they are given.
        """
        self._require(Phase.WRITES_LOCKED)
        self.previous_files = deduplication.read_file_keys(self.archive.pk)
        self._left_scopes = tuple(scope for scope in self.archive.shared_scopes if leaving is None or scope in leaving)
        self._previous_rows = summary_writer.read(self.archive.pk) if self._left_scopes else {}
        self._phase = Phase.DUPLICATES_STALE

    def remove_rows(self) -> None:
        """Delete every bulk row of the archive, with the write lock. Its own summary is left to the caller."""
        self.lock_writes()
        self.capture_previous()
        self._previous_ids = archive_rows.read_file_ids(self.archive.pk) if self.previous_files else []
        # Withdrawn values are looked for again among the new rows, which may have the ids of others.
        self.archive.withdrawals.active().exclude(what=Withdrawal.What.ARCHIVE).update(first=0, beyond=0)
        archive_rows.delete_rows(self.archive.pk)

    def insert_rows(self, batch: Batch, ids: DimensionIds) -> InsertedRows:
        """COPY the rows of the batch: of an archive that was never read, or whose rows were removed."""
        self._require(Phase.ARCHIVE_LOCKED, Phase.DUPLICATES_STALE)
        return bulk_insert.insert(self.archive.pk, batch, ids, self._machines, self._previous_ids)

    def update_duplicates(self, keys: Iterable[FileKey]) -> None:
        """Decide again which files of these keys count, in every archive."""
        self._require(Phase.WRITES_LOCKED, Phase.DUPLICATES_STALE)
        changes = deduplication.update_duplicates(keys)
        self._own_changes = [change for change in changes if change.file.archive_id == self.archive.pk]
        self._other_changes = [change for change in changes if change.file.archive_id != self.archive.pk]
        self._phase = Phase.SUMMARIES_STALE

    def take_uncounted_ranges(self) -> list[tuple[int, int]]:
        """Ranges of ids (first, beyond) of own files that ceased to count. The caller writes the archive's own summary."""
        self._require(Phase.SUMMARIES_STALE)
        ranges = [change.file.id_range for change in self._own_changes if not change.is_counted]
        self._own_changes = []
        return ranges

    def update_own_summary(self) -> None:
        """Rebuild the archive's own rows of its files that began or ceased to count; the shared rows follow."""
        self._require(Phase.SUMMARIES_STALE)
        for change in self._own_changes:
            self.touch_shared(self._rebuild(change))
        self._own_changes = []

    def rebuild_own_summary(self, first: int, beyond: int) -> None:
        """Rebuild the archive's own rows of the measurements of these ids; the shared rows follow."""
        self._require(Phase.SUMMARIES_STALE)
        keys = archive_rows.find_summary_keys(first, beyond)
        summary_writer.rebuild_archive(self.archive.pk, keys)
        self.touch_shared(keys)
        self._own_changes = [change for change in self._own_changes if not change.file.is_within(first, beyond)]

    def replace_own_summary(self, summary: dict[SummaryKey, Aggregate]) -> None:
        """Write the archive's own rows, with the rows before still there. Rows that are the same as before are left alone, and
        so are the shared rows of their keys, whatever the number of archives behind these. Rows of keys that are new to the
        archive are merged into the shared ones, as those of a first reading; the other shared rows follow."""
        self._require(Phase.SUMMARIES_STALE)
        previous = self._previous_rows if self._left_scopes else summary_writer.read(self.archive.pk)
        changed = {key: row for key, row in summary.items() if previous.get(key) != row}
        gone = [key for key in previous if key in changed or key not in summary]
        if gone or changed:
            summary_writer.drop(self.archive.pk, gone)
            summary_writer.write(self.archive.pk, changed)
        self._previous_rows = {key: self._previous_rows[key] for key in gone if key in self._previous_rows}
        new = changed.keys() - previous.keys()
        for scope in self.archive.shared_scopes if new else ():
            summary_writer.add_to_scope(scope, self.archive.pk, new)
        self.touch_shared(changed.keys() - new)

    def touch_shared(self, keys: Collection[SummaryKey]) -> None:
        """Have the rows of these keys rebuilt in the shared scopes that the archive is part of."""
        self._require(Phase.SUMMARIES_STALE)
        self._shared.rebuild(self.archive.shared_scopes, keys)

    def add_to_shared(self, scopes: Collection[int] | None = None) -> None:
        """Merge the archive's own rows, all of them true by now, into shared scopes in which it has no part yet: the given
        ones, or all that it is part of."""
        self._require(Phase.SUMMARIES_STALE)
        if self._own_changes:
            raise RuntimeError("The archive's own summary has to be updated first.")
        for scope in self.archive.shared_scopes if scopes is None else scopes:
            summary_writer.add_to_scope(scope, self.archive.pk)

    def update_summaries(self) -> None:
        """Rebuild the rows of every file that began or ceased to count, and have the shared rows that changed updated before the
        commit."""
        self._require(Phase.SUMMARIES_STALE)
        for change in [*self._own_changes, *self._other_changes]:
            self._shared.rebuild(change.file.shared_scopes, self._rebuild(change))
        for scope in self._left_scopes:
            self._shared.subtract(scope, self._previous_rows)
        self._own_changes, self._other_changes, self._previous_rows, self._left_scopes = [], [], {}, ()
        self._phase = Phase.WRITES_LOCKED

    def check_complete(self) -> None:
        """Raise RuntimeError where duplicates or summaries are not true yet."""
        self._require(Phase.ARCHIVE_LOCKED, Phase.WRITES_LOCKED)

    def _rebuild(self, change: CountChange) -> set[SummaryKey]:
        keys = archive_rows.find_summary_keys(*change.file.id_range)
        summary_writer.rebuild_archive(change.file.archive_id, keys)
        return keys

    def _require(self, *phases: Phase) -> None:
        if self._phase not in phases:
            raise RuntimeError(f"This step of a change of an archive cannot follow {self._phase.name}.")
