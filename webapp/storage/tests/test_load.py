"""Records become rows, and the summary stays what the measurements say, whatever is done in whatever order."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from itertools import chain
from unittest import mock

import pytest
from django.db import connection, transaction
from django.db.models import Count, Min, Sum
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from webapp.archives import statements
from webapp.comparison.dimensions import UNKNOWN, configuration_texts, workload_texts
from webapp.comparison.summary import column_files, dimension_tables, reader
from webapp.comparison.summary.tests.test_blocks import check_blocks
from webapp.files import blobs
from webapp.http.data_version import data_version
from webapp.jobs.tasks import ingest_archive
from webapp.models import (
    Archive,
    ArchiveConfiguration,
    Configuration,
    ConfigurationCount,
    DataVersion,
    EvidenceRow,
    File,
    Measurement,
    MetricCount,
    Note,
    Profile,
    Provenance,
    Run,
    Summary,
    System,
    SystemCount,
    Withdrawal,
    Workload,
)
from webapp.models.summary import ACCEPTED, PUBLIC
from webapp.storage import archive_rows, consistency, load, summary_writer, withdrawals
from webapp.storage.batch import Batch
from webapp.storage.summary_writer import SummaryKey
from webapp.tests import caches, making, samples

pytestmark = pytest.mark.django_db


def counts(model) -> int:
    return model.objects.count()


def test_it_keeps_every_measurement_with_its_provenance():
    row = making.archive(records=making.file_records("a/b.txt", "x", [1.5, 2.5]))
    value = Measurement.objects.select_related("run__file", "metric", "workload").order_by("id")[1]
    assert (value.value, value.line, value.raw, value.run.file.path) == (2.5, "3", "2.5", "a/b.txt")
    assert value.metric.name == "write.throughput"
    assert value.workload.params == {"file_size": 2**30}
    assert value.run.details == {"command": "bonnie++ -d /tank"}
    assert value.run.config_from["pool.compression"] == "a/b.txt:1"
    assert (row.state, row.measurements, row.warnings, row.files_total) == ("read", 2, 1, 1)
    assert Note.objects.get().message == "Rounded\tfigures."


def test_an_archive_knows_how_many_systems_its_runs_had():
    oses = ({"os.name": "Debian", "os.family": "Linux"}, {"os.family": "FreeBSD"}, {"os.family": "FreeBSD", "host": "b"}, {})
    row = making.archive(records=chain(*(making.file_records(str(at), str(at), [1.0], config=os) for at, os in enumerate(oses))))
    assert (row.systems, row.hosts, row.configurations) == (2, 1, 4)


def test_runs_read_alike_share_where_their_configuration_was_read():
    row = making.archive(records=chain(making.file_records("a", "a", [1.0, 2.0]), making.file_records("b", "b", [3.0])))
    assert [run.config_from["os.family"] for run in Run.objects.order_by("id")] == ["a:1", "a:1", "b:1"]
    making.archive(records=making.file_records("a", "a", [1.0]))
    assert (Provenance.objects.filter(archive=row).count(), counts(Provenance)) == (2, 3)
    load.delete(row.pk)
    assert counts(Provenance) == 1


def test_runs_and_files_know_their_measurements_by_id():
    making.archive(records=chain(making.file_records("a", "a", [1.0]), making.file_records("b", "b", [2.0, 3.0])))
    assert [m.value for m in Measurement.objects.of(File.objects.get(path="b"))] == [2.0, 3.0]
    runs = Run.objects.order_by("id")
    assert [[m.value for m in Measurement.objects.of(run)] for run in runs] == [[1.0], [2.0], [3.0]]


def test_nominal_memory_keys_the_system_and_the_exact_size_stays_with_the_run():
    making.archive(records=making.file_records("a", "a", [1.0], config={"memory": 16_500_000_000}))
    making.archive(records=making.file_records("b", "b", [1.0], config={"memory": 16_600_000_000}))
    assert System.objects.get().memory == 16 * 2**30
    assert [run.config_exact for run in Run.objects.order_by("id")] == [{"memory": 16_500_000_000}, {"memory": 16_600_000_000}]


def test_the_state_before_a_run_stays_with_the_run(client):
    """It makes no second configuration, not even where a person set it, and stands nowhere else."""
    states = [{"state.capacity": 93, "state.scrub": "yes"}, {"state.capacity": 4}, {}]
    common = {"os.family": "Linux", "zfs.used": 1}
    files = (making.file_records(f"{at}", f"{at}", [1.0], config=common | state) for at, state in enumerate(states))
    making.archive(public=True, records=chain(*files))
    runs = list(Run.objects.select_related("provenance").order_by("id"))
    assert [run.state for run in runs] == [*states[:2], None]
    assert {run.configuration_id for run in runs} == {Configuration.objects.get().pk}
    assert [run.provenance.others for run in runs] == [{"zfs.used": 1}] * 3 and [run.config_exact for run in runs] == [{}] * 3
    pages = [client.get(f"/runs/{run.pk}").content.decode() for run in runs]
    assert ["How full the pool or file system is" in page for page in pages] == [True, True, False]
    assert "93 %" in pages[0] and "93" not in pages[1]


def test_text_that_the_database_cannot_keep_does_not_stop_the_reading():
    making.archive(records=making.file_records("bad\udce9\0.txt", "a", [1.0], config={"host": "h\0"}, native="\\N\t\\\n\r"))
    assert File.objects.get().path == "bad\ufffd\ufffd.txt"
    assert Configuration.objects.get().host == "h\ufffd"
    assert Measurement.objects.get().native == "\\N\t\\\n\r"


def test_reading_again_replaces_everything():
    row = making.archive(public=True, records=making.file_records("a", "a", [1.0, 2.0, 3.0]))
    load.store(row.pk, making.file_records("a", "a", [5.0]))
    assert [m.value for m in Measurement.objects.all()] == [5.0]
    assert [(s.scope, s.n, s.mean) for s in Summary.objects.order_by("scope")] == [(0, 1, 5.0), (row.pk, 1, 5.0)]
    assert (counts(Run), counts(File), counts(Note)) == (1, 1, 1)


def test_deleting_leaves_no_row():
    row = making.archive(public=True, records=making.file_records("a", "a", [1.0]))
    load.delete(row.pk)
    assert [counts(m) for m in (Archive, File, Run, Measurement, Note, EvidenceRow, Summary)] == [0] * 7


def test_a_duplicate_inside_the_upload_is_kept_and_not_counted():
    making.archive(records=making.file_records("a", "a", [1.0], duplicate_of="b:3"))
    assert (Measurement.objects.get().counted, counts(Summary)) == (False, 0)


def test_a_value_that_is_no_number_is_kept_and_never_counted():
    row = making.archive(public=True, records=making.file_records("a", "a", [float("inf"), 2.0]))
    twin = making.archive(public=True, records=making.file_records("a", "a", [float("inf"), 2.0]))
    load.delete(row.pk)
    assert [s.n for s in Summary.objects.filter(scope=twin.pk)] == [1]


class TestTheSameFileInTwoArchives:
    def both(self, first: dict, second: dict):
        one = making.archive(records=making.file_records("a", "same", [1.0, 2.0]), **first)
        two = making.archive(
            records=chain(making.file_records("c/a", "same", [1.0, 2.0]), making.file_records("new", "new", [9.0])), **second
        )
        return one, two

    def counted(self, row) -> list[float]:
        return [m.value for file in row.files.order_by("id") for m in Measurement.objects.of(file) if m.counted]

    def test_the_second_public_one_is_linked_and_not_counted(self):
        one, two = self.both({"public": True}, {"public": True, "owner": "bob"})
        assert two.files.get(path="c/a").duplicate_of == one.files.get()
        assert (self.counted(one), self.counted(two)) == ([1.0, 2.0], [9.0])
        assert sum(s.n for s in Summary.objects.filter(scope=0)) == 3

    def test_where_the_first_goes_the_second_counts(self):
        one, two = self.both({"public": True}, {"public": True})
        load.delete(one.pk)
        assert self.counted(two) == [1.0, 2.0, 9.0]
        assert sum(s.n for s in Summary.objects.filter(scope=0)) == 3

    @pytest.mark.parametrize("change", [load.unpublish, lambda pk: load.withdraw(pk, "wrong disk")])
    def test_where_the_first_leaves_the_public_the_second_counts(self, change):
        one, two = self.both({"public": True}, {"public": True, "owner": "bob"})
        change(one.pk)
        assert self.counted(two) == [1.0, 2.0, 9.0]

    def test_private_archives_of_two_people_do_not_touch(self):
        one, two = self.both({}, {"owner": "bob"})
        assert (self.counted(one), self.counted(two)) == ([1.0, 2.0], [1.0, 2.0, 9.0])

    def test_the_owners_second_private_one_is_not_counted(self):
        one, two = self.both({}, {})
        assert (self.counted(one), self.counted(two)) == ([1.0, 2.0], [9.0])

    def test_a_public_one_takes_the_place_of_an_older_private_one(self):
        one, two = self.both({}, {"public": True, "owner": "bob"})
        assert (self.counted(one), self.counted(two)) == ([], [1.0, 2.0, 9.0])
        load.unpublish(two.pk)
        assert self.counted(one) == [1.0, 2.0]

    def test_another_configuration_is_another_file(self):
        making.archive(public=True, records=making.file_records("a", "same", [1.0], config={"kernel": "6.1"}))
        making.archive(public=True, records=making.file_records("a", "same", [1.0], config={"kernel": "6.2"}))
        assert Measurement.objects.filter(counted=True).count() == 2


def test_the_data_version_rises_with_every_change():
    row = making.archive(records=making.file_records("a", "a", [1.0]))
    seen = [DataVersion.objects.get().number]
    for change in (load.publish, load.unpublish, lambda pk: load.withdraw(pk, "x"), load.delete):
        change(row.pk)
        seen.append(DataVersion.objects.get().number)
    assert seen == sorted(set(seen))


HOST = {"host": "tank1", "cpu.model": "Xeon 1"}
"""A machine that archives of one owner share, and so the configurations on it."""


def some_records(rng: random.Random):
    """Files out of a small pool, so that archives share some; a pool entry is always the same bytes and values."""
    for name in rng.sample("abcdefgh", rng.randint(1, 5)):
        own = random.Random(name)
        values = [round(own.uniform(-1, 900) ** 2, 3) for _ in range(own.choice([1, 3, 25, 40]))]
        metric = own.choice(["write.throughput", "read.throughput"])
        config = {**HOST, "kernel": own.choice(["6.1", "6.2"])}
        yield from making.file_records(f"{rng.choice(['', 'sub/'])}{name}", name, values, metric=metric, config=config)


def read_some(rng: random.Random, ids: Iterable[int]) -> dict[int, load.ArchiveBatch]:
    """Some records of each archive, as they are stored together."""
    return {pk: load.ArchiveBatch(Batch.from_records(some_records(rng), pk), None) for pk in ids}


def check_everything() -> None:
    """Summary == fold of the counted measurements in every scope; every reader sees every file exactly once."""
    expected: dict[tuple, list] = {}
    rows = Measurement.objects.filter(counted=True).select_related("run__archive").order_by("id")
    for m in rows:
        key = (m.metric_id, m.run.configuration_id, m.workload_id)
        expected.setdefault((m.run.archive_id, *key), []).append(m)
        if m.run.archive.is_public:
            expected.setdefault((PUBLIC, *key), []).append(m)
        if m.run.archive.is_public and m.run.archive.accepted_at:
            expected.setdefault((ACCEPTED, *key), []).append(m)
    found = {(s.scope, s.metric_id, s.configuration_id, s.workload_id): s for s in Summary.objects.all()}
    assert found.keys() == expected.keys()
    for key, values in expected.items():
        want = summary_writer.aggregate([m.value for m in values], [m.pk for m in values])
        row = found[key]
        assert (row.n, row.low, row.high, row.values, row.ids, row.histogram) == (
            want.n,
            want.low,
            want.high,
            want.values,
            want.ids,
            want.histogram,
        )
        assert (row.mean, row.m2) == (pytest.approx(want.mean), pytest.approx(want.m2, rel=1e-9, abs=1e-6))
    totals: dict[tuple, list[int]] = {}
    for (scope, metric, _, _), values in expected.items():
        n, rows = totals.get((scope, metric), (0, 0))
        totals[scope, metric] = n + len(values), rows + 1
    assert {(c.scope, c.metric_id): (c.n, c.rows) for c in MetricCount.objects.all()} == totals
    placed: dict[tuple, list[int]] = {}
    for (scope, _, configuration, _), values in expected.items():
        n, rows = placed.get((scope, configuration), (0, 0))
        placed[scope, configuration] = n + len(values), rows + 1
    assert {(c.scope, c.configuration_id): (c.n, c.rows) for c in ConfigurationCount.objects.all()} == placed
    check_systems(placed)
    check_profiles()
    check_blocks({key: len(values) for key, values in expected.items()})
    if not Withdrawal.objects.filter(what="measurement", restored_at=None).exists():  # a file may count with none of its values
        for name in ("", "ann", "bob"):
            check_reader(name)
    check_accepted()


def check_systems(placed: dict[tuple, list[int]]) -> None:
    """The counts of systems are those of their configurations, and known by who sees the scope."""
    owners = {a.pk: 0 if a.published_at else a.owner_id for a in Archive.objects.all()} | {PUBLIC: 0, ACCEPTED: 0}
    at = dict(Configuration.objects.values_list("pk", "system"))
    expected: dict[tuple, tuple[int, int, int]] = {}
    for (scope, configuration), (n, _) in placed.items():
        before = expected.get((scope, at[configuration]), (0, 0, 0))
        expected[scope, at[configuration]] = (before[0] + n, before[1] + 1, owners[scope])
    assert {(c.scope, c.system_id): (c.n, c.configurations, c.seen_by) for c in SystemCount.objects.all()} == expected
    assert all(c.system_id == at[c.configuration_id] for c in ConfigurationCount.objects.all())


def check_profiles() -> None:
    """What is kept of each archive is what its runs and warnings give, counted anew."""
    runs = Run.objects.values_list("archive", "configuration").annotate(Count("id"), Sum("measurements"), Min("id"))
    assert {
        (k.archive_id, k.configuration_id, k.runs, k.measurements, k.first_run) for k in ArchiveConfiguration.objects.all()
    } == set(runs)
    read = Archive.objects.filter(read_at__isnull=False)
    assert set(Profile.objects.values_list("pk", flat=True)) == set(read.values_list("pk", flat=True))
    for archive in read:
        told, mine = archive_rows.read_profile(archive), [row for row in runs if row[0] == archive.pk]
        assert told.configurations == len(mine)
        assert [sum(group.runs for group in told.groups), sum(group.measurements for group in told.groups)] == [
            sum(row[2] for row in mine),
            sum(row[3] for row in mine),
        ]
        assert told.notes == dict(archive.notes.values_list("code").annotate(Count("id")).order_by())


def check_reader(reader: str) -> None:
    live = File.objects.filter(archive__withdrawn_at=None, withdrawn=False).select_related("archive__owner")
    seen = [f for f in live if f.archive.published_at or f.archive.owner.username == reader]
    counted = [f for f in seen if Measurement.objects.of(f).filter(counted=True).exists()]
    assert all((f.duplicate_of_id is None) == (f in counted) for f in seen)
    keys = [(f.sha256, f.config_digest) for f in counted]
    assert len(keys) == len(set(keys)) and set(keys) == {(f.sha256, f.config_digest) for f in seen}


def check_accepted() -> None:
    """Every file of an accepted archive that is in no withdrawal counts in exactly one accepted archive."""
    accepted = File.objects.filter(archive__in=Archive.objects.accepted(), withdrawn=False, measurements__gt=0)
    counted = [(f.sha256, f.config_digest) for f in accepted if f.duplicate_of_id is None]
    assert len(counted) == len(set(counted)) and set(counted) == {(f.sha256, f.config_digest) for f in accepted}


def check_columns() -> None:
    """What pages get of the summary, through its caches, are its rows and those of the dimensions, merged over the scopes."""
    version = data_version()
    private = Archive.objects.filter(published_at=None, measurements__gt=0).order_by("-pk").values_list("pk", flat=True)[:2]
    for scopes in ((PUBLIC,), (ACCEPTED,), (PUBLIC, *sorted(private))):
        rows = (
            Summary.objects.filter(scope__in=scopes)
            .select_related("metric")
            .values_list("metric__name", "configuration", "workload")
        )
        expected = {(name, configuration, workload): n for name, configuration, workload, n in rows.annotate(Sum("n")).order_by()}
        [counted] = reader.count_metrics(version, [scopes])
        names = tuple(sorted(counted))
        assert {name: n for name, (n, _) in counted.items()} == dict(sum_by_metric(expected)), scopes
        columns = reader.read_columns(version, scopes, names)
        assert len(columns) == len(expected) and {row.key: row.n for row in columns.rows} == expected, scopes
        assert [row.n for row in columns.rows] == columns.n.tolist()
        texts = [true_texts(row.configuration, row.workload) for row in columns.rows]
        for name in columns.dimensions.names:
            told = [of_row.get(name, UNKNOWN) for of_row in texts]
            assert columns.texts(name) == told and [row.texts.get(name, UNKNOWN) for row in columns.rows] == told, name


def sum_by_metric(expected: dict[tuple, int]) -> Counter:
    sums: Counter = Counter()
    for (name, _, _), n in expected.items():
        sums[name] += n
    return sums


def true_texts(configuration: int, workload: int) -> dict[str, str]:
    """The dimensions of two rows as the database has them."""
    rows = [model.objects.filter(pk=pk).values()[0] for model, pk in ((Configuration, configuration), (Workload, workload))]
    return {**configuration_texts(rows[0]), **workload_texts(rows[1], rows[1]["params"])}


ACTIONS = (
    *("add", "upload", "publish", "unpublish", "withdraw", "restore", "delete", "reread", "together", "accept", "revoke"),
    *("add", "upload", "publish", "together", "accept", "state", "withdraw a file", "withdraw a value", "undo"),
)


def act(action: str, pk: int, rng: random.Random) -> None:
    """One change of an archive, or of none that can be changed so."""
    archive = Archive.objects.get(pk=pk)
    values = Measurement.objects.filter(run__archive=archive)
    undone = Withdrawal.objects.filter(archive=archive, restored_at=None, what__in=("file", "measurement")).first()
    is_upload = blobs.path(archive.sha256).exists()
    if action == "state" and is_upload:
        statements.add_statements(
            pk, archive.owner, {"pool.compression": rng.choice(["lz4", "off"])}, [statements.StatementScope()], lambda _: None
        )
    if action in ("state", "reread") and is_upload:
        Archive.objects.filter(pk=pk).update(state=Archive.State.RECEIVED)
        assert ingest_archive(pk) == "read"
    elif action == "reread":
        load.store(pk, list(some_records(rng)))
    elif action == "together":
        load.store_together(read_some(rng, [other for other in (pk - 1, pk, pk + 1) if other > 0]))
    elif action == "withdraw a file" and (file := archive.files.filter(measurements__gt=0, withdrawn=False).first()):
        withdrawals.withdraw_file(pk, file.path, "wrong", archive.owner)
    elif action == "withdraw a value" and (value := values.filter(counted=True).first()):
        withdrawals.withdraw_measurement(pk, value.pk, "wrong", archive.owner)
    elif action == "undo" and undone:
        withdrawals.undo_withdrawal(undone.pk, archive.owner)
    elif action in LIFE:
        LIFE[action](pk)


LIFE = {
    "publish": load.publish,
    "unpublish": load.unpublish,
    "delete": load.delete,
    "accept": lambda pk: load.accept(pk, "read"),
    "revoke": load.revoke_acceptance,
    "withdraw": lambda pk: load.withdraw(pk, "wrong"),
    "restore": load.restore,
}


def disturb_columns(rng: random.Random) -> None:
    """What is known becomes that of a process that has just begun; sometimes one of the files is no longer what was written."""
    if rng.random() < 0.4:
        files = sorted(folder.iterdir()) if (folder := column_files.folder()) and folder.is_dir() else []
        for file in rng.sample(files, min(len(files), rng.randint(0, 2))):
            data = file.read_bytes()
            file.unlink()  # others have it mapped
            file.write_bytes(rng.choice([data[: rng.randrange(len(data) + 1)], b"", rng.randbytes(300), data[:-1] + b"?"]))
        caches.clear()


@pytest.mark.thorough
@settings(max_examples=16, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    acts=st.lists(st.tuples(st.sampled_from(ACTIONS), st.integers(0, 9), st.integers(0, 999)), min_size=6, max_size=22),
    least=st.sampled_from([1, 3, 4000]),
)
def test_counts_and_columns_are_true_after_any_sequence_of_changes(acts, least):
    caches.clear()  # a rolled back example gives its ids and data versions back
    filed = [mock.patch.object(module, "MIN_FILED", least) for module in (reader, dimension_tables)]
    with transaction.atomic(), filed[0], filed[1]:
        for action, which, seed in [("add", 0, 1), ("upload", 0, 2), *acts]:
            rng, ids = random.Random(seed), list(Archive.objects.order_by("id").values_list("pk", flat=True))
            if action == "add" or not ids:
                making.archive(owner=rng.choice(["ann", "bob"]), public=rng.random() < 0.4, records=list(some_records(rng)))
            elif action == "upload":
                data = samples.tar({f"{name}/dd.txt": samples.dd(2.5, 2.0 + name) for name in rng.sample(range(4), 2)})
                samples.received(data, owner=rng.choice(["ann", "bob"]), public=rng.random() < 0.6)
            else:
                act(action, ids[which % len(ids)], rng)
            disturb_columns(rng)
            check_columns()
            if seed % 4 == 0:
                check_everything()  # empties every cache
            assert [*consistency.find_problems(), *consistency.find_summary_problems()] == []
        transaction.set_rollback(True)


OLD, NEW = {**HOST, "kernel": "6.1"}, {**HOST, "kernel": "6.2"}


def of_file(name: str, values: list[float], config: dict[str, str], **more) -> Archive:
    return making.archive(public=True, records=making.file_records("a", name, values, config=config), **more)


def moved(row: Archive, values: list[float], config: dict[str, str]) -> load.ArchiveBatch:
    return load.ArchiveBatch(Batch.from_records(making.file_records("a", f"of {row.pk}", values, config=config), row.pk), None)


@pytest.mark.parametrize("leaving", [[0], [4], [2, 3], [0, 1, 2], [0, 1, 2, 3, 4]])
def test_what_archives_leave_of_a_row_with_a_histogram_is_that_of_the_others(leaving):
    """Extremes and first values go, and an outlier beside which the squares of the others would be lost."""
    values = [[*([1e12] * (number == 0)), *(float(100 * number + at) for at in range(12 + number))] for number in range(5)]
    rows = [of_file(f"a{number}", own, OLD) for number, own in enumerate(values)]
    assert Summary.objects.get(scope=PUBLIC).n == sum(map(len, values)), "they share the row"
    rebuilt: list[SummaryKey] = []
    with mock.patch.object(summary_writer, "rebuild_scope", lambda scope, keys: rebuilt.extend(keys)):
        load.store_together({rows[at].pk: moved(rows[at], values[at], NEW) for at in leaving})
    assert rebuilt == []
    check_everything()


@pytest.mark.parametrize("is_joined", [True, False])
@pytest.mark.parametrize("damage", ["missing", "histogram", "listed"])
def test_a_shared_row_that_is_wrong_is_put_together_again_once_an_archive_leaves_it(damage, is_joined):
    count = 5 if damage == "listed" else 40
    stays, leaves = of_file("s", [float(at + 1) for at in range(count)], OLD), of_file("l", [7.0] * 5, OLD)
    joins = of_file("j", [1.0, 2.0], NEW)
    row = Summary.objects.filter(scope=PUBLIC, n=count + 5)
    assert stays.pk < leaves.pk and row.count() == 1
    if damage == "missing":
        row.delete()
    else:
        row.update(**{"histogram": {"1": count + 5}} if damage == "histogram" else {"ids": list(range(count + 5))})
    todo = {leaves.pk: moved(leaves, [7.0] * 5, {**OLD, "kernel": "6.3"})}
    load.store_together(todo | ({joins.pk: moved(joins, [1.0, 2.0], OLD)} if is_joined and damage == "missing" else {}))
    check_everything()


class TestReadingAgain:
    """Rows of the summary are written again, and those of other archives read, for values that changed only."""

    def records(self, first: float = 1.0):
        other = making.file_records("b", "b", [3.0, 4.0], metric="read.throughput")
        return chain(making.file_records("a", "a", [first, 2.0]), other)

    def rows(self) -> dict[tuple, tuple]:
        """By scope and metric: the row, and the transaction that wrote it."""
        with connection.cursor() as cursor:
            cursor.execute("SELECT scope, metric_id, n, mean, values, ids, xmin::text, cmin::text FROM webapp_summary")
            return {row[:2]: row[2:] for row in cursor.fetchall()}

    def test_values_keep_their_ids_and_the_summary_is_left_alone(self):
        row = making.archive(records=self.records(), public=True)
        before, runs = self.rows(), set(Run.objects.values_list("pk", flat=True))
        load.store(row.pk, self.records())
        assert self.rows() == before
        assert runs.isdisjoint(Run.objects.values_list("pk", flat=True)), "permalinks tell by the run whether it was read again"
        check_everything()

    def test_rows_of_changed_values_alone_are_written(self):
        row = making.archive(records=self.records(), public=True)
        before = self.rows()
        load.store(row.pk, self.records(first=9.0))
        after = self.rows()
        changed = {key for key in before if before[key] != after[key]}
        assert len(changed) == 2 and {scope for scope, _ in changed} == {PUBLIC, row.pk}
        check_everything()

    @pytest.mark.parametrize("count", [3, 30])
    def test_how_many_archives_share_its_rows_does_not_matter(self, count):
        for number in range(count):
            row = making.archive(records=making.file_records("a", f"a{number}", [1.0 + number]), public=True)
        with CaptureQueriesContext(connection) as captured:
            load.store(row.pk, list(making.file_records("a", f"a{count - 1}", [float(count)])))
        assert not [query["sql"] for query in captured if "webapp_summary" in query["sql"] and "unnest" in query["sql"]]

    def test_with_other_numbers_of_values_they_have_new_ids(self):
        row = making.archive(records=self.records(), public=True)
        before = set(Measurement.objects.values_list("pk", flat=True))
        load.store(row.pk, list(chain(making.file_records("a", "a", [1.0]), making.file_records("b", "b", [3.0, 4.0, 5.0]))))
        assert before.isdisjoint(Measurement.objects.values_list("pk", flat=True))
        check_everything()

    def test_what_is_withdrawn_is_found_again_where_it_stands_now(self):
        row = making.archive(records=self.records(), public=True)
        value = Measurement.objects.get(value=3.0)
        withdrawals.withdraw_measurement(row.pk, value.pk, "wrong", None)
        load.store(row.pk, self.records())
        assert list(Measurement.objects.filter(counted=False).values_list("pk", flat=True)) == [value.pk]
        swapped = chain(
            making.file_records("b", "b", [3.0, 4.0], metric="read.throughput"), making.file_records("a", "a", [1.0, 2.0])
        )
        load.store(row.pk, list(swapped))
        assert list(Measurement.objects.filter(counted=False).values_list("value", flat=True)) == [3.0]
        check_everything()
