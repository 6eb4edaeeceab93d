"""Summaries that are not what the measurements give are found, and computed again."""

from __future__ import annotations

import pytest
from django.db.models import F

from webapp.models import Run, Summary
from webapp.models.summary import MetricCount
from webapp.storage import summary_check
from webapp.storage.tests.test_load import check_everything
from webapp.tests import making, samples

pytestmark = pytest.mark.django_db

DAMAGES = {
    "another count": lambda rows: rows.update(n=F("n") + 1),
    "another mean": lambda rows: rows.update(mean=F("mean") * 1.001),
    "another extreme": lambda rows: rows.update(high=F("high") * 2),
    "a row missing": lambda rows: rows.delete(),
}


@pytest.fixture
def archives():
    """Public, accepted and private ones, with a duplicate."""
    for number, public in enumerate((True, True, False)):
        samples.received(samples.tar({"run/dd.txt": samples.dd(2.5, 2.5 + number)}), f"{number}.tar", public=public)
    samples.received(samples.tar({"again/dd.txt": samples.dd(2.5, 2.5), "more.txt": samples.dd(9)}), owner="bob")
    making.archive(public=True, accepted=True)


def it_finds_nothing_where_all_is_true(archives):
    assert list(summary_check.find_problems()) == [] and summary_check.repair() == 0


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("scope", ["public", "own"])
def it_finds_and_computes_again(archives, damage, scope):
    rows = Summary.objects.filter(scope=0) if scope == "public" else Summary.objects.filter(scope__gt=0)
    DAMAGES[damage](Summary.objects.filter(pk__in=[rows.order_by("pk").first().pk]))
    problems = list(summary_check.find_problems())
    assert any(("all public archives" if scope == "public" else "archives/") in line for line in problems), problems
    assert summary_check.repair() > 0
    assert list(summary_check.find_problems()) == []
    check_everything()


def it_finds_a_row_without_measurements(archives):
    row = Summary.objects.filter(scope__gt=0).order_by("pk").first()
    Run.objects.filter(archive=row.scope).update(measurements=0)
    assert any(line.startswith(f"summary of archives/{row.scope}") for line in summary_check.find_problems())
    summary_check.repair()
    assert list(summary_check.find_problems()) == [] and not Summary.objects.filter(scope=row.scope).exists()


def it_finds_a_wrong_count_and_says_that_it_stays(archives):
    MetricCount.objects.filter(scope=0).update(n=F("n") + 1)
    problems = list(summary_check.find_problems())
    assert problems and all("--repair does not mend counts" in line for line in problems)
