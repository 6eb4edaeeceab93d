"""The public log of freezes, corrections, withdrawals and deletions."""

from django.db import models


class LogEntry(models.Model):
    """One act. `hash` is the SHA-256 of the entry as canonical JSON with the hash of the entry before, see
    `accounts.public_log`. Triggers in the database refuse every UPDATE, DELETE and TRUNCATE of the table.
    """

    class Kind(models.TextChoices):
        FREEZE = "freeze", "frozen"
        CORRECT = "correct", "corrected"
        WITHDRAW = "withdraw", "withdrawn"
        RESTORE = "restore", "restored"
        DELETE = "delete", "deleted"

    number = models.BigIntegerField(primary_key=True, help_text="1, 2, 3 ... without a gap")
    at = models.DateTimeField()
    kind = models.CharField(max_length=12, choices=Kind)
    subject = models.CharField(max_length=40, help_text="Path of the page: `p/ID`, `c/ID`, `archives/12`")
    sha256 = models.CharField(max_length=64, help_text="Of the record, or of the archive as uploaded")
    place = models.TextField(blank=True, help_text="Path, or path and line, within the archive")
    reason = models.TextField(blank=True)
    previous = models.CharField(max_length=64, blank=True)
    hash = models.CharField(max_length=64, unique=True)

    class Meta:
        indexes = [models.Index(fields=["subject", "number"], name="log_of_subject")]
