"""Sizes as sysstat prints them with --human: a number and the letter of its unit, whatever the heading says.

Source: cprintf_unit() of sysstat's common.c: B, k, M, G, T, P are powers of 1024 bytes; with -h and --pretty percentages end
in a percent sign.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from ingest.lazy_regex import lazy
from ingest.spill.points import CellParser, Number, PointColumn, parse_number

_UNITS = "BkMGTP"
LETTERS = _UNITS + "%"
_CELL = lazy(r"\d{1,12}(?:[.,]\d{1,2})?[BkMGTP%]\Z")
_PER_1024 = 9_765_625  # 1 / 1024 = 9765625 / 10^10


def columns_of(cells: Sequence[str], columns: tuple[PointColumn, ...]) -> tuple[PointColumn, ...]:
    """The columns of these cells: with the letters of their units where one of the cells ends like a number of --human."""
    return _human_columns(columns) if any(cell[-1:] in LETTERS and _CELL.match(cell) for cell in cells) else columns


@cache
def _human_columns(columns: tuple[PointColumn, ...]) -> tuple[PointColumn, ...]:
    return tuple(column._replace(parse=_parser(column.multiplier)) for column in columns)


@cache
def _parser(multiplier: int) -> CellParser:
    power_of_heading = {1024: 1, 1024**2: 2}.get(multiplier, 0)

    def parse(cell: str) -> Number | None:
        if not _CELL.match(cell):
            return parse_number(cell)
        digits, decimals = parse_number(cell[:-1]) or (0, 0)
        if cell[-1] == "%":
            return digits, decimals
        if multiplier not in (1, 1024, 1024**2):
            raise ValueError
        power = _UNITS.index(cell[-1]) - power_of_heading
        return (digits * 1024**power, decimals) if power >= 0 else (digits * _PER_1024**-power, decimals - 10 * power)

    return parse
