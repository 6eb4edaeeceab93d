"""Whole uploads by the front door: path -> content in, records out."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from ingest import read
from ingest.records import Measurement, Record


def read_upload(files: dict[str, str], stated=None) -> list[Record]:
    """The records of a folder with these files."""
    with tempfile.TemporaryDirectory() as folder:
        for path, content in files.items():
            target = Path(folder, path)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(content)
        return list(read([folder], stated))


def read_file_records(path: str, content: str, stated=None) -> list[Record]:
    """The records of a folder with this one file."""
    return read_upload({path: content}, stated)


def read_measurements(files: dict[str, str], stated=None) -> list[Measurement]:
    return [record for record in read_upload(files, stated) if isinstance(record, Measurement)]


def printed_config(measurement: Measurement) -> dict[str, Any]:
    """The configuration of a measurement without what is only implied."""
    return {key: value for key, value in measurement.config.items() if key not in measurement.implied}
