"""Words that name an operation, a quantity, a percentile, an axis or a setting (`vocabulary.toml`). Pure."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from webapp.comparison.dimensions import DIMENSIONS, parse_quantity

SEPARATORS = frozenset(
    "vs vs. versus against or compared to than with and & + | on of the in at for per percentile a an is are".split()
)
"""Words that stand between what is asked for, and say nothing themselves."""
_PERCENTILE = re.compile(r"(?:p|p-)?(\d{1,2}(?:\.\d+)?)(?:%|th|st|nd|rd)?(?:-?(?:percentile|pct|ile))?")
_UNIT = re.compile(r"[kmgtp]i?b?")
_BARE = ("off", "disabled")
_OF_SYNC = ("standard", "always")
"""Values that are one of the setting before them; `always` of another setting is a word of the question."""
_USUAL = {
    "random": ("rate", "throughput", "latency"),
    "seek": ("rate",),
    "fsync": ("latency", "rate"),
    "copy": ("elapsed", "throughput"),
    "io500": ("score",),
}
"""The quantities of an operation, by the start of its name, in the order in which they are meant where none is named."""
_STREAMED = ("throughput", "rate", "elapsed", "latency")
_COUNTED = ("rate", "elapsed", "throughput", "latency", "score")
_LONGEST = 4
"""Words of a phrase."""


@lru_cache(1)
def _vocabulary() -> dict[str, dict[str, str]]:
    """The tables of vocabulary.toml, a phrase each; in the form in which they are looked up, but for regular expressions."""
    tables = tomllib.loads(Path(__file__).with_name("vocabulary.toml").read_text(encoding="utf-8"))
    return {
        name: table
        if name in ("spellings", "alone")
        else {_stem(one): what for many, what in table.items() for one in many.split(";")}
        for name, table in tables.items()
    }


def _stem(phrase: str) -> str:
    """A phrase however it is spelt: `Random-Writes`, `random_write` and `randomwrite` are one."""
    letters = re.sub(r"[\s_./-]", "", phrase)
    return letters[:-1] if len(letters) > 4 and letters.endswith("s") and not letters.endswith("ss") else letters


@dataclass(frozen=True, slots=True)
class Meaning:
    """What the words of a search mean: metrics, the likeliest first, a kind of number, and the words that are left; the dimension
    along which, and (dimension, value) of settings. `instead`: other quantities of operations of which the one that is asked for
    was never measured, `is_named` then too."""

    metrics: tuple[str, ...]
    statistic: str
    rest: tuple[str, ...]
    is_named: bool = False
    instead: tuple[str, ...] = ()
    axis: str = ""
    settings: tuple[tuple[str, str], ...] = ()


def without_separators(words: Sequence[str]) -> list[str]:
    """The words that say something, in the spelling of the vocabulary; a number and its unit are one."""
    text = " ".join(words)
    for pattern, spelling in _vocabulary()["spellings"].items():
        text = re.sub(pattern, spelling, text)
    stripped = (word.strip(",.;:?!()").lstrip("-") for word in text.split())
    return _join_sizes([word for word in stripped if word and word not in SEPARATORS])


def read_meaning(words: Sequence[str], metrics: Collection[str]) -> Meaning:
    """The meaning of words in lower case among the metrics that there are. Without any operation or quantity no metric is meant."""
    known = _vocabulary()
    operations, quantity, statistic, rest = list[str](), "", "", list[str]()
    left = list(words)
    while left:
        for count in range(min(_LONGEST, len(left)), 0, -1):
            phrase = _stem(" ".join(left[:count]))
            if found := _percentile(left[0]) if count == 1 else "":
                statistic = found
            elif phrase in known["statistics"]:
                statistic = known["statistics"][phrase]
            elif phrase in known["quantities"]:
                quantity = known["quantities"][phrase]
            elif phrase in known["operations"]:
                operations += known["operations"][phrase].split()
            else:
                continue
            del left[:count]
            break
        else:
            rest.append(left.pop(0))
    if statistic and not quantity and (statistic.startswith("p") or not operations):
        quantity = "latency"
    rest, axis, settings = _read_settings(rest)
    said = [word for word in rest if _stem(word) not in known["fillers"]]
    if not (operations or quantity or said or axis or settings) and words:
        quantity = "throughput"
    if quantity and not operations:
        operations = known["alone"].get(quantity, "write read").split()
    named, others = (
        tuple(dict.fromkeys(name for name in _name_metrics(operations, one) if name in metrics)) for one in (quantity, "")
    )
    return Meaning(named, statistic, tuple(said), bool(operations), () if named else others, axis, tuple(settings))


def _read_settings(words: Sequence[str]) -> tuple[list[str], str, list[tuple[str, str]]]:
    """The words without those that name a dimension, the one that is named alone, and (dimension, value) of `sync=disabled`,
    `recordsize 128k`."""
    axes, rest, alone, settings, name = _vocabulary()["axes"], list[str](), list[str](), list[tuple[str, str]](), ""
    for word in words:
        before, equals, value = word.partition("=")
        named = before if before in DIMENSIONS else axes.get(_stem(before), "")
        if name and _is_value(name, word):
            settings.append((name, word))
            continue
        name = ""
        if named and equals:
            settings.append((named, value))
        elif _stem(word) in axes:
            alone.append(name := axes[_stem(word)])
        else:
            rest.append(word)
    free = set(alone).difference(name for name, _ in settings)
    several = {name for name, _ in settings if len({value for other, value in settings if other == name}) > 1}
    return rest, next(iter(free or several)) if len(free or several) == 1 else "", settings


def _is_value(name: str, word: str) -> bool:
    bare = (*_BARE, *_OF_SYNC) if name == "sync" else () if name == "compression" else _BARE
    return word in bare or (DIMENSIONS[name].numeric and parse_quantity(word) is not None)


def _join_sizes(words: Sequence[str]) -> list[str]:
    """The words with a number and its unit as one: `2 gib` is `2gib`."""
    joined: list[str] = []
    for word in words:
        if joined and _UNIT.fullmatch(word) and joined[-1].replace(".", "").isdigit():
            joined[-1] += word
        else:
            joined.append(word)
    return joined


def _percentile(word: str) -> str:
    """`p99` of `p99`, `99%`, `99th`, `99.9th-percentile`; empty for other words, bare numbers among them."""
    match = _PERCENTILE.fullmatch(word)
    return f"p{match[1]}" if match and not word.replace(".", "").isdigit() else ""


def _name_metrics(operations: Collection[str], quantity: str) -> Iterator[str]:
    """The metrics of these operations: each operation's first quantity, then its second."""
    if quantity:
        yield from (f"{operation}.{quantity}" for operation in operations)
        return
    orders = [_usual_quantities(operation) for operation in operations]
    for at in range(max(map(len, orders), default=0)):
        yield from (f"{operation}.{order[at]}" for operation, order in zip(operations, orders, strict=True) if at < len(order))


def _usual_quantities(operation: str) -> tuple[str, ...]:
    for start, order in _USUAL.items():
        if operation.startswith(start):
            return order
    return _COUNTED if operation.startswith(("file_", "dir_", "tree_", "create", "stat", "delete", "transaction")) else _STREAMED
