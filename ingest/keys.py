"""Registry of configuration keys and workload parameters: type, unit, plausible range, label."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ingest import normalise, state
from ingest.open_keys import namespace_of, spell_open_value
from ingest.options import is_option, open_params
from ingest.toml_tables import read_table

TEXT, SIZE, COUNT, WORD = "text", "size", "count", "word"


@dataclass(frozen=True, slots=True)
class Key:
    """A configuration key.

    `part`: `system`, `os` or `pool` (the identity that it belongs to), `shown` (part of no identity) or `open`.
    `type`: TEXT keeps its usual spelling, WORD is lower case (off, gzip-6), SIZE is an int in bytes, COUNT an int.
    `query`: its name in the query string of the comparison page, None if it cannot be filtered by.
    `low`, `high`: a value outside is implausible and gives a warning.
    """

    name: str
    part: str
    type: str
    label: str
    query: str | None = None
    low: float | None = None
    high: float | None = None

    @property
    def column(self) -> str:
        """The column of the configuration table: the name with dots as underscores."""
        return self.name.replace(".", "_")


@dataclass(frozen=True, slots=True)
class Param:
    """A workload parameter that is part of the workload's identity; all others are display only."""

    name: str
    type: str
    label: str

    @property
    def column(self) -> str:
        """Its name where a name must be a word."""
        return self.name.replace(".", "_")


_TABLES = read_table(__file__)
KEYS = {name: Key(name, **table) for name, table in _TABLES["keys"].items()}

RANK = "rank"
"""Descriptive parameter of values that a single rank of a parallel run printed; their `part` names it too."""

WHOLE_PART = "group"
"""The part of a total over jobs that are reported apart too: it is the whole of its run, as a value without a part is."""

_SHARE = re.compile(r"(?:(?:job|process|thread|rank|client|target|node) \d|host \S|(?:min|max) (?:process|thread|target)\Z)")


def is_share(part: str) -> bool:
    """Whether a part is what one of several processes, threads, nodes or targets did, or the least or most of them."""
    return _SHARE.match(part) is not None


ERROR = "error"
"""Descriptive parameter of values that a run printed which ended in an error: the error in a few words."""

OPTIONS_UNKNOWN, NOT_RECORDED = "options", "not recorded"
"""Descriptive parameter of values whose output shows no options of the tool, and whose command is not known; its only value."""

RUN_SECONDS, RUN_BOOT = "seconds", "boot"
"""Descriptive parameters that a manifest states of a run: how long its command took, and the number of the boot before it."""

PARAMS = {name: Param(name, **table) for name, table in _TABLES["params"].items()}


def is_key(name: str) -> bool:
    """Whether a configuration may have it: a registered key, or an open one."""
    return name in KEYS or namespace_of(name) is not None


@lru_cache(5_000)
def find_key(name: str) -> Key | None:
    """The registered key, or one of part `open` for an open key, which is filtered by its own name; None of any other text."""
    if (key := KEYS.get(name)) is not None:
        return key
    if namespace_of(name) is None:
        return None
    return Key(name, "open", TEXT, state.KEYS[name].label if name in state.KEYS else name, name)


def is_identity(param: str) -> bool:
    """Whether the parameter is part of a workload's identity (otherwise it is display only)."""
    return param in PARAMS or is_option(param)


def find_param(name: str) -> Param | None:
    """The registered parameter, or one for an option under its tool (`fio.zero_buffers`); None of any other name."""
    return PARAMS.get(name) or (Param(name, TEXT, name) if is_option(name) else None)


NAME_OPERATIONS = ("create_", "stat_", "delete_", "file_", "dir_", "tree_", "remove", "list")
"""How operations on names, not on data, begin."""
_NO_WORK = ("capacity", "score")
"""Quantities that no size of the work changes: of the pool itself, or relative to another run of the same work."""


@dataclass(frozen=True, slots=True)
class Needs:
    """The sizes and counts without which a tool's numbers are of no known workload: of operations on data, and on names."""

    data: frozenset[str]
    names: frozenset[str]


