"""Blocks of accounts and bytes, and the audit log of actions on archives."""

from django.conf import settings
from django.db import models

from webapp.models.sql import fetch_row

# The public log of freezes, corrections, withdrawals and deletions.


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

    @staticmethod
    def lock() -> None:
        """Wait until no other transaction that adds entries is between here and its commit."""
        fetch_row("SELECT pg_advisory_xact_lock(%s)", [0x706F6F6C6C6F67])


# Sign-in links that work once.


class SignInToken(models.Model):
    """Only the SHA-256 of the secret is stored."""

    digest = models.CharField(max_length=64, unique=True)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE)
    created_at = models.DateTimeField(auto_now_add=True)
    used_at = models.DateTimeField(null=True)


class Block(models.Model):
    """An account that may not sign in, upload or publish; or bytes that are refused. Exactly one of the two."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, null=True, on_delete=models.CASCADE, related_name="block")
    sha256 = models.CharField(max_length=64, null=True, unique=True, help_text="Of an archive as uploaded")
    reason = models.TextField(blank=True)
    made_by = models.TextField(help_text="As in the audit log")
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(user__isnull=True) ^ models.Q(sha256__isnull=True), name="block_user_or_bytes"
            )
        ]


class AuditEntry(models.Model):
    """One action. Triggers in the database refuse every UPDATE, DELETE and TRUNCATE of the table.

    Names are stored as text without references: an entry outlives the archive and the account.
    """

    class Via(models.TextChoices):
        WEB = "web", "web"
        COMMAND_LINE = "command line", "command line"

    at = models.DateTimeField(auto_now_add=True)
    via = models.CharField(max_length=12, choices=Via)
    who = models.TextField(help_text="User name; of the command line that of the operating system")
    action = models.CharField(max_length=20)
    archive = models.BigIntegerField(null=True, help_text="Number of the archive, which may be deleted since")
    title = models.TextField(blank=True)
    sha256 = models.CharField(max_length=64, blank=True)
    owner = models.TextField(blank=True, help_text="User name of the archive's owner")
    about = models.TextField(blank=True, help_text="User name, or place inside of the archive")
    reason = models.TextField(blank=True)
    there: bool
    """Whether the archive still exists; set by the view of the log."""

    class Meta:
        indexes = [models.Index(fields=["archive", "-id"], name="audit_of_archive")]

    @property
    def by(self) -> str:
        """`ann`, or `command line (root)`."""
        return self.who if self.via == self.Via.WEB else f"command line ({self.who})"
