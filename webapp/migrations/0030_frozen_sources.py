"""The archives of each permalink, read from the records; and an index of the newest public archives."""
import json

import django.db.models.deletion
from django.db import migrations, models


def read_sources(apps, schema_editor):
    permalinks, sources = apps.get_model("webapp", "Permalink"), apps.get_model("webapp", "FrozenSource")
    for pk, record in permalinks.objects.values_list("pk", "record").iterator(chunk_size=100):
        archives = json.loads(bytes(record)).get("archives") or {}
        sources.objects.bulk_create(
            (sources(permalink_id=pk, archive_id=int(archive)) for archive in archives if str(archive).isdecimal()),
            ignore_conflicts=True,
        )


class Migration(migrations.Migration):
    dependencies = [("webapp", "0029_chosen_keys")]
    operations = [
        migrations.CreateModel(
            name="FrozenSource",
            fields=[
                ("pk", models.CompositePrimaryKey(
                    "permalink_id", "archive_id", blank=True, editable=False, primary_key=True, serialize=False)),
                ("archive", models.ForeignKey(
                    db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, to="webapp.archive")),
                ("permalink", models.ForeignKey(
                    db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, to="webapp.permalink")),
            ],
        ),
        migrations.RunPython(read_sources, migrations.RunPython.noop),
        migrations.AddIndex(
            model_name="archive",
            index=models.Index(
                fields=["-published_at", "-id"], name="archive_newly_public",
                condition=models.Q(published_at__isnull=False, withdrawn_at__isnull=True, state="read")),
        ),
    ]
