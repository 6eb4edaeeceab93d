"""Counts configuration keys that are taken from mentions: from texts in `mentions/`, none of which sets or shows anything."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import ingest
from ingest.records import Evidence, Measurement

SAMPLES = sorted(path for path in Path(__file__).with_name("mentions").iterdir() if path.is_file())


def keys_from_mentions(samples: Sequence[Path] = tuple(SAMPLES)) -> list[str]:
    """`file:line key = value` of every key that is read from the texts, each alone, sorted."""
    found: list[str] = []
    for path in samples:
        for record in ingest.read([path]):
            if isinstance(record, Evidence):
                found.append(f"{path.name}:{record.line} {record.key} = {record.value!r}")
            elif isinstance(record, Measurement):
                found += [f"{path.name}:{record.line} {key} = {value!r}" for key, value in record.config.items()]
    return found
