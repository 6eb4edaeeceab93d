"""Summaries that are not what the measurements give are found, and computed again."""

from __future__ import annotations

import pytest
from django.db.models import F

from webapp.models import Run, Summary
from webapp.storage import consistency, load
from webapp.storage.tests.test_load import check_everything
from webapp.tests import samples

pytestmark = pytest.mark.django_db

DAMAGES = {
    "another count": lambda rows: rows.update(n=F("n") + 1),
    "another mean": lambda rows: rows.update(mean=F("mean") * 1.001),
    "another extreme": lambda rows: rows.update(high=F("high") * 2),
    "another deviation": lambda rows: rows.update(m2=F("m2") + F("mean") * F("mean")),
    "other values": lambda rows: rows.update(values=[1.0]),
    "other ids": lambda rows: rows.update(ids=[999_999]),
    "a histogram": lambda rows: rows.update(histogram={"5": 1}),
    "a row missing": lambda rows: rows.delete(),
}


@pytest.fixture
def archives():
    """Public, accepted and private ones, with a duplicate."""
    for number, public in enumerate((True, True, False)):
        samples.received(samples.tar({"run/dd.txt": samples.dd(2.5, 2.5 + number)}), f"{number}.tar", public=public)
    samples.received(samples.tar({"again/dd.txt": samples.dd(2.5, 2.5), "more.txt": samples.dd(9)}), owner="bob")
    load.accept(samples.received(samples.tar({"dd.txt": samples.dd(8, 8.5)}), public=True).pk, "read")


def it_finds_nothing_where_all_is_true(archives):
    assert list(consistency.find_summary_problems()) == [] and consistency.repair_summary() == 0


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("scope", ["public", "own"])
def it_finds_and_computes_again(archives, damage, scope):
    rows = Summary.objects.filter(scope=0) if scope == "public" else Summary.objects.filter(scope__gt=0)
    DAMAGES[damage](Summary.objects.filter(pk__in=[rows.order_by("pk").first().pk]))
    problems = list(consistency.find_summary_problems())
    assert any(("all public archives" if scope == "public" else "archives/") in line for line in problems), problems
    assert consistency.repair_summary() > 0
    assert list(consistency.find_summary_problems()) == []
    check_everything()


def it_finds_a_row_without_measurements(archives):
    row = Summary.objects.filter(scope__gt=0).order_by("pk").first()
    Run.objects.filter(archive=row.scope).update(measurements=0)
    assert any(line.startswith(f"summary of archives/{row.scope}") for line in consistency.find_summary_problems())
    consistency.repair_summary()
    assert list(consistency.find_summary_problems()) == [] and not Summary.objects.filter(scope=row.scope).exists()
