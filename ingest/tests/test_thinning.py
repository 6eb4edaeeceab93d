"""What a mode keeps of a matrix, and what happens where a program is missing."""

from __future__ import annotations

import pytest

from ingest.tests.thinning import some
from ingest.tests.tools import needed


def test_the_modes_share_all_cases():
    marks = [[mark.name for mark in case.marks] for case in some(range(16), 2)]
    assert marks == [[], ["slow"], *[["thorough"], ["slow"]] * 3] * 2


@pytest.mark.parametrize(("where", "outcome"), [("", pytest.skip.Exception), ("true", pytest.fail.Exception)])
def test_a_missing_program_fails_where_ci_is_set(monkeypatch, where, outcome):
    monkeypatch.setenv("CI", where)
    needed("sh")
    with pytest.raises(outcome, match="not installed: no-such-program"):
        needed("sh", "no-such-program")
