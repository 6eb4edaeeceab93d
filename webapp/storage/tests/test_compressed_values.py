"""Values of single ranks: one compressed row for a run, metric and name; the export prints them as it prints measurements."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ingest
from ingest.records import FileReport, Measurement
from webapp.archives import queries, reparse
from webapp.formats import export
from webapp.models import Archive, ArchiveConfiguration, CompressedValues, File, Run, Summary
from webapp.models import Measurement as Row
from webapp.permalinks import changes, freeze, record_figures
from webapp.storage import batch, bulk_insert, consistency, load, spill, withdrawals
from webapp.storage.pg_copy import RankValue, pack, unpack
from webapp.tests import frozen, making

_IOR = "access,rank,runtime-with-openclose,runtime,throughput-withopenclose,throughput\n" + "".join(
    f"write,{rank},2.{rank}354773903e+02,2.{rank}253374696e+02,7.{rank}955644521e+08,7.{rank}959360485e+08\n" for rank in range(4)
)
_MDTEST = (
    "rank,items,rate-Directory creation,time-Directory creation,rate-File creation,time-File creation,"
    "rate-Tree creation,time-Tree creation,rate-Tree removal,time-Tree removal\n"
    "all,400,,,4.8614077562e+04,4.6730496883e+01,,,,\n"
    + "".join(f"{rank},,,,{rank + 1}.9023794907e+02,4.{rank}140884876e+01\n" for rank in range(3))
)
_LOG = """$ dd if=/dev/zero of=/tank/x bs=1M count=4
4+0 records in
4+0 records out
4194304 bytes transferred in 2.0 secs (2097152 bytes/sec)
"""


@pytest.fixture
def records(tmp_path):
    for name, text in (("a.csv", _IOR), ("b.csv", _MDTEST), ("c.txt", _LOG), ("d.csv", _IOR.replace("write,", "read,"))):
        (tmp_path / name).write_text(text)
    return list(ingest.read([tmp_path]))


def _exports() -> tuple[list[str], list[str]]:
    csv, jsonl = StringIO(newline=""), StringIO()
    export.write_csv(csv)
    export.write_jsonl(jsonl)
    return csv.getvalue().splitlines(), jsonl.getvalue().splitlines()


def _store_plainly(monkeypatch, records) -> Archive:
    """As measurements, one row each."""
    with monkeypatch.context() as patch:
        for module in (batch, spill, bulk_insert):
            patch.setattr(module, "RANK", "no parameter")
        return making.archive(public=True, records=records)


@pytest.mark.django_db
@pytest.mark.parametrize("in_memory", [50_000, 5])
def test_the_export_is_that_of_single_rows(monkeypatch, records, in_memory):
    monkeypatch.setattr(batch, "MAX_IN_MEMORY", in_memory)
    plain = _store_plainly(monkeypatch, records)
    expected, values = _exports(), reparse.name_values(queries.read_values(plain.pk))
    assert not CompressedValues.objects.exists()
    load.delete(plain.pk)
    archive = making.archive(public=True, records=records)
    assert _exports() == expected
    assert len(expected[1]) == sum(isinstance(record, Measurement) for record in records)
    assert reparse.name_values(queries.read_values(archive.pk)) == values


@pytest.mark.django_db
def test_one_row_for_run_metric_and_name(records):
    archive = making.archive(public=True, records=records)
    rows = CompressedValues.objects.filter(archive=archive, run__file__path__endswith="a.csv")
    assert [(row.metric.name, row.native, row.count) for row in rows.order_by("pk")] == [
        ("write.elapsed", "write runtime-with-openclose", 4),
        ("write.elapsed", "write runtime", 4),
        ("write.throughput", "write throughput-withopenclose", 4),
        ("write.throughput", "write throughput", 4),
    ]
    first = rows.order_by("pk")[0]
    assert (first.low, first.median, first.high) == (203.54773903, pytest.approx(218.54773903), 233.54773903)
    assert not Row.objects.filter(details__has_key="rank").exists()
    in_ranks = 4 * 4 * 2 + 3 * 2
    assert (archive.measurements, archive.rank_values) == (4, in_ranks)
    assert sum(row.n for row in Summary.objects.filter(scope=archive.pk)) == 4
    assert sum(Run.objects.filter(archive=archive).values_list("rank_values", flat=True)) == in_ranks
    assert sum(file.own_measurements for file in archive.files.all()) == 4


@pytest.mark.django_db
def test_they_live_and_go_with_their_file_and_archive(records):
    archive = making.archive(public=True, records=records)
    path = File.objects.get(archive=archive, path__endswith="a.csv").path
    before = _exports()[1]
    withdrawal = withdrawals.withdraw_file(archive.pk, path, "wrong disk", archive.owner)
    assert _exports()[1] == [line for line in before if json.loads(line)["file"] != path]
    load.store(archive.pk, records)  # read again: the withdrawal holds
    assert _exports()[1] == [line for line in before if json.loads(line)["file"] != path]
    withdrawals.undo_withdrawal(withdrawal.pk, archive.owner)
    assert _exports()[1] == before
    load.withdraw(archive.pk, "wrong host")
    assert _exports()[1] == []
    load.restore(archive.pk)
    assert _exports()[1] == before
    load.delete(archive.pk)
    assert not CompressedValues.objects.exists()


@pytest.mark.django_db
def test_the_check_of_counts_leaves_them_out_of_configurations(records):
    archive = making.archive(public=True, records=records)
    counted = list(ArchiveConfiguration.objects.filter(archive=archive).values_list("measurements", flat=True))
    assert sum(counted) == 4 and list(consistency.find_problems()) == []
    ArchiveConfiguration.objects.update(measurements=999)
    assert consistency.repair()
    assert list(ArchiveConfiguration.objects.filter(archive=archive).values_list("measurements", flat=True)) == counted


@pytest.mark.django_db
def test_an_archive_with_nothing_else_is_exported(records):
    report = [r for r in records if isinstance(r, FileReport) and r.file.endswith("a.csv")]
    values = [r for r in records if isinstance(r, Measurement) and r.file.endswith("a.csv")]
    archive = making.archive(public=True, records=[*values, *report])
    assert archive.measurements == 0 and len(_exports()[1]) == 16


@pytest.mark.django_db
def test_pages_tell_of_them(client, records):
    archive = making.archive(public=True, records=records)
    page = client.get(f"/archives/{archive.pk}").content.decode()
    assert "4 measurements and 38 values of single ranks in 4 files" in page
    run = Run.objects.get(archive=archive, file__path__endswith="a.csv")
    page = client.get(f"/runs/{run.pk}").content.decode()
    assert "16 values of single ranks, which are exported" in page and 'title="233.54773903"' in page


@pytest.mark.django_db
def test_a_permalink_of_before_finds_its_values(monkeypatch, records):
    archive = _store_plainly(monkeypatch, records)
    run = Run.objects.get(archive=archive, file__path__endswith="a.csv")
    link = freeze.freeze_draft(freeze.draft_run(run, "Ranks", "Ann Rae"), archive.owner, frozen.SITE)
    record = record_figures.parse_record(link.record)
    assert len(record["values"]) == 16
    load.store(archive.pk, records)
    assert CompressedValues.objects.filter(archive=archive).exists()
    assert changes.find_changes(record).values == []


_TEXT = st.text(max_size=9)
_VALUE = st.builds(
    RankValue,
    st.integers(0, 2**40),
    st.integers(1, 2**40),
    _TEXT,
    st.floats(allow_nan=False),
    _TEXT,
    st.integers(1, 9),
    st.none() | _TEXT,
    st.none() | _TEXT,
    st.none() | _TEXT,
)


@given(st.lists(_VALUE, min_size=1, max_size=9))
def test_a_block_gives_its_values_back(values):
    assert unpack(pack(values)) == values
    assert repr(unpack(pack(values * 2))) == repr(values * 2)  # so that -0.0 stays what it is
