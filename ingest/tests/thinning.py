"""How much of a large matrix, or of random examples, a run has: `script/test --slow` has all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest
from hypothesis import settings


def some(cases: Iterable[object], every: int = 1) -> Iterator[object]:
    """The cases, for `parametrize`: each `every`-th for the suite (each fourth of those for `--fast`), the others for `--slow`."""
    for at, case in enumerate(cases):
        marks = pytest.mark.slow if at % every else pytest.mark.thorough if at // every % 4 else ()
        yield pytest.param(case, marks=marks)


def examples(usual: int) -> int:
    """That many examples in the default suite, a tenth with `--fast`, ten times as many with `--slow`; at least one."""
    return max(1, usual * settings.default.max_examples // 100)
