"""Columns of a row of a report whose blank cells make its width ambiguous, by the positions of its cells."""

from __future__ import annotations

from itertools import combinations, pairwise

from ingest.parsers.bonnie._report_titles import COLUMN_WIDTH

_GAP = 6  # blanks that only an empty column can make

Token = tuple[str, int, int]  # text, column after its last character, line


def columns_by_ends(columns: list[int], row: list[Token], cut: bool, named: bool) -> list[int] | None:
    """The columns over the cells of a row that begins with its size, by where they end.

    Cells that were not run leave a wide gap: a row without one has lost its blanks, so its columns are unknown.
    """
    size, ends = row[0], [t[1] for t in row[2::2]]
    if len(ends) == len(columns):
        return list(range(len(ends)))
    if not ends or (not cut and max(b[1] - len(b[0]) - a[1] for a, b in pairwise(row)) < _GAP):
        return None
    shift = size[1] - (columns[0] - COLUMN_WIDTH)  # the size ends where its column ends; with no name it may begin the row
    shifts = {shift} if named else {shift, 0}
    fits: dict[tuple[int, ...], tuple[int, int]] = {}
    for chosen in combinations(range(len(columns)), len(ends)):
        fits[chosen] = min(_misfit(ends, [columns[c] + by for c in chosen]) for by in shifts)
    (chosen, best), (_, second) = sorted(fits.items(), key=lambda fit: fit[1])[:2]
    return list(chosen) if best[0] <= 4 and best[1] <= COLUMN_WIDTH // 2 and best < second else None


def _misfit(ends: list[int], columns: list[int]) -> tuple[int, int]:
    """How far cells stand off: their spread (a wide value pushes the rest), then the distance from the size column."""
    off = [a - b for a, b in zip(ends, columns, strict=False)]
    from statistics import median  # imported on demand: it loads many modules

    return max(off) - min(off), abs(int(median(off)))
