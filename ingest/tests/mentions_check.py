"""Counts configuration keys that are taken from mentions: from texts in `mentions/`, none of which sets or shows anything."""

from __future__ import annotations

from pathlib import Path

import ingest
from ingest.records import Evidence, Measurement

FOLDER = Path(__file__).with_name("mentions")


def list_samples(folder: Path = FOLDER) -> list[Path]:
    """The texts of a folder, without what Python compiled beside them."""
    return sorted(path for path in folder.iterdir() if path.is_file())


def keys_from_mentions(folder: Path = FOLDER) -> list[str]:
    """`file:line key = value` of every key that is read from the texts, each alone, sorted."""
    found: list[str] = []
    for path in list_samples(folder):
        for record in ingest.read([path]):
            if isinstance(record, Evidence):
                found.append(f"{path.name}:{record.line} {record.key} = {record.value!r}")
            elif isinstance(record, Measurement):
                found += [f"{path.name}:{record.line} {key} = {value!r}" for key, value in record.config.items()]
    return found
