"""Two releases run side by side while machines are upgraded, so that a migration only adds (docs/running.md)."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest
from django.db import migrations, models
from django.db.migrations.operations.base import Operation

FIRST = 36
"""Number of the first migration that the rule is for."""
CONTRACTS: dict[str, str] = {}
"""Migration that takes something away: the release that stopped using it."""
ADDS = (
    migrations.CreateModel,
    migrations.AddIndex,
    migrations.RunPython,
    migrations.AlterModelOptions,
    migrations.AlterModelManagers,
)
_TAKES = re.compile(
    r"\b(DROP\s+(TABLE|COLUMN|TYPE|SCHEMA|VIEW)|RENAME|SET\s+NOT\s+NULL|ALTER\s+(COLUMN\s+)?\w+\s+TYPE|TRUNCATE)\b", re.I
)


def problem_of(operation: Operation) -> str:
    """Why code of the release before may fail after it; empty where it cannot."""
    if isinstance(operation, migrations.SeparateDatabaseAndState):
        return "; ".join(filter(None, map(problem_of, operation.database_operations)))
    if isinstance(operation, migrations.RunSQL):
        found = _TAKES.search(str(operation.sql))
        return f"its SQL has {found[0]}" if found else ""
    if isinstance(operation, migrations.AddField):
        field = operation.field
        has_default = field.null or field.many_to_many or field.db_default is not models.NOT_PROVIDED
        return "" if has_default else f"{operation.name} is neither null nor has it a default in the database"
    return "" if isinstance(operation, ADDS) else operation.describe()


def new_migrations() -> list[str]:
    folder = Path(__file__).resolve().parents[1] / "migrations"
    return sorted(path.stem for path in folder.glob("[0-9]*.py") if int(path.stem[:4]) >= FIRST)


def test_every_migration_since_the_rule_only_adds():
    for name in set(new_migrations()) - set(CONTRACTS):
        operations = import_module(f"webapp.migrations.{name}").Migration.operations
        assert [problem for operation in operations if (problem := problem_of(operation))] == [], name


@pytest.mark.parametrize(
    ("operation", "is_refused"),
    [
        (migrations.CreateModel("Thing", [("id", models.BigAutoField(primary_key=True))]), False),
        (migrations.AddField("archive", "more", models.TextField(null=True)), False),
        (migrations.AddField("archive", "more", models.TextField(db_default="")), False),
        (migrations.AddField("archive", "more", models.TextField(default="")), True),
        (migrations.RemoveField("archive", "title"), True),
        (migrations.RenameField("archive", "title", "name"), True),
        (migrations.AlterField("archive", "title", models.TextField()), True),
        (migrations.DeleteModel("Archive"), True),
        (migrations.RunSQL("CREATE INDEX more ON webapp_archive (title)"), False),
        (migrations.RunSQL("ALTER TABLE webapp_archive DROP COLUMN title"), True),
        (migrations.RunSQL("ALTER TABLE webapp_archive ALTER title SET NOT NULL"), True),
        (migrations.SeparateDatabaseAndState(database_operations=[migrations.RemoveField("archive", "title")]), True),
        (migrations.SeparateDatabaseAndState(state_operations=[migrations.RemoveField("archive", "title")]), False),
    ],
)
def test_what_adds_is_told_from_what_takes_away(operation, is_refused):
    assert bool(problem_of(operation)) is is_refused
