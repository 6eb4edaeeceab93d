"""Withdrawals of archives, files and measurements from every comparison, with reasons and history."""

from django.conf import settings
from django.db import models


class WithdrawalQuerySet(models.QuerySet):
    """Withdrawals by whether they are in force."""

    def active(self):
        """Those that are not undone."""
        return self.filter(restored_at__isnull=True)


class Withdrawal(models.Model):
    """An archive, a file of it, or one measurement. Undone with account and time, never changed otherwise.

    A measurement is identified by what does not change when its archive is read again: path, line, metric, native name, and
    `nth`, its position (from 0) among those equal in all four. `first` to `beyond - 1` are the ids of the withdrawn
    measurements, 0 and 0 where there are none (an archive as a whole; a value that the current parser does not give).
    """

    class What(models.TextChoices):
        ARCHIVE = "archive", "archive"
        FILE = "file", "file"
        MEASUREMENT = "measurement", "measurement"

    archive = models.ForeignKey("Archive", on_delete=models.CASCADE, related_name="withdrawals")
    what = models.CharField(max_length=12, choices=What)
    path = models.TextField(blank=True)
    line = models.TextField(blank=True)
    metric = models.TextField(blank=True)
    native = models.TextField(blank=True)
    nth = models.IntegerField(default=0)
    raw = models.TextField(blank=True, help_text="The value as printed, for people")
    reason = models.TextField()
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    made_at = models.DateTimeField(auto_now_add=True)
    restored_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    restored_at = models.DateTimeField(null=True)
    first = models.BigIntegerField(default=0)
    beyond = models.BigIntegerField(default=0)

    objects = WithdrawalQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["first"], name="withdrawal_first"),
            models.Index(fields=["archive", "id"], name="withdrawal_holding", condition=models.Q(restored_at__isnull=True)),
            models.Index(
                fields=["archive", "-restored_at", "-id"], name="withdrawal_restored", condition=models.Q(restored_at__isnull=False)
            ),
            models.Index(fields=["archive", "path"], name="withdrawal_of_file", condition=models.Q(what="file")),
        ]
