"""Workloads."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache

import numpy as np

from ingest import keys
from ingest.keys import COUNT, PARAMS, is_share, missing_sizes
from ingest.options import is_option
from ingest.version_changes import changes_of, version_changes
from webapp.comparison.dimensions import APART, DIMENSIONS, UNKNOWN, in_sentence, option_words, tool_of, value_label
from webapp.comparison.model import Group
from webapp.comparison.selection import Selection
from webapp.comparison.sets import core_keys
from webapp.comparison.summary.columns import WORKLOAD_INDEX, Columns
from webapp.formatting import numbers

# The workloads of rows: what must not differ within a figure, and the list of those that could be drawn.

WORKLOAD_DIMENSIONS = ("tool", "tool_version", "aggregate", "origin", APART, *PARAMS)
SIZE = "size"
ACROSS_TOOLS = ("aggregate", "origin", "part", APART, SIZE, "access", "pattern", "direct", "threads", "processes")
"""What has to be equal where tools are compared, whose other parameters have nothing in common; no group mixes parts of a tool."""
SIZES = ("total_size", "file_size")
"""Parameters that tell how much data a tool wrote or read."""
COMPATIBLE_VERSIONS: dict[str, tuple[str, ...]] = {
    "bonnie++": ("1.0", "1.9 2."),
    "iozone": ("3.",),
    "ior": ("2.", "3. 4."),
    "mdtest": ("1.", "3. 4."),
    "fio": ("2.", "3."),
    "rsync": ("3.",),
    "dd": ("4. 5. 6. 7. 8. 9.",),
}
"""Ranges of versions by their first characters: releases of one range measure and print the same numbers, but for what
`ingest.version_changes` lists. Of other tools, and outside of the ranges, only equal versions are drawn together."""
_CHANGING = {"api": "HDF5", "direct": "on"}
"""Parameters on which a change of what a number means may depend, beside options, with a value on which one does."""
_OF_CHANGES = "|"
"""Before the numbers of the changes that hold for a range of versions, which `_meaning` appends."""
TYPICAL = ("sample", "mean", "median", "p50")
"""Kinds of numbers that describe a typical run, in the order of preference where the selection names none."""
MEASURED = "measured"
PARENT = "parent"
"""The part of iozone's total over the wall time."""
SAME_RUNS = ("aggregate", "part")
"""In what workloads differ that may be other numbers of the same runs."""
EXTREMES, SPREADS = ("min", "max"), ("stddev", "variance", "cv", "range")

WorkloadKey = tuple[tuple[str, str], ...]
GroupCounts = dict[WorkloadKey, int]
"""The number of values of each workload in a group."""


def version_range(tool: str, version: str) -> str:
    """The range of COMPATIBLE_VERSIONS that a version is in; the version itself outside of all; `~` where it is unknown."""
    ranges = COMPATIBLE_VERSIONS.get(tool, ())
    return next((known for known in ranges if version.startswith(tuple(known.split()))), version)


