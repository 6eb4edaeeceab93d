"""Processes share the dimensions of configurations and workloads as files: no statement that adds some writes them twice.

Processes of the release before find the table empty, and read rows by their key. A later release drops it.
"""

import importlib

from django.db import migrations

BEFORE = importlib.import_module("webapp.migrations.0020_few_rows")


class Migration(migrations.Migration):
    dependencies = [("webapp", "0040_controllers")]

    operations = [
        migrations.RunSQL(f"{BEFORE.NO_DIMENSIONS} TRUNCATE webapp_dimensionblock;", BEFORE.DIMENSIONS),
        migrations.SeparateDatabaseAndState(state_operations=[migrations.DeleteModel("DimensionBlock")]),
    ]
