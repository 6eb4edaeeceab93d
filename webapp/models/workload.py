"""Workloads: tool, version, stat, origin, registered parameters, month, and what distinguishes those of unknown sizes."""

from django.db import models


class Workload(models.Model):
    """One row per distinct workload. `params` has the registered parameters of `ingest.keys.PARAMS` only.

    Those that differ in the month alone are merged on every page without months
    (`comparison.summary.merge_months`).
    """

    digest = models.CharField(max_length=64, unique=True)
    tool = models.TextField()
    tool_version = models.TextField(null=True)
    stat = models.TextField(default="sample")
    origin = models.TextField(default="measured")
    params = models.JSONField(default=dict)
    apart = models.TextField(
        null=True,
        help_text="Where a size or count that the tool needs is unknown: a digest of the archive and the command or table",
    )
    month = models.TextField(null=True, help_text="`2014-05`, UTC; null where no time is told")
