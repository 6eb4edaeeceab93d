"""The laws of `script/bench growth`: named where the figures follow them, and only there."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest
from django.conf import settings

COUNTS = {"measurements": [1e5, 1e6, 1e7], "configurations": [500, 1600, 5000]}


@pytest.fixture
def laws(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(settings.BASE_DIR, "script")))
    yield importlib.import_module("benches.growing.laws")
    for name in [name for name in sys.modules if name.split(".")[0] == "benches"]:
        del sys.modules[name]


@pytest.mark.parametrize(
    ("figures", "begins"),
    [
        ([5.0, 5.5, 5.2], "constant"),
        ([10, 100, 1000], "linear in measurements: 0 + 0.1 per 1,000"),
        ([20 + 500 / 50, 20 + 1600 / 50, 20 + 5000 / 50], "linear in configurations: 20 + 20 per 1,000"),
        ([50, 60, 70], "logarithm of measurements"),
        ([30, 20, 10], "does not rise"),
        ([0, 3, 9], "constant"),
    ],
)
def it_names_the_law(laws, figures, begins):
    assert laws.law(COUNTS, figures).startswith(begins)


def it_calls_small_differences_noise_and_needs_three_databases(laws):
    assert laws.law(COUNTS, [1, 2, 3], least=2) == "constant" != laws.law(COUNTS, [1, 2, 3], least=1)
    two = {name: values[:2] for name, values in COUNTS.items()}
    assert laws.law(two, [1, 2]) == "2.0 x at 10 x the measurements" and laws.law({"measurements": [1]}, [1]) == ""