def _needs(data: str, names: str) -> Needs:
    return Needs(frozenset(data.split()), frozenset(names.split()))


TOOL_NEEDS = {tool: _needs(**table) for tool, table in _TABLES["needs"].items()}
_OTHER_TOOLS = _needs("total_size", "files")
"""Copies (rsync, cp, tar, ...), timed commands and tools without a row: the amount of data, or the number of files."""
_NOTHING = frozenset[str]()
_FOLLOWS_FROM = {
    "total_size": (("file_size",),),
    "file_size": (("total_size",), ("file_size_min", "file_size_max")),
    "segments": (("total_size", "block_size", "processes"),),
    "processes": (("total_size", "block_size", "segments"),),
    "files": (("dirs", "files_per_dir"),),
    "files_per_dir": (("files", "dirs"),),
}
"""Parameters from which another one follows: as its product or quotient, or since one file is the whole data set."""


def is_about_names(metric: str) -> bool:
    """Whether the metric is of an operation on names: creation, removal, stat, lists."""
    return metric.startswith(NAME_OPERATIONS)


@lru_cache(4096)
def needed_params(tool: str, metric: str) -> frozenset[str]:
    """The sizes and counts that a number of the tool needs to be of a known workload."""
    operation, _, quantity = metric.partition(".")
    if quantity in _NO_WORK:
        return _NOTHING
    needs = TOOL_NEEDS.get(tool, _OTHER_TOOLS)
    if tool == "mdtest" and operation.startswith("dir_"):
        return frozenset(("dirs", "processes"))
    if tool == "mdtest" and operation.startswith("tree_"):
        return frozenset(("processes",))  # one tree for all of them, whose shape is the command's
    return needs.names if is_about_names(metric) else needs.data


def missing_sizes(tool: str, metric: str, params: Mapping[str, Any]) -> tuple[str, ...]:
    """The needed parameters that are unknown and do not follow from others, by name."""
    return tuple(
        name
        for name in sorted(needed_params(tool, metric))
        if params.get(name) is None
        and not any(all(params.get(other) is not None for other in others) for others in _FOLLOWS_FROM.get(name, ()))
    )


# Values that a person states, in a manifest or on the review page, in the registry's spelling.


def spell_value(key: str, value: Any) -> Any:
    """The value as the registry spells it; None if it is not of that key's type."""
    if isinstance(value, bool):
        value = "on" if value else "off"
    definition = KEYS.get(key)
    if definition is None:
        return spell_open_value(key, value) if is_key(key) else _spell_param(find_param(key), str(value))
    if definition.type in (SIZE, COUNT):
        number = (
            value
            if isinstance(value, int)
            else normalise.parse_size(value)
            if isinstance(value, str) and definition.type == SIZE
            else None
        )
        if isinstance(value, str) and definition.type == COUNT and value.isdecimal() and len(value) < 10:
            number = int(value)
        plausible = (
            number is not None
            and (definition.low is None or number >= definition.low)
            and (definition.high is None or number <= definition.high)
        )
        return number if plausible else None
    if isinstance(value, float | int):
        value = str(value)
    if not isinstance(value, str) or not value.strip() or len(value) > 200:
        return None
    value = value.strip()
    if key in ("pool.compression", "pool.compression_effective"):
        return normalise.compression(value)
    if key == "cpu.model":
        return normalise.cpu_model(value)
    if key == "fs.type":
        return normalise.file_system_type(value) or value.lower()
    return value.lower() if definition.type == WORD else value


def _spell_param(param: Param | None, text: str) -> Any:
    """The value of a workload parameter; None if it is none or not of its type, or an option has its default value."""
    text = text.strip()
    if param is None:
        return None
    if param.name not in PARAMS:
        tool, _, option = param.name.partition(".")
        return open_params(tool, {option: text}).get(param.name)
    if param.type == SIZE:
        return normalise.parse_size(text)
    if param.type == COUNT:
        return int(text) if text.isdecimal() and len(text) < 10 else None
    return text if text and len(text) <= 200 else None
