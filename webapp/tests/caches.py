"""Clears what the process remembers of comparisons: rolled back transactions of tests use ids and data versions again."""

from __future__ import annotations

from webapp.comparison import rows
from webapp.comparison.summary import blocks, provenance, reader
from webapp.http.process_cache import ProcessCache


def clear() -> None:
    """Every cache of summary rows, metric names and lines of values."""
    for module in (reader, rows):
        for value in vars(module).values():
            if isinstance(value, ProcessCache):
                value.clear()
    blocks._metric_names = {}
    provenance._cache, provenance._readings, provenance._caveats = {}, {}, (0, {})
