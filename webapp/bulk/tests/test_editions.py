"""Editions of the public data: made by the worker, the same in each form, and without what is no longer public."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
from collections import Counter
from contextlib import ExitStack
from datetime import date, timedelta

import duckdb
import pytest
import time_machine
from django.core.cache import cache
from django.core.management import call_command

from webapp.accounts import audit
from webapp.archives import lifecycle
from webapp.bulk import editions, package, parts, schema, whole
from webapp.claims.rounds import find_rounds
from webapp.comparison.summary.provenance import read_observed
from webapp.files import stores
from webapp.http.data_version import data_version
from webapp.jobs.tasks import ingest_archive, make_public_data, sweep_public_data
from webapp.models import Archive, Configuration, Measurement, PublicData, Run, Workload
from webapp.storage import withdrawals
from webapp.tests import making, samples

DAY = "2026-11-24"


@pytest.fixture
def archives(db):
    """Three public archives, and a private one."""
    public = [
        samples.received(samples.tar({f"{speed}.txt": samples.dd(speed, speed + 1)}), f"{speed}.tar") for speed in (2.5, 4.5, 6.5)
    ]
    samples.received(samples.tar({"secret.txt": samples.dd(9.5)}), "secret.tar", public=False)
    return public


def make(day: str = DAY) -> PublicData:
    PublicData.objects.create(date=date.fromisoformat(day))
    assert make_public_data(day) == "made"
    return PublicData.objects.get(date=day)


def contents(edition: PublicData) -> dict[str, bytes]:
    """Name -> bytes of every file of the edition, unpacked."""
    found = {}
    for file in package.list_files(edition):
        with stores.local(file.key) as path:
            data = path.read_bytes()
        assert hashlib.sha256(data).hexdigest() == file.sha256 and len(data) == file.size
        found[file.name] = gzip.decompress(data) if file.name.endswith(".gz") else data
    return found


def rows(edition: PublicData, columns: str = "*") -> list[dict]:
    with ExitStack() as stack:
        paths = [stack.enter_context(stores.local(one.key)) for one in package.list_files(edition) if one.form == "parquet"]
        if not paths:
            return []
        cursor = duckdb.execute(
            f"SELECT {columns} FROM read_parquet({[str(path) for path in paths]}) ORDER BY id NULLS LAST, file, line"
        )
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def everything(edition: PublicData) -> bytes:
    """All that the edition says, as bytes to search."""
    listed = [package.list_archives(edition), package.describe(edition, ""), repr(rows(edition))]
    return b"".join(contents(edition).values()) + "".join(listed).encode()


def test_the_rows_are_those_of_the_export(archives):
    samples.received(samples.tar({"b.csv": BONNIE, "x.txt": samples.dd(3.5, damage=True)}), "more.tar")
    exported = io.StringIO()
    call_command("export", format="jsonl", stdout=exported)
    records = [json.loads(line) for line in exported.getvalue().splitlines()]
    edition = make()
    found = rows(edition)
    assert {record["type"] for record in records} == {"measurement", "unmeasured"} and len(found) == len(records)
    as_json = ("params", "params_from", "config", "config_from", "implied")
    got = [
        {name: json.loads(row[name]) if name in as_json else row[name] for name in record} | {"line": int(row["line"])}
        for record, row in zip(sorted(records, key=_order), sorted(found, key=_order), strict=True)
    ]
    assert got == sorted(records, key=_order)
    for row in found:
        config = json.loads(row["config"])
        assert row["fs_type"] == config.get("fs.type") and row["memory"] == config.get("memory")
        assert row["param_file_size"] == json.loads(row["params"]).get("file_size")


BONNIE = (
    b"1.97,1.97,host,1,1400000000,4G,,500,99,100000,20,50000,10,1000,99,200000,20,300.5,5,16,,,,,20000,50,+++++,+++,30000,60,"
    b"20000,50,+++++,+++,30000,60,10ms,20ms,30ms,5ms,6ms,7ms,8ms,9ms,10ms,11ms,12ms,13ms\n"
)


def _order(record: dict) -> tuple:
    return record["type"], record["file"], int(record["line"]), record["native"], record["raw"], record["metric"]


def test_the_forms_have_the_same_rows_and_sorted_row_groups(archives):
    edition = make()
    by_form = {file.form: data for file, data in zip(package.list_files(edition), contents(edition).values(), strict=True)}
    columns = [column.name for column in schema.COLUMNS]
    table = list(csv.DictReader(io.StringIO(by_form["csv"].decode())))
    lines = [json.loads(line) for line in by_form["jsonl"].splitlines()]
    found = rows(edition)
    assert len(table) == len(lines) == len(found) == edition.measurements
    for row, record, cells in zip(
        found, sorted(lines, key=lambda one: one["id"]), sorted(table, key=lambda one: int(one["id"])), strict=True
    ):
        assert list(row) == columns == list(cells)
        assert float(cells["value"]) == record["value"] == row["value"]
        assert record["config"] == json.loads(row["config"]) == json.loads(cells["config"])
    keys = [(record["metric"], record["configuration"]) for record in lines]
    assert keys == sorted(keys)


def test_parts_are_closed_and_shared(archives, monkeypatch):
    monkeypatch.setattr(editions, "PART_VALUES", 5)
    first = make("2026-11-22")
    assert [part["archives"] for part in first.parts] == [[archives[0].pk, archives[1].pk], [archives[2].pk]]
    samples.received(samples.tar({"new.txt": samples.dd(8.5)}), "new.tar")
    written = []
    monkeypatch.setattr(parts, "_write", lambda *args, write=parts._write: written.append(1) or write(*args))
    second = make("2026-11-23")
    assert second.parts[0] == first.parts[0] and len(second.parts) == 2 and len(written) == 1
    assert second.measurements == first.measurements + 2


def test_an_edition_goes_on_where_it_was_interrupted(archives, monkeypatch):
    monkeypatch.setattr(editions, "PART_VALUES", 1)
    PublicData.objects.create(date=DAY)
    written, make_part = [], parts.make

    def interrupted(states):
        if len(written) == 2:
            raise KeyboardInterrupt
        written.append(states[0].id)
        return make_part(states)

    monkeypatch.setattr(parts, "make", interrupted)
    with pytest.raises(KeyboardInterrupt):
        make_public_data(DAY)
    half = PublicData.objects.get()
    assert (half.state, half.done, half.total) == ("asked", 8, 12) and editions.find_unmade(timedelta(0)) == [DAY]
    monkeypatch.setattr(parts, "make", lambda states: written.append(states[0].id) or make_part(states))
    assert make_public_data(DAY) == "made" and make_public_data(DAY) == "nothing-to-do"
    assert written == [archive.pk for archive in archives] and PublicData.objects.get().measurements == 12


def read_table(edition: PublicData, table: str, form: str, tmp_path) -> list[dict]:
    """The rows of a table of the newest edition, as DuckDB reads that form; numbers and JSON as texts."""
    kept = edition.whole[table][form]
    path = tmp_path / f"{table}.{parts.ENDINGS[form]}"
    with stores.local(parts.key_of(kept)) as stored:
        path.write_bytes(stored.read_bytes())
    assert hashlib.sha256(path.read_bytes()).hexdigest() == kept["sha256"]
    read = {"parquet": "read_parquet('{}')", "csv": "read_csv('{}', all_varchar = true)", "jsonl": "read_json('{}')"}[form]
    cursor = duckdb.execute(f"FROM {read.format(path)}")
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


@pytest.mark.parametrize("most", [1, 500_000], ids=["a part for each archive", "one part"])
def test_the_newest_edition_has_each_table_in_one_file(archives, monkeypatch, tmp_path, most):
    monkeypatch.setattr(editions, "PART_VALUES", most)
    older = make("2026-11-20")
    edition = make()
    older.refresh_from_db()
    assert older.whole == {} and len(edition.parts) == (3 if most == 1 else 1)
    found = rows(edition)
    for form in parts.ENDINGS:
        tables = {table: read_table(edition, table, form, tmp_path) for table in whole.TABLES}
        for table, columns in whole.TABLES.items():
            assert tables[table] and list(tables[table][0]) == [column.name for column in columns]
        assert sorted(int(row["id"]) for row in tables["measurements"]) == [row["id"] for row in found]
        for table, key in (("configurations", "configuration"), ("workloads", "workload")):
            counts = Counter(row[key] for row in found)
            assert {int(row[key]): int(row["measurements"]) for row in tables[table]} == counts
            assert len(tables[table]) == len(counts)
        assert [int(row["archive"]) for row in tables["archives"]] == [archive.pk for archive in archives]
    for row in read_table(edition, "workloads", "parquet", tmp_path):
        stored = Workload.objects.get(pk=row["workload"])
        assert json.loads(row["workload_params"]) == stored.params and row["tool"] == stored.tool
        assert row["param_file_size"] == stored.params.get("file_size")
    for row in read_table(edition, "configurations", "parquet", tmp_path):
        assert row["fs_type"] == Configuration.objects.get(pk=row["configuration"]).fs_type


def test_sessions_blocks_states_and_open_parameters_are_columns(db):
    """Two settings in three rounds; a second session an hour and more later."""
    records = []
    for hour, rep in ((8, 1), (8, 2), (8, 3), (20, 4)):
        for minute, setting in enumerate(("lz4", "off")):
            config = {"host": "h", "pool.compression": setting, "state.capacity": "40 %"}
            started = f"2026-05-01T{hour:02}:{rep * 5 + minute:02}:00+00:00"
            path = f"rep{rep}/{setting}.txt"
            params = {"file_size": 2**30, "fio.rate_iops": 500}
            records += making.file_records(path, path, [1e8 + rep], config=config, started_at=started, params=params)
    archive = making.archive(public=True, records=records)
    found = rows(make(), "session, block, state_capacity, workload_params, file, run")
    assert {row["state_capacity"] for row in found} == {"40 %"}
    assert {json.loads(row["workload_params"])["fio.rate_iops"] for row in found} == {500}
    of_runs = dict(Run.objects.filter(archive=archive).values_list("file__path", "session_id"))
    assert {row["file"]: row["session"] for row in found} == of_runs and len({*of_runs.values()}) == 2
    blocks = {row["file"]: row["block"] for row in found}
    observed = read_observed(data_version(), Measurement.objects.values_list("id", flat=True)).values()
    first = [one for one in observed if one.session == of_runs["rep1/off.txt"]]
    sides = [[one for one in first if setting in one.path] for setting in ("lz4", "off")]
    expected = {
        one.path: name for side, names in zip(sides, find_rounds(sides), strict=True) for one, name in zip(side, names, strict=True)
    }
    assert len({*expected.values()} - {None}) == 3
    assert {path: blocks[path] for path in expected} == expected and blocks["rep4/off.txt"] is None


def test_parts_of_an_earlier_format_lose_what_is_withdrawn(archives, tmp_path):
    """They have fewer columns."""
    edition = make()
    [part] = edition.parts
    old = tmp_path / "old.parquet"
    with stores.local(parts.key_of(part["files"]["parquet"])) as path:
        left = f"SELECT * EXCLUDE (session, block, state_capacity) FROM read_parquet('{path}')"
        duckdb.execute(f"COPY ({left}) TO '{old}' (FORMAT parquet)")
    part["files"]["parquet"] = parts.store(old)
    PublicData.objects.update(parts=edition.parts, whole={})
    act("delete")(archives[1])
    assert sweep_public_data() == "1 changed"
    left = rows(PublicData.objects.get())
    assert {row["archive"] for row in left} == {archives[0].pk, archives[2].pk} and {row["session"] for row in left} == {None}


def act(name):
    return lambda archive: lifecycle.perform_action(archive.pk, name, audit.command_line_actor(), "why")


def withdraw_file(archive):
    withdrawals.withdraw_file(archive.pk, archive.files.get().path, "why", making.user("ann"))


def withdraw_value(archive):
    value = Measurement.objects.filter(run__archive=archive).order_by("id").first()
    withdrawals.withdraw_measurement(archive.pk, value.pk, "why", making.user("ann"))


GONE = {
    "withdrawn": (act("withdraw"), 4),
    "made private": (act("unpublish"), 4),
    "deleted": (act("delete"), 4),
    "file withdrawn": (withdraw_file, 4),
    "value withdrawn": (withdraw_value, 1),
}


@pytest.mark.parametrize("how", GONE)
def test_what_is_no_longer_public_is_gone_from_every_edition(archives, how, tmp_path):
    do, count = GONE[how]
    old = make("2026-11-20")
    target = archives[1]
    path = target.files.get().path
    assert path.encode() in everything(old)
    before, keys = old.measurements, parts.keys_of(old.parts)
    do(target)
    assert editions.find_stale() == ["2026-11-20"] and sweep_public_data() == "1 changed"
    new = PublicData.objects.get()
    assert new.measurements == before - count and new.left_out == 1 and editions.find_stale() == []
    left = [row for row in rows(new) if row["archive"] == target.pk]
    assert len(left) == 4 - count and not keys & set(stores.current().keys())
    measured = read_table(new, "measurements", "parquet", tmp_path)
    assert [row for row in measured if row["archive"] == target.pk and row["id"] not in {one["id"] for one in left}] == []
    if how in ("withdrawn", "made private", "deleted"):
        assert path.encode() not in everything(new) and target.sha256.encode() not in everything(new)
    for other in (archives[0], archives[2]):
        assert len([row for row in rows(new) if row["archive"] == other.pk]) == 4
    assert sweep_public_data() == "0 changed"


@pytest.mark.parametrize("how", GONE)
def test_nothing_of_it_is_served_from_that_moment_on(archives, client, how, monkeypatch):
    monkeypatch.setattr(editions, "PART_VALUES", 1)  # a part for each archive
    edition, asked = make(), []
    monkeypatch.setattr(sweep_public_data, "delay", lambda: asked.append(1))
    cache.clear()
    names = [*package.MADE, *(file.name for file in package.list_files(edition))]
    assert all(client.get(f"/data/{DAY}/{name}").status_code == 200 for name in names)
    target = archives[1]
    stem = f"measurements-{target.pk}-"
    GONE[how][0](target)
    for name in names:
        for headers in ({}, {"Range": "bytes=0-9"}):
            answer = client.get(f"/data/{DAY}/{name}", headers=headers)
            if name in package.MADE or name.startswith(stem):
                assert answer.status_code == 503 and answer["Retry-After"] == "30", name
                assert target.sha256 not in answer.text
            else:  # parts of other archives stay
                assert answer.status_code in (200, 206), name
    assert asked == [1]
    sweep_public_data()
    left = [*package.MADE, *(file.name for file in package.list_files(PublicData.objects.get()))]
    assert all(client.get(f"/data/{DAY}/{name}").status_code == 200 for name in left)


def test_a_value_that_was_withdrawn_and_read_again_goes_by_its_place(archives):
    """After reading again its id is another one; the old edition has the old id."""
    old = make("2026-11-20")
    target = archives[1]
    value = next(row["id"] for row in rows(old) if row["archive"] == target.pk)
    Archive.objects.filter(pk=target.pk).update(state=Archive.State.RECEIVED)
    assert ingest_archive(target.pk) == "read"
    withdraw_value(target)
    assert sweep_public_data() == "1 changed"
    left = [row["id"] for row in rows(PublicData.objects.get())]
    assert len(left) == 11 and value not in left


def test_the_scheduler_finds_it_within_a_day(archives, monkeypatch):
    """`reconcile --forever` looks when it starts and every ten minutes."""
    from webapp.management.commands import reconcile

    make("2026-11-20")
    act("delete")(archives[0])
    sent = []
    monkeypatch.setattr(reconcile.sweep_public_data, "delay", lambda: sent.append(1))
    call_command("reconcile", stdout=io.StringIO())
    assert sent == [1] and reconcile._SWEEP_SECONDS <= 24 * 3600


def test_an_edition_is_asked_for_once_a_day_and_only_after_a_change(archives):
    sent = []
    with time_machine.travel("2026-11-24T12:00:00Z", tick=False):
        assert editions.ask(sent.append).state == "asked" and editions.ask(sent.append).date.isoformat() == DAY
        make_public_data(DAY)
        samples.received(samples.tar({"new.txt": samples.dd(8.5)}), "new.tar")
        assert editions.ask(sent.append) is None
    with time_machine.travel("2026-11-25T12:00:00Z", tick=False):
        assert editions.ask(sent.append) is not None
        make_public_data("2026-11-25")
    with time_machine.travel("2026-11-26T12:00:00Z", tick=False):
        assert editions.ask(sent.append) is None
    assert [edition.measurements for edition in PublicData.objects.all()] == [14, 12]


def test_check_data_names_a_damaged_file(archives):
    edition = make()
    assert editions.find_problems() == []
    file = package.list_files(edition)[0]
    stores.current().path(file.key).write_bytes(b"other")
    assert editions.find_problems() == [f"data/{DAY}: its bytes have not the digest {file.sha256}"]


def test_no_value_of_a_place_stays_where_one_after_the_other_is_withdrawn(archives):
    """Values of one place (file, line, metric) are told apart by their order among all, which the files do not have."""
    target = archives[0]
    Measurement.objects.filter(run__archive=target).update(line="1")
    edition = make()
    place = Measurement.objects.filter(run__archive=target).order_by("metric", "id")
    first, second = place.filter(metric=place.first().metric)[:2]
    for value in (first, second):
        withdrawals.withdraw_measurement(target.pk, value.pk, "why", making.user("ann"))
        editions.sweep()
        edition.refresh_from_db()
    left = [row for row in rows(edition) if row["archive"] == target.pk]
    assert left and first.metric.name not in {row["metric"] for row in left}
    assert editions.find_stale() == []


def test_files_that_no_edition_names_are_deleted(archives, tmp_path):
    edition = make()
    lost = tmp_path / "lost"
    lost.write_bytes(b"left by a process that was killed")
    key = stores.make_key("bulk", hashlib.sha256(lost.read_bytes()).hexdigest())
    stores.current().put(key, lost)
    editions.sweep()
    assert not stores.exists(key) and all(map(stores.exists, parts.keys_of(edition.parts)))
