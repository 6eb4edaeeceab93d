"""What the tests of the kit share."""

from __future__ import annotations

import pytest

from client.tests.running import end_all


def pytest_itemcollected(item: pytest.Item) -> None:
    """Each of them starts many processes."""
    item.add_marker("thorough")


@pytest.fixture(autouse=True)
def nothing_goes_on():
    """No kit outlives its test, whatever became of that."""
    yield
    end_all()
