"""What was run: tool, version, stat, origin and the registered parameters; and in which month."""

from django.db import models


class Workload(models.Model):
    """One row per distinct workload. `params` holds the registered parameters of `ingest.keys.PARAMS` only.

    Those that differ in the month alone are put together on every page where nobody asks for months
    (`comparison.summary.merge_months`).
    """

    digest = models.CharField(max_length=64, unique=True)
    tool = models.TextField()
    tool_version = models.TextField(null=True)
    stat = models.TextField(default="sample")
    origin = models.TextField(default="measured")
    params = models.JSONField(default=dict)
    month = models.TextField(null=True, help_text="`2014-05`, UTC; null where no time is told")
