"""A comparison frozen for ever."""
from django.conf import settings
from django.db import models


class Permalink(models.Model):
    """`record` are the canonical JSON bytes; a trigger in the database refuses every UPDATE and DELETE of the row."""

    id = models.CharField(primary_key=True, max_length=16)
    digest = models.CharField(max_length=64, unique=True)
    content = models.CharField(max_length=64, help_text="SHA-256 of the record without name and date")
    record = models.BinaryField()
    title = models.TextField(blank=True)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.DO_NOTHING, db_constraint=False)
    frozen_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["owner", "content"], name="permalink_once_per_owner")]
