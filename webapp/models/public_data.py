"""Dated editions of everything public as files."""

from django.db import models


class PublicData(models.Model):
    """An edition. Its files are in the store under their digests, so that editions share what did not change.

    `parts`: closed ranges of archives, each `{"archives": ids, "withdrawn": ids of withdrawals, "state": what it was made of,
    "measurements", "unmeasured", "files": {form: {"sha256", "bytes"}}}`. `archives`: what the list of archives says of each.
    `left_out`: archives and withdrawals that went out of it after it was made.
    """

    class State(models.TextChoices):
        ASKED = "asked", "being made"
        READY = "ready", "ready"
        FAILED = "failed", "could not be made"

    date = models.DateField(unique=True)
    state = models.CharField(max_length=10, choices=State, default=State.ASKED)
    data_version = models.BigIntegerField(default=0, help_text="The newest data version that is not in it for sure")
    asked_at = models.DateTimeField(auto_now_add=True)
    made_at = models.DateTimeField(null=True)
    changed_at = models.DateTimeField(null=True)
    done = models.BigIntegerField(default=0, help_text="Values so far")
    total = models.BigIntegerField(default=0)
    attempts = models.IntegerField(default=0)
    parts = models.JSONField(default=list)
    archives = models.JSONField(default=list)
    left_out = models.IntegerField(default=0)

    class Meta:
        ordering = ["-date"]

    @property
    def measurements(self) -> int:
        return sum(part["measurements"] for part in self.parts)
