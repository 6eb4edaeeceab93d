"""Labels of archives, name to value, and an index by which those with one are found."""

from django.contrib.postgres.indexes import GinIndex
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("webapp", "0042_api_tokens")]

    operations = [
        migrations.AddField(
            "archive",
            "labels",
            models.JSONField(default=dict, db_default={}, help_text="Name to value, both texts, as given with the upload"),
        ),
        migrations.AddIndex("archive", GinIndex(fields=["labels"], opclasses=["jsonb_path_ops"], name="archive_labels")),
    ]
