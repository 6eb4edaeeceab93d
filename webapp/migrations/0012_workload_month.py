"""The month of a run tells workloads apart; those stored before have none until their archive is read again."""
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("webapp", "0011_configuration_counts")]
    operations = [
        migrations.AddField(
            model_name="workload", name="month",
            field=models.TextField(help_text="`2014-05`, UTC; null where no time is told", null=True)),
    ]
