"""The blocks of counts say what the summary says, whatever is written to it in whatever order."""
import random

import pytest
from django.db import connection

from webapp import blocks, summaries
from webapp.models import CountBlock, MetricName, Summary
from webapp.tests import making

pytestmark = pytest.mark.django_db
ONE = summaries.fold([1.0], [1])


def counted(scopes, *names):
    return {name: list(zip(*told, strict=True)) for (_, name), told in blocks.rows([scopes], names).items()}


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
    blocks.forget()
    found = blocks.rows(sets, names.values())
    assert {key: list(zip(*counted, strict=True)) for key, counted in found.items()} == {
        key: [(*pair, n) for pair, n in sorted(told.items())] for key, told in want.items()}
    for block in CountBlock.objects.all():
        wide = 1024 if block.scope else 16
        of = [key for key in expected if (key[0], key[1], key[2] // wide) == (block.scope, block.metric_id, block.block)]
        assert block.rows == len(of) <= len(block.counts)


def it_adds_up_scopes_and_leaves_out_what_is_gone():
    making.configurations(1, 2, 40)
    metric, other = (MetricName.objects.create(name=name).pk for name in ("a", "b"))
    summaries.write(0, {(metric, 40, 2): summaries.fold([1.0, 2.0], [1, 2]), (metric, 2, 9): ONE, (metric, 2, 3): ONE})
    summaries.write(7, {(metric, 40, 2): ONE, (other, 1, 1): ONE})
    assert counted((0,), "a", "b", "c") == {"a": [(2, 3, 1), (2, 9, 1), (40, 2, 2)]}
    assert counted((0, 7), "a", "b") == {"a": [(2, 3, 1), (2, 9, 1), (40, 2, 3)], "b": [(1, 1, 1)]}
    summaries.drop(0, [(metric, 2, 3)])
    assert counted((0,), "a") == {"a": [(2, 9, 1), (40, 2, 2)]}
    summaries.drop(0)
    assert counted((0, 7), "a", "b") == {"a": [(40, 2, 1)], "b": [(1, 1, 1)]}
    assert set(CountBlock.objects.values_list("scope", flat=True)) == {7}


@pytest.mark.parametrize("seed", range(3))
def it_holds_the_last_count_and_packs_a_block_that_tells_too_much(seed):
    """Rows come, change and go again and again. Each row that comes packs a block of more than two entries a row, and 32."""
    making.configurations(15, 16, 17)
    dice, metric = random.Random(seed), MetricName.objects.create(name="a").pk
    keys = [(metric, configuration, workload) for configuration in (15, 16, 17) for workload in range(4)]
    longest = 0
    for _ in range(60):
        some = dice.sample(keys, dice.randrange(1, 9))
        what = dice.choice(["put", "drop", "publish", "publish"])
        if what == "publish":
            summaries.drop(5)
            summaries.write(5, dict.fromkeys(some, ONE))
            summaries.publish(5)
        else:
            summaries.drop(0, some)
            summaries.write(0, {key: summaries.fold([1.0] * n, list(range(n))) for key in some if (n := dice.randrange(3))}
                            if what == "put" else {})
        want = list(Summary.objects.filter(scope=0).order_by("configuration_id", "workload_id").values_list(
            "configuration_id", "workload_id", "n"))
        assert counted((0,), "a").get("a", []) == want
        for block in CountBlock.objects.all():
            longest = max(longest, len(block.counts))
            assert len(block.counts) == len(block.workloads) == len(block.configurations) <= 3 * len(keys) + 32
            assert {configuration // (1024 if block.scope else 16) for configuration in block.configurations} == {block.block}
    assert longest > len(keys), "something was told twice"


def it_knows_metrics_that_came_later():
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM webapp_metricname")
    first = MetricName.objects.create(name="a").pk
    assert blocks.numbers(["a", "b"]) == {"a": first}
    later = MetricName.objects.create(name="b").pk
    assert blocks.numbers(["a", "b"]) == {"a": first, "b": later}
    last = MetricName.objects.create(name="c").pk
    making.configurations(1)
    summaries.write(0, {(last, 1, 1): ONE})
    assert blocks.metrics([(0,)]) == [{"c": (1, 1)}]


def it_keeps_the_metrics_it_knows_while_it_asks_for_a_new_one():
    """The threads of a web process read them at the same time."""
    known = {MetricName.objects.create(name="a").pk: "a"}
    blocks.numbers(["a"])
    seen = []

    def watch(execute, *call):
        told = execute(*call)
        seen.append(known.items() <= blocks._names.items())
        return told

    with connection.execute_wrapper(watch):
        assert blocks.numbers(["no.such"]) == {}
    assert seen == [True]
