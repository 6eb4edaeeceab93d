"""What memory shall not hold, in a temporary SQLite file without a name: it disappears with the process.

`SpillFile` keeps pickled objects, `ValueSpill` with them the values of finished files once an archive has more than fit in memory
(read back equal to the originals, at most `CHUNK_SIZE` at once), `by_line` sorts the results of a parser, and `HashIndex` finds
what occurs more than once.
"""

from __future__ import annotations

import pickle
import sqlite3
import tempfile
import weakref
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import fields
from heapq import merge
from itertools import chain, groupby, islice
from operator import attrgetter
from types import MappingProxyType
from typing import Any, Protocol, overload

from ingest.keys import KEYS
from ingest.records import Found, Value

MAX_IN_MEMORY = 50_000  # values of one archive, or results of one parser to be sorted: some 25 MB
CHUNK_SIZE = 10_000  # values that are written, and read back, at once
SORTED_CHUNK_SIZE = 2_000  # results to be sorted that are written at once
MAX_COMPARED = 8_000  # values of spilled runs in memory for comparison: the same few are compared with many
_NONE: Mapping[int, int | str] = MappingProxyType({})
_MACHINE_KEYS = frozenset(("host", *(key for key, entry in KEYS.items() if entry.part in ("system", "os"))))
_line = attrgetter("line")
value_as_row = attrgetter(*[field_.name for field_ in fields(Value)])
_SCHEMA = """
    PRAGMA page_size = 16384; PRAGMA cache_size = -2000; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;
    PRAGMA journal_mode = MEMORY;
    CREATE TABLE object (id INTEGER PRIMARY KEY, data BLOB);
    CREATE TABLE sorted (line INTEGER, number INTEGER, data BLOB, PRIMARY KEY (line, number)) WITHOUT ROWID;
    CREATE TABLE hash (run INTEGER, value INTEGER);
"""


class SpillFile:
    """Pickled objects in one temporary file, which is created with the first of them and deleted with this object."""

    def __init__(self) -> None:
        self._database: sqlite3.Connection | None = None
        self._finalizer: weakref.finalize[[], SpillFile] | None = None

    @property
    def database(self) -> sqlite3.Connection:
        """Each statement is a transaction of its own unless one is begun. Raises OSError or sqlite3.Error."""
        if self._database is None:
            # A real file and not SQLite's temporary one, which reports a full disk only when something else is read.
            with tempfile.NamedTemporaryFile(prefix="ingest-") as file:
                database = sqlite3.connect(file.name, isolation_level=None, check_same_thread=False)
                database.executescript(_SCHEMA)
            self._database, self._finalizer = database, weakref.finalize(self, database.close)
        return self._database

    def put(self, item: Any) -> int | None:
        """Write an object; its number, or None if the disk is full or the object cannot be pickled."""
        try:
            data = pickle.dumps(item, pickle.HIGHEST_PROTOCOL)
            return self.database.execute("INSERT INTO object (data) VALUES (?)", (data,)).lastrowid
        except (pickle.PicklingError, TypeError, AttributeError, OSError, sqlite3.Error):
            return None

    def get(self, number: int) -> Any:
        """A copy of the object of that number. Raises sqlite3.Error if the disk fails."""
        [data] = self.database.execute("SELECT data FROM object WHERE id = ?", (number,)).fetchone()
        return pickle.loads(data)  # noqa: S301 a temporary file of this process

    def close(self) -> None:
        """Delete the file at once; objects cannot be read any more."""
        if self._finalizer is not None:
            self._finalizer()


def by_line(items: Iterable[Found]) -> Iterator[Found]:
    """The items, whose lines are numbers, sorted by line; the order within a line stays.

    The first item is yielded after all were read.
    """
    remaining = iter(items)
    first = list(islice(remaining, MAX_IN_MEMORY))
    if len(first) < MAX_IN_MEMORY:
        yield from sorted(first, key=_line)
        return
    with closing(SpillFile()) as file:
        unwritten, number, following = list[Found](), 0, chain(first, remaining)
        del first
        while chunk := list(islice(following, SORTED_CHUNK_SIZE)):
            # Once the disk is full all the rest stays in memory, behind what was written: so the order within a line holds.
            if unwritten or not _write_sorted(file, chunk, number):
                unwritten += chunk
            number += len(chunk)
        written = file.database.execute("SELECT data FROM sorted ORDER BY line, number") if number > len(unwritten) else ()
        yield from merge(_read_sorted(written), sorted(unwritten, key=_line), key=_line)


def _write_sorted(file: SpillFile, chunk: list[Found], number: int) -> bool:
    """Write some items, those of one line together, so that what they share stays shared. False if that is not possible."""
    groups = [list(group) for _, group in groupby(chunk, _line)]
    try:
        rows = [
            (group[0].line, number + at, pickle.dumps([value_as_row(item) if type(item) is Value else item for item in group]))
            for at, group in enumerate(groups)
        ]
        with file.database as database:  # commits, or rolls back
            database.execute("BEGIN")
            database.executemany("INSERT INTO sorted VALUES (?, ?, ?)", rows)
        return True
    except (pickle.PicklingError, TypeError, AttributeError, OSError, sqlite3.Error):
        return False