class WorkloadKeys:
    """The distinct keys of the workloads of some rows: workload i has `keys[codes[i]]`. A key ends in the options that were given.

    `typicality` of each key: 3 for typical kinds of numbers, 2 for others, 1 for extremes, 0 for spreads, which only share the
    metric's unit; 4 less for what one of several processes or nodes did: the whole comes before its parts. `preference`: 0 for
    measured numbers of the first kind in `TYPICAL`, negative for other kinds and for sums that are not over the wall time, and
    still less for other origins.
    """

    def __init__(self, selection: Selection, rows: Columns) -> None:
        names = _key_dimensions(selection.axes, selection.pool)
        free = tuple(name for name in (*selection.axes, *selection.pool) if is_option(name) or name in _CHANGING)
        cache = rows.dimensions.cache
        if (names, free) not in cache:
            cache[names, free] = self._compute(names, free, rows)
        self.keys, self.codes, self.typicality, self.preference = cache[names, free]

    @staticmethod
    def _compute(
        names: Sequence[str], free: Sequence[str], rows: Columns
    ) -> tuple[list[WorkloadKey], np.ndarray, np.ndarray, np.ndarray]:
        code_of: dict[WorkloadKey, int] = {}
        columns = [_ranges(rows, free) if name == "tool_version" else _texts(name, rows) for name in names]
        keys = [tuple(zip(names, texts, strict=True)) for texts in zip(*columns, strict=True)]
        if rows.dimensions.option_names and "tool" in names:  # tools beside each other have no options in common
            given = [[pair for pair in options if pair[0] not in free] for options in rows.dimensions.options]
            keys = [(*key, *options) for key, options in zip(keys, given, strict=True)]
        codes = np.array([code_of.setdefault(key, len(code_of)) for key in keys], np.intp)
        kinds = [(key.get("aggregate", TYPICAL[0]), key.get("origin", MEASURED)) for key in map(dict, code_of)]
        shares = [is_share(dict(key).get("part", UNKNOWN)) for key in code_of]
        typicality = np.array([_typicality(kind) - 4 * share for (kind, _), share in zip(kinds, shares, strict=True)], np.intp)
        preference = [_preference(*kind) - _is_sum_of_rates(dict(key)) for kind, key in zip(kinds, code_of, strict=True)]
        return list(code_of), codes, typicality, np.array(preference, np.intp)

    def count_values(self, rows: Columns) -> GroupCounts:
        """The number of values of each workload among these rows."""
        if not len(rows):
            return {}
        counts = np.bincount(self.codes, rows.sum_weights(WORKLOAD_INDEX, rows.n), len(self.keys))
        occurrences = np.bincount(self.codes[rows.occurring(WORKLOAD_INDEX)], minlength=len(self.keys))
        return {self.keys[code]: int(counts[code]) for code in np.flatnonzero(occurrences).tolist()}


@lru_cache(1_000)
def _key_dimensions(axes: tuple[str, ...], pool: tuple[str, ...]) -> tuple[str, ...]:
    """The dimensions that must not differ within a figure."""
    return tuple(name for name in (ACROSS_TOOLS if "tool" in axes else WORKLOAD_DIMENSIONS) if name not in {*axes, *pool})


def within_tools(selection: Selection) -> Selection:
    """The selection without the tool as an axis, so that a workload is one of its tool."""
    return selection.changed(**{axis: "" for axis in ("x", "series", "facet") if getattr(selection, axis) == "tool"})


def _is_sum_of_rates(key: Mapping[str, str]) -> bool:
    """Whether the number may be iozone's *Children see*: rates of processes that did not run all the time, added up."""
    return key.get("tool") == "iozone" and key.get("part") == UNKNOWN and {key.get("processes"), key.get("threads")} != {UNKNOWN}


def _typicality(kind: str) -> int:
    return 0 if kind in SPREADS else 1 if kind in EXTREMES else 3 if kind in TYPICAL else 2


def _preference(kind: str, origin: str) -> int:
    rank = TYPICAL.index(kind) if kind in TYPICAL else len(TYPICAL)
    return -rank if origin == MEASURED else -rank - len(TYPICAL) - 1


def _texts(name: str, rows: Columns) -> list[str]:
    """The value of a dimension for each workload: of `size` the first known of SIZES."""
    if name == SIZE:
        sizes = zip(*(_texts(size, rows) for size in SIZES), strict=True)
        return [next((text for text in texts if text != UNKNOWN), UNKNOWN) for texts in sizes]
    column = rows.dimensions.column(name)
    texts: list[str] = column.texts[column.codes].tolist()
    return texts


def _ranges(rows: Columns, free: Sequence[str]) -> list[str]:
    """The range of versions of each workload, in which its numbers mean one thing. What depends on options and parameters that may
    differ (`free`) is as if each had them, or a version would differ from itself."""
    texts, tools, stats = (_texts(name, rows) for name in ("tool_version", "tool", "aggregate"))
    needed = [_texts(name, rows) for name in _CHANGING]
    assumed = [(name, _CHANGING.get(name, "1")) for name in free]
    given = rows.dimensions.options if rows.dimensions.option_names else [()] * len(texts)
    metrics = tuple(rows.dimensions.metrics)
    return [
        version_range(tool, version)
        + _meaning(tool, version, metrics, stat, (*options, *zip(_CHANGING, named, strict=True), *assumed))
        for tool, version, stat, options, *named in zip(tools, texts, stats, given, *needed, strict=True)
    ]


