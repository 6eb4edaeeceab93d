"""Processes share the dimensions of configurations and workloads as files: no statement that adds some writes them twice.

Processes of the release before read what is not in the table by its key. A later release drops it.
"""

import importlib

from django.db import migrations

BEFORE = importlib.import_module("webapp.migrations.0020_few_rows")


class Migration(migrations.Migration):
    dependencies = [("webapp", "0040_controllers")]

    operations = [
        migrations.RunSQL(BEFORE.NO_DIMENSIONS, f"DELETE FROM webapp_dimensionblock; {BEFORE.DIMENSIONS}"),
        migrations.SeparateDatabaseAndState(state_operations=[migrations.DeleteModel("DimensionBlock")]),
    ]