def _read_sorted(rows: Iterable[tuple[bytes]]) -> Iterator[Found]:
    for (data,) in rows:
        for item in pickle.loads(data):  # noqa: S301 a temporary file of this process
            yield Value(*item) if type(item) is tuple else item


class HashIndex:
    """Hashes of the items of many runs."""

    def __init__(self) -> None:
        self._file = SpillFile()

    def add(self, run: int, items: Iterable[Hashable]) -> None:
        """Add the items of a run."""
        database = self._file.database
        if not database.in_transaction:
            database.execute("BEGIN")  # never committed: no other process reads it
        database.executemany("INSERT INTO hash VALUES (?, ?)", [(run, hash(item)) for item in items])

    def shared(self, runs: Iterable[int]) -> dict[int, list[int]]:
        """Run -> its hashes that occur more than once in these runs, in order."""
        database = self._file.database
        database.execute("CREATE TEMP TABLE wanted (run INTEGER PRIMARY KEY)")
        database.executemany("INSERT INTO wanted VALUES (?)", [(run,) for run in runs])
        shared: dict[int, list[int]] = {}
        for run, value in database.execute(
            "WITH some AS (SELECT hash.rowid, * FROM hash JOIN wanted USING (run)) SELECT run, value FROM some"
            " WHERE value IN (SELECT value FROM some GROUP BY value HAVING count(*) > 1) ORDER BY some.rowid"
        ):
            shared.setdefault(run, []).append(value)
        self._file.close()
        return shared


class ComparedRun(Protocol):
    """A run whose values, at `indices` of a `SpilledValues`, were read back for comparison."""

    indices: Sequence[int]

    def drop_values(self) -> None: ...


class ValueSpill:
    """The values of one archive: the first `MAX_IN_MEMORY` stay in the findings, the others go to the temporary file."""

    def __init__(self) -> None:
        self._in_memory = self._spilled = 0
        self.file = SpillFile()
        self._last: tuple[int | list[Value] | None, list[Value]] = None, []
        self._compared: deque[tuple[ComparedRun, int]] = deque()
        self._compared_count = 0

    def put(self, values: Sequence[Value]) -> Sequence[Value]:
        """The values of one file for its findings: unchanged while there is room, else spilled."""
        if isinstance(values, SpilledValues):
            self._spilled += len(values)
            return values
        self._in_memory += len(values)
        if self._in_memory <= MAX_IN_MEMORY or not values:
            return values
        spilled = self.new_values()
        spilled.add(values)
        if spilled.all_in_memory:
            return values  # could not be written
        self._spilled += len(values)
        return spilled

    @property
    def capacity(self) -> int:
        """Number of values of the file being read that may be in memory."""
        return max(MAX_IN_MEMORY - self._in_memory, CHUNK_SIZE)

    def new_values(self) -> SpilledValues:
        """An empty sequence for the values of the next file, which is `put` when it is complete."""
        return SpilledValues(self, self._spilled)

    def close(self) -> None:
        """Delete the temporary file; spilled values cannot be read any more."""
        self.clear_cache()
        self.file.close()

    def load(self, chunk: int | list[Value]) -> list[Value]:
        """The values of a chunk; the last chunk is cached, since it is often read again at once."""
        if isinstance(chunk, list):
            return chunk
        if self._last[0] is not chunk:
            self._last = None, []  # never two chunks in memory
            self._last = chunk, [Value(*row) for row in self.file.get(chunk)]
        return self._last[1]

    def clear_cache(self) -> None:
        """The comparison has ended: drop all values that were read back for it."""
        self._last = None, []
        self._compared.clear()
        self._compared_count = 0

    def count_compared(self, run: ComparedRun, count: int) -> None:
        """A run has `count` values in memory; the runs that were compared longest ago have to drop theirs."""
        self._compared.append((run, count))
        self._compared_count += count
        while self._compared_count > MAX_COMPARED:
            oldest, dropped = self._compared.popleft()
            self._compared_count -= dropped
            oldest.drop_values()


