"""The dimensions by which comparisons are filtered, grouped and faceted: names, labels, order. Plain Python."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ingest import host_names, normalise
from ingest.keys import COUNT, KEYS, PARAMS, SIZE, TEXT
from ingest.open_keys import is_size, namespace_of
from ingest.options import TOOLS, has_size, is_option
from ingest.records import NO_KEYS, NO_PARAMS
from webapp.formatting import numbers
from webapp.formatting.printed_times import MONTH, months_since_zero
from webapp.formatting.visible_text import make_visible

UNKNOWN = "~"
DERIVED_DIMENSIONS = {"compression": ("compression_effective",), "os": ("os_family",), "fs": ("stack",)}
"""Dimensions that are computed from another: no difference of their own where that one is an axis."""
CONFIGURATION, WORKLOAD, PARAM, PLACE = "configuration", "workload", "param", "place"
MACHINE, STATED = "machine", "stated"
"""Dimensions of where a configuration was met: the id of its machine, and whether a person stated any of its keys (yes or no)."""
APART = "apart"
"""The dimension that distinguishes workloads of which a needed size is unknown; its values are digests."""
AGGREGATE = "aggregate"
"""The dimension of the kind of number: `sample`, `mean`, `p99`."""
SOURCE, OTHERS = "source", "others"
"""The dimension that distinguishes overlaid archives, and its value for all others."""
_LETTER = re.compile("[A-Za-z]")
"""A value of an option without one says nothing without its name."""
_NOT_SEARCHED = ("system", "configuration", MACHINE, STATED, APART, SOURCE)
"""Dimensions that are not searched: their values are ids, or say nothing without their name."""
_SPELLINGS: Mapping[str, Callable[[str], str | None]] = {
    "os": normalise.os_name,
    "fs": normalise.file_system_type,
    "compression": normalise.compression,
    "compression_effective": normalise.compression,
}
"""The usual spelling of a word in lower case as a value of these dimensions."""


@dataclass(frozen=True, slots=True)
class Dimension:
    """`name` is the key of the query string, `source` the table of the value, `column` its column or parameter.

    `is_open`: an open key; `is_option`: an option of a tool. `has_sizes`: its values are texts, and the numbers among them bytes.
    """

    name: str
    label: str
    type: str
    source: str
    column: str
    is_open: bool = False
    is_option: bool = False
    has_sizes: bool = False

    @property
    def numeric(self) -> bool:
        return self.type in (SIZE, COUNT)


class _Dimensions(dict[str, Dimension]):
    """The registered dimensions by name, in their order; look-ups also find open keys (`zfs.primarycache`) and options of tools
    (`fio.zero_buffers`), iteration does not."""

    def __missing__(self, name: str) -> Dimension:
        if is_open(name):
            return _open_dimension(name)
        if is_option(name):
            return _option_dimension(name)
        raise KeyError(name)

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or (isinstance(name, str) and (is_open(name) or is_option(name)))

    def get(self, name: str, default: Any = None) -> Any:
        try:
            return self[name]
        except KeyError:
            return default


def is_open(name: str) -> bool:
    """Whether the dimension is an open key."""
    return namespace_of(name) is not None


def describe_namespace(name: str) -> str:
    """What reports an open key or has an option, and where that is documented; empty for other dimensions."""
    if is_option(name):
        tool = tool_of(name)
        return f"Option of {tool}: {TOOLS[tool].manual}"
    namespace = namespace_of(name)
    return f"{namespace.label}: {namespace.source}" if namespace else ""


@lru_cache(5_000)
def _open_dimension(name: str) -> Dimension:
    return Dimension(name, _open_label(name), TEXT, CONFIGURATION, name, is_open=True, has_sizes=is_size(name))


@lru_cache(5_000)
def _option_dimension(name: str) -> Dimension:
    tool, _, option = name.partition(".")
    has_sizes = TOOLS[tool].sizes != "*" and has_size(tool, option)  # not where any value of the tool's options may be one
    return Dimension(name, name, TEXT, PARAM, name, is_option=True, has_sizes=has_sizes)


def tool_of(option: str) -> str:
    """The tool of an option by its name as a dimension: `fio`."""
    return option.partition(".")[0]


def option_words(name: str, text: str) -> str:
    """A value of an option as it is typed: `fdatasync=1`, `-e`, `--bwlimit=5`; `fdatasync not given` where it is not."""
    option = name.partition(".")[2]
    if text == UNKNOWN:
        return f"{option} {value_label(DIMENSIONS[name], text)}"
    if option.startswith("-") and text == "1":
        return option
    between = " " if option.startswith("-") and not option.startswith("--") else "="
    return f"{option}{between}{value_label(DIMENSIONS[name], text)}"


def searchable_text(dimension: Dimension, text: str) -> str:
    """A value as it is searched: as stored (17179869184) and as shown (16 GiB, 16GiB), in lower case, each on a line."""
    if text == UNKNOWN or dimension.name in _NOT_SEARCHED or (dimension.is_option and not _LETTER.search(text)):
        return ""
    shown = value_label(dimension, text).replace("\u00a0", " ")
    return "\n".join(dict.fromkeys((text, shown, shown.replace(" ", "")))).lower()


def find_spelled(dimension: Dimension, values: Sequence[str], word: str) -> list[int]:
    """The positions of the values that the word spells in another way."""
    name = dimension.name
    if dimension.is_open:
        return []
    if dimension.is_option:  # by its name, with or without its value: `zero_buffers`, `fdatasync=1`
        names = (name.lower(), name.partition(".")[2].lower())
        return [at for at, value in enumerate(values) if value != UNKNOWN and word in (*names, option_words(name, value).lower())]
    if dimension.type == SIZE:
        number = None if word.isdigit() else parse_quantity(word)
        return [] if number is None else [at for at, value in enumerate(values) if parse_quantity(value) == number]
    spelled = _SPELLINGS[name](word) if name in _SPELLINGS else None
    return [] if spelled is None else [at for at, value in enumerate(values) if value == spelled]


@lru_cache(5_000)
def _not_given(name: str) -> str:
    """How an option that is not given is shown: with its default where all versions document the same one."""
    tool, _, option = name.partition(".")
    defaults = [default.value for default in TOOLS[tool].defaults.get(option, ()) if not (default.first or default.before)]
    return f"not given ({defaults[0]})" if defaults else "not given"


def _open_label(name: str) -> str:
    """An open key as it is shown: one that a person named by its words (`x.rack_unit`: Rack unit), others as tools print them."""
    words = name.removeprefix("x.").replace("_", " ")
    return words[:1].upper() + words[1:] if name.startswith("x.") else name


def _list_dimensions() -> dict[str, Dimension]:
    dimensions = [
        Dimension("tool", "Tool", TEXT, WORKLOAD, "tool"),
        Dimension("tool_version", "Tool version", TEXT, WORKLOAD, "tool_version"),
        Dimension("origin", "Origin", TEXT, WORKLOAD, "origin"),
        Dimension(AGGREGATE, "Kind of value", TEXT, WORKLOAD, "stat"),
        Dimension(MONTH, "Month", TEXT, WORKLOAD, "month"),
    ]
    dimensions += [Dimension(key.query, key.label, key.type, CONFIGURATION, key.column) for key in KEYS.values() if key.query]
    dimensions += [
        Dimension("system", "System", COUNT, CONFIGURATION, "system_id"),
        Dimension("configuration", "Configuration", COUNT, CONFIGURATION, "id"),
        Dimension(MACHINE, "Machine", TEXT, CONFIGURATION, "machine_id"),
        Dimension(STATED, "Entered by hand", TEXT, CONFIGURATION, "stated"),
    ]
    dimensions += [Dimension(param.name, param.label, param.type, PARAM, param.name) for param in PARAMS.values()]
    dimensions += [
        Dimension(APART, "Unknown sizes", TEXT, WORKLOAD, APART),
        Dimension(SOURCE, "Source", TEXT, PLACE, SOURCE),
    ]
    return _Dimensions({dimension.name: dimension for dimension in dimensions})


DIMENSIONS = _list_dimensions()


def text_of(value: Any) -> str:
    """A value as the query string has it; `~` where it is unknown."""
    if value is None:
        return UNKNOWN
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def is_known_value(axis: str, text: str) -> bool:
    """Whether a value is known as one of an axis: a host name of many machines (`vm`) is not, an option that is not given is."""
    if text == UNKNOWN:
        return DIMENSIONS[axis].is_option
    return axis != "host" or host_names.identifies(text)


def value_label(dimension: Dimension, text: str) -> str:
    """A value as it is shown: sizes in binary units, also those of open keys and options, which are texts; `unknown` for `~`."""
    if text == UNKNOWN:
        return _not_given(dimension.name) if dimension.is_option else "unknown"
    if (dimension.type == SIZE or dimension.has_sizes) and len(text) < 300 and text.isascii() and text.isdigit():
        return _format_size(text)
    if dimension.numeric and ".." in text:
        low, high = text.split("..", 1)
        return make_visible(f"{low or 'any'} to {high or 'any'}")
    return make_visible(text)


@lru_cache(5_000)
def _format_size(text: str) -> str:
    return numbers.size(int(text))


_SIZE = re.compile(r"([0-9]{1,30}(?:\.[0-9]{1,30})?)\s*([KMGTP]?)(i?)B?", re.I)
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4, "p": 5}


def parse_quantity(text: str) -> float | None:
    """`64GiB`, `128K` (1024), `10MB` (1000) or a plain number; None for other texts."""
    match = _SIZE.fullmatch(text.strip())
    if not match:
        return None
    decimal = match[2] and not match[3] and text.strip().lower().endswith("b")
    return float(match[1]) * (1000 if decimal else 1024) ** _POWERS[match[2].lower()]


def has_numeric_axis(dimension: Dimension | None) -> bool:
    """Whether the values of a dimension are positions on a numeric axis: numbers, months and percentiles are."""
    return dimension is not None and (dimension.numeric or dimension.name in (MONTH, AGGREGATE))


def axis_position(dimension: Dimension, text: str) -> float | None:
    """The position of a value on a numeric axis; None where it is unknown."""
    if text == UNKNOWN:
        return None
    if dimension.name == AGGREGATE:
        return percentile_position(text)
    return months_since_zero(text) if dimension.name == MONTH else parse_quantity(text)


_PERCENTILE = re.compile(r"p(\d{1,2}(?:\.\d{1,9})?)")
PERCENTILE_TICKS = tuple((f"{share} %", f"p{share}") for share in (50, 90, 99, 99.9, 99.99, 99.999, 99.9999))
"""The ticks of an axis of percentiles: their names, and the percentiles at which they stand."""


def percentile_position(text: str) -> float | None:
    """The nines of a percentile, its position on a log axis of 1 - p: 1 of p90, 3 of p99.9; None of another kind of value."""
    match = _PERCENTILE.fullmatch(text)
    return round(2 - math.log10(100 - float(match[1])), 6) if match else None


# Off first, then the fast and simple ones; others by algorithm and level.
_COMPRESSION = ("off", "on", "lz4", "lzjb", "lzo", "zle")


def _natural(text: str) -> tuple:
    return tuple((0, int(part), "") if part.isdecimal() else (1, 0, part.lower()) for part in re.findall(r"[0-9]+|[^0-9]+", text))


def value_sort_key(dimension: Dimension | None, text: str) -> tuple:
    """Sort key of a value: numbers by size, compressions in their own order, others with numbers in them by size; unknown last."""
    if text == UNKNOWN:
        return (2,)
    if dimension is None:
        return _sort_key("", text)
    if dimension.name == AGGREGATE:
        return _sort_key(AGGREGATE, text)
    return _sort_key(
        "compression" if dimension.column.startswith("pool_compression") else "number" if dimension.numeric else "", text
    )


@lru_cache(20_000)
def _sort_key(kind: str, text: str) -> tuple:
    """Cached, since every page sorts the same values. Last the text: `Beegfs` and `BeeGFS` have one order in each process."""
    if kind == "compression":
        return (0, _COMPRESSION.index(text) if text in _COMPRESSION else len(_COMPRESSION), _natural(text), text)
    if kind == "number":
        number = parse_quantity(text)
        return (0, number if number is not None else 0.0, (), text)
    if kind == AGGREGATE:  # percentiles before the others
        position = percentile_position(text)
        return (0, math.inf if position is None else position, _natural(text), text)
    return (0, 0, _natural(text), text)


_BY_SOURCE = {source: [d for d in DIMENSIONS.values() if d.source == source] for source in (CONFIGURATION, WORKLOAD, PARAM)}


class SharedTexts(dict[str, str]):
    """The dimensions of a workload, or of the open keys of configurations: an object that many rows share."""


class ConfigurationTexts(dict[str, str]):
    """Every dimension of a configuration, as the query string has its value. `open`: its open keys, one object for those of many
    configurations; any other open key is unknown. `chosen`: the open keys that a person set.
    """

    def __init__(
        self, texts: Mapping[str, str], open_texts: Mapping[str, str] = NO_PARAMS, chosen: frozenset[str] = NO_KEYS
    ) -> None:
        super().__init__(texts)
        self.open, self.chosen = open_texts, chosen

    def __missing__(self, name: str) -> str:
        if not is_open(name) and not is_option(name):
            raise KeyError(name)
        return self.open.get(name, UNKNOWN)  # options are of workloads, which have those that were given


def configuration_texts(columns: Mapping[str, Any], open_texts: Mapping[str, str] = NO_PARAMS) -> ConfigurationTexts:
    """Every dimension of a configuration row."""
    texts = {d.name: text_of(columns.get(d.column)) for d in _BY_SOURCE[CONFIGURATION]}
    stated = columns.get(STATED)
    texts[STATED] = UNKNOWN if stated is None else "yes" if stated else "no"
    chosen = columns.get("chosen")
    return ConfigurationTexts(texts, open_texts, frozenset(chosen) if chosen else NO_KEYS)


def open_texts(values: Mapping[str, Any]) -> dict[str, str]:
    """The dimensions of a row of open properties."""
    return {name: text_of(value) for name, value in values.items()}


def workload_texts(columns: Mapping[str, Any], params: Mapping[str, Any]) -> dict[str, str]:
    """Every dimension of a workload row, as the query string has its value; of options those that were given."""
    texts = {d.name: text_of(columns.get(d.column)) for d in _BY_SOURCE[WORKLOAD]}
    texts |= {d.name: text_of(params.get(d.column)) for d in _BY_SOURCE[PARAM]}
    texts[SOURCE] = OTHERS
    return texts | {name: text_of(value) for name, value in params.items() if name not in PARAMS and is_option(name)}


WORKLOAD_SIZE = len(workload_texts({}, {}))
"""The number of dimensions of a workload without options."""


def in_sentence(label: str) -> str:
    """A label within a sentence; abbreviations such as OS stay."""
    return label if label[:2].isupper() else label[:1].lower() + label[1:]


def named_value(name: str, text: str) -> str:
    """A value with the name of its dimension where it says nothing alone: `record size 4 KiB`, but `lz4`."""
    if is_option(name):
        return option_words(name, text)
    dimension, shown = DIMENSIONS[name], value_label(DIMENSIONS[name], text)
    is_named = dimension.source == PARAM or is_open(name) or dimension.numeric or shown in ("on", "off") or name == "os_version"
    return f"{in_sentence(dimension.label)} {shown}" if is_named else shown


# Order and words by the author of a figure, as an address has them: names of one's own, an order, values that are not shown.

METRIC = "metric"
MAX_LEVELS = 60
"""Values that an address orders, names or hides, each."""
LONGEST_NAME, LONGEST_REASON, LONGEST_VALUE = 60, 200, 300
Level = tuple[str, str]
"""A dimension (or `metric`) and one of its values."""
_LABEL = re.compile(r"([^:\\]+):((?:[^:\\]|\\[:\\])+):(.+)", re.S)


@dataclass(frozen=True, slots=True)
class AuthorWords:
    """`order`: levels that stand first, in this order. `labels`: (level, name). `hidden`: levels that are not shown, and why."""

    order: tuple[Level, ...] = ()
    labels: tuple[tuple[Level, str], ...] = ()
    hidden: tuple[Level, ...] = ()
    reason: str = ""

    def name(self, dimension: str, value: str) -> str:
        """The author's name of a level; '' without one."""
        return next((name for level, name in self.labels if level == (dimension, value)), "") if self.labels else ""

    def hides(self, dimension: str, value: str) -> bool:
        """Whether the level is not shown."""
        return (dimension, value) in self.hidden

    def position(self, dimension: str, value: str) -> int:
        """The place of a level in the author's order; behind all where it has none."""
        return self.order.index((dimension, value)) if (dimension, value) in self.order else len(self.order)

    def pairs(self) -> list[tuple[str, str]]:
        """The pairs of a query string."""
        pairs = [("order", f"{dimension}:{value}") for dimension, value in self.order]
        pairs += [("label", f"{dimension}:{_escape(value)}:{name}") for (dimension, value), name in self.labels]
        pairs += [("hide", f"{dimension}:{value}") for dimension, value in self.hidden]
        return pairs + ([("reason", self.reason)] if self.reason else [])