@lru_cache(10_000)
def _meaning(tool: str, version: str, metrics: tuple[str, ...], stat: str, params: tuple[tuple[str, str], ...]) -> str:
    """What is appended to the range of a version, so that versions in which these numbers mean something else are apart."""
    if version == UNKNOWN or tool not in COMPATIBLE_VERSIONS:
        return ""
    changes = dict.fromkeys(change for metric in metrics for change in changes_of(tool, metric, stat, dict(params)))
    held = [str(version_changes().index(change)) for change in changes if change.holds_for(version)]
    return f"{_OF_CHANGES}{','.join(held)}" if held else ""


def _what_changed(value: str, drawn: str) -> str:
    """What the numbers of one of two ranges of versions alone mean: ` (before 1.90: three processes seek, later five)`."""
    held = [{*text.partition(_OF_CHANGES)[2].split(",")} - {""} for text in (value, drawn)]
    change = next((version_changes()[int(number)] for number in sorted(held[0] ^ held[1], key=int)), None)
    return f" (before {change.before}: {change.what})" if change else ""


def label_workloads(keys: Sequence[WorkloadKey]) -> list[tuple[str, dict[str, str]]]:
    """(label, filters that distinguish it from the others) of each workload."""
    differing = {name for name, _ in set().union(*keys).difference(set(keys[0]).intersection(*keys))} if keys else set()
    return [
        (
            workload_label([(name, text) for name, text in key if _is_titled(name, text) or name in differing], ()),
            restrict(key, differing),
        )
        for key in keys
    ]


def restrict(key: WorkloadKey, names: set[str]) -> dict[str, str]:
    """The values of these dimensions; not of versions where the key has a range of them, nor of options of another tool."""
    tool = dict(key).get("tool", "")
    ranged = {"tool_version"} if tool in COMPATIBLE_VERSIONS else set()
    not_given = {name: UNKNOWN for name in names if is_option(name) and tool in ("", tool_of(name))}
    return not_given | {name: value for name, value in key if name in names - ranged and name in DIMENSIONS}


# Workload and shared configuration of a figure in words, for title and subtitle. Pure.

SUBTITLE = ("host", "cpu", "memory", "os", "os_version", "fs", "stack", "layout", "disk", "compression")
"""Shared values of a configuration that the subtitle names, in this order."""
MAX_SUBTITLE = 6
MAX_VERSIONS = 4
"""Versions of a tool that a title names."""
MAX_TITLED, MAX_DESCRIBED = 3, 5
"""Options that a title names, and in which two workloads are said to differ."""
_PARALLEL = ("threads", "processes", "nodes", "iodepth")
_WAYS = ("access", "part", "phase", "operation")
"""Parameters that say what was done."""
_PLAIN_SIZES = ("file_size", "total_size", SIZE)
"""Sizes that a title gives without their name."""


def workload_title(workload: Iterable[tuple[str, str]], versions: Sequence[str], differing: Collection[str] = ()) -> str:
    """Tool, versions, sizes, how many threads, processes and nodes where there are several, and of the options those that other
    workloads have in another way: `bonnie++ 1.97, 2 GiB`."""
    workload = list(workload)
    options = [pair for pair in workload if is_option(pair[0]) and pair[0] in differing]
    more = len(options) - MAX_TITLED
    label = workload_label([pair for pair in workload if _is_titled(*pair)] + options[:MAX_TITLED], versions)
    return f"{label}, {more} more option{'' if more == 1 else 's'}" if more > 0 else label


def _is_titled(name: str, text: str) -> bool:
    if name not in PARAMS:
        return not is_option(name)
    if PARAMS[name].type == keys.SIZE:
        return True
    return (name in _PARALLEL and text != "1") or name in _WAYS


