"""Counts that are not what summary and runs give are named, and computed again; each kind of them."""

from __future__ import annotations

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from webapp.models import Archive
from webapp.storage import consistency, load
from webapp.storage.tests.test_load import check_everything
from webapp.tests import samples

pytestmark = pytest.mark.django_db
DAMAGES = {
    "a metric's values": (
        "UPDATE webapp_metriccount SET n = n + 1 WHERE scope = 0",
        "counts of all public archives: those of metric",
    ),
    "a metric missing": ("DELETE FROM webapp_metriccount WHERE scope = -1", "counts of all accepted archives: those of metric"),
    "a metric too many": (
        "INSERT INTO webapp_metriccount (scope, metric_id, n, rows) VALUES (0, 999, 1, 1)",
        "those of metric 999 differ",
    ),
    "a configuration's rows": ("UPDATE webapp_configurationcount SET rows = rows + 1 WHERE scope > 0", "those of configuration"),
    "a configuration missing": ("DELETE FROM webapp_configurationcount WHERE scope = 0", "public archives: those of configuration"),
    "a configuration's system": ("UPDATE webapp_configurationcount SET system_id = 999 WHERE scope = 0", "those of configuration"),
    "a configuration's place": ("UPDATE webapp_configurationcount SET sorted = 'a' WHERE scope = 0", "those of configuration"),
    "a system's values": ("UPDATE webapp_systemcount SET n = n - 1 WHERE scope = 0", "public archives: those of system"),
    "who sees a system": ("UPDATE webapp_systemcount SET seen_by = 999 WHERE scope > 0", "those of system"),
    "a system missing": ("DELETE FROM webapp_systemcount WHERE scope = -1", "accepted archives: those of system"),
    "the metrics of a scope": ("UPDATE webapp_scopecount SET n[1] = 999 WHERE scope = 0", "its list of metrics differs"),
    "a scope missing": ("DELETE FROM webapp_scopecount WHERE scope > 0", "its list of metrics differs"),
    "a block of counts": (
        "UPDATE webapp_countblock SET counts[1] = 999 WHERE scope = 0",
        "blocks of counts of all public archives",
    ),
    "a block of counts missing": ("DELETE FROM webapp_countblock WHERE scope > 0", "blocks of counts of archives/"),
    "a configuration of an archive": ("UPDATE webapp_archiveconfiguration SET measurements = 999", "counts of configuration"),
    "a configuration too many": (
        "UPDATE webapp_archiveconfiguration SET configuration_id = 999 WHERE archive_id = (SELECT max(id) FROM webapp_archive)",
        "the counts of configuration 999",
    ),
    "the measurements of an archive": ("UPDATE webapp_archive SET measurements = 999", "its number of measurements differs"),
}


@pytest.fixture
def archives():
    """Public, accepted and private ones, with a duplicate and a withdrawal."""
    for number, public in enumerate((True, True, False)):
        samples.received(samples.tar({"run/dd.txt": samples.dd(2.5, 2.5 + number)}), f"{number}.tar", public=public)
    samples.received(samples.tar({"again/dd.txt": samples.dd(2.5, 2.5), "more.txt": samples.dd(9)}), owner="bob")
    load.accept(samples.received(samples.tar({"dd.txt": samples.dd(8, 8.5)}), public=True).pk, "read")
    load.withdraw(samples.received(samples.tar({"dd.txt": samples.dd(7)}), public=True).pk, "wrong")


def damage(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        assert cursor.rowcount > 0


def it_finds_nothing_where_all_is_true(archives):
    assert list(consistency.find_problems()) == [] and consistency.repair() == []


@pytest.mark.parametrize("what", DAMAGES)
def it_names_and_computes_again(archives, what):
    statement, named = DAMAGES[what]
    damage(statement)
    problems = list(consistency.find_problems())
    assert any(named in line for line in problems), problems
    assert any("computed again" in line for line in consistency.repair())
    left = list(consistency.find_problems())
    if what == "a configuration too many":  # what only reading can give is not made up
        (line,) = left
        number = Archive.objects.latest("pk").pk
        assert line.startswith(f"archives/{number}: ") and line.endswith(f"manage.py reread {number}")
        return
    assert left == []
    check_everything()


def it_locks_wrong_archives_before_the_write_lock(archives):
    damage(DAMAGES["a configuration of an archive"][0])
    with CaptureQueriesContext(connection) as asked:
        consistency.repair()
    locks = [
        "FOR UPDATE" in query["sql"] for query in asked if "FOR UPDATE" in query["sql"] or "webapp_dataversion" in query["sql"]
    ]
    assert locks == [True, False]


def it_names_and_repairs_by_command(archives, capsys):
    damage("UPDATE webapp_summary SET n = n + 1 WHERE scope = 0")
    damage("UPDATE webapp_metriccount SET n = n + 5")
    with pytest.raises(CommandError):
        call_command("check_data")
    said = capsys.readouterr().out
    assert "summary of all public archives" in said and "counts of all accepted archives" in said
    call_command("check_data", "--repair")
    assert "summary: 0 problems\ncounts: 0 problems" in capsys.readouterr().out
    assert list(consistency.find_summary_problems()) == []
    check_everything()