NO_WORDS = AuthorWords()


def _escape(value: str) -> str:
    return value.replace("\\", "\\\\").replace(":", "\\:")


def clean(text: str, longest: int) -> str:
    """The text on one line; '' where it is too long or has characters that do not print (controls, changes of direction)."""
    text = " ".join(text.split())
    return text if len(text) <= longest and text.isprintable() else ""


def comparable(text: str) -> str:
    """What a reader sees of a name: two names that look alike are equal in this form."""
    return "".join(unicodedata.normalize("NFKC", text).casefold().split())


def parse_level(text: str) -> Level | None:
    """The level of `DIMENSION:VALUE`."""
    dimension, _, value = text.partition(":")
    return (dimension, value) if _is_level(dimension, value) else None


def parse_label(text: str) -> tuple[Level, str] | None:
    """Level and name of `DIMENSION:VALUE:NAME`."""
    match = _LABEL.fullmatch(text)
    if match is None:
        return None
    level, name = (match[1], re.sub(r"\\(.)", r"\1", match[2])), clean(match[3], LONGEST_NAME)
    return (level, name) if _is_level(*level) and name else None


def _is_level(dimension: str, value: str) -> bool:
    return (dimension == METRIC or dimension in DIMENSIONS) and 0 < len(value) <= LONGEST_VALUE


