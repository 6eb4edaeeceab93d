"""Statements of an owner about an archive on its review page, with their history."""

from django.conf import settings
from django.db import models


class Statement(models.Model):
    """One key for the whole archive, a folder, a file, or a selection of runs. Undone, never changed otherwise.

    `reach` and `path` are those of `ingest.records.StatedFact`; `lines` (for runs) are lines of the file with a value of each
    run, since ids of runs change when an archive is read again. `value` is as the registry spells it, `raw` as
    typed. Of two with one key and scope the later is in force; undoing it restores the earlier.
    """

    archive = models.ForeignKey("Archive", on_delete=models.CASCADE, related_name="statements")
    key = models.TextField()
    value = models.JSONField()
    raw = models.TextField()
    reach = models.CharField(max_length=8)
    path = models.TextField(blank=True)
    lines = models.JSONField(default=list)
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    made_at = models.DateTimeField(auto_now_add=True)
    undone_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    undone_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["archive", "-id"], name="statement_latest"),
            models.Index(
                fields=["archive", "key", "path", "id"], name="statement_about", condition=models.Q(undone_at__isnull=True)
            ),
        ]
