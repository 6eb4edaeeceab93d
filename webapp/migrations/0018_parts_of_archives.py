"""Public rows of the summary leave the index of the archives' parts: they are read by their key, which it made look dear."""
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("webapp", "0017_count_blocks")]
    operations = [
        migrations.RemoveIndex(model_name="summary", name="summary_parts"),
        migrations.AddIndex(model_name="summary", index=models.Index(
            fields=["metric", "configuration", "workload"], condition=models.Q(scope__gt=0), name="summary_parts")),
    ]
