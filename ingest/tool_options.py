"""Options of tools that have no parameter of ours: each counts as part of the workload unless it is known not to.

An option stands in `params` under its tool: `fio.zero_buffers`, `iozone.-e`, `ior.reorderTasks`. The tables say, per tool, what
does **not** count: options without effect on the number, each with its reason and the place in the manual; options that one of
`ingest.keys.PARAMS` holds; and documented defaults, which equal absence. What nobody has heard of counts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fnmatch import translate
from functools import cache, lru_cache

from ingest.tool_option_tables import TOOLS, Default, ToolOptions

MAX_LENGTH = 200
"""Characters of a value, and of a name; longer values are cut."""
_STRANGE = re.compile(r"[^A-Za-z0-9_.:+@%=/-]")
"""Characters that no name of an option has, as a name is part of addresses and pages."""


@lru_cache(20_000)
def is_option(name: str) -> bool:
    """Whether a parameter is an option under its tool that counts: `fio.zero_buffers`."""
    tool, dot, option = name.partition(".")
    if not dot or not option or tool not in TOOLS or len(name) > MAX_LENGTH or _STRANGE.search(option):
        return False
    return _not_counted(tool).match(option) is None


@cache
def _not_counted(tool: str) -> re.Pattern[str]:
    """What the options that do not count match."""
    table = TOOLS[tool]
    words = " ".join((*table.without_effect.values(), table.named)).split()
    return re.compile("|".join(map(translate, words)) or r"(?!)")


def open_params(tool: str, options: Mapping[str, str], version: str | None = None) -> dict[str, str]:
    """The options that count, by their names as parameters, from those that were given (empty value: a switch)."""
    table = TOOLS[tool]
    counted: dict[str, str] = {}
    for given, value in options.items():
        option = _STRANGE.sub("_", table.synonyms.get(given, given))[: MAX_LENGTH - len(tool) - 1]
        if is_option(f"{tool}.{option}"):
            text = _spell(table, option, value)
            if not any(text == default.value and _is_of(default, version) for default in table.defaults.get(option, ())):
                counted[f"{tool}.{option}"] = text
    return counted


def _spell(table: ToolOptions, option: str, value: str) -> str:
    text = " ".join(value.split())[:MAX_LENGTH]
    return text or "1"


def _is_of(default: Default, version: str | None) -> bool:
    if not (default.first or default.before):
        return True
    if version is None:
        return False
    number = _numbers(version)
    return _numbers(default.first) <= number and (not default.before or number < _numbers(default.before))


def _numbers(version: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", version)]