class SpilledValues(Sequence[Value]):
    """The values of one file in the temporary file. Their number and the hashes of the first and the last are kept in memory."""

    __slots__ = ("_chunks", "_count", "_first", "_spill", "ends", "printed", "printed_hosts", "same_as")

    def __init__(self, spill: ValueSpill, preceding: int) -> None:
        self._spill, self._first, self._count = spill, -preceding - 1, 0
        self._chunks: tuple[int | list[Value], ...] = ()
        self.ends: tuple[int, int] = (0, 0)
        """Hashes of the first and the last value (see `hash_value`)."""
        self.same_as: Mapping[int, int | str] = _NONE
        """Index -> line of the value of this file that shows the same."""
        self.printed: dict[tuple[str, Any], int] = {}
        """As `printed_about_machines` returns it."""
        self.printed_hosts: frozenset[tuple[str, str]] = frozenset()
        """Tool and host of the values whose tool prints one."""

    def add(self, values: Sequence[Value]) -> None:
        """Append values. All calls but the last must have a multiple of `CHUNK_SIZE` of them."""
        if not values:
            return
        if same_as := {index: value.same_as for index, value in enumerate(values, self._count) if value.same_as is not None}:
            self.same_as = {**self.same_as, **same_as}
        self.printed = printed_about_machines(values) | self.printed
        self.printed_hosts |= find_printed_hosts(values)
        self.ends = (self.ends[0] if self._count else hash_value(values[0])), hash_value(values[-1])
        for index in range(0, len(values), CHUNK_SIZE):
            # As rows: three times as fast as pickling the objects; objects that rows share stay shared.
            chunk = values[index : index + CHUNK_SIZE]
            self._chunks += (self._spill.file.put([value_as_row(value) for value in chunk]) or list(chunk),)
        self._count += len(values)

    def change(self, change: Callable[[list[Value]], None]) -> None:
        """Have `change` set fields of the values, a chunk at a time; what makes values differ stays."""
        chunks: list[int | list[Value]] = []
        for chunk in self._chunks:
            values = self._spill.load(chunk)
            before = [value_as_row(value) for value in values]
            change(values)
            rows = [value_as_row(value) for value in values]
            chunks.append(chunk if rows == before else self._spill.file.put(rows) or list(values))
        self._chunks = tuple(chunks)

    @property
    def all_in_memory(self) -> bool:
        """Whether nothing could be written."""
        return all(isinstance(chunk, list) for chunk in self._chunks)

    @property
    def ids(self) -> range:
        """A number for each value; negative, unlike the id() of values in memory."""
        return range(self._first, self._first - self._count, -1)

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Value]:
        for _, values in self.chunks():
            yield from values

    @overload
    def __getitem__(self, index: int) -> Value: ...
    @overload
    def __getitem__(self, index: slice) -> list[Value]: ...

    def __getitem__(self, index: int | slice) -> Value | list[Value]:
        return list(self)[index] if isinstance(index, slice) else self.read([range(self._count)[index]], None)[0]

    def chunks(self) -> Iterator[tuple[int, list[Value]]]:
        """(index of the first, values) of each chunk."""
        for number, chunk in enumerate(self._chunks):
            yield number * CHUNK_SIZE, self._spill.load(chunk)

    def end_comparison(self) -> None:
        """No run of any file of the archive is compared any more."""
        self._spill.clear_cache()

    def count_compared(self, run: ComparedRun) -> None:
        self._spill.count_compared(run, len(run.indices))

    def write_run(self, indices: Sequence[int]) -> int | None:
        """Write the values of one benchmark run, at `indices`, side by side; their location, None if the disk is full."""
        return self._spill.file.put([value_as_row(value) for value in self.read(indices, None)])

    def read(self, indices: Sequence[int], location: int | None) -> list[Value]:
        """The values at these indices, in order, from the location of the run if it has one."""
        if location is not None:
            return [Value(*row) for row in self._spill.file.get(location)]
        values: list[Value] = []
        for number, group in groupby(indices, lambda index: index // CHUNK_SIZE):
            chunk = self._spill.load(self._chunks[number])
            values += [chunk[index - number * CHUNK_SIZE] for index in group]
        return values


def printed_about_machines(values: Sequence[Value]) -> dict[tuple[str, Any], int]:
    """(key, value) -> first line, of what tools print about a host, its system and its operating system."""
    if isinstance(values, SpilledValues):
        return values.printed
    found: dict[tuple[str, Any], int] = {}
    for printed in {id(value.printed_config): value.printed_config for value in values if value.printed_config}.values():
        for key, (text, line) in printed.items():
            if key in _MACHINE_KEYS:
                found.setdefault((key, text), line)
    return found


def find_printed_hosts(values: Sequence[Value]) -> frozenset[tuple[str, str]]:
    """(tool, host) of the values whose tool prints a host."""
    if isinstance(values, SpilledValues):
        return values.printed_hosts
    printed = {id(value.printed_config): value for value in values if value.printed_config}
    return frozenset(
        [(value.tool, value.printed_config["host"][0]) for value in printed.values() if "host" in value.printed_config]
    )


def hash_value(value: Value) -> int:
    """Hash of line, metric and printed text: distinguishes the first or last values of most files."""
    return hash((value.line, value.metric, value.raw))


def value_ids(values: Sequence[Value]) -> Sequence[int]:
    """A number for each value, unique in the archive while the values are in memory."""
    return values.ids if isinstance(values, SpilledValues) else [id(value) for value in values]


def iter_chunks(values: Sequence[Value]) -> Iterator[tuple[Sequence[int] | None, Sequence[Value]]]:
    """(ids or None, values) of the values of a file that are in memory together, in order; None: their ids are their id()."""
    if isinstance(values, SpilledValues):
        for start, chunk in values.chunks():
            yield values.ids[start : start + len(chunk)], chunk
    elif values:
        yield None, values
