"""Values of some dimensions for thousands of rows, looked up once for each configuration and each workload. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from webapp.comparison.dimensions import CONFIGURATION, DIMENSIONS
from webapp.comparison.model import SummaryRow


class DimensionCells:
    """Cells of rows that agree in some dimensions; `key(row)` is the cell.

    A row costs two look-ups, however many dimensions there are. Valid only while the rows exist: texts are known by `id`.
    """

    def __init__(self, names: Iterable[str]) -> None:
        names = [name for name in names if name in DIMENSIONS]
        self._of_configuration = [name for name in names if DIMENSIONS[name].source == CONFIGURATION]
        self._of_workload = [name for name in names if DIMENSIONS[name].source != CONFIGURATION]
        self._known: dict[int, tuple[str, ...]] = {}

    def key(self, row: SummaryRow) -> tuple[str, ...]:
        """The values of the dimensions, those of the configuration first."""
        texts, known = row.texts, self._known
        configuration = known.get(id(texts.configuration)) if self._of_configuration else ()
        if configuration is None:
            configuration = tuple(texts.configuration[name] for name in self._of_configuration)
            known[id(texts.configuration)] = configuration
        workload = known.get(id(texts.workload)) if self._of_workload else ()
        if workload is None:
            workload = known[id(texts.workload)] = tuple(texts.workload[name] for name in self._of_workload)
        return configuration + workload if configuration and workload else configuration or workload
