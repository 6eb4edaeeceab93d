"""The closed list of caveats that are marked on a figure, and which of them apply to rows and groups. Pure.

The page `/honesty` prints the list.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ingest import derived
from ingest.catalogue import METRICS
from ingest.keys import KEYS, PARAMS
from ingest.open_keys import MEMORY_LIMIT
from ingest.toml_tables import read_table
from webapp.claims import hardware_limits
from webapp.claims.hardware_limits import Limit
from webapp.claims.observations import DOUBTS
from webapp.comparison.dimensions import UNKNOWN
from webapp.comparison.model import Flag, Group
from webapp.comparison.summary.row import SummaryRow
from webapp.formatting import numbers

HONESTY_PAGE = "/honesty"


@dataclass(frozen=True, slots=True)
class Caveat:
    """A caveat with a short `label` for its mark, and `why` and `remedy` for the page `/honesty`.

    `sentence` has the field `{which}` (Every group, 2 of 5 groups); on a figure, fields of the caveat's own. `place`:
    `group`, a mark on the groups concerned; `figure`, a line beneath it. `qualifies`: what a claim about such values adds to
    itself (*faster in this session, from memory*); it goes no further than the session. `rules_out`: such values are left out of
    groups, and counted.
    """

    id: str
    label: str
    place: str
    sentence: str
    why: str
    remedy: str
    qualifies: str = ""
    rules_out: bool = False


CAVEATS = {name: Caveat(name, **table, qualifies=DOUBTS.get(name, "")) for name, table in read_table(__file__).items()}
MIN_MEMORY_MULTIPLE = 2
"""A working set of at least so many times the memory keeps caches from taking part: the usual rule."""
STORED_IN_LESS = ("compression", "compression_effective", "dedup")
"""Axes along which pools store data in less space by their contents."""
_DEVICE_TOOLS = frozenset(("hdparm", "ioping", "zpool iostat", "model"))
"""Tools that measure a device or a monitor's interval, not files through the system's cache."""
_DEVICE_OPERATIONS = frozenset(("cached_read", "trim", "random_trim", "scrub", "store", "transaction"))
_FLUSHED = frozenset(("sync_write", "fsync"))
"""Operations that end when the data are on stable storage."""
_WRITES = frozenset(("write", "write_char", "random_write", "fwrite", "frewrite", "pwrite", "pwritev", "repwrite", "repwritev"))
_READS = ("read", "reread", "random_read", "backward_read", "strided_read", "fread", "freread", "pread", "preadv", "repread")
_TRANSFERS = frozenset((*_WRITES, *_READS, "repreadv", "read_char", "rewrite", "record_rewrite", "sync_write", "transfer"))
"""Operations that read or write all of their data, unlike a copy that may leave out what is there already."""
_RECORDS = ("transfer_size", "record_size", "block_size")
"""Parameters that tell how much one operation reads or writes, the nearest first."""
_WHOLE = (UNKNOWN, "total", "access")
"""Parts of a run that hold the whole transfer."""
_NOT_FLUSHED = frozenset((UNKNOWN, "none", "off", "no", "0", "false", ""))
_CONFIG = {key.name: key.query for key in KEYS.values() if key.query} | {MEMORY_LIMIT: MEMORY_LIMIT}
_PARAMS = {name: name for name in PARAMS}
"""Dimensions by the names that records have for them."""


def row_caveats(row: SummaryRow) -> frozenset[str]:
    """Ids of the caveats of a row by itself; cached in it."""
    return row.caveats if row.caveats is not None else row.keep_caveats(_derive_row_caveats(row))


def _derive_row_caveats(row: SummaryRow) -> frozenset[str]:
    return _dimension_caveats(row) | {"impossible"} if find_exceeded_link(row) else _dimension_caveats(row)


def _dimension_caveats(row: SummaryRow) -> frozenset[str]:
    """Ids of the caveats that follow from configuration, workload and operation; cached with those."""
    cache, operation = row.texts.caveats, METRICS[row.metric].operation
    if operation not in cache:
        cache[operation] = frozenset(_derive_caveats(row))
    return cache[operation]


def _derive_caveats(row: SummaryRow) -> Iterator[str]:
    """By the derived facts of webapp/storage/derived_facts.py, as far as they follow from what all runs of the row share."""
    facts = derived.derive_quantities(row.texts["tool"], row.metric, _RowFields(row.texts, _PARAMS), _RowFields(row.texts, _CONFIG))
    if _goes_through_cache(row) and facts.get("cache_state") != "direct":
        multiple = facts.get("working_set_over_memory")
        if multiple is not None and multiple < 1:
            yield "cached"
        elif multiple is None or multiple < MIN_MEMORY_MULTIPLE:
            yield "maybe-cached"
    if facts.get("zeros") == "yes":
        yield "zeros"


def _goes_through_cache(row: SummaryRow) -> bool:
    """Whether the system's cache may answer: not for operations on names, devices, file systems in memory and flushed writes."""
    operation, texts = METRICS[row.metric].operation, row.texts
    if derived.kind(row.metric) == derived.NAMES or operation in _DEVICE_OPERATIONS or texts["tool"] in _DEVICE_TOOLS:
        return False
    is_flushed = operation in _FLUSHED or (operation in _WRITES and texts["fsync"].lower() not in _NOT_FLUSHED)
    return not is_flushed and texts["fs"] not in hardware_limits.IN_MEMORY and texts["origin"] != "model"


