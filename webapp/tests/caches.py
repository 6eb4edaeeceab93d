"""Clears what the process remembers of comparisons: rolled back transactions of tests use ids and data versions again."""

from __future__ import annotations

from webapp.comparison.summary import dimension_tables, provenance, reader
from webapp.http.process_cache import ProcessCache


def clear() -> None:
    """Every `ProcessCache`, metric names, dimensions and lines of values."""
    for cache in ProcessCache.every:
        cache.clear()
    reader._metric_names = {}
    dimension_tables.clear()
    provenance._cache, provenance._readings, provenance._caveats = {}, {}, (0, {})
