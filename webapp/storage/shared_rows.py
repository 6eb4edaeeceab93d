"""What is left to do in the shared scopes of the summary (`PUBLIC`, `ACCEPTED`), gathered over the changes of a transaction."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

from webapp.storage import summary_writer
from webapp.storage.summary_writer import Aggregate, SummaryKey


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