class _RowFields(Mapping[str, int | str]):
    """The known values of a row's dimensions, by the names that records have for them; parsed on access."""

    __slots__ = ("_names", "_texts")

    def __init__(self, texts: Mapping[str, str], names: Mapping[str, str]) -> None:
        self._texts, self._names = texts, names

    def __getitem__(self, name: str) -> int | str:
        text = self._texts[self._names[name]]
        if text == UNKNOWN:
            raise KeyError(name)
        return _parse(text)

    def __iter__(self) -> Iterator[str]:
        return (name for name, dimension in self._names.items() if self._texts[dimension] != UNKNOWN)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _parse(text: str) -> int | str:
    return int(text) if text.isascii() and text.isdigit() else text


def find_exceeded_link(row: SummaryRow) -> str:
    """The name of the limit that a value of the row exceeds; empty where none does, or no limit is known."""
    if METRICS[row.metric].unit == "B/s" and row.high / row.scale <= hardware_limits.SLOWEST_LINK:
        return ""  # no limit is lower: none is looked for
    limit = find_limit(row)
    if limit is None or not row.high:  # without its values
        return ""
    low, high = _range_within(limit, row)
    return limit.name if 0 < row.low < low or row.high > high else ""


def possible_range(row: SummaryRow) -> tuple[float, float]:
    """The lowest and the highest value that the hardware of a row allows, in the units of its values; 0 and infinity where that
    is unknown. What exceeds them as a throughput does so as the time and the rate of the same run."""
    limit = find_limit(row)
    return _range_within(limit, row) if limit else (0.0, math.inf)


def _range_within(limit: Limit, row: SummaryRow) -> tuple[float, float]:
    size, speed = _unit_size(row) or 1, limit.speed
    if METRICS[row.metric].quantity == "elapsed":
        return size / speed * row.scale, math.inf
    return 0.0, speed / size * row.scale


def _unit_size(row: SummaryRow) -> int | None:
    """Bytes that pass in one unit of a row's values: one of a throughput, a record of a rate of reads or writes, all data of a time
    in which they are read or written. None for other quantities, for parts of a run, and where it is unknown."""
    metric, fields = METRICS[row.metric], _RowFields(row.texts, _PARAMS)
    if metric.unit == "B/s":
        return 1
    if metric.operation not in _TRANSFERS or row.texts["part"] not in _WHOLE:
        return None
    if metric.quantity == "elapsed":
        return derived.working_set(row.texts["tool"], row.metric, fields)
    sizes = [row.texts[name] for name in _RECORDS] if metric.quantity == "rate" else []
    return next((int(text) for text in sizes if text.isdigit() and int(text)), None)


