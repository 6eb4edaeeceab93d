"""Counts of an archive as a whole, written with its rows: its pages read these instead of counting runs."""

from django.db import models


class ArchiveConfiguration(models.Model):
    """One configuration of an archive: its runs there and their measurements, whether these count or not.

    `placed`: whether an identifying key has a value (see `webapp.storage.profile`). `tools` and `origins` are sorted lists.
    """

    pk = models.CompositePrimaryKey("archive_id", "configuration_id")
    archive = models.ForeignKey("Archive", on_delete=models.DO_NOTHING, db_constraint=False, db_index=False)
    configuration = models.ForeignKey("Configuration", on_delete=models.DO_NOTHING, db_constraint=False, db_index=False)
    runs = models.IntegerField()
    measurements = models.IntegerField()
    first_run = models.BigIntegerField(help_text="Id of its first run in the archive")
    placed = models.BooleanField()
    tools = models.JSONField()
    origins = models.JSONField()

    class Meta:
        indexes = [
            models.Index(fields=["archive", "-measurements", "configuration"], name="archive_most_measured"),
            models.Index(fields=["archive", "configuration"], name="archive_unplaced", condition=models.Q(placed=False)),
        ]


class Profile(models.Model):
    """Counts of an archive as a whole; `webapp.storage.profile` writes and reads its keys."""

    archive = models.OneToOneField("Archive", on_delete=models.DO_NOTHING, db_constraint=False, primary_key=True)
    told = models.JSONField()