def workload_label(workload: Iterable[tuple[str, str]], versions: Sequence[str]) -> str:
    """The whole workload: `bonnie++ 1.97, 2 GiB, 4 threads, 16384 files`."""
    texts = {name: text for name, text in workload if text != UNKNOWN}
    words = [" ".join(part for part in (texts.get("tool", ""), _name_versions(versions)) if part)]
    words += [texts[name] for name, usual in (("aggregate", "sample"), ("origin", MEASURED)) if texts.get(name, usual) != usual]
    words += [_describe_param(name, text) for name, text in texts.items() if name in PARAMS or name == SIZE or is_option(name)]
    return ", ".join(word for word in words if word)


def _name_versions(versions: Sequence[str]) -> str:
    """`1.97 and 1.98`; of more than a title has room for, how many."""
    return " and ".join(versions) if len(versions) <= MAX_VERSIONS else f"in {len(versions)} versions"


def _describe_param(name: str, text: str) -> str:
    if name == SIZE:
        return numbers.size(int(text)) if text.isdigit() else text
    if is_option(name):
        return option_words(name, text)
    label, value = in_sentence(DIMENSIONS[name].label), value_label(DIMENSIONS[name], text)
    if name in _PLAIN_SIZES:
        return value
    if PARAMS[name].type == keys.SIZE or name == "iodepth":
        return f"{label} {value}"
    if PARAMS[name].type == COUNT:
        return f"{value} {_singular(label) if value == '1' else label}"
    return _named(name, text)


def _singular(label: str) -> str:
    """`processes` as `process`, `threads` as `thread`; `files per directory` as it is."""
    if label.endswith("sses"):
        return label.removesuffix("es")
    return label if label.endswith("ss") else label.removesuffix("s")


def _named(name: str, text: str) -> str:
    """A value, with the name of its dimension where it says nothing alone: `lz4`, `compression off`, `OS version 12`."""
    value = value_label(DIMENSIONS[name], text) + " data" * ((name, text) == ("contents", "random"))
    return f"{in_sentence(DIMENSIONS[name].label)} {value}" if value in ("on", "off") or name == "os_version" else value


def default_words(selection: Selection, rows: Columns) -> list[str]:
    """The options that each file system has its own default of, where a recorded one is unlike the others': `discard by default:
    async (btrfs), off (ext4)`."""
    words, axes = [], selection.axes
    for name, option in core_keys.SAME_EVERYWHERE.items():
        axis = next((axis for axis in axes if core_keys.default_follows(name, axis)), "")
        if not axis or name in axes or not rows.known(name):
            continue
        values: dict[str, set[str]] = {}
        for row in rows.rows:
            text, is_default = core_keys.option_in_force(name, row.texts)
            if is_default:
                values.setdefault(value_label(DIMENSIONS[name], text), set()).add(value_label(DIMENSIONS[axis], row.texts[axis]))
        if len(values) > 1:
            each = ", ".join(f"{text} ({', '.join(sorted(of))})" for text, of in sorted(values.items()))
            words.append(f"{option.label} by default: {each}")
    return words


def subtitle(fixed: Iterable[tuple[str, str]], axes: Sequence[str], groups: Sequence[Group], defaults: Sequence[str] = ()) -> str:
    """What all groups share, defaults that they do not, and the number of runs: `ext4 · Xeon E5-1620 · 16 GiB · n = 3 each`."""
    texts = dict(fixed)
    shared = [_named(name, texts[name]) for name in SUBTITLE if name in texts and name not in axes]
    if "os_version" in texts and "os" in texts and "os" not in axes and "os_version" not in axes:
        version, name = value_label(DIMENSIONS["os_version"], texts["os_version"]), value_label(DIMENSIONS["os"], texts["os"])
        numbered = _named("os_version", texts["os_version"])
        shared = [f"{name} {version}" if label == name else label for label in shared if label != numbered]
    counts = [group.n for group in groups]
    if counts:
        low, high = min(counts), max(counts)
        shared = [*shared[:MAX_SUBTITLE], *defaults]
        shared.append(f"n = {numbers.count(low)}{' each' if len(counts) > 1 else ''}" if low == high else f"n = {low} to {high}")
    return " · ".join(shared)


