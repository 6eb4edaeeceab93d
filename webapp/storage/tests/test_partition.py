"""The table of measurements in partitions: the same pages and rows, and new ones where they belong."""

from __future__ import annotations

import io
import subprocess
import sys

import psycopg
import pytest
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection, connections

from webapp.formats import export
from webapp.management.commands import partition as command
from webapp.models import Archive, Measurement, Run
from webapp.storage import load
from webapp.tests import making
from webapp.tests.serving import ROOT, database_url, environment, wait_for

pytestmark = pytest.mark.django_db
PAGES = ("/compare.csv?metric=write.throughput&x=compression", "/archives/{archive}", "/runs/{run}")


def partition() -> str:
    out = io.StringIO()
    call_command("partition", stdout=out)
    return out.getvalue()


def archive(name: str) -> Archive:
    return making.archive(public=True, records=making.file_records(f"{name}.csv", name, [1e8, 2e8, 3e8]))


def shown(client, one: Archive) -> list[bytes]:
    """The pages of an archive, and the export of everything."""
    cache.clear()
    run = Run.objects.filter(archive_id=one.pk).first()
    out = io.StringIO()
    export.write_jsonl(out)
    pages = [client.get(page.format(archive=one.pk, run=run.pk)) for page in PAGES]
    assert {page.status_code for page in pages} == {200}
    return [out.getvalue().encode(), *(page.content for page in pages)]


def lying() -> dict[str, int]:
    """Partition -> measurements."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT tableoid::regclass::text, count(*) FROM webapp_measurement GROUP BY 1 ORDER BY 1")
        return {name.removeprefix("webapp_measurement"): count for name, count in cursor.fetchall()}


def it_shows_the_same_and_goes_on_in_a_new_partition(client):
    one = archive("one")
    before = shown(client, one)
    told = partition()
    assert "_p1: FROM (MINVALUE)" in told and "TO (MAXVALUE)" in told
    assert "nothing was changed" in partition()
    assert shown(client, one) == before and lying() == {"_p1": 3}
    archive("two")
    assert lying() == {"_p1": 3, "_p2": 3}
    assert partition().count("\n  ") == 3
    three = archive("three")
    assert lying() == {"_p1": 3, "_p2": 3, "_p3": 3}
    ids = list(Measurement.objects.order_by("run__archive", "pk").values_list("pk", flat=True))
    assert ids == sorted(ids), "ids rise with the archives"
    for gone in (one, three):
        load.delete(gone.pk)
    assert lying() == {"_p2": 3}


def it_does_not_read_the_rows_while_the_table_is_locked():
    """Both times PostgreSQL says that the constraint, which was checked before, is enough."""
    notices: list[str] = []
    archive("one")
    connection.connection.add_notice_handler(lambda notice: notices.append(notice.message_primary))
    with connection.cursor() as cursor:
        cursor.execute("SET client_min_messages = debug1")
    try:
        partition()
        archive("two")
        partition()
    finally:
        with connection.cursor() as cursor:
            cursor.execute("RESET client_min_messages")
    said = [notice for notice in notices if "is implied by existing constraints" in notice]
    assert [name for name in ("_p1", "_p2") for notice in said if f'"webapp_measurement{name}"' in notice] == ["_p1", "_p2"]


def it_leaves_an_archive_that_is_read_again_where_it_lies():
    one = archive("one")
    ids = set(Measurement.objects.values_list("pk", flat=True))
    partition()
    load.store(one.pk, making.file_records("one.csv", "one", [1e8, 5e8, 3e8]))
    assert lying() == {"_p1": 3} and set(Measurement.objects.values_list("pk", flat=True)) == ids


@pytest.fixture
def other(db):
    """Another connection, as that of a page."""
    other = type(connections["default"])(connections["default"].settings_dict, "other")
    yield other
    other.close()


def it_does_not_mind_other_connections(other):
    archive("one")
    other.ensure_connection()
    assert "_p2" in partition()


def constraints() -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT conname FROM pg_constraint WHERE contype = 'c' AND conrelid::regclass::text LIKE 'webapp_measurement%'"
        )
        return [name for (name,) in cursor.fetchall()]


_HELD = """
import time
import django
django.setup()
from django.core.management import call_command
from webapp.management.commands import partition
execute = partition._execute

def hold(statement):
    while "VALIDATE" in statement:
        print("held", flush=True)
        time.sleep(60)
    execute(statement)

partition._execute = hold
call_command("partition")
"""


@pytest.mark.thorough
@pytest.mark.django_db(transaction=True)
def it_leaves_no_bound_on_ids_for_long_where_it_is_killed(tmp_path):
    archive("one")
    environ = environment(tmp_path, DATABASE_URL=database_url(), DJANGO_SETTINGS_MODULE="webapp.settings")
    other = subprocess.Popen([sys.executable, "-c", _HELD], cwd=ROOT, env=environ, stdout=subprocess.PIPE)
    try:
        assert other.stdout.readline() == b"held\n"
        call_command("reconcile")
        assert constraints() == [command._CHECK], "it is not taken from a process that goes on"
        with pytest.raises(CommandError, match="Another process makes a partition"):
            partition()
    finally:
        other.kill()
        other.communicate()
    wait_for(lambda: (call_command("reconcile"), not constraints())[1])


@pytest.mark.parametrize("number", [1, 2])
def it_leaves_no_bound_on_ids_where_it_is_interrupted(monkeypatch, number):
    archive("one")
    if number == 2:
        partition()
        archive("two")
    found = []

    def interrupted(name: str, *args) -> None:
        found.extend(constraints())
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(command, "_attach", interrupted)
        with pytest.raises(KeyboardInterrupt):
            partition()
    assert command._CHECK in found and command._CHECK not in constraints()
    ids = Measurement.objects.count()
    archive("three")
    assert Measurement.objects.count() == ids + 3 and Measurement.objects.latest("pk").pk < 10**9 * number
    assert f"_p{number + 1}" in partition()


def it_tries_again_after_a_deadlock(monkeypatch):
    monkeypatch.setattr(command, "LOCK_SECONDS", 0.1)
    archive("one")
    attach, tried = command._attach, []

    def chosen_as_victim(*args) -> None:
        tried.append(args)
        if len(tried) == 1:
            raise OperationalError("deadlock detected") from psycopg.errors.DeadlockDetected()
        attach(*args)

    monkeypatch.setattr(command, "_attach", chosen_as_victim)
    assert "_p2" in partition() and len(tried) == 2


def it_gives_up_where_somebody_reads_all_the_time(other, monkeypatch):
    monkeypatch.setattr(command, "TRIES", 2)
    monkeypatch.setattr(command, "LOCK_SECONDS", 0.1)
    archive("one")
    other.set_autocommit(False)
    with other.cursor() as cursor:
        cursor.execute("SELECT FROM webapp_measurement")
    with pytest.raises(CommandError, match="was in use all the time"):
        partition()
    archive("two")
    other.rollback()
    assert "_p2" in partition() and lying() == {"_p1": 6}
