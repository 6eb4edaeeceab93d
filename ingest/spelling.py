"""Values that a person states, in a manifest or on the review page, in the registry's spelling."""

from __future__ import annotations

from typing import Any

from ingest import normalise
from ingest.keys import COUNT, KEYS, PARAMS, SIZE, WORD, Param, find_param, is_key
from ingest.open_keys import spell_open_value
from ingest.options import open_params


def spell_value(key: str, value: Any) -> Any:
    """The value as the registry spells it; None if it is not of that key's type."""
    if isinstance(value, bool):
        value = "on" if value else "off"
    definition = KEYS.get(key)
    if definition is None:
        return spell_open_value(key, value) if is_key(key) else _spell_param(find_param(key), str(value))
    if definition.type in (SIZE, COUNT):
        number = (
            value
            if isinstance(value, int)
            else normalise.parse_size(value)
            if isinstance(value, str) and definition.type == SIZE
            else None
        )
        if isinstance(value, str) and definition.type == COUNT and value.isdecimal() and len(value) < 10:
            number = int(value)
        plausible = (
            number is not None
            and (definition.low is None or number >= definition.low)
            and (definition.high is None or number <= definition.high)
        )
        return number if plausible else None
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
    return value.lower() if definition.type == WORD else value


def _spell_param(param: Param | None, text: str) -> Any:
    """The value of a workload parameter; None if it is none or not of its type, or an option has its default value."""
    text = text.strip()
    if param is None:
        return None
    if param.name not in PARAMS:
        tool, _, option = param.name.partition(".")
        return open_params(tool, {option: text}).get(param.name)
    if param.type == SIZE:
        return normalise.parse_size(text)
    if param.type == COUNT:
        return int(text) if text.isdecimal() and len(text) < 10 else None
    return text if text and len(text) <= 200 else None