def differing_dimensions(key: WorkloadKey, other: WorkloadKey) -> set[str]:
    """The dimensions in which two workloads differ; not the version where it means something else for what differs anyway."""
    pairs = set(key) ^ set(other)
    names = {name for name, _ in pairs}
    ranges = {text.partition(_OF_CHANGES)[0] for name, text in pairs if name == "tool_version"}
    if len(ranges) == 1 and any(is_option(name) or name in _CHANGING for name in names):
        names.remove("tool_version")
    return names


def describe_differences(key: WorkloadKey, drawn: WorkloadKey, rows: Columns) -> tuple[str, bool]:
    """What the workload of these rows has instead of the drawn one, in words, and whether it is known to be another one.

    A size that the tool needs and that is unknown equals only itself, and is named.
    """
    wanted = dict(drawn)
    words, is_other = [], False
    missing = _missing_sizes(rows) if dict(key).get(APART, UNKNOWN) != UNKNOWN else ()
    differing = differing_dimensions(key, drawn)
    for name, value in _with_options_of(key, drawn):
        if name not in differing or name == APART or name in missing:
            continue
        is_other |= UNKNOWN not in (value, wanted.get(name)) or name == "part" or is_option(name)
        if name == "tool_version":
            words.append(_describe_version(rows) + _what_changed(value, wanted.get(name, "")))
        else:
            words.append(_describe_value(name, value))
    if missing:
        words.append(f"{describe_missing_sizes(rows)} unknown")
    return ", ".join(words), is_other


def is_way(name: str) -> bool:
    """Whether a dimension says how the work was done: an option, or a parameter in words that is no part of the run."""
    return is_option(name) or (name in PARAMS and PARAMS[name].type == keys.TEXT and name not in ("part", "phase", "operation"))


def describe_ways(key: WorkloadKey, names: Collection[str]) -> str:
    """The workload in these options and parameters: `with verification md5, fdatasync=1 and without thinktime`."""
    given = [_describe_value(name, text) for name, text in key if name in names]
    missing = [name.partition(".")[2] for name in sorted({*names}.difference(dict(key)))]
    return " and ".join(f"{word} {_first(texts)}" for word, texts in (("with", given), ("without", missing)) if texts)


def _first(texts: Sequence[str]) -> str:
    more = len(texts) - MAX_DESCRIBED
    return ", ".join(texts[:MAX_DESCRIBED]) + (f" and {more} more" if more > 0 else "")


def _with_options_of(key: WorkloadKey, other: WorkloadKey) -> WorkloadKey:
    """The workload with the options, as not given, that another one has and it has not."""
    own = dict(key)
    return (*key, *((name, UNKNOWN) for name, _ in other if is_option(name) and name not in own))


def _missing_sizes(rows: Columns) -> tuple[str, ...]:
    """The needed sizes of rows of one workload that are unknown."""
    row = rows.rows[0]
    return missing_sizes(row.texts["tool"], row.metric, {name: row.texts[name] for name in PARAMS if row.texts[name] != UNKNOWN})


def describe_missing_sizes(rows: Columns) -> str:
    """The unknown sizes of rows of one workload: `block size`, `file size and threads`."""
    return " and ".join(in_sentence(DIMENSIONS[name].label) for name in _missing_sizes(rows))


def _describe_version(rows: Columns) -> str:
    versions = rows.distinct("tool_version")
    return "version not stated" if UNKNOWN in versions else f"version {' and '.join(versions)}"


def _describe_value(name: str, value: str) -> str:
    """One dimension of a workload: `fio`, `threads 4`, `direct I/O not stated`."""
    if name in ("tool", "origin"):
        return value
    if name == "part" and value == UNKNOWN:
        return "the whole run"
    if is_option(name):
        return option_words(name, value)
    dimension = DIMENSIONS["file_size" if name == SIZE else name]
    label = SIZE if name == SIZE else in_sentence(dimension.label)
    return f"{label} {'not stated' if value == UNKNOWN else value_label(dimension, value)}"
