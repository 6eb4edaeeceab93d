"""Spellings of one processor: which texts name the same model. Pure.

Two texts are of one class if they have the same letters, digits and signs in the same order, apart from trade marks, words such as
`CPU`, the maker in front of its own product family, a clock rate, and spaces and hyphens. The clock rate decides where no model
number does: `Pentium 4 3.00GHz` is not `Pentium 4`, of which there were several.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

_MARKS = re.compile(r"\((?:r|tm|c)\)|[\u00ae\u2122\u00a9]", re.IGNORECASE)
_RATE = re.compile(r"@?\s*(?<![\w.])(\d{1,5}(?:[.,]\d{1,3})?)\s*([gm])hz\b")
_WORDS = re.compile(r"\b(?:cpu|processor|genuine|genuineintel|authenticamd)\b")
_OF_MODELS = re.compile(
    r"\b(?:dual|triple|quad|six|eight|ten|twelve|sixteen|\d{1,3})[- ]?core\b|\b\d{1,2}th gen\b|\b(?:with|w/) radeon.*\Z"
)
"""What a model number implies."""
_STEPPING = re.compile(r"(?<=\d)([a-z]{0,3})\s+0\s*\Z")
"""The `0` of `E5-1620 0`."""
_MAKERS = {
    "intel": {"xeon", "core", "core2", "pentium", "celeron", "atom", "itanium"},
    "amd": {"epyc", "opteron", "ryzen", "athlon", "phenom", "sempron", "turion"},
}
_SEPARATORS = re.compile(r"[\s\-_,;()]+")
_BETWEEN_KINDS = re.compile(r"(?<=[^\W\d_]) (?=\d)|(?<=\d) (?=[^\W\d_])")
_MODEL_NUMBER = re.compile(r"\d{3}")


@lru_cache(50_000)
def canonical_cpu(text: str) -> str:
    """`Intel(R) Xeon(R) CPU E5-2620 v3 @ 2.40GHz` -> `xeon e5 2620v3 @ 2400 MHz`; the text itself where nothing names a model."""
    name, rates = _take_rates(_MARKS.sub(" ", text).lower())
    name = _canonical_name(name)
    if not _MODEL_NUMBER.search(name) and (not rates or not name):
        return text
    return f"{name} @ {' '.join(f'{rate} MHz' for rate in rates)}" if rates else name


def group_spellings(texts: Iterable[str]) -> dict[str, str]:
    """Each text with the name of its class.

    A text without a clock rate is in the class of those with one where it has a model number and only one rate is known of that.
    """
    names = {text: canonical_cpu(text) for text in texts}
    rates: dict[str, set[str]] = {}
    for name in names.values():
        model, rated, _ = name.partition(" @ ")
        if rated:
            rates.setdefault(model, set()).add(name)
    return {text: _only(rates.get(name, set()), name) for text, name in names.items()}


def _only(rated: set[str], name: str) -> str:
    """The only name with a clock rate of a model, else the name itself."""
    return next(iter(rated)) if len(rated) == 1 and _MODEL_NUMBER.search(name) else name


def _take_rates(text: str) -> tuple[str, list[str]]:
    """The text without clock rates, and those in MHz, sorted."""
    rates = {f"{float(number.replace(',', '.')) * (1000 if unit == 'g' else 1):g}" for number, unit in _RATE.findall(text)}
    return _RATE.sub(" ", text), sorted(rates)


def _canonical_name(text: str) -> str:
    """Without what the same processor is named with and without, until nothing changes."""
    while True:
        name = _WORDS.sub(" ", text)
        if _MODEL_NUMBER.search(name):
            name = _STEPPING.sub(r"\1", _OF_MODELS.sub(" ", name.strip()))
        name = _SEPARATORS.sub(" ", name).strip()
        name = _BETWEEN_KINDS.sub("", _without_maker(name))
        if name == text:
            return name
        text = name


def _without_maker(name: str) -> str:
    words = name.split(" ")
    for maker, families in _MAKERS.items():
        if any(family in families for word in words for family in (word, word.rstrip("0123456789"))):
            words = [word for word in words if word != maker]
    return " ".join(words)
