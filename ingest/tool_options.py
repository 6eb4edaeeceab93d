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

from ingest.tool_option_tables import TOOLS, Default

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
    counted: dict[str, str] = {}
    for given, value in options.items():
        found = _count(tool, given, value[:_MAX_READ], version)
        if found is not None:
            counted[found[0]] = found[1]
    return counted


@lru_cache(50_000)
def _count(tool: str, given: str, value: str, version: str | None) -> tuple[str, str] | None:
    """Name and value as a parameter of one option that was given; None if it does not count."""
    table = TOOLS[tool]
    option = _STRANGE.sub("_", table.synonyms.get(given, given))[: MAX_LENGTH - len(tool) - 1]
    name = f"{tool}.{option}"
    if not is_option(name):
        return None
    text = _spell(tool, option, value)
    return None if is_default(tool, option, text, version) else (name, text)


def is_default(tool: str, option: str, value: str, version: str | None) -> bool:
    """Whether an option has the value that it has in that version without being given; switches are off."""
    table = TOOLS[tool]
    defaults = table.defaults.get(option) or ((_OFF,) if option in table.switches.split() else ())
    return any(value == default.value and _is_of(default, version) for default in defaults)


_OFF = Default("0")
_MAX_READ = 2000
_TRUTH = {"true": "1", "yes": "1", "on": "1", "false": "0", "no": "0", "off": "0"}
_SIZE = re.compile(r"(?<![\w.$])(\d{1,18})(\.\d{1,9})?(?:([kmgtp])(?:i?b)?|b)(?![\w.])", re.I)
_TIME = re.compile(r"(?<![\w.$])(\d{1,18}(?:\.\d{1,9})?)(us|usec|ms|msec|s|sec|m|min|h|d)?(?![\w.])", re.I)
_MICROSECONDS = {"us": 1, "ms": 1000, "s": 10**6, "m": 60 * 10**6, "h": 3600 * 10**6, "d": 86400 * 10**6}
_DECIMAL = re.compile(r"\d{1,15}\.\d{1,9}")


def _spell(tool: str, option: str, value: str) -> str:
    """The value in one spelling: sizes in bytes, times in the unit of a bare number, switches 1 and 0."""
    table, text = TOOLS[tool], " ".join(value.split())
    if option in table.switches.split():
        text = _TRUTH.get(text.lower(), text)
    elif (unit := _unit_of(tool, option)) is not None:
        text = _TIME.sub(lambda match: _spell_time(match[1], (match[2] or unit).lower(), unit), text)
    elif _has_size(tool, option):
        text = _SIZE.sub(_spell_size, text)
    if option in table.per_direction.split():
        text = _spell_directions(text)
    if _DECIMAL.fullmatch(text):
        text = f"{float(text):.9f}".rstrip("0").rstrip(".")
    return table.values.get(option, {}).get(text, text)[:MAX_LENGTH] or "1"


@lru_cache(20_000)
def _unit_of(tool: str, option: str) -> str | None:
    return next((unit for unit, options in TOOLS[tool].times.items() if option in options.split()), None)


@cache
def _sizes(tool: str) -> re.Pattern[str]:
    return re.compile("|".join(map(translate, TOOLS[tool].sizes.split())) or r"(?!)")


def _has_size(tool: str, option: str) -> bool:
    return _sizes(tool).match(option) is not None


def _spell_size(match: re.Match[str]) -> str:
    """`4k`, `1.5g`, `512b` in bytes; as it is, where that is no whole number."""
    size = float(match[1] + (match[2] or "")) * 1024 ** ("kmgtp".index(match[3].lower()) + 1 if match[3] else 0)
    return str(int(size)) if size == int(size) else match[0]


def _spell_time(number: str, given: str, unit: str) -> str:
    given = {"usec": "us", "msec": "ms", "sec": "s", "min": "m"}.get(given, given)
    time = float(number) * _MICROSECONDS[given] / _MICROSECONDS[unit]
    return f"{time:.9f}".rstrip("0").rstrip(".") + (unit if time else "")


def _spell_directions(text: str) -> str:
    """`1m,500k` for reads, writes and trims: the last one holds for those behind it, unless it ends in a comma."""
    parts = text.split(",")
    if len(parts) > 3:
        return text
    parts += [parts[-1]] * (3 - len(parts))
    if parts[1] == parts[2]:
        parts.pop()
    return parts[0] if len(set(parts)) == 1 else ",".join(parts)


def _is_of(default: Default, version: str | None) -> bool:
    if not (default.first or default.before):
        return True
    if version is None:
        return False
    number = _numbers(version)
    return _numbers(default.first) <= number and (not default.before or number < _numbers(default.before))


def _numbers(version: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", version)]
