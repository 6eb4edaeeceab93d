"""The series of one archive while its records are gathered: packed, in a temporary file where they are many; then rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ingest import PackedSeries, SpillFile, pack_series
from ingest.open_keys import is_bulk
from ingest.records import SeriesRecord
from webapp.storage.pg_copy import cell, to_json

MAX_IN_MEMORY = 8 << 20  # bytes of packed columns
SERIES_COLUMNS = (
    "archive_id",
    "file_id",
    "configuration_id",
    "tool",
    "metric",
    "subject",
    "unit",
    "first_line",
    "points",
    "started_at",
    "span",
    '"offset"',
    "times",
    '"values"',
    "lines",
)
CONFIGURATION_COLUMNS = ("id", "archive_id", "config", "config_from")
_NULL = "\\N"


class _Row(NamedTuple):
    file: str
    configuration: int
    cells: str
    packed: PackedSeries | tuple[int, int]


class SeriesBatch:
    """Gathers the series of an archive."""

    def __init__(self) -> None:
        self.configurations: dict[str, int] = {}
        """`config` and `config_from` as two JSON texts in one line each -> number."""
        self._rows: list[_Row] = []
        self._known: dict[tuple[int, int, frozenset[str]], tuple[Mapping[str, Any], Mapping[str, str], int]] = {}
        self._in_memory = 0
        self._file = SpillFile()

    def __bool__(self) -> bool:
        return bool(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, series: SeriesRecord) -> None:
        """Take a series; its points are read now, since the record may be gone afterwards."""
        points: Any = series.points
        packed: PackedSeries = pack_series(points, series.ticks)
        span = None if packed.times is None else (points.last_time - points.first_time) / series.ticks
        texts = (cell(text) for text in (series.tool, series.metric, series.subject, series.unit))
        numbers = (_NULL if number is None else repr(number) for number in (span, series.offset))
        cells = "\t".join((*texts, str(series.line), str(packed.points), cell(series.started_at), *numbers))
        self._in_memory += len(packed.values) + len(packed.lines) + len(packed.times or b"")
        place = self._file.put(tuple(packed)) if self._in_memory > MAX_IN_MEMORY else None
        self._rows.append(_Row(series.file, self._configuration(series), cells, place or packed))

    def _configuration(self, series: SeriesRecord) -> int:
        key = id(series.config), id(series.config_from), series.chosen
        known = self._known.get(key)
        if known is None:
            parts = [
                {name: item for name, item in mapping.items() if name in series.chosen or not is_bulk(name)}
                for mapping in (series.config, series.config_from)
            ]
            text = "\t".join(cell(to_json(part)) for part in parts)
            number = self.configurations.setdefault(text, len(self.configurations))
            known = self._known[key] = series.config, series.config_from, number  # referenced, so that the id() stay unique
        return known[2]

    def configuration_lines(self, archive_id: int, first: int) -> Iterator[str]:
        """Rows of SeriesConfiguration for COPY."""
        for text, number in self.configurations.items():
            yield f"{first + number}\t{archive_id}\t{text}"

    def lines(self, archive_id: int, files: Mapping[str, int], first: int) -> Iterator[str]:
        """Rows of TimeSeries for COPY."""
        for row in self._rows:
            packed = row.packed if isinstance(row.packed, PackedSeries) else PackedSeries(*self._file.get(row.packed))
            times = _NULL if packed.times is None else f"\\\\x{packed.times.hex()}"
            yield (
                f"{archive_id}\t{files[row.file]}\t{first + row.configuration}\t{row.cells}\t{times}"
                f"\t\\\\x{packed.values.hex()}\t\\\\x{packed.lines.hex()}"
            )
