"""Acceptance of archives for front pages; the scope -1 of the summary is seen by everybody, as the scope 0 is.

No archive is accepted by it: `load_fixtures`, which every start runs, accepts the shipped studies.
"""

import importlib

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

BEFORE = importlib.import_module("webapp.migrations.0016_counts_of_lists")

_START, _END = "CREATE FUNCTION webapp_count_systems()", "CREATE TRIGGER system_counts_come"
COUNT_SYSTEMS = BEFORE.COUNT[BEFORE.COUNT.index(_START) : BEFORE.COUNT.index(_END)].replace("CREATE ", "CREATE OR REPLACE ", 1)
COUNT_SCOPES_OF_SEVERAL = COUNT_SYSTEMS.replace("WHEN scope = 0 THEN 0", "WHEN scope <= 0 THEN 0")


class Migration(migrations.Migration):
    dependencies = [migrations.swappable_dependency(settings.AUTH_USER_MODEL), ("webapp", "0026_machines_sessions")]
    operations = [
        migrations.AlterModelOptions(
            "archive", {"permissions": [("accept_archive", "Can accept archives of other accounts for front pages")]}
        ),
        migrations.AddField(
            "archive",
            "accepted_at",
            models.DateTimeField(help_text="For front pages, presets and the default comparison", null=True),
        ),
        migrations.AddField(
            "archive",
            "accepted_by",
            models.ForeignKey(
                help_text="Null where it was accepted on the command line",
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField("archive", "accepted_reason", models.TextField(blank=True, db_default="", default="")),
        migrations.AddIndex(
            "archive",
            models.Index(
                condition=models.Q(("published_at__isnull", False), ("withdrawn_at__isnull", True), ("accepted_at__isnull", False)),
                fields=["id"],
                name="archive_accepted",
            ),
        ),
        migrations.RunSQL(COUNT_SCOPES_OF_SEVERAL, f"{COUNT_SYSTEMS} DELETE FROM webapp_summary WHERE scope < 0;"),
    ]
