"""Workload and shared configuration of a figure in words, for title and subtitle. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ingest.keys import COUNT, PARAMS, SIZE, missing_sizes
from webapp.comparison import core_keys
from webapp.comparison.dimensions import APART, DIMENSIONS, UNKNOWN, value_label
from webapp.comparison.model import Group
from webapp.comparison.selection import Selection
from webapp.comparison.summary.columns import Columns
from webapp.comparison.workload_filter import SIZE as ANY_SIZE
from webapp.comparison.workload_filter import WorkloadKey
from webapp.formatting import numbers

SUBTITLE = ("host", "cpu", "memory", "os", "os_version", "fs", "stack", "layout", "disk", "compression")
"""Shared values of a configuration that the subtitle names, in this order."""
MAX_SUBTITLE = 6
MAX_VERSIONS = 4
"""Versions of a tool that a title names."""
_PARALLEL = ("threads", "processes", "nodes", "iodepth")
_WAYS = ("access", "part", "phase", "operation")
"""Parameters that say what was done."""
_PLAIN_SIZES = ("file_size", "total_size", ANY_SIZE)
"""Sizes that a title gives without their name."""


def in_sentence(label: str) -> str:
    """A label within a sentence; abbreviations such as OS stay."""
    return label if label[:2].isupper() else label[:1].lower() + label[1:]


def workload_title(workload: Iterable[tuple[str, str]], versions: Sequence[str]) -> str:
    """Tool, versions, sizes, and how many threads, processes and nodes where there are several: `bonnie++ 1.97, 2 GiB`."""
    named = [(name, text) for name, text in workload if name not in PARAMS or _is_titled(name, text)]
    return workload_label(named, versions)


def _is_titled(name: str, text: str) -> bool:
    if PARAMS[name].type == SIZE:
        return True
    return (name in _PARALLEL and text != "1") or name in _WAYS


def workload_label(workload: Iterable[tuple[str, str]], versions: Sequence[str]) -> str:
    """The whole workload: `bonnie++ 1.97, 2 GiB, 4 threads, 16384 files`."""
    texts = {name: text for name, text in workload if text != UNKNOWN}
    words = [" ".join(part for part in (texts.get("tool", ""), _name_versions(versions)) if part)]
    if texts.get("aggregate", "sample") != "sample":
        words.append(texts["aggregate"])
    if texts.get("origin", "measured") != "measured":
        words.append(texts["origin"])
    words += [_describe_param(name, text) for name, text in texts.items() if name in PARAMS or name == ANY_SIZE]
    return ", ".join(word for word in words if word)


def _name_versions(versions: Sequence[str]) -> str:
    """`1.97 and 1.98`; of more than a title has room for, how many."""
    return " and ".join(versions) if len(versions) <= MAX_VERSIONS else f"in {len(versions)} versions"


def _describe_param(name: str, text: str) -> str:
    if name == ANY_SIZE:
        return numbers.size(int(text)) if text.isdigit() else text
    label, value = DIMENSIONS[name].label, value_label(DIMENSIONS[name], text)
    if name in _PLAIN_SIZES:
        return value
    kind = PARAMS[name].type
    label = in_sentence(label)
    if kind == SIZE:
        return f"{label} {value}"
    if kind == COUNT:
        return f"{value} {_singular(label) if value == '1' else label}"
    return _named(name, text)


def _singular(label: str) -> str:
    """`processes` as `process`, `threads` as `thread`; `queue depth` as it is."""
    if label.endswith("sses"):
        return label.removesuffix("es")
    return label if label.endswith("ss") else label.removesuffix("s")


def _named(name: str, text: str) -> str:
    """A value, with the name of its dimension where it says nothing alone: `lz4`, `compression off`, `OS version 12`."""
    value = value_label(DIMENSIONS[name], text)
    return f"{in_sentence(DIMENSIONS[name].label)} {value}" if value in ("on", "off") or name == "os_version" else value


def default_words(selection: Selection, rows: Columns) -> list[str]:
    """The options that each file system has its own default of, where a recorded one is unlike the others': `discard by default:
    async (btrfs), off (ext4)`."""
    words = []
    for name, option in core_keys.SAME_EVERYWHERE.items():
        axis = next((axis for axis in selection.axes if core_keys.default_follows(name, axis)), "")
        if not axis or name in selection.axes or not rows.known(name):
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


def describe_differences(key: WorkloadKey, drawn: WorkloadKey, rows: Columns) -> tuple[str, bool]:
    """What the workload of these rows has instead of the drawn one, in words, and whether it is known to be another one.

    A size that the tool needs and that is unknown equals only itself, and is named.
    """
    wanted = dict(drawn)
    words, is_other = [], False
    missing = _missing_sizes(rows) if dict(key).get(APART, UNKNOWN) != UNKNOWN else ()
    for name, value in key:
        if wanted.get(name) == value or name == APART or name in missing:
            continue
        is_other |= UNKNOWN not in (value, wanted.get(name)) or name == "part"
        words.append(_describe_value(name, value, rows))
    if missing:
        words.append(f"{describe_missing_sizes(rows)} unknown")
    return ", ".join(words), is_other


def _missing_sizes(rows: Columns) -> tuple[str, ...]:
    """The needed sizes of rows of one workload that are unknown."""
    row = rows.rows[0]
    return missing_sizes(row.texts["tool"], row.metric, {name: row.texts[name] for name in PARAMS if row.texts[name] != UNKNOWN})


def describe_missing_sizes(rows: Columns) -> str:
    """The unknown sizes of rows of one workload: `block size`, `file size and threads`."""
    return " and ".join(in_sentence(DIMENSIONS[name].label) for name in _missing_sizes(rows))


def _describe_value(name: str, value: str, rows: Columns) -> str:
    """One dimension of a workload: `fio`, `version 3.1`, `threads 4`, `direct I/O not stated`."""
    if name == "tool_version":
        versions = rows.distinct(name)
        return "version not stated" if UNKNOWN in versions else f"version {' and '.join(versions)}"
    if name in ("tool", "origin"):
        return value
    if name == "part" and value == UNKNOWN:
        return "the whole run"
    dimension = DIMENSIONS["file_size" if name == ANY_SIZE else name]
    label = ANY_SIZE if name == ANY_SIZE else in_sentence(dimension.label)
    return f"{label} {'not stated' if value == UNKNOWN else value_label(dimension, value)}"
