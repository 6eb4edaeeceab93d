"""Configurations and workloads from blocks: the same rows as by key, however they were written, in few blocks."""

from __future__ import annotations

import json
import random
from unittest import mock

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from webapp.comparison.summary import blocks
from webapp.models import Configuration, DimensionBlock, Workload
from webapp.tests import making

MODELS = (Configuration, Workload)


def workloads(first: int, count: int) -> None:
    Workload.objects.bulk_create(Workload(at, f"w{at}", tool="dd", params={"file_size": at}) for at in range(first, first + count))


def same(configurations, works) -> int:
    """That blocks give what the tables hold of these ids; how many rows were read by key."""
    loaded, loads = [], json.loads
    with (
        CaptureQueriesContext(connection) as caught,
        mock.patch.object(blocks.json, "loads", lambda text: loaded.append(loads(text)) or loaded[-1]),
    ):
        told = list(blocks.read_dimension_rows(list(configurations), list(works)))
    found = [{row["id"]: row for side, row in told if side == at} for at in range(2)]
    assert len(told) == sum(map(len, found))
    assert len(caught) <= 2
    for model, ids, rows in zip(MODELS, (configurations, works), found, strict=True):
        want = {row["id"]: row for row in model.objects.filter(pk__in=list(ids)).values()}
        assert rows.keys() == want.keys() == set(ids)
        for at, row in rows.items():
            assert {**row, "digest": ""} == {**want[at], "digest": ""}
    return sum(isinstance(one, dict) for one in loaded)


@pytest.mark.django_db
def it_gives_every_row_from_few_blocks():
    making.configurations(*range(1000, 1200))
    for first in range(2000, 2090):
        making.configurations(first)
    workloads(1, 20)
    assert same([*range(1000, 1200), *range(2000, 2090)], range(1, 21)) == 0
    assert DimensionBlock.objects.count() <= 2 + 3 * 7
    assert sum(DimensionBlock.objects.filter(side=0).values_list("entries", flat=True)) == 290


@pytest.mark.django_db
def it_reads_few_rows_of_a_long_block_by_their_key():
    making.configurations(*range(1000, 1400))
    assert same(range(1000, 1024), []) == 24
    assert same(range(1000, 1025), []) == 0
    assert same([1399], []) == 1


@pytest.mark.django_db
@pytest.mark.parametrize("seed", range(2))
def it_holds_the_rows_in_any_order_of_ids(seed):
    """Two writers draw their ids by turns: the ranges of blocks overlap. What is deleted or changed is as it is."""
    dice, ids = random.Random(seed), random.Random(seed).sample(range(10, 2000), 240)
    at = 0
    while at < len(ids):
        some = ids[at : at + dice.choice((1, 1, 5, 20))]
        making.configurations(*some)
        at += len(some)
    same(ids, [])
    Configuration.objects.filter(pk__in=ids[:3]).delete()
    Configuration.objects.filter(pk__in=ids[20:25]).update(host="another")
    same(ids[3:], [])
    same(dice.sample(ids[3:], 60), [])


@pytest.mark.django_db(transaction=True)
def it_waits_for_nobody_who_packs():
    """While one writer has packed blocks and not yet committed, another puts rows in, and both are there in the end."""
    from threading import Thread

    making.configurations(*range(1, 8))

    def other() -> None:
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '5s'")
        making.configurations(30)
        connection.close()

    DimensionBlock.objects.all().delete()
    for at in range(40, 47):
        making.configurations(at)
    with transaction.atomic():
        making.configurations(50)
        assert DimensionBlock.objects.filter(tier=1).count() == 1
        thread = Thread(target=other)
        thread.start()
        thread.join(20)
        assert not thread.is_alive()
    assert same([*range(40, 47), 50, 30], []) == 0
