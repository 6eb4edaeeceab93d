"""The blocks of counts say what the summary says, whatever is written to it in whatever order."""

import itertools
import random
from collections import Counter

import pytest
from django.db import connection

from webapp.comparison.summary import reader
from webapp.models import CountBlock, MetricName, ScopeCount, Summary
from webapp.storage import summary_writer
from webapp.tests import caches, making

pytestmark = pytest.mark.django_db
MOST_BLOCKS = 29
ONE = summary_writer.aggregate([1.0], [1])


_versions = itertools.count(10**9)  # which no page has


@pytest.fixture(autouse=True, params=[10**9, 1], ids=["in memory", "in files"])
def filed(request, monkeypatch):
    """Rows that a process has in its own memory, and those that it maps."""
    monkeypatch.setattr(reader, "MIN_FILED", request.param)


def read_rows(sets, names) -> dict[tuple, list[tuple[int, int, int]]]:
    """The rows after a change: what was read before is brought up to date."""
    read = reader._read_entries(next(_versions), sets, names)
    return {key: list(zip(*one.rows.tolist(), strict=True)) for key, one in read.items()}


def counted(scopes, *names):
    return {name: rows for (_, name), rows in read_rows([scopes], names).items()}


def check_blocks(expected: dict[tuple, int]) -> None:
    """The blocks tell the rows of the summary: of each scope alone, and of all together."""
    names = dict(MetricName.objects.values_list("id", "name"))
    scopes = {scope for scope, *_ in expected}
    sets = list(dict.fromkeys([*((scope,) for scope in scopes), tuple(scopes)]))
    want: dict[tuple, dict[tuple, int]] = {}
    for (scope, metric, *pair), n in expected.items():
        for some in sets:
            if scope in some:
                told = want.setdefault((some, names[metric]), {})
                told[tuple(pair)] = told.get(tuple(pair), 0) + n
    rows = {key: [(*pair, n) for pair, n in sorted(told.items())] for key, told in want.items()}
    reader._metric_names = {}
    assert read_rows(sets, names.values()) == rows
    caches.clear()
    assert read_rows(sets, names.values()) == rows
    listed = {
        (one.scope, metric): counts
        for one in ScopeCount.objects.all()
        for metric, *counts in zip(one.metrics, one.names, one.n, one.rows, strict=True)
    }
    assert listed == {
        (scope, metric): [names[metric], sum(n for key, n in expected.items() if key[:2] == (scope, metric)), rows]
        for (scope, metric), rows in Counter(key[:2] for key in expected).items()
    }
    check_sizes()


def check_sizes() -> None:
    """Few blocks for each metric and scope, and not more entries than three times its rows and some."""
    rows = Counter(Summary.objects.values_list("scope", "metric_id"))
    sizes: dict[tuple, list[int]] = {}
    for block in CountBlock.objects.all():
        assert block.entries == len(block.counts) == len(block.workloads) == len(block.configurations)
        sizes.setdefault((block.scope, block.metric_id), []).append(block.entries)
    assert sizes.keys() == rows.keys()
    for key, of in sizes.items():
        assert len(of) <= MOST_BLOCKS
        assert sum(of) <= 3 * rows[key] + 256


def it_adds_up_scopes_and_leaves_out_what_is_gone():
    making.configurations(1, 2, 40)
    metric, other = (MetricName.objects.create(name=name).pk for name in ("a", "b"))
    summary_writer.write(
        0, {(metric, 40, 2): summary_writer.aggregate([1.0, 2.0], [1, 2]), (metric, 2, 9): ONE, (metric, 2, 3): ONE}
    )
    summary_writer.write(7, {(metric, 40, 2): ONE, (other, 1, 1): ONE})
    assert counted((0,), "a", "b", "c") == {"a": [(2, 3, 1), (2, 9, 1), (40, 2, 2)]}
    assert counted((0, 7), "a", "b") == {"a": [(2, 3, 1), (2, 9, 1), (40, 2, 3)], "b": [(1, 1, 1)]}
    summary_writer.drop(0, [(metric, 2, 3)])
    assert counted((0,), "a") == {"a": [(2, 9, 1), (40, 2, 2)]}
    summary_writer.drop(0)
    assert counted((0, 7), "a", "b") == {"a": [(40, 2, 1)], "b": [(1, 1, 1)]}
    assert set(CountBlock.objects.values_list("scope", flat=True)) == {7}


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(3))
def it_holds_the_last_count_in_few_blocks(seed):
    """Rows come, change and go again and again, until all that was told is packed."""
    making.configurations(15, 16, 17)
    dice, metric = random.Random(seed), MetricName.objects.create(name="a").pk
    keys = [(metric, configuration, workload) for configuration in (15, 16, 17) for workload in range(8)]
    tiers = set()
    for _ in range(60):
        some = dice.sample(keys, dice.randrange(1, 17))
        what = dice.choice(["put", "drop", "publish", "publish"])
        if what == "publish":
            summary_writer.drop(5)
            summary_writer.write(5, dict.fromkeys(some, ONE))
            summary_writer.add_to_scope(0, 5)
        else:
            summary_writer.drop(0, some)
            summary_writer.write(
                0,
                {key: summary_writer.aggregate([1.0] * n, list(range(n))) for key in some if (n := dice.randrange(3))}
                if what == "put"
                else {},
            )
        want = list(
            Summary.objects.filter(scope=0)
            .order_by("configuration_id", "workload_id")
            .values_list("configuration_id", "workload_id", "n")
        )
        assert counted((0,), "a").get("a", []) == want
        check_sizes()
        tiers |= set(CountBlock.objects.values_list("tier", flat=True))
    assert {0, 1, 4} <= tiers


def it_packs_the_last_tier_and_keeps_what_is_told_later():
    """As after thousands of uploads: blocks of the tier before the last, each with counts that a later one tells anew."""
    making.configurations(1)
    metric = MetricName.objects.create(name="a").pk
    summary_writer.write(0, {(metric, 1, 99): ONE})
    for n in range(1, 9):
        CountBlock.objects.filter(tier=1).update(tier=3)
        for _ in range(4):
            for workload in range(n):
                summary_writer.drop(0, [(metric, 1, workload)])
            summary_writer.write(
                0, {(metric, 1, workload): summary_writer.aggregate([1.0] * n, list(range(n))) for workload in range(n)}
            )
            assert counted((0,), "a") == {"a": [*((1, workload, n) for workload in range(n)), (1, 99, 1)]}
    assert 4 in CountBlock.objects.values_list("tier", flat=True)
    check_sizes()


def it_knows_metrics_that_came_later():
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM webapp_metricname")
    first = MetricName.objects.create(name="a").pk
    assert reader.metric_ids(["a", "b"]) == {"a": first}
    later = MetricName.objects.create(name="b").pk
    assert reader.metric_ids(["a", "b"]) == {"a": first, "b": later}
    last = MetricName.objects.create(name="c").pk
    making.configurations(1)
    summary_writer.write(0, {(last, 1, 1): ONE})
    assert reader._read_counts([(0,)]) == [{"c": (1, 1)}]


def it_keeps_the_metrics_it_knows_while_it_asks_for_a_new_one():
    """The threads of a web process read them at the same time."""
    known = {MetricName.objects.create(name="a").pk: "a"}
    reader.metric_ids(["a"])
    seen = []

    def watch(execute, *call):
        told = execute(*call)
        seen.append(known.items() <= reader._metric_names.items())
        return told

    with connection.execute_wrapper(watch):
        assert reader.metric_ids(["no.such"]) == {}
    assert seen == [True]