def find_limit(row: SummaryRow) -> Limit | None:
    """The lowest limit of a row's throughput; None where none is known, of other quantities, and of reads from a cache."""
    if row.metric.startswith("cached_read.") or _unit_size(row) is None:
        return None
    working_set = derived.working_set(row.texts["tool"], row.metric, _RowFields(row.texts, _PARAMS))
    writes = METRICS[row.metric].operation in derived.WRITTEN_TO | derived.BOTH_WAYS
    limits = hardware_limits.find_limits(row.texts, working_set, writes=writes)
    is_uncached = _dimension_caveats(row).isdisjoint(("cached", "maybe-cached"))
    if is_uncached and (media := hardware_limits.find_media_limit(row.texts, writes=writes)):
        limits = [media, *limits]
    return min(limits, key=lambda limit: limit.speed, default=None)


def group_caveats(rows: Sequence[SummaryRow]) -> frozenset[str]:
    """Ids of the caveats of rows that are drawn as one group."""
    ids = frozenset().union(*set(map(row_caveats, rows)))
    workloads = {row.workload: row.texts for row in rows}
    return ids | {"versions"} if len({texts["tool_version"] for texts in workloads.values()}) > 1 else ids


def contents_caveat(group: Group, axis: str, compared: Sequence[Group], *, of_file_systems: bool = False) -> str:
    """`compressible` or `contents` where the data of a group that is `compared` with others along an axis are not known to resist
    compression or deduplication; else empty. `of_file_systems`: the values of the axis may be compressing pools and others."""
    if derived.kind(group.metric) == derived.NAMES or any("zeros" in one.flags for one in compared):
        return ""
    every = [row for one in compared for of_one in one.by_configuration for row in of_one]
    rows = [row.texts for of_one in group.by_configuration for row in of_one]
    if of_file_systems:
        is_compressing = any(row.texts["compression"] not in (UNKNOWN, "off") for row in every)
        return "compressible" if is_compressing and _says(rows, derived.COMPRESSIBLE) else ""
    if axis not in STORED_IN_LESS:
        return ""
    if any(texts["contents"] == UNKNOWN and texts["tool"] not in derived.FILLS_WITH_ONE_BYTE for texts in rows):
        return "contents"
    return "compressible" if _says(rows, derived.REPEATING if axis == "dedup" else derived.COMPRESSIBLE) else ""


def _says(rows: Iterable[Mapping[str, str]], words: Collection[str]) -> bool:
    return any(word in texts["contents"] for texts in rows for word in words)


def order_caveats(ids: Collection[str]) -> tuple[str, ...]:
    """The ids in the order of the list."""
    return tuple(name for name in CAVEATS if name in ids)


def caveat_flags(groups: Sequence[Group], links: Collection[str] = ()) -> list[Flag]:
    """One flag for each caveat of a group, in the order of the list. `links`: names of exceeded links."""
    counts = Counter(name for group in groups for name in group.flags)
    link = " or the ".join(sorted(links)) or "link"
    return [
        make_flag(name, which=_which(counts[name], len(groups)), link=link, sizes=_describe_sizes(groups, name))
        for name in order_caveats(counts)
    ]


def _describe_sizes(groups: Sequence[Group], name: str) -> str:
    """The sizes of data and memory in the groups with a caveat: `8.57 GiB on 8 GiB of memory`; the first three of more."""
    found = dict[str, None]()
    for group in groups if name in ("cached", "maybe-cached") else ():
        doubtful = [row for rows in group.by_configuration for row in rows if row_caveats(row) & {"cached", "maybe-cached"}]
        for row in doubtful if name in group.flags else ():
            params, config = _RowFields(row.texts, _PARAMS), _RowFields(row.texts, _CONFIG)
            size, memory = derived.working_set(row.texts["tool"], row.metric, params), derived.usable_memory(config)
            texts = [numbers.size(known) if known else "an unknown size" for known in (size, memory)]
            found["{} on {} of memory".format(*texts)] = None
    more = f" and {len(found) - 3} more" if len(found) > 3 else ""
    return ", ".join(list(found)[:3]) + more


def make_flag(name: str, **fields: str) -> Flag:
    """The flag of a caveat, with the fields of its sentence filled in. KeyError for an unknown id."""
    caveat = CAVEATS[name]
    return Flag(name, caveat.sentence.format(**fields), docs=f"{HONESTY_PAGE}#{name}", place=caveat.place)


def _which(count: int, total: int) -> str:
    if count == total:
        return "Every group" if total > 1 else "The group"
    return f"{count} of {total} groups"
