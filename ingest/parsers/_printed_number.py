"""What parsers share to turn a printed number into a value: the number with its units, factors, and faults of JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ingest.records import Doubt
from ingest.text.located_json import LocatedDocument

_MAX_FAULTS = 5  # warnings about one document


class PrintedNumber(NamedTuple):
    """A number in its base unit, and as the tool printed it; fields as those of `Value`."""

    value: float
    unit: str
    raw: str
    raw_unit: str


def to_base_unit(number: float, factor: float) -> float:
    """The number in the base unit. Factors below 1 divide, which rounds correctly: 18 us is 1.8e-05 s."""
    return number * factor if factor >= 1 else number / round(1 / factor)


def json_fault_warnings(document: LocatedDocument) -> Iterator[Doubt]:
    """A warning for each of the first places of a document that could not be read, in line order."""
    for line, message in sorted(document.faults, key=lambda fault: fault[0])[:_MAX_FAULTS]:
        yield Doubt(line, "cut" if "not closed" in message else "bad-number", f"JSON: {message}")
