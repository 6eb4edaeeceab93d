"""Sample pairs: an output and, beside it with `.jsonl` at the end, the records that it gives."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import ingest
from ingest.pipeline.side_by_side import RecordWriter

FOLDER = Path(__file__).with_name("samples")


def outputs() -> Iterator[Path]:
    """Every sample, in order."""
    yield from sorted(p for p in FOLDER.rglob("*") if p.is_file() and not p.name.endswith(".jsonl"))


def answer_of(sample: Path) -> Path:
    """Where the records of a sample are kept."""
    return sample.with_name(sample.name + ".jsonl")


def records_of(sample: Path) -> list[str]:
    """The lines that `python -m ingest` prints for the sample alone, under its bare name."""
    out = io.BytesIO()
    RecordWriter().write(ingest.read([sample], names={str(sample): sample.name}), out)
    return out.getvalue().decode().removesuffix("\n").split("\n")
