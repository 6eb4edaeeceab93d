"""Per tool, which of its options do not count as part of the workload: `ingest.options` says what follows from that.

The table of a tool is the TOML file of its name beside this module. Lists of names are texts, separated by blanks; lists of
pairs are `a=1 b=on`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Default:
    """A documented default of versions from `first` up to, but not including, `before`; empty: of all."""

    value: str
    first: str = ""
    before: str = ""


@dataclass(frozen=True, slots=True)
class ToolOptions:
    """`manual`: the document that the sections in `without_effect` are of.

    `without_effect`: `reason (section)` -> names or shell patterns, separated by blanks. `named`: options that a named parameter
    holds. `defaults`: option -> its documented defaults. `synonyms`: other spellings -> the option. `sizes`: options, or shell
    patterns, whose values are sizes in bytes, so that `1m` and `1048576` are one value; `times`: those whose values are times, by
    the unit of a bare number (us, ms, s). `switches`: options that are on without a value, and off by default.
    `per_direction`: values for reads, writes and trims, separated by commas. `values`: option -> other spellings of its values.
    `lists`: options whose value is a list, of which each item counts, or not, as `OPTION.ITEM`.

    How its command line is read: `programs`: names of the program. `arguments`: options with an argument, `optional`: those whose
    argument stands in the same word if at all. `paths`: options whose argument is a path, of which the kind counts; separated by
    @ where they are several. `repeats`: switches of which the number counts. `targets`: what counts of the words that are no
    options: `all`, or the `kinds` of them alone. `expands`: options that stand for others; those with a name of their own also
    replace them where all are given. `has_long_words`: long options have one dash as well. `is_bundled`: the first word may be
    letters of options without a dash.
    """

    manual: str
    without_effect: Mapping[str, str] = field(default_factory=dict)
    named: str = ""
    defaults: Mapping[str, tuple[Default, ...]] = field(default_factory=dict)
    synonyms: Mapping[str, str] = field(default_factory=dict)
    sizes: str = ""
    switches: str = ""
    times: Mapping[str, str] = field(default_factory=dict)
    per_direction: str = ""
    values: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    lists: str = ""
    programs: str = ""
    arguments: str = ""
    optional: str = ""
    paths: str = ""
    repeats: str = ""
    targets: str = ""
    expands: Mapping[str, str] = field(default_factory=dict)
    has_long_words: bool = False
    is_bundled: bool = False


def _pairs(text: str) -> dict[str, str]:
    """`a=b c=d` as a mapping."""
    return dict(word.split("=", 1) for word in text.split())


def _read(path: Path) -> ToolOptions:
    """The table of a tool. `defaults`: of all versions, `defaults_by_version`: others; `any_case`: options whose names are written
    in any case."""
    table = tomllib.loads(path.read_text("utf-8"))
    defaults: dict[str, tuple[Default, ...]] = {
        option: (Default(value),) for option, value in _pairs(table.pop("defaults", "")).items()
    }
    for option, by_version in table.pop("defaults_by_version", {}).items():
        defaults[option] = tuple(Default(**default) for default in by_version)
    synonyms = {name.lower(): name for name in table.pop("any_case", "").split()} | _pairs(table.pop("synonyms", ""))
    return ToolOptions(**table, defaults=defaults, synonyms=synonyms)


TOOLS = {path.stem: _read(path) for path in sorted(Path(__file__).parent.glob("*.toml"))}
