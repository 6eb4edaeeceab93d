"""Measurements are read by the ranges of ids that their runs hold; nothing went by metric and run."""
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("webapp", "0012_workload_month")]
    operations = [migrations.RemoveIndex(model_name="measurement", name="measurement_metric_run")]
