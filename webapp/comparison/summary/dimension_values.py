"""The values of some dimensions for thousands of rows: worked out once for each configuration and each workload. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from webapp.comparison.dimensions import CONFIGURATION, DIMENSIONS
from webapp.comparison.model import SummaryRow


class DimensionCells:
    """`of(row)`: the values of the dimensions, those of the configuration first. Rows that share them are of one cell.

    A row costs two look-ups, however many dimensions there are. Good as long as the rows are there.
    """

    def __init__(self, names: Iterable[str]) -> None:
        names = [name for name in names if name in DIMENSIONS]
        self._left = [name for name in names if DIMENSIONS[name].source == CONFIGURATION]
        self._right = [name for name in names if DIMENSIONS[name].source != CONFIGURATION]
        self._known: dict[int, tuple[str, ...]] = {}

    def of(self, row: SummaryRow) -> tuple[str, ...]:
        texts, known = row.texts, self._known
        left = known.get(id(texts.configuration)) if self._left else ()
        if left is None:
            left = known[id(texts.configuration)] = tuple(texts.configuration[name] for name in self._left)
        right = known.get(id(texts.workload)) if self._right else ()
        if right is None:
            right = known[id(texts.workload)] = tuple(texts.workload[name] for name in self._right)
        return left + right if left and right else left or right