class WordsCollector:
    """The author's words while the pairs of an address are parsed. `add` returns whether it understood the pair."""

    def __init__(self) -> None:
        self.order: list[Level] = []
        self.labels: dict[Level, str] = {}
        self.hidden: list[Level] = []
        self.reason = ""

    def add(self, key: str, value: str) -> bool:
        """One pair of the query string."""
        if key == "reason":
            if self.reason or not (text := clean(value, LONGEST_REASON)):
                return False
            self.reason = text
            return True
        if key == "label":
            parsed = parse_label(value)
            if parsed is None or parsed[0] in self.labels or len(self.labels) >= MAX_LEVELS:
                return False
            self.labels[parsed[0]] = parsed[1]
            return True
        level, levels = parse_level(value), self.order if key == "order" else self.hidden
        if level is None or (level not in levels and len(levels) >= MAX_LEVELS):
            return False
        levels += [level] if level not in levels else []
        return True

    def words(self) -> tuple[AuthorWords, list[tuple[str, str]]]:
        """The words, and the pairs that mean nothing: what is hidden without a reason."""
        if not (self.order or self.labels or self.hidden or self.reason):
            return NO_WORDS, []
        hidden = tuple(self.hidden) if self.reason else ()
        words = AuthorWords(tuple(self.order), tuple(self.labels.items()), hidden, self.reason)
        return words, [] if self.reason else [("hide", f"{dimension}:{value}") for dimension, value in self.hidden]
