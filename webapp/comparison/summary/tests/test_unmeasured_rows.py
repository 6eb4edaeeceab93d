"""Values that could not be measured, as comparisons read them."""

from __future__ import annotations

import pytest
from django.db import connection

from webapp.comparison.summary import queries, reader
from webapp.models import Archive, Withdrawal
from webapp.models.archive import scopes_parameters
from webapp.models.summary import ACCEPTED, PUBLIC
from webapp.storage import load, withdrawals
from webapp.tests import caches, making

pytestmark = pytest.mark.django_db
WRITE = ("write.throughput",)
ZFS, EXT4 = {"os.family": "Linux", "fs.type": "zfs"}, {"os.family": "Linux", "fs.type": "ext4"}


@pytest.fixture(autouse=True)
def _no_cache():
    caches.clear()


def _archive(*missing, path: str = "a.txt", public: bool = True, **other) -> Archive:
    """An archive with one measured value, and the values that are missing."""
    file = [*making.file_records(path, f"{path} {Archive.objects.count()}", [5.0], config=ZFS)]
    return making.archive(public=public, records=[*file[:-1], *missing, file[-1]], **other)


def _missing(path: str = "a.txt", **other):
    return making.unmeasured_record(path, **{"config": ZFS, "bound": 2**32, "side": "above"} | other)


def _rows(*scopes: int, names=WRITE, version: int = 1):
    return reader.read_absent(version, [scopes or (PUBLIC,)], names).unmeasured


def it_groups_by_configuration_workload_reason_and_bound():
    archive = _archive(
        _missing(run=1),
        _missing(run=2, line=100),
        _missing(run=3, line=101, config=EXT4),
        _missing(run=4, line=102, reason="failed", bound=None, side=None),
        _missing(run=5, line=103, duplicate_of="a.txt:99"),
        _missing(run=6, line=104, metric="read.throughput"),
        _missing(run=7, line=105, params={"file_size": 2**31}),
    )
    rows = _rows()
    told = [(row.texts["fs"], row.texts["file_size"], row.reason, row.bound, row.side, row.n) for row in rows]
    assert sorted(told, key=str) == [
        ("ext4", str(2**30), "too_fast", 2**32, "above", 1),
        ("zfs", str(2**30), "failed", None, "", 1),
        ("zfs", str(2**30), "too_fast", 2**32, "above", 2),
        ("zfs", str(2**31), "too_fast", 2**32, "above", 1),
    ]
    twice = next(row for row in rows if row.n == 2)
    assert len({one.run for one in twice.runs}) == 2 and {one.archive for one in twice.runs} == {archive.pk}
    assert len({(one.session, one.machine) for one in twice.runs}) == 1
    assert {row.metric for row in _rows(names=("read.throughput", "seek.rate"))} == {"read.throughput"}


def it_has_the_dimensions_of_the_measured_values():
    _archive(_missing())
    [measured] = reader.read_rows(1, [(PUBLIC,)], WRITE)[0]
    [missing] = _rows()
    assert (missing.configuration, missing.workload) == (measured.configuration, measured.workload)
    assert dict(missing.texts) == dict(measured.texts)


def it_is_visible_by_the_scopes():
    public, private = _archive(_missing()), _archive(_missing(), public=False)
    accepted = _archive(_missing())
    load.accept(accepted.pk, "checked", making.user())

    def archives(*scopes: int) -> set[int]:
        return {one.archive for row in _rows(*scopes) for one in row.runs}

    assert archives(PUBLIC) == {public.pk, accepted.pk}
    assert archives(private.pk) == {private.pk}
    assert archives(PUBLIC, private.pk) == {public.pk, private.pk, accepted.pk}
    assert archives(ACCEPTED) == {accepted.pk}


def it_leaves_out_what_is_withdrawn_or_counts_elsewhere():
    whole, file = _archive(_missing()), _archive(_missing())
    load.withdraw(whole.pk, "wrong")
    withdrawal = withdrawals.withdraw_file(file.pk, "a.txt", "wrong", file.owner)
    assert _rows() == [] and _rows(whole.pk, file.pk) == []
    withdrawals.undo_withdrawal(withdrawal.pk, file.owner)
    assert sum(row.n for row in _rows(version=2)) == 1


def it_leaves_out_a_value_that_was_withdrawn_while_it_was_measured():
    archive = _archive(_missing(), _missing(run=3, line=101))
    place = {"path": "a.txt", "line": "99", "metric": "write.throughput", "native": "Block"}
    withdrawal = Withdrawal.objects.create(archive=archive, what="measurement", reason="wrong", **place)
    assert sum(row.n for row in _rows()) == 1
    withdrawals.undo_withdrawal(withdrawal.pk, archive.owner)
    assert sum(row.n for row in _rows(version=2)) == 2


def it_counts_a_file_of_two_archives_once():
    for _ in range(2):
        records = [*making.file_records("a.txt", "the same bytes", [5.0], config=ZFS)]
        making.archive(public=True, records=[*records[:-1], _missing(), records[-1]], name="b.tar")
    assert sum(row.n for row in _rows()) == 1


def it_asks_once(django_assert_num_queries):
    _archive(_missing(), _missing(run=3, line=101, config=EXT4))
    with django_assert_num_queries(4):  # counts, the values, the measured ones, configurations and workloads of both
        first = _rows()
    with django_assert_num_queries(0):
        assert _rows() is first
        assert reader.read_rows(1, [(PUBLIC,)], WRITE)[0]
    with django_assert_num_queries(1):
        assert _rows(names=("seek.rate",)) == []
    with django_assert_num_queries(3):  # the texts are known
        assert sum(row.n for row in _rows(version=2)) == 2


def it_finds_the_values_of_a_metric_by_an_index():
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        parameters = [*scopes_parameters([PUBLIC]), list(WRITE)]
        cursor.execute("EXPLAIN " + queries._ABSENT, [*parameters, *parameters])
        assert "unmeasured_of_metric" in "".join(line for (line,) in cursor.fetchall())
