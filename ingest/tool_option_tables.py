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


TOOLS: dict[str, ToolOptions] = {
    "fio": ToolOptions(
        "fio documentation",
        {
            "where the report goes and how it looks (Command line options)": "output output-format",
            "a name of the job (Job description)": "name description",
        },
    ),
}
