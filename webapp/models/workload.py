"""What was run: tool, version, stat, origin and the registered parameters."""
from django.db import models


class Workload(models.Model):
    """One row per distinct workload. `params` holds the registered parameters of `ingest.keys.PARAMS` only."""

    digest = models.CharField(max_length=64, unique=True)
    tool = models.TextField()
    tool_version = models.TextField(null=True)
    stat = models.TextField(default="sample")
    origin = models.TextField(default="measured")
    params = models.JSONField(default=dict)
