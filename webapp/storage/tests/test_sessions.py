"""What separates the sessions of a machine."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.models import Run, Session
from webapp.storage import load, machines, sessions
from webapp.storage.batch import Batch
from webapp.tests import making, samples

HOUR = 3600


def records_of(runs):
    """(path, printed start, seconds or None, reboot before it[, configuration]) -> records of a run each."""
    lines: dict[str, int] = {}
    for path, started_at, seconds, reboot, *config in runs:
        lines[path] = lines.get(path, 0) + 1
        options = {"metric": "write.elapsed" if seconds is not None else "write.iops", "started_at": started_at}
        [measured, *_] = making.file_records(path, path, [seconds or 1.0], config=config[0] if config else {}, **options)
        cache = ("rebooted", f"{path}:{lines[path]}") if reboot else None
        yield replace(measured, line=lines[path], run=lines[path], cache=cache)


def separate(*runs):
    """The numbers of the sessions of the runs, as text, and the sessions."""
    batch = Batch.from_records(records_of(runs), 1)
    found = machines.find_machines(1, machines.OwnMachines(1), batch.configurations, batch.files.values())
    made = sessions.find_sessions(batch.files.values(), found)
    positions: dict[str, int] = {}
    numbers = []
    for path, *_ in runs:
        position = positions[path] = positions.get(path, -1) + 1
        numbers.append(str(made.numbers.get(path, {}).get(position, 1)))
    return "".join(numbers), made.rows


DAY = "2024-05-01T"


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        pytest.param([("2026-11-23/fio-1", None, 60), ("2026-11-24/fio-1", None, 60)], "12", id="folders of days that follow"),
        pytest.param([("fio-20261123-1", None, None), ("fio-20261125-1", None, None)], "12", id="days in names"),
        pytest.param([("2026-11-23/a/lz4.txt", None, 60), ("2026-11-23/b/off.txt", None, 60)], "11", id="one day"),
        pytest.param([("20261123-0300-fio", None, 60), ("20261123-0330-fio", None, 60)], "11", id="half an hour"),
        pytest.param([("run_2026-11-23T03-00.log", None, 60), ("run_2026-11-23T05-00.log", None, 60)], "12", id="hours in names"),
        pytest.param([("20261123-0300-fio", None, 7200), ("20261123-0530-fio", None, 60)], "11", id="a long run"),
        pytest.param([("23.11.2026/a", None, 60), ("24.11.2026/a", None, 60)], "12", id="German dates"),
        pytest.param(
            [("2026-11-23/a", "2026-11-23T23:50", 60), ("2026-11-24/a", "2026-11-24T00:10", 60)], "11", id="printed over midnight"
        ),
        pytest.param([("2026-11-23/a", "2026-11-23T09:00", 60), ("2026-11-23/b", None, 60)], "11", id="printed and named"),
        pytest.param([("2026-11-23/a", "2026-11-23T09:00", 60), ("2026-11-24/b", None, 60)], "12", id="printed, then named"),
        pytest.param([("2026-11-23/a", None, 60), ("2026-11-24/b", "2026-11-24T09:00", 60)], "12", id="named, then printed"),
        pytest.param(
            [("2026-11-23/a", "2026-11-23T09:00Z", 60), ("2026-11-24/b", None, 60), ("2026-11-25/c", "2026-11-25T09:00Z", 60)],
            "112",
            id="names have no zone",
        ),
        pytest.param([("2026-11-23/a", None, 60), ("b", None, 60)], "11", id="a name without a date"),
        pytest.param([("linux-20260101/a", None, 60), ("linux-20260501/a", None, 60)], "11", id="dates of versions"),
        pytest.param([("20261123-20261130/a", None, 60), ("20261223-20261230/a", None, 60)], "11", id="spans"),
        pytest.param([("99999999/a", None, 60), ("20261399-1/a", None, 60)], "11", id="no dates"),
    ],
)
def test_runs_without_a_time_have_that_of_their_name(runs, expected):
    assert separate(*[(*run, 0) for run in runs])[0] == expected


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        pytest.param([("a", None, None, 0), ("b", None, None, 0)], "11", id="nothing known"),
        pytest.param([("a", f"{DAY}10:00", 60, 0), ("b", f"{DAY}10:30", 60, 0)], "11", id="half an hour"),
        pytest.param([("a", f"{DAY}10:00", 60, 0), ("b", f"{DAY}11:00:30", 60, 0)], "11", id="an hour from start to start"),
        pytest.param([("a", f"{DAY}10:00", 60, 0), ("b", f"{DAY}11:01", 60, 0)], "11", id="an hour from end to start"),
        pytest.param([("a", f"{DAY}10:00", 60, 0), ("b", f"{DAY}11:01:01", 60, 0)], "12", id="more than an hour"),
        pytest.param([("b", f"{DAY}11:01:01", 60, 0), ("a", f"{DAY}10:00", 60, 0)], "21", id="numbered in the order of time"),
        pytest.param([("a", f"{DAY}10:00", 5 * HOUR, 0), ("b", f"{DAY}15:30", 60, 0)], "11", id="a long run"),
        pytest.param(
            [("a", f"{DAY}10:00", 9 * HOUR, 0), ("b", f"{DAY}10:10", 60, 0), ("c", f"{DAY}18:00", 60, 0)],
            "111",
            id="a long run beside short ones",
        ),
        pytest.param([("a", f"{DAY}10:00", None, 0), ("b", f"{DAY}20:00", None, 0)], "11", id="unknown length"),
        pytest.param([("a", f"{DAY}02:00", None, 0), ("b", "2024-05-02T02:00", None, 0)], "12", id="every night"),
        pytest.param([("a", f"{DAY}02:00", None, 0), ("b", f"{DAY}15:00", None, 0)], "11", id="twelve hours and one"),
        pytest.param([("a", f"{DAY}02:00", None, 0), ("b", f"{DAY}15:01", None, 0)], "12", id="more than twelve hours and one"),
        pytest.param([("a", f"{DAY}10:00", 1e18, 0), ("b", "2025-05-01T11:00", 60, 0)], "11", id="no run is longer than a year"),
        pytest.param([("a", f"{DAY}10:00", 1e18, 0), ("b", "2025-05-01T11:01", 60, 0)], "12", id="an hour after a year"),
        pytest.param(
            [("a", f"{DAY}10:00", None, 0), ("a", f"{DAY}10:05", 60, 0), ("a", f"{DAY}15:00", 60, 0)],
            "112",
            id="the next start in a file ends the run before",
        ),
        pytest.param(
            [("a", f"{DAY}10:00", 1800, 0), ("a", f"{DAY}10:00", 1800, 0), ("a", f"{DAY}11:45", 60, 0)],
            "111",
            id="runs under one time follow each other",
        ),
        pytest.param([("a", f"{DAY}10:00", 60, 0), ("b", None, None, 0), ("c", f"{DAY}20:00", 60, 0)], "112", id="an unknown time"),
        pytest.param([("a", f"{DAY}10:00Z", 60, 0), ("b", f"{DAY}14:00+04:00", 60, 0)], "11", id="two zones, one instant"),
        pytest.param([("a", f"{DAY}10:00Z", 60, 0), ("b", f"{DAY}10:00-04:00", 60, 0)], "12", id="two zones, four hours"),
        pytest.param([("a", f"{DAY}10:00Z", 60, 0), ("b", f"{DAY}20:00", 60, 0)], "11", id="with and without a zone"),
        pytest.param(
            [("a", f"{DAY}10:00Z", 60, 0), ("b", f"{DAY}20:00Z", 60, 0), ("c", f"{DAY}20:00", 60, 0)], "111", id="of three, one"
        ),
        pytest.param([("a", "1970-01-01T00:00:41", 60, 0), ("b", f"{DAY}10:00", 60, 0)], "11", id="a clock that was never set"),
        pytest.param([("a", "soon", 60, 0), ("b", f"{DAY}10:00", 60, 0)], "11", id="no time"),
        pytest.param([("a", "2024-05-01", 60, 0), ("b", "2024-05-02", 60, 0)], "11", id="days that follow"),
        pytest.param([("a", "2024-05-01", 60, 0), ("b", "2024-05-03", 60, 0)], "12", id="a day between"),
        pytest.param([("a", "2024-05", 60, 0), ("b", f"{DAY}10:00", 60, 0)], "11", id="in that month"),
        pytest.param([("a", None, None, 0), ("a", None, None, 1), ("a", None, None, 0)], "122", id="a reboot"),
        pytest.param([("a", None, None, 1), ("a", None, None, 0)], "11", id="a reboot before the first run"),
        pytest.param([("a", None, None, 0), ("b", None, None, 1)], "11", id="a reboot in another file"),
        pytest.param([("a", None, None, 0), ("a", None, None, 1), ("a", None, None, 1)], "123", id="two reboots"),
        pytest.param(
            [("a", None, None, 0), ("a", f"{DAY}10:00", 60, 1), ("a", None, None, 1)], "112", id="a time between two reboots"
        ),
        pytest.param([("a", None, None, 0), ("a", None, None, 1), ("b", None, None, 0)], "121", id="beside a reboot"),
        pytest.param(
            [("a", f"{DAY}10:00", 60, 0), ("a", f"{DAY}10:09", 60, 1), ("b", f"{DAY}10:20", 9, 0)], "122", id="known reboot"
        ),
        pytest.param(
            [("a", f"{DAY}10:00", None, 0), ("a", f"{DAY}10:09", 60, 1), ("b", f"{DAY}13:00", 60, 0)],
            "123",
            id="no run goes on over a reboot",
        ),
        pytest.param(
            [("a", f"{DAY}10:00Z", 60, 0), ("a", f"{DAY}10:09", 60, 1), ("b", f"{DAY}10:20Z", 60, 0)],
            "121",
            id="beside a reboot, with and without a zone",
        ),
        pytest.param(
            [("a", f"{DAY}10:00", 60, 0, {"host": "tank1"}), ("a", f"{DAY}20:00", 60, 1, {"host": "tank2"})],
            "11",
            id="two machines",
        ),
    ],
)
def test_sessions_are_separated(runs, expected):
    numbers, rows = separate(*runs)
    assert numbers == expected
    assert {row.number for row in rows} == set(map(int, expected)), "sessions are counted from 1 on"


def test_a_session_has_its_span_and_what_separates_it():
    _, rows = separate(("a", f"{DAY}10:00", 60, 0), ("a", f"{DAY}10:30", 60, 1), ("b", f"{DAY}20:00", None, 0))
    assert [(row.number, row.started.isoformat()[11:], row.ended.isoformat()[11:], row.separated_by) for row in rows] == [
        (1, "10:00:00", "10:01:00", ""),
        (2, "10:30:00", "10:31:00", "reboot"),
        (3, "20:00:00", "20:00:00", "time"),
    ]


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        pytest.param([("10:00", 60, 1), ("10:10", 60, 2)], "12", id="another boot"),
        pytest.param([("10:00", 60, 1), ("10:10", 60, 1)], "11", id="the same boot"),
        pytest.param([("10:00", 60, 1), ("10:10", 60, None)], "11", id="a boot that is not known"),
        pytest.param([("10:00", 60, 1), ("10:05", 60, None), ("10:10", 60, 2)], "112", id="one between that is not known"),
        pytest.param([("10:10", 60, 2), ("10:00", 60, 1)], "21", id="in the order of time"),
        pytest.param([("10:00", 600, 1), ("11:09", 60, 1), ("11:11", 60, 1)], "111", id="the stated length counts"),
        pytest.param([("10:00", 60, 1), ("11:09", 60, 1)], "12", id="an hour after a short run"),
        pytest.param([(None, 60, 1), (None, 60, 2)], "11", id="boots without times have no order"),
    ],
)
def test_stated_boots_and_lengths_separate_sessions(runs, expected):
    records = []
    for number, (clock, seconds, boot) in enumerate(runs):
        params = {"seconds": seconds} | ({"boot": boot} if boot else {})
        started = clock and f"{DAY}{clock}Z"
        [record, *_] = making.file_records(f"{number}", f"{number}", [1.0], params=params, started_at=started)
        records.append(record)
    batch = Batch.from_records(records, 1)
    found = machines.find_machines(1, machines.OwnMachines(1), batch.configurations, batch.files.values())
    numbers = sessions.find_sessions(batch.files.values(), found).numbers
    assert "".join(str(numbers.get(f"{number}", {}).get(0, 1)) for number in range(len(runs))) == expected


def test_several_runs_of_one_command_after_a_reboot_are_one_session():
    runs = list(records_of([("a", None, None, 0), ("a", None, None, 1), ("a", None, None, 1)]))
    runs[2].cache = runs[1].cache
    batch = Batch.from_records(runs, 1)
    found = machines.find_machines(1, machines.OwnMachines(1), batch.configurations, batch.files.values())
    assert sessions.find_sessions(batch.files.values(), found).numbers == {"a": {1: 2, 2: 2}}


def test_runs_of_the_first_session_are_not_listed():
    batch = Batch.from_records(records_of([("a", f"{DAY}10:00", 60, 0), ("b", f"{DAY}20:00", 60, 0)]), 1)
    found = machines.find_machines(1, machines.OwnMachines(1), batch.configurations, batch.files.values())
    assert sessions.find_sessions(batch.files.values(), found).numbers == {"b": {0: 2}}


@pytest.mark.parametrize(
    ("metric", "params", "value", "seconds"),
    [
        ("write.throughput", {"file_size": 2**30}, 2.0**20, 1024.0),
        ("write.throughput", {}, 2.0**20, None),
        ("write.throughput", {"file_size": 2**30}, 0.0, None),
        ("write.elapsed", {}, 7.0, 7.0),
        ("file_create.rate", {"files": 10}, 7.0, None),
        ("read.latency", {}, 7.0, None),
    ],
)
def test_the_length_of_a_run_follows_from_its_values(metric, params, value, seconds):
    [record, *_] = making.file_records("a", "a", [value], metric=metric, params=params, started_at=f"{DAY}10:00")
    [file] = Batch.from_records([record], 1).files.values()
    assert file.times[0].seconds == seconds


@pytest.mark.parametrize(
    ("values", "seconds"),
    [
        ([("read.elapsed", 3.0), ("rewrite.elapsed", 4.0), ("write.elapsed", 5.0)], 12.0),
        ([("read.throughput", 2.0**20), ("rewrite.throughput", 2.0**21), ("write.throughput", 2.0**22)], 1024.0 + 512.0 + 256.0),
        ([("read.throughput", 2.0**20), ("write.elapsed", 7.0), ("write.latency", 9.0)], 7.0),
        ([("read.elapsed", 3.0), ("write.elapsed", -4.0)], None),
        ([("read.throughput", 2.0**20), ("file_create.rate", 9.0)], None),
        ([("read.throughput", -(2.0**20)), ("read.throughput", 2.0**19)], None),
        ([("read.throughput", 1.0)], 2.0**30),
        ([("read.elapsed", 0.0), ("write.elapsed", 0.25)], 0.25),
        ([("read.elapsed", -0.5)], None),
    ],
)
def test_a_run_takes_as_long_as_its_phases_together(values, seconds):
    """Elapsed times where there are some, else amounts over throughputs; nothing where one of these makes no sense."""
    records = list(making.file_records("a", "a", [value for _, value in values], started_at=f"{DAY}10:00"))[: len(values)]
    records = [replace(record, metric=metric, run=1) for record, (metric, _) in zip(records, values, strict=True)]
    [file] = Batch.from_records(records, 1).files.values()
    assert file.times[0].seconds == seconds


@pytest.mark.parametrize(
    ("cache", "known"),
    [(None, {}), ("dropped", {}), ("reimported", {}), ("remounted", {}), ("rebooted", {0: (None, None, "a:1", None)})],
)
def test_only_a_reboot_says_when_a_run_was_without_a_printed_time(cache, known):
    [record, *_] = making.file_records("a", "a", [1.0])
    [file] = Batch.from_records([replace(record, cache=cache and (cache, "a:1"))], 1).files.values()
    assert file.times == known


@given(
    st.lists(
        st.tuples(st.sampled_from("abc"), st.integers(0, 5000), st.one_of(st.none(), st.integers(1, 600))), min_size=1, max_size=12
    )
)
def test_sessions_follow_each_other_with_more_than_an_hour_between(runs):
    start = datetime(2024, 5, 1)
    printed = [
        (path, (start + timedelta(minutes=minute)).isoformat(), None if length is None else length * 60, 0)
        for path, minute, length in runs
    ]
    numbers, rows = separate(*printed)
    assert sorted(set(numbers)) == [str(row.number) for row in rows] or len(rows) > 9
    assert numbers == separate(*printed)[0]
    for before, after in pairwise(rows):
        assert after.started - before.ended > timedelta(hours=1) and after.separated_by == "time"


@pytest.mark.django_db
def test_runs_have_their_session_in_the_database():
    archive = making.archive(records=records_of([("a", f"{DAY}10:00", 60, 0), ("b", f"{DAY}20:00", 60, 0), ("c", None, None, 0)]))
    first, second = Session.objects.order_by("number")
    assert list(Run.objects.order_by("id").values_list("session", flat=True)) == [first.pk, second.pk, first.pk]
    assert (second.archive_id, second.separated_by, second.started) == (archive.pk, "time", f"{DAY}20:00:00")
    assert first.machine_id == second.machine_id == Run.objects.first().configuration.machine_id
    load.store(archive.pk, records_of([("a", None, None, 0)]))
    assert Session.objects.count() == 1 == Run.objects.filter(session=Session.objects.get()).count()
    load.delete(archive.pk)
    assert not Session.objects.exists()


@pytest.mark.django_db
def test_a_reboot_in_a_transcript_separates():
    command = "$ dd if=/dev/zero of=/tank/f bs=1M count=1024\n1024+0 records in\n1024+0 records out\n"
    copied = "1073741824 bytes (1.1 GB, 1.0 GiB) copied, {} s, {} MB/s\n"
    text = command + copied.format("10.0", "107") + "$ {}\n" + command + copied.format("12.0", "89.5")
    for between, expected in (("sudo reboot", 2), ("zpool export tank", 1), ("sudo shutdown -r now", 2)):
        archive = samples.received(text.format(between).encode())
        assert Session.objects.filter(archive=archive).count() == expected, between
