"""The public rows are merged inside the database: bit for bit what `summary_writer.merge` gives."""

import random

import pytest
from django.db import connection

from webapp.storage import summary_writer
from webapp.tests import making

pytestmark = pytest.mark.django_db
MINE, LIMIT = 77, summary_writer.Summary.LIMIT


def folded(values: list[float], first: int, step: int = 1) -> summary_writer.Aggregate:
    return summary_writer.aggregate(values, list(range(first, first + step * len(values), step)))


def merged(public: dict, own: dict) -> dict:
    making.configurations(*{configuration for _, configuration, _ in (*public, *own)})
    summary_writer.write(summary_writer.PUBLIC, public)
    summary_writer.write(MINE, own)
    summary_writer.add_to_scope(summary_writer.PUBLIC, MINE)
    return summary_writer.read(summary_writer.PUBLIC)


@pytest.mark.parametrize(
    ("there", "comes"), [(1, 1), (3, 27), (27, 4), (30, 1), (1, 30), (31, 31), (31, 30), (5, 90), (200, 40), (200, 5)]
)
@pytest.mark.parametrize("behind", ["behind", "before", "between"])
def it_merges_as_python_does(there, comes, behind):
    dice, first = random.Random(there * 1000 + comes), {"behind": 5000, "before": 10, "between": 1001}[behind]

    def some(count: int) -> list[float]:
        return [dice.choice([0.0, -2.5, 1.01 ** dice.randrange(9), dice.lognormvariate(18, 2)]) for _ in range(count)]

    public, own = folded(some(there), 1000, 2), folded(some(comes), first, 2)
    assert merged({(1, 2, 3): public}, {(1, 2, 3): own}) == {(1, 2, 3): summary_writer.merge(public, own)}
    assert summary_writer.read(MINE) == {(1, 2, 3): own}


def it_copies_what_nobody_else_has_and_leaves_what_the_archive_has_not():
    mine, theirs = folded([1.0, 3.0], 9), folded([2.0] * (LIMIT + 1), 50)
    assert merged({(1, 1, 1): theirs}, {(1, 1, 2): mine}) == {(1, 1, 1): theirs, (1, 1, 2): mine}


def it_looks_keys_up_by_hash_whatever_the_planner_believes(monkeypatch):
    """Of rows that are new it believes that there is one: as a join each value was held against each key."""
    plans = []
    monkeypatch.setattr(summary_writer, "_RECOMPUTE", "EXPLAIN " + summary_writer._RECOMPUTE)
    with connection.execute_wrapper(lambda execute, sql, *more: _told(plans, execute(sql, *more), more[-1]["cursor"], sql)):
        summary_writer.rebuild_archive(MINE, [(1, at, at) for at in range(500)])
    assert "hashed SubPlan" in plans[0], plans[0]


@pytest.mark.parametrize("scope", [summary_writer.PUBLIC, summary_writer.ACCEPTED])
def it_looks_archives_up_by_hash_whatever_the_planner_believes(monkeypatch, scope):
    """As a join every part of every key was held against each archive: minutes, where many archives share what they measured."""
    plans = []
    monkeypatch.setitem(summary_writer._PARTS, scope, "EXPLAIN " + summary_writer._PARTS[scope])
    with connection.execute_wrapper(lambda execute, sql, *more: _told(plans, execute(sql, *more), more[-1]["cursor"], sql)):
        summary_writer.rebuild_scope(scope, [(1, at, at) for at in range(500)])
    assert "hashed SubPlan" in plans[0], plans[0]


def _told(plans: list[str], answer, cursor, sql: str):
    if sql.startswith("EXPLAIN"):
        plans.append("\n".join(row[0] for row in cursor.fetchall()))
    return answer
