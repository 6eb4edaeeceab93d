"""Results that a text quotes or shows as an example are told from those of its author."""

from __future__ import annotations

import pytest

from ingest.tests.quotations_check import Case, list_cases, read_case

CASES = list_cases()


def test_there_are_forty_kinds_of_each():
    assert sum(bool(case.quoted) for case in CASES) >= 40
    assert sum(not case.quoted for case in CASES) >= 40
    assert len({case.what for case in CASES}) == len(CASES)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.what)
def it_takes_results_and_warns_of_quotations(case: Case):
    seeds, keys, warnings = read_case(case)
    assert seeds == case.own
    assert bool(warnings) == bool(case.quoted)
    assert case.own or not keys
