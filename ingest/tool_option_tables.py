"""Per tool, which of its options do not count as part of the workload: `ingest.tool_options` says what follows from that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


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
    without_effect: Mapping[str, str]
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


def pairs(text: str) -> dict[str, str]:
    """`a=b c=d` as a mapping."""
    return dict(word.split("=", 1) for word in text.split())


def defaults_of(text: str) -> dict[str, tuple[Default, ...]]:
    """`a=1 b=on` as documented defaults of all versions."""
    return {option: (Default(value),) for option, value in pairs(text).items()}


FILE = (Default("file"),)
"""What a path of which only the kind counts usually is."""

TOOLS: dict[str, ToolOptions] = {
    "fio": ToolOptions(
        "fio documentation",
        {
            "where the report goes and how it looks (Command line options)": "output output-format",
            "a name of the job (Job description)": "name description",
        },
    ),
}
