"""What a person states, as the registry spells it: in a manifest or on the review page."""

from __future__ import annotations

from typing import Any

from ingest import normalise
from ingest.keys import COUNT, KEYS, SIZE, WORD


def spell_value(key: str, value: Any) -> Any:
    """The value as the registry spells it; None where it is none of that key's type."""
    if isinstance(value, bool):
        value = "on" if value else "off"
    known = KEYS[key]
    if known.type in (SIZE, COUNT):
        number = (
            value
            if isinstance(value, int)
            else normalise.parse_size(value)
            if isinstance(value, str) and known.type == SIZE
            else None
        )
        if isinstance(value, str) and known.type == COUNT and value.isdecimal() and len(value) < 10:
            number = int(value)
        fits = number is not None and (known.low is None or number >= known.low) and (known.high is None or number <= known.high)
        return number if fits else None
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
    return value.lower() if known.type == WORD else value
