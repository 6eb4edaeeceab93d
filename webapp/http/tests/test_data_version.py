"""The data version by the short way gives what the long way gives, and leaves to Django what is Django's."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from webapp.http import data_version
from webapp.models import DataVersion

pytestmark = pytest.mark.django_db


def seen_as(monkeypatch, **facts) -> list[str]:
    """Have Django's connection look as outside of a transaction; gives what is asked by its cursors from then on."""
    asked: list[str] = []

    def cursor():
        asked.append("cursor")
        return connection.cursor()

    usual = {"connection": connection.connection, "in_atomic_block": False, "queries_logged": False, "execute_wrappers": []}
    monkeypatch.setattr(data_version, "connection", SimpleNamespace(**{**usual, **facts}, cursor=cursor))
    return asked


def it_needs_no_cursor_outside_of_a_transaction(monkeypatch):
    DataVersion.objects.get_or_create(pk=1)  # tests that commit leave every table empty
    asked = seen_as(monkeypatch)
    before = data_version.data_version()
    DataVersion.objects.update(number=before + 7)
    assert (data_version.data_version(), asked) == (before + 7, [])


@pytest.mark.parametrize(
    "facts", [{"in_atomic_block": True}, {"queries_logged": True}, {"execute_wrappers": [print]}, {"connection": None}]
)
def it_goes_by_django_where_that_has_more_to_do(monkeypatch, facts):
    number = data_version.data_version()
    asked = seen_as(monkeypatch, **facts)
    assert (data_version.data_version(), asked) == (number, ["cursor"])


def it_goes_by_django_where_the_database_gives_no_number(monkeypatch):
    number, closed = data_version.data_version(), connection.get_new_connection(connection.get_connection_params())
    closed.close()
    asked = seen_as(monkeypatch, connection=closed)
    assert (data_version.data_version(), asked) == (number, ["cursor"])
    DataVersion.objects.all().delete()
    asked = seen_as(monkeypatch)
    assert (data_version.data_version(), asked) == (0, ["cursor"])


def it_asks_the_connection_that_is_in_use(monkeypatch):
    """A thread's cursor stays with its connection only as long as that is Django's: the other one may be a replica's."""
    DataVersion.objects.get_or_create(pk=1)
    number = data_version.data_version()
    other = connection.get_new_connection(connection.get_connection_params())
    try:
        other.execute("CREATE TEMP TABLE webapp_dataversion AS SELECT 1 AS id, -5 AS number")
        for known, told in ((connection.connection, number), (other, -5), (connection.connection, number)):
            asked = seen_as(monkeypatch, connection=known)
            assert (data_version.data_version(), asked) == (told, [])
    finally:
        other.close()


def it_is_one_query_that_is_counted():
    with CaptureQueriesContext(connection) as caught:
        data_version.data_version()
    assert len(caught) == 1
