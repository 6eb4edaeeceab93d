"""The table of measurements in partitions: the same pages and rows, and new ones where they belong."""

from __future__ import annotations

import io

import pytest
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.db import connection, connections

from webapp.formats import export
from webapp.models import Archive, Measurement, Run
from webapp.storage import load
from webapp.tests import making

pytestmark = pytest.mark.django_db
PAGES = ("/compare.csv?metric=write.throughput&x=compression", "/archives/{archive}", "/runs/{run}")


@pytest.fixture(autouse=True)
def alone(db):
    """No other connection uses this database: Playwright's event loop has Django open a second one in this process."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
        )
        cursor.execute("SELECT pg_stat_clear_snapshot()")  # else the transaction of the test goes on seeing what ended


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
    ids = list(Measurement.objects.order_by("pk").values_list("pk", flat=True))
    assert ids == list(range(ids[0], ids[0] + 9)), "ids go on where they were"
    for gone in (one, three):
        load.delete(gone.pk)
    assert lying() == {"_p2": 3}


def it_wants_to_be_alone():
    other = type(connections["default"])(connections["default"].settings_dict, "other")
    try:
        other.ensure_connection()
        with pytest.raises(CommandError, match="1 other connections use the database"):
            partition()
    finally:
        other.close()
