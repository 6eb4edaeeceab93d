"""How much of a large matrix, or of random examples, a run has: `script/test --slow` has all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest
from hypothesis import settings


def some(cases: Iterable[object], every: int) -> Iterator[object]:
    """The cases, for `parametrize`: all but each `every`-th are marked slow."""
    for at, case in enumerate(cases):
        yield pytest.param(case, marks=pytest.mark.slow) if at % every else case


def examples(usual: int) -> int:
    """That many examples in the default suite, a tenth with `--fast`, ten times as many with `--slow`; at least one."""
    return max(1, usual * settings.default.max_examples // 100)
