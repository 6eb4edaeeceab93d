"""What tells workloads of unknown sizes apart; those stored before have none until their archive is read again. And
an index by metric of the values that could not be measured."""
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("webapp", "0027_accepted")]
    operations = [
        migrations.AddField(
            model_name="workload", name="apart",
            field=models.TextField(
                help_text="Where a size or count that the tool needs is unknown: a digest of the archive and the command or table",
                null=True)),
        migrations.AddIndex(
            model_name="unmeasuredvalue",
            index=models.Index(
                condition=models.Q(("duplicate_of__isnull", True)), fields=["metric", "archive"], name="unmeasured_of_metric")),
    ]
