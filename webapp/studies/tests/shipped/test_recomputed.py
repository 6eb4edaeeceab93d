"""What every shipped permalink, and any figure of the shipped data, says of its groups follows from its data.csv alone."""

from __future__ import annotations

from urllib.parse import urlencode

import hypothesis
import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from hypothesis import strategies

from ingest.tests.thinning import examples
from webapp.comparison.selection import parse
from webapp.models import MetricName, Permalink
from webapp.permalinks import freeze
from webapp.tests.frozen import SITE
from webapp.tests.making import user
from webapp.tests.recomputed import check

pytestmark = [pytest.mark.django_db, pytest.mark.thorough]
AXES = ("compression", "fs", "os", "host", "kernel", "layout", "tool", "threads", "record_size", "atime", "study")
CHOICES = {
    "stat": ("", "geometric", "median", "mean", "bootstrap"),
    "normalise": ("", "", "disk", "baseline"),
    "control": ("", "", "off"),
    "facet": ("", "", "fs", "host"),
    "kind": ("", "", "dots", "box"),
}


def it_holds_for_every_shipped_permalink(first_start):
    links = list(Permalink.objects.all())
    assert links
    for link in links:
        check(link)


def it_holds_for_figures_of_the_shipped_data(first_start):
    metrics = sorted(MetricName.objects.values_list("name", flat=True))
    drawn = 0

    phases = [hypothesis.Phase.explicit, hypothesis.Phase.generate]  # shrinking reads the database for minutes
    checks = list(hypothesis.HealthCheck)

    @hypothesis.settings(max_examples=examples(100), deadline=None, phases=phases, suppress_health_check=checks)
    @hypothesis.given(strategies.data())
    def holds(data):
        nonlocal drawn
        names = data.draw(strategies.lists(strategies.sampled_from(metrics), min_size=1, max_size=2, unique=True))
        query = [("metric", name) for name in names] + [("x", data.draw(strategies.sampled_from(AXES)))]
        query += [("series", "metric")] if len(names) > 1 else [("series", data.draw(strategies.sampled_from(("", "", *AXES))))]
        query += [(key, data.draw(strategies.sampled_from(values))) for key, values in CHOICES.items()]
        pairs = [(key, value) for key, value in query if value]
        hypothesis.note(urlencode(pairs))
        with transaction.atomic():
            draft = freeze.draft_comparison(parse(pairs), AnonymousUser(), "", "")
            if 0 < draft.values <= 2_000:
                check(freeze.freeze_draft(draft, user("reader"), SITE))
                drawn += 1
            transaction.set_rollback(True)

    holds()
    assert drawn > 25
